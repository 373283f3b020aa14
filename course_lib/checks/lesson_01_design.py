"""Lesson 1, what you let a model write: descriptions, arguments, schemas."""

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import jsonschema_rs

from ..grading.submission import Outcome, Submission, Verdict
from .task import Finding, expect, task
from .wire import ACCEPTED, Json, asked, asks_for, calls_in, declared, function_tool

_NEIGHBOURS = {
    "search_orders": (
        "What has customer C-7 ordered from us?",
        "Which orders has customer C-9 placed?",
    ),
    "search_complaints": (
        "What has customer C-7 complained about?",
        "Which complaints has customer C-9 made?",
    ),
    "search_invoices": (
        "Which invoices has customer C-7 not paid yet?",
        "Which unpaid invoices does customer C-9 have?",
    ),
}


@task(
    "01.5",
    "Three neighbours",
    minutes=15,
    points=3,
    stars=2,
    hints=(
        "The three differ in nothing but what they are about: say that first, in the words of "
        "the questions. show.choice tells which words counted.",
        "Everything about a customer sounds helpful and is no sign. Each needs its own noun, "
        "and the verb that goes with it: orders, ordered.",
        "Use one pattern for all three: List the … of a customer: what they ….",
    ),
)
def three_neighbours(submission: Submission) -> Iterator[Finding]:
    catalogue = submission.value("catalogue")
    yield (
        expect("three flat, strict tools that take one text, customer", catalogue)
        .that(
            lambda tools: (
                sorted(tool["name"] for tool in tools) == sorted(_NEIGHBOURS)
                and all(asks_for(tool["parameters"], "customer") for tool in tools)
                and all(tool["strict"] is True for tool in tools)
            ),
            f"a list of {', '.join(_NEIGHBOURS)}, each strict, each with customer alone",
        )
        .because("with one schema for all, nothing but the descriptions can tell them apart")
    )
    yield (
        expect("the API accepts the catalogue", declared(catalogue, catalogue.value))
        .equals(ACCEPTED)
        .because("one tool it refuses, and no tool is sent")
    )
    for name, questions in _NEIGHBOURS.items():
        yield (
            expect(
                f"questions for {name} go there",
                *(_unnamed(catalogue, question) for question in questions),
            )
            .that(partial(_only, name), f"one call, of {name}")
            .because("the model sees a name and a description; the names were taken away here")
        )


def _only(name: str, calls: list[list[Any]]) -> bool:
    return [called for called, _ in calls] == [name]


def _unnamed(catalogue: Outcome, question: str) -> Outcome:
    """The calls a question brings when the tools are called tool_1 and so on."""

    def choose(tools: list[Json]) -> list[list[Any]]:
        names = {f"tool_{number}": tool["name"] for number, tool in enumerate(tools, 1)}
        hidden = [tool | {"name": name} for tool, name in zip(tools, names, strict=True)]
        calls = calls_in(asked(question, hidden).reply)
        return [[names[name], arguments] for name, arguments in calls]

    return catalogue.through(choose, f"{question!r}, the tools named tool_1, tool_2, tool_3")


_KNOWN = {"CSC-105": None, "CSC-121": "CSC-105", "CSC-122": "CSC-121", "CSC-223": "CSC-122"}


@task(
    "01.6",
    "Attack, then defend",
    minutes=15,
    points=3,
    stars=2,
    hints=(
        "Attack with what a person would write and a schema of one string lets through: small "
        "letters, a space for the dash, a course nobody has heard of.",
        "Defend by bringing every writing to one: upper case, letters and digits alone. Compare "
        "that with the known courses brought to the same.",
        "For an unknown course return what the model needs to do better: "
        '{"ok": False, "known": sorted(PREREQUISITES), "how_to_fix": "Use one of the known …"}.',
    ),
)
def attack_then_defend(submission: Submission) -> Iterator[Finding]:
    attacks = submission.value("attacks")
    yield (
        expect("three texts that break the function", attacks)
        .that(
            lambda texts: (
                len({text for text in texts if isinstance(text, str)}) == len(texts) >= 3
                and not any(text in _KNOWN for text in texts)
            ),
            "at least three different texts, each of which makes found_prerequisite raise",
        )
        .because("each of them fits the schema, so nothing stops it before your function")
    )
    yield (
        expect("one is a course that exists, in another writing", attacks)
        .that(
            lambda texts: any(_plain(text) in map(_plain, _KNOWN) for text in texts),
            "for example a course of PREREQUISITES in small letters",
        )
        .because("people and models write one course in many ways")
    )
    yield (
        expect("one is a course that does not exist", attacks)
        .that(
            lambda texts: any(_plain(text) not in map(_plain, _KNOWN) for text in texts),
            "for example a course of another department",
        )
        .because("a model may ask for anything that looks like a course")
    )

    def defend(course: str) -> Outcome:
        return submission.call("get_prerequisite", course)

    for course, needed in (("CSC-122", "CSC-121"), ("CSC-105", None)):
        plain = course.replace("-", "").lower()
        spellings = (course, course.lower(), course.replace("-", " "), f" {course}\n", plain)
        yield (
            expect(f"{course} is found in every writing", *map(defend, spellings))
            .equals({"ok": True, "course": course, "prerequisite": needed})
            .because("the function is the last to see what the model wrote, so it tidies it up")
        )
    chain = [defend(course)["prerequisite"] for course in ("CSC-223", "CSC-122", "CSC-121")]
    yield (
        expect("the chain from CSC-223 leads back to CSC-105", *chain)
        .equals("CSC-122", "CSC-121", "CSC-105")
        .because("each answer is the next question")
    )
    yield (
        expect("an unknown course is told what is known", *map(defend, ("MAT-101", "CSC-1222", "")))
        .that(
            lambda answer: (
                answer["ok"] is False
                and set(_KNOWN) <= set(answer["known"])
                and answer["how_to_fix"].strip()
            ),
            '{"ok": False, "known": [all four], "how_to_fix": "a sentence"}',
        )
        .because("with suggestions the model corrects itself; with another course it misleads")
    )
    tried = attacks.through(lambda texts: [text for text in texts[:20] if isinstance(text, str)])
    own = [defend(text) for text in (tried.value if isinstance(tried.value, list) else [])]
    yield (
        expect("your own attacks break it no more", *(own or [attacks]))
        .that(lambda answer: isinstance(answer["ok"], bool), "an answer with ok true or false")
        .because("an attack that succeeded once is a test from then on")
    )


def _plain(course: str) -> str:
    return re.sub("[^A-Z0-9]", "", course.upper())


_TAKEN, _REFUSED = Verdict("they fit"), Verdict("they do not fit")
_TEXT = {"type": "string", "description": "As the customer wrote it"}
_FLAT = {
    "type": "object",
    "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer"}, "note": _TEXT},
    "required": ["sku", "quantity"],
}
_ADDRESS = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "door": _TEXT},
    "required": ["city"],
}
_DEEP = {
    "type": "object",
    "properties": {
        "deliver_to": _ADDRESS,
        "lines": {"type": "array", "items": _FLAT},
        "speed": {"type": "string", "enum": ["normal", "express"]},
    },
    "required": ["deliver_to", "lines"],
}
_LOOSE = {"type": "object", "properties": {"invoice_to": _ADDRESS, "gift": {"type": "boolean"}}}
_LINE = {"sku": "TR-40", "quantity": 2, "note": "fragile"}
_ORDER = {"deliver_to": {"city": "Lyon", "door": "3"}, "lines": [_LINE], "speed": "express"}


@task(
    "01.7",
    "Leave nothing open",
    minutes=20,
    points=4,
    stars=3,
    hints=(
        "For an object: required is list(properties), additionalProperties is False, and each "
        "property goes through the function again.",
        "A property that was not in required becomes "
        '{"anyOf": [the property, {"type": "null"}]}: the key is always sent, null for nothing.',
        "Objects hide in properties, in the items of an array, and in anyOf. Anything else is "
        "returned as it is.",
    ),
)
def leave_nothing_open(submission: Submission) -> Iterator[Finding]:
    flat, deep, loose = (submission.call("close", each) for each in (_FLAT, _DEEP, _LOOSE))

    def takes(label: str, closed: Outcome, yes: list[Json], no: list[Json]) -> Finding:
        judged = [_judged(closed, arguments) for arguments in [*yes, *no]]
        return expect(label, *judged).equals(*[_TAKEN] * len(yes), *[_REFUSED] * len(no))

    yield (
        expect("the API takes each of them as strict", *map(_as_strict, (flat, deep, loose)))
        .equals(ACCEPTED)
        .because("strict is refused for a schema that leaves anything open, at any depth")
    )
    yield takes(
        "what was optional may be null",
        flat,
        [_LINE, _LINE | {"note": None}],
        [_LINE | {"note": 5}, {"sku": "TR-40", "quantity": 2}],
    ).because("under strict every key is sent; null is how the model says nothing")
    yield takes(
        "what was required may not",
        flat,
        [_LINE],
        [_LINE | {"sku": None}, _LINE | {"quantity": None}, _LINE | {"colour": "red"}],
    ).because("a value the function cannot do without must not be left out by the back door")
    yield takes(
        "an object in an object is closed too",
        deep,
        [_ORDER, _ORDER | {"deliver_to": {"city": "Lyon", "door": None}}],
        [
            _ORDER | {"deliver_to": None},
            _ORDER | {"deliver_to": {"city": "Lyon"}},
            _ORDER | {"deliver_to": {"city": None, "door": "3"}},
        ],
    ).because("the guarantee holds for the whole of the arguments or not at all")
    yield takes(
        "and so are the objects of an array",
        deep,
        [_ORDER, _ORDER | {"lines": [_LINE, _LINE | {"note": None}]}, _ORDER | {"lines": []}],
        [_ORDER | {"lines": None}, _ORDER | {"lines": [_LINE | {"sku": None}]}],
    ).because("the guarantee holds for the whole of the arguments or not at all")
    yield takes(
        "a choice keeps its members, and gains null",
        deep,
        [_ORDER, _ORDER | {"speed": "normal"}, _ORDER | {"speed": None}],
        [_ORDER | {"speed": "slow"}, _ORDER | {"speed": ""}],
    ).because("an enum without null would force a choice on a customer who made none")
    yield takes(
        "without a list of required, all of it is optional",
        loose,
        [
            {"invoice_to": None, "gift": None},
            {"invoice_to": {"city": "Lyon", "door": None}, "gift": True},
        ],
        [{}, {"invoice_to": {"city": "Lyon"}, "gift": True}, {"invoice_to": None, "gift": "yes"}],
    ).because("a missing required means: none")
    yield (
        expect("the descriptions are still there", flat, deep)
        .that(lambda schema: _TEXT["description"] in json.dumps(schema), "the descriptions kept")
        .because("they are what the model knows of the argument")
    )


def _as_strict(closed: Outcome) -> Outcome:
    if not isinstance(closed.value, dict):
        return closed
    tool = function_tool("order", "Place an order.") | {"parameters": closed.value}
    return declared(closed, [tool])


def _judged(closed: Outcome, arguments: Json) -> Outcome:
    """Whether a closed schema takes these arguments or refuses them."""
    tried = f"with the schema returned, the arguments {arguments}"

    def judge(schema: Any) -> Verdict:
        return _TAKEN if jsonschema_rs.is_valid(schema, arguments, offline=True) else _REFUSED

    return closed.through(judge, tried)
