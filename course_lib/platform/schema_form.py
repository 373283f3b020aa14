"""Whether a schema is a schema at all: the form of its keywords, before any rule about them.

The API reports a broken form in the words of the Python `jsonschema` package (`True is not of
type 'array'`, reported in CherryHQ/cherry-studio#4188; `[] is not of type 'object', 'boolean'`,
FoundationAgents/OpenManus#1162). What passes here can be walked without further care.
"""

from collections.abc import Callable, Iterator
from typing import Any

Context = tuple[str, ...]  # the way to a subschema, as the API spells it

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")


class SchemaProblem(Exception):
    """A schema breaks a rule; the text is the API's, without the prefix that names the tool."""

    def __init__(self, text: str, *, seen: bool = True) -> None:
        super().__init__(text)
        self.seen = seen  # whether the API's wording for this rule is known


def subschemas(root: Any) -> Iterator[tuple[Context, Any]]:
    """Every subschema with the way to it, breadth first, the root itself included."""
    level: list[tuple[Context, Any]] = [((), root)]
    while level:
        yield from level
        level = [found for context, schema in level for found in _children(schema, context)]


def _children(schema: Any, context: Context) -> Iterator[tuple[Context, Any]]:
    if not isinstance(schema, dict):
        return
    for keyword in ("properties", "$defs", "definitions"):
        for name, child in schema.get(keyword, {}).items():
            yield (*context, keyword, name), child
    if "items" in schema:
        yield (*context, "items"), schema["items"]
    for keyword in ("anyOf", "oneOf", "allOf"):
        for index, child in enumerate(schema.get(keyword, ())):
            yield (*context, keyword, str(index)), child


def check_form(schema: Any) -> None:
    """Raise SchemaProblem when a schema, or a part of it, is malformed."""
    for _, member in subschemas(schema):  # the children of a member come after its own check
        if isinstance(member, bool):
            continue
        if not isinstance(member, dict):
            raise SchemaProblem(f"{member!r} is not of type 'object', 'boolean'.")
        for keyword, (fits, otherwise) in _FORM.items():
            if keyword in member and not fits(member[keyword]):
                raise SchemaProblem(f"{member[keyword]!r} {otherwise}.")


def _is(*types: type) -> Callable[[Any], bool]:
    """A test for JSON types; a boolean is no number."""
    return lambda value: isinstance(value, types) and not isinstance(value, bool)


def _all_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _names_types(value: Any) -> bool:
    named = value if isinstance(value, list) else [value]
    return bool(named) and all(isinstance(each, str) and each in TYPES for each in named)


_FORM: dict[str, tuple[Callable[[Any], bool], str]] = {
    "type": (_names_types, "is not valid under any of the given schemas"),
    "required": (_all_text, "is not of type 'array'"),
} | {
    keyword: (_is(*types), f"is not of type '{name}'")
    for name, types, keywords in (
        ("object", (dict,), "properties $defs definitions"),
        ("array", (list,), "anyOf oneOf allOf enum"),
        ("string", (str,), "description pattern format $ref"),
        ("number", (int, float), "minimum maximum"),
        ("integer", (int,), "minItems maxItems"),
    )
    for keyword in keywords.split()
}
