"""Schemas: what any schema must hold, the strict subset, and normalisation (contract A4).

`strict: true` promises that arguments will fit the schema, so the schema must leave nothing
open: every property required, no others allowed. A schema sent without `strict` is made strict
where that only means filling in those two, and stays loose where it does not.
"""

from typing import Any

from .errors import GAP, Json, refusal
from .schema_form import Context, SchemaProblem, check_form, subschemas

AT_THE_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")  # none of these beside the root's type
COMPOSED = ("oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas")
FORBIDDEN = (
    *COMPOSED, "minLength", "maxLength", "patternProperties", "propertyNames", "minProperties",
    "maxProperties", "unevaluatedProperties", "unevaluatedItems", "contains", "minContains",
    "maxContains", "uniqueItems",
)  # fmt: skip
TYPED = frozenset(("type", "$ref", "anyOf", *COMPOSED))  # one of them says what a value may be
FORMATS = (
    "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
)  # fmt: skip
MAX_PROPERTIES, MAX_NESTING = 5_000, 10
MAX_ENUM_VALUES, MAX_CHARACTERS = 1_000, 120_000
LARGE_ENUM, MAX_LARGE_ENUM_CHARACTERS = 250, 15_000

_NOT_AN_OBJECT = (
    'The properties stand inside a schema of their own: {"type": "object", "properties": {...}, '
    '"required": [...], "additionalProperties": false}.'
)
_NOT_CLOSED = (
    "strict needs a closed schema: every property listed in required, and "
    '"additionalProperties": false in every object.'
)


def check_function_schema(name: str, schema: Json | None, strict: bool | None, path: str) -> None:
    """Raise the API's error when `schema` cannot be a function's parameters."""
    if schema is not None:  # a function without parameters may leave them out
        _check("wrong_function_schema", f"{path}.parameters", name, schema, bool(strict))


def check_any_schema(name: str, schema: Json | None, param: str) -> None:
    """The same where no more is asked than that it is a schema."""
    try:
        check_form(schema or {})
    except SchemaProblem as problem:
        error = refusal("wrong_function_schema", param, name=name, problem=problem)
        error.code = GAP
        raise error from None


def check_output_schema(
    name: str,
    schema: Json,
    *,
    strict: bool,
    param: str = "text.format.schema",
    refused: str = "wrong_output_schema",
) -> None:
    """The same for the schema of a structured output: `text.format`, unless `param` says else."""
    _check(refused, param, name, schema, strict)


def _check(refused: str, param: str, name: str, schema: Json, strict: bool) -> None:
    try:
        check_schema(schema, strict=strict)
    except SchemaProblem as problem:
        hint = _NOT_CLOSED if strict else None
        if schema.get("type") != "object":
            hint = _NOT_AN_OBJECT
        error = refusal(refused, param, hint=hint, name=name, problem=problem)
        if not problem.seen:
            error.code = GAP
        raise error from None


def fits_strict(schema: Json) -> bool:
    """Whether a schema already is in the strict subset."""
    try:
        check_schema(schema, strict=True)
    except SchemaProblem:
        return False
    return True


def check_schema(schema: Json, *, strict: bool) -> None:
    """Raise SchemaProblem for the first rule the schema breaks, outermost first."""
    check_form(schema)
    if schema.get("type") != "object":
        raise SchemaProblem(
            "schema must be a JSON Schema of 'type: \"object\"', "
            f"got 'type: \"{schema.get('type')}\"'."
        )
    for context, member in subschemas(schema):
        if strict:
            _check_strict(member, context)
        if isinstance(member, dict) and "items" not in member and "prefixItems" not in member:
            where = _stands(member, "array", context)
            if where is not None:
                raise SchemaProblem(f"In context={where}, array schema missing items.")
    if any(keyword in schema for keyword in AT_THE_TOP):
        raise SchemaProblem(
            "schema must have type 'object' and not have "
            "'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
        )
    if strict:
        _check_size(schema)
    elif "properties" not in schema and schema.get("additionalProperties") is None:
        raise SchemaProblem("In context=(), object schema missing properties.")


def _stands(schema: Json, name: str, context: Context) -> Context | None:
    """Where a schema says that it is of type `name`: one of several has a place of its own."""
    types = schema.get("type")
    if isinstance(types, list):
        return (*context, "type", str(types.index(name))) if name in types else None
    return context if types == name else None


def _check_strict(schema: Json | bool, context: Context) -> None:
    if isinstance(schema, bool) or TYPED.isdisjoint(schema):
        raise SchemaProblem(f"In context={context}, schema must have a 'type' key.")
    for keyword in FORBIDDEN:
        if keyword in schema:
            raise SchemaProblem(f"In context={context}, '{keyword}' is not permitted.")
    if "$ref" in schema and len(schema) > 1:
        others = ", ".join(repr(key) for key in schema if key != "$ref")
        raise SchemaProblem(f"context={context}, $ref cannot have keywords {{{others}}}.")
    if schema.get("format", FORMATS[0]) not in FORMATS:
        raise SchemaProblem(f"In context={context}, '{schema['format']}' is not a valid format.")
    where = _stands(schema, "object", context)
    if where is None:
        return
    if schema.get("additionalProperties") is not False:
        raise SchemaProblem(
            f"In context={where}, 'additionalProperties' is required to be supplied "
            "and to be false."
        )
    required = schema.get("required", ())
    missing = [name for name in schema.get("properties", {}) if name not in required]
    if missing:
        raise SchemaProblem(
            f"In context={where}, 'required' is required to be supplied and to be an array "
            f"including every key in properties. Missing '{missing[0]}'."
        )


def _check_size(root: Json) -> None:
    """The limits on the whole of a strict schema. Of two of them the wording is known."""
    properties = values = characters = deepest = large = 0
    for context, schema in subschemas(root):
        deepest = max(deepest, _nesting(context))
        names = [*schema.get("properties", ()), *schema.get("$defs", ())]
        members = [str(each) for each in schema.get("enum", ())]
        said = sum(map(len, members)) + len(str(schema.get("const", "")))
        properties, values = properties + len(schema.get("properties", ())), values + len(members)
        characters += sum(map(len, names)) + said
        if len(members) > LARGE_ENUM:
            large = max(large, said)
    for what, found, limit, seen in (
        ("characters in one enum", large, MAX_LARGE_ENUM_CHARACTERS, False),
        ("levels of nesting", deepest, MAX_NESTING, True),
        ("parameters", properties, MAX_PROPERTIES, True),
        ("enum values", values, MAX_ENUM_VALUES, False),
        ("characters of names, enums and consts", characters, MAX_CHARACTERS, False),
    ):
        if found > limit:
            raise SchemaProblem(f"{found} {what} exceeds limit of {limit}.", seen=seen)


def _nesting(context: Context) -> int:
    """How many objects and arrays a subschema stands in. A property may be named `items` too."""
    steps, depth = iter(context), 0
    for keyword in steps:
        depth += keyword in ("properties", "items")
        if keyword != "items":
            next(steps)  # the name, or the number, of the child
    return depth


def normalise(schema: Json) -> Json:
    """A copy with every object closed and every property required, and nothing else changed."""
    result = dict(schema)
    for keyword in ("properties", "$defs", "definitions"):
        if keyword in result:
            result[keyword] = {name: _within(child) for name, child in result[keyword].items()}
    if "anyOf" in result:
        result["anyOf"] = [_within(child) for child in result["anyOf"]]
    if "items" in result:
        result["items"] = _within(result["items"])
    if _stands(result, "object", ()) is not None:
        result.setdefault("additionalProperties", False)
        if result.get("properties"):
            result["required"] = list(result["properties"])
    return result


def _within(child: Any) -> Any:
    return normalise(child) if isinstance(child, dict) else child
