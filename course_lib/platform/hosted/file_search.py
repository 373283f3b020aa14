"""`file_search`: looks through vector stores for passages before the model answers (contract D).

The passages are those of `store_search.search`, by meaning and by words. The model reads all of
them; the client sees them on request. What is cited becomes a `file_citation`.
"""

from ..errors import Json, refusal
from ..rules import shape
from ..state import State
from ..store_search import OPTIONS, OWN, search
from .hosted_tool import Ran, hosted_tool
from .tool import Call

USUAL_RESULTS = 20  # the tool's own; a search through the endpoint has ten


def _check(entry: Json, state: State) -> None:
    for store_id in entry["vector_store_ids"]:
        if store_id not in state.vector_stores:
            raise refusal("no_such_store_to_search", store_id=store_id)


def _echo(entry: Json) -> Json:
    """With the defaults in force, as recorded."""
    return {
        "type": "file_search",
        "filters": entry.get("filters"),
        "max_num_results": entry.get("max_num_results") or USUAL_RESULTS,
        "ranking_options": {"ranker": "auto", "score_threshold": 0}
        | (entry.get("ranking_options") or {}),
        "vector_store_ids": entry["vector_store_ids"],
    }


def _run(call: Call) -> Ran:
    queries, declared = list(call.arguments["queries"]), call.declared
    options = {name: declared[name] for name in OPTIONS if declared[name] is not None}
    results = search(call.state, declared["vector_store_ids"], queries, **options)
    shown = "file_search_call.results" in call.include
    cited = ("file_id", "filename")
    sources = {
        each["file_id"]: {"type": "file_citation"} | {name: each[name] for name in cited}
        for each in results
    }
    item = {"queries": queries, "results": results if shown else None}
    return Ran(item, {"results": results}, sources=sources)


FILE_SEARCH = hosted_tool(
    name="file_search",
    item="file_search_call",
    prefix="fs",
    about="Search the user's files for passages that answer a question.",
    parameters={
        "type": "object",
        "properties": {
            "queries": {
                "type": "array",
                "items": {"type": "string"},
                "description": "What to search for, in one or more wordings.",
            }
        },
        "required": ["queries"],
    },
    entry=shape("FileSearch", **OWN),
    echo=_echo,
    check=_check,
    run=_run,
    stages=("in_progress", "searching", "completed"),
    begun={"queries": [], "results": None},
)
