"""Task 03.2: five requests that are refused, and what each of them lacks."""

from tests.answers import Right, Wrong

SUM = "sum: the model runs code"
MANUAL = "manual: the model searches the store"
LIBRARY = "library: the model uses the server's tool"
DESK = "desk: the model has both tools"
FORCED = "forced: o3 searches the web"

BROKEN = """
from course_lib import MODEL

get_order = {
    "type": "function", "name": "get_order", "strict": True,
    "description": "Return the promised delivery date of an order.",
    "parameters": {
        "type": "object", "required": ["order_id"], "additionalProperties": False,
        "properties": {"order_id": {"type": "string", "description": "Order, e.g. A-104"}},
    },
}
nested = {key: value for key, value in get_order.items() if key != "type"}
unlabelled = {"type": "mcp", "server_url": "https://library.example/mcp"}
unlabelled |= {"allowed_tools": ["search"], "require_approval": "never"}
broken = {
    "sum": {"input": "What is 15% of 240?", "tools": [{"type": "code_interpreter"}]},
    "manual": {"input": "How do I descale the kettle?", "tools": [{"type": "file_search"}]},
    "library": {"input": "Search the documents for the Moon.", "tools": [unlabelled]},
    "desk": {
        "input": "Where is order A-104?",
        "tools": [{"type": "web_search"}, {"type": "function", "function": nested}],
    },
    "forced": {"model": "o3", "input": "How far is the Moon?", "tools": [{"type": "web_search"}]},
}
broken["forced"]["tool_choice"] = "required"
"""


def mended(**other: str) -> str:
    """All mended by assignment; `other` gives some an expression of its own."""
    tools = {
        "sum": '[{"type": "code_interpreter", "container": {"type": "auto"}}]',
        "manual": '[{"type": "file_search", "vector_store_ids": ["vs_1"]}]',
        "library": '[unlabelled | {"server_label": "wiki"}]',
        "desk": '[{"type": "web_search"}, get_order]',
    }
    right = {name: f'broken["{name}"] | {{"tools": {entries}}}' for name, entries in tools.items()}
    right["forced"] = 'broken["forced"] | {"tool_choice": "auto"}'
    members = ",\n".join(f'    "{name}": {body}' for name, body in (right | other).items())
    return f"{BROKEN}\nmended = {{\n{members}\n}}"


RIGHT: dict[str, Right] = {
    "by_assignment": mended(),
    "in_place": f"""{BROKEN}
import copy

mended = copy.deepcopy(broken)
mended["sum"]["tools"][0]["container"] = {{"type": "auto", "memory_limit": "1g"}}
mended["manual"]["tools"][0]["vector_store_ids"] = ["vs_1"]
mended["library"]["tools"][0]["server_label"] = "books"
function = mended["desk"]["tools"][1]
function.update(function.pop("function"))
del mended["forced"]["tool_choice"]
""",
    "with_types_of_the_sdk": mended(
        sum='dict(input="?", tools=[CodeInterpreter(type="code_interpreter", container='
        '{"type": "auto"})])',
        manual='dict(model="gpt-5.6", input="?", tools=[FileSearchToolParam(type="file_search", '
        'vector_store_ids=["vs_1"], max_num_results=5)])',
        desk='dict(model=MODEL, input="?", tools=[FunctionToolParam(**get_order), '
        'WebSearchToolParam(type="web_search")])',
    )
    + "\nfor body in mended.values(): body.pop('input')",
    "all_written_out": mended(
        library='{"model": MODEL, "input": "Search.", "tools": [{"type": "mcp", "server_label": '
        '"library", "server_url": "https://library.example/mcp", "require_approval": "never"}]}',
        forced='{"model": "o3-2025-04-16", "input": "How far?", "tools": [{"type": "web_search", '
        '"search_context_size": "low"}], "instructions": "Be brief."}',
    ),
}
RIGHT["with_types_of_the_sdk"] = (
    "from openai.types.responses import (\n"
    "    FileSearchToolParam, FunctionToolParam, WebSearchToolParam\n)\n"
    "from openai.types.responses.tool_param import CodeInterpreter\n"
    + RIGHT["with_types_of_the_sdk"]
)
TAKEN_OUT = "{name: {**body, 'tools': []} for name, body in broken.items()}"

WRONG: dict[str, Wrong] = {
    "nothing_mended": Wrong(
        f"{BROKEN}\nmended = broken",
        (SUM, MANUAL, LIBRARY, DESK, FORCED),
        "the API refused: Missing required parameter: 'tools[0].container'.",
        "made: code_interpreter_call",
    ),
    "the_tools_taken_out": Wrong(
        f"{BROKEN}\nmended = {TAKEN_OUT}\ndel mended['forced']['tool_choice']",
        (SUM, MANUAL, LIBRARY, DESK, FORCED),
        "made: no call",
        "made: code_interpreter_call",
    ),
    "a_container_of_the_wrong_form": Wrong(
        mended(sum='{"tools": [{"type": "code_interpreter", "container": "auto"}]}'),
        (SUM,),
        "the API refused: Container with id 'auto' not found.",
        "made: code_interpreter_call",
    ),
    "a_store_that_is_not_there": Wrong(
        mended(manual='{"tools": [{"type": "file_search", "vector_store_ids": ["manuals"]}]}'),
        (MANUAL,),
        "the API refused: ",
        "made: file_search_call",
    ),
    "no_store_at_all": Wrong(
        mended(manual='{"tools": [{"type": "file_search", "vector_store_ids": []}]}'),
        (MANUAL,),
        "the API refused: Invalid 'tools[0].vector_store_ids': empty array.",
        "made: file_search_call",
    ),
    "the_web_in_place_of_the_manual": Wrong(
        mended(manual='{"tools": [{"type": "web_search"}]}'),
        (MANUAL,),
        "made: web_search_call",
        "made: file_search_call",
    ),
    "a_label_without_the_server": Wrong(
        mended(library='{"tools": [{"type": "mcp", "server_label": "library"}]}'),
        (LIBRARY,),
        "the API refused: ",
        "made: mcp_list_tools, mcp_call",
    ),
    "approval_asked_for_again": Wrong(
        mended(
            library='{"tools": [{"type": "mcp", "server_label": "library", "server_url": '
            '"https://library.example/mcp", "allowed_tools": ["search"]}]}'
        ),
        (LIBRARY,),
        "made: mcp_list_tools, mcp_approval_request",
        "made: mcp_list_tools, mcp_call",
    ),
    "the_function_taken_out": Wrong(
        mended(desk='{"tools": [{"type": "web_search"}]}'),
        (DESK,),
        "made: ",
        "made: function_call get_order",
    ),
    "the_search_taken_out": Wrong(
        mended(desk='{"tools": [get_order]}'),
        (DESK,),
        "made: no call",
        "made: web_search_call",
    ),
    "a_name_and_the_rest_nested": Wrong(
        mended(
            desk='{"tools": [{"type": "web_search"}, {"type": "function", "name": "get_order", '
            '"function": nested}]}'
        ),
        (DESK,),
        "the API refused: Unknown parameter: 'tools[1].function'.",
        "made: function_call get_order",
    ),
    "another_model": Wrong(
        mended(forced='broken["forced"] | {"model": MODEL}'),
        (FORCED,),
        "gpt-5.6-sol made: web_search_call",
        "o3-2025-04-16 made: web_search_call",
    ),
    "named_in_place_of_required": Wrong(
        mended(forced='broken["forced"] | {"tool_choice": {"type": "web_search"}}'),
        (FORCED,),
        "the API refused: With hosted tool 'web_search', o3-2025-04-16 supports only",
        "o3-2025-04-16 made: web_search_call",
    ),
    "o3_without_its_tool": Wrong(
        mended(forced='{"model": "o3", "input": "How far is the Moon?"}'),
        (FORCED,),
        "made: no call",
        "o3-2025-04-16 made: web_search_call",
    ),
    "the_tools_alone": Wrong(
        mended(sum='[{"type": "code_interpreter", "container": {"type": "auto"}}]'),
        (SUM,),
        "(a list)",
        "made: code_interpreter_call",
    ),
    "one_left_out": Wrong(
        mended() + "\ndel mended['library']",
        (LIBRARY,),
        "which has no 'library'",
        "made: mcp_list_tools, mcp_call",
    ),
}
