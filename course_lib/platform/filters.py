"""Attribute filters: which files of a vector store a search looks at (contract A5, E).

A comparison holds an attribute against a value; a compound joins filters with `and` or `or`, to
any depth. Texts compare with texts, numbers with numbers: of two kinds none is greater, and they
are never equal (`1` is not `true`). A file without the attribute equals nothing, so it passes
`ne` and `nin` only.
"""

import operator
from collections.abc import Callable
from typing import Any

from .errors import Json, refusal, wrong_type
from .rules import array, fields, mapping, one_of, require, text

ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le,
}  # fmt: skip
EQUALITY = ("eq", "ne")
MEMBERSHIP = ("in", "nin")
COMPARISONS = (*EQUALITY, *ORDER, *MEMBERSHIP)
COMPOUNDS: dict[str, Callable[[Any], bool]] = {"and": all, "or": any}
DEEPEST = 32  # filters in filters


def check(value: Any, path: str, depth: int = 0) -> None:
    """Refuse what is no filter."""
    mapping(value, path)
    require(value, path, ("type",))
    one_of(*COMPARISONS, *COMPOUNDS)(value["type"], f"{path}.type")
    if depth == DEEPEST:
        raise refusal("filters_too_deep", path)
    if value["type"] in COMPOUNDS:
        member = array(lambda each, place: check(each, place, depth + 1), "filters")
        fields({"type": text, "filters": member})(value, path)
    else:
        fields({"type": text, "key": text, "value": _operand(value["type"])})(value, path)


def matches(wanted: Json, attributes: Json) -> bool:
    """Whether a file with these attributes passes the filter."""
    kind = wanted["type"]
    if kind in COMPOUNDS:
        return COMPOUNDS[kind](matches(each, attributes) for each in wanted["filters"])
    own, value = attributes.get(wanted["key"]), wanted["value"]
    if kind in ORDER:
        return _sort(own) == _sort(value) and ORDER[kind](own, value)
    found = any(
        _sort(own) == _sort(each) and own == each
        for each in (value if kind in MEMBERSHIP else [value])
    )
    return found == (kind in ("eq", "in"))


def _sort(value: Any) -> str:
    """What a value can be compared with: numbers with numbers, whole or not."""
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def _operand(kind: str) -> Callable[[Any, str], None]:
    """What may stand as `value`."""

    def scalar(value: Any, path: str) -> None:
        if not isinstance(value, (str, int, float)):
            raise wrong_type(path, "one of a string, number, or boolean", value)

    return array(scalar) if kind in MEMBERSHIP else scalar
