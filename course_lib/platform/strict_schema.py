"""Schemas: what any schema must hold, the strict subset, and normalisation (contract A4).

`strict: true` promises that arguments will fit the schema, so the schema must leave nothing
open: every property required, no others allowed. A schema sent without `strict` is made strict
where that only means filling in those two, and stays loose where it does not.
"""

from collections.abc import Iterator
from typing import Any

from .errors import ApiError, Json

FORBIDDEN = (
    "oneOf", "allOf", "not", "uniqueItems", "if", "then", "else",
    "dependentRequired", "dependentSchemas", "patternProperties",
)  # fmt: skip
MAX_PROPERTIES, MAX_NESTING = 5_000, 10
MAX_ENUM_VALUES, MAX_NAME_CHARACTERS = 1_000, 120_000

Context = tuple[str, ...]  # the way to a subschema, as the API spells it

_HINT = (
    "strict needs a closed schema: every property listed in required, and "
    '"additionalProperties": false in every object.'
)


class SchemaProblem(Exception):
    """A schema breaks a rule; the text is the API's, without the prefix that names the tool."""


def check_function_schema(name: str, schema: Json | None, strict: bool | None, path: str) -> None:
    """Raise the API's error when `schema` cannot be a function's parameters."""
    try:
        if schema:  # a function without parameters may leave them out
            check_schema(schema, strict=bool(strict))
    except SchemaProblem as problem:
        raise ApiError(
            f"Invalid schema for function '{name}': {problem}",
            param=f"{path}.parameters",
            code="invalid_function_parameters",
            hint=_HINT if strict else None,
        ) from None


def check_output_schema(name: str, schema: Json, *, strict: bool) -> None:
    """The same for the schema of a structured output, `text.format`."""
    try:
        check_schema(schema, strict=strict)
    except SchemaProblem as problem:
        raise ApiError(
            f"Invalid schema for response_format '{name}': {problem}",
            param="text.format.schema",
            code="invalid_json_schema",
            hint=_HINT if strict else None,
        ) from None


def fits_strict(schema: Json) -> bool:
    """Whether a schema already is in the strict subset."""
    try:
        check_schema(schema, strict=True)
    except SchemaProblem:
        return False
    return True


def check_schema(schema: Json, *, strict: bool) -> None:
    """Raise SchemaProblem for the first rule the schema breaks, outermost first."""
    if "type" not in schema and "$ref" not in schema:
        raise SchemaProblem("schema must have a 'type' key.")
    if schema.get("type") != "object":
        raise SchemaProblem(
            "schema must be a JSON Schema of 'type: \"object\"', "
            f"got 'type: \"{schema.get('type')}\"'."
        )
    if not strict and "properties" not in schema and schema.get("additionalProperties") is None:
        raise SchemaProblem("In context=(), object schema missing properties.")
    for context, member in subschemas(schema):
        if _is(member, "array") and "items" not in member and "prefixItems" not in member:
            raise SchemaProblem(f"In context={context}, array schema missing items.")
        if strict:
            _check_strict(member, context)
    if strict:
        _check_size(schema)


def subschemas(root: Json) -> Iterator[tuple[Context, Json]]:
    """Every subschema with the way to it, breadth first, the root itself included."""
    level: list[tuple[Context, Any]] = [((), root)]
    while level:
        below: list[tuple[Context, Any]] = []
        for context, schema in level:
            if isinstance(schema, dict):
                yield context, schema
                below += _children(schema, context)
        level = below


def _children(schema: Json, context: Context) -> Iterator[tuple[Context, Any]]:
    for keyword in ("properties", "$defs", "definitions"):
        members = schema.get(keyword)
        if isinstance(members, dict):
            for name, child in members.items():
                yield (*context, keyword, name), child
    if "items" in schema:
        yield (*context, "items"), schema["items"]
    if isinstance(schema.get("anyOf"), list):
        for index, child in enumerate(schema["anyOf"]):
            yield (*context, "anyOf", str(index)), child


def _check_strict(schema: Json, context: Context) -> None:
    for keyword in FORBIDDEN:
        if keyword in schema:
            raise SchemaProblem(f"In context={context}, '{keyword}' is not permitted.")
    if "$ref" in schema and len(schema) > 1:
        others = ", ".join(repr(key) for key in schema if key != "$ref")
        raise SchemaProblem(f"context={context}, $ref cannot have keywords {{{others}}}.")
    if not _is(schema, "object"):
        return
    if schema.get("additionalProperties") is not False:
        raise SchemaProblem(
            f"In context={context}, 'additionalProperties' is required to be supplied "
            "and to be false."
        )
    required = schema.get("required") or ()
    missing = [name for name in schema.get("properties") or {} if name not in required]
    if missing:
        raise SchemaProblem(
            f"In context={context}, 'required' is required to be supplied and to be an array "
            f"including every key in properties. Missing '{missing[0]}'."
        )


def _check_size(root: Json) -> None:
    """The limits on the whole of a strict schema."""
    properties = characters = values = deepest = 0
    for context, schema in subschemas(root):
        names = list(schema.get("properties") or {})
        members = [str(each) for each in schema.get("enum") or ()]
        properties, values = properties + len(names), values + len(members)
        characters += sum(map(len, names)) + sum(map(len, members))
        deepest = max(deepest, 1 + context.count("properties") + context.count("items"))
    if deepest > MAX_NESTING:
        raise SchemaProblem(f"{deepest} levels of nesting exceeds limit of {MAX_NESTING}.")
    if properties > MAX_PROPERTIES:
        raise SchemaProblem(f"{properties} parameters exceeds limit of {MAX_PROPERTIES}.")
    if values > MAX_ENUM_VALUES:
        raise SchemaProblem(f"{values} enum values exceeds limit of {MAX_ENUM_VALUES}.")
    if characters > MAX_NAME_CHARACTERS:
        raise SchemaProblem(
            f"{characters} characters of names and enums exceeds limit of {MAX_NAME_CHARACTERS}."
        )


def normalise(schema: Json) -> Json:
    """A copy with every object closed and every property required, and nothing else changed."""
    result = dict(schema)
    for keyword in ("properties", "$defs", "definitions"):
        if isinstance(result.get(keyword), dict):
            result[keyword] = {name: _within(child) for name, child in result[keyword].items()}
    if isinstance(result.get("anyOf"), list):
        result["anyOf"] = [_within(child) for child in result["anyOf"]]
    if "items" in result:
        result["items"] = _within(result["items"])
    if _is(result, "object"):
        result.setdefault("additionalProperties", False)
        if result.get("properties"):
            result["required"] = list(result["properties"])
    return result


def _within(child: Any) -> Any:
    return normalise(child) if isinstance(child, dict) else child


def _is(schema: Json, name: str) -> bool:
    types = schema.get("type")
    return types == name or (isinstance(types, list) and name in types)
