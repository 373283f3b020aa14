"""Programs that call tools: the pause, what goes on, and what is called inside (contract C, D)."""

import json
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from agents import Agent, ModelSettings, ProgrammaticToolCallingTool, Runner, function_tool
from openai import OpenAI
from openai.types.responses import Response

from course_lib import connect_agents
from course_lib.platform.app import Platform
from course_lib.platform.state import State
from course_lib.standin import Scripted, call, message
from course_lib.transport import OFFLINE, OfflineTransport
from tests.mcp_servers import shop
from tests.rejections import answer
from tests.test_hosted import Watched, events, kinds

Json = dict[str, Any]
MODEL = "gpt-5.6"
WRITES: Json = {"type": "programmatic_tool_calling"}
DONE = message("Done.")
URL = "https://shop.example/mcp"
SERVER: Json = {"type": "mcp", "server_label": "shop", "server_url": URL}
SERVER |= {"allowed_callers": ["programmatic"]}


def function(name: str, *callers: str) -> Json:
    properties = {"sku": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": ["sku"]}
    own = {"allowed_callers": list(callers or ["programmatic"])}
    return {"type": "function", "name": name, "parameters": schema, "strict": False} | own


TOOLS = [
    WRITES,
    function("stock"),
    function("demand", "direct", "programmatic"),
    function("plain", "direct"),
]
BOTH = """
const [stock, demand] = await Promise.all([tools.stock({sku: "a"}), tools.demand({sku: "a"})]);
const more = await tools.stock({sku: stock.next});
text({stock, demand, more});
"""


def program(code: str) -> Json:
    return call("programmatic_tool_calling", {"code": code})


def writing(*codes: str) -> Platform:
    """A platform whose model writes each program, and says a word when it has ended."""
    turns = [turn for code in codes for turn in (program(code), DONE)]
    return Platform(model=Scripted(list(turns)), state=State(mcp_servers={URL: shop()}))


def ask(platform: Platform, *tools: Json, **fields: Any) -> Json:
    body = {"model": MODEL, "input": "ping", "tools": list(tools or TOOLS)}
    return answer(platform, body | {"reasoning": {"effort": "none"}} | fields)


def tells(item: Json, output: Any, **more: Any) -> Json:
    kind = f"{item['type']}_output"
    told = {"type": kind, "call_id": item["call_id"], "caller": item["caller"], **more}
    return told | {"output": output if isinstance(output, str) else json.dumps(output)}


def goes_on(platform: Platform, before: Json, *given: Json, tools: list[Json] = TOOLS) -> Json:
    return ask(platform, *tools, previous_response_id=before["id"], input=list(given))


def result(response: Json) -> str:
    (item,) = (each for each in response["output"] if each["type"] == "program_output")
    return str(item["result"])


def calls(response: Json) -> list[Json]:
    return [item for item in response["output"] if item["type"] == "function_call"]


# --- Pause and go on


@pytest.mark.parametrize("store", [True, False])
def test_a_program_pauses_for_the_client_and_goes_on(store: bool) -> None:
    """Through the real client: by `previous_response_id`, and with every item sent back."""
    transport = OfflineTransport(writing(BOTH).handle)
    client = OpenAI(
        **OFFLINE,
        http_client=httpx2.Client(transport=transport),
        _strict_response_validation=True,
    )
    history: list[Any] = [{"role": "user", "content": "ping"}]
    seen: list[list[str]] = []
    previous: Json = {}
    while True:
        response: Response = client.responses.create(
            model=MODEL,
            input=history,
            tools=TOOLS,  # type: ignore[arg-type]
            store=store,
            **previous,
        )
        seen.append([item.type for item in response.output if item.type != "reasoning"])
        waiting = [item for item in response.output if item.type == "function_call"]
        if not waiting:
            break
        assert response.status == "completed"
        outputs = []
        for item in waiting:
            assert item.caller and item.caller.type == "program" and item.status == "in_progress"
            told = {"next": "b", "units": len(item.name)}
            outputs.append(tells(item.to_dict(), told))
        if store:
            history, previous = outputs, {"previous_response_id": response.id}
        else:
            history += [item.to_dict() for item in response.output] + outputs
    assert seen == [
        ["program", "function_call", "function_call"],
        ["function_call"],
        ["program_output", "message"],
    ]
    if store:
        kept = client.responses.input_items.list(response.id).data[0]
        assert kept.type == "function_call_output" and kept.status == "completed"
    (ended,) = (item for item in response.output if item.type == "program_output")
    five, six = {"next": "b", "units": 5}, {"next": "b", "units": 6}
    assert json.loads(ended.result) == {"stock": five, "demand": six, "more": five}
    assert (ended.status, response.output_text) == ("completed", "Done.")


def test_where_a_program_only_calls_on_no_model_is_asked() -> None:
    """Recorded: a usage of nothing, and a service tier that stays `auto`."""
    platform = writing("for (const sku of ['a', 'b']) await tools.stock({sku})")
    first = ask(platform)
    assert first["usage"]["output_tokens"] > 0
    second = goes_on(platform, first, tells(calls(first)[0], {}))
    assert kinds(second) == ["function_call"]
    assert second["usage"]["total_tokens"] == 0 and second["service_tier"] == "auto"
    third = goes_on(platform, second, tells(calls(second)[0], {}))
    assert kinds(third) == ["program_output", "message"] and third["service_tier"] == "default"


def test_the_items_are_those_that_were_recorded() -> None:
    first = ask(writing("await tools.stock({sku: 'a'})"))
    written, called = first["output"]
    assert set(written) == {"id", "type", "call_id", "code", "fingerprint"}
    assert written["id"].startswith("cm_") and written["fingerprint"].startswith("gAAAA")
    caller = {"type": "program", "caller_id": written["call_id"]}
    assert called == {
        "id": "fc_1",
        "type": "function_call",
        "status": "in_progress",
        "arguments": '{"sku":"a"}',
        "call_id": called["call_id"],
        "caller": caller,
        "name": "stock",
    }


def test_some_outputs_are_enough_to_go_on_and_too_few_are_refused() -> None:
    platform = writing("const one = await Promise.any([tools.stock(), tools.demand()]);"
                       "text(await tools.stock({sku: one}))")  # fmt: skip
    first = ask(platform)
    stock, demand = calls(first)
    second = goes_on(platform, first, tells(demand, "b"))
    assert kinds(second) == ["function_call"]
    with pytest.raises(AssertionError, match=f"function call {stock['call_id']}"):
        goes_on(platform, second, tells(calls(second)[0], "last"))
    given = [tells(calls(second)[0], "last"), tells(stock, "a")]
    assert result(goes_on(platform, second, *given)) == "last"


def test_a_call_answered_twice_is_answered_once() -> None:
    platform = writing("text(await tools.stock()); text(await tools.demand())")
    first = ask(platform)
    (stock,) = calls(first)
    second = goes_on(platform, first, tells(stock, "1"), tells(stock, "2"))
    assert kinds(second) == ["function_call"]
    assert result(goes_on(platform, second, tells(calls(second)[0], "3"))) == "1\n3"


def test_two_programs_and_a_call_of_the_model_in_one_turn() -> None:
    turn = [program("text(await tools.stock())"), call("plain", {"sku": "c"}),
            program("text(await tools.demand())")]  # fmt: skip
    platform = Platform(model=Scripted([turn, DONE]))
    first = ask(platform)
    assert kinds(first) == ["program", "function_call", "function_call", "program", "function_call"]
    of_stock, own, of_demand = calls(first)
    assert "caller" not in own and own["status"] == "completed"
    direct = {"type": "function_call_output", "call_id": own["call_id"], "output": "ok"}
    last = goes_on(platform, first, tells(of_demand, "2"), direct, tells(of_stock, "1"))
    found = [each["result"] for each in last["output"] if each["type"] == "program_output"]
    assert found == ["1", "2"]


def test_the_model_reads_the_program_and_its_result_and_nothing_between() -> None:
    model = Watched(program("text(await tools.stock({sku: 'a'}))"), DONE, DONE)
    platform = Platform(model=model)
    first = ask(platform)
    second = goes_on(platform, first, tells(calls(first)[0], "SECRET in between".split()[0]))
    goes_on(platform, second, {"role": "user", "content": "And now?"})
    for prompt in model.prompts[1:]:
        asked, written, read = prompt.items[:3]
        assert (written["type"], written["name"]) == ("function_call", "programmatic_tool_calling")
        assert read == {
            "type": "function_call_output",
            "call_id": written["call_id"],
            "output": "SECRET",
        }
        assert "stock" not in [item.get("name") for item in prompt.items]
        assert asked["role"] == "user"


def test_the_clock_of_a_program_stands_where_it_began() -> None:
    platform = writing("const began = Date.now(); await tools.stock(); text(Date.now() - began)")
    first = ask(platform)
    platform.state.now += 3600
    assert result(goes_on(platform, first, tells(calls(first)[0], ""))) == "1"


def test_a_program_from_elsewhere_goes_on_too() -> None:
    """The live API's own fingerprint, as a client keeps it with a conversation."""
    foreign = "gAAAAABqYUYA" + "A" * 120
    written = {"type": "program", "id": "cm_live", "call_id": "call_P", "fingerprint": foreign}
    caller = {"type": "program", "caller_id": "call_P"}
    made = {"type": "function_call", "call_id": "call_1", "name": "stock", "arguments": "{}"}
    given: list[Json] = [
        written | {"code": "text(await tools.stock({}))"},
        made | {"caller": caller},
    ]
    response = ask(Platform(model=Scripted([DONE])), input=[*given, tells(given[1], "7")])
    assert result(response) == "7"


def test_whatever_a_call_from_elsewhere_returned_the_program_has_it() -> None:
    foreign = "gAAAAABqYUYA" + "A" * 120
    code = "text(await tools.code_interpreter({code: ''}))"
    written = {"type": "program", "id": "cm_live", "call_id": "call_P", "fingerprint": foreign}
    caller = {"type": "program", "caller_id": "call_P"}
    ran: Json = {"type": "code_interpreter_call", "id": "ci_live", "container_id": "cntr_live"}
    ran |= {"code": "", "outputs": ["odd"], "caller": caller}
    container = {"type": "code_interpreter", "container": {"type": "auto"}}
    tools = [WRITES, container | {"allowed_callers": ["programmatic"]}]
    given: list[Json] = [{"role": "user", "content": "ping"}, written | {"code": code}, ran]
    response = ask(Platform(model=Scripted([DONE])), *tools, input=given)
    assert result(response) == '["odd"]'


def test_a_program_that_does_not_fit_is_not_run() -> None:
    response = ask(writing("await tools.stock()"), max_output_tokens=16, input="x")
    assert response["status"] == "completed"
    long = "// " + "and so on " * 100
    response = ask(writing(f"{long}\nawait tools.stock()"), max_output_tokens=16)
    assert (response["status"], response["output"]) == ("incomplete", [])


# --- Streaming


def test_a_program_is_streamed_as_recorded() -> None:
    fields = {"model": MODEL, "tools": TOOLS, "reasoning": {"effort": "none"}}
    told = events(writing("text(await tools.stock({sku: 'a'}))"), **fields)
    assert [event["type"].removeprefix("response.") for event in told] == [
        "created", "in_progress", "output_item.added", "output_item.done", "output_item.added",
        "function_call_arguments.delta", "function_call_arguments.delta",
        "function_call_arguments.delta", "function_call_arguments.delta",
        "function_call_arguments.delta", "function_call_arguments.done", "output_item.done",
        "completed",
    ]  # fmt: skip
    added, done = told[2]["item"], told[3]["item"]
    assert set(added) == set(done) and (added["code"], done["code"][:4]) == ("", "text")
    assert told[-2]["item"]["status"] == "in_progress"


def test_a_result_is_streamed_as_recorded() -> None:
    fields = {"model": MODEL, "tools": TOOLS, "reasoning": {"effort": "none"}}
    told = events(writing("text('all')"), **fields)
    shown = [
        event["item"] for event in told if event.get("item", {}).get("type") == "program_output"
    ]
    assert [(item["status"], item["result"]) for item in shown] == [
        ("completed", ""),
        ("completed", "all"),
    ]


# --- What may be called


def test_an_error_says_which_tools_there_are() -> None:
    for name in ("plain", "tool_search", "nothing"):
        response = ask(writing(f"await tools.{name}({{}})"))
        assert kinds(response) == ["program", "program_output", "message"]
        assert response["output"][1]["status"] == "incomplete"
        assert result(response) == (
            f"ReferenceError: The tool {name} cannot be called by a program. "
            "These are: stock, demand. (line 1)"
        )


def test_what_was_emitted_before_an_error_is_kept() -> None:
    response = ask(writing("text('so far'); throw new Error('no further')"))
    assert result(response) == "so far\nError: no further (line 1)"


def test_the_choice_of_a_program_makes_one() -> None:
    model = Watched(program("text(1)"), DONE)
    ask(Platform(model=model), tool_choice=WRITES)
    wanted = {"type": "function", "name": "programmatic_tool_calling"}
    assert [prompt.tool_choice for prompt in model.prompts] == [wanted, "auto"]


def test_what_a_search_found_can_be_called_by_a_program_after_it() -> None:
    later = function("stock") | {"defer_loading": True}
    found, code = call("tool_search", {"paths": ["stock"]}), program("text(await tools.stock())")
    platform = Platform(model=Scripted([found, code, DONE]))
    tools = [WRITES, {"type": "tool_search"}, later]
    first = ask(platform, *tools)
    assert kinds(first) == ["tool_search_call", "tool_search_output", "program", "function_call"]
    assert result(goes_on(platform, first, tells(calls(first)[0], "1"), tools=tools)) == "1"


def test_a_custom_tool_is_given_a_text() -> None:
    tools = [WRITES, {"type": "custom", "name": "note", "allowed_callers": ["programmatic"]}]
    platform = writing("text(await tools.note('a line')); await tools.note({input: 'another'})")
    first = ask(platform, *tools)
    noted = first["output"][1]
    assert (noted["type"], noted["input"]) == ("custom_tool_call", "a line")
    second = goes_on(platform, first, tells(noted, "kept"), tools=tools)
    assert second["output"][0]["input"] == "another"
    assert result(goes_on(platform, second, tells(second["output"][0], ""), tools=tools)) == "kept"


def test_a_patch_is_for_the_client_to_apply() -> None:
    tools = [WRITES, {"type": "apply_patch", "allowed_callers": ["programmatic"]}]
    operation = {"type": "delete_file", "path": "a.txt"}
    platform = writing(f"text(await tools.apply_patch({{operation: {json.dumps(operation)}}}))")
    first = ask(platform, *tools)
    patch = first["output"][1]
    assert (patch["type"], patch["operation"]) == ("apply_patch_call", operation)
    told = tells(patch, "deleted", status="completed")
    assert result(goes_on(platform, first, told, tools=tools)) == "deleted"


def test_half_a_surrogate_pair_is_no_text_for_a_tool() -> None:
    platform = writing("text(await tools.stock({sku: '\\ud800'}))")
    first = ask(platform, *TOOLS)
    assert calls(first)[0]["arguments"] == '{"sku":"\ufffd"}'
    assert result(goes_on(platform, first, tells(calls(first)[0], "1"))) == "1"


@pytest.mark.parametrize("operation", ["5", "'x'", "[]"])
def test_a_patch_that_is_none_is_an_empty_one(operation: str) -> None:
    tools = [WRITES, {"type": "apply_patch", "allowed_callers": ["programmatic"]}]
    first = ask(writing(f"await tools.apply_patch({{operation: {operation}}})"), *tools)
    assert first["output"][1]["operation"] == {"type": "update_file", "path": "", "diff": ""}


# --- Hosted tools inside


@pytest.mark.parametrize("store", [True, False])
def test_hosted_tools_are_run_inside_and_their_results_outlive_a_pause(store: bool) -> None:
    code = """
        const ran = await tools.code_interpreter({code: "print(6 * 7)"});
        const status = await tools.order_status({order_id: "A-104"});
        text([ran[0].logs.trim(), status, await tools.stock()]);
    """
    container = {"type": "code_interpreter", "container": {"type": "auto"}}
    container |= {"allowed_callers": ["programmatic"]}
    tools = [WRITES, function("stock"), container, SERVER | {"require_approval": "never"}]
    platform = writing(code)
    first = ask(platform, *tools, store=store)
    made = ["mcp_list_tools", "program", "code_interpreter_call", "mcp_call", "function_call"]
    assert kinds(first) == made
    assert all(item["caller"] for item in first["output"][2:])
    told = tells(calls(first)[0], "3")
    if store:
        last = goes_on(platform, first, told, tools=tools)
    else:
        last = ask(platform, *tools, input=[*first["output"], told], store=False)
    assert json.loads(result(last)) == ["42", "Order A-104 is late.", 3]


def test_a_command_is_run_inside() -> None:
    environment = {"type": "container_auto"}
    own = {"type": "shell", "environment": environment, "allowed_callers": ["programmatic"]}
    response = ask(
        writing("text((await tools.shell({commands: ['echo hi']}))[0].stdout)"), WRITES, own
    )
    assert kinds(response)[:4] == ["program", "shell_call", "shell_call_output", "program_output"]
    assert result(response) == "hi\n"


def test_a_tool_that_fails_throws_into_the_program() -> None:
    code = "try { await tools.fails({}) } catch (e) { text('no: ' + e.message) }"
    response = ask(writing(code), WRITES, SERVER | {"require_approval": "never"})
    assert "no: " in result(response) and "The stock is locked." in result(response)
    assert "Traceback" not in json.dumps(response)


@pytest.mark.parametrize("approve", [True, False])
def test_an_approval_inside_a_program_pauses_it(approve: bool) -> None:
    code = """
        try { text(await tools.cancel_order({order_id: "A-104"})) } catch (e) { text(e.message) }
    """
    model = Watched(program(code), DONE)
    platform = Platform(model=model, state=State(mcp_servers={URL: shop()}))
    tools = [WRITES, SERVER]
    first = ask(platform, *tools)
    assert kinds(first) == ["mcp_list_tools", "program", "mcp_approval_request"]
    request = first["output"][2]
    decided = {"type": "mcp_approval_response", "approval_request_id": request["id"]}
    last = goes_on(platform, first, decided | {"approve": approve}, tools=tools)
    if approve:
        assert kinds(last) == ["mcp_call", "program_output", "message"]
        assert last["output"][0]["approval_request_id"] == request["id"]
        assert result(last) == last["output"][0]["output"]
    else:
        assert kinds(last) == ["program_output", "message"]
        assert result(last) == "The user did not approve this call."
    read = [item["type"] for item in model.prompts[-1].items]
    assert read == ["message", "mcp_list_tools", "function_call", "function_call_output"]


def test_a_program_stops_where_the_response_may_call_no_more() -> None:
    code = "for (let n = 0; ; n++) { text(n); await tools.order_status({order_id: 'A-104'}) }"
    server = SERVER | {"require_approval": "never"}
    response = ask(writing(code), WRITES, server, max_tool_calls=3)
    assert kinds(response).count("mcp_call") == 3
    assert result(response).endswith("Stopped: it calls more hosted tools than one response may.")


# --- The Agents SDK


@dataclass
class Level:
    sku: str
    units: int


def test_the_agents_sdk_answers_a_program() -> None:
    @function_tool(allowed_callers=["programmatic"])
    def stock(sku: str) -> Level:
        """How many units of a product are there?"""
        return Level(sku, len(sku))

    code = """
        const found = await Promise.all(["a", "bb"].map((sku) => tools.stock({sku})));
        text(found.reduce((sum, each) => sum + each.units, 0));
    """
    connect_agents(Scripted([program(code), message("There are 3.")]))
    agent = Agent(
        "Clerk",
        tools=[stock, ProgrammaticToolCallingTool()],
        model=MODEL,
        model_settings=ModelSettings(tool_choice="programmatic_tool_calling"),
    )
    ran = Runner.run_sync(agent, "How many in all?")
    assert ran.final_output == "There are 3."
    kept = [item.to_input_item() for item in ran.new_items]
    assert [each["result"] for each in kept if each.get("type") == "program_output"] == ["3"]  # type: ignore[typeddict-item]
