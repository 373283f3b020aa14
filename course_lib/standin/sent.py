"""What is sent for a function: its arguments, nested, and valid against its schema.

A call for which that cannot be had is not made; what is missing is asked for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .fill import Call
from .prompt import Json
from .schema import Writer, enum_of, properties_of, resolve, validator
from .tool import Parameter


@dataclass(slots=True)
class Sent:
    """A call as it is made; it is not made while something is missing."""

    name: str
    arguments: Json
    missing: list[Parameter] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)  # by argument


def finish(call: Call, forced: bool = False) -> Sent:
    """A call with its arguments nested and valid against the schema."""
    tool, root, sent = call.tool, call.tool.schema, Sent(call.tool.name, {})
    for parameter in tool.parameters:
        for data, source in _choices(parameter, call, forced):
            if parameter.accepts(data):
                into, sent.sources[parameter.path[0]] = sent.arguments, source
                for step in parameter.path[:-1]:
                    into = into.setdefault(step, {})
                into[parameter.path[-1]] = data
                break
        else:
            sent.missing += [parameter] * parameter.required
    known = properties_of(root)
    for name in root.get("required", ()):  # an object of which nothing is required is sent empty
        if properties_of(resolve(root, known.get(name))):
            sent.arguments.setdefault(name, {})
    if not sent.missing and not tool.accepts(sent.arguments):
        # an object that may be left out is, if it is not whole
        whole = {k: v for k, v in sent.arguments.items() if validator(known[k], root)(v)}
        sent.arguments = whole
        if not tool.accepts(whole):
            lacking = [each for each in tool.required if each.path[0] not in whole]
            sent.missing = lacking or tool.parameters[:1]
    return sent


def _choices(parameter: Parameter, call: Call, forced: bool) -> Iterator[tuple[Any, str]]:
    """What may be sent for a parameter, the best first, and where it is from.

    What must be sent and was not said is its default, or null; a secret is made up.
    """
    schema, members, label = parameter.schema, enum_of(parameter.schema), parameter.label
    if label in call.arguments:
        yield call.arguments[label], call.sources.get(label, "")
    if not parameter.required:
        return
    if "default" in schema:
        yield schema["default"], "its default"
    if "null" in parameter.types:
        yield None, "not said, so null"
    if "boolean" in parameter.types:
        yield False, "nobody asked for it"
    if len(members) == 1:
        yield members[0], "the only value there is"
    if parameter.role == "secret" or {"api", "key"} <= {*parameter.own_words}:
        yield f"demo-{parameter.path[-1]}", "made up: nobody said it"
    if forced:
        guess = Writer(call.tool.schema, lambda path: [] if path else [*parameter.examples])
        yield guess.write(schema), "a guess: the call was forced"
