"""A call in the making: its arguments by label, completed, nested and checked before it is made."""

from dataclasses import dataclass, field
from typing import Any

from .catalogue import Tool
from .fill import Filled
from .parameters import Parameter, enum_of, resolve, types_of
from .prompt import Json
from .valid import is_valid

DEEPEST = 8
_ABSENT = object()


@dataclass(slots=True, eq=False)
class Call:
    """One call of `tool`. `missing` are the required parameters that nothing fills."""

    tool: Tool
    arguments: Json
    sources: dict[str, str]
    missing: list[Parameter] = field(default_factory=list)
    used: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, tool: Tool, filled: Filled) -> "Call":
        return cls(
            tool, dict(filled.arguments), dict(filled.sources), list(filled.missing),
            dict(filled.used),
        )  # fmt: skip

    def take(self, parameter: Parameter, data: Any, source: str) -> None:
        self.arguments[parameter.label], self.sources[parameter.label] = data, source
        self.missing = [each for each in self.missing if each is not parameter]

    def copy(self, **changed: Any) -> "Call":
        """The same call with some arguments changed."""
        made = Call(
            self.tool, {**self.arguments, **changed}, dict(self.sources), list(self.missing)
        )
        made.missing = [p for p in made.missing if p.label not in made.arguments]
        return made


def finish(call: Call, forced: bool = False) -> tuple[Json, list[Parameter]]:
    """The arguments as they are sent, valid against the schema, and what is still missing.

    A parameter that must be sent and was not said takes its default, or null; a secret is made
    up. A forced call guesses the rest.
    """
    root = call.tool.schema
    made: Json = {}
    missing: list[Parameter] = []
    for parameter in call.tool.parameters:
        data = call.arguments.get(parameter.label, _ABSENT)
        if data is not _ABSENT and not is_valid(data, parameter.schema, root):
            del call.arguments[parameter.label]
            data = _ABSENT
        if data is _ABSENT and parameter.required:
            data = _unsaid(call, parameter, forced)
            if data is _ABSENT:
                missing.append(parameter)
        if data is not _ABSENT:
            _put(made, parameter.path, data)
    _complete(root, root, made, 0)
    if not missing and not is_valid(made, root, root):
        missing = _drop_invalid(call, made, root)
    return made, missing


def _unsaid(call: Call, parameter: Parameter, forced: bool) -> Any:
    """What is sent for a required parameter that was not said; `_ABSENT` when it must be asked."""
    schema, root = parameter.schema, call.tool.schema
    members = enum_of(schema)
    choices: list[tuple[Any, str]] = []
    if "default" in schema:
        choices.append((schema["default"], "its default"))
    if "null" in parameter.types:
        choices.append((None, "not said, so null"))
    if parameter.told_default is not None:
        choices.append((parameter.told_default, "the default that its description tells"))
    if "boolean" in parameter.types:
        choices.append((False, "nobody asked for it"))
    if parameter.role == "language" and {"text", "written"} & parameter.cues.keys():
        choices.append(("English", "the language that the request is written in"))
    if len(members) == 1:
        choices.append((members[0], "the only value there is"))
    if parameter.role == "secret" or (
        "key" in parameter.own_words and "api" in parameter.own_words
    ):
        choices.append((f"demo-{parameter.name}", "made up: nobody said it"))
    if forced:
        said = "a guess: the call was forced and nothing was said"
        choices += [(guess, said) for guess in guesses(schema, root, parameter.examples)]
    for data, source in choices:
        if is_valid(data, schema, root):
            call.arguments[parameter.label], call.sources[parameter.label] = data, source
            return data
    return _ABSENT


def guesses(schema: Json, root: Json, examples: tuple[str, ...] = (), depth: int = 0) -> list[Any]:
    """Plain values that may fit a schema, the plainest first."""
    schema = resolve(root, schema)
    found: list[Any] = [*enum_of(schema), *examples]
    low = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    kinds = types_of(schema)
    if "object" in kinds and depth < DEEPEST:
        made: Json = {}
        for name in schema.get("required") or ():
            inner = guesses((schema.get("properties") or {}).get(name) or {}, root, (), depth + 1)
            made[name] = inner[0] if inner else None
        found.append(made)
    if "array" in kinds:
        items = guesses(schema.get("items") or {}, root, (), depth + 1) if depth < DEEPEST else []
        wanted = min(int(schema.get("minItems", 0)), 1000)
        found.append([items[0] if items else None] * wanted)
    plain: dict[str, list[Any]] = {
        "string": ["", "unknown", "x" * min(int(schema.get("minLength", 0)), 1000)],
        "integer": [low, 1], "number": [low, 1], "boolean": [False], "null": [None],
    }  # fmt: skip
    for kind in plain:
        found += plain[kind] if kind in kinds or not kinds else []
    return [each for each in found if is_valid(each, schema, root)][:3]


def _put(into: Json, path: tuple[str, ...], data: Any) -> None:
    for step in path[:-1]:
        into = into.setdefault(step, {})
    into[path[-1]] = data


def _complete(root: Json, schema: Json, made: Json, depth: int) -> None:
    """Give required objects that hold nothing required their empty form."""
    properties = schema.get("properties")
    for name, own in (properties if isinstance(properties, dict) else {}).items():
        inner = resolve(root, own)
        if "object" in types_of(inner) and depth < DEEPEST:
            if name in (schema.get("required") or ()) and inner.get("properties"):
                made.setdefault(name, {})
            if isinstance(made.get(name), dict):
                _complete(root, inner, made[name], depth + 1)


def _drop_invalid(call: Call, made: Json, root: Json) -> list[Parameter]:
    """Leave out what does not fit; what may not be left out is missing."""
    properties = root.get("properties") or {}
    for name in list(made):
        if not is_valid(made[name], properties.get(name, {}), root):
            del made[name]
    if is_valid(made, root, root):
        return []
    required = [p for p in call.tool.parameters if p.path[0] not in made]
    return required or list(call.tool.parameters[:1])
