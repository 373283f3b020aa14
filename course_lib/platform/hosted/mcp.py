"""`mcp`: the tools of an MCP server, listed and called by the platform (contract D).

An entry of `tools` is a server, and offers the model each tool of it that `allowed_tools` lets
through. They are listed before the model is asked, unless the context still holds an earlier
`mcp_list_tools` item. A call that the user must approve ends the turn; the next request answers
its `mcp_approval_request` by the id. An approved call is made before the model is asked again; of a
denied one the model reads that it was not made.

`headers` and `authorization` reach the server and nothing else: the reply shows them redacted, and
they are to be sent again with every request.
"""

from collections.abc import Iterator
from functools import partial
from http import client as http_client
from typing import TYPE_CHECKING, Any

from ...web.mcp_server import is_real, stand_in
from ..errors import Json, refusal
from ..http import written
from ..rules import OWN, shape
from ..state import State
from ..strict_schema import is_schema
from .mcp_client import Endpoint, Failure, call_tool, is_loopback, list_tools
from .tool import (
    Call,
    ItemKind,
    Offer,
    Outcome,
    Told,
    Tool,
    as_call,
    as_output,
    caller_id,
    with_defaults,
)

if TYPE_CHECKING:
    from .desk import Desk

ADDRESSES = ("server_url", "connector_id", "tunnel_id")
SECRETS = ("authorization", "headers")
REDACTED = "<redacted>"


# --- The entry ------------------------------------------------------------------------------------


def _require_approval(value: Any, path: str) -> None:
    shape("Approvals" if isinstance(value, dict) else "AlwaysOrNever")(value, path)


def _addresses(value: Json, path: str) -> None:
    given = [name for name in ADDRESSES if value.get(name)]
    if not given:
        raise refusal("mcp_without_address", path)
    if len(given) > 1:
        raise refusal("mcp_of_two_addresses", path, given=given[0], given2=given[1])
    if given == ["connector_id"] and not value.get("authorization"):
        raise refusal("mcp_without_authorization", path)


OWN.update(RequireApproval=_require_approval, McpServer=_addresses)


def _check(entry: Json, state: State) -> None:
    """Refuse a server that cannot be reached from here."""
    address, mounted = _address(entry), ", ".join(state.mcp_servers)
    stood_in_for = "connector_id" in entry or is_real(address)
    if address not in state.mcp_servers and not stood_in_for and not is_loopback(address):
        raise refusal("mcp_out_of_reach", address=address, mcp_servers=mounted or "none")


def _address(entry: Json) -> str:
    return str(next(entry[name] for name in ADDRESSES if entry.get(name)))


_NAMED = ("allowed_tools", "server_description", "server_label", "server_url", "headers")
_IF_SENT = ("allowed_callers", "connector_id", "defer_loading", "tunnel_id")
_shown = with_defaults({"require_approval": "always", **dict.fromkeys(_NAMED)}, *_IF_SENT)


def _echo(entry: Json) -> Json:
    """An entry as the reply shows it: with all but the addresses it has not, and no secrets."""
    shown = _shown(entry)
    shown["headers"] = dict.fromkeys(shown["headers"] or (), REDACTED) or None
    return shown | ({"authorization": REDACTED} if entry.get("authorization") else {})


def without_secrets(sent: Any) -> Any:
    """A request, or an item that brings tools in, as it may be kept for all to read."""
    if not isinstance(sent, dict):
        return sent
    if sent.get("type") == "mcp":
        return sent | {name: REDACTED for name in SECRETS if name in sent}
    lists = [name for name in ("input", "tools") if isinstance(sent.get(name), list)]
    return sent | {name: [*map(without_secrets, sent[name])] for name in lists} if lists else sent


def _endpoint(entry: Json, desk: "Desk") -> Endpoint:
    """The server of an entry, with the secrets that the request sent for it."""
    address, label = _address(entry), entry["server_label"]
    sent: Json = next((each for each in desk.sent if each.get("server_label") == label), {})
    headers = {name: str(value) for name, value in (sent.get("headers") or {}).items()}
    if sent.get("authorization"):
        headers["Authorization"] = f"Bearer {sent['authorization']}"
    url = address if "://" in address else f"https://{address}/mcp"
    mounted = desk.state.mcp_servers.get(address)
    if mounted is None and not is_loopback(url):
        mounted = stand_in()
    return Endpoint(url, headers, mounted)


# --- What is listed, and what the model may call of it --------------------------------------------


def _due(desk: "Desk") -> Iterator[Outcome]:
    servers = {each["server_label"]: each for each in desk.entries if each["type"] == "mcp"}
    for entry in servers.values():
        if not entry.get("defer_loading") and _listed(entry, desk) is None:
            listing = _list(entry, desk)
            yield Outcome([listing], [listing])
    for request in _approved(desk.items):
        yield _call(servers[request["server_label"]], request, desk, request["id"])


def _list(entry: Json, desk: "Desk") -> Json:
    """A new `mcp_list_tools` item. Raises the API's 424 if the server gives no list."""
    label, endpoint = entry["server_label"], _endpoint(entry, desk)
    try:
        with desk.state.set_aside():
            found = list_tools(endpoint)
    except Failure as failure:
        code = failure.error["code"] if failure.error["type"] == "http_error" else 424
        raise refusal(
            "mcp_without_list",
            label=label,
            code=code,
            reason=http_client.responses.get(code, ""),
            url=endpoint.url,
            failure=failure,
            advice=_IN_A_THREAD if code == 504 else "",
        ) from None
    made = {"id": desk.state.new_id("mcpl"), "type": "mcp_list_tools", "server_label": label}
    return made | {"tools": [tool for tool in found if _matches(entry["allowed_tools"], tool)]}


_IN_A_THREAD = (
    " A server that runs in the event loop of this notebook cannot answer while the client waits: "
    "run it in a thread."
)


def _listed(entry: Json, desk: "Desk") -> Json | None:
    """The latest listing of a server that the context holds."""
    for item in reversed(_of_type("mcp_list_tools", desk.items)):
        if item["server_label"] == entry["server_label"] and not item.get("error"):
            return item
    return None


def _offers(entry: Json, desk: "Desk") -> Iterator[Offer]:
    listing = None if entry.get("defer_loading") else _listed(entry, desk)
    for tool in listing["tools"] if listing else ():
        if _matches(entry["allowed_tools"], tool):
            schema = tool["input_schema"]
            shown = {
                "type": "mcp",
                "name": tool["name"],
                "server_label": entry["server_label"],
                "description": tool.get("description") or "",
                "parameters": schema if is_schema(schema) else _UNTOLD,
                "annotations": tool.get("annotations"),
            }
            yield Offer(shown, entry, partial(_run, tool))


_UNTOLD: Json = {"type": "object", "properties": {}}  # a malformed schema says nothing


def _matches(wanted: list[str] | Json | None, tool: Json) -> bool:
    """Whether a filter takes a tool in: by its name, by being read-only, or by both."""
    if wanted is None or isinstance(wanted, list):
        return wanted is None or tool["name"] in wanted
    read_only = bool((tool.get("annotations") or {}).get("read_only"))
    named = tool["name"] in wanted.get("tool_names", (tool["name"],))
    return named and wanted.get("read_only", read_only) == read_only


# --- A call ---------------------------------------------------------------------------------------


def _run(tool: Json, call: Call) -> Outcome:
    """A call by the model: made at once, or shown to the user first."""
    entry, asked = call.declared, {"arguments": written(call.arguments), "name": tool["name"]}
    if not _needs_approval(entry["require_approval"], tool):
        return _call(entry, asked, call.desk, None)
    made = {"id": call.state.new_id("mcpr"), "type": "mcp_approval_request", **asked}
    return Outcome([made | {"server_label": entry["server_label"]}], waits=True)


def _call(entry: Json, asked: Json, desk: "Desk", approval: str | None) -> Outcome:
    """Call the server. A tool that fails makes a failed item, not a failed response."""
    output, error, endpoint = None, None, _endpoint(entry, desk)
    try:
        with desk.state.set_aside():
            result = call_tool(endpoint, asked["name"], asked["arguments"])
        if result.get("isError"):
            error = {"type": "mcp_tool_execution_error", "content": result["content"]}
        else:
            output = _text(result["content"])
    except Failure as failure:
        error = failure.error
    made: Json = {
        "id": desk.state.new_id("mcp"),
        "type": "mcp_call",
        "status": "failed" if error else "completed",
        "approval_request_id": approval,
        "error": error,
        "output": output,
        "server_label": entry["server_label"],
        "arguments": asked["arguments"],
        "name": asked["name"],
    }
    in_program = caller_id(asked) is not None  # which reads it, and not the model
    return Outcome([made], [] if in_program else _read_call(made, desk.state))


def _text(content: list[Json]) -> str:
    """What a tool returned: a block that is no text, such as a picture, is written as JSON."""
    blocks = (b["text"] if b.get("type") == "text" else written(b) for b in content)
    return "\n".join(blocks)


def _read_call(item: Json, state: State) -> list[Json]:
    text, error = item.get("output") or "", item.get("error")
    if error:
        text = written({"error": error.get("message") or _text(error.get("content") or [])})
    call_id = item.get("approval_request_id") or item.get("id")
    return as_call(item["name"], call_id, item["arguments"]) + as_output(call_id, text)


# --- What the user approves -----------------------------------------------------------------------


def _needs_approval(wanted: str | Json, tool: Json) -> bool:
    """What no filter names needs it, unless `always` stands alone: then it lists those that do."""
    if isinstance(wanted, str):
        return wanted == "always"
    if "always" in wanted and ("never" not in wanted or _matches(wanted["always"], tool)):
        return _matches(wanted["always"], tool)
    return "never" not in wanted or not _matches(wanted["never"], tool)


def _of_type(item_type: str, items: list[Json]) -> list[Json]:
    return [item for item in items if item.get("type") == item_type]


def _approved(items: list[Json]) -> list[Json]:
    """The requests whose calls are allowed and not yet made."""
    done = {item.get("approval_request_id") for item in _of_type("mcp_call", items)}
    answers = _of_type("mcp_approval_response", items)
    allowed = {each["approval_request_id"] for each in answers if each["approve"]} - done
    return [each for each in _of_type("mcp_approval_request", items) if each["id"] in allowed]


def check_approvals(items: list[Json], entries: list[Json]) -> None:
    """Each request in a context has one answer, and each answer its request (reported)."""
    asked = [item["id"] for item in _of_type("mcp_approval_request", items)]
    told = [each["approval_request_id"] for each in _of_type("mcp_approval_response", items)]
    if unknown := [each for each in told if each not in asked]:
        raise refusal("approval_of_nothing", unknown=", ".join(unknown))
    if unanswered := [each for each in asked if each not in told]:
        raise refusal("approval_missing", unanswered=", ".join(unanswered))
    if twice := [each for each in asked if told.count(each) > 1]:
        raise refusal("approval_twice", twice=twice[0])
    there = {entry["server_label"] for entry in entries if entry["type"] == "mcp"}
    if absent := [each for each in _approved(items) if each["server_label"] not in there]:
        raise refusal("approved_server_missing", server_label=absent[0]["server_label"])


def _read_answer(item: Json, state: State) -> list[Json]:
    if item["approve"]:
        return []
    why = f": {item['reason']}" if item.get("reason") else "."
    denial = written({"error": f"The user did not approve this call{why}"})
    return as_output(item["approval_request_id"], denial)


def _ended(item: Json, response: Json) -> Told:
    yield f"mcp_call.{item['status']}", {}


MCP = Tool(
    name="mcp",
    entry=shape("McpServer"),
    offers=_offers,
    items=(
        ItemKind("mcp_list_tools", ("in_progress", "completed"), {"tools": []}, ("status",)),
        ItemKind(
            "mcp_call",
            ("in_progress", "arguments", _ended),
            {"arguments": "", "error": None, "output": None},
            read=_read_call,
        ),
        # A call. Its result is the call that was approved, or the denial.
        ItemKind(
            "mcp_approval_request",
            fleeting=("status",),
            read=lambda item, state: as_call(item["name"], item["id"], item["arguments"]),
        ),
        ItemKind("mcp_approval_response", read=_read_answer),
    ),
    label="server_label",
    echo=_echo,
    check=_check,
    due=_due,
)
