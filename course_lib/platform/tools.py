"""Tools on a request: what a declaration must hold, `tool_choice`, and the echo in the reply.

Contract A2 (`tools`, `tool_choice`), A5 and B. Function tools only, so far: a hosted tool is
refused by name rather than accepted and ignored.
"""

import re
from typing import Any

from .errors import GAP, ApiError, Json, kind, missing, wrong_type, wrong_value
from .rules import Rule, array, boolean, mapping, nullable, reject_unknown, text
from .strict_schema import check_function_schema, fits_strict, normalise

NAME_PATTERN = "^[a-zA-Z0-9_-]+$"
MODES = ("none", "auto", "required")

_FUNCTION: dict[str, Rule] = {
    "type": text,
    "name": text,
    "description": nullable(text),
    "parameters": nullable(mapping),
    "strict": nullable(boolean),
    "defer_loading": nullable(boolean),
    "allowed_callers": nullable(array(text)),
    "output_schema": nullable(mapping),
}
_NESTED = (
    "This is the Chat Completions shape. Take the inner object out: name, description, "
    'parameters and strict stand beside "type": "function".'
)


def check_tools(value: Any, path: str) -> None:
    if not isinstance(value, list):
        raise wrong_type(path, "an array of objects", value)
    if len(value) > 128:
        raise ApiError(
            "Invalid 'tools': array too long. Expected an array with maximum length 128, "
            f"but got an array with length {len(value)} instead.",
            param="tools",
            code="array_above_max_length",
        )
    for index, tool in enumerate(value):
        _check_tool(tool, f"{path}[{index}]")


def _check_tool(tool: Any, path: str) -> None:
    mapping(tool, path)
    if "type" not in tool:
        raise missing(f"{path}.type")
    text(tool["type"], f"{path}.type")
    if tool["type"] != "function":
        raise ApiError(
            f"The offline platform has no '{tool['type']}' tool yet.", param=path, code=GAP
        )
    if "name" not in tool:
        raise missing(f"{path}.name", hint=_NESTED if "function" in tool else None)
    reject_unknown(tool, path, tuple(_FUNCTION))
    for name, rule in _FUNCTION.items():
        if name in tool:
            rule(tool[name], f"{path}.{name}")
    if not re.search(NAME_PATTERN, tool["name"]):
        raise ApiError(
            f"Invalid '{path}.name': string does not match pattern. "
            f"Expected a string that matches the pattern '{NAME_PATTERN}'.",
            param=f"{path}.name",
            code="invalid_value",
        )
    check_function_schema(tool["name"], tool.get("parameters"), tool.get("strict"), path)


def check_tool_choice(value: Any, path: str) -> None:
    if isinstance(value, str):
        if value not in MODES:
            hint = (
                "'any' is another vendor's word; here it is 'required'." if value == "any" else None
            )
            raise wrong_value(path, value, MODES, hint)
    elif not isinstance(value, dict):
        raise ApiError(
            f"Invalid type for '{path}': expected one of an object or 'none', 'auto', or "
            f"'required', but got {kind(value)} instead.",
            param=path,
            code="invalid_type",
        )
    elif value.get("type") == "function":
        if "name" not in value:
            raise missing(f"{path}.name")
        text(value["name"], f"{path}.name")


def check_named_choice(choice: Any, tools: list[Json]) -> None:
    """A tool that `tool_choice` names must be among the tools (contract A2)."""
    if isinstance(choice, dict) and choice.get("type") == "function":
        name = choice["name"]
        if name not in {tool.get("name") for tool in tools}:
            raise ApiError(
                f"Tool choice '{name}' not found in 'tools' parameter.",
                param="tool_choice",
                hint="tool_choice may only name a tool that is in tools on this same request.",
            )


def echo(tool: Json) -> Json:
    """A function tool as the reply shows it: every field there, `strict` decided (contract B)."""
    schema, strict = tool.get("parameters"), tool.get("strict")
    if strict is None:
        normalised = normalise(schema) if schema else None
        strict = normalised is not None and fits_strict(normalised)
        schema = normalised if strict else schema
    return {
        "type": "function",
        "description": tool.get("description"),
        "name": tool["name"],
        "parameters": schema,
        "strict": strict,
    } | {
        name: tool[name]
        for name in ("defer_loading", "allowed_callers", "output_schema")
        if name in tool
    }
