"""Lists: items as they are listed, a page at a time.

`limit`, `order`, `after` and `before` mean the same everywhere.
"""

import re

from .errors import GAP, ApiError, Json, quoted
from .http import Request
from .state import State


def list_page(
    items: list[Json],
    request: Request,
    *,
    order: str = "desc",
    default: int = 20,
    largest: int = 100,
) -> Json:
    """One page of `items`, which come oldest first: in `order` unless the request names another.

    `after` and `before` name the item the page lies next to; the page is empty when it is gone.
    """
    if choice(request, "order", ("asc", "desc"), order) == "desc":
        items = items[::-1]
    limit = _limit(request, default, largest)
    ids = [item["id"] for item in items]
    after, before = request.query.get("after"), request.query.get("before")
    if after is not None:
        items = items[ids.index(after) + 1 :] if after in ids else []
    elif before is not None:
        items = (
            items[max(0, ids.index(before) - limit) : ids.index(before)] if before in ids else []
        )
    return as_list(items[:limit], has_more=len(items) > limit)


def as_list(entries: list[Json], *, has_more: bool = False) -> Json:
    """The list object around `entries`."""
    return {
        "object": "list",
        "data": entries,
        "first_id": entries[0]["id"] if entries else None,
        "last_id": entries[-1]["id"] if entries else None,
        "has_more": has_more,
    }


def choice(
    request: Request, name: str, supported: tuple[str, ...], default: str | None = None
) -> str | None:
    """A query parameter that is one of a few words."""
    asked = request.query.get(name, default)
    if asked is not None and asked not in supported:
        raise ApiError(
            f"Invalid value: '{asked}'. Supported values are: {quoted(supported)}.",
            param=name,
            code="invalid_value",
        )
    return asked


def _limit(request: Request, default: int, largest: int) -> int:
    asked = request.query.get("limit", str(default))
    if not re.fullmatch("[0-9]{1,9}", asked) or not 1 <= int(asked) <= largest:
        raise ApiError(
            f"Invalid 'limit': expected an integer from 1 to {largest}, but got '{asked}'.",
            param="limit",
            code=GAP,
        )
    return int(asked)


def listed(items: list[Json], state: State) -> list[Json]:
    """Input items as they are listed afterwards: each with an id, messages with their parts."""
    return [_listed(item, state) for item in items]


def _listed(item: Json, state: State) -> Json:
    if item.get("type", "message") != "message":
        prefix = "fco" if item["type"] == "function_call_output" else "item"
        return item if item.get("id") else item | {"id": state.new_id(prefix)}
    content = item["content"]
    if isinstance(content, str):
        kind = "output_text" if item["role"] == "assistant" else "input_text"
        content = [{"type": kind, "text": content}]
    return {
        "type": "message",
        "id": item.get("id") or state.new_id("msg"),
        "status": "completed",
        "role": item["role"],
        "content": content,
    }
