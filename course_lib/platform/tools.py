"""Tools on a request: what a declaration must hold, `tool_choice`, and the echo in the reply.

Contract A2 (`tools`, `tool_choice`), A5 and B. What a hosted tool's entry holds stands with the
tool, in `hosted/`. A tool the platform does not have is refused by name rather than ignored.
"""

import re
from typing import Any

from .errors import GAP, ApiError, Json, kind, missing, wrong_type, wrong_value
from .hosted import HOSTED, name_of
from .rules import (
    Rule,
    array,
    boolean,
    fields,
    mapping,
    nullable,
    one_of,
    reject_unknown,
    require,
    short,
    text,
    up_to,
)
from .strict_schema import check_function_schema, fits_strict, normalise

NAME = re.compile("[a-zA-Z0-9_-]+")
MODES = ("none", "auto", "required")
MAX_TOOLS = 128

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
    """The `tools` of a request: each by itself, then what they are together."""
    check_each(value, path)
    names: set[str] = set()
    for tool in value:
        name = name_of(tool)
        if name in names:
            raise ApiError(
                f"Two tools are named '{name}'. The name of a tool must be unique.",
                param=path,
                code=GAP,
            )
        names.add(name)
    if any(tool.get("defer_loading") for tool in value):
        raise ApiError(
            "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.",
            param="tools.defer_loading",
            hint='Add {"type": "tool_search"} to tools, or leave defer_loading out.',
        )


def check_each(value: Any, path: str) -> None:
    """A list of tools, wherever it stands: in `tools`, or in an item that brings tools in."""
    if not isinstance(value, list):
        hint = "tools is a list, also for one tool: tools=[tool]."
        raise wrong_type(path, "an array of tools", value, hint)
    short(value, path, MAX_TOOLS)
    for index, tool in enumerate(value):
        _check_tool(tool, f"{path}[{index}]")


def _check_tool(tool: Any, path: str) -> None:
    mapping(tool, path)
    if "type" not in tool:
        raise missing(f"{path}.type")
    text(tool["type"], f"{path}.type")
    if tool["type"] in HOSTED:
        _check_hosted(tool, path)
        return
    if tool["type"] != "function":
        raise ApiError(
            f"The offline platform has no '{tool['type']}' tool yet.", param=path, code=GAP
        )
    if "name" not in tool:
        raise missing(f"{path}.name", hint=_NESTED if "function" in tool else None)
    reject_unknown(tool, path, tuple(_FUNCTION))
    check_function(tool, path)


def check_function(tool: Json, path: str) -> None:
    """What a function declares: flat here, nested on Chat Completions."""
    for name, rule in _FUNCTION.items():
        if name in tool:
            rule(tool[name], f"{path}.{name}")
    up_to(64)(tool["name"], f"{path}.name")
    if not NAME.fullmatch(tool["name"]):
        raise ApiError(
            f"Invalid '{path}.name': string does not match pattern. "
            f"Expected a string that matches the pattern '^{NAME.pattern}$'.",
            param=f"{path}.name",
            code="invalid_value",
        )
    check_function_schema(tool["name"], tool.get("parameters"), tool.get("strict"), path)


def _check_hosted(tool: Json, path: str) -> None:
    hosted = HOSTED[tool["type"]]
    rules = {"type": text} | hosted.required | hosted.optional
    require(tool, path, hosted.required)
    reject_unknown(tool, path, tuple(rules))
    for name, rule in rules.items():
        if name in tool:
            rule(tool[name], f"{path}.{name}")


def check_tool_choice(value: Any, path: str) -> None:
    if isinstance(value, str):
        if value not in MODES:
            raise wrong_value(path, value, MODES, hint=_ANY if value == "any" else None)
        return
    if not isinstance(value, dict):
        raise ApiError(
            f"Invalid type for '{path}': expected one of an object or 'none', 'auto', or "
            f"'required', but got {kind(value)} instead.",
            param=path,
            code="invalid_type",
        )
    if value.get("type") == "allowed_tools":
        fields({"type": text, "mode": one_of("auto", "required"), "tools": array(_check_named)})(
            value, path
        )
    else:
        _check_named(value, path)


_ANY = "'any' is another vendor's word; here it is 'required'."


def _check_named(value: Any, path: str) -> None:
    """One tool named by `tool_choice`, or by the list of `allowed_tools` in it."""
    mapping(value, path)
    if "type" not in value:
        raise missing(f"{path}.type")
    text(value["type"], f"{path}.type")
    if value["type"] in HOSTED:
        reject_unknown(value, path, ("type",))
        return
    if value["type"] != "function":
        raise ApiError(
            f"The offline platform has no tool_choice of type '{value['type']}' yet.",
            param=path,
            code=GAP,
        )
    if "name" not in value:
        hint = 'Chat Completions nests the name; here it is {"type": "function", "name": "..."}.'
        raise missing(f"{path}.name", hint=hint if "function" in value else None)
    text(value["name"], f"{path}.name")


def check_choice(body: Json) -> None:
    """What `tool_choice` asks for must be there: in `tools`, or brought in by this request.

    A tool that an earlier request brought in can be called, but not chosen by name.
    """
    choice = body.get("tool_choice")
    if choice in (None, "auto", "none"):
        return
    given = body["input"] if isinstance(body["input"], list) else []
    names = {_label(tool) for tool in body.get("tools") or []} | loaded_tools(given).keys()
    if choice == "required" and not names and not body.get("previous_response_id"):
        raise ApiError(
            "Tool choice 'required' must be specified with 'tools' parameter.",
            param="tool_choice",
            hint="'required' makes the model call a tool, so tools must hold one.",
        )
    if not isinstance(choice, dict):
        return
    for each in choice["tools"] if choice["type"] == "allowed_tools" else [choice]:
        if _label(each) not in names:
            raise ApiError(
                f"Tool choice '{_label(each)}' not found in 'tools' parameter.",
                param="tool_choice",
                hint="tool_choice may only name a tool that is in tools on this same request.",
            )


def _label(tool: Json) -> str:
    """What `tool_choice` names a tool by: a function by its name, a hosted tool by its type."""
    return str(tool["name"] if tool["type"] == "function" else tool["type"])


def allowed(choice: Any, tools: list[Json]) -> list[Json]:
    """Of tools as the model sees them those it may call: all, or what `allowed_tools` lists."""
    if isinstance(choice, dict) and choice["type"] == "allowed_tools":
        names = {name_of(each) for each in choice["tools"]}
        return [tool for tool in tools if tool["name"] in names]
    return tools


def mode(choice: str | Json) -> str | Json:
    """The choice as a model sees it: `allowed_tools` has narrowed the tools, its mode remains."""
    if isinstance(choice, str):
        return choice
    if choice["type"] == "allowed_tools":
        return str(choice["mode"])
    return {"type": "function", "name": name_of(choice)}


def loaded_tools(items: list[Json]) -> dict[str, Json]:
    """Tools that items of the context bring in, callable from there on, by name."""
    return {
        name_of(tool): echo_tool(tool)
        for item in items
        if item.get("type") == "additional_tools"
        for tool in item["tools"]
    }


def check_namespaces(new: list[Json], tools: list[Json], loaded: dict[str, Json]) -> None:
    """A call of a loaded tool names its namespace: the default one does not know it."""
    declared = {name_of(tool) for tool in tools}
    for item in new:
        if item.get("type") == "function_call" and not item.get("namespace"):
            name = item["name"]
            if name in loaded and name not in declared:
                raise ApiError(
                    f"Missing namespace for function_call '{name}'. It does not exist in the "
                    "default namespace. Round-trip the model's function_call item with its "
                    "namespace field included.",
                    param="input",
                )


def echo_tool(tool: Json) -> Json:
    """A tool as the reply shows it: every field there, `strict` decided (contract B)."""
    if tool["type"] in HOSTED:
        return HOSTED[tool["type"]].echo(tool)
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


_ECHOED_IF_SENT = ("defer_loading", "allowed_callers")
