"""The hosted tool `mcp`: listing, calls, approvals, and who may see what (contract B, C, D)."""

import asyncio
import json
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import mcp.types as types
import pytest
import uvicorn
from agents import Agent, HostedMCPTool, Runner
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from mcp.server.lowlevel import Server
from openai import APIStatusError

from course_lib import connect, connect_agents
from course_lib.home import CourseError
from course_lib.platform.app import Platform
from course_lib.platform.hosted import mcp_client
from course_lib.platform.http import WITH_KEY, Request
from course_lib.platform.server import LOOPBACK, listen
from course_lib.platform.state import State
from course_lib.standin import Scripted, call, message
from course_lib.web.mcp_server import is_real
from tests import ROOT
from tests.mcp_servers import answering, running, shop
from tests.rejections import answer
from tests.test_hosted import Watched, kinds

Json = dict[str, Any]
URL = "https://shop.example/mcp"
SHOP: Json = {"type": "mcp", "server_label": "shop", "server_url": URL}
FREE: Json = SHOP | {"require_approval": "never"}
STATUS = call("order_status", {"order_id": "A-104"})
CANCEL = call("cancel_order", {"order_id": "A-104"})
DONE = message("Done.")


def platform(*turns: Json | list[Json], at: str = URL) -> Platform:
    return Platform(model=Scripted(list(turns)), state=State(mcp_servers={at: shop()}))


def ask(asked: Platform, *tools: Json, **fields: Any) -> Json:
    body = {"model": "gpt-5.4", "input": "Where is order A-104?", "tools": list(tools or [FREE])}
    return answer(asked, body | fields)


def only(response: Json, item_type: str) -> Json:
    found: list[Json] = [item for item in response["output"] if item["type"] == item_type]
    assert len(found) == 1
    return found[0]


def names(response: Json) -> list[str]:
    return [tool["name"] for tool in only(response, "mcp_list_tools")["tools"]]


def made(response: Json) -> Json:
    return only(response, "mcp_call")


# --- Listing


def test_the_tools_are_listed_first_and_then_called() -> None:
    response = ask(platform(STATUS, DONE))
    assert kinds(response) == ["mcp_list_tools", "mcp_call", "message"]
    listing, called, _ = response["output"]
    assert listing["id"].startswith("mcpl_") and listing["server_label"] == "shop"
    first = listing["tools"][0]
    assert set(first) == {"name", "description", "input_schema", "annotations"}
    assert first["annotations"] == {"read_only": True}
    assert called == {
        "id": "mcp_1",
        "type": "mcp_call",
        "status": "completed",
        "approval_request_id": None,
        "arguments": '{"order_id":"A-104"}',
        "error": None,
        "name": "order_status",
        "output": "Order A-104 is late.",
        "server_label": "shop",
    }


def test_a_listing_is_reused_while_the_context_holds_it() -> None:
    asked = platform(DONE, STATUS, DONE, STATUS, DONE, DONE)
    first = ask(asked)
    asked.state.mcp_servers[URL] = None  # nobody is there any more: a new listing would fail
    assert kinds(ask(asked, previous_response_id=first["id"]))[0] == "mcp_call"
    replayed = [*first["output"], {"role": "user", "content": "And now?"}]
    assert kinds(ask(asked, input=replayed))[0] == "mcp_call"


def test_a_new_context_and_another_label_are_listed_anew() -> None:
    asked = platform(DONE, DONE, DONE)
    first = ask(asked)
    assert kinds(ask(asked))[0] == "mcp_list_tools"
    other = FREE | {"server_label": "other"}
    again = ask(asked, FREE, other, previous_response_id=first["id"])
    assert [i["server_label"] for i in again["output"] if i["type"] == "mcp_list_tools"] == [
        "other"
    ]


@pytest.mark.parametrize(
    ("allowed", "kept"),
    [
        (["cancel_order"], ["cancel_order"]),
        ({"tool_names": ["cancel_order", "header"]}, ["cancel_order", "header"]),
        ({"read_only": True}, ["order_status"]),
        ({"read_only": True, "tool_names": ["cancel_order"]}, []),
        ([], []),
    ],
)
def test_only_allowed_tools_are_listed_and_offered(allowed: Any, kept: list[str]) -> None:
    model = Watched(DONE)
    asked = Platform(model=model, state=State(mcp_servers={URL: shop()}))
    assert names(ask(asked, FREE | {"allowed_tools": allowed})) == kept
    assert [tool["name"] for tool in model.prompts[0].tools] == kept


def test_the_model_sees_a_tool_as_it_is_declared() -> None:
    model = Watched(DONE)
    callers = FREE | {"allowed_callers": ["direct", "programmatic"]}
    ask(Platform(model=model, state=State(mcp_servers={URL: shop()})), callers)
    seen = model.prompts[0].tools[0]
    assert (seen["type"], seen["name"], seen["server_label"]) == ("mcp", "order_status", "shop")
    assert seen["parameters"]["required"] == ["order_id"]
    assert seen["allowed_callers"] == ["direct", "programmatic"]


def test_tools_of_one_name_are_told_apart_by_their_server() -> None:
    asked = platform(call("other.order_status", {"order_id": "A-1"}), DONE)
    response = ask(asked, FREE, FREE | {"server_label": "other"})
    assert (made(response)["server_label"], made(response)["name"]) == ("other", "order_status")


@pytest.mark.parametrize("first", [True, False])
def test_a_function_keeps_its_name_beside_a_server_that_has_the_same(first: bool) -> None:
    own = {"type": "function", "name": "order_status", "parameters": None}
    asked = platform([call("shop.order_status", {"order_id": "A-1"}), STATUS])
    response = ask(asked, *([own, FREE] if first else [FREE, own]))
    assert kinds(response) == ["mcp_list_tools", "mcp_call", "function_call"]


def test_a_deferred_server_is_listed_when_it_is_loaded() -> None:
    search = call("tool_search", {"paths": ["shop"]})
    model = Watched(search, STATUS, DONE)
    deferred = FREE | {"defer_loading": True, "server_description": "Orders of the shop."}
    asked = Platform(model=model, state=State(mcp_servers={URL: shop()}))
    response = ask(asked, deferred, {"type": "tool_search"})
    expected = ["tool_search_call", "tool_search_output", "mcp_list_tools", "mcp_call", "message"]
    assert kinds(response) == expected
    assert [tool["name"] for tool in model.prompts[0].tools] == ["tool_search"]


def test_a_listing_counts_in_the_prompt_once() -> None:
    asked = platform(DONE, DONE)
    first = ask(asked)
    without = ask(platform(DONE), FREE | {"allowed_tools": []})
    assert first["usage"]["input_tokens"] > without["usage"]["input_tokens"] + 100
    second = ask(asked, previous_response_id=first["id"])
    assert second["usage"]["input_tokens"] < first["usage"]["input_tokens"] + 40


# --- Failures


@pytest.mark.parametrize(
    ("status", "tail"), [(401, "401 (Unauthorized)"), (400, "400 (Bad Request)")]
)
def test_a_listing_that_http_refuses_is_a_424(status: int, tail: str) -> None:
    with running(answering(status)) as address, pytest.raises(APIStatusError) as raised:
        connect(Scripted([DONE])).responses.create(
            model="gpt-5.4",
            input="hi",
            tools=[SHOP | {"server_url": f"{address}/mcp"}],  # type: ignore[list-item]
        )
    assert raised.value.status_code == 424
    assert raised.value.body == {
        "message": f"Error retrieving tool list from MCP server: 'shop'. Http status code: {tail}",
        "type": "external_connector_error",
        "param": "tools",
        "code": "http_error",
    }


def lying(listing: Any) -> Server[Any]:
    """A server that answers each wish for its tools with what `listing` makes of the cursor."""

    async def list_tools(context: Any, asked: types.PaginatedRequestParams | None) -> Any:
        return listing(asked and asked.cursor)

    async def call_tool(context: Any, asked: types.CallToolRequestParams) -> Any:
        sys.exit("as a script does")

    return Server("liar", on_list_tools=list_tools, on_call_tool=call_tool)


def tool(schema: Json) -> types.Tool:
    return types.Tool(name="order_status", input_schema={"type": "object"} | schema)


@pytest.mark.parametrize(
    "listing",
    [
        lambda cursor: types.ListToolsResult(tools=[tool({})], next_cursor="again"),
        lambda cursor: types.ListToolsResult(tools=[], next_cursor="again"),
        lambda cursor: types.ListToolsResult(tools=[tool({})] * (mcp_client.MOST_TOOLS + 1)),
    ],
)
def test_a_listing_without_end_is_refused(monkeypatch: pytest.MonkeyPatch, listing: Any) -> None:
    monkeypatch.setattr(mcp_client, "MOST_TOOLS", 20)
    asked = Platform(model=Scripted([DONE]), state=State(mcp_servers={URL: lying(listing)}))
    with pytest.raises(AssertionError, match="424"):
        ask(asked)
    assert "It lists more than 20 tools" in str(asked.exchanges[-1].hint)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"required": 5},
        {"properties": [1]},
        {"properties": {"a": {"enum": 5}}, "required": ["a"]},
        {"properties": {"a": {"type": "integer", "minimum": "x"}}, "required": ["a"]},
    ],
)
def test_a_tool_with_a_malformed_schema_is_called_all_the_same(schema: Json) -> None:
    listed = types.ListToolsResult(tools=[tool(schema)])
    asked = Platform(state=State(mcp_servers={URL: lying(lambda cursor: listed)}))
    response = ask(asked, tool_choice="required")
    assert (
        only(response, "mcp_list_tools")["tools"][0]["input_schema"] == {"type": "object"} | schema
    )
    assert made(response)["arguments"] == "{}"


def test_a_server_that_exits_does_not_take_the_platform_along() -> None:
    listed = types.ListToolsResult(tools=[tool({"properties": {}})])
    asked = Platform(
        model=Scripted([call("order_status", {}), DONE]),
        state=State(mcp_servers={URL: lying(lambda cursor: listed)}),
    )
    error = {"type": "http_error", "code": 424, "message": "SystemExit: as a script does"}
    assert made(ask(asked))["error"] == error


def test_a_server_in_the_loop_that_waits_for_it_is_told_to_take_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mcp_client, "TIMEOUT", 0.5)
    listening = listen(LOOPBACK, 0)
    url = f"http://{LOOPBACK}:{listening.getsockname()[1]}/mcp"

    async def notebook() -> str:
        app = shop().streamable_http_app()
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            tool: Any = SHOP | {"server_url": url}
            connect().responses.create(model="gpt-5.4", input="hi", tools=[tool])
        except APIStatusError as error:
            return error.response.headers["x-course-hint"]
        finally:
            server.should_exit = True
            await serving
        return ""

    assert "run it in a thread" in asyncio.run(notebook())


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("breaks", {"type": "mcp_protocol_error", "code": -32001, "message": "Not today."}),
        (
            "fails",
            {
                "type": "mcp_tool_execution_error",
                "content": [
                    {"type": "text", "text": "Error executing tool fails: The stock is locked."}
                ],
            },
        ),
        (
            "waits",
            {
                "type": "http_error",
                "code": 504,
                "message": "The server did not answer within 2 seconds.",
            },
        ),
    ],
)
def test_a_failing_tool_fails_its_call_and_not_the_response(
    name: str, error: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_client, "TIMEOUT", 2)
    model = Watched(call(name, {}), DONE)
    response = ask(Platform(model=model, state=State(mcp_servers={URL: shop()})))
    assert response["status"] == "completed"
    assert (made(response)["status"], made(response)["output"]) == ("failed", None)
    assert made(response)["error"] == error
    told = json.loads(model.prompts[1].items[-1]["output"])["error"]
    assert told == error.get("message", "Error executing tool fails: The stock is locked.")


def test_what_is_no_text_is_shown_as_json() -> None:
    output = made(ask(platform(call("label", {}), DONE)))["output"].split("\n")
    assert output[0] == "Parcel 7"
    assert json.loads(output[1]) == {"type": "image", "data": "aGk=", "mimeType": "image/png"}


def test_nobody_waits_for_another_ones_slow_tool() -> None:
    server, begun, gate = shop(), threading.Event(), threading.Event()

    @server.tool()
    def gated() -> str:
        """Wait until the test lets it go."""
        begun.set()
        gate.wait(20)
        return "through"

    script = Scripted([call("gated", {}), STATUS, DONE, DONE])
    asked = Platform(model=script, state=State(mcp_servers={URL: server}))
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(ask, asked)
        assert begun.wait(20)
        assert made(ask(asked))["output"] == "Order A-104 is late."
        assert not slow.done()
        gate.set()
        assert made(slow.result())["output"] == "through"


# --- Approvals


@pytest.mark.parametrize(
    ("wanted", "asks"),
    [
        (None, ["order_status", "cancel_order"]),
        ("always", ["order_status", "cancel_order"]),
        ("never", []),
        ({"never": {"tool_names": ["order_status"]}}, ["cancel_order"]),
        ({"never": {"read_only": True}}, ["cancel_order"]),
        ({"always": {"tool_names": ["cancel_order"]}}, ["cancel_order"]),
        ({"always": {"read_only": False}}, ["cancel_order"]),
        (
            {"always": {"tool_names": ["cancel_order"]}, "never": {"tool_names": ["order_status"]}},
            ["cancel_order"],
        ),
        (
            {"always": {"tool_names": ["cancel_order"]}, "never": {"tool_names": ["header"]}},
            ["order_status", "cancel_order"],
        ),
    ],
)
def test_which_calls_wait_for_the_user(wanted: Any, asks: list[str]) -> None:
    response = ask(platform([STATUS, CANCEL], DONE), SHOP | {"require_approval": wanted})
    requests = [i["name"] for i in response["output"] if i["type"] == "mcp_approval_request"]
    calls = [i["name"] for i in response["output"] if i["type"] == "mcp_call"]
    assert requests == asks
    assert calls == [name for name in ["order_status", "cancel_order"] if name not in asks]
    assert response["status"] == "completed"


@pytest.fixture
def pending() -> Iterator[tuple[Platform, Json, Json]]:
    """A platform, its response that asks for approval, and the request in it."""
    asked = platform(CANCEL, DONE, DONE)
    response = ask(asked, SHOP)
    assert kinds(response) == ["mcp_list_tools", "mcp_approval_request"]
    request = response["output"][-1]
    assert request == {
        "id": "mcpr_1",
        "type": "mcp_approval_request",
        "arguments": '{"order_id":"A-104"}',
        "name": "cancel_order",
        "server_label": "shop",
    }
    yield asked, response, request


def verdict(approve: bool, **fields: Any) -> Json:
    answered = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1"}
    return answered | {"approve": approve} | fields


def test_an_approved_call_is_made_before_the_model_is_asked(
    pending: tuple[Platform, Json, Json],
) -> None:
    asked, response, _ = pending
    after = ask(asked, SHOP, previous_response_id=response["id"], input=[verdict(True)])
    assert kinds(after) == ["mcp_call", "message"]
    assert made(after)["approval_request_id"] == "mcpr_1"
    assert made(after)["output"] == "Order A-104 is cancelled."
    later = ask(asked, SHOP, previous_response_id=after["id"], input="Thanks")
    assert kinds(later) == ["message"]  # it is made once


def test_an_approved_call_is_made_where_everything_is_sent_back(
    pending: tuple[Platform, Json, Json],
) -> None:
    asked, response, request = pending
    said = {"role": "user", "content": "Cancel it"}
    after = ask(asked, SHOP, input=[said, *response["output"], verdict(True)])
    assert kinds(after) == ["mcp_call", "message"]
    without_listing = ask(asked, SHOP, input=[said, request, verdict(True)])
    assert kinds(without_listing) == ["mcp_list_tools", "mcp_call", "message"]


def test_a_denied_call_is_not_made_and_the_model_reads_why() -> None:
    model = Watched(CANCEL, DONE)
    asked = Platform(model=model, state=State(mcp_servers={URL: shop()}))
    response = ask(asked, SHOP)
    denied = [verdict(False, reason="It has left already.")]
    after = ask(asked, SHOP, previous_response_id=response["id"], input=denied)
    assert kinds(after) == ["message"]
    call_read, result = model.prompts[1].items[-2:]
    assert (call_read["name"], call_read["call_id"]) == ("cancel_order", result["call_id"])
    assert json.loads(result["output"]) == {
        "error": "The user did not approve this call: It has left already."
    }


def test_the_model_reads_an_approved_call_with_its_result() -> None:
    model = Watched(CANCEL, DONE)
    asked = Platform(model=model, state=State(mcp_servers={URL: shop()}))
    response = ask(asked, SHOP)
    ask(asked, SHOP, previous_response_id=response["id"], input=[verdict(True)])
    result = model.prompts[1].items[-1]
    assert result["output"] == "Order A-104 is cancelled."
    assert any(item.get("call_id") == result["call_id"] for item in model.prompts[1].items[:-1])


def test_a_program_waits_for_the_approval_of_its_call() -> None:
    code = 'const a = await tools.order_status({order_id: "A-1"});'
    code += ' const b = await tools.cancel_order({order_id: "A-1"}); text(a + " " + b)'
    model = Watched(call("programmatic_tool_calling", {"code": code}), DONE)
    asked = Platform(model=model, state=State(mcp_servers={URL: shop()}))
    entry = SHOP | {
        "allowed_callers": ["programmatic"],
        "require_approval": {"never": {"read_only": True}},
    }
    tools = [{"type": "programmatic_tool_calling"}, entry]
    plain: Json = {"model": "gpt-5.6", "reasoning": {"effort": "none"}}
    first = ask(asked, *tools, **plain)
    expected = ["mcp_list_tools", "program", "mcp_call", "mcp_approval_request"]
    assert kinds(first) == expected
    answers = [verdict(True)]
    second = ask(asked, *tools, **plain, previous_response_id=first["id"], input=answers)
    assert kinds(second) == ["mcp_call", "program_output", "message"]
    assert only(second, "program_output")["result"] == (
        "Order A-1 is late. Order A-1 is cancelled."
    )
    read = [item for item in model.prompts[1].items if item.get("type") == "function_call_output"]
    assert [item["output"] for item in read] == [only(second, "program_output")["result"]]


# --- Secrets


def test_headers_and_authorization_reach_the_server_and_nothing_else() -> None:
    asked = platform(
        call("header", {"name": "x-key"}), call("header", {"name": "authorization"}), DONE
    )
    secret = FREE | {"headers": {"x-key": "hush-1"}, "authorization": "hush-2"}
    response = ask(asked, secret)
    said = [item["output"] for item in response["output"] if item["type"] == "mcp_call"]
    assert said == ["hush-1", "Bearer hush-2"]
    echoed = response["tools"][0]
    assert echoed["headers"] == {"x-key": "<redacted>"}
    assert echoed["authorization"] == "<redacted>"
    response["output"] = []  # the tool of this test gave them away, not the platform
    for item in asked.state.items.values():
        item.pop("output", None)
    assert "hush" not in repr(asked.state)
    assert "hush" not in repr(asked.exchanges)


def test_a_server_that_an_item_brings_in_is_sent_its_token_and_nothing_is_kept() -> None:
    asked = platform(call("header", {"name": "authorization"}), DONE)
    entry = FREE | {"authorization": "hush"}
    brings = {"type": "additional_tools", "role": "developer", "tools": [entry]}
    said = {"role": "user", "content": "Who am I?"}
    body = {"model": "gpt-5.4", "input": [brings, said]}
    response = answer(asked, body)
    assert made(response)["output"] == "Bearer hush"
    made(response)["output"] = asked.state.items[made(response)["id"]]["output"] = ""
    assert "hush" not in repr(asked.state.responses) + repr(asked.state.items)
    assert "hush" not in repr([exchange.body for exchange in asked.exchanges])


def test_a_connector_is_a_mounted_server_that_gets_the_token() -> None:
    asked = platform(call("header", {"name": "authorization"}), DONE, at="connector_gmail")
    gmail: Json = {"type": "mcp", "server_label": "mail", "connector_id": "connector_gmail"}
    response = ask(asked, gmail | {"authorization": "ya29", "require_approval": "never"})
    assert made(response)["output"] == "Bearer ya29"
    assert response["tools"][0] == {
        "type": "mcp",
        "allowed_tools": None,
        "authorization": "<redacted>",
        "connector_id": "connector_gmail",
        "headers": None,
        "require_approval": "never",
        "server_description": None,
        "server_label": "mail",
        "server_url": None,
    }


# --- tool_choice


def test_a_choice_narrows_to_a_server_or_a_tool_of_it() -> None:
    function = {"type": "function", "name": "other", "parameters": None}
    for choice, seen in (
        ({"type": "mcp", "server_label": "shop", "name": "cancel_order"}, ["cancel_order"]),
        ({"type": "mcp", "server_label": "shop"}, ["order_status", "cancel_order"]),
        (
            {
                "type": "allowed_tools",
                "mode": "required",
                "tools": [{"type": "mcp", "server_label": "shop"}],
            },
            ["order_status", "cancel_order"],
        ),
    ):
        model = Watched(CANCEL, DONE)
        asked = Platform(model=model, state=State(mcp_servers={URL: shop()}))
        two = FREE | {"allowed_tools": ["order_status", "cancel_order"]}
        response = ask(asked, function, two, tool_choice=choice)
        assert [tool["name"] for tool in model.prompts[0].tools] == seen
        assert model.prompts[0].tool_choice == "required"
        assert response["tool_choice"] == choice


# --- Streams


def test_a_stream_tells_of_each_item() -> None:
    body = {"model": "gpt-5.4", "input": "Where?", "tools": [FREE], "stream": True}
    reply = platform(call("fails", {}), STATUS, DONE).handle(
        Request("POST", "/v1/responses", json.dumps(body).encode(), WITH_KEY)
    )
    told = b"".join(reply.chunks).decode()
    events = [json.loads(line[6:]) for line in told.split("\n") if line.startswith("data: ")]
    types = [e["type"].removeprefix("response.") for e in events if "mcp" in json.dumps(e)]
    types = [each for each in types if not each.endswith((".delta", "completed")) or "mcp" in each]
    assert [each for each in types if not each.endswith(".delta")][2:] == [
        "output_item.added", "mcp_list_tools.in_progress", "mcp_list_tools.completed",
        "output_item.done",
        "output_item.added", "mcp_call.in_progress", "mcp_call_arguments.done", "mcp_call.failed",
        "output_item.done",
        "output_item.added", "mcp_call.in_progress", "mcp_call_arguments.done",
        "mcp_call.completed", "output_item.done",
    ]  # fmt: skip
    added = [e["item"] for e in events if e["type"] == "response.output_item.added"]
    assert added[0] == {
        "id": "mcpl_1", "type": "mcp_list_tools", "server_label": "shop", "tools": []
    }  # fmt: skip
    assert (added[1]["status"], added[1]["arguments"], added[1]["error"]) == (
        "in_progress", "", None,
    )  # fmt: skip


# --- Through the SDKs


def test_one_line_mounts_a_server() -> None:
    client = connect(Scripted([STATUS, DONE]), mcp={URL: shop()})
    response = client.responses.create(model="gpt-5.4", input="Where?", tools=[FREE])  # type: ignore[list-item]
    assert [item.type for item in response.output] == ["mcp_list_tools", "mcp_call", "message"]


def test_a_client_with_a_mounted_server_stays_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_LIVE", "1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-live")
    assert connect(mcp={URL: shop()}).api_key == "offline"


@pytest.mark.parametrize("mounted", [shop(), [shop()], {5: shop()}, URL, {URL: "shop"}])
def test_what_is_mounted_is_a_server_at_an_address(mounted: Any) -> None:
    with pytest.raises(CourseError, match="mcp takes a dictionary"):
        connect(mcp=mounted)


def test_the_agents_sdk_uses_a_hosted_server_and_answers_for_the_user() -> None:
    connect_agents(Scripted([CANCEL, DONE]), mcp={URL: shop()})
    asked: list[str] = []

    def approve(request: Any) -> Any:
        asked.append(request.data.name)
        return {"approve": True}

    tool = HostedMCPTool(tool_config=SHOP, on_approval_request=approve)  # type: ignore[arg-type]
    agent = Agent("desk", tools=[tool], model="gpt-5.4")
    result = asyncio.run(Runner.run(agent, "Cancel A-104"))
    assert (result.final_output, asked) == ("Done.", ["cancel_order"])
    calls = [item.raw_item for item in result.new_items if item.type == "tool_call_item"]
    assert any(getattr(each, "output", None) == "Order A-104 is cancelled." for each in calls)


@pytest.mark.parametrize("approve", [True, False])
def test_the_agents_sdk_stops_for_the_user(approve: bool) -> None:
    connect_agents(Scripted([CANCEL, DONE]), mcp={URL: shop()})
    agent = Agent("desk", tools=[HostedMCPTool(tool_config=SHOP)], model="gpt-5.4")  # type: ignore[arg-type]

    async def run() -> Any:
        stopped = await Runner.run(agent, "Cancel A-104")
        state = stopped.to_state()
        (state.approve if approve else state.reject)(stopped.interruptions[0])
        return await Runner.run(agent, state)

    result = asyncio.run(run())
    calls = [item for item in result.new_items if item.type == "tool_call_item"]
    assert (result.final_output, len(calls)) == ("Done.", approve)


def test_the_agents_sdk_runs_servers_on_its_own_side_too() -> None:
    alone = "from tests.mcp_servers import shop; shop().run()"

    async def run(server: Any) -> str:
        connect_agents(Scripted([STATUS, DONE]))
        async with server:
            agent = Agent("desk", mcp_servers=[server], model="gpt-5.4")
            result = await Runner.run(agent, "Where is A-104?")
        return str([i.output for i in result.new_items if i.type == "tool_call_output_item"])

    with running(shop().streamable_http_app()) as address:
        over_http = MCPServerStreamableHttp(params={"url": f"{address}/mcp"})
        assert "Order A-104 is late." in asyncio.run(run(over_http))
    command = {"command": sys.executable, "args": ["-c", alone], "cwd": str(ROOT)}
    over_stdio = MCPServerStdio(params=command, client_session_timeout_seconds=60)  # type: ignore[arg-type]
    assert "Order A-104 is late." in asyncio.run(run(over_stdio))


# --- What stands in for the real internet


@pytest.mark.parametrize("address", ["https://mcp.deepwiki.com/mcp", "connector_gmail"])
def test_the_offline_web_stands_in_for_a_real_server(address: str) -> None:
    found = call("search", {"query": "parcels late Utrecht"})
    read = call("fetch", {"id": "https://parcelway.example/news/utrecht-hub"})
    at = {"server_url": address} if ":" in address else {
        "connector_id": address, "authorization": "token"
    }  # fmt: skip
    entry = {"type": "mcp", "server_label": "wiki", "require_approval": "never"} | at
    response = ask(Platform(model=Scripted([found, read, DONE])), entry)
    assert names(response) == ["search", "fetch"]
    assert "stand in for" in response["output"][0]["tools"][0]["description"]
    _, searched, fetched, _ = response["output"]
    assert "utrecht" in searched["output"].lower()
    assert json.loads(fetched["output"])["title"]


def test_what_the_stand_in_does_not_have_is_an_error_of_the_tool() -> None:
    entry = FREE | {"server_url": "https://mcp.deepwiki.com/mcp"}
    nothing = call("fetch", {"id": "https://nowhere.example/"})
    response = ask(Platform(model=Scripted([nothing, DONE])), entry)
    assert "Take an id from search" in json.dumps(made(response)["error"])


@pytest.mark.parametrize(
    ("address", "real"),
    [
        ("https://mcp.deepwiki.com/mcp", True),
        ("https://mcp.deepwiki.com.:8443/mcp", True),
        ("http://mcp.deepwiki.com/mcp", False),
        ("https://shop.example/mcp", False),
        ("https://8.8.8.8/mcp", False),
        ("https://[::1]/mcp", False),
        ("https://intranet/mcp", False),
        ("https://[broken/mcp", False),
        ("", False),
    ],
)
def test_only_a_public_name_is_real(address: str, real: bool) -> None:
    assert is_real(address) is real
