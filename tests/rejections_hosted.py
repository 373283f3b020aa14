"""The rejection table, its part about hosted tools and containers (sections A2, A5 and D).

Its rows are those of `rejections.py`, and say in the same way how their words are known.
"""

from dataclasses import replace

from course_lib.platform.app import Platform
from course_lib.platform.containers import make
from course_lib.platform.http import WITH_KEY, Request
from course_lib.standin import Scripted, call
from tests.rejections import (
    INFERRED,
    REPORTED,
    UNVERIFIED,
    Json,
    Row,
    answer,
    missing,
    not_among,
    paired,
    reported,
    tools,
    unknown,
)

WEB: Json = {"type": "web_search"}
CODE: Json = {"type": "code_interpreter", "container": {"type": "auto"}}
FILES: Json = {"type": "file_search", "vector_store_ids": ["vs_9"]}
IMAGE: Json = {"type": "image_generation"}


def expired(platform: Platform) -> Json:
    """A container that was used, and then left alone for more than twenty minutes."""
    first = answer(platform, tools(CODE, input="What is 2 + 2?"))
    platform.state.now += 20 * 60 + 1
    used = next(item for item in first["output"] if item["type"] == "code_interpreter_call")
    return tools(CODE | {"container": used["container_id"]})


SEARCH: Json = {"type": "tool_search"}
LATER: Json = {"type": "function", "name": "later", "defer_loading": True}
CRM: Json = {"type": "namespace", "name": "crm", "description": "Customers.", "tools": [LATER]}
MATH: Json = {"type": "custom", "name": "math", "format": {"type": "text"}}


GOAL: Json = {"type": "object", "properties": {"goal": {}}}


def unanswered_search(platform: Platform) -> Json:
    own = SEARCH | {"execution": "client", "parameters": GOAL}
    platform.model = Scripted([call("tool_search", {"goal": "rates"})])
    first = answer(platform, tools(own, LATER, model="gpt-5.4"))
    return tools(own, LATER, model="gpt-5.4", previous_response_id=first["id"])


def grammar(**fields: str) -> Json:
    return MATH | {
        "format": {"type": "grammar", "syntax": "regex", "definition": "[0-9]+"} | fields
    }


SIZES = "'low', 'medium', and 'high'"
TOOLS = [
    Row("a hosted tool named twice", "A5", UNVERIFIED, tools(WEB, WEB),
        "Two tools are named 'web_search'. The name of a tool must be unique.", "tools",
        UNVERIFIED),
    not_among("tools[0].search_context_size", "huge", SIZES,
        tools(WEB | {"search_context_size": "huge"}), INFERRED),
    unknown("tools[0].nonsense", tools(WEB | {"nonsense": 1}), source=INFERRED),
    unknown("tools[0].filters.nonsense", tools(WEB | {"filters": {"nonsense": []}}),
        source=INFERRED),
    Row("101 domains", "D", INFERRED,
        tools(WEB | {"filters": {"allowed_domains": ["a.example"] * 101}}),
        "Invalid 'tools[0].filters.allowed_domains': array too long. Expected an array with "
        "maximum length 100, but got an array with length 101 instead.",
        "tools[0].filters.allowed_domains", "array_above_max_length"),
    Row("choice of an absent hosted tool", "A2", reported("raine/claude-code-proxy#26"),
        tools(WEB, tool_choice={"type": "web_search_preview"}),
        "Tool choice 'web_search_preview' not found in 'tools' parameter.", "tool_choice"),
    Row("web search on a model without it", "A2", INFERRED, tools(WEB, model="gpt-4.1-nano"),
        "Hosted tool 'web_search' is not supported with gpt-4.1-nano-2025-04-14.", "tools"),
    Row("web search with minimal effort", "A2", REPORTED,
        tools(WEB, model="gpt-5", reasoning={"effort": "minimal"}),
        "The following tools cannot be used with reasoning.effort 'minimal': web_search.", "tools"),
    missing("tools[0].vector_store_ids", tools({"type": "file_search"}), REPORTED),
    Row("no vector store", "A5", INFERRED, tools(FILES | {"vector_store_ids": []}),
        "Invalid 'tools[0].vector_store_ids': empty array. Expected an array with minimum length "
        "1, but got an empty array instead.", "tools[0].vector_store_ids", "empty_array"),
    Row("vector store that is not there", "A5", REPORTED, tools(FILES),
        "Vector store with id ['vs_9'] not found.", None, None, 404),
    Row("51 results", "D", INFERRED, tools(FILES | {"max_num_results": 51}),
        "Invalid 'tools[0].max_num_results': integer above maximum value. Expected a value <= 50, "
        "but got 51 instead.", "tools[0].max_num_results", "integer_above_max_value"),
    Row("file for a container that is not there", "E", INFERRED,
        tools(CODE | {"container": {"type": "auto", "file_ids": ["file-9"]}}),
        "No such File object: file-9", "id", None, 404),
    missing("tools[0].container", tools({"type": "code_interpreter"}),
        reported("QuantumNous/new-api#1305")),
    Row("container of the wrong type", "D", INFERRED, tools(CODE | {"container": 1}),
        "Invalid type for 'tools[0].container': expected one of a string or object, but got an "
        "integer instead.", "tools[0].container", "invalid_type"),
    not_among("tools[0].container.memory_limit", "2g", "'1g', '4g', '16g', and '64g'",
        tools(CODE | {"container": {"type": "auto", "memory_limit": "2g"}}), INFERRED),
    Row("container that never was", "A5", UNVERIFIED, tools(CODE | {"container": "cntr_9"}),
        "Container with id 'cntr_9' not found.", None, UNVERIFIED, 404),
    Row("expired container", "A5", REPORTED, expired, "Container is expired."),
    Row("code interpreter with gpt-5-pro", "A2", INFERRED, tools(CODE, model="gpt-5-pro"),
        "Hosted tool 'code_interpreter' is not supported with gpt-5-pro-2025-10-06.", "tools"),
    Row("code interpreter with gpt-5.2-pro", "A2", INFERRED, tools(CODE, model="gpt-5.2-pro"),
        "Hosted tool 'code_interpreter' is not supported with gpt-5.2-pro-2025-12-11.", "tools"),
    Row("a forced search with o3", "A2", UNVERIFIED,
        tools(WEB, model="o3", tool_choice="required"),
        "With hosted tool 'web_search', o3-2025-04-16 supports only tool_choice 'auto'.",
        "tool_choice", UNVERIFIED),
    Row("code interpreter forbidden to o3-pro", "A2", UNVERIFIED,
        tools(CODE, model="o3-pro", tool_choice="none"),
        "With hosted tool 'code_interpreter', o3-pro-2025-06-10 supports only tool_choice 'auto'.",
        "tool_choice", UNVERIFIED),
    not_among("tools[0].quality", "best",
        "'low', 'medium', 'high', 'xhigh', 'max', and 'auto'",
        tools(IMAGE | {"quality": "best"}), INFERRED),
    Row("four partial images", "D", INFERRED, tools(IMAGE | {"partial_images": 4}),
        "Invalid 'tools[0].partial_images': integer above maximum value. Expected a value <= 3, "
        "but got 4 instead.", "tools[0].partial_images", "integer_above_max_value"),
    *(Row(f"size {size}", "D", UNVERIFIED, tools(IMAGE | {"size": size}),
        f"Invalid size '{size}'. Expected 'auto' or a size such as '1024x1536': both sides "
        "divisible by 16, at most three to one, at most 3840x2160 in all.",
        "tools[0].size", UNVERIFIED) for size in ("1000x1000", "4096x1024", "large", "9984x9984")),
]  # fmt: skip


def a_container(platform: Platform) -> Json:
    platform.handle(Request("POST", "/v1/containers", b'{"name": "mine"}'))
    return {}


def a_copy_named_as_a_folder(platform: Platform) -> Json:
    upload = (
        b'--XX\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nassistants\r\n--XX\r\n'
        b'Content-Disposition: form-data; name="file"; filename="x.txt"\r\n\r\nping\r\n--XX--\r\n'
    )
    headers = WITH_KEY | {"content-type": "multipart/form-data; boundary=XX"}
    platform.handle(Request("POST", "/v1/files", upload, headers))
    container = make(platform.state, "mine", {})
    container.folders.append("x.txt")
    return {"file_id": next(iter(platform.state.files))}


def containers(path: str, row: Row, method: str = "POST") -> Row:
    return replace(row, path=f"/v1/containers{path}", method=method)


CONTAINERS = [
    containers("", missing("name", {}, INFERRED, "of a container")),
    containers("", not_among("memory_limit", "2g", "'1g', '4g', '16g', and '64g'",
        {"name": "mine", "memory_limit": "2g"}, INFERRED, "of a container")),
    containers("/cntr_9", Row("container to read", "D", UNVERIFIED, {},
        "Container with id 'cntr_9' not found.", None, UNVERIFIED, 404), "GET"),
    containers("/cntr_1/files", Row("no file for a container", "D", UNVERIFIED, a_container,
        "Give a 'file' to upload, or the 'file_id' of one.", None, UNVERIFIED)),
    containers("/cntr_1/files", Row("copy of no file", "E", INFERRED,
        lambda platform: a_container(platform) | {"file_id": "file-9"},
        "No such File object: file-9", "id", None, 404)),
    containers("/cntr_1/files", Row("copy in a folder's place", "D", UNVERIFIED,
        a_copy_named_as_a_folder, "The container has a folder named 'x.txt'.", None, UNVERIFIED)),
    containers("/cntr_1/files", Row("copy of a list", "D", INFERRED,
        lambda platform: a_container(platform) | {"file_id": ["file-9"]},
        "Invalid type for 'file_id': expected a string, but got an array instead.", "file_id",
        "invalid_type")),
    containers("/cntr_1/files/cfile_9", Row("container file to read", "D", UNVERIFIED, a_container,
        "Container file with id 'cfile_9' not found.", None, UNVERIFIED, 404), "GET"),
]  # fmt: skip

SEARCHED = [
    Row(
        "deferred without a search",
        "A5",
        reported("Wei-Shaw/sub2api#5942"),
        tools(LATER),
        "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.",
        "tools.defer_loading",
    ),
    Row(
        "deferred in a namespace without a search",
        "A5",
        INFERRED,
        tools(CRM),
        "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.",
        "tools.defer_loading",
    ),
    Row(
        "a search for nothing",
        "A5",
        reported("pydantic/pydantic-ai#5230"),
        tools(SEARCH),
        "Invalid Value: 'tools.tool_search'. tools.tool_search requires at least one deferred "
        "tool.",
        "tools.tool_search",
    ),
    Row(
        "a hosted search with a description",
        "A5",
        REPORTED,
        tools(SEARCH | {"description": "Look."}, LATER),
        "Invalid Value: 'tools.tool_search.description'. Server-executed tool_search does not "
        "accept a description.",
        "tools.tool_search.description",
    ),
    Row(
        "a hosted search with parameters",
        "A5",
        INFERRED,
        tools(SEARCH | {"parameters": {}}, LATER),
        "Invalid Value: 'tools.tool_search.parameters'. Server-executed tool_search does not "
        "accept a parameters.",
        "tools.tool_search.parameters",
    ),
    Row(
        "a search of the client's own that is malformed",
        "D",
        INFERRED,
        tools(SEARCH | {"execution": "client", "parameters": GOAL | {"required": 5}}, LATER),
        "Invalid schema for function 'tool_search': 5 is not of type 'array'.",
        "tools[0].parameters",
        "invalid_function_parameters",
    ),
    Row(
        "a malformed output_schema",
        "D",
        UNVERIFIED,
        tools({"type": "function", "name": "rows", "output_schema": {"anyOf": 5}}),
        "Invalid schema for function 'rows': 5 is not of type 'array'.",
        "tools[0].output_schema",
        UNVERIFIED,
    ),
    not_among(
        "tools[0].execution",
        "mine",
        "'server' and 'client'",
        tools(SEARCH | {"execution": "mine"}, LATER),
        INFERRED,
    ),
    Row(
        "a search on a model without it",
        "A2",
        INFERRED,
        tools(SEARCH, LATER, model="gpt-5"),
        "Hosted tool 'tool_search' is not supported with gpt-5-2025-08-07.",
        "tools",
    ),
    Row(
        "a deferred function is not there to be chosen",
        "D",
        INFERRED,
        tools(SEARCH, LATER, tool_choice={"type": "function", "name": "later"}),
        "Tool choice 'later' not found in 'tools' parameter.",
        "tool_choice",
    ),
    Row(
        "nor is the search",
        "D",
        INFERRED,
        tools(SEARCH, LATER, tool_choice={"type": "tool_search"}),
        "Tool choice 'tool_search' not found in 'tools' parameter.",
        "tool_choice",
    ),
    paired(
        "a search of the client's own without its answer",
        REPORTED,
        unanswered_search,
        "No tool output found for tool search call call_1.",
    ),
    Row(
        "a namespace of a hosted tool's name",
        "A5",
        reported("microsoft/vscode#313033"),
        tools(SEARCH, CRM | {"name": "file_search"}),
        "Invalid Value: 'tools.namespace'. User-defined namespace 'file_search' collides with an "
        "existing tool namespace.",
        "tools.namespace",
    ),
    Row(
        "an empty namespace",
        "A5",
        INFERRED,
        tools(CRM | {"tools": []}),
        "Invalid 'tools[0].tools': empty array. Expected an array with minimum length 1, but got "
        "an empty array instead.",
        "tools[0].tools",
        "empty_array",
    ),
    missing(
        "tools[0].description",
        tools({"type": "namespace", "name": "a", "tools": [LATER]}),
        source=INFERRED,
    ),
    not_among(
        "tools[0].tools[0].type",
        "web_search",
        "'function' and 'custom'",
        tools(CRM | {"tools": [WEB]}),
        INFERRED,
    ),
    not_among(
        "tools[0].format.type",
        "xml",
        "'text' and 'grammar'",
        tools(MATH | {"format": {"type": "xml"}}),
        INFERRED,
    ),
    not_among(
        "tools[0].format.syntax",
        "peg",
        "'lark' and 'regex'",
        tools(grammar(syntax="peg")),
        INFERRED,
    ),
    Row(
        "a grammar that is no regular expression",
        "Gaps",
        UNVERIFIED,
        tools(grammar(definition="[")),
        "Invalid 'tools[0].format.definition': this is not a regular expression (unterminated "
        "character set at position 0).",
        "tools[0].format.definition",
        UNVERIFIED,
    ),
]
HOSTED: list[Row] = [*TOOLS, *CONTAINERS, *SEARCHED]
