"""Lesson 3, hosted tools as they are declared: where each runs, and what the API refuses."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from ..grading.submission import Double, Outcome, Submission, Verdict
from ..live import MODEL
from ..platform.app import Exchange, Platform
from ..platform.models import find_model
from ..platform.state import State
from ..standin import StandIn
from ..standin.prompt import call, message
from ..standin.scripted import Scripted
from ..web.mcp_server import stand_in
from .task import Finding, expect, task
from .wire import Json, function_tool, post, refusal

_GET_ORDER = function_tool(
    "get_order", "Return the promised delivery date of an order.", order_id="Order, e.g. A-104"
)
_WEB: Json = {"type": "web_search"}
_CODE: Json = {"type": "code_interpreter", "container": {"type": "auto"}}
_DRAW: Json = {"type": "image_generation"}
_FILES: Json = {"type": "file_search", "vector_store_ids": ["vs_1"]}
_LIBRARY: Json = {
    "type": "mcp",
    "server_label": "library",
    "server_url": "https://library.example/mcp",
    "allowed_tools": ["search"],
    "require_approval": "never",
}


def _sent(body: Json, *script: Json) -> Exchange:
    """What comes of one request where there are a vector store, vs_1, and the library's server."""
    state = State(mcp_servers={_LIBRARY["server_url"]: stand_in()})
    platform = Platform(model=Scripted(list(script)) if script else StandIn(), state=state)
    post(platform, "vector_stores", {})
    return post(platform, "responses", {"model": MODEL} | body)


_PLACES = {
    "your process": "a call that you do not answer stays open, and the next request is refused",
    "the vendor": "it needs no code of yours, and reaches nothing on your machine",
    "another server": "what the model sends goes to whoever runs it; look first at what it can do",
}
_LIST = call("shell", {"commands": ["ls"]})
# name: (its declaration, a call of it)
_ENTRIES: dict[str, tuple[Json, Json]] = {
    "web_search": (_WEB, call("web_search", {"query": "late parcels"})),
    "file_search": (_FILES, call("file_search", {"queries": ["late parcels"]})),
    "code_interpreter": (_CODE, call("code_interpreter", {"code": "print(6 * 7)"})),
    "image_generation": (_DRAW, call("image_generation", {"prompt": "a lighthouse"})),
    "mcp": (_LIBRARY, call("search", {"query": "late parcels"})),
    "function": (_GET_ORDER, call("get_order", {"order_id": "A-104"})),
    "shell_container": ({"type": "shell", "environment": {"type": "container_auto"}}, _LIST),
    "shell_local": ({"type": "shell", "environment": {"type": "local"}}, _LIST),
}


@task(
    "03.1",
    "Where does it run?",
    minutes=8,
    points=2,
    stars=1,
    hints=(
        "Ask of each entry: when the model calls it, whose processor is busy? The declaration says "
        "it, by its type or by an address in it.",
        "A function is yours, whatever it does inside. Its call ends the response and waits for "
        "an output; a hosted call is there with its result.",
        "The two shells differ in their environment alone: one has a container at the vendor's, "
        "the other is local, and local is you.",
    ),
)
def where_does_it_run(submission: Submission) -> Iterator[Finding]:
    where = submission.value("where")
    for name, (entry, called) in _ENTRIES.items():
        place, evidence = _who_ran(
            _sent({"input": "Go on.", "tools": [entry]}, called, message("Done.")).reply
        )
        yield (
            expect(f"{name} runs where you say", where[name])
            .that(partial(_is_place, place), f"{place!r}, for in the response {evidence}")
            .because(_PLACES[place])
        )


def _who_ran(response: Json) -> tuple[str, str]:
    """Who ran the call of this response, and how that is seen."""
    made = [item for item in response["output"] if item["type"] not in ("reasoning", "message")]
    kind = made[-1]["type"]
    if response["output"][-1] is made[-1]:
        return "your process", f"the {kind} comes last, and waits for an output"
    if "server_label" in made[-1]:
        return "another server", f"the {kind} has its output, and names a server"
    return "the vendor", f"the {kind} is followed by the answer, and nobody else was asked"


def _is_place(place: str, value: str) -> bool:
    return value.strip().lower() == place


# --- 03.2 -----------------------------------------------------------------------------------------

_MOON = "How far away is the Moon?"
# name: (what it is for, its model, {question: what the model makes of it}, why)
_REQUESTS: dict[str, tuple[str, str, dict[str, str], str]] = {
    "sum": (
        "the model runs code",
        MODEL,
        {"What is 15% of 240?": "code_interpreter_call"},
        "code needs a place to run in, and a place is part of what you pay",
    ),
    "manual": (
        "the model searches the store",
        MODEL,
        {"How do I descale the kettle?": "file_search_call"},
        "a file search without a store has nothing to search",
    ),
    "library": (
        "the model uses the server's tool",
        MODEL,
        {"Search the documents for the Moon.": "mcp_list_tools, mcp_call"},
        "the label is how items and approvals name the server; there may be several",
    ),
    "desk": (
        "the model has both tools",
        MODEL,
        {"Where is order A-104?": "function_call get_order", _MOON: "web_search_call"},
        "the nested form is that of Chat Completions, which has no hosted tools beside it",
    ),
    "forced": (
        "o3 searches the web",
        "o3",
        {_MOON: "web_search_call"},
        "beside a hosted tool, o3 takes no tool_choice but 'auto'",
    ),
}


@task(
    "03.2",
    "Mend five declarations",
    minutes=10,
    points=2,
    stars=2,
    hints=(
        "Each refusal names the field it misses, with its place in the request. Give that field, "
        "and leave the rest: mended = {**broken}, then one assignment for each.",
        "container is {'type': 'auto'}; vector_store_ids is a list; server_label is a word of "
        "your own; the function is flat, as in lesson 1.",
        "o3 is not to be asked for less, only not to be forced: 'tool_choice': 'auto', or none "
        "at all. The model, the question and the tool stay.",
    ),
)
def mend_five_declarations(submission: Submission) -> Iterator[Finding]:
    mended = submission.value("mended")
    for name, (purpose, model, questions, reason) in _REQUESTS.items():
        snapshot = find_model(model).snapshot
        yield (
            expect(f"{name}: {purpose}", *(_made(name, mended[name], each) for each in questions))
            .equals(*(Verdict(f"{snapshot} made: {made}") for made in questions.values()))
            .because(reason)
        )


def _made(name: str, body: Outcome, question: str) -> Outcome:
    """Which items a request brings, beside words and thoughts, when it asks this question."""
    tried = Outcome(f"the request mended[{name!r}], with {question!r}", problem=body.problem)
    if body.problem is not None:
        return tried
    if not isinstance(body.value, dict):
        return body
    exchange = _sent(body.value | {"input": question})
    if exchange.status != 200:
        return refusal(tried, exchange)
    kinds = [_kind(item) for item in exchange.reply["output"]]
    made = [kind for kind in kinds if kind not in ("reasoning", "message")]
    said = f"{exchange.reply['model']} made: {', '.join(made) or 'no call'}"
    return Outcome(tried.tried, Verdict(said))


def _kind(item: Json) -> str:
    named = item["type"] == "function_call"
    return f"{item['type']} {item['name']}" if named else str(item["type"])


# --- 03.3 -----------------------------------------------------------------------------------------

_NAMED: Json = {"type": "function", "name": "get_order"}
_DATED = "gpt-5-pro-2025-10-06", "gpt-5.2-pro-2025-12-11"
_Asked = tuple[str, list[Json], Any]  # model, tools, tool_choice
# what is so: (why, the requests that show it)
_RULES: dict[str, tuple[str, list[_Asked]]] = {
    "the two pro models have no code interpreter": (
        "gpt-5-pro and gpt-5.2-pro run no code",
        [
            ("gpt-5-pro", [_CODE], None),
            ("gpt-5.2-pro", [_CODE], "auto"),
            ("gpt-5.2-pro", [_WEB, _GET_ORDER, _CODE], None),
        ],
    ),
    "and have the other tools": (
        "a guard that stops too much sends people to a worse model",
        [
            ("gpt-5-pro", [_WEB], None),
            ("gpt-5.2-pro", [_DRAW, _GET_ORDER], "required"),
            ("gpt-5-pro", [_GET_ORDER], _NAMED),
            ("gpt-5.2-pro", [], None),
        ],
    ),
    "o3 and o3-pro are not forced beside a hosted tool": (
        "with a hosted tool there, these two take 'auto' and nothing else",
        [
            ("o3", [_WEB], "required"),
            ("o3-pro", [_GET_ORDER, _FILES], "required"),
            ("o3", [_CODE], "none"),
            ("o3-pro", [_DRAW], "required"),
            ("o3-pro", [_LIBRARY], {"type": "mcp", "server_label": "library"}),
            ("o3", [_WEB, _GET_ORDER], _NAMED),
        ],
    ),
    "and may choose for themselves": (
        "'auto' is what a request without tool_choice says, too",
        [
            ("o3", [_WEB], None),
            ("o3-pro", [_CODE, _GET_ORDER], "auto"),
            ("o3", [_FILES, _DRAW], "auto"),
        ],
    ),
    "and are forced to a function where nothing is hosted": (
        "the rule is about hosted tools, and a function is yours",
        [
            ("o3", [_GET_ORDER], "required"),
            ("o3-pro", [_GET_ORDER], _NAMED),
            ("o3", [_GET_ORDER], "none"),
        ],
    ),
    "a dated name is the same model": (
        "a snapshot is the model of a day, with the same limits",
        [
            (_DATED[0], [_CODE], None),
            (_DATED[1], [_CODE], "auto"),
            ("o3-2025-04-16", [_WEB], "required"),
            ("o3-pro-2025-06-10", [_WEB], "none"),
            (_DATED[0], [_WEB], None),
        ],
    ),
    "a name that begins alike is another model": (
        "gpt-5, o3-mini and o4-mini have limits of their own, and not these",
        [
            ("gpt-5", [_CODE], None),
            ("gpt-5.2", [_CODE], "required"),
            ("o3-mini", [_WEB], "required"),
            ("o4-mini", [_CODE, _GET_ORDER], _NAMED),
            ("gpt-5-mini", [_CODE], "none"),
        ],
    ),
}


@task(
    "03.3",
    "Ask before you send",
    minutes=12,
    points=3,
    stars=2,
    hints=(
        "Two rules, and None at the end. One is about a model and one tool; the other about a "
        "model, any hosted tool and tool_choice.",
        "hosted = [tool['type'] for tool in tools if tool['type'] != 'function']; and "
        "tool_choice not in (None, 'auto') is what o3 refuses beside them.",
        "Take the date off before you compare: re.sub(r'-\\d{4}-\\d\\d-\\d\\d$', '', model). With "
        "startswith('o3') you would stop o3-mini as well.",
    ),
)
def ask_before_you_send(submission: Submission) -> Iterator[Finding]:
    objections = []
    for label, (reason, requests) in _RULES.items():
        judged = []
        for model, tools, choice in requests:
            shown = [Double(tool, "get_order") if tool is _GET_ORDER else tool for tool in tools]
            said = submission.call("objection", model, shown, choice)
            body = {"model": model, "input": "Hello.", "tools": tools}
            body |= {} if choice is None else {"tool_choice": choice}
            exchange = _sent(body, message("Hello."))
            if exchange.status != 200:
                hosted = [tool["type"] for tool in tools if tool["type"] != "function"]
                objections.append(expect(_NAMES, said).that(partial(_names_one, hosted), _ONE))
            judged.append(expect(label, said).that(*_verdict(exchange)))
        finding = next((each for each in judged if not each.passed), judged[0])
        yield finding.because(reason)
    finding = next((each for each in objections if not each.passed), objections[0])
    yield finding.because("whoever reads it must know what to take out")


_NAMES = "an objection names the tool that stands in the way"
_ONE = "a sentence with the type of the hosted tool in it"


def _names_one(hosted: list[str], said: str) -> bool:
    return any(kind in said for kind in hosted)


def _verdict(exchange: Exchange) -> tuple[Any, str]:
    """What has to be said of a request, and what the API said of it."""
    if exchange.status == 200:
        return (lambda said: said is None), "None, for the API takes this request"
    refused = exchange.reply["error"]["message"]
    return _is_sentence, f"a sentence, for the API refuses: {refused}"


def _is_sentence(said: Any) -> bool:
    return isinstance(said, str) and bool(said.strip())
