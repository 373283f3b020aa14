"""Searching vector stores: for the endpoint, and for the `file_search` tool (contract A5, E).

Filters say which files are looked at. A comparison holds an attribute against a value; a compound
joins filters with `and` or `or`, to any depth. Texts compare with texts, numbers with numbers: of
two kinds none is greater, and they are never equal (`1` is not `true`). A file without the
attribute equals nothing, so it passes `ne` and `nin` only.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

from .errors import Json, refusal
from .http import Request
from .rules import OWN, array, shape_fields, up_to
from .state import State
from .vector_stores import Attached, find

USUAL_RESULTS = 10
ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le,
}  # fmt: skip


def _query(value: str | list[str], path: str) -> None:
    array(up_to(4096))([value] if isinstance(value, str) else value, path)
    if not value or not all(value):
        raise refusal("empty_query", path)


def _ranking(value: Json, path: str) -> None:
    """`ranker` none goes by meaning alone, the others by meaning and words.

    `hybrid_search` weighs the two. The API documents it for the tool; here a search takes it too.
    """
    if not any((value.get("hybrid_search") or {"": 1}).values()):
        raise refusal("weightless", f"{path}.hybrid_search")


OWN.update(Query=_query, RankingOptions=_ranking)
OPTIONS = shape_fields("SearchOptions")[1]  # of a search, and of the tool


def search_store(state: State, request: Request, store_id: str, body: Json) -> Json:
    queries = [body["query"]] if isinstance(body["query"], str) else body["query"]
    if body.get("rewrite_query"):
        queries = [rewrite(query) for query in queries]
    options = {name: body[name] for name in OPTIONS if body.get(name) is not None}
    hits = search(state, [store_id], queries, **options)
    return {
        "object": "vector_store.search_results.page",
        "search_query": queries,
        "data": [{"content": [{"type": "text", "text": hit.pop("text")}]} | hit for hit in hits],
        "has_more": False,
        "next_page": None,
    }


def search(
    state: State,
    vector_store_ids: Sequence[str],
    queries: Sequence[str],
    filters: Json | None = None,
    max_num_results: int = USUAL_RESULTS,
    ranking_options: Json | None = None,
) -> list[Json]:
    """The chunks of some stores that answer the queries, best first; the arguments are checked.

    Each is `{file_id, filename, score, attributes, text}`, its score between 0 and 1: that for the
    query it answers best. Of equal scores the chunk that came first is first. Raises ApiError for a
    store that is not there or has expired.
    """
    from ..retrieval.rank import MEANING

    options = ranking_options or {}
    meaning = 1 if options.get("ranker") == "none" else MEANING
    if weights := options.get("hybrid_search"):
        meaning = weights["embedding_weight"] / sum(weights.values())
    hits: list[Json] = []
    for store in [find(state, store_id) for store_id in vector_store_ids]:
        store.use()
        files = [each.body for each in store.files.values()]
        passing = {
            file["id"]
            for file in files
            if file["status"] == "completed" and matches(filters, file["attributes"])
        }
        if passing and store.index:
            found = store.index.search(queries, max_num_results, meaning, passing)
            hits += [_hit(store.files[chunk.source], score, chunk.text) for score, chunk in found]
    hits = [hit for hit in hits if hit["score"] >= options.get("score_threshold", 0)]
    return sorted(hits, key=lambda hit: -hit["score"])[:max_num_results]


def _hit(attached: Attached, score: float, text: str) -> Json:
    return {
        "file_id": attached.made["id"],
        "filename": attached.filename,
        "score": score,
        "attributes": attached.made["attributes"],
        "text": text,
    }


def matches(wanted: Json | None, attributes: Json) -> bool:
    """Whether a file with these attributes passes the filter."""
    match wanted:
        case None:
            return True
        case {"type": "and", "filters": filters}:
            return all(matches(each, attributes) for each in filters)
        case {"type": "or", "filters": filters}:
            return any(matches(each, attributes) for each in filters)
    kind, own, value = wanted["type"], attributes.get(wanted["key"]), wanted["value"]
    if kind in ORDER:
        return _sort(own) == _sort(value) and ORDER[kind](own, value)
    values = value if isinstance(value, list) else [value]
    equal = any(_sort(own) == _sort(each) and own == each for each in values)
    return equal == (kind in ("eq", "in"))


def _sort(value: Any) -> str:
    """What a value can be compared with: numbers with numbers, whole or not."""
    return "number" if type(value) in (int, float) else type(value).__name__


def rewrite(query: str) -> str:
    """A question as a search query: its words that say something, or all if none does."""
    from ..retrieval.rank import STOP_WORDS

    kept = [word for word in query.split() if word.strip("?!.,;:'\"").lower() not in STOP_WORDS]
    return " ".join(kept).rstrip("?!.") or query
