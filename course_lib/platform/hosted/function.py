"""`function` and `custom`: tools of the client's own (contract A4, D).

A function is called with JSON, a custom tool with a plain text. A call ends the turn, for the
client to answer.
"""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import Json, missing, refusal
from ..http import written
from ..rules import reject_unknown, shape, shape_fields, up_to
from ..strict_schema import check_named, fits_strict, normalise
from ..tokens import pieces, sayable
from .tool import Call, ItemKind, Offer, Outcome, Tool, call_item

if TYPE_CHECKING:
    from .desk import Desk

NAME = re.compile("[a-zA-Z0-9_-]+")

_REQUIRED, _OPTIONAL = shape_fields("Function")
_NESTED = (
    "This is the Chat Completions shape. Take the inner object out: name, description, "
    'parameters and strict stand beside "type": "function".'
)
_ECHOED_IF_SENT = ("defer_loading", "allowed_callers")


def _function(tool: Any, path: str) -> None:
    if "name" not in tool:
        raise missing(f"{path}.name", hint=_NESTED if "function" in tool else None)
    reject_unknown(tool, path, (*_REQUIRED, *_OPTIONAL))
    check_function(tool, path)


def check_function(tool: Json, path: str) -> None:
    """What a function declares: flat here, nested on Chat Completions."""
    for name, rule in (_REQUIRED | _OPTIONAL).items():
        if name in tool:
            rule(tool[name], f"{path}.{name}")
    check_name(tool["name"], f"{path}.name")
    for name, strict in (("parameters", bool(tool.get("strict"))), ("output_schema", None)):
        if tool.get(name) is not None:
            check_named(tool["name"], tool[name], f"{path}.{name}", strict)


def check_name(name: Any, path: str) -> None:
    """What a model calls, or a namespace that it calls into."""
    up_to(64)(name, path)
    if not NAME.fullmatch(name):
        raise refusal("wrong_name", path, pattern=NAME.pattern)


def _echo(tool: Json) -> Json:
    """A function as the reply shows it: every field there, `strict` decided (contract B)."""
    schema, strict = tool.get("parameters"), tool.get("strict")
    if strict is None:
        normalised = normalise(schema) if schema else None
        strict = normalised is not None and fits_strict(normalised)
        schema = normalised if strict else schema
    echoed = {
        "type": "function",
        "description": tool.get("description") or None,
        "name": tool["name"],
        "output_schema": tool.get("output_schema"),
        "parameters": schema,
        "strict": strict,
    }
    return echoed | {name: tool[name] for name in _ECHOED_IF_SENT if name in tool}


def _offers(entry: Json, desk: "Desk") -> Iterator[Offer]:
    if not entry.get("defer_loading"):
        yield offer_function(entry)


def offer_function(entry: Json) -> Offer:
    return Offer(entry, entry, _call, written="arguments")


def _call(call: Call) -> Outcome:
    arguments = sayable(written(call.arguments))
    return _ask(call, "fc", {"type": "function_call", "arguments": arguments})


def _ask(call: Call, prefix: str, said: Json) -> Outcome:
    """The item by which the client is asked to run its tool."""
    item = call_item(call, prefix, said | {"name": call.declared["name"]})
    if "namespace" in call.offer.tool:
        item["namespace"] = call.offer.tool["namespace"]
    if call.caller:
        item |= {"status": "in_progress"}  # as recorded
    return Outcome([item], waits=True)


def _tell_arguments(item: Json, response: Json) -> Iterator[tuple[str, Json]]:
    for piece in pieces(item["arguments"]):
        yield "_arguments.delta", {"delta": piece}
    yield "_arguments.done", {"name": item["name"], "arguments": item["arguments"]}


FUNCTION = Tool(
    name="function",
    entry=_function,
    offers=_offers,
    items=(ItemKind("function_call", (_tell_arguments,), {"arguments": ""}),),
    label="name",
    echo=_echo,
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


# --- custom: called with a text, perhaps of a given form ------------------------------------------


def _format(value: Any, path: str) -> None:
    _any_format(value, path)
    if value.get("syntax") == "regex":
        try:
            re.compile(value["definition"])
        except re.error as error:
            raise refusal("wrong_grammar", f"{path}.definition", error=error) from None


_any_format = shape("CustomFormat")


def _echo_custom(tool: Json) -> Json:
    described = {"description": tool.get("description"), "name": tool["name"]}
    echoed = {"type": "custom", **described, "format": tool.get("format") or {"type": "text"}}
    return echoed | {name: tool[name] for name in _ECHOED_IF_SENT if name in tool}


def _offers_custom(entry: Json, desk: "Desk") -> Iterator[Offer]:
    if not entry.get("defer_loading"):
        parameters = {"type": "object", "properties": {"input": _INPUT}, "required": ["input"]}
        yield Offer(entry | {"parameters": parameters}, entry, _call_custom, written="input")


_INPUT = {"type": "string", "description": "The whole input of the tool, as plain text."}


def _call_custom(call: Call) -> Outcome:
    said = sayable(str(call.arguments.get("input") or ""))
    return _ask(call, "ctc", {"type": "custom_tool_call", "input": said})


def _read_call(item: Json, state: Any) -> list[Json]:
    arguments = json.dumps({"input": item["input"]}, ensure_ascii=False)
    return [item | {"type": "function_call", "arguments": arguments}]


def _read_output(item: Json, state: Any) -> list[Json]:
    return [item | {"type": "function_call_output"}]


CUSTOM = Tool(
    name="custom",
    entry=shape("Custom", Name=check_name, Format=_format),
    offers=_offers_custom,
    items=(
        ItemKind("custom_tool_call", ("input",), begun={"input": ""}, read=_read_call),
        ItemKind("custom_tool_call_output", read=_read_output),
    ),
    label="name",
    echo=_echo_custom,
)
