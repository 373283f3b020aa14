"""MCP servers for the tests: one to mount, and the same over a socket of this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import mcp.types as types
import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from starlette.types import Receive, Scope, Send

from course_lib.platform.server import LOOPBACK, listen


def shop() -> MCPServer[Any]:
    """A small server: two tools that work, and one for each way not to."""
    server = MCPServer("shop", log_level="CRITICAL")

    @server.tool(annotations=types.ToolAnnotations(read_only_hint=True))
    def order_status(order_id: str) -> str:
        """Tell the status of an order: where it is and whether it is late."""
        return f"Order {order_id} is late."

    @server.tool()
    def cancel_order(order_id: str) -> str:
        """Cancel an order for good."""
        return f"Order {order_id} is cancelled."

    @server.tool()
    def header(name: str, context: Context) -> str:
        """Say what the request's HTTP header of this name was."""
        request: Any = context.request_context.request
        return str(request.headers.get(name))

    @server.tool()
    def fails() -> str:
        """Fail as a tool fails."""
        raise ToolError("The stock is locked.")

    @server.tool()
    def breaks() -> str:
        """Fail as the protocol fails."""
        raise MCPError(code=-32001, message="Not today.")

    @server.tool()
    def label() -> list[Any]:
        """Draw the label of a parcel."""
        return [
            types.TextContent(type="text", text="Parcel 7"),
            types.ImageContent(type="image", data="aGk=", mime_type="image/png"),
        ]

    @server.tool()
    async def waits() -> str:
        """Take far too long."""
        await anyio.sleep(60)
        return "at last"

    return server


@contextmanager
def running(app: Any) -> Iterator[str]:
    """Serve an ASGI application on a free port of this machine; yields its address."""
    listening = listen(LOOPBACK, 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"http://{LOOPBACK}:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def answering(status: int, location: str = "") -> Any:
    """An application that is no MCP server, and gives one answer to everything."""
    headers = [(b"location", location.encode())] if location else []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": b"no"})

    return app
