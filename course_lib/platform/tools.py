"""Tools on a request: the list of declarations, and `tool_choice` (contract A2, A5).

What one entry holds stands with the tool, in `hosted/`. A tool the platform does not have is
refused by name rather than ignored.
"""

from collections import Counter
from typing import Any

from .errors import Json, kind, refusal, wrong_type, wrong_value
from .hosted.function import deferred
from .hosted.programs import PROGRAMS
from .hosted.tool import KINDS, Tool, name_of
from .rules import OWN, anything, array, mapping, reject_unknown, require, shape, text

MODES = ("none", "auto", "required")
MAX_TOOLS = 128
# Names that a namespace may not have, beside those of hosted tools (reported).
RESERVED = ("image_gen", *KINDS)
_at_most = array(anything, most=MAX_TOOLS)


def check_tools(value: Any, path: str) -> None:
    """The `tools` of a request: each by itself, then what they are together."""
    check_each(value, path)
    names = Counter((KINDS[tool["type"]].label, name_of(tool)) for tool in value)
    if twice := [name for (_, name), times in names.items() if times > 1]:
        raise refusal("tool_twice", name=twice[0])
    for tool in value:
        if tool["type"] == "namespace" and tool["name"] in RESERVED:
            raise refusal("namespace_taken", name=tool["name"])
    _check_deferred(value)
    writes = any(tool["type"] == PROGRAMS.name for tool in value)
    for each in [*value, *(inner for tool in value for inner in tool.get("tools", []))]:
        callers = each.get("allowed_callers")
        if callers and "direct" not in callers and not writes:
            raise refusal("for_programs_alone", name=name_of(each), programs=PROGRAMS.name)


def _check_deferred(tools: list[Json]) -> None:
    """Deferred tools need a search, and a search needs deferred tools (contract A5)."""
    waiting = any(deferred(tool) for tool in tools)
    search = next((tool for tool in tools if tool["type"] == "tool_search"), None)
    if search is None and waiting:
        raise refusal("deferred_without_search")
    if search is None or search.get("execution") == "client":
        return
    if not waiting:
        raise refusal("search_without_deferred")
    for name in ("description", "parameters"):
        if search.get(name) is not None:
            raise refusal("hosted_search_with", name=name)


def check_each(value: Any, path: str) -> None:
    """A list of tools, wherever it stands: in `tools`, or in an item that brings tools in."""
    if not isinstance(value, list):
        hint = "tools is a list, also for one tool: tools=[tool]."
        raise wrong_type(path, "an array of tools", value, hint)
    _at_most(value, path)
    for index, tool in enumerate(value):
        _type_of(tool, f"{path}[{index}]", "no_such_tool").entry(tool, f"{path}[{index}]")


def _type_of(value: Any, path: str, otherwise: str) -> Tool:
    """The tool that an entry, or a choice, names by its type; or else a refusal by its name."""
    mapping(value, path)
    require(value, path, ("type",))
    text(value["type"], f"{path}.type")
    if value["type"] not in KINDS:
        raise refusal(otherwise, path, kind=value["type"])
    return KINDS[value["type"]]


def check_tool_choice(value: Any, path: str) -> None:
    """The form of `tool_choice`; whether what it names is there, `check_chosen` looks."""
    if isinstance(value, str):
        if value not in MODES:
            raise wrong_value(path, value, MODES, hint=_ANY if value == "any" else None)
    elif not isinstance(value, dict):
        raise refusal("wrong_tool_choice_type", path, got=kind(value))
    else:
        shape("ChosenTools" if value.get("type") == "allowed_tools" else "chosen")(value, path)


_ANY = "'any' is another vendor's word; here it is 'required'."


def _check_named(value: Any, path: str) -> None:
    """One tool named by `tool_choice`, or by the list of `allowed_tools` in it."""
    tool = _type_of(value, path, "no_such_tool_choice")
    if tool.name == "namespace":
        raise refusal("no_such_tool_choice", path, kind=tool.name)
    if not tool.label:
        reject_unknown(value, path, ("type",))
    elif tool.label not in value:
        nested = 'Chat Completions nests the name; here it is {"type": "function", "name": "..."}.'
        raise refusal(
            "missing", f"{path}.{tool.label}", hint=nested if "function" in value else None
        )
    else:
        text(value[tool.label], f"{path}.{tool.label}")


OWN["chosen"] = _check_named


def check_chosen(body: Json) -> None:
    """What `tool_choice` asks for must be there: in `tools`, or brought in by this request.

    A tool that an earlier request brought in can be called, but not chosen by name. What a search
    is to find cannot either, nor the search itself (contract D).
    """
    choice = body.get("tool_choice")
    if choice in (None, "auto", "none"):
        return
    given = body["input"] if isinstance(body["input"], list) else []
    brought = (item["tools"] for item in given if item.get("type") == "additional_tools")
    tools = [*(body.get("tools") or []), *(tool for each in brought for tool in each)]
    if choice == "required" and not tools and not body.get("previous_response_id"):
        raise refusal("required_without_tools")
    if isinstance(choice, dict):
        absent = ("tool_search", "namespace")
        names = {_label(t) for t in tools if t["type"] not in absent and not t.get("defer_loading")}
        for each in choice.get("tools", [choice]):
            if _label(each) not in names:
                raise refusal("chosen_tool_absent", name=_label(each))


def _label(tool: Json) -> str:
    """What `tool_choice` names a tool by: its own name, or else its type."""
    return name_of(tool) if KINDS[tool["type"]].label else str(tool["type"])


def allowed(choice: Any, tools: list[Json]) -> list[Json]:
    """Of tools as the model sees them those it may call: all, or those that the choice lists."""
    if isinstance(choice, str) or choice["type"] not in ("allowed_tools", "mcp"):
        return tools
    wanted = choice.get("tools", [choice])
    return [tool for tool in tools if any(_is_meant(tool, each) for each in wanted)]


def _is_meant(tool: Json, choice: Json) -> bool:
    """Whether a choice names a tool that the model sees."""
    if choice["type"] == "mcp":
        named = choice.get("name") in (None, tool["name"])
        return tool.get("server_label") == choice["server_label"] and named
    return (tool["type"], tool["name"]) == (KINDS[choice["type"]].name, name_of(choice))


def mode(choice: str | Json) -> str | Json:
    """The choice as a model sees it: where `allowed` has narrowed the tools, a mode remains."""
    if isinstance(choice, str):
        return choice
    if choice["type"] in ("allowed_tools", "mcp"):
        return str(choice.get("mode", "required"))
    return {"type": "function", "name": name_of(choice)}
