"""Which calls of an MCP server the user must approve, and what becomes of the answer (contract D).

A request for approval ends the turn. The next request answers it by its id. An approved call is
made before the model is asked again; of a denied one the model reads that it was not made.
"""

from ..errors import Json, refusal
from ..http import written
from ..state import Reading, State
from .hosted_tool import as_call
from .tool import ItemKind


def matches(wanted: list[str] | Json | None, tool: Json) -> bool:
    """Whether a filter takes a tool in: by its name, by being read-only, or by both."""
    if wanted is None or isinstance(wanted, list):
        return wanted is None or tool["name"] in wanted
    read_only = bool((tool.get("annotations") or {}).get("read_only"))
    named = tool["name"] in wanted.get("tool_names", (tool["name"],))
    return named and wanted.get("read_only", read_only) == read_only


def needs_approval(wanted: str | Json, tool: Json) -> bool:
    """What no filter names needs it, unless `always` stands alone: then it lists those that do."""
    if isinstance(wanted, str):
        return wanted == "always"
    if "always" in wanted and matches(wanted["always"], tool):
        return True
    return "always" not in wanted if "never" not in wanted else not matches(wanted["never"], tool)


def of_type(item_type: str, items: list[Json]) -> list[Json]:
    return [item for item in items if item.get("type") == item_type]


def approved(items: list[Json]) -> list[Json]:
    """The requests whose calls are allowed and not yet made."""
    done = {item.get("approval_request_id") for item in of_type("mcp_call", items)}
    answers = of_type("mcp_approval_response", items)
    allowed = {each["approval_request_id"] for each in answers if each["approve"]} - done
    return [each for each in of_type("mcp_approval_request", items) if each["id"] in allowed]


def check_approvals(items: list[Json], entries: list[Json]) -> None:
    """Each request in a context has one answer, and each answer its request (reported)."""
    asked = [item["id"] for item in of_type("mcp_approval_request", items)]
    told = [each["approval_request_id"] for each in of_type("mcp_approval_response", items)]
    if unknown := [each for each in told if each not in asked]:
        raise refusal("approval_of_nothing", unknown=", ".join(unknown))
    if unanswered := [each for each in asked if each not in told]:
        raise refusal("approval_missing", unanswered=", ".join(unanswered))
    if twice := [each for each in asked if told.count(each) > 1]:
        raise refusal("approval_twice", twice=twice[0])
    there = {entry["server_label"] for entry in entries if entry["type"] == "mcp"}
    if absent := [each for each in approved(items) if each["server_label"] not in there]:
        raise refusal("approved_server_missing", server_label=absent[0]["server_label"])


def _read_request(item: Json, state: State) -> list[Json]:
    """A call. Its result is the call that was approved, or the denial."""
    return as_call(item["name"], item, Reading(item["arguments"], ""))[:1]


def _read_answer(item: Json, state: State) -> list[Json]:
    if item["approve"]:
        return []
    why = f": {item['reason']}" if item.get("reason") else "."
    output = written({"error": f"The user did not approve this call{why}"})
    call_id = item["approval_request_id"]
    return [{"type": "function_call_output", "call_id": call_id, "output": output}]


APPROVALS = (
    ItemKind("mcp_approval_request", fleeting=("status",), read=_read_request),
    ItemKind("mcp_approval_response", read=_read_answer),
)
