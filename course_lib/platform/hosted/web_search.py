"""`web_search`: looks for pages, opens one, or finds words in one, on the offline web (contract D).

The web it searches is small and invented, and comes with the course (`course_lib/web`). What the
model cites becomes `url_citation` annotations. Not here: the weather, finance and sports feeds
that the real tool has beside its index.
"""

from ... import web
from ..errors import Json
from ..rules import shape
from .tool import Call, Ran, hosted_tool, with_defaults

# search_context_size → how many pages are read, and how many passages of each.
SIZES = {"low": (2, 1), "medium": (4, 2), "high": (6, 4)}
PLACE = ("city", "country", "region", "timezone")


_shown = with_defaults({"search_context_size": "medium", "user_location": None})


def _echo(entry: Json) -> Json:
    """With the defaults in force, as recorded. The preview has no filters."""
    near = entry.get("user_location") or {"country": "US"}
    place = {"type": "approximate", **{name: near.get(name) for name in PLACE}}
    echoed = _shown(entry) | {"user_location": place}
    if entry["type"].startswith("web_search_preview"):
        return echoed
    return echoed | {"filters": entry.get("filters"), "return_token_budget": "default"}


def _run(call: Call) -> Ran:
    url, pattern = call.arguments.get("url"), call.arguments.get("pattern")
    if not url:
        return _search(call)
    action: Json = {"type": "open_page", "url": url}
    if pattern:
        action = {"type": "find_in_page", "url": url, "pattern": pattern}
    page = _open(str(url), _allowed(call.declared))
    if page is None:
        return Ran({"action": action}, {"url": url, "error": "The page could not be opened."})
    found = [line for line in page.text if not pattern or str(pattern).lower() in line.lower()]
    result = {"title": page.title, "url": page.url, "text": "\n".join(found)}
    return Ran({"action": action}, {"results": [result]}, sources=_cite([page]))


def _open(url: str, domains: list[str]) -> web.Page | None:
    """The page that a browser would show, if it may be read: a machine's own services may not."""
    page = web.find(url)
    if page is not None and page.moved_to:
        page = web.find(page.moved_to)
    return page if page and not page.hidden and web.is_within(page.url, domains) else None


def _search(call: Call) -> Ran:
    query = str(call.arguments.get("query") or "")
    place = call.declared["user_location"]
    near = " ".join(place[name] or "" for name in ("city", "region"))
    most, passages = SIZES[call.declared["search_context_size"]]
    pages = web.search(query, _allowed(call.declared), near)[:most]
    action: Json = {"type": "search", "query": query, "queries": [query]}
    if "web_search_call.action.sources" in call.desk.include:
        action["sources"] = [{"type": "url", "url": page.url} for page in pages]
    results = [
        {"title": page.title, "url": page.url, "text": page.excerpt(f"{query} {near}", passages)}
        for page in pages
    ]
    item: Json = {"action": action}
    if "web_search_call.results" in call.desk.include:
        item["results"] = results
    billed = {"web_search": {"num_requests": 1}}
    return Ran(item, {"results": results}, sources=_cite(pages), billed=billed)


def _allowed(declared: Json) -> list[str]:
    return (declared.get("filters") or {}).get("allowed_domains") or []


def _cite(pages: list[web.Page]) -> dict[str, Json]:
    return {
        page.url: {"type": "url_citation", "title": page.title, "url": page.url} for page in pages
    }


WEB_SEARCH = hosted_tool(
    "web_search",
    prefix="ws",
    entry=shape("WebSearch"),
    echo=_echo,
    run=_run,
    stages=("in_progress", "searching", "completed"),
    fleeting=("action",),
)
