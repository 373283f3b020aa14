"""A call completed, nested and checked before it is made."""

from collections.abc import Iterator
from typing import Any

from .fill import Call
from .parameters import Parameter
from .prompt import Json
from .schema import DEEPEST, Writer, enum_of, is_valid, properties_of, resolve

_ABSENT = object()


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
            data = _ABSENT
        if data is _ABSENT and parameter.required:
            for choice, source in _unsaid(parameter, root, forced):
                if is_valid(choice, parameter.schema, root):
                    data, call.sources[parameter.label] = choice, source
                    break
            else:
                missing.append(parameter)
        if data is not _ABSENT:
            into = made
            for step in parameter.path[:-1]:
                into = into.setdefault(step, {})
            into[parameter.path[-1]] = data
    _complete(root, root, made)
    if missing or is_valid(made, root, root):
        return made, missing
    known = properties_of(root)
    made = {name: data for name, data in made.items() if is_valid(data, known.get(name), root)}
    if is_valid(made, root, root):
        return made, []
    return made, [p for p in call.tool.required if p.path[0] not in made] or call.tool.parameters[
        :1
    ]


def _unsaid(parameter: Parameter, root: Json, forced: bool) -> Iterator[tuple[Any, str]]:
    """What may be sent for a required parameter that was not said, the best first."""
    schema, members = parameter.schema, enum_of(parameter.schema)
    if "default" in schema:
        yield schema["default"], "its default"
    if "null" in parameter.types:
        yield None, "not said, so null"
    if parameter.told_default is not None:
        yield parameter.told_default, "the default that its description tells"
    if "boolean" in parameter.types:
        yield False, "nobody asked for it"
    if len(members) == 1:
        yield members[0], "the only value there is"
    if parameter.role == "secret" or {"api", "key"} <= {*parameter.own_words}:
        yield f"demo-{parameter.path[-1]}", "made up: nobody said it"
    if forced:
        guess = Writer(root, lambda path: [] if path else [*parameter.examples]).write(schema)
        yield guess, "a guess: the call was forced and nothing was said"


def _complete(root: Json, schema: Json, made: Json, depth: int = 0) -> None:
    """Give required objects that hold nothing required their empty form."""
    for name, own in properties_of(schema).items():
        inner = resolve(root, own)
        if properties_of(inner) and depth < DEEPEST:
            if name in (schema.get("required") or ()):
                made.setdefault(name, {})
            if isinstance(made.get(name), dict):
                _complete(root, inner, made[name], depth + 1)
