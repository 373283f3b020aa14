"""`tool_search` and `namespace`: tools that the model sees whole only once it has looked for them.

Of a deferred function the model sees its name and description, of a namespace only its own. It
searches by naming what it wants, and from then on those are tools like any other. A hosted search
is answered here, within the turn; one with `execution: "client"` ends the turn, and the client
answers with a `tool_search_output` that holds the tools. An `additional_tools` item brings tools
in without any search (contract A5, D).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import Json
from ..http import written
from ..rules import shape, tagged
from ..state import State
from ..strict_schema import check_named
from .function import CUSTOM, FUNCTION, check_name
from .tool import (
    Call,
    ItemKind,
    Offer,
    Outcome,
    Tool,
    as_call,
    as_output,
    name_of,
    seen,
    with_defaults,
)

if TYPE_CHECKING:
    from .desk import Desk

_INNER = {"function": FUNCTION, "custom": CUSTOM}


# --- namespace ------------------------------------------------------------------------------------


def _echo_namespace(entry: Json) -> Json:
    return entry | {"tools": [_INNER[tool["type"]].echo(tool) for tool in entry["tools"]]}


def _offers_namespace(entry: Json, desk: "Desk") -> Iterator[Offer]:
    for tool in entry["tools"]:
        for offer in _INNER[tool["type"]].offers(tool, desk):
            yield replace(offer, tool=offer.tool | {"namespace": entry["name"]})


NAMESPACE = Tool(
    name="namespace",
    entry=shape(
        "Namespace",
        Name=check_name,
        Inner=tagged(**{name: tool.entry for name, tool in _INNER.items()}),
    ),
    offers=_offers_namespace,
    items=(),
    label="name",
    echo=_echo_namespace,
)


# --- tool_search ----------------------------------------------------------------------------------


def deferred(entry: Json) -> Json | None:
    """What a search may load of an entry, as an entry itself; None if it holds nothing deferred."""
    if entry["type"] == "namespace":
        tools = [tool for tool in entry["tools"] if tool.get("defer_loading")]
        return entry | {"tools": tools} if tools else None
    return entry if entry.get("defer_loading") else None


def as_loaded(entry: Json, *, alone: bool) -> Json:
    """An entry that is deferred no longer; a function `alone` gets a namespace of its own name."""
    plain = {name: value for name, value in entry.items() if name != "defer_loading"}
    if entry["type"] == "namespace":
        return plain | {"tools": [as_loaded(tool, alone=False) for tool in entry["tools"]]}
    if alone and entry["type"] in _INNER:
        described = {"name": entry["name"], "description": entry.get("description") or ""}
        return {"type": "namespace", **described, "tools": [plain]}
    return plain


_declared = shape("ToolSearch")


def _entry(value: Any, path: str) -> None:
    _declared(value, path)
    if value.get("execution") == "client" and value.get("parameters") is not None:
        check_named("tool_search", value["parameters"], f"{path}.parameters", strict=False)


def _offers(entry: Json, desk: "Desk") -> Iterator[Offer]:
    if entry.get("execution") == "client":
        said = {name: entry[name] for name in ("description", "parameters") if entry[name]}
        yield Offer(seen("tool_search") | said, entry, _ask_client, client=True)
        return
    found = {name_of(each): _about(each) for each in desk.declared if deferred(each)}
    loaded = {name_of(each) for each in desk.loaded}
    waiting = [{"path": p, "description": found[p]} for p in found if p not in loaded]
    if waiting:
        # What is loaded by now is told of all the same, so that the prefix stays cached.
        listed = "".join(f"\n- {path}: {about}" for path, about in found.items())
        enum = [each["path"] for each in waiting]
        paths = {"type": "array", "items": {"type": "string", "enum": enum}}
        shown: Json = {
            "description": seen("tool_search")["description"] + listed,
            "parameters": {"type": "object", "properties": {"paths": paths}, "required": ["paths"]},
            "deferred": waiting,
        }
        yield Offer(seen("tool_search") | shown, entry, _search)


def _about(entry: Json) -> str:
    said = entry.get("server_description") if entry["type"] == "mcp" else entry.get("description")
    return said or ""


def _ask_client(call: Call) -> Outcome:
    """A client's own search: the turn ends, and what it finds comes with the next request."""
    item = {"id": call.state.new_id("tsc"), "type": "tool_search_call", "execution": "client"}
    asked = {"call_id": call.state.new_id("call"), "arguments": call.arguments}
    return Outcome([item | asked | {"status": "completed"}], waits=True)


def _search(call: Call) -> Outcome:
    """The search by the platform: what was named is loaded at once, if it is there."""
    wanted = call.arguments.get("paths") or []
    entries = (deferred(entry) for entry in call.desk.declared)
    found = [entry for entry in entries if entry and name_of(entry) in wanted]
    call.desk.loaded += [as_loaded(entry, alone=True) for entry in found]
    common: Json = {"execution": "server", "call_id": None, "status": "completed"}
    asked = common | {"id": call.state.new_id("tsc"), "type": "tool_search_call"}
    brought = common | {"id": call.state.new_id("tso"), "type": "tool_search_output"}
    items = [asked | {"arguments": {"paths": list(wanted)}}, brought | {"tools": found}]
    return Outcome(items, _read_output(items[1], call.state))


def _by_client(item: Json) -> bool:
    return item.get("execution") != "server" and item.get("call_id") is not None


def _read_call(item: Json, state: State) -> list[Json]:
    """A hosted search is read where its output stands: nothing else says which belong together."""
    asked = written(item.get("arguments") or {})
    return as_call("tool_search", item["call_id"], asked) if _by_client(item) else []


def _read_output(item: Json, state: State) -> list[Json]:
    paths = [name_of(entry) for entry in item["tools"]]
    output: Json = {"loaded": paths} if paths else {"loaded": [], "error": "There is no such tool."}
    if _by_client(item):
        return as_output(item["call_id"], written(output))
    call_id = item.get("id") or "tool_search"
    asked = as_call("tool_search", call_id, written({"paths": paths}))
    return asked + as_output(call_id, written(output))


TOOL_SEARCH = Tool(
    name="tool_search",
    entry=_entry,
    offers=_offers,
    items=(
        ItemKind("tool_search_call", begun={"arguments": {}}, read=_read_call),
        ItemKind("tool_search_output", read=_read_output),
    ),
    echo=with_defaults({"description": None, "parameters": None}, "execution"),
)
