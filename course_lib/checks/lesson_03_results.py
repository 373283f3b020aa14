"""Lesson 3, what hosted tools leave in a response: citations, items to count, results of code."""

from collections.abc import Iterator
from typing import Any

from .. import web
from ..grading.submission import Client, Double, Outcome, Submission, Verdict
from ..platform.output import FROM
from ..standin.prompt import call, message
from ..standin.scripted import Scripted
from .task import Finding, expect, task
from .wire import (
    ACCEPTED,
    Json,
    Watched,
    accepted,
    function_tool,
    raised,
    ran,
    seen,
    turns,
    user_texts,
)

_HUB = "https://parcelway.example/news/utrecht-hub"
_LIMITS = "https://parcelway.example/help/limits"
_LATE = "Why do parcels that pass through Utrecht arrive late?"


def _says(*pieces: tuple[str, str]) -> Json:
    """A message of (words, the page that they cite or "")."""
    text = ""
    citations: list[Json] = []
    for words, page in pieces:
        cited = {"start": len(text), "end": len(text) + len(words), "source": page}
        text, citations = text + words, [*citations, *[cited] * bool(page)]
    return message(text) | {"citations": citations}


def _urls(sources: list[Json]) -> list[str]:
    return [page["url"] for page in sources]


def _titles(sources: list[Json]) -> list[str]:
    return [page["title"] for page in sources]


def _search(query: str) -> Json:
    return call("web_search", {"query": query})


@task(
    "03.4",
    "Show the sources",
    minutes=15,
    points=3,
    stars=2,
    hints=(
        "for item in response.output, for part in item.content of a message: part.text, and "
        "part.annotations, each with start_index, end_index, title and url.",
        "Copy as you go: the text since the last span, then the number, then read on from "
        "end_index. What you replace in place moves all later indices.",
        "The indices count within their own part, not within response.output_text. A page that "
        "you have numbered already keeps its number: a dict {url: number} over all parts.",
    ),
)
def show_the_sources(submission: Submission) -> Iterator[Finding]:
    def play(*script: Json | list[Json]) -> Outcome:
        client = submission.client(Scripted(list(script)))
        return submission.call("sourced", client, "What is known of it?")

    client = submission.client()
    asked = submission.call("sourced", client, _LATE)
    yield (
        expect("the link that supports a sentence becomes [1]", asked["text"])
        .equals(_with_a_number(client))
        .because("the span of the annotation covers the whole link, brackets included")
    )
    yield (
        expect("the page is listed by its title and its address", asked["sources"])
        .equals([{"title": web.pages()[_HUB].title, "url": _HUB}])
        .because(f"a reader wants to see where a number leads; {FROM} is not of the address")
    )
    several = play(
        _search("belt"),
        _search("how heavy may a parcel be"),
        _says(
            ("The belt [of 2019] broke.", _HUB),
            (" Use [this form](https://forms.example).", ""),
            (" Up to 31.5 kg.", _LIMITS),
            (" Back on Friday.", _HUB),
            (" That is all (1).", ""),
        ),
    )
    yield (
        expect("several links become the numbers of their pages", several["text"])
        .equals(
            "The belt [of 2019] broke. [1] Use [this form](https://forms.example). "
            "Up to 31.5 kg. [2] Back on Friday. [1] That is all (1)."
        )
        .because("every replacement moves the rest of the text, and only spans are citations")
    )
    yield (
        expect("a page that is cited twice is listed once", several["sources"].through(_urls))
        .equals([_HUB, _LIMITS])
        .because("the second [1] leads to the first entry")
    )
    parts = play(
        _search("how heavy may a parcel be"),
        [_says(("Parcels have a limit.", _LIMITS), ("\n", "")), _search("belt")],
        _says(("The belt is broken.", _HUB), (" And so there is a limit.", _LIMITS)),
    )
    yield (
        expect("the indices count within their own message", parts["text"])
        .equals("Parcels have a limit. [1]\nThe belt is broken. [2] And so there is a limit. [1]")
        .because("output_text joins all messages of a response; an index begins anew in each")
    )
    yield (
        expect("and the pages of all messages are listed", parts["sources"].through(_titles))
        .equals([web.pages()[page].title for page in (_LIMITS, _HUB)])
        .because("what the model said before its last search has sources as well")
    )
    plain = play(message("Good morning! [1] is a number, too."))
    yield (
        expect("an answer without citations stays as it is", plain)
        .equals({"text": "Good morning! [1] is a number, too.", "sources": []})
        .because("not every answer has a source, and none may be made up")
    )


def _with_a_number(client: Client) -> str:
    """The text of the stand-in's answer, whose one link is a number."""
    for turn in turns(client):
        for item in turn.reply.get("output", ()):
            for part in item["content"] if item["type"] == "message" else ():
                for cited in part["annotations"]:
                    return f"{part['text'][: cited['start_index']]}[1]"
    return "the answer of a model that has web_search, with [1] after its last sentence"


# --- 03.5 -----------------------------------------------------------------------------------------

_PROMISED = {"A-104": "2026-07-13", "A-107": "2026-07-16"}
_GET_ORDER = function_tool(
    "get_order", "Return the promised delivery date of an order.", order_id="Order"
)
_CODE: Json = {"type": "code_interpreter", "container": {"type": "auto"}}
_DESK = [{"type": "web_search"}, _CODE, {"type": "image_generation"}, _GET_ORDER]


def _get_order(order_id: str) -> str:
    return _PROMISED[order_id]


def _order(order_id: str) -> Json:
    return call("get_order", {"order_id": order_id})


def _run_code(code: str) -> Json:
    return call("code_interpreter", {"code": code})


@task(
    "03.5",
    "Count what is billed",
    minutes=10,
    points=2,
    stars=2,
    hints=(
        "The loop is that of lesson 2: history += response.output, an output for each "
        "function_call, and on until there is none.",
        "Count in response.output, once a turn. What is in the history was counted already.",
        "counts = Counter(), and in each turn counts.update(item.type for item in response.output "
        "if item.type.endswith('_call') and item.type != 'function_call').",
    ),
)
def count_what_is_billed(submission: Submission) -> Iterator[Finding]:
    stub = submission.stub("get_order", does=_get_order)

    def play(*script: Json | list[Json], **named: Any) -> tuple[Outcome, Client]:
        client = submission.client(Watched(Scripted(list(script))), max_requests=12)
        tools = [Double(tool, f"<tool {tool['type']}>") for tool in _DESK]
        given = (client, "What do I have to know?", tools, {"get_order": stub})
        return submission.call("billed", *given, **named), client

    counts, client = play(
        _search("belt"),
        [_search("how heavy may a parcel be"), _order("A-104")],
        _run_code("print(2 * 31.5)"),
        [message("One more."), _order("A-107")],
        _search("late delivery"),
        message("That is all."),
        message("As I said."),
    )
    yield (
        expect("the hosted calls of all turns are counted, each once", counts)
        .equals({"web_search_call": 3, "code_interpreter_call": 1})
        .because("each was run and is billed, in whatever turn; a function of yours is not")
    )
    yield (
        expect("the API accepts every request", accepted(counts, client))
        .equals(ACCEPTED)
        .because("hosted items belong to the history too, with the reasoning before them")
    )
    yield (
        expect("the model reads what all calls have found", seen(counts, client).through(_found))
        .equals([*["web_search"] * 2, "get_order", "code_interpreter", "get_order", "web_search"])
        .because("what is dropped from the history is searched, and paid, again")
    )
    yield (
        expect("the calls of the function are run", ran(counts, stub))
        .equals([{"order_id": "A-104"}, {"order_id": "A-107"}])
        .because("those wait for you, hosted calls beside them or not")
    )
    yield (
        expect("and the third answer is the last", _requests(counts, client))
        .equals(Verdict("3 requests"))
        .because("a hosted call has its result: nothing is left to do, and a request costs")
    )
    drawn, client = play(
        call("image_generation", {"prompt": "a parcel"}), message("Here it is."), message("Yes?")
    )
    yield (
        expect("a turn of hosted calls alone is the whole", drawn, _requests(drawn, client))
        .equals({"image_generation_call": 1}, Verdict("1 request"))
        .because("the picture is in the response already")
    )
    free, _ = play(_order("A-104"), message("On 13 July."))
    none, _ = play(message("Good morning!"))
    yield (
        expect("functions and words are not billed by the call", free, none)
        .equals({})
        .because("reasoning, messages and your own functions cost tokens alone")
    )
    endless, client = play(*[_order("A-104")] * 20, max_turns=3)
    yield (
        expect("max_turns=3 ends it, as in lesson 2", raised(endless), _requests(endless, client))
        .equals(Verdict("RuntimeError"), Verdict("3 requests"))
        .because("a model that never has enough is stopped by you, or by your bill")
    )


def _found(items: list[Json]) -> list[str]:
    """The tools whose results the model reads, in order; a hosted call reads like a function's."""
    return [item["name"] for item in items if item.get("type") == "function_call"]


def _requests(called: Outcome, client: Client) -> Outcome:
    number = len(turns(client))
    return Outcome(called.tried, Verdict(f"{number} request{'s' * (number != 1)}"))


# --- 03.6 -----------------------------------------------------------------------------------------


@task(
    "03.6",
    "Numbers from the container",
    minutes=15,
    points=4,
    stars=3,
    hints=(
        "include=['code_interpreter_call.outputs'], or outputs is None. An output has a type: "
        "of 'logs' take output.logs, and of an image nothing.",
        "for item in response.output: of type code_interpreter_call and of status completed take "
        "item.code, and the logs of all its outputs put together.",
        "previous_response_id=after: the conversation goes on, and 'auto' finds its container "
        "again. No completed run: raise RuntimeError, whatever the message says.",
    ),
)
def numbers_from_the_container(submission: Submission) -> Iterator[Finding]:
    def client_of(*script: Json) -> Client:
        return submission.client(Watched(Scripted(list(script))), max_requests=10)

    def play(*script: Json) -> Outcome:
        return submission.call("computed", client_of(*script), "What is it?")

    question, second = "What do 4, 8 and 15 come to?", "And which is the largest?"
    sums, largest = "prices = [4, 8, 15]\nprint(sum(prices))", "print(max(prices))"
    client = client_of(
        _run_code(sums), message("It is 28."), _run_code(largest), message("It is 15.")
    )
    first = submission.call("computed", client, question)
    yield (
        expect("the code comes back, with what it printed", first["runs"].through(_printed))
        .equals([{"code": sums, "logs": "27"}])
        .because("the message says 28, and a message is a claim; the logs are what was computed")
    )
    then = submission.call("computed", client, second, first["id"].value)
    yield (
        expect("a second question finds what the first has left", then["runs"].through(_printed))
        .equals([{"code": largest, "logs": "15"}])
        .because("variables and files live in the container, and a new one is empty")
    )
    yield (
        expect("and the model still knows the first", seen(then, client).through(user_texts))
        .equals([question, second])
        .because("the container keeps the values; what they mean is in the conversation")
    )
    silent, plotted = "total = 6 * 7", "open('plot.png', 'wb').close()\nprint(total)"
    several = play(_run_code(silent), _run_code(plotted), message("It is 42."))
    yield (
        expect(
            "several runs come back in order, a silent one too", several["runs"].through(_printed)
        )
        .equals([{"code": silent, "logs": ""}, {"code": plotted, "logs": "42"}])
        .because("a run may print nothing, and an output may be a picture")
    )
    again = play(_run_code(_KILLED), _run_code("print(6 * 7)"), message("It is 42."))
    yield (
        expect("a run that failed is left out", again["runs"].through(_printed))
        .equals([{"code": "print(6 * 7)", "logs": "42"}])
        .because("a failed call has no result; the model tried again, and that one counts")
    )
    for label, script in (
        ("words alone are no result", [message("It is about 27.")]),
        ("nor is a run that failed", [_run_code(_KILLED), message("It is 42.")]),
    ):
        yield (
            expect(label, raised(play(*script)))
            .equals(Verdict("RuntimeError"))
            .because("a number that nobody computed looks like any other")
        )


def _printed(runs: list[Json]) -> list[Json]:
    """The code of each run, and what it printed without the last line's end."""
    return [{"code": run["code"], "logs": run["logs"].rstrip()} for run in runs]


_KILLED = "import os\nprint(42, flush=True)\nos._exit(1)"
