"""Lists, a page at a time: `limit`, `order`, `after` and `before` mean the same everywhere."""

from .errors import GAP, ApiError, Json, quoted
from .http import Request


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
    page = items[:limit]
    return {
        "object": "list",
        "data": page,
        "first_id": page[0]["id"] if page else None,
        "last_id": page[-1]["id"] if page else None,
        "has_more": len(items) > limit,
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
    if not asked.isdecimal() or not 1 <= int(asked) <= largest:
        raise ApiError(
            f"Invalid 'limit': expected an integer from 1 to {largest}, but got '{asked}'.",
            param="limit",
            code=GAP,
        )
    return int(asked)
