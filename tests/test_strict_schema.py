"""The strict subset against a reference written from the rules' text, and normalisation.

The reference is the text of contract A4 in the order in which it stands there, one predicate a
sentence; it shares no code with the platform. What each broken rule is told in is in
`rejections.py`.
"""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.platform.app import Platform
from course_lib.platform.http import Request
from course_lib.platform.strict_schema import (
    SchemaProblem,
    check_schema,
    fits_strict,
    is_schema,
    normalise,
)
from tests.rejections import nested, schema

Json = dict[str, Any]

# --- The reference

TYPES = {"string", "number", "boolean", "integer", "object", "array", "null"}
FORMATS = {
    *("date-time", "time", "date", "duration", "email"),
    *("hostname", "ipv4", "ipv6", "uuid"),
}
NOT_IN_THE_SUBSET = {
    *("allOf", "oneOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else"),
    *("uniqueItems", "minLength", "maxLength", "patternProperties"),
}


def children(node: Json) -> list[Any]:
    inside = [*node.get("properties", {}).values(), *node.get("anyOf", [])]
    return inside + ([node["items"]] if "items" in node else [])


def everything(root: Json) -> list[Any]:
    """The root, all below it, and its definitions."""
    found: list[Any] = []
    waiting = [root, *root.get("$defs", {}).values()]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += children(node) if isinstance(node, dict) else []
    return found


def types(node: Json) -> set[str]:
    told = node.get("type", [])
    return set(told) if isinstance(told, list) else {told}


def levels(node: Any) -> int:
    """How deep values can lie in one another; a choice of anyOf is no level."""
    if not isinstance(node, dict):
        return 0
    held = [*node.get("properties", {}).values(), *([node["items"]] if "items" in node else [])]
    return max(
        [1 + levels(each) for each in held] + [levels(each) for each in node.get("anyOf", [])],
        default=0,
    )


def said_in(node: Json) -> list[str]:
    """The names, enum members and consts that a node spells out."""
    names = [*node.get("properties", {}), *node.get("$defs", {})]
    return names + [str(each) for each in [*node.get("enum", []), node.get("const", "")]]


def is_strict(root: Json) -> bool:
    """Contract A4, "Strict subset": whether `root` follows every sentence of it."""
    nodes = everything(root)
    if not all(isinstance(node, dict) for node in nodes):
        return False
    objects = [node for node in nodes if "object" in types(node)]
    enums = [node["enum"] for node in nodes if "enum" in node]
    long_enums = [enum for enum in enums if len(enum) > 250]
    return all(
        (
            # "Types string, number, boolean, integer, object, array, enum, anyOf"
            all(types(node) or "anyOf" in node or "$ref" in node for node in nodes),
            # "format (date-time, time, ...)"
            all(node.get("format", "date") in FORMATS for node in nodes),
            # "$defs, recursive $ref", and nothing beside a $ref
            all("$ref" not in node or len(node) == 1 for node in nodes),
            # "Not: allOf, not, ..."
            not any(NOT_IN_THE_SUBSET & set(node) for node in nodes),
            # "Root must be object, not anyOf"
            root.get("type") == "object" and "anyOf" not in root,
            # "Every property required"
            all(
                set(node.get("properties", {})) <= set(node.get("required", [])) for node in objects
            ),
            # "additionalProperties: false at every object"
            all(node.get("additionalProperties") is False for node in objects),
            # an array says of what
            all("items" in node for node in nodes if "array" in types(node)),
            # "Limits: 5,000 properties, 10 levels, 120,000 chars of names + enums + consts,
            # 1,000 enum values, and <= 15,000 chars for one enum of > 250 values"
            sum(len(node.get("properties", {})) for node in nodes) <= 5000,
            max(levels(node) for node in nodes) <= 10,
            sum(len(word) for node in nodes for word in said_in(node)) <= 120_000,
            sum(map(len, enums)) <= 1000,
            all(sum(map(len, map(str, enum))) <= 15_000 for enum in long_enums),
        )
    )


# --- Random schemas: strict ones, loosened here and there, with names that look like keywords

TEXTS: list[Json] = [
    *({}, {}, {"enum": ["x", "y"]}, {"pattern": "^x$"}),
    *({"format": "date"}, {"const": "c"}),
]
NAMES = ["a", "b", "items", "properties", "type", "anyOf", "required", "$defs", "enum"]
rarely = st.sampled_from([False] * 19 + [True])


@st.composite
def leaves(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from(["string", "number", "integer", "boolean", "null"]))
    node: Json = {"type": kind}
    if kind == "string":
        node |= draw(st.sampled_from(TEXTS))
    if kind == "number":
        node |= draw(st.sampled_from([{}, {"minimum": 0}, {"multipleOf": 2}]))
    if draw(rarely):
        wrong = [
            {"format": "uri"},
            {"minLength": 1},
            {"not": {"type": "string"}},
            {"oneOf": []},
            {"uniqueItems": True},
        ]
        node |= draw(st.sampled_from(wrong))
    if draw(rarely):
        del node["type"]
    if draw(rarely):
        return draw(st.sampled_from([{"$ref": "#/$defs/D"}, {"$ref": "#", "title": "t"}, True, {}]))
    return node | draw(
        st.sampled_from([{}, {}, {"description": "d"}, {"default": 1}, {"title": "t"}])
    )


@st.composite
def objects(draw: st.DrawFn, inside: st.SearchStrategy[Any]) -> Json:
    properties = draw(st.dictionaries(st.sampled_from(NAMES), inside, max_size=3))
    kind: Any = draw(st.sampled_from(["object"] * 4 + [["object", "null"]]))
    node: Json = {
        "type": kind,
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }
    if draw(rarely):
        node["additionalProperties"] = draw(st.sampled_from([True, {"type": "string"}, None]))
    if draw(rarely) and properties:
        node["required"] = node["required"][1:]
    if draw(rarely):
        del node[draw(st.sampled_from(["required", "additionalProperties", "properties"]))]
    return node


@st.composite
def arrays(draw: st.DrawFn, inside: st.SearchStrategy[Any]) -> Json:
    node: Json = {"type": "array", "items": draw(inside)}
    if draw(rarely):
        del node["items"]
    return node | draw(st.sampled_from([{}, {"minItems": 1}, {"maxItems": 3}]))


def unions(inside: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return st.lists(inside, min_size=1, max_size=2).map(lambda options: {"anyOf": options})


members = st.recursive(
    leaves(), lambda inside: objects(inside) | arrays(inside) | unions(inside), max_leaves=6
)
roots = st.builds(
    lambda root, definitions: root | ({"$defs": definitions} if definitions else {}),
    st.one_of(objects(members), objects(members), objects(members), members),
    st.dictionaries(st.just("D"), members, max_size=1),
).filter(lambda root: isinstance(root, dict))


@settings(derandomize=True, deadline=None, max_examples=500)
@given(st.one_of(objects(members), objects(members), unions(members), leaves()), members)
def test_the_platform_agrees_with_the_rules_text(root: Any, definition: Any) -> None:
    if isinstance(root, dict):
        root |= {"$defs": {"D": definition}}
        assert fits_strict(root) == is_strict(root), root


def test_the_random_schemas_are_of_both_kinds() -> None:
    """A reference that only ever sees one kind proves nothing."""
    found: list[bool] = []

    @settings(derandomize=True, deadline=None, max_examples=100, database=None)
    @given(objects(members))
    def look(root: Json) -> None:
        found.append(is_strict(root))

    look()
    assert 0.2 < sum(found) / len(found) < 0.8


@pytest.mark.parametrize(
    ("root", "strict"),
    [
        (nested(10), True),
        (nested(11), False),
        (schema({"a": {"type": "array", "items": nested(8)}}), True),
        (schema({"a": {"type": "array", "items": nested(9)}}), False),
        (schema({"a": {"anyOf": [nested(9), {"type": "null"}]}}), True),
        (schema({f"p{n}": {"type": "string"} for n in range(5000)}), True),
        (schema({f"p{n}": {"type": "string"} for n in range(5001)}), False),
        (schema({"a": {"type": "string", "enum": [str(n) for n in range(1000)]}}), True),
        (schema({"a": {"type": "string", "enum": [str(n) for n in range(1001)]}}), False),
        (schema({"a": {"type": "string", "enum": [f"{n:059}" for n in range(251)]}}), True),
        (schema({"a": {"type": "string", "enum": [f"{n:060}" for n in range(251)]}}), False),
        (schema({"a": {"type": "string", "enum": [f"{n:0100}" for n in range(250)]}}), True),
        (schema({"a": {"type": "string", "enum": ["x" * 119_999]}}), True),
        (schema({"a": {"type": "string", "enum": ["x" * 120_000]}}), False),
        (
            schema({"items": {"type": "array", "items": schema({"items": {"type": "string"}})}}),
            True,
        ),
    ],
)
def test_the_limits_are_where_the_text_puts_them(root: Json, strict: bool) -> None:
    assert fits_strict(root) is strict
    assert is_strict(root) is strict


def test_a_property_may_be_named_like_a_keyword() -> None:
    root: Json = {"type": "string"}
    for level in range(10):
        root = schema({("items", "properties")[level % 2]: root})
    assert fits_strict(root)
    assert not fits_strict(schema({"items": root}))


# What the vendor's guide named as outside the subset, and reports name still, by a value each has.
OUTSIDE: list[tuple[Any, str]] = [
    ([{}], "allOf oneOf"),
    ({}, "not if then else dependentRequired dependentSchemas patternProperties propertyNames"),
    ({}, "unevaluatedProperties unevaluatedItems contains"),
    (1, "minLength maxLength minProperties maxProperties minContains maxContains"),
    (True, "uniqueItems"),
]


@pytest.mark.parametrize(
    ("keyword", "value"), [(each, value) for value, names in OUTSIDE for each in names.split()]
)
def test_a_keyword_outside_the_subset_is_not_permitted(keyword: str, value: Any) -> None:
    root = schema({"a": {"type": "string", keyword: value}})
    with pytest.raises(SchemaProblem) as raised:
        check_schema(root, strict=True)
    assert str(raised.value) == f"In context=('properties', 'a'), '{keyword}' is not permitted."
    check_schema(root, strict=False)


def test_what_the_agents_sdk_sends_is_strict() -> None:
    """`title` and `default` stay (contract A4 and G): its own schemas carry them."""
    root = schema({"limit": {"type": "integer", "title": "Limit", "default": 10}}, title="f_args")
    assert fits_strict(root)


# --- Schemas that are none


MALFORMED: dict[str, list[Any]] = {
    "properties": [[], "a", 1, None],
    "required": [{}, "a", [1], [["a"]], None],
    "enum": [{}, "a", None],
    "anyOf": [{}, 1, [1], [None]],
    "oneOf": [{}, 1],
    "allOf": [{}, 1],
    "items": [[], 1, "a", None],
    "type": [{}, 1, [], [1], ["str"], [["string"]], None],
    "$defs": [[], {"D": 1}],
    "description": [1],
    "pattern": [[]],
    "format": [{}],
    "$ref": [1],
    "minItems": [1.5],
    "minimum": ["0", True],
}


@pytest.mark.parametrize("keyword", MALFORMED)
def test_a_malformed_schema_is_refused_wherever_it_stands(keyword: str) -> None:
    for value in MALFORMED[keyword]:
        part = {keyword: value}
        for root in (schema() | part, schema({"a": {"type": "string"} | part})):
            for strict in (True, False):
                with pytest.raises(SchemaProblem):
                    check_schema(root, strict=strict)


def test_a_schema_that_passed_lets_no_other_one_pass() -> None:
    """`1` and `true` are equal in Python; and what passes loosely may not be strict."""
    check_schema(schema({"a": {"type": "array", "items": {}, "minItems": 1}}), strict=False)
    for minimum, strict in ((True, False), (1, True)):
        with pytest.raises(SchemaProblem):
            check_schema(
                schema({"a": {"type": "array", "items": {}, "minItems": minimum}}), strict=strict
            )


def test_a_name_that_no_json_can_hold_makes_no_schema() -> None:
    assert is_schema({"properties": {"a": {}}})
    assert not is_schema({"properties": {"\ud83d": {}}})


def test_a_schema_too_deep_to_be_walked_is_none() -> None:
    deep: Json = {}
    for _ in range(20_000):
        deep = {"items": deep}
    assert not is_schema(deep)


# --- Normalisation


@st.composite
def loose_objects(draw: st.DrawFn, inside: st.SearchStrategy[Any]) -> Json:
    """An object as people write it: open, some properties optional."""
    properties = draw(st.dictionaries(st.sampled_from(NAMES), inside, max_size=3))
    required = [name for name in properties if draw(st.booleans())]
    return {"type": "object", "properties": properties} | (
        {"required": required} if required else {}
    )


plain_leaves = st.sampled_from(
    [{"type": "string"}, {"type": "integer", "minimum": 1}, {"type": ["string", "null"]}]
)
loose = loose_objects(
    st.recursive(
        plain_leaves,
        lambda inside: (
            loose_objects(inside)
            | st.builds(lambda each: {"type": "array", "items": each}, inside)
            | unions(inside)
        ),
        max_leaves=5,
    )
)


@settings(derandomize=True, deadline=None, max_examples=80)
@given(loose)
def test_a_schema_that_is_merely_open_can_be_closed(root: Json) -> None:
    before = json.dumps(root)
    closed = normalise(root)
    assert is_strict(closed)
    assert normalise(closed) == closed
    assert json.dumps(root) == before  # the learner's own schema stays as it is


@settings(derandomize=True, deadline=None, max_examples=80)
@given(roots)
def test_normalising_adds_nothing_but_what_closes(root: Json) -> None:
    try:
        check_schema(root, strict=False)
    except SchemaProblem:
        return
    assert _without_closing(normalise(root)) == _without_closing(root)


def _without_closing(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    kept = {name: each for name, each in node.items() if name != "required"}
    if "object" in types(node) and kept.get("additionalProperties") is False:
        del kept["additionalProperties"]
    for name in ("properties", "$defs"):
        if name in kept:
            kept[name] = {key: _without_closing(each) for key, each in kept[name].items()}
    if "anyOf" in kept:
        kept["anyOf"] = [_without_closing(each) for each in kept["anyOf"]]
    if "items" in kept:
        kept["items"] = _without_closing(kept["items"])
    return kept


def echoed(tool: Json) -> Json:
    body = {
        "model": "gpt-5.4",
        "input": "ping",
        "tools": [{"type": "function", "name": "f"} | tool],
    }
    reply = Platform().handle(Request("POST", "/v1/responses", json.dumps(body).encode()))
    response = json.loads(b"".join(reply.chunks))
    assert reply.status == 200, response
    tools: list[Json] = response["tools"]
    return tools[0]


OPEN: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
DICTIONARY: Json = {"type": "object", "additionalProperties": {"type": "string"}}


def test_without_strict_a_tool_is_made_strict_where_it_can_be() -> None:
    tool = echoed({"parameters": OPEN})
    assert tool["strict"] is True
    assert tool["parameters"] == OPEN | {"additionalProperties": False, "required": ["a"]}


def test_without_strict_a_tool_that_must_stay_open_stays_as_it_is() -> None:
    tool = echoed({"parameters": DICTIONARY})
    assert tool["strict"] is False
    assert tool["parameters"] == DICTIONARY


def test_strict_false_leaves_the_schema_alone() -> None:
    tool = echoed({"parameters": OPEN, "strict": False})
    assert (tool["strict"], tool["parameters"]) == (False, OPEN)
