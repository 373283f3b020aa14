"""Lesson 2, what goes over the wire: tool_choice, the history, a stream, a busy service."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from ..grading.submission import Client, Outcome, Submission, Verdict
from ..live import MODEL
from ..platform.context import as_items
from ..platform.events import response_events
from ..platform.faults import Fault
from ..standin.prompt import call, message
from ..standin.scripted import Scripted
from .task import Finding, expect, task
from .wire import (
    Json,
    Watched,
    asked,
    calls_in,
    function_tool,
    raised,
    refusal,
    seen,
    turns,
    user_texts,
)

_ORDER = "When was order A-104 promised?"
_STOCK = "How many units of TR-40 are in stock?"
_NEITHER = "Write a limerick about a lighthouse."
_DESK = [
    function_tool(
        "get_order",
        "Return the promised delivery date of an order. Use it for any question about an order.",
        order_id="Order number, e.g. A-104",
    ),
    function_tool(
        "get_stock",
        "Return how many units of an article are in stock. Use it for any question about stock.",
        sku="Article number, e.g. TR-40",
    ),
]

_ANY = Verdict("a call")
# situation: (what it needs, {question: the tools called})
_SITUATIONS: dict[str, tuple[str, dict[str, list[str] | Verdict]]] = {
    "chat": (
        "the model decides, question by question",
        {_ORDER: ["get_order"], _STOCK: ["get_stock"], _NEITHER: []},
    ),
    "form": (
        "get_order and nothing else, whatever the text says",
        {_ORDER: ["get_order"], _STOCK: ["get_order"]},
    ),
    "research": (
        "a call in any case, of whichever tool fits",
        {_ORDER: ["get_order"], _STOCK: ["get_stock"], _NEITHER: _ANY},
    ),
    "closing": (
        "words alone, though the tools stay declared",
        {_ORDER: [], _STOCK: [], _NEITHER: []},
    ),
}


@task(
    "02.4",
    "Whose choice is it?",
    minutes=10,
    points=2,
    stars=1,
    hints=(
        "There are four forms: 'auto', 'required', 'none', and an object that names a tool.",
        "The object is flat, like the tool: {'type': 'function', 'name': …}.",
        "One that decides, one that is named, one that must call, one that must not: "
        "each situation takes another of the four.",
    ),
)
def whose_choice_is_it(submission: Submission) -> Iterator[Finding]:
    choices = submission.value("choices")
    for name, (need, questions) in _SITUATIONS.items():
        came = [_chosen(choices[name], question, tools) for question, tools in questions.items()]
        yield (
            expect(f"{name}: {need}", *came)
            .equals(*questions.values())
            .because("tool_choice holds for the whole request, whatever its question")
        )


def _chosen(choice: Outcome, question: str, wanted: list[str] | Verdict) -> Outcome:
    """The tools that a question brings under this tool_choice, or that there is one."""
    if choice.problem is not None:
        return choice
    exchange = asked(question, _DESK, tool_choice=choice.value)
    tried = Outcome(f"tool_choice={choice.value!r}, with {question!r}")
    if exchange.status != 200:
        return refusal(tried, exchange)
    names = sorted({name for name, _ in calls_in(exchange.reply)})
    return tried.through(lambda _: _ANY if names and wanted == _ANY else names)


@task(
    "02.5",
    "Two ways to carry a history",
    minutes=15,
    points=3,
    stars=2,
    hints=(
        "The whole: items.append the question, send items, then items += response.output. "
        "Chained: input=question alone, with previous_response_id=response.id from the second on.",
        "What a response was told in instructions, the next one does not know, chained or not: "
        "send them each time. response.usage.input_tokens is the number to return.",
        "Run both and compare what comes back. Then count what travels: one question, or all.",
    ),
)
def two_ways_to_carry_a_history(submission: Submission) -> Iterator[Finding]:
    questions = ["Is A-104 late?", "And A-107?", "Who carries them?"]
    orders = "Answer in one sentence."

    def converse(chained: bool) -> tuple[Outcome, Client]:
        script = Scripted([message("By a day."), message("No."), message("A carrier.")])
        client = submission.client(Watched(script), max_requests=10)
        return submission.call("converse", client, questions, orders, chained), client

    whole, client = converse(False)
    chained, chain = converse(True)
    yield (
        expect("whole: each request holds all questions so far", _sent(whole, client))
        .equals([[questions[:1], None], [questions[:2], None], [questions, None]])
        .because("without a response to go on from, a request is all the model knows")
    )
    ids = [turn.reply["id"] for turn in turns(chain) if turn.status == 200]
    links = zip([[each] for each in questions], [None, *ids], strict=False)
    yield (
        expect(
            "chained: each holds the new question, and goes on from the last", _sent(chained, chain)
        )
        .equals([list(link) for link in links])
        .because("what the platform has stored need not be sent again")
    )
    yield (
        expect(
            "the model reads the whole conversation either way",
            seen(whole, client).through(_conversation),
            seen(chained, chain).through(_conversation),
        )
        .equals(["user", "assistant", "user", "assistant", "user"])
        .because("its own answers are part of what it goes on from")
    )
    yield (
        expect("the instructions hold for every turn", _told(whole, client), _told(chained, chain))
        .equals([orders] * 3)
        .because("instructions are not inherited through previous_response_id")
    )
    yield (
        expect("the input tokens of each turn come back", whole, chained)
        .equals(_input_tokens(client), _input_tokens(chain))
        .because("usage is the only one who knows what a turn has cost")
    )
    yield (
        expect("you foresaw what is saved", submission.value("predicted"))
        .equals({"sends_less": "chained", "costs_fewer_tokens": "neither"})
        .because("chaining saves the upload; the model reads the same context and you pay for it")
    )


def _sent(called: Outcome, client: Client) -> Outcome:
    """For each request the questions in it, and the response it goes on from."""
    for turn in turns(client):
        if turn.status != 200:  # its body can be anything
            return refusal(called, turn)
    bodies = [turn.body for turn in turns(client)]
    sent = [
        [user_texts(as_items(body["input"])), body.get("previous_response_id")] for body in bodies
    ]
    return Outcome(called.tried, sent)


def _conversation(items: list[Json]) -> list[str]:
    """Who speaks, in order."""
    return [item["role"] for item in items if item.get("role")]


def _told(called: Outcome, client: Client) -> Outcome:
    return Outcome(called.tried, [turn.body.get("instructions") for turn in turns(client)])


def _input_tokens(client: Client) -> list[int]:
    usages = [turn.reply.get("usage") or {} for turn in turns(client)]
    return [usage["input_tokens"] for usage in usages if usage]


@task(
    "02.6",
    "Put a stream together",
    minutes=15,
    points=3,
    stars=3,
    hints=(
        "for event in stream: look at event.type. response.output_text.delta carries a piece of "
        "the text in event.delta.",
        "A call is there, whole, with response.output_item.done: event.item has its type, "
        "call_id, name and arguments.",
        "complete is True once response.completed has come. A stream that breaks off just ends.",
    ),
)
def put_a_stream_together(submission: Submission) -> Iterator[Finding]:
    text = "Order A-104 was promised for 13 July."
    calls = [call("get_order", {"order_id": "A-104"}), call("get_stock", {"sku": "TR-40"})]

    def collect(turn: Any, *faults: Fault) -> tuple[Outcome, list[Json]]:
        """What the submission makes of a stream, and the events that are in it."""
        client = submission.client(Scripted([turn]), faults=faults)
        stream = client.stream(model=MODEL, input=_ORDER, tools=_DESK)
        called = submission.call("collect", stream)
        events = list(response_events(turns(client)[-1].reply)) if turns(client) else []
        return called, events[: faults[0].events] if faults else events

    said, events = collect(message(text))
    yield (
        expect("the pieces of a text are put together", said)
        .equals({"text": text, "calls": [], "complete": True})
        .because("a text arrives in deltas, spaces included")
    )
    first = _place(events, "response.output_text.delta")
    broken = [
        collect(message(text), Fault("cut_off", events=number))
        for number in (first + 2, first + 5, len(events) - 1)
    ]
    yield (
        expect("a text that breaks off is kept so far", *(called for called, _ in broken))
        .equals(*({"text": _text(came), "calls": [], "complete": False} for _, came in broken))
        .because("what was read is worth showing, and must not pass for the whole")
    )
    both, events = collect([message("One moment."), *calls])
    yield (
        expect("text and calls of one turn are told apart", both)
        .equals({"text": "One moment.", "calls": _calls_done(events), "complete": True})
        .because("a call needs its call_id, its name, and its arguments as the text they are")
    )
    last = len(events) - _place(events[::-1], "response.output_item.added")
    half, events = collect([message("One moment."), *calls], Fault("cut_off", events=last + 3))
    yield (
        expect("a call that breaks off is left out", half)
        .equals({"text": "One moment.", "calls": _calls_done(events), "complete": False})
        .because("half of its arguments may be valid JSON, and another order")
    )


def _place(events: list[Json], kind: str) -> int:
    """Where the first event of a kind stands; after the last, if there is none."""
    kinds = [event["type"] for event in events]
    return kinds.index(kind) if kind in kinds else len(kinds)


def _text(events: list[Json]) -> str:
    pieces = [each["delta"] for each in events if each["type"] == "response.output_text.delta"]
    return "".join(pieces)


def _calls_done(events: list[Json]) -> list[Json]:
    done = [each["item"] for each in events if each["type"] == "response.output_item.done"]
    parts = ("call_id", "name", "arguments")
    return [{part: item[part] for part in parts} for item in done if "call_id" in item]


@task(
    "02.7",
    "Wait, or give up",
    minutes=15,
    points=3,
    stars=2,
    hints=(
        "The client retries by itself, twice, and without telling: "
        "client = client.with_options(max_retries=0).",
        "except openai.RateLimitError as error: the wait is in "
        "error.response.headers['retry-after'], as text, in seconds.",
        "A 429 whose code is insufficient_quota has no such header, and no waiting mends it: "
        "raise. The last attempt raises too, without sleeping first.",
    ),
)
def wait_or_give_up(submission: Submission) -> Iterator[Finding]:
    def ask(question: str, *faults: Fault, **named: Any) -> tuple[Outcome, Outcome]:
        """How it ended, and after how many requests and which waits."""
        client = submission.client(Scripted([message("In Lyon.")]), faults=faults, max_requests=20)
        sleep = submission.stub("sleep", does=lambda seconds: None)
        called = submission.call("ask_patiently", client, question, sleep, **named)
        waits = [each.get("seconds") for each in sleep.calls]
        value = {"requests": len(turns(client)), "waits": waits}
        return called, Outcome(called.tried, value)

    question = "Where is PX-88?"
    for wait in (150, 1100):
        called, what = ask(question, Fault("rate_limit", times=2, retry_ms=wait))
        yield (
            expect(f"two refusals that ask for {wait / 1000:g} s are waited out", what)
            .that(partial(_waited, 3, wait), f"3 requests, and twice a wait of {_either(wait)}")
            .because("the service knows when it has room again; a guess is too short or too long")
        )
    yield (
        expect("and then the answer comes back", called)
        .equals("In Lyon.")
        .because("the user has waited long enough")
    )
    for attempts in (2, 4):
        called, what = ask(question, Fault("rate_limit", times=15, retry_ms=150), attempts=attempts)
        yield (
            expect(f"attempts={attempts} is the end of it", what)
            .that(partial(_waited, attempts, 150), f"{attempts} requests, a wait between each two")
            .because("waiting after the last attempt would be for nothing")
        )
    yield (
        expect("and then the refusal is raised", raised(called))
        .equals(Verdict("RateLimitError"))
        .because("whoever called has to know that there is no answer")
    )
    for label, wish, kind, faults in (
        ("a request that is wrong is not sent again", "", Verdict("BadRequestError"), ()),
        (
            "a quota that is used up is not waited for",
            question,
            Verdict("RateLimitError"),
            (Fault("quota", times=9),),
        ),
    ):
        called, what = ask(wish, *faults)
        yield (
            expect(label, what, raised(called))
            .equals({"requests": 1, "waits": []}, kind)
            .because("the same request will get the same refusal, however long you wait")
        )


def _either(wait: int) -> str:
    return f"{wait / 1000:g} s (retry-after-ms) or {-(-wait // 1000)} s (retry-after)"


def _waited(requests: int, wait: int, what: Json) -> bool:
    asked_for = (wait / 1000, -(-wait // 1000))
    return (
        what["requests"] == requests
        and len(what["waits"]) == requests - 1
        and all(each in asked_for for each in what["waits"])
    )
