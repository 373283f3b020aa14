"""Where a response or a client left its traces: the wire logs of the offline platforms."""

from typing import Any

from ..live import recent_platforms
from ..platform.app import Exchange, Platform
from ..platform.tokens import content_text
from ..transport import OfflineTransport


def exchange_of(response: Any) -> tuple[Exchange, Platform] | None:
    """The exchange that made a response, and its platform; None when it came from elsewhere."""
    if not hasattr(response, "output_text"):
        return None
    wanted = _fingerprint(response.to_dict())
    for platform in recent_platforms:
        for exchange in reversed(platform.exchanges):
            if (
                exchange.reply.get("object") == "response"
                and _fingerprint(exchange.reply) == wanted
            ):
                return exchange, platform
    return None


def platform_of(client: Any) -> Platform | None:
    """The offline platform behind a client of `connect()`; None behind anything else."""
    transport = getattr(getattr(client, "_client", None), "_transport", None)
    if isinstance(transport, OfflineTransport):
        owner = getattr(transport.answer, "__self__", None)
        return owner if isinstance(owner, Platform) else None
    return None


def _fingerprint(reply: dict[str, Any]) -> list[Any]:
    """What tells one response from another of the same id on another client's platform."""
    tools = [(tool.get("name"), tool.get("description")) for tool in reply["tools"]]
    items = [
        (item.get("id"), item.get("arguments"), content_text(item.get("content")))
        for item in reply["output"]
    ]
    return [reply["id"], reply.get("usage"), tools, items]
