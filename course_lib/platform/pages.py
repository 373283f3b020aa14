"""What endpoints of every kind do: show an object, delete one, list a page of them.

`limit`, `order`, `after` and `before` mean the same everywhere.
"""

import re
from typing import Any

from .errors import Json, refusal, wrong_value
from .http import Request
from .state import ID_PREFIXES, State


def show(state: State, request: Request, *found: Any) -> Json:
    """The object that the address names."""
    return _body(found[-1])


def _body(kept: Any) -> Json:
    body: Json = kept if isinstance(kept, dict) else kept.body
    return body


def list_all(state: State, request: Request, *found: Any) -> Json:
    """What the last word of the address names: all of a kind, or all that an object has of it."""
    kept = getattr([state, *found][-1], request.path.rpartition("/")[2])
    return list_page(list(map(_body, kept.values() if isinstance(kept, dict) else kept)), request)


def update_metadata(state: State, request: Request, kept: Any, body: Json) -> Json:
    """Replace the metadata: nothing else of such an object can be changed."""
    kept.body["metadata"] = body["metadata"] or {}
    return _body(kept)


def delete(state: State, request: Request, kept: Any) -> Json:
    """Forget what the address names. What it was made of stays, as do the files of a store."""
    for of_a_kind in (
        state.conversations, state.completions, state.vector_stores, state.containers, state.skills,
    ):  # fmt: skip
        of_a_kind.pop(kept.body["id"], None)
    return deleted(kept.body["id"], f"{kept.body['object']}.deleted")


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
    asked = request.query.get("limit", str(default))
    if not re.fullmatch("[0-9]{1,9}", asked) or not 1 <= int(asked) <= largest:
        raise refusal("wrong_limit", largest=largest, asked=asked)
    limit, places = int(asked), {item["id"]: place for place, item in enumerate(items)}
    if after := request.query.get("after"):
        items = items[places.get(after, len(items)) + 1 :]
    elif before := request.query.get("before"):
        end = places.get(before, 0)
        items = items[max(0, end - limit) : end]
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


def listed(items: list[Json], state: State) -> list[Json]:
    """Input items as they are listed afterwards: each with an id, messages with their parts."""
    return [_listed(item, state) for item in items]


def _listed(item: Json, state: State) -> Json:
    kind, content = item.get("type", "message"), item.get("content")
    prefix = (ID_PREFIXES | {"function_call_output": "fco"}).get(kind, "item")
    own = item if item.get("id") else item | {"id": state.new_id(prefix)}
    if kind.startswith(("function_call", "custom_tool_call")):
        return {"status": "completed"} | own
    if kind != "message":
        return own
    if isinstance(content, str):
        part = "output_text" if item["role"] == "assistant" else "input_text"
        content = [{"type": part, "text": content}]
    return {"type": kind, "status": "completed"} | own | {"content": content}
