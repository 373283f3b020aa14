"""Filling a tool's arguments from the request: what the user said, never an invention."""

import re
from dataclasses import dataclass, field
from typing import Any

from .prompt import Json
from .words import Value, words

# What a parameter's own words say it takes; the first that matches decides.
_TAKES: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
    (("email", "mail"), ("email",)),
    (("url", "link"), ("url",)),
    (("date", "day", "since", "until"), ("date",)),
    (("id", "sku", "code", "reference", "ref", "number", "iban"), ("id", "number")),
    (
        ("city", "town", "place", "country", "location", "customer", "person", "name"),
        ("name", "quoted"),
    ),
    (("query", "q", "question", "text", "search", "message", "term"), ("request",)),
]
_ANY_STRING = ("quoted", "id", "name", "email", "url", "date", "number")
_EXAMPLE = re.compile(
    r"(?:e\.?g\.?|for example|such as|like)[,:]?\s+[\"'`]?([\w-]*\w)", re.IGNORECASE
)


@dataclass(slots=True)
class Filled:
    """The arguments found for one tool; `fan_out` are further values for the same parameter."""

    arguments: Json = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    used: list[Value] = field(default_factory=list)
    fan_out: tuple[str, list[Any]] | None = None


def fill(tool: Json, request: str, values: list[Value]) -> Filled:
    """Give each parameter the value of the request that fits it best, required ones first."""
    schema = tool.get("parameters") or {}
    properties, required = schema.get("properties") or {}, schema.get("required") or []
    filled, left = Filled(), list(values)
    for name in sorted(properties, key=lambda each: each not in required):
        parameter = properties[name] if isinstance(properties[name], dict) else {}
        found = fitting(name, parameter, request, left)
        if found:
            value, source, origin = found[0]
            filled.arguments[name], filled.sources[name] = value, source
            if origin is not None:
                left.remove(origin)
                filled.used.append(origin)
            same_kind = [f for f in found[1:] if origin and f[2] and f[2].kind == origin.kind]
            if same_kind and filled.fan_out is None and parameter.get("type") != "array":
                filled.fan_out = (name, [f[0] for f in same_kind])
                filled.used += [f[2] for f in same_kind if f[2]]
                left = [value for value in left if value not in filled.used]
        elif "default" in parameter and tool.get("strict"):
            filled.arguments[name], filled.sources[name] = parameter["default"], "its default"
        elif name in required and allows(parameter, "null"):
            filled.arguments[name], filled.sources[name] = None, "not said, so null"
        elif name in required:
            filled.missing.append(name)
    return filled


def guess(parameter: Any) -> Any:
    """The plainest value of the right form, where one is needed and nothing was said."""
    if not isinstance(parameter, dict):
        return ""
    if parameter.get("enum"):
        return parameter["enum"][0]
    if "minimum" in parameter and not allows(parameter, "string"):
        return parameter["minimum"]
    for kind, value in (
        ("string", ""),
        ("integer", 0),
        ("number", 0),
        ("boolean", False),
        ("array", []),
    ):
        if allows(parameter, kind):
            return value
    return {}


def fitting(
    name: str, parameter: Json, request: str, values: list[Value]
) -> list[tuple[Any, str, Value | None]]:
    """(argument, where it came from, the value it used up) for all that fit, best first."""
    if parameter.get("enum"):
        for member in parameter["enum"]:
            if re.search(rf"\b{re.escape(str(member))}\b", request, re.IGNORECASE):
                return [(member, f"'{member}' in the request", None)]
        return []
    if not allows(parameter, "string"):
        if not (allows(parameter, "integer") or allows(parameter, "number")):
            return []
        whole_only = not allows(parameter, "number")
        numbers = [v for v in values if v.kind == "number" and not (whole_only and "." in v.text)]
        return [(_number(v), "the number in the request", v) for v in numbers]
    if parameter.get("pattern"):
        return [(v.text, f"fits the pattern {parameter['pattern']}", v) for v in values
                if _matches(parameter["pattern"], v.text)]  # fmt: skip
    kinds = _kinds(name, parameter)
    if kinds == ("request",):
        return [(request, "the request itself", None)]
    fitting = [v for kind in kinds for v in values if v.kind == kind]
    example = _EXAMPLE.search(parameter.get("description", ""))
    if example:
        fitting.sort(key=lambda v: _shape(v.text) != _shape(example.group(1)))
    return [(v.text, f"{_KIND_NAMES[v.kind]} in the request", v) for v in fitting]


_KIND_NAMES = {
    "quoted": "the quotation", "email": "the address", "url": "the link", "date": "the date",
    "id": "the identifier", "number": "the number", "name": "the name",
}  # fmt: skip


def _kinds(name: str, parameter: Json) -> tuple[str, ...]:
    """The kinds of value a string parameter takes, by its name first, then its description."""
    for said in (words(name), words(parameter.get("description", ""))):
        for cues, kinds in _TAKES:
            if any(cue in said for cue in cues):
                return kinds
    return _ANY_STRING


def allows(parameter: Any, kind: str) -> bool:
    if not isinstance(parameter, dict):  # `true` is a schema too, and allows anything
        return parameter is True
    types = parameter.get("type")
    if types is None and "anyOf" in parameter:
        return any(allows(option, kind) for option in parameter["anyOf"])
    return types is None or types == kind or (isinstance(types, list) and kind in types)


def _number(value: Value) -> int | float:
    return int(value.text) if value.text.lstrip("-").isdigit() else float(value.text)


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return False


def _shape(text: str) -> str:
    """`A-104` → `A-9`: runs of digits and of capitals each become one mark."""
    return re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"\d+", "9", text)))
