"""Attribute filters against a plain reference: every operator on every kind of value, nested."""

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib import connect
from course_lib.platform.rules import shape
from course_lib.platform.store_search import matches

Json = dict[str, Any]
VALUES: list[Any] = ["", "a", "b", "10", -1, 0, 1, 1.0, 2.5, 10, True, False]
OPERATORS = ["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin"]
MISSING: Any = object()


def rank_of(value: Any) -> tuple[int, Any]:
    """A value beside its kind, so that Python's own comparison keeps kinds apart."""
    kind = 0 if isinstance(value, str) else 1 if isinstance(value, bool) else 2
    return kind, value


def reference(wanted: Json, attributes: Json) -> bool:
    """The rules spelled out one by one, as slowly as one likes."""
    if wanted["type"] == "and":
        return False not in [reference(each, attributes) for each in wanted["filters"]]
    if wanted["type"] == "or":
        return True in [reference(each, attributes) for each in wanted["filters"]]
    if wanted["key"] not in attributes:
        return wanted["type"] in ("ne", "nin")
    own = rank_of(attributes[wanted["key"]])
    if wanted["type"] == "in":
        return own in [rank_of(each) for each in wanted["value"]]
    if wanted["type"] == "nin":
        return own not in [rank_of(each) for each in wanted["value"]]
    other = rank_of(wanted["value"])
    same_kind = own[0] == other[0]
    if wanted["type"] == "eq":
        return own == other
    if wanted["type"] == "ne":
        return own != other
    if wanted["type"] == "gt":
        return same_kind and own[1] > other[1]
    if wanted["type"] == "gte":
        return same_kind and own[1] >= other[1]
    if wanted["type"] == "lt":
        return same_kind and own[1] < other[1]
    return same_kind and own[1] <= other[1]


def comparison(kind: str, value: Any, key: str = "a") -> Json:
    return {"type": kind, "key": key, "value": value}


def test_every_operator_on_every_pair_of_values() -> None:
    lists = [[], *([value] for value in VALUES), VALUES[:6], VALUES[6:]]
    rows = 0
    for kind in OPERATORS:
        for own, value in itertools.product([MISSING, *VALUES], lists if "in" in kind else VALUES):
            attributes = {} if own is MISSING else {"a": own}
            wanted = comparison(kind, value)
            shape("AnyFilter")(wanted, "filters")
            assert matches(wanted, attributes) == reference(wanted, attributes), (wanted, own)
            rows += 1
    print(f"{rows} rows")


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"year": 2024, "lang": "en"}, True),
        ({"year": 2023, "lang": "en"}, False),
        ({"year": 2024, "lang": "fr"}, False),
        ({"year": "2024", "lang": "en"}, False),  # a text is no number
        ({"year": True, "lang": "en"}, False),
        ({"lang": "en"}, False),
        ({"year": 2023, "lang": "de"}, True),
        ({"draft": False, "lang": "de"}, True),
        ({"draft": True, "lang": "de"}, False),
    ],
)
def test_a_filter_written_by_hand(attributes: Json, expected: bool) -> None:
    recent_english = [comparison("gte", 2024, "year"), comparison("in", ["en"], "lang")]
    finished_german = [comparison("ne", True, "draft"), comparison("eq", "de", "lang")]
    wanted = {
        "type": "or",
        "filters": [
            {"type": "and", "filters": recent_english},
            {"type": "and", "filters": finished_german},
        ],
    }
    assert matches(wanted, attributes) == reference(wanted, attributes) == expected


values = st.sampled_from(VALUES)
leaves = st.one_of(
    st.builds(comparison, st.sampled_from(OPERATORS[:6]), values, st.sampled_from("abc")),
    st.builds(comparison, st.sampled_from(OPERATORS[6:]), st.lists(values), st.sampled_from("abc")),
)
nestings = st.recursive(
    leaves,
    lambda inner: st.fixed_dictionaries(
        {"type": st.sampled_from(["and", "or"]), "filters": st.lists(inner, max_size=4)}
    ),
    max_leaves=12,
)


@given(wanted=nestings, attributes=st.dictionaries(st.sampled_from("abc"), values))
@settings(max_examples=400, deadline=None)
def test_every_nesting(wanted: Json, attributes: Json) -> None:
    shape("AnyFilter")(wanted, "filters")
    assert matches(wanted, attributes) == reference(wanted, attributes)


def test_a_search_looks_only_at_the_files_that_pass() -> None:
    client = connect()
    store = client.vector_stores.create()
    files = [client.files.create(file=(f"{n}.txt", b"A note."), purpose="assistants") for n in "ab"]
    for number, file in enumerate(files):
        client.vector_stores.files.create_and_poll(
            file.id, vector_store_id=store.id, attributes={"number": number, "flag": number == 1}
        )
    for wanted in (comparison("eq", 1, "number"), comparison("eq", True, "flag")):
        given: Any = {"type": "and", "filters": [wanted, comparison("nin", ["x"], "other")]}
        found = client.vector_stores.search(store.id, query="note", filters=given)
        assert [hit.filename for hit in found] == ["b.txt"]
