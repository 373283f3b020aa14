"""Whether a value fits a JSON schema: every call is checked before it is made.

Covers what the API's tools use: types, enum, const, pattern, format of dates and addresses,
bounds, arrays, nested objects, anyOf, allOf, local references. A keyword it does not know is not
checked. Deeper than `DEEPEST`, a value is taken as it is.
"""

import re
from datetime import date, datetime, time
from typing import Any

from .pairs import matches
from .parameters import resolve, types_of
from .prompt import Json

DEEPEST = 24
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,),
    "array": (list,), "object": (dict,), "null": (type(None),),
}  # fmt: skip


def is_valid(value: Any, schema: Any, root: Json, depth: int = 0) -> bool:
    """Whether `value` fits `schema`, whose references point into `root`."""
    if schema is False:
        return False
    schema = resolve(root, schema)
    if not schema or depth > DEEPEST:
        return True
    if not _type_fits(value, schema) or not _member_fits(value, schema):
        return False
    for option in schema.get("allOf") or ():
        if not is_valid(value, option, root, depth + 1):
            return False
    for key in ("anyOf", "oneOf"):
        options = schema.get(key)
        if options and not any(is_valid(value, option, root, depth + 1) for option in options):
            return False
    if isinstance(value, str):
        return _text_fits(value, schema)
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int | float):
        return _number_fits(value, schema)
    if isinstance(value, list):
        return _array_fits(value, schema, root, depth)
    return not isinstance(value, dict) or _object_fits(value, schema, root, depth)


def _type_fits(value: Any, schema: Json) -> bool:
    kinds = types_of(schema) if "type" in schema else ()
    known = [kind for kind in kinds if kind in _TYPES]
    if not known:
        return True
    if isinstance(value, bool):
        return "boolean" in known
    if isinstance(value, float) and value.is_integer() and "integer" in known:
        return True
    return any(isinstance(value, _TYPES[kind]) for kind in known)


def _member_fits(value: Any, schema: Json) -> bool:
    members = schema.get("enum")
    if isinstance(members, list) and not any(_same(value, member) for member in members):
        return False
    return "const" not in schema or _same(value, schema["const"])


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)


def _text_fits(value: str, schema: Json) -> bool:
    if "pattern" in schema and not matches(str(schema["pattern"]), value):
        return False
    if len(value) < _bound(schema, "minLength", 0) or len(value) > _bound(schema, "maxLength", 1e9):
        return False
    readers: dict[str, Any] = {
        "date": date.fromisoformat, "date-time": datetime.fromisoformat, "time": time.fromisoformat
    }  # fmt: skip
    if schema.get("format") in readers:
        try:
            readers[str(schema["format"])](value)
        except ValueError:
            return False
    return schema.get("format") != "email" or bool(re.fullmatch(r"[^@\s]+@[^@\s]+", value))


def _number_fits(value: float, schema: Json) -> bool:
    step = _bound(schema, "multipleOf", 0)
    return (
        _bound(schema, "minimum", float("-inf")) <= value <= _bound(schema, "maximum", float("inf"))
        and value > _bound(schema, "exclusiveMinimum", float("-inf"))
        and value < _bound(schema, "exclusiveMaximum", float("inf"))
        and (not step or abs(value / step - round(value / step)) < 1e-9)
    )


def _bound(schema: Json, key: str, otherwise: float) -> float:
    bound = schema.get(key)
    return bound if isinstance(bound, int | float) and not isinstance(bound, bool) else otherwise


def _array_fits(value: list[Any], schema: Json, root: Json, depth: int) -> bool:
    if not _bound(schema, "minItems", 0) <= len(value) <= _bound(schema, "maxItems", 1e9):
        return False
    if schema.get("uniqueItems") is True and len({repr(each) for each in value}) < len(value):
        return False
    items = schema.get("items")
    return items is None or all(is_valid(each, items, root, depth + 1) for each in value)


def _object_fits(value: Json, schema: Json, root: Json, depth: int) -> bool:
    required = schema.get("required")
    if isinstance(required, list) and any(name not in value for name in required):
        return False
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    others = schema.get("additionalProperties", True)
    return all(
        is_valid(each, properties.get(name, others), root, depth + 1)
        if name in properties or others is not True
        else True
        for name, each in value.items()
    )
