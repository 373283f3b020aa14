"""Tools that items of the context bring in, and what a reply shows of them (contract A3, D)."""

from .errors import Json, refusal
from .hosted import KINDS, name_of
from .hosted.tool_search import BRINGS_TOOLS, as_loaded, deferred, path_of


def loaded_tools(items: list[Json], declared: list[Json]) -> list[Json]:
    """What a search or an `additional_tools` item brought in, as entries, oldest first.

    A function alone stands in a namespace of its own name, as recorded; but what a client's own
    search brings stands beside the declared ones, until it is called by its namespace.
    """
    declared_names = {name_of(tool) for tool in declared}
    called_inside = {item.get("name") for item in items if item.get("namespace")}
    found: list[Json] = []
    for item in items:
        if item.get("type") not in BRINGS_TOOLS:
            continue
        by = item.get("execution")
        for tool in item["tools"]:
            name = name_of(tool)
            beside = by == "client" or (by != "server" and name in declared_names)
            alone = name in called_inside or not beside
            found.append(as_loaded(KINDS[tool["type"]].echo(tool), alone=alone))
    return found


def echoed(declared: list[Json], loaded: list[Json]) -> list[Json]:
    """The `tools` of a reply: what was deferred and has been loaded shows how it may be called."""
    if not any(tool["type"] == "tool_search" for tool in declared):
        return declared
    brought = {path_of(tool): tool for tool in loaded}
    shown = [
        brought.get(path_of(tool), tool) if tool["type"] != "namespace" and deferred(tool) else tool
        for tool in declared
    ]
    made = [tool for tool in shown if tool["type"] == "namespace" and tool not in declared]
    search = [tool for tool in shown if tool["type"] == "tool_search"]
    rest = [tool for tool in shown if tool not in search and tool not in made]
    return [*rest, *search, *made]


def check_namespaces(new: list[Json], declared: list[Json], loaded: list[Json]) -> None:
    """A call of a loaded tool names its namespace: the default one does not know it."""
    plain = (tool for tool in [*declared, *loaded] if tool["type"] in ("function", "custom"))
    default = {tool["name"] for tool in plain if not deferred(tool)}
    inside = {inner["name"] for tool in loaded for inner in tool.get("tools", [])}
    for item in new:
        if item.get("type") == "function_call" and not item.get("namespace"):
            name = item["name"]
            if name in inside and name not in default:
                raise refusal("missing_namespace", name=name)
