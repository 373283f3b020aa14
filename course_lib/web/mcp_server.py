"""The offline web as an MCP server, which stands in for the servers of the real internet.

A hosted `mcp` tool may name any of them, as in the vendor's own examples. None can be reached, so
this one answers in their place, and its descriptions say so. It has the two tools that the vendor
expects of a server of documents, `search` and `fetch`. Addresses that cannot be real, such as
those under `.example`, are left to whoever mounts a server there.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from . import find, pages
from . import search as search_pages

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

NOT_REAL = ("example", "internal", "invalid", "local", "localhost", "onion", "test")  # RFC 6761


def is_real(address: str) -> bool:
    """Whether an address may be one of the public internet: `https`, and a name that can exist."""
    named = re.match(r"https://(?:[a-z0-9-]+\.)+([a-z][a-z0-9-]*)\.?(?=[:/]|$)", address.lower())
    return named is not None and named[1] not in NOT_REAL


@cache
def stand_in() -> "MCPServer[Any]":
    """The server, made once it is needed: its package takes a while to import."""
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations

    server: MCPServer[Any] = MCPServer("offline-web", log_level="CRITICAL")
    reads = ToolAnnotations(read_only_hint=True)

    @server.tool(annotations=reads)
    def search(query: str) -> dict[str, Any]:
        """Search documents. Offline, the course's invented pages stand in for this server's own."""
        found = search_pages(query, [])
        return {"results": [{"id": p.url, "title": p.title, "url": p.url} for p in found]}

    @server.tool(annotations=reads)
    def fetch(id: str) -> dict[str, Any]:
        """Read a document whole, by the id that search gave it."""
        page = find(id)
        if page is None or page.hidden or page.moved_to:
            some = next(url for url, each in pages().items() if each.text and not each.hidden)
            raise ToolError(f"There is no document '{id}'. Take an id from search, such as {some}.")
        text = "\n\n".join(page.text)
        return {"id": page.url, "title": page.title, "text": text, "url": page.url}

    return server
