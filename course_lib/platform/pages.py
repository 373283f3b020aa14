"""What endpoints of every kind reply: an object as it is, that one was deleted, a page of a list.

`limit`, `order`, `after` and `before` mean the same everywhere.
"""

import re
from typing import Any

from .errors import Json, refusal, wrong_value
from .http import Request
from .rules import shape
from .state import State

_check_metadata = shape("MetadataUpdate")


def show(state: State, request: Request, *found: Any) -> Json:
    """The object that the address names."""
    body: Json = found[-1].body
    return body


def update_metadata(state: State, request: Request, kept: Any, body: Json) -> Json:
    """Replace the metadata: nothing else of such an object can be changed."""
    _check_metadata(body, "")
    kept.body["metadata"] = body["metadata"] or {}
    return show(state, request, kept)


def deleted(object_id: str, what: str) -> Json:
    return {"id": object_id, "object": what, "deleted": True}


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
        raise wrong_value(name, asked, supported)
    return asked


def _limit(request: Request, default: int, largest: int) -> int:
    asked = request.query.get("limit", str(default))
    if not re.fullmatch("[0-9]{1,9}", asked) or not 1 <= int(asked) <= largest:
        raise refusal("wrong_limit", largest=largest, asked=asked)
    return int(asked)


def listed(items: list[Json], state: State) -> list[Json]:
    """Input items as they are listed afterwards: each with an id, messages with their parts."""
    return [_listed(item, state) for item in items]


def _listed(item: Json, state: State) -> Json:
    if item.get("type", "message") != "message":
        prefix = "fco" if item["type"] == "function_call_output" else "item"
        if item["type"].startswith(("function_call", "custom_tool_call")):
            item = {"status": "completed"} | item
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
