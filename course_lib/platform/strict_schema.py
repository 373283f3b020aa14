"""Schemas: what any schema must hold, the strict subset, and normalisation (contract A4).

A schema must be one at all: every keyword has its form. `strict: true` promises that arguments
will fit the schema, so the schema must leave nothing open: every property required, no others
allowed. A schema sent without `strict` is made strict where that only means filling in those two,
and stays loose where it does not.
"""

import marshal
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationErrorKind

from .errors import GAP, Json, refusal

NAMED, LISTED = ("properties", "$defs", "definitions"), ("anyOf", "oneOf", "allOf")
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
LARGE_ENUM = 250  # values
LONG = 16_384  # bytes of a schema that is looked at each time, and not kept
# What every schema must be; the schema of schemas comes with the library.
_FORM = Draft202012Validator({"$ref": "https://json-schema.org/draft/2020-12/schema"}, offline=True)

_NOT_AN_OBJECT = (
    'The properties stand inside a schema of their own: {"type": "object", "properties": {...}, '
    '"required": [...], "additionalProperties": false}.'
)
_NOT_CLOSED = (
    "strict needs a closed schema: every property listed in required, and "
    '"additionalProperties": false in every object.'
)


class SchemaProblem(Exception):
    """A schema breaks a rule; the text is the API's, without the prefix that names the tool."""


class UnseenProblem(SchemaProblem):
    """Here the API's wording is not known."""


def check_named(
    name: str, schema: Any, param: str, strict: bool | None, refused: str = "wrong_function_schema"
) -> None:
    """Raise the API's error when the schema of a function, or of an answer, breaks a rule.

    Where `strict` is None, no more is asked than that it is a schema.
    """
    try:
        check_schema(schema, strict)
    except SchemaProblem as problem:
        error = refusal(refused, param, name=name, problem=problem)
        if strict is None or isinstance(problem, UnseenProblem):
            error.code = GAP
        if strict is not None and schema.get("type") != "object":
            error.hint = _NOT_AN_OBJECT
        elif strict:
            error.hint = _NOT_CLOSED
        raise error from None


def fits_strict(schema: Json) -> bool:
    """Whether a schema already is in the strict subset."""
    try:
        check_schema(schema, strict=True)
    except SchemaProblem:
        return False
    return True


def is_schema(value: Any) -> bool:
    """Whether a value is a schema at all. What is one can be walked without further care."""
    try:
        marshal.dumps(value)  # refuses what is nested so deeply that a walk would end the process
        return _FORM.is_valid(value)
    except ValueError:  # a server of elsewhere may name a property by half of a surrogate pair
        return False


def check_schema(schema: Any, strict: bool | None) -> None:
    """Raise SchemaProblem for the first rule the schema breaks, outermost first."""
    try:
        packed = marshal.dumps(schema, 2)
    except ValueError:
        raise _malformed(schema) from None
    check = _check_packed if len(packed) < LONG else _check_packed.__wrapped__
    check(packed, strict)


@lru_cache(maxsize=1024)
def _check_packed(packed: bytes, strict: bool | None) -> None:
    """What passed is not looked at again: a client sends the same tools with each request."""
    schema = marshal.loads(packed)
    if not is_schema(schema):
        raise _malformed(schema)
    if strict is None:
        return
    if schema.get("type") != "object":
        raise SchemaProblem(
            "schema must be a JSON Schema of 'type: \"object\"', "
            f"got 'type: \"{schema.get('type')}\"'."
        )
    for context, _, member in _subschemas(schema):
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


def _malformed(schema: Any) -> SchemaProblem:
    """What the API says of a broken form: it has the words of the Python package `jsonschema`.

    `True is not of type 'array'` is reported in CherryHQ/cherry-studio#4188, `[] is not of type
    'object', 'boolean'` in FoundationAgents/OpenManus#1162.
    """
    error = next(_FORM.iter_errors(schema))
    if isinstance(error.kind, ValidationErrorKind.Type):
        types = ", ".join(map(repr, reversed(error.kind.types)))
        return SchemaProblem(f"{error.instance!r} is not of type {types}.")
    if isinstance(error.kind, ValidationErrorKind.AnyOf):
        return SchemaProblem(f"{error.instance!r} is not valid under any of the given schemas.")
    return UnseenProblem(f"{error.message}.")


Context = tuple[str, ...]  # the way to a subschema, as the API spells it
Found = tuple[Context, int, Any]  # and how many objects and arrays it stands in


def _subschemas(root: Any) -> Iterator[Found]:
    """Every subschema, breadth first, the root itself included."""
    level: list[Found] = [((), 0, root)]
    while level:
        yield from level
        level = [child for found in level for child in _children(*found)]


def _children(context: Context, depth: int, schema: Any) -> Iterator[Found]:
    if not isinstance(schema, dict):
        return
    for keyword in NAMED:
        for name, child in schema.get(keyword, {}).items():
            yield (*context, keyword, name), depth + (keyword == "properties"), child
    if "items" in schema:
        yield (*context, "items"), depth + 1, schema["items"]
    for keyword in LISTED:
        for index, child in enumerate(schema.get(keyword, ())):
            yield (*context, keyword, str(index)), depth, child


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
    for name in schema.get("properties", ()):
        if name not in schema.get("required", ()):
            raise SchemaProblem(
                f"In context={where}, 'required' is required to be supplied and to be an array "
                f"including every key in properties. Missing '{name}'."
            )


def _check_size(root: Json) -> None:
    """The limits on the whole of a strict schema. Of two of them the wording is known."""
    properties = values = characters = deepest = large = 0
    for _, depth, schema in _subschemas(root):
        names, members = schema.get("properties", ()), list(map(str, schema.get("enum", ())))
        said = sum(map(len, members)) + len(str(schema.get("const", "")))
        properties, values = properties + len(names), values + len(members)
        characters += said + sum(map(len, [*names, *schema.get("$defs", ())]))
        deepest = max(deepest, depth)
        large = max(large, said if len(members) > LARGE_ENUM else 0)
    for found, what, limit, problem in (
        (large, "characters in one enum", 15_000, UnseenProblem),
        (deepest, "levels of nesting", 10, SchemaProblem),
        (properties, "parameters", 5_000, SchemaProblem),
        (values, "enum values", 1_000, UnseenProblem),
        (characters, "characters of names, enums and consts", 120_000, UnseenProblem),
    ):
        if found > limit:
            raise problem(f"{found} {what} exceeds limit of {limit}.")


def normalise(schema: Any) -> Any:
    """A copy with every object closed and every property required, and nothing else changed."""
    if not isinstance(schema, dict):
        return schema
    result = dict(schema)
    for keyword in NAMED:
        if keyword in result:
            result[keyword] = {name: normalise(child) for name, child in result[keyword].items()}
    if "anyOf" in result:
        result["anyOf"] = [normalise(child) for child in result["anyOf"]]
    if "items" in result:
        result["items"] = normalise(result["items"])
    if _stands(result, "object", ()) is not None:
        result.setdefault("additionalProperties", False)
        if result.get("properties"):
            result["required"] = list(result["properties"])
    return result
