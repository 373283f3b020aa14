"""A small vocabulary for saying what a field may hold.

A rule is a function `(value, path) -> None` that raises the API's error when the value does
not fit (contract A2). `shapes.py` makes rules with these words of what `data/requests.txt` says.
"""

from collections.abc import Callable
from typing import Any

from .errors import Json, missing, quoted, refusal, unknown_parameter, wrong_type, wrong_value

Rule = Callable[[Any, str], None]


def anything(value: Any, path: str) -> None:
    """No constraint: the field is accepted as it is."""


def _of_type(python_type: type, expected: str) -> Rule:
    def check(value: Any, path: str) -> None:
        if not isinstance(value, python_type):
            raise wrong_type(path, expected, value)

    return check


text = _of_type(str, "a string")
boolean = _of_type(bool, "a boolean")
mapping = _of_type(dict, "an object")
_metadata = _of_type(dict, "a metadata object")


def up_to(most: int) -> Rule:
    """A text of at most so many characters."""

    def check(value: Any, path: str) -> None:
        text(value, path)
        if len(value) > most:
            raise refusal("string_too_long", path, most=most, length=len(value))

    return check


def metadata(value: Any, path: str) -> None:
    """At most 16 pairs of short texts."""
    _metadata(value, path)
    if len(value) > 16:
        raise refusal("too_many_properties", path, most=16, length=len(value))
    for name, member in value.items():
        up_to(64)(name, f"{path}.{name}")
        up_to(512)(member, f"{path}.{name}")


def nullable(rule: Rule) -> Rule:
    def check(value: Any, path: str) -> None:
        if value is not None:
            rule(value, path)

    return check


def integer(minimum: int | None = None, maximum: int | None = None) -> Rule:
    return _number("integer", "an integer", int, minimum, maximum)


def decimal(minimum: float | None = None, maximum: float | None = None) -> Rule:
    return _number("decimal", "a decimal", (int, float), minimum, maximum)


def _number(
    noun: str, expected: str, python_type: Any, minimum: float | None, maximum: float | None
) -> Rule:
    def check(value: Any, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, python_type):
            raise wrong_type(path, expected, value)
        if minimum is not None and value < minimum:
            raise refusal("below_minimum", path, noun=noun, bound=minimum, value=value)
        if maximum is not None and value > maximum:
            raise refusal("above_maximum", path, noun=noun, bound=maximum, value=value)

    return check


def one_of(*supported: str) -> Rule:
    def check(value: Any, path: str) -> None:
        if not isinstance(value, str):
            raise wrong_type(path, f"one of {quoted(supported, 'or')}", value)
        if value not in supported:
            raise wrong_value(path, value, supported)

    return check


def by_type(expected: str, kinds: dict[type, Rule]) -> Rule:
    """A value of one of several types, each with a rule of its own."""

    def check(value: Any, path: str) -> None:
        if type(value) not in kinds:
            raise wrong_type(path, expected, value)
        kinds[type(value)](value, path)

    return check


def array(rule: Rule, of: str = "", least: int = 0, most: int | None = None) -> Rule:
    """A list; `of` is the API's word for its members."""
    is_list = _of_type(list, f"an array of {of}" if of else "an array")

    def check(value: Any, path: str) -> None:
        is_list(value, path)
        if len(value) < least:
            raise refusal("empty_array", path)
        for index, member in enumerate(value):
            rule(member, f"{path}[{index}]")
        if most is not None:
            short(value, path, most)

    return check


def short(value: list[Any], path: str, most: int) -> None:
    """A list of at most so many."""
    if len(value) > most:
        raise refusal("array_too_long", path, most=most, length=len(value))


def fields(
    required: dict[str, Rule], optional: dict[str, Rule] | None = None, *, more: bool = False
) -> Rule:
    """An object with these keys: what is missing is named first, then what is unknown.

    Where `more` is true, other keys are let pass. The path of a whole request body is the empty
    one.
    """
    known = required | (optional or {})
    names = tuple(known)

    def check(value: Any, path: str) -> None:
        mapping(value, path)
        require(value, path, required)
        if not more:
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
            raise missing(f"{path}.{name}" if path else name)


def reject_unknown(
    value: Json, path: str, known: tuple[str, ...], hints: dict[str, str] | None = None
) -> None:
    """`hints` holds what to tell a learner about names that are often sent by mistake."""
    for name in value:
        if name not in known:
            hint = (hints or {}).get(name)
            raise unknown_parameter(f"{path}.{name}" if path else name, name, known, value, hint)
