"""Lesson 2, the loop: every item kept, every call answered, failures told, turns capped."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from operator import methodcaller
from typing import Any

from ..grading.submission import Double, Outcome, Submission, Verdict
from ..platform.app import Platform
from ..standin.prompt import call, message
from ..standin.scripted import Scripted, ScriptError
from .task import Finding, expect, task
from .wire import (
    ACCEPTED,
    Json,
    Watched,
    accepted,
    ask,
    function_tool,
    outputs,
    ran,
    seen,
    turns,
    user_texts,
)

_DATES = {"A-104": "2026-07-13", "A-107": "2026-07-16", "A-112": "2026-07-21"}
_PLACES = {"PX-88": "Lyon", "PX-91": "Grenoble"}
_TOOLS = [
    function_tool("get_order", "Return the promised delivery date of an order.", order_id="Order"),
    function_tool("track_parcel", "Tell where a parcel was seen last.", parcel_id="Parcel"),
    function_tool("cancel", "Cancel an order.", order_id="Order"),
]


def _get_order(order_id: str) -> Json:
    return {"order_id": order_id, "promised_date": _DATES[order_id]}


def _track_parcel(parcel_id: str) -> Json:
    return {"parcel_id": parcel_id, "place": _PLACES[parcel_id]}


def _order(order_id: str) -> Json:
    return call("get_order", {"order_id": order_id})


_cancel = call("cancel", {"order_id": "A-104"})


def _parcel(parcel_id: str) -> Json:
    return call("track_parcel", {"parcel_id": parcel_id})


class _Run:
    """One run of a learner's loop against a script, with the shop's functions as stubs."""

    def __init__(
        self, submission: Submission, name: str, question: str, script: list[Any], **named: Any
    ) -> None:
        self.get_order = submission.stub("get_order", does=_get_order)
        self.track_parcel = submission.stub("track_parcel", does=_track_parcel)
        registry = {"get_order": self.get_order, "track_parcel": self.track_parcel}
        tools = [Double(tool, f"<tool {tool['name']}>") for tool in _TOOLS]
        self.client = submission.client(Watched(Scripted(script)), max_requests=12)
        self.called = submission.call(name, self.client, question, tools, registry, **named)

    @property
    def accepted(self) -> Outcome:
        return accepted(self.called, self.client)

    @property
    def answers(self) -> Outcome:
        """The outputs that the model read in the last request, in the order of their calls."""
        return seen(self.called, self.client).through(_in_order)

    @property
    def asked(self) -> Outcome:
        """What the user said, as the model read it in the last request."""
        return seen(self.called, self.client).through(user_texts)

    @property
    def end(self) -> Outcome:
        """What came of it all: the value returned, and after how many requests."""
        value = {"returned": self.called.value, "requests": len(turns(self.client))}
        return self.called.through(lambda _: value)

    @property
    def stop(self) -> Outcome:
        """How it ended, in words, also when it raised."""
        how = self.called.problem or f"it returned {self.called.value!r}"
        return Outcome(
            self.called.tried, Verdict(f"after {len(turns(self.client))} requests {how}")
        )


def _in_order(items: list[Json]) -> list[str]:
    calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
    answers = outputs(items)
    return [answers[call_id] for call_id in calls if call_id in answers]


@task(
    "02.1",
    "One round, every call",
    minutes=10,
    points=2,
    stars=1,
    hints=(
        "history = [{'role': 'user', 'content': question}]; after the first request, "
        "history += response.output. That keeps the reasoning items too.",
        "Go through all items of type function_call. Each gets an output of its own, and all "
        "outputs go into one second request.",
        "history.append({'type': 'function_call_output', 'call_id': call.call_id, "
        "'output': json.dumps(registry[call.name](**json.loads(call.arguments)))})",
    ),
)
def one_round(submission: Submission) -> Iterator[Finding]:
    question = "Where are A-104 and A-107, and the parcel PX-91?"
    three = [_order("A-104"), _parcel("PX-91"), _order("A-107")]
    run = _Run(submission, "one_round", question, [three, message("All on their way.")])
    yield (
        expect("every call runs its function", ran(run.called, run.get_order))
        .equals([{"order_id": "A-104"}, {"order_id": "A-107"}])
        .because("a model that needs three things may ask for all of them at once")
    )
    yield (
        expect("and so does the call of the other function", ran(run.called, run.track_parcel))
        .equals([{"parcel_id": "PX-91"}])
        .because("the call says by its name which function it wants")
    )
    yield (
        expect("the API accepts every request", run.accepted)
        .equals(ACCEPTED)
        .because("all the model's items go back, and every call with an output")
    )
    yield (
        expect("each output answers its own call", run.answers)
        .that(
            partial(_tell, ["2026-07-13", "Grenoble", "2026-07-16"]),
            "three outputs: of A-104, of PX-91 and of A-107, each under the call_id of its call",
        )
        .because("with two outputs interchanged the model believes the wrong one")
    )
    yield (
        expect("the model still sees the question", run.asked)
        .equals([question])
        .because("a request is all the model knows")
    )
    yield (
        expect("one round is two requests, and the text", run.end)
        .equals({"returned": "All on their way.", "requests": 2})
        .because("all outputs of a turn go back together, and then the model speaks")
    )
    plain = _Run(submission, "one_round", "Good morning!", [message("Good morning.")])
    yield (
        expect("without a call the first answer is the last", plain.end)
        .equals({"returned": "Good morning.", "requests": 1})
        .because("a second request would cost the whole history again for nothing")
    )


def _tell(facts: list[str], texts: list[str]) -> bool:
    """Whether there is one text for each fact, in this order."""
    return len(texts) == len(facts) and all(
        fact in text for fact, text in zip(facts, texts, strict=True)
    )


@task(
    "02.2",
    "Break the loop",
    minutes=10,
    points=2,
    stars=2,
    hints=(
        "A script is a list of turns. A turn is call(name, arguments), message(text), or a list "
        "of several calls, which the model makes at once.",
        "unanswered: what does found_loop do with the second call of a turn? "
        "raises: what does get_order do with an order it does not know?",
        "endless: [call('get_order', {'order_id': 'A-104'})] * 20 is a model that never has "
        "enough.",
    ),
)
def break_the_loop(submission: Submission) -> Iterator[Finding]:
    attacks = submission.value("attacks")
    for name, wanted, reason in (
        (
            "unanswered",
            "the API refused: No tool output found for function call",
            "next() takes the first call; the others stay unanswered",
        ),
        (
            "raises",
            "it raised ",
            "the exception ends the run, where a text would have let the model go on",
        ),
        (
            "endless",
            f"it went on for {_ENOUGH} requests",
            "while True ends when the model wants it to, and somebody pays for each turn",
        ),
    ):
        yield (
            expect(f"{name} breaks it", _played(name, attacks[name]))
            .that(
                methodcaller("startswith", wanted),
                f"a script at which found_loop ends so: {wanted}…",
            )
            .because(reason)
        )


_ENOUGH = 10  # requests after which a loop counts as endless


def _played(name: str, script: Outcome) -> Outcome:
    """What becomes of found_loop, as the task shows it, when a model follows this script."""

    def play(turns: Any) -> Verdict:
        try:
            return Verdict(_found_loop(Platform(model=Scripted(turns))))
        except (ScriptError, TypeError) as error:
            return Verdict(f"this is no script: {error}")

    return script.through(play, f"found_loop with attacks[{name!r}]")


def _found_loop(platform: Platform) -> str:
    registry: dict[str, Callable[..., Json]] = {
        "get_order": _get_order,
        "track_parcel": _track_parcel,
    }
    history: list[Json] = [{"role": "user", "content": "Where is order A-104?"}]
    for _ in range(_ENOUGH):
        exchange = ask(platform, history, _TOOLS)
        if exchange.status != 200:
            return f"the API refused: {exchange.reply['error']['message']}"
        history += exchange.reply["output"]
        found = [item for item in exchange.reply["output"] if item["type"] == "function_call"]
        if not found:
            return "it returned the text of the answer"
        try:
            result = registry[found[0]["name"]](**json.loads(found[0]["arguments"]))
        except Exception as error:
            return f"it raised {error!r}"
        output = {"call_id": found[0]["call_id"], "output": json.dumps(result)}
        history.append({"type": "function_call_output"} | output)
    return f"it went on for {_ENOUGH} requests, and did not end"


@task(
    "02.3",
    "The loop that survives",
    minutes=20,
    points=4,
    stars=3,
    hints=(
        "for turn in range(max_turns): one request, then history += response.output, then an "
        "output for each call. After the for: raise RuntimeError.",
        "No calls in this response: return response.output_text. That is the only way out that "
        "is a success.",
        "The function that answers one call is that of 01.3, with its one try. "
        "Copy it, or import what you wrote.",
    ),
)
def the_loop_that_survives(submission: Submission) -> Iterator[Finding]:
    def play(question: str, script: list[Any], **named: Any) -> _Run:
        return _Run(submission, "run_loop", question, script, **named)

    question = "Is A-104 late, and where is it?"
    whole = play(
        question, [_order("A-104"), _parcel("PX-88"), _order("A-107"), message("In Lyon.")]
    )
    yield (
        expect("it goes on until the model answers", whole.end)
        .equals({"returned": "In Lyon.", "requests": 4})
        .because("a model may need one result to know what to ask for next")
    )
    yield (
        expect("the API accepts every request", whole.accepted)
        .equals(ACCEPTED)
        .because("it refuses a history in which an item of the model's is missing")
    )
    yield (
        expect("the last request still holds the question", whole.asked)
        .equals([question])
        .because("a request is all the model knows")
    )
    yield (
        expect("and the outputs of every call so far", whole.answers)
        .that(
            partial(_tell, ["2026-07-13", "Lyon", "2026-07-16"]), "the outputs of all three calls"
        )
        .because("what is not in the context never happened, and is asked for again")
    )
    both = [message("One moment."), _order("A-112"), _parcel("PX-91")]
    many = play("And both?", [both, message("Both are known.")])
    yield (
        expect("several calls of one turn are all answered", many.answers)
        .that(partial(_tell, ["2026-07-21", "Grenoble"]), "two outputs, in one request")
        .because("one that is unanswered is refused; and text beside a call is no end")
    )
    for label, fact, wish, script in (
        ("a function that fails is told to the model", "Z-9", "Is Z-9 late?", _order("Z-9")),
        ("a tool without a function is too", "cancel", "Cancel A-104.", _cancel),
    ):
        failed = play(wish, [script, message("I am sorry.")])
        yield (
            expect(label, failed.answers)
            .that(partial(_tell, [fact]), f"one output, which names {fact}")
            .because("told of it, the model can mend its call; a call without output is refused")
        )
        yield (
            expect("and the loop goes on", failed.end)
            .equals({"returned": "I am sorry.", "requests": 2})
            .because("an exception would end the run, and the user would learn nothing")
        )
    for cap in (3, 5):
        endless = play("Is it late?", [_order("A-104")] * 30, max_turns=cap)
        ending = f"after {cap} requests your code raised RuntimeError"
        yield (
            expect(f"max_turns={cap} ends it", endless.stop)
            .that(methodcaller("startswith", ending), ending)
            .because("a model that never has enough is stopped by you, or by your bill")
        )
    just = play("Is it late?", [_order("A-104"), message("Yes.")], max_turns=2)
    yield (
        expect("an answer in the last turn allowed still counts", just.end)
        .equals({"returned": "Yes.", "requests": 2})
        .because("max_turns requests were allowed, and the last of them brought the answer")
    )
