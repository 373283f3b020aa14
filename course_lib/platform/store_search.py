"""Searching vector stores: for the endpoint, and for the `file_search` tool (contract A5, E)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .errors import Json, refusal, wrong_type
from .filters import check as check_filter
from .filters import matches
from .http import Request
from .rules import Rule, array, shape, shape_fields, up_to
from .state import State
from .vector_stores import find_alive

USUAL_RESULTS = 10
LONGEST_QUERY = 4096  # characters
_texts = array(up_to(LONGEST_QUERY))
_options = shape("RankingOptions")


def check_ranking(value: Any, path: str) -> None:
    """`ranker` none goes by meaning alone, the others by meaning and words.

    `hybrid_search` weighs the two. The API documents it for the tool; here a search takes it too.
    """
    _options(value, path)
    if not any((value.get("hybrid_search") or {"": 1}).values()):
        raise refusal("weightless", f"{path}.hybrid_search")


def _query(value: Any, path: str) -> None:
    if not isinstance(value, (str, list)):
        raise wrong_type(path, "one of a string or array of strings", value)
    _texts([value] if isinstance(value, str) else value, path)
    if not value or not all(value):
        raise refusal("empty_query", path)


OWN: dict[str, Rule] = {"Query": _query, "Filter": check_filter, "Ranking": check_ranking}
OPTIONS = shape_fields("SearchOptions", **OWN)[1]  # of a search, and of the tool
_check = shape("Search", **OWN)


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that answers a query; the score is between 0 and 1."""

    file_id: str
    filename: str
    score: float
    text: str
    attributes: Json


def search_store(state: State, request: Request, store_id: str, body: Json) -> Json:
    _check(body, "")
    queries = [body["query"]] if isinstance(body["query"], str) else body["query"]
    if body.get("rewrite_query"):
        queries = [rewrite(query) for query in queries]
    options = {name: body[name] for name in OPTIONS if body.get(name) is not None}
    return {
        "object": "vector_store.search_results.page",
        "search_query": queries,
        "data": [
            {
                "file_id": hit.file_id,
                "filename": hit.filename,
                "score": hit.score,
                "attributes": hit.attributes,
                "content": [{"type": "text", "text": hit.text}],
            }
            for hit in search(state, [store_id], queries, **options)
        ],
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
) -> list[Hit]:
    """The chunks of some stores that answer the queries, best first; the arguments are checked.

    With several queries a chunk has the score of the one it answers best. Of equal scores the
    chunk that came first is first. Raises ApiError for a store that is not there or has expired.
    """
    from ..retrieval.embed import embed
    from ..retrieval.rank import MEANING

    options = ranking_options or {}
    meaning = 1 if options.get("ranker") == "none" else MEANING
    if weights := options.get("hybrid_search"):
        meaning = weights["embedding_weight"] / sum(weights.values())
    vectors = embed(queries)
    found: list[Hit] = []
    for store in [find_alive(state, store_id) for store_id in vector_store_ids]:
        store.body["last_active_at"] = state.now
        passing = {
            file_id: filters is None or matches(filters, attached.body["attributes"])
            for file_id, attached in store.files.items()
        }
        if store.index is None:
            continue
        rows = store.index.search(
            queries,
            vectors,
            meaning,
            [passing[chunk.file_id] for chunk in store.chunks],
            max_num_results,
        )
        for row, score in rows:
            attached = store.files[store.chunks[row].file_id]
            body = attached.body
            name, text = attached.file.body["filename"], store.chunks[row].text
            found.append(Hit(body["id"], name, score, text, body["attributes"]))
    found = [hit for hit in found if hit.score >= options.get("score_threshold", 0)]
    return sorted(found, key=lambda hit: -hit.score)[:max_num_results]


def rewrite(query: str) -> str:
    """A question as a search query: its words that say something, or all if none does."""
    from ..retrieval.rank import STOP_WORDS

    kept = [word for word in query.split() if word.strip("?!.,;:'\"").lower() not in STOP_WORDS]
    return " ".join(kept).rstrip("?!.") or query
