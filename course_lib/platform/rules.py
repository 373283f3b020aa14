"""What a field may hold: a small vocabulary of rules, and the table that is written in it.

A rule is a function `(value, path) -> None` that raises the API's error when the value does not
fit (contract A2). The table, `data/requests.txt`, says what each endpoint accepts, one shape after
the other; `shape` makes a rule of one. What no table can say is a rule written in Python, which the
table names like a shape.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from .errors import Json, quoted, refusal, wrong_type, wrong_value

Rule = Callable[[Any, str], None]
NEAR = 2  # edits
_PARSED = (
    "responses.parse() added this field for you; the API does not take it back. Send the item "
    "without it: item.model_dump(exclude={...})."
)
_NESTED = (
    "This is the Chat Completions shape. Take the inner object out: name, description, "
    'parameters and strict stand beside "type": "function".'
)
# What to tell a learner about names that are often sent by mistake.
HINTS = {
    "max_tokens": "Chat Completions says max_tokens; here it is max_output_tokens.",
    "max_completion_tokens": "Here it is max_output_tokens.",
    "functions": "Functions are declared in tools.",
    "logprobs": 'Ask with include=["message.output_text.logprobs"].',
    "parsed_arguments": _PARSED,
    "parsed": _PARSED,
    "tool_calls": "Chat Completions puts calls inside a message; here each is an item of its own, "
    '{"type": "function_call", ...}: send the items of response.output.',
    "async_": "model_dump() writes the SDK's own names. Send the item itself, or item.to_dict().",
    "tool_call_id": "Chat Completions says tool_call_id; here it is call_id.",
}
TABLE = Path(__file__).with_name("data") / "requests.txt"


# --- The vocabulary


def anything(value: Any, path: str) -> None:
    """No constraint: the field is accepted as it is."""


def absent(value: Any, path: str) -> None:
    """A field that the API has, and the platform does not: refused rather than ignored."""
    raise refusal("absent", path)


def of_type(
    python_type: Any, expected: str, least: float | None = None, most: float | None = None,
    inside: Rule = anything,
) -> Rule:  # fmt: skip
    """A value of one type: a number within bounds, or what holds so many; and what is `inside`."""
    noun = expected.partition(" ")[2]

    def check(value: Any, path: str) -> None:
        if not isinstance(value, python_type) or (isinstance(value, bool) and noun != "boolean"):
            raise wrong_type(path, expected, value)
        if least is not None or most is not None:
            size = value if isinstance(value, int | float) else len(value)
            if least is not None and size < least:
                name = "empty_array" if python_type is list else "below_minimum"
                raise refusal(name, path, noun=noun, bound=least, size=size)
            if most is not None and size > most:
                raise refusal(_TOO_MUCH[python_type], path, noun=noun, bound=most, size=size)
        inside(value, path)

    return check


_NUMBER = (int, float)
_TOO_MUCH = {
    str: "string_too_long", list: "array_too_long", dict: "too_many_properties",
    int: "above_maximum", _NUMBER: "above_maximum",
}  # fmt: skip
text, mapping = of_type(str, "a string"), of_type(dict, "an object")


def up_to(most: int) -> Rule:
    """A text of at most so many characters."""
    return of_type(str, "a string", most=most)


def array(rule: Rule, of: str = "", least: int | None = None, most: int | None = None) -> Rule:
    """A list; `of` is the API's word for its members."""

    def members(value: Any, path: str) -> None:
        for index, member in enumerate(value):
            rule(member, f"{path}[{index}]")

    return of_type(list, f"an array of {of}" if of else "an array", least, most, members)


def _pairs(value: Json, path: str) -> None:
    for name, member in value.items():
        up_to(64)(name, f"{path}.{name}")
        up_to(512)(member, f"{path}.{name}")


metadata = of_type(dict, "a metadata object", most=16, inside=_pairs)


def nullable(rule: Rule) -> Rule:
    return lambda value, path: None if value is None else rule(value, path)


def one_of(*supported: str) -> Rule:
    def check(value: Any, path: str) -> None:
        if not isinstance(value, str):
            raise wrong_type(path, f"one of {quoted(supported, 'or')}", value)
        if value not in supported:
            raise wrong_value(path, value, supported)

    return check


def fields(
    required: dict[str, Rule], optional: dict[str, Rule], *, more: bool = False, item: bool = False
) -> Rule:
    """An object with these keys: what is missing is named first, then what is unknown.

    Of an item it is the other way round. Where `more` is true, other keys are let pass. The path
    of a whole request body is the empty one.
    """
    known = required | optional
    names = tuple(known)

    def check(value: Any, path: str) -> None:
        mapping(value, path)
        if item and not more:
            reject_unknown(value, path, names)
        require(value, path, required)
        if not item and not more:
            reject_unknown(value, path, names)
        for name, rule in known.items():
            if name in value:
                rule(value[name], f"{path}.{name}" if path else name)

    return check


def tagged(tag: str = "type", /, **kinds: Rule) -> Rule:
    """An object whose `type` (or another tag) says which of these rules it keeps."""
    known = one_of(*kinds)

    def check(value: Any, path: str) -> None:
        mapping(value, path)
        require(value, path, (tag,))
        known(value[tag], f"{path}.{tag}")
        kinds[value[tag]](value, path)

    return check


def require(value: Json, path: str, names: dict[str, Rule] | tuple[str, ...]) -> None:
    for name in names:
        if name not in value:
            hint = _NESTED if name == "name" and "function" in value else None
            raise refusal("missing", f"{path}.{name}" if path else name, hint=hint)


def reject_unknown(value: Json, path: str, known: tuple[str, ...]) -> None:
    """Of names within two edits the nearest are offered, but none that was sent already."""
    for name in value:
        if name in known:
            continue
        found = sorted((_edits(name, each, NEAR), each) for each in known if each not in value)
        near = [repr(each) for edits, each in found[:2] if edits <= NEAR]
        nearest = f" Did you mean {' or '.join(near)}?" if near else ""
        place = f"{path}.{name}" if path else name
        raise refusal("unknown_parameter", place, hint=HINTS.get(name), nearest=nearest)


def _edits(a: str, b: str, most: int) -> int:
    """How many single-character edits turn `a` into `b` (Levenshtein); more than `most` will do."""
    if a[:1] == b[:1]:
        return _edits(a[1:], b[1:], most) if a else 0
    if not most:
        return 1
    options = ((a[1:], b[1:]), (a[1:], b), (a, b[1:]))  # replace, leave out, put in
    return 1 + min(_edits(*each, most - 1) for each in options)


# --- The table


def shape(name: str) -> Rule:
    """A rule by its name: that of the table, and then what Python adds to it.

    It is read from the table when it is needed first.
    """

    def check(value: Any, path: str) -> None:
        for each in _named(name):
            each(value, path)

    return check


@cache
def _named(name: str) -> tuple[Rule, ...]:
    if name not in shapes():
        return (OWN[name],)
    own = (OWN[name],) if name in OWN else ()
    if not shapes()[name].startswith("\n"):  # one of several, or another name
        return (rule(shapes()[name]), *own)
    required, optional = shape_fields(name)
    item = name[0].islower()  # it is the type of one, or of a part of what is said
    if item:
        in_all = ("type",) if name in words("ContentType") else ("type", "id")
        optional = dict.fromkeys(in_all, anything) | optional
    return (fields(required, optional, more="\n  ..." in shapes()[name], item=item), *own)


def shape_fields(name: str) -> tuple[dict[str, Rule], dict[str, Rule]]:
    """The rules of a shape's fields: those that must be there, and the others."""
    made: dict[str, dict[str, Rule]] = {"": {}, "?": {}}
    for field, optional, written in re.findall(r"^  (\w+)(\??): (.+)$", shapes()[name], re.M):
        made[optional][field] = rule(written)
    return made[""], made["?"]


@cache
def shapes() -> dict[str, str]:
    """The text of each shape by its name: the lines of its fields, or the list of its words."""
    table = re.sub(" *#.*", "", TABLE.read_text(encoding="utf-8"))
    listed = re.findall(r"^(\w+) = (.+(?:\n  .+)*)", table, re.M)
    return dict(re.findall(r"^(\w+) {(\n(?:  .+\n)+)}", table, re.M)) | {
        name: " ".join(words.split()) for name, words in listed
    }


def words(name: str) -> tuple[str, ...]:
    """A list of words of the table."""
    return tuple(_quotes(shapes()[name]))


_TYPES: dict[str, tuple[Any, str]] = {
    "string": (str, "a string"), "integer": (int, "an integer"), "decimal": (_NUMBER, "a decimal"),
    "boolean": (bool, "a boolean"), "object": (dict, "an object"),
}  # fmt: skip
# What Python adds. Under the name of a shape a rule is looked at after it; others stand alone.
OWN: dict[str, Rule] = {"any": anything, "absent": absent, "metadata": metadata}


@cache
def rule(written: str) -> Rule:
    """A rule as the table writes it: `string ..64`, `[string] 1.. | null`, `One | Other`."""
    *others, last = written.split(" | ")
    if last == "null":
        return nullable(rule(" | ".join(others)))
    if written.startswith("'"):
        return one_of(*_quotes(written))
    if others and others[0] in ("string", "[string]"):
        options = [others[0], last]
        words = " or ".join(_kind(each)[1] for each in options)
        kinds = {_kind(each)[0]: rule(each) for each in options}
        return _by_type(f"one of {'an' if words[0] == 'a' else 'a'} {words}", kinds)
    if others:
        return _one_of_shapes([*others, last])
    found = re.fullmatch(r"(\[?)(\w+)\]?(?: (-?\d*)\.\.(\d*))?", written)
    assert found, written
    name = found[2]
    least, most = (int(each) if each else None for each in (found[3], found[4]))
    if found[1]:
        return array(rule(name), _members(name), least, most)
    return of_type(*_TYPES[name], least, most) if name in _TYPES else shape(name)


def _kind(written: str) -> tuple[type, str]:
    """The type of what stands beside another, and the API's word for it."""
    if written.startswith("["):
        return list, "array of strings" if written[1:7] == "string" else "array of objects"
    return (str, "string") if written == "string" else (dict, "object")


def _by_type(expected: str, kinds: dict[type, Rule]) -> Rule:
    """A value of one of several types, each with a rule of its own."""

    def check(value: Any, path: str) -> None:
        if type(value) not in kinds:
            raise wrong_type(path, expected, value)
        kinds[type(value)](value, path)

    return check


def _members(name: str) -> str:
    """The API's word for the members of a list; it cuts long names where it lists them all."""
    words = shapes().get(name, "")
    if words.startswith("'"):
        cut = (f"{each[:3]}...{each[-3:]}" if len(each) > 9 else each for each in _quotes(words))
        return f"one of {quoted(tuple(cut), 'or')}"
    return "objects" if name[0].isupper() else ""


def _quotes(written: str) -> list[str]:
    return re.findall("'(.+?)'", written)


def _one_of_shapes(names: list[str]) -> Rule:
    """An object of one of these shapes: the word in the first field of each is its own."""
    kinds: dict[str, Rule] = {}
    tag = ""
    for name in names:
        tag, _, words = shapes()[name].split("\n")[1].strip().partition(": ")
        kinds |= dict.fromkeys(_quotes(words), shape(name))
    return tagged(tag, **kinds)
