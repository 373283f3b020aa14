"""Tools on a request: the list of declarations, and `tool_choice` (contract A2, A5).

What one entry holds stands with the tool, in `hosted/`. A tool the platform does not have is
refused by name rather than ignored.
"""

from typing import Any

from .errors import Json, kind, refusal, wrong_type, wrong_value
from .hosted.programs import PROGRAMS
from .hosted.tool import KINDS, name_of
from .hosted.tool_search import deferred
from .rules import anything, array, fields, mapping, one_of, reject_unknown, text

MODES = ("none", "auto", "required")
MAX_TOOLS = 128
# Names that a namespace may not have, beside those of hosted tools (reported).
RESERVED = ("image_gen", *KINDS)
_at_most = array(anything, most=MAX_TOOLS)


def check_tools(value: Any, path: str) -> None:
    """The `tools` of a request: each by itself, then what they are together."""
    check_each(value, path)
    names: set[tuple[str, str]] = set()
    for tool in value:
        name = (KINDS[tool["type"]].label, name_of(tool))
        if name in names:
            raise refusal("tool_twice", name=name[1])
        names.add(name)
        if tool["type"] == "namespace" and tool["name"] in RESERVED:
            raise refusal("namespace_taken", name=tool["name"])
    _check_deferred(value)
    _check_callers(value)


def _check_callers(tools: list[Json]) -> None:
    """A tool for programs alone needs what writes programs."""
    writes = any(tool["type"] == PROGRAMS.name for tool in tools)
    inner = [each for tool in tools for each in tool.get("tools", [])]
    for tool in [*tools, *inner]:
        callers = tool.get("allowed_callers")
        if callers and "direct" not in callers and not writes:
            raise refusal("for_programs_alone", name=name_of(tool), programs=PROGRAMS.name)


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
        place = f"{path}[{index}]"
        mapping(tool, place)
        if "type" not in tool:
            raise refusal("missing", f"{place}.type")
        text(tool["type"], f"{place}.type")
        if tool["type"] not in KINDS:
            raise refusal("no_such_tool", place, kind=tool["type"])
        KINDS[tool["type"]].entry(tool, place)


def check_tool_choice(value: Any, path: str) -> None:
    """The form of `tool_choice`; whether what it names is there, `check_chosen` looks."""
    if isinstance(value, str):
        if value not in MODES:
            raise wrong_value(path, value, MODES, hint=_ANY if value == "any" else None)
        return
    if not isinstance(value, dict):
        raise refusal("wrong_tool_choice_type", path, got=kind(value))
    if value.get("type") == "allowed_tools":
        _allowed_tools(value, path)
    else:
        _check_named(value, path)


_ANY = "'any' is another vendor's word; here it is 'required'."


def _check_named(value: Any, path: str) -> None:
    """One tool named by `tool_choice`, or by the list of `allowed_tools` in it."""
    mapping(value, path)
    if "type" not in value:
        raise refusal("missing", f"{path}.type")
    text(value["type"], f"{path}.type")
    tool = KINDS.get(value["type"])
    if tool is None or value["type"] == "namespace":
        raise refusal("no_such_tool_choice", path, kind=value["type"])
    label = tool.label
    if not label:
        return reject_unknown(value, path, ("type",))
    if label not in value:
        nested = 'Chat Completions nests the name; here it is {"type": "function", "name": "..."}.'
        raise refusal("missing", f"{path}.{label}", hint=nested if "function" in value else None)
    text(value[label], f"{path}.{label}")
    return None


_allowed_tools = fields(
    {"type": text, "mode": one_of("auto", "required"), "tools": array(_check_named)}
)


def check_chosen(body: Json) -> None:
    """What `tool_choice` asks for must be there: in `tools`, or brought in by this request.

    A tool that an earlier request brought in can be called, but not chosen by name.
    """
    choice = body.get("tool_choice")
    if choice in (None, "auto", "none"):
        return
    given = body["input"] if isinstance(body["input"], list) else []
    brought = (item["tools"] for item in given if item.get("type") == "additional_tools")
    tools = [*(body.get("tools") or []), *(tool for each in brought for tool in each)]
    names = {_label(tool) for tool in tools if _may_be_chosen(tool)}
    if choice == "required" and not tools and not body.get("previous_response_id"):
        raise refusal("required_without_tools")
    if not isinstance(choice, dict):
        return
    for each in choice["tools"] if choice["type"] == "allowed_tools" else [choice]:
        if _label(each) not in names:
            raise refusal("chosen_tool_absent", name=_label(each))


def _may_be_chosen(tool: Json) -> bool:
    """What a search is to find cannot be chosen by name, nor the search itself (contract D)."""
    return tool["type"] not in ("tool_search", "namespace") and not tool.get("defer_loading")


def _label(tool: Json) -> str:
    """What `tool_choice` names a tool by: its own name, or else its type."""
    label = KINDS[tool["type"]].label
    return str(tool[label] if label else tool["type"])


def allowed(choice: Any, tools: list[Json]) -> list[Json]:
    """Of tools as the model sees them those it may call: all, or what `allowed_tools` lists."""
    if isinstance(choice, dict) and choice["type"] == "allowed_tools":
        return [tool for tool in tools if any(_is_meant(tool, each) for each in choice["tools"])]
    if isinstance(choice, dict) and choice["type"] == "mcp":
        return [tool for tool in tools if _is_meant(tool, choice)]
    return tools


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
    if choice["type"] == "allowed_tools":
        return str(choice["mode"])
    if choice["type"] == "mcp":
        return "required"
    return {"type": "function", "name": name_of(choice)}
