"""A small vocabulary for saying what a field may hold.

A rule is a function `(value, path) -> None` that raises the API's error when the value does
not fit (contract A2). The tables in `contract.py`, `items.py` and `tools.py` are written with
these words, so they read like the API's reference.
"""

from collections.abc import Callable
from typing import Any

from .errors import (
    ApiError,
    Json,
    missing,
    quoted,
    unknown_parameter,
    wrong_type,
    wrong_value,
)

Rule = Callable[[Any, str], None]


def anything(value: Any, path: str) -> None:
    """No constraint: the field is accepted as it is."""


def text(value: Any, path: str) -> None:
    if not isinstance(value, str):
        raise wrong_type(path, "a string", value)


def up_to(length: int) -> Rule:
    """A text of at most `length` characters."""

    def check(value: Any, path: str) -> None:
        text(value, path)
        if len(value) > length:
            raise ApiError(
                f"Invalid '{path}': string too long. Expected a string with maximum length "
                f"{length}, but got a string with length {len(value)} instead.",
                param=path,
                code="string_above_max_length",
            )

    return check


def metadata(value: Any, path: str) -> None:
    """At most 16 pairs of short texts."""
    if not isinstance(value, dict):
        raise wrong_type(path, "a metadata object", value)
    if len(value) > 16:
        raise ApiError(
            f"Invalid '{path}': too many properties. Expected an object with at most 16 "
            f"properties, but got an object with {len(value)} properties instead.",
            param=path,
            code="object_above_max_properties",
        )
    for name, member in value.items():
        up_to(64)(name, f"{path}.{name}")
        up_to(512)(member, f"{path}.{name}")


def boolean(value: Any, path: str) -> None:
    if not isinstance(value, bool):
        raise wrong_type(path, "a boolean", value)


def mapping(value: Any, path: str) -> None:
    if not isinstance(value, dict):
        raise wrong_type(path, "an object", value)


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
    noun: str,
    with_article: str,
    python_type: Any,
    minimum: float | None,
    maximum: float | None,
) -> Rule:
    def out_of_range(path: str, value: float, above: bool, bound: float) -> ApiError:
        side, sign, short = (
            ("above maximum", "<=", "max") if above else ("below minimum", ">=", "min")
        )
        return ApiError(
            f"Invalid '{path}': {noun} {side} value. "
            f"Expected a value {sign} {bound}, but got {value} instead.",
            param=path,
            code=f"{noun}_{side.split()[0]}_{short}_value",
        )

    def check(value: Any, path: str) -> None:
        if isinstance(value, bool) or not isinstance(value, python_type):
            raise wrong_type(path, with_article, value)
        if minimum is not None and value < minimum:
            raise out_of_range(path, value, above=False, bound=minimum)
        if maximum is not None and value > maximum:
            raise out_of_range(path, value, above=True, bound=maximum)

    return check


def one_of(*supported: str) -> Rule:
    def check(value: Any, path: str) -> None:
        if not isinstance(value, str):
            raise wrong_type(path, f"one of {quoted(supported, 'or')}", value)
        if value not in supported:
            raise wrong_value(path, value, supported)

    return check


def array(rule: Rule, of: str = "") -> Rule:
    """A list; `of` is the API's word for its members."""
    expected = f"an array of {of}" if of else "an array"

    def check(value: Any, path: str) -> None:
        if not isinstance(value, list):
            raise wrong_type(path, expected, value)
        for index, member in enumerate(value):
            rule(member, f"{path}[{index}]")

    return check


def filled(rule: Rule) -> Rule:
    """A list with something in it."""

    def check(value: Any, path: str) -> None:
        if value == []:
            raise ApiError(
                f"Invalid '{path}': empty array. Expected an array with minimum length 1, "
                "but got an empty array instead.",
                param=path,
                code="empty_array",
            )
        rule(value, path)

    return check


def short(value: list[Any], path: str, longest: int) -> None:
    """A list of at most so many."""
    if len(value) > longest:
        raise ApiError(
            f"Invalid '{path}': array too long. Expected an array with maximum length "
            f"{longest}, but got an array with length {len(value)} instead.",
            param=path,
            code="array_above_max_length",
        )


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


def tagged(**kinds: Rule) -> Rule:
    """An object whose `type` says which of these rules it keeps."""

    def check(value: Any, path: str) -> None:
        mapping(value, path)
        require(value, path, ("type",))
        one_of(*kinds)(value["type"], f"{path}.type")
        kinds[value["type"]](value, path)

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
