"""The MCP client of the platform, against real servers: mounted, Streamable HTTP, SSE."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from course_lib.platform.hosted import mcp_client
from course_lib.platform.hosted.mcp_client import (
    Endpoint,
    Failure,
    call_tool,
    is_loopback,
    list_tools,
)
from tests.mcp_servers import answering, running, shop

TOKEN = {"Authorization": "Bearer secret"}
NAMES = ["order_status", "cancel_order", "header", "fails", "breaks", "label", "waits"]


@pytest.fixture(scope="module", params=["mounted", "streamable", "stateless", "sse"])
def endpoint(request: pytest.FixtureRequest) -> Iterator[Endpoint]:
    server: Any = shop()
    if request.param == "mounted":
        yield Endpoint("https://shop.example/mcp", TOKEN, server)
        return
    path = "/sse" if request.param == "sse" else "/mcp"
    app = {
        "streamable": server.streamable_http_app,
        "stateless": lambda: server.streamable_http_app(stateless_http=True, json_response=True),
        "sse": server.sse_app,
    }[request.param]()
    with running(app) as address:
        yield Endpoint(address + path, TOKEN)


def failure(endpoint: Endpoint, name: str = "", arguments: str = "{}") -> Any:
    with pytest.raises(Failure) as raised:
        call_tool(endpoint, name, arguments) if name else list_tools(endpoint)
    return raised.value.error


def test_a_server_is_listed(endpoint: Endpoint) -> None:
    tools = list_tools(endpoint)
    assert [tool["name"] for tool in tools] == NAMES
    assert tools[0]["input_schema"]["required"] == ["order_id"]
    assert [tool["annotations"]["read_only"] for tool in tools[:2]] == [True, False]


def test_a_tool_is_called_and_headers_reach_it(endpoint: Endpoint) -> None:
    said = call_tool(endpoint, "order_status", '{"order_id": "A-104"}')
    assert said["content"] == [{"type": "text", "text": "Order A-104 is late."}]
    token = call_tool(endpoint, "header", '{"name": "authorization"}')
    assert token["content"][0]["text"] == "Bearer secret"


def test_a_tool_that_fails_says_why(endpoint: Endpoint) -> None:
    result = call_tool(endpoint, "fails", "{}")
    assert result["isError"] and "The stock is locked." in result["content"][0]["text"]


def test_an_error_of_the_protocol_is_a_failure(endpoint: Endpoint) -> None:
    error = {"type": "mcp_protocol_error", "code": -32001, "message": "Not today."}
    assert failure(endpoint, "breaks") == error


@pytest.mark.parametrize("arguments", ["nonsense", "[1]", "7"])
def test_arguments_that_are_no_object_are_refused(endpoint: Endpoint, arguments: str) -> None:
    error = failure(endpoint, "order_status", arguments)
    assert (error["type"], error["code"]) == ("mcp_protocol_error", -32602)


def test_a_server_that_does_not_answer_is_left(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    list_tools(endpoint)
    monkeypatch.setattr(mcp_client, "TIMEOUT", 0.2)
    late = {"type": "http_error", "code": 504}
    assert failure(endpoint, "waits") == late | {
        "message": "The server did not answer within 0.2 seconds."
    }
    monkeypatch.setattr(mcp_client, "TIMEOUT", 30.0)
    assert [tool["name"] for tool in list_tools(endpoint)] == NAMES


def test_a_mounted_tool_that_holds_up_the_loop_does_not_hold_up_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = shop()

    @server.tool()
    async def holds() -> str:
        """Forget that it is a coroutine."""
        time.sleep(2)
        return "at last"

    endpoint = Endpoint("https://shop.example/mcp", {}, server)
    list_tools(endpoint)
    monkeypatch.setattr(mcp_client, "TIMEOUT", 0.2)
    assert failure(endpoint, "holds")["code"] == 504
    (held,) = (thread for thread in threading.enumerate() if thread.name == "mcp")
    monkeypatch.setattr(mcp_client, "TIMEOUT", 30.0)
    assert len(list_tools(endpoint)) == len(NAMES) + 1
    assert held.is_alive()
    held.join(10)  # and when the tool gives way, its thread ends
    assert not held.is_alive()


@pytest.mark.parametrize("status", [301, 307, 400, 401, 404, 405, 500])
def test_what_http_refuses_is_an_http_error(status: int) -> None:
    with running(answering(status, "https://elsewhere.example/mcp")) as address:
        assert failure(Endpoint(f"{address}/mcp", {}))["code"] == status


def test_a_redirect_leads_nowhere_else() -> None:
    with running(shop().streamable_http_app()) as other:
        assert list_tools(Endpoint(f"{other}/mcp", {}))
        with running(answering(307, f"{other}/mcp")) as address:
            error = {"type": "http_error", "code": 307, "message": "Temporary Redirect"}
            assert failure(Endpoint(f"{address}/mcp", {})) == error


def test_a_server_that_is_not_there() -> None:
    error = failure(Endpoint("http://127.0.0.1:9/mcp", {}))
    assert (error["type"], error["code"]) == ("http_error", 424)
    assert error["message"].startswith("ConnectError")


def test_an_address_elsewhere_is_not_tried() -> None:
    error = failure(Endpoint("https://shop.example/mcp", {}))
    assert error["message"] == "This address is not one of this machine's own."


def test_a_proxy_is_no_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with running(answering(200)) as proxy, running(shop().streamable_http_app()) as address:
        monkeypatch.setenv("HTTP_PROXY", proxy)
        monkeypatch.setenv("ALL_PROXY", proxy)
        assert list_tools(Endpoint(f"{address}/mcp", {}))


def test_pages_of_a_listing_are_all_read() -> None:
    from mcp.server import Server
    from mcp.types import ListToolsResult, Tool

    async def pages(context: Any, params: Any) -> ListToolsResult:
        at = int(params.cursor or 0) if params else 0
        tool = Tool(name=f"tool_{at}", input_schema={"type": "object"})
        return ListToolsResult(tools=[tool], next_cursor=str(at + 1) if at < 2 else None)

    endpoint = Endpoint("https://pages.example/mcp", {}, Server("pages", on_list_tools=pages))
    assert [tool["name"] for tool in list_tools(endpoint)] == ["tool_0", "tool_1", "tool_2"]


@pytest.mark.parametrize(
    "url",
    ["http://localhost:8000/mcp", "http://127.0.0.1/sse", "https://127.3.2.1", "http://[::1]:1/"],
)
def test_this_machine(url: str) -> None:
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example/mcp",
        "http://127.0.0.1@shop.example/",
        "http://localhost.shop.example",
        "http://127.0.0.1.shop.example",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://0.0.0.0:8000/",
        "ftp://localhost/",
        "localhost:8000/mcp",
        "file:///etc/passwd",
        "http://[::1",
        "connector_gmail",
        "",
    ],
)
def test_not_this_machine(url: str) -> None:
    assert not is_loopback(url)
