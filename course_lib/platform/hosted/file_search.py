"""`file_search`: looks through vector stores for passages before the model answers (contract D).

The passages are those of `store_search.search`, by meaning and by words. The model reads all of
them; the client sees them on request. What is cited becomes a `file_citation`.
"""

from ..errors import Json, refusal
from ..rules import shape
from ..state import State
from ..store_search import OPTIONS, search
from .tool import Call, Ran, hosted_tool, with_defaults

USUAL_RESULTS = 20  # the tool's own; a search through the endpoint has ten


def _check(entry: Json, state: State) -> None:
    for store_id in entry["vector_store_ids"]:
        if store_id not in state.vector_stores:
            raise refusal("no_such_store_to_search", store_id=store_id)


_shown = with_defaults(
    {"filters": None, "max_num_results": USUAL_RESULTS, "ranking_options": None},
    "vector_store_ids",
)


def _echo(entry: Json) -> Json:
    """With the defaults in force, as recorded."""
    ranking = {"ranker": "auto", "score_threshold": 0} | (entry.get("ranking_options") or {})
    return _shown(entry) | {"ranking_options": ranking}


def _run(call: Call) -> Ran:
    queries, declared = list(call.arguments["queries"]), call.declared
    options = {name: declared[name] for name in OPTIONS if declared[name] is not None}
    results = search(call.state, declared["vector_store_ids"], queries, **options)
    shown = "file_search_call.results" in call.desk.include
    cited = ("file_id", "filename")
    sources = {
        each["file_id"]: {"type": "file_citation"} | {name: each[name] for name in cited}
        for each in results
    }
    item = {"queries": queries, "results": results if shown else None}
    return Ran(item, {"results": results}, sources=sources)


FILE_SEARCH = hosted_tool(
    "file_search",
    prefix="fs",
    entry=shape("FileSearch"),
    echo=_echo,
    check=_check,
    run=_run,
    stages=("in_progress", "searching", "completed"),
    begun={"queries": [], "results": None},
)
