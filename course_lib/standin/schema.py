"""JSON schemas: what they allow, whether a value fits, and the plainest value that would.

Covers what the API's tools use: types, enum, const, pattern, format of dates and addresses,
bounds, arrays, nested objects, anyOf, allOf, local references. A keyword it does not know is not
checked. Deeper than `DEEPEST`, a value is taken as it is.
"""

import operator
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from typing import Any

from .prompt import Json

DEEPEST, DEEPEST_MADE_UP, LONGEST_MADE_UP, MOST_WRITTEN = 24, 12, 1000, 20_000
MOST_REFERENCES = 8
_NUMBER = (int, float)
_TYPES: dict[str, Any] = {
    "string": str, "integer": int, "number": _NUMBER, "boolean": bool, "array": list,
    "object": dict, "null": type(None),
}  # fmt: skip
_FORMATS: dict[str, Any] = {
    "date": date.fromisoformat, "date-time": datetime.fromisoformat, "time": time.fromisoformat,
    "email": re.compile(r"[^@\s]+@[^@\s]+").fullmatch,
}  # fmt: skip


def resolve(root: Json, schema: Any) -> Json:
    """Follow local references, `#/$defs/Name`; what leads nowhere allows anything."""
    for _ in range(MOST_REFERENCES):
        if not isinstance(schema, dict) or "$ref" not in schema:
            break
        target: Any = root
        for step in str(schema["$ref"]).removeprefix("#").strip("/").split("/"):
            if step:
                target = target.get(step) if isinstance(target, dict) else None
        schema = target
    return schema if isinstance(schema, dict) and "$ref" not in schema else {}


def branches(schema: Json) -> Iterator[Json]:
    """The schema itself, and the schemas of which a value may fit any."""
    yield schema
    for option in schema.get("anyOf") or schema.get("oneOf") or ():
        if isinstance(option, dict):
            yield option


def types_of(schema: Json) -> frozenset[str]:
    """The JSON types a schema allows; none when it does not say."""
    found: set[str] = set()
    for branch in branches(schema):
        kind = branch.get("type") or ()
        found.update([kind] if isinstance(kind, str) else map(str, kind))
    return frozenset(found)


def enum_of(schema: Json) -> list[Any]:
    """The members a schema closes its values to, its own or those of its options."""
    members = next((b["enum"] for b in branches(schema) if isinstance(b.get("enum"), list)), None)
    return members or ([schema["const"]] if "const" in schema else [])


def items_of(schema: Json) -> Json:
    """What an array holds, the array being the schema itself or one of its options."""
    return next((b["items"] for b in branches(schema) if isinstance(b.get("items"), dict)), {})


def properties_of(schema: Json) -> Json:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def matches(pattern: Any, text: str) -> bool:
    """Whether a text fits a schema's pattern; one that does not compile fits nothing."""
    try:
        return re.search(str(pattern), text[:200]) is not None
    except (re.error, RecursionError, OverflowError):
        return False


def _has_format(value: str, name: Any) -> bool:
    try:
        return _FORMATS.get(str(name), str)(value) is not None
    except ValueError:
        return False


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)


# Keyword → (the types it speaks of, whether a value fits what it says).
_CHECKS: dict[str, tuple[Any, Callable[[Any, Any], bool]]] = {
    "enum": (object, lambda value, members: any(_same(value, each) for each in members)),
    "const": (object, _same),
    "minimum": (_NUMBER, operator.ge),
    "maximum": (_NUMBER, operator.le),
    "exclusiveMinimum": (_NUMBER, operator.gt),
    "exclusiveMaximum": (_NUMBER, operator.lt),
    "multipleOf": (
        _NUMBER,
        lambda value, step: not step or abs(value / step - round(value / step)) < 1e-9,
    ),
    "pattern": (str, lambda value, pattern: matches(pattern, value)),
    "format": (str, _has_format),
    "minLength": (str, lambda value, least: len(value) >= least),
    "maxLength": (str, lambda value, most: len(value) <= most),
    "minItems": (list, lambda value, least: len(value) >= least),
    "maxItems": (list, lambda value, most: len(value) <= most),
    "uniqueItems": (
        list,
        lambda value, wanted: not wanted or len({*map(repr, value)}) == len(value),
    ),
    "required": (dict, lambda value, names: all(name in value for name in names or ())),
}


def is_valid(value: Any, schema: Any, root: Json, depth: int = 0) -> bool:
    """Whether `value` fits `schema`, whose references point into `root`."""
    if schema is False:
        return False
    schema = resolve(root, schema)
    if depth > DEEPEST:
        return True

    def fits(part: Any, inner: Any) -> bool:
        return is_valid(part, inner, root, depth + 1)

    known = [kind for kind in types_of({"type": schema.get("type")}) if kind in _TYPES]
    if known and not any(_is_of(value, kind) for kind in known):
        return False
    for keyword in _CHECKS.keys() & schema.keys():
        kinds, check = _CHECKS[keyword]
        is_number = kinds is _NUMBER and isinstance(value, bool)
        if isinstance(value, kinds) and not is_number and not check(value, schema[keyword]):
            return False
    for key, enough in (("allOf", all), ("anyOf", any), ("oneOf", any)):
        if schema.get(key) and not enough(fits(value, option) for option in schema[key]):
            return False
    if isinstance(value, list):
        return all(fits(each, schema.get("items")) for each in value)
    if isinstance(value, dict):
        known_ones, others = properties_of(schema), schema.get("additionalProperties")
        return all(fits(each, known_ones.get(name, others)) for name, each in value.items())
    return True


def _is_of(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    whole = kind == "integer" and isinstance(value, float) and value.is_integer()
    return whole or isinstance(value, _TYPES[kind])


class Writer:
    """Writes a value for a schema: from what is known of a property, else the plainest that fits.

    known   what may stand at a path (the properties' names), the best first
    """

    def __init__(self, root: Json, known: Callable[[tuple[str, ...]], list[Any]]) -> None:
        self._root, self._known = root, known
        self._way: list[str] = []  # the references that led here
        self._left = MOST_WRITTEN

    def write(self, schema: Any, path: tuple[str, ...] = ()) -> Any:
        """A value for the property at `path`."""
        self._left -= 1
        if self._left < 0 or len(path) > DEEPEST:
            return None  # it asks for more than anything has
        if isinstance(schema, dict) and "$ref" in schema and len(self._way) < DEEPEST:
            self._way.append(str(schema["$ref"]))
            value = self.write(resolve(self._root, schema), path)
            self._way.pop()
            return value
        schema = resolve(self._root, schema)
        if "anyOf" in schema:
            return self.write(min(schema["anyOf"], key=self._dislike, default={}), path)
        said = [*self._known(path), *enum_of(schema)]
        kinds = types_of(schema)
        if "object" in kinds:
            inner, required = properties_of(schema), schema.get("required") or ()
            wanted = required if len(path) >= DEEPEST_MADE_UP else inner
            return {name: self.write(inner.get(name, {}), (*path, name)) for name in wanted}
        least = min(int(schema.get("minLength", 0)), LONGEST_MADE_UP)
        low = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
        several = min(int(schema.get("minItems", 0)), LONGEST_MADE_UP)
        plain: dict[str, list[Any]] = {
            "string": ["", "unknown", "x" * least], "integer": [low, 1], "number": [low, 1],
            "boolean": [False], "null": [None],
            "array": [[self.write(schema.get("items"), (*path, "")) for _ in range(several)]],
        }  # fmt: skip
        for kind, values in plain.items():
            said += values if kind in kinds or not kinds else []
        return next((each for each in said if is_valid(each, schema, self._root)), None)

    def _dislike(self, option: Any) -> int:
        """An option that is not null and leads on comes first; one that leads in circles last."""
        if isinstance(option, dict) and option.get("$ref") in self._way:
            return 2
        return int(resolve(self._root, option).get("type") == "null")
