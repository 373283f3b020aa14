"""`function`, `custom` and `namespace`, tools of the client's own; `tool_search`, which finds them.

A function is called with JSON, a custom tool with a plain text (contract A4, D). A call ends the
turn, for the client to answer. Of a deferred function the model sees its name and description, of a
namespace only its own. It searches by naming what it wants, and from then on those are tools like
any other. A hosted search is answered here, within the turn; one with `execution: "client"` ends
the turn, and the client answers with a `tool_search_output` that holds the tools. An
`additional_tools` item brings tools in without any search (contract A5, D).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import Json, refusal
from ..http import written
from ..rules import OWN, shape, tagged, up_to
from ..state import State
from ..strict_schema import check_named, fits_strict, normalise
from ..tokens import sayable
from .tool import (
    Call,
    ItemKind,
    Offer,
    Outcome,
    Told,
    Tool,
    as_call,
    as_output,
    call_item,
    name_of,
    reads_output,
    seen,
    tell,
    with_defaults,
)

if TYPE_CHECKING:
    from .desk import Desk

NAME = re.compile("[a-zA-Z0-9_-]+")


def check_name(name: Any, path: str) -> None:
    """What a model calls, or a namespace that it calls into."""
    up_to(64)(name, path)
    if not NAME.fullmatch(name):
        raise refusal("wrong_name", path, pattern=NAME.pattern)


def _schemas(tool: Json, path: str) -> None:
    """What a function declares: flat here, nested on Chat Completions."""
    for name, strict in (("parameters", bool(tool.get("strict"))), ("output_schema", None)):
        if tool.get(name) is not None:
            check_named(tool["name"], tool[name], f"{path}.{name}", strict)


def _grammar(value: Json, path: str) -> None:
    if value["syntax"] == "regex":
        try:
            re.compile(value["definition"])
        except re.error as error:
            raise refusal("wrong_grammar", f"{path}.definition", error=error) from None


_IF_SENT = ("defer_loading", "allowed_callers")
_FUNCTION = ("description", "name", "output_schema", "parameters", "strict")
_shown = with_defaults(dict.fromkeys(_FUNCTION), *_IF_SENT)


def _echo(tool: Json) -> Json:
    """A function as the reply shows it: every field there, `strict` decided (contract B)."""
    shown = _shown(tool)
    shown["description"] = shown["description"] or None
    if shown["strict"] is None:
        normalised = normalise(shown["parameters"]) if shown["parameters"] else None
        shown["strict"] = normalised is not None and fits_strict(normalised)
        if shown["strict"]:
            shown["parameters"] = normalised
    return shown


# --- A call ---------------------------------------------------------------------------------------


def _offers(entry: Json, desk: "Desk") -> list[Offer]:
    return [] if entry.get("defer_loading") else [offer_own(entry)]


def offer_own(entry: Json) -> Offer:
    if entry["type"] == "function":
        return Offer(entry, entry, _ask, client=True, written="arguments")
    shown = entry | {"parameters": seen("custom")["parameters"]}
    return Offer(shown, entry, _ask, client=True, written="input")


def _ask(call: Call) -> Outcome:
    """The item by which the client is asked to run its tool."""
    prefix, said = "fc", {"type": "function_call", "arguments": sayable(written(call.arguments))}
    if call.offer.written == "input":
        given = sayable(str(call.arguments.get("input") or ""))
        prefix, said = "ctc", {"type": "custom_tool_call", "input": given}
    item = call_item(call, prefix, said | {"name": call.declared["name"]})
    if "namespace" in call.offer.tool:
        item["namespace"] = call.offer.tool["namespace"]
    if call.caller:
        item["status"] = "in_progress"  # as recorded
    return Outcome([item], waits=True)


def _tell_arguments(item: Json, response: Json) -> Told:
    done = {"name": item["name"], "arguments": item["arguments"]}
    return tell("function_call_arguments", item["arguments"], done)


def _read_custom(item: Json, state: State) -> list[Json]:
    return [item | {"type": "function_call", "arguments": written({"input": item["input"]})}]


FUNCTION = Tool(
    name="function",
    entry=shape("Function"),
    offers=_offers,
    items=(ItemKind("function_call", (_tell_arguments,), {"arguments": ""}),),
    label="name",
    echo=_echo,
)
CUSTOM = Tool(
    name="custom",
    entry=shape("Custom"),
    offers=_offers,
    items=(
        ItemKind("custom_tool_call", ("input",), begun={"input": ""}, read=_read_custom),
        ItemKind("custom_tool_call_output", read=reads_output(lambda item: item["output"])),
    ),
    label="name",
    echo=with_defaults({"description": None, "name": None, "format": {"type": "text"}}, *_IF_SENT),
)


def check_outputs(items: list[Json], new: list[Json], entries: list[Json]) -> None:
    """What a function with an `output_schema` returns as a text is JSON (recorded)."""
    tools = [tool for entry in entries for tool in (entry, *entry.get("tools", []))]
    structured = {tool["name"] for tool in tools if tool.get("output_schema")}
    functions = (item for item in items if item.get("type") == "function_call")
    calls = {item["call_id"] for item in functions if item["name"] in structured}
    for item in new:
        output = item.get("output")
        if item.get("call_id") in calls and isinstance(output, str):
            try:
                json.loads(output)
            except (ValueError, RecursionError):
                raise refusal("output_not_json") from None


_INNER = {"function": FUNCTION, "custom": CUSTOM}
_inner = tagged(**{name: tool.entry for name, tool in _INNER.items()})
OWN.update(
    Name=check_name, Function=_schemas, ChatFunction=_schemas, GrammarFormat=_grammar, Inner=_inner
)


# --- namespace ------------------------------------------------------------------------------------


def _echo_namespace(entry: Json) -> Json:
    return entry | {"tools": [_INNER[tool["type"]].echo(tool) for tool in entry["tools"]]}


def _offers_namespace(entry: Json, desk: "Desk") -> Iterator[Offer]:
    for tool in entry["tools"]:
        for offer in _INNER[tool["type"]].offers(tool, desk):
            yield replace(offer, tool=offer.tool | {"namespace": entry["name"]})


NAMESPACE = Tool(
    name="namespace",
    entry=shape("Namespace"),
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


def _search_entry(value: Json, path: str) -> None:
    if value.get("execution") == "client" and value.get("parameters") is not None:
        check_named("tool_search", value["parameters"], f"{path}.parameters", strict=False)


OWN["ToolSearch"] = _search_entry


def _offers_search(entry: Json, desk: "Desk") -> Iterator[Offer]:
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
    item = {"type": "tool_search_call", "execution": "client", "arguments": call.arguments}
    return Outcome([call_item(call, "tsc", item)], waits=True)


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
    entry=shape("ToolSearch"),
    offers=_offers_search,
    items=(
        ItemKind("tool_search_call", begun={"arguments": {}}, read=_read_call),
        ItemKind("tool_search_output", read=_read_output),
    ),
    echo=with_defaults({"description": None, "parameters": None}, "execution"),
)
