"""The table of requests, `data/requests.txt`, made into rules.

The table says what each endpoint accepts, one shape after the other; `shape` makes a rule of one.
What no table can say is a rule written in Python, which the table names like a shape.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from . import rules
from .errors import quoted
from .rules import Rule

TABLE = Path(__file__).with_name("data") / "requests.txt"


def shape(name: str, **own: Rule) -> Rule:
    """A rule for one shape of the table; `own` are the rules it names that Python brings along."""
    if not shapes()[name].startswith("\n"):  # one of several
        return _rule(shapes()[name], own)
    required, optional = shape_fields(name, **own)
    return rules.fields(required, optional, more="\n  ..." in shapes()[name])


def shape_fields(name: str, **own: Rule) -> tuple[dict[str, Rule], dict[str, Rule]]:
    """The rules of a shape's fields: those that must be there, and the others."""
    written = re.findall(r"^  (\w+)(\??): (.+)$", shapes()[name], re.M)
    made = [(field, optional, _rule(what, own)) for field, optional, what in written]
    return (
        {field: each for field, optional, each in made if not optional},
        {field: each for field, optional, each in made if optional},
    )


@cache
def shapes() -> dict[str, str]:
    """The text of each shape by its name: the lines of its fields, or the list of its words."""
    table = re.sub(" *#.*", "", TABLE.read_text(encoding="utf-8"))
    listed = re.findall(r"^(\w+) = (.+(?:\n  .+)*)", table, re.M)
    return dict(re.findall(r"^(\w+) {(\n(?:  .+\n)+)}", table, re.M)) | {
        name: " ".join(words.split()) for name, words in listed
    }


_WORDS: dict[str, Callable[[int | None, int | None], Rule]] = {
    "string": lambda least, most: rules.up_to(most) if most else rules.text,
    "integer": rules.integer,
    "decimal": rules.decimal,
    "boolean": lambda least, most: rules.boolean,
    "object": lambda least, most: rules.mapping,
    "metadata": lambda least, most: rules.metadata,
    "any": lambda least, most: rules.anything,
}
_SIZED = re.compile(r"(\[?)(\w+)\]?(?: (-?\d*)\.\.(\d*))?")


def _rule(written: str, own: dict[str, Rule]) -> Rule:
    options = written.split(" | ")
    if options[-1] == "null":
        return rules.nullable(_rule(" | ".join(options[:-1]), own))
    if written.startswith("'"):
        return rules.one_of(*_words(written))
    if len(options) > 1 and options[0] in _BESIDE_AN_OBJECT:
        python_type, said = _BESIDE_AN_OBJECT[options[0]]
        by_type = {python_type: _rule(options[0], own), dict: _rule(options[1], own)}
        return rules.by_type(f"one of {said} or object", by_type)
    if len(options) > 1:
        return _tagged(options, own)
    found = _SIZED.fullmatch(written)
    assert found, written
    is_list, name = found[1], found[2]
    least, most = (int(each) if each else None for each in (found[3], found[4]))
    if is_list:
        return rules.array(_rule(name, own), _members(name), least or 0, most)
    if name in _WORDS:
        return _WORDS[name](least, most)
    return own[name] if name in own else shape(name, **own)


# What may be sent in place of an object, and the API's words for it.
_BESIDE_AN_OBJECT: dict[str, tuple[type, str]] = {
    "string": (str, "a string"), "[string]": (list, "an array of strings"),
}  # fmt: skip


def _members(name: str) -> str:
    """The API's word for the members of a list; it cuts long names where it lists them all."""
    words = shapes().get(name, "")
    if words.startswith("'"):
        cut = (f"{each[:3]}...{each[-3:]}" if len(each) > 9 else each for each in _words(words))
        return f"one of {quoted(tuple(cut), 'or')}"
    return "objects" if name[0].isupper() else ""


def _words(written: str) -> list[str]:
    return re.findall("'(.+?)'", written)


def _tagged(names: list[str], own: dict[str, Rule]) -> Rule:
    """An object of one of these shapes: the word in the first field of each is its own."""
    kinds: dict[str, Rule] = {}
    tag = ""
    for name in names:
        tag, _, words = shapes()[name].split("\n")[1].strip().partition(": ")
        kinds |= dict.fromkeys(_words(words), shape(name, **own))
    return rules.tagged(tag, **kinds)
