"""A real MCP client, for the hosted tool: to servers on this machine, and to mounted ones.

A mounted server is an object of the `mcp` package (`MCPServer`, or the low-level `Server`) that
answers under an address of the learner's choice. It is asked over Streamable HTTP all the same,
headers and tokens included; only the socket is left out. A server on loopback is asked over
Streamable HTTP, or over SSE if that is what it speaks. Nothing else is reached: a redirect is
followed only where the client of `mcp` does, on the same host and port.

The platform is synchronous and the client is not, so each session, which lasts for one listing or
one call, has a thread with an event loop of its own. One that is stuck holds up no other.
"""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from http import client as http_client
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, TypeVar

import httpx2

from ..errors import Json

if TYPE_CHECKING:
    from mcp.client.client import Client
    from mcp.types import Tool as MCPTool

TIMEOUT = 30.0  # seconds a server may take for a listing or a call
MOST_TOOLS = 1_000  # that a server may list, and pages of them, which may have no end
WITHOUT_STREAMABLE_HTTP = (400, 404, 405)  # what an SSE server answers, as MCP tells the two apart
INVALID_PARAMS = -32602

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server is, and what is sent along: never stored, never shown."""

    url: str
    headers: dict[str, str] = field(repr=False)
    mounted: Any = None  # the server object that answers under `url`; without one, a socket


class Failure(Exception):
    """A server gave no result. `error` is what an `mcp_call` item shows of it (contract D)."""

    def __init__(self, kind: str, code: int, message: str) -> None:
        super().__init__(message)
        self.error: Json = {"type": kind, "code": code, "message": message}


def is_loopback(url: str) -> bool:
    """Whether an address is one of this machine's own, read as the client will read it."""
    try:
        parsed = httpx2.URL(url)
        local = parsed.host == "localhost" or ip_address(parsed.host).is_loopback
    except (httpx2.InvalidURL, ValueError):
        return False
    return local and parsed.scheme in ("http", "https")


def list_tools(endpoint: Endpoint) -> list[Json]:
    """All tools of a server, as an `mcp_list_tools` item shows them (contract D)."""

    async def ask(client: "Client") -> list[Json]:
        found, cursor = [], None
        for _ in range(MOST_TOOLS):
            page = await client.list_tools(cursor=cursor)
            found += page.tools
            cursor = page.next_cursor
            if cursor is None and len(found) <= MOST_TOOLS:
                return [_listed(tool) for tool in found]
        raise ValueError(f"It lists more than {MOST_TOOLS:,} tools, or pages of them.")

    return _wait(endpoint, ask)


def _listed(tool: "MCPTool") -> Json:
    return {
        "annotations": {"read_only": bool(tool.annotations and tool.annotations.read_only_hint)},
        "description": tool.description,
        "input_schema": tool.input_schema,
        "name": tool.name,
    }


def call_tool(endpoint: Endpoint, name: str, arguments: str) -> Json:
    """The result of a call, as MCP writes it: `{"content": [...], "isError", …}`.

    `arguments` is the JSON that a model wrote, or a client sent back.
    """

    async def ask(client: "Client") -> Json:
        result = await client.call_tool(name, json.loads(arguments or "{}"))
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)

    return _wait(endpoint, ask)


Ask = Callable[["Client"], Awaitable[Answer]]


async def _ask(endpoint: Endpoint, ask: Ask[Answer]) -> Answer:
    """Ask over Streamable HTTP, else over SSE. Failure when the server has no answer."""
    try:
        return await _session(endpoint, ask, sse=False)
    except Failure as failure:
        if endpoint.mounted is not None or failure.error["code"] not in WITHOUT_STREAMABLE_HTTP:
            raise
        try:
            return await _session(endpoint, ask, sse=True)
        except Failure as second:  # one that HTTP refuses again is no SSE server
            raise (failure if second.error["type"] == "http_error" else second) from None


async def _session(endpoint: Endpoint, ask: Ask[Answer], sse: bool) -> Answer:
    from mcp.client.client import Client
    from mcp.client.sse import sse_client
    from mcp.client.streamable_http import streamable_http_client

    refused: list[int] = []  # the HTTP status of the last answer, where that is all it says

    async def note(response: httpx2.Response) -> None:
        if response.request.method == "POST" or sse:
            refused.clear()
            if response.status_code >= 300 and b'"jsonrpc"' not in await response.aread():
                refused.append(response.status_code)

    try:
        async with AsyncExitStack() as stack:
            http = httpx2.AsyncClient(
                transport=await _in_process(endpoint, stack),
                headers=endpoint.headers,
                timeout=None,  # who waits for the answer has a limit of its own
                verify=endpoint.url.startswith("https:"),  # certificates take a while to load
                trust_env=False,  # a proxy would be a way out of this machine
                event_hooks={"response": [note]},
            )
            if sse:
                wire = sse_client(endpoint.url, httpx_client_factory=lambda *_, **__: http)
            else:
                await stack.enter_async_context(http)
                wire = streamable_http_client(endpoint.url, http_client=http)
            return await ask(await stack.enter_async_context(Client(wire)))
    except Exception as error:
        raise _failure(error, refused) from None


async def _in_process(endpoint: Endpoint, stack: AsyncExitStack) -> httpx2.ASGITransport | None:
    """The way to a mounted server, whose lifespan begins and ends with the session."""
    if endpoint.mounted is None:
        return None
    from mcp.server.transport_security import TransportSecuritySettings

    app = endpoint.mounted.streamable_http_app(
        streamable_http_path=httpx2.URL(endpoint.url).path,
        stateless_http=True,
        json_response=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    await stack.enter_async_context(app.router.lifespan_context(app))
    return httpx2.ASGITransport(app, raise_app_exceptions=False)


def _failure(error: BaseException, refused: list[int]) -> Failure:
    from mcp.shared.exceptions import MCPError

    while isinstance(error, BaseExceptionGroup):  # as task groups raise them
        error = error.exceptions[0]
    if refused:
        return Failure("http_error", refused[0], http_client.responses.get(refused[0], ""))
    if isinstance(error, MCPError):
        return Failure("mcp_protocol_error", error.code, error.message)
    if isinstance(error, ValueError):  # not JSON, or not what MCP wants in this place
        return Failure("mcp_protocol_error", INVALID_PARAMS, str(error))
    return Failure("http_error", 424, f"{type(error).__name__}: {error}")


def _wait(endpoint: Endpoint, ask: Ask[Answer]) -> Answer:
    """Ask in a thread; Failure when that takes too long."""
    if endpoint.mounted is None and not is_loopback(endpoint.url):
        raise Failure("http_error", 424, "This address is not one of this machine's own.")
    answer: Future[Answer] = Future()

    def session() -> None:
        try:
            answer.set_result(asyncio.run(asyncio.wait_for(_ask(endpoint, ask), TIMEOUT)))
        except (Failure, TimeoutError) as error:
            answer.set_exception(error)
        except BaseException as error:  # a mounted server may call sys.exit()
            answer.set_exception(_failure(error, []))

    threading.Thread(target=session, name="mcp", daemon=True).start()
    try:
        return answer.result(TIMEOUT)
    except TimeoutError:
        late = f"The server did not answer within {TIMEOUT:g} seconds."
        raise Failure("http_error", 504, late) from None
