"""`function` and `custom`: tools of the client's own (contract A4, D).

A function is called with JSON, a custom tool with a plain text. A call ends the turn, for the
client to answer.
"""

import json
import re
from typing import TYPE_CHECKING, Any

from ..errors import Json, refusal
from ..http import written
from ..rules import reject_unknown, shape, shape_fields, up_to
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
    call_item,
    reads_output,
    seen,
    tell,
    with_defaults,
)

if TYPE_CHECKING:
    from .desk import Desk

NAME = re.compile("[a-zA-Z0-9_-]+")
_NESTED = (
    "This is the Chat Completions shape. Take the inner object out: name, description, "
    'parameters and strict stand beside "type": "function".'
)


def check_name(name: Any, path: str) -> None:
    """What a model calls, or a namespace that it calls into."""
    up_to(64)(name, path)
    if not NAME.fullmatch(name):
        raise refusal("wrong_name", path, pattern=NAME.pattern)


_REQUIRED, _OPTIONAL = shape_fields("Function", Name=check_name)
_FIELDS = _REQUIRED | _OPTIONAL


def _function(tool: Any, path: str) -> None:
    if "name" not in tool:
        raise refusal("missing", f"{path}.name", hint=_NESTED if "function" in tool else None)
    reject_unknown(tool, path, tuple(_FIELDS))
    check_function(tool, path)


def check_function(tool: Json, path: str) -> None:
    """What a function declares: flat here, nested on Chat Completions."""
    for name, rule in _FIELDS.items():
        if name in tool:
            rule(tool[name], f"{path}.{name}")
    for name, strict in (("parameters", bool(tool.get("strict"))), ("output_schema", None)):
        if tool.get(name) is not None:
            check_named(tool["name"], tool[name], f"{path}.{name}", strict)


def _format(value: Any, path: str) -> None:
    _any_format(value, path)
    if value.get("syntax") == "regex":
        try:
            re.compile(value["definition"])
        except re.error as error:
            raise refusal("wrong_grammar", f"{path}.definition", error=error) from None


_any_format = shape("CustomFormat")


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
    entry=_function,
    offers=_offers,
    items=(ItemKind("function_call", (_tell_arguments,), {"arguments": ""}),),
    label="name",
    echo=_echo,
)
CUSTOM = Tool(
    name="custom",
    entry=shape("Custom", Name=check_name, Format=_format),
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
