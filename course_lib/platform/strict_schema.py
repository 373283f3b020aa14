"""Function schemas: what any schema must hold, the strict subset, and normalisation (contract A4).

`strict: true` promises that arguments will fit the schema, so the schema must leave nothing
open: every property required, no others allowed. A schema sent without `strict` is made strict
where that only means filling in those two, and stays loose where it does not.
"""

from typing import Any

from .errors import ApiError, Json

FORBIDDEN = (
    "oneOf", "allOf", "not", "uniqueItems", "if", "then", "else",
    "dependentRequired", "dependentSchemas", "patternProperties",
)  # fmt: skip
MAX_PROPERTIES, MAX_NESTING = 5000, 10

Context = tuple[str, ...]


class SchemaProblem(Exception):
    """A schema breaks a rule; the text is the API's, without the prefix that names the tool."""


def check_function_schema(name: str, schema: Json | None, strict: bool | None, path: str) -> None:
    """Raise the API's error when `schema` cannot be a function's parameters."""
    try:
        check_root(schema)
        if schema is not None:
            _walk(schema, strict=bool(strict))
    except SchemaProblem as problem:
        raise ApiError(
            f"Invalid schema for function '{name}': {problem}",
            param=f"{path}.parameters",
            code="invalid_function_parameters",
            hint=_STRICT_HINT if strict else None,
        ) from None


_STRICT_HINT = (
    "strict needs a closed schema: every property listed in required, and "
    '"additionalProperties": false in every object.'
)


def check_root(schema: Json | None) -> None:
    """Parameters are an object; a tool without parameters may leave the schema out."""
    if schema is None or schema == {}:
        return
    if "type" not in schema and "anyOf" not in schema:
        raise SchemaProblem("schema must have a 'type' key.")
    if schema.get("type") != "object":
        raise SchemaProblem(
            "schema must be a JSON Schema of 'type: \"object\"', "
            f"got 'type: \"{schema.get('type')}\"'."
        )


def fits_strict(schema: Json) -> bool:
    """Whether the schema already is in the strict subset."""
    try:
        _walk(schema, strict=True)
    except SchemaProblem:
        return False
    return True


def normalise(schema: Json) -> Json:
    """A copy with every object closed and every property required, and nothing else changed."""
    result = dict(schema)
    if isinstance(result.get("properties"), dict):
        result["properties"] = {
            name: normalise(member) if isinstance(member, dict) else member
            for name, member in result["properties"].items()
        }
        result["required"] = list(result["properties"])
        result.setdefault("additionalProperties", False)
    for keyword in ("anyOf", "prefixItems"):
        if isinstance(result.get(keyword), list):
            result[keyword] = [normalise(m) if isinstance(m, dict) else m for m in result[keyword]]
    for keyword in ("$defs", "definitions"):
        if isinstance(result.get(keyword), dict):
            result[keyword] = {
                name: normalise(m) if isinstance(m, dict) else m
                for name, m in result[keyword].items()
            }
    if isinstance(result.get("items"), dict):
        result["items"] = normalise(result["items"])
    return result


def _walk(root: Json, *, strict: bool) -> None:
    """Visit every subschema, outside in, and raise the first rule it breaks."""
    properties_seen = 0
    todo: list[tuple[Context, int, Any]] = [((), 1, root)]
    while todo:
        context, level, schema = todo.pop(0)
        if not isinstance(schema, dict):
            continue
        if strict:
            _check_keywords(schema, context)
            if level > MAX_NESTING:
                raise SchemaProblem(f"{level} levels of nesting exceeds limit of {MAX_NESTING}.")
        properties = schema.get("properties")
        if _is(schema, "array") and "items" not in schema and "prefixItems" not in schema:
            raise SchemaProblem(f"In context={context}, array schema missing items.")
        if _is(schema, "object") and strict:
            _check_closed(schema, context)
        if isinstance(properties, dict):
            properties_seen += len(properties)
            if properties_seen > MAX_PROPERTIES:
                raise SchemaProblem(
                    f"{properties_seen} parameters exceeds limit of {MAX_PROPERTIES}."
                )
        elif _is(schema, "object") and not context and level == 1 and not strict:
            raise SchemaProblem(f"In context={context}, object schema missing properties.")
        todo += [
            (where, level + deeper, child) for where, deeper, child in _children(schema, context)
        ]


def _children(schema: Json, context: Context) -> list[tuple[Context, int, Any]]:
    """(context, levels deeper, subschema) for everything directly inside."""
    found: list[tuple[Context, int, Any]] = []
    for keyword, deeper in (("properties", 1), ("$defs", 0), ("definitions", 0)):
        members = schema.get(keyword)
        if isinstance(members, dict):
            found += [((*context, keyword, name), deeper, child) for name, child in members.items()]
    if "items" in schema:
        found.append(((*context, "items"), 0, schema["items"]))
    for index, child in enumerate(schema.get("anyOf") or []):
        found.append(((*context, "anyOf", str(index)), 0, child))
    return found


def _check_keywords(schema: Json, context: Context) -> None:
    for keyword in FORBIDDEN:
        if keyword in schema:
            raise SchemaProblem(f"In context={context}, '{keyword}' is not permitted.")
    if "$ref" in schema and len(schema) > 1:
        others = "{" + ", ".join(repr(key) for key in schema if key != "$ref") + "}"
        raise SchemaProblem(f"context={context}, $ref cannot have keywords {others}.")


def _check_closed(schema: Json, context: Context) -> None:
    if schema.get("additionalProperties") is not False:
        raise SchemaProblem(
            f"In context={context}, 'additionalProperties' is required to be supplied "
            "and to be false."
        )
    absent = [
        name for name in schema.get("properties", {}) if name not in schema.get("required", ())
    ]
    if absent:
        raise SchemaProblem(
            f"In context={context}, 'required' is required to be supplied and to be an array "
            f"including every key in properties. Missing '{absent[0]}'."
        )


def _is(schema: Json, name: str) -> bool:
    types = schema.get("type")
    return types == name or (isinstance(types, list) and name in types)
