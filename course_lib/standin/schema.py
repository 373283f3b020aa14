"""JSON schemas: what they allow, whether a value fits, and the plainest value that would.

A schema is well formed, for the platform takes no other. Whether a value fits is jsonschema-rs's
to say; what it cannot compile allows anything.
"""

from collections.abc import Callable
from typing import Any

import jsonschema_rs

from .prompt import Json

DEEPEST, DEEPEST_MADE_UP, LONGEST_MADE_UP, MOST_WRITTEN = 24, 12, 1000, 20_000
MOST_REFERENCES = 8


def resolve(root: Json, schema: Any) -> Json:
    """Follow references to a definition or to the root; what leads elsewhere allows anything."""
    for _ in range(MOST_REFERENCES):
        if not isinstance(schema, dict):  # it may be `true`
            break
        if "$ref" not in schema:
            return schema
        place, _, name = schema["$ref"].rpartition("/")
        known = root.get(place[2:], {}) if place in ("#/$defs", "#/definitions") else {"#": root}
        schema = known.get(name)
    return {}


def branches(schema: Json) -> list[Json]:
    """The schema itself, and the schemas of which a value may fit any."""
    options = schema.get("anyOf") or schema.get("oneOf") or ()
    return [schema, *(option for option in options if isinstance(option, dict))]


def types_of(schema: Json) -> frozenset[str]:
    """The JSON types a schema allows; none when it does not say."""
    said = [branch.get("type", []) for branch in branches(schema)]
    return frozenset(t for kinds in said for t in ([kinds] if isinstance(kinds, str) else kinds))


def enum_of(schema: Json) -> list[Any]:
    """The members a schema closes its values to, its own or those of its options."""
    members: list[Any] = next((b["enum"] for b in branches(schema) if "enum" in b), [])
    return members or ([schema["const"]] if "const" in schema else [])


def items_of(schema: Json) -> Json:
    """What an array holds, the array being the schema itself or one of its options."""
    return next((b["items"] for b in branches(schema) if isinstance(b.get("items"), dict)), {})


def properties_of(schema: Json) -> Json:
    properties: Json = schema.get("properties", {})
    return properties


def validator(schema: Any, root: Json) -> Callable[[Any], bool]:
    """A test of values against `schema`, whose references point into the definitions of `root`."""
    if isinstance(schema, dict):
        schema = {key: root[key] for key in ("$defs", "definitions") if key in root} | schema
    try:
        compiled = jsonschema_rs.validator_for(schema, validate_formats=True, offline=True)
    except ValueError:
        return lambda value: True

    def fits(value: Any) -> bool:
        try:
            return compiled.is_valid(value)
        except ValueError:  # it is no JSON: half a surrogate pair, or too deep
            return False

    return fits


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
        kinds = types_of(schema)
        if "object" in kinds:
            inner, required = properties_of(schema), schema.get("required") or ()
            wanted = required if len(path) >= DEEPEST_MADE_UP else inner
            return {name: self.write(inner.get(name, {}), (*path, name)) for name in wanted}
        least = min(int(schema.get("minLength", 0)), LONGEST_MADE_UP)
        low = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
        several = min(int(schema.get("minItems", 0)), LONGEST_MADE_UP)
        members = [self.write(schema.get("items"), (*path, "")) for _ in range(several)]
        plain = ["", "unknown", "x" * least, low, 1, False, None, members]
        said = [*self._known(path), *enum_of(schema), *plain]
        return next(filter(validator(schema, self._root), said), None)

    def _dislike(self, option: Any) -> int:
        """An option that is not null and leads on comes first; one that leads in circles last."""
        if isinstance(option, dict) and option.get("$ref") in self._way:
            return 2
        return int(resolve(self._root, option).get("type") == "null")
