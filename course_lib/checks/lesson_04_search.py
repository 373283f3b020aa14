"""Lesson 4, file search as it is used: sources, filters, and how many passages are enough."""

from collections.abc import Callable, Iterator
from typing import Any

from ..grading.submission import Outcome, Submission, Verdict, output_message
from ..platform.app import Platform
from ..platform.tokens import content_text
from ..platform.vector_stores import SECONDS_TO_PROCESS
from ..shop import DOCUMENTS
from ..standin.prompt import Answer, Prompt, call, message
from .task import Finding, expect, task
from .wire import Json, ask, attached, post, refusal

# Sources

_TEXT = "Kettles carry three years. Batteries carry one. The rest carries two."
_FIRST, _SECOND, _THIRD = 25, 46, 68  # its full stops
_LINK = {"type": "url_citation", "url": "https://rights.example/eu", "title": "Rights"} | {
    "start_index": 0,
    "end_index": 7,
}


def _marked(first: str, second: str, third: str) -> str:
    return (
        f"Kettles carry three years{first}. Batteries carry one{second}. "
        f"The rest carries two{third}."
    )


# what holds: (why, the annotations as (index, file id, name), what comes back)
_CITED: dict[str, tuple[str, list[tuple[int, str, str]], list[Any]]] = {
    "each cited place has its mark": (
        "a mark that is put in moves all that comes after it",
        [(_FIRST, "file-1", "warranty.md"), (_THIRD, "file-1", "warranty.md")],
        [_marked(" [1]", "", " [1]"), ["warranty.md"]],
    ),
    "each place has it once": (
        "the same file is often cited twice at one place, and two marks look like two witnesses",
        [(_FIRST, "file-1", "warranty.md")] * 2 + [(_SECOND, "file-1", "warranty.md")] * 3,
        [_marked(" [1]", " [1]", ""), ["warranty.md"]],
    ),
    "files are numbered as the text comes to them": (
        "a reader meets [1] first; the annotations may come in any order",
        [
            (_SECOND, "file-2", "batteries.md"),
            (_THIRD, "file-1", "warranty.md"),
            (_THIRD, "file-3", "a_law.md"),
            (_FIRST, "file-1", "warranty.md"),
        ],
        [_marked(" [1]", " [2]", " [1] [3]"), ["warranty.md", "batteries.md", "a_law.md"]],
    ),
    "marks at one place stand in the order of their numbers": (
        "[2] [1] reads like a slip",
        [
            (_FIRST, "file-1", "warranty.md"),
            (_SECOND, "file-2", "batteries.md"),
            (_THIRD, "file-2", "batteries.md"),
            (_THIRD, "file-1", "warranty.md"),
        ],
        [_marked(" [1]", " [2]", " [1] [2]"), ["warranty.md", "batteries.md"]],
    ),
    "two files of one name are two": (
        "a file is its id; many stores have two files called terms.md",
        [(_FIRST, "file-1", "terms.md"), (_THIRD, "file-2", "terms.md")],
        [_marked(" [1]", "", " [2]"), ["terms.md", "terms.md"]],
    ),
}


@task(
    "04.4",
    "Sources, once each",
    minutes=12,
    points=3,
    stars=2,
    hints=(
        "part = message.content[0] has .text and .annotations. Take those of type file_citation, "
        "sorted by index: a dict from file_id to number fills in that order.",
        "set((note.index, number)) takes the doubles out. Go through it from the back, "
        "sorted(…, reverse=True), so that the places in front do not move.",
        "text = f'{text[:index]} [{number}]{text[index:]}'. At one place the larger number goes in "
        "first, and the smaller one lands in front of it.",
    ),
)
def sources_once_each(submission: Submission) -> Iterator[Finding]:
    def cited(*notes: Json) -> Outcome:
        shown = [f"{note.get('index')}: {note.get('file_id', note['type'])}" for note in notes]
        told = f"annotations {{{', '.join(shown)}}}"
        return submission.call("cited", output_message(_TEXT, list(notes), told))

    for label, (reason, places, wanted) in _CITED.items():
        notes = [
            {"type": "file_citation", "index": index, "file_id": file_id, "filename": name}
            for index, file_id, name in places
        ]
        yield expect(label, cited(*notes)).equals(wanted).because(reason)
    note = {"type": "file_citation", "index": _SECOND, "file_id": "file-1", "filename": "a.md"}
    yield (
        expect("citations of another kind are passed over", cited(_LINK, note))
        .equals([_marked("", " [1]", ""), ["a.md"]])
        .because("beside a web search there are url_citations too, which have no index")
    )
    yield (
        expect("a message without any stays as it is", cited())
        .equals([_TEXT, []])
        .because("a model may answer from what it knows, and then there is nothing to show")
    )


# Filters

# name: attributes; the first six stand in the exercise
_FILES: dict[str, Json] = {
    "returns.md": {"kind": "terms", "lang": "en", "year": 2024},
    "retours.md": {"kind": "terms", "lang": "fr", "year": 2025},
    "kettle.md": {"kind": "product", "lang": "en", "year": 2026, "status": "final"},
    "bouilloire.md": {"kind": "product", "lang": "fr", "status": "draft"},
    "storm.md": {"kind": "news", "lang": "en", "year": 2026, "status": "internal"},
    "warranty.md": {"kind": "terms", "lang": "en"},
    "fair.md": {"kind": "news", "lang": "fr", "year": 2025, "status": "review"},
    "umbrella.md": {"kind": "product", "lang": "en", "year": 2023, "status": "draft"},
    "team.md": {"kind": "people", "lang": "en", "year": 2030, "status": "internal"},
    "welcome.md": {},
}
_RIGHT = Verdict("the right files, and no other")
# name: (what it is to find, the same in Python, why)
_WISHES: dict[str, tuple[str, Callable[[Json], bool], str]] = {
    "recent": (
        "files of 2025 or later",
        lambda file: file.get("year", 0) >= 2025,
        "gte takes 2025 in, gt does not; and a year is a number, which no text equals",
    ),
    "help": (
        "terms and product pages, in English",
        lambda file: file.get("kind") in ("terms", "product") and file.get("lang") == "en",
        "and joins what must all hold; a file has one kind, so the two kinds are an in, or an or",
    ),
    "public": (
        "all but drafts and internal files, also those that do not say",
        lambda file: file.get("status") not in ("draft", "internal"),
        "without the attribute a file passes ne and nin, and nothing else",
    ),
}


@task(
    "04.5",
    "Which files?",
    minutes=10,
    points=2,
    stars=1,
    hints=(
        "A comparison is {'type': 'gte', 'key': 'year', 'value': 2025}. The types: eq, ne, gt, "
        "gte, lt, lte, in, nin.",
        "A compound is {'type': 'and', 'filters': [one, another]}. in and nin take a list as "
        "their value.",
        "public: name what is to stay out, not what may come in. A file without a status is in no "
        "list of statuses, so nin lets it pass.",
    ),
)
def which_files(submission: Submission) -> Iterator[Finding]:
    filters = submission.value("filters")
    platform = Platform()
    store_id = post(platform, "vector_stores", {}).reply["id"]
    for name, attributes in _FILES.items():
        text = f"What {name} says of opening hours.".encode()
        attached(platform, store_id, name, text, attributes=attributes)
    platform.state.now += SECONDS_TO_PROCESS
    for name, (wish, holds, reason) in _WISHES.items():
        wanted = {name for name, attributes in _FILES.items() if holds(attributes)}
        yield (
            expect(f"{name}: {wish}", _found(platform, store_id, filters[name], wanted))
            .equals(_RIGHT)
            .because(reason)
        )


def _found(platform: Platform, store_id: str, filters: Outcome, wanted: set[str]) -> Outcome:
    """_RIGHT, or the files that a search with this filter finds wrongly, or does not find."""
    match filters.value:
        case _ if filters.problem is not None:
            return filters
        case {"$type": _}:  # no data, such as the dots of one that is still to be written
            return filters
    body = {"query": "opening hours", "max_num_results": 50, "filters": filters.value}
    exchange = post(platform, f"vector_stores/{store_id}/search", body)
    tried = Outcome(f"a search with filters={filters.value!r}")
    if exchange.status != 200:
        return refusal(tried, exchange)
    found = {hit["filename"] for hit in exchange.reply["data"]}
    told = [
        f"{how}: {', '.join(f'{name} {_FILES[name]}' for name in sorted(some)[:2])}"
        for how, some in (("wrongly found", found - wanted), ("missing", wanted - found))
        if some
    ]
    return Outcome(tried.tried, Verdict("; ".join(told)) if told else _RIGHT)


# How much is enough


class _Searcher:
    """A model that searches with the user's own words, and then names no document."""

    def respond(self, prompt: Prompt) -> Answer:
        last = prompt.items[-1]
        offered = [tool["name"] for tool in prompt.tools]
        if "file_search" in offered and last.get("role") == "user":
            return Answer([call("file_search", {"queries": [content_text(last["content"])]})])
        return Answer([message("I have read it.")])


# what is so: (why, tokens of a chunk at most, {question: the document that answers it})
_SETS: dict[str, tuple[str, int, dict[str, str]]] = {
    "one passage is enough where it always comes first": (
        "the first result is result 1",
        800,
        {
            "How do I get rid of limescale?": "kettle.md",
            "How long do I have to send something back?": "returns.md",
        },
    ),
    "the question that needs most decides": (
        "with fewer, one of the questions is answered from the wrong document",
        800,
        {
            "How do I get rid of limescale?": "kettle.md",
            "Is my kettle covered?": "warranty.md",
            "How long do I have to send something back?": "returns.md",
        },
    ),
    "passages are counted, not files": (
        "a long document comes in several passages, and each takes a place",
        100,
        {
            "When am I charged?": "payment.md",
            "What if the carrier does not come on the promised day?": "storm_notice.md",
            "Is my kettle covered?": "warranty.md",
        },
    ),
}


@task(
    "04.6",
    "How much is enough",
    minutes=15,
    points=3,
    stars=3,
    hints=(
        "Ask each question with include=['file_search_call.results'] and no max_num_results. The "
        "call's results come best first: where does the right file's name stand?",
        "enumerate(call.results, start=1) gives its place, and next(…) the first such. The number "
        "you want is the largest of these places.",
        "The tokens are response.usage.input_tokens, added up over the questions: once as first "
        "asked, and once again with max_num_results.",
    ),
)
def how_much_is_enough(submission: Submission) -> Iterator[Finding]:
    counted = []
    for label, (reason, size, questions) in _SETS.items():
        client = submission.client(_Searcher(), max_requests=200)
        sizes = {"max_chunk_size_tokens": size, "chunk_overlap_tokens": size // 2}
        store_id = post(client.platform, "vector_stores", {}).reply["id"]
        for path in sorted(DOCUMENTS.iterdir()):
            how = {"chunking_strategy": {"type": "static", "static": sizes}}
            attached(client.platform, store_id, path.name, path.read_bytes(), **how)
        client.platform.state.now += SECONDS_TO_PROCESS
        enough = max(_places(client.platform, store_id, questions))
        tokens = {
            "tokens": _tokens(client.platform, store_id, questions, enough),
            "default_tokens": _tokens(client.platform, store_id, questions, None),
        }
        called = submission.call("smallest", client, store_id, questions)
        yield expect(label, called["max_num_results"]).equals(enough).because(reason)
        counted.append((called, tokens))
    for label, key, reason in (
        (
            "the tokens at that number come back",
            "tokens",
            "usage is the only one who knows what the passages have cost",
        ),
        (
            "and those without a limit",
            "default_tokens",
            "what you save is the difference, and all questions count",
        ),
    ):
        yield (
            expect(label, *(called[key] for called, _ in counted))
            .equals(*(tokens[key] for _, tokens in counted))
            .because(reason)
        )


def _asked(platform: Platform, store_id: str, question: str, limit: int | None) -> Json:
    """The response to one question, with the passages in it."""
    search = {"type": "file_search", "vector_store_ids": [store_id], "max_num_results": limit}
    tool = {name: value for name, value in search.items() if value is not None}
    return ask(platform, question, [tool], include=["file_search_call.results"]).reply


def _places(platform: Platform, store_id: str, questions: dict[str, str]) -> list[int]:
    """For each question, where the first passage of its document stands among the results."""
    places = []
    for question, name in questions.items():
        output = _asked(platform, store_id, question, None)["output"]
        results = next(each["results"] for each in output if each["type"] == "file_search_call")
        places.append([hit["filename"] for hit in results].index(name) + 1)
    return places


def _tokens(platform: Platform, store_id: str, questions: dict[str, str], limit: int | None) -> int:
    replies = [_asked(platform, store_id, question, limit) for question in questions]
    return sum(int(reply["usage"]["input_tokens"]) for reply in replies)
