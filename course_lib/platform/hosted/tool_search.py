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
from .tool import Call, ItemKind, Offer, Outcome, Tool

if TYPE_CHECKING:
    from .desk import Desk

BRINGS_TOOLS = ("additional_tools", "tool_search_output")  # types of items
_INNER = {"function": FUNCTION, "custom": CUSTOM}


# --- namespace ------------------------------------------------------------------------------------


_inner = tagged(**{name: tool.entry for name, tool in _INNER.items()})


def _echo_namespace(entry: Json) -> Json:
    tools = [_INNER[tool["type"]].echo(tool) for tool in entry["tools"]]
    return {name: entry[name] for name in ("type", "name", "description")} | {"tools": tools}


def _offers_namespace(entry: Json, desk: "Desk") -> Iterator[Offer]:
    for tool in entry["tools"]:
        for offer in _INNER[tool["type"]].offers(tool, desk):
            yield replace(offer, tool=offer.tool | {"namespace": entry["name"]})


NAMESPACE = Tool(
    name="namespace",
    entry=shape("Namespace", Name=check_name, Inner=_inner),
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


def path_of(entry: Json) -> str:
    """By what a search names an entry: a namespace, a server, or a lone function."""
    return str(entry["server_label" if entry["type"] == "mcp" else "name"])


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


def _echo(entry: Json) -> Json:
    return {"type": "tool_search", "description": None, "parameters": None} | entry


def _offers(entry: Json, desk: "Desk") -> Iterator[Offer]:
    tool: Json = {"type": "tool_search", "name": "tool_search"}
    if entry.get("execution") == "client":
        said = {"description": entry["description"] or _ABOUT}
        tool |= said | {"parameters": entry["parameters"] or _QUERY}
        yield Offer(tool, entry, _ask_client)
        return
    found = [each for declared in desk.declared if (each := deferred(declared))]
    listed = "".join(f"\n- {path_of(each)}: {_about(each)}" for each in found)
    loaded = {path_of(each) for each in desk.loaded}
    left = [each for each in found if path_of(each) not in loaded]
    paths = {"type": "array", "items": {"type": "string", "enum": [path_of(e) for e in left]}}
    if left:
        tool |= {
            "description": _ABOUT + listed,
            "parameters": {"type": "object", "properties": {"paths": paths}, "required": ["paths"]},
            "deferred": [{"path": path_of(e), "description": _about(e)} for e in left],
        }
        yield Offer(tool, entry, _search)


_ABOUT = "Find tools that are not loaded yet, by what they are for. They can be called afterwards."
_QUERY = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "What the tool is to do."}},
    "required": ["query"],
}


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
    found = [entry for entry in entries if entry and path_of(entry) in wanted]
    call.desk.loaded += [as_loaded(entry, alone=True) for entry in found]
    common: Json = {"execution": "server", "call_id": None, "status": "completed"}
    asked = {"id": call.state.new_id("tsc"), "type": "tool_search_call", **common}
    brought = {"id": call.state.new_id("tso"), "type": "tool_search_output", **common}
    items = [asked | {"arguments": {"paths": list(wanted)}}, brought | {"tools": found}]
    return Outcome(items, _read_output(items[1], call.state))


def _read_call(item: Json, state: State) -> list[Json]:
    """A hosted search is read where its output stands: nothing else says which belong together."""
    if item.get("execution") == "server" or item.get("call_id") is None:
        return []
    return [_called(item["call_id"], item.get("arguments") or {})]


def _called(call_id: str, arguments: Json) -> Json:
    said = {"name": "tool_search", "arguments": written(arguments)}
    return {"type": "function_call", "call_id": call_id, **said}


def _read_output(item: Json, state: State) -> list[Json]:
    paths = [path_of(entry) for entry in item["tools"]]
    output: Json = {"loaded": paths} if paths else {"loaded": [], "error": "There is no such tool."}
    read: Json = {"type": "function_call_output", "output": written(output)}
    if item.get("execution") != "server" and item.get("call_id") is not None:
        return [read | {"call_id": item["call_id"]}]
    call_id = item.get("id") or "tool_search"
    return [_called(call_id, {"paths": paths}), read | {"call_id": call_id}]


TOOL_SEARCH = Tool(
    name="tool_search",
    entry=_entry,
    offers=_offers,
    items=(
        ItemKind("tool_search_call", begun={"arguments": {}}, read=_read_call),
        ItemKind("tool_search_output", read=_read_output),
    ),
    echo=_echo,
)
