"""Lesson 1, the exchange: declare a tool, read a call, answer it, mend what does not fit."""

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from ..grading.submission import (
    Client,
    Double,
    Outcome,
    Stub,
    Submission,
    call_of_text,
    function_call,
)
from ..standin.prompt import call, message
from ..standin.scripted import Scripted
from .task import Finding, expect, task
from .wire import (
    ACCEPTED,
    Json,
    Watched,
    accepted,
    asked,
    asks_for,
    calls_in,
    function_tool,
    outputs,
    ran,
    said,
    seen,
    turns,
    user_texts,
)

_QUESTION = "How many units of TR-40 are in stock?"
_OTHER_QUESTION = "Is AX-200 still in stock?"
_UNRELATED = "Write a limerick about a lighthouse."


@task(
    "01.1",
    "Declare a tool",
    minutes=10,
    points=3,
    stars=1,
    hints=(
        "The declaration is one flat object: type, name, description, strict and parameters "
        "stand side by side.",
        "parameters is a JSON schema: type object, one property sku of type string, required, "
        "and additionalProperties false.",
        "ask hands three things on: model=MODEL, input=question, tools=[stock_tool]. "
        "The model decides whether to call, so there is no tool_choice.",
    ),
)
def declare_a_tool(submission: Submission) -> Iterator[Finding]:
    tool = submission.value("stock_tool")
    yield (
        expect("the declaration is flat and names get_stock", tool)
        .that(
            lambda value: value["type"] == "function" and value["name"] == "get_stock",
            'a dict with "type": "function" and "name": "get_stock" side by side',
        )
        .because("the Responses API looks for the name beside the type")
    )
    yield (
        expect("the description says when to call", tool["description"])
        .that(
            lambda text: (
                calls_in(asked(_QUESTION, [function_tool("tool_1", text, sku="")]).reply) != []
            ),
            f"a description by which the model calls even a tool named tool_1, for {_QUESTION!r}",
        )
        .because("a name can be chosen badly or be taken; the description says when to call")
    )
    yield (
        expect("the schema asks for one text, sku, and nothing else", tool["parameters"])
        .that(
            lambda schema: asks_for(schema, "sku"),
            'properties with sku of type string, required ["sku"], additionalProperties false',
        )
        .because("what the schema leaves open, the model may fill with anything")
    )

    client = submission.client()
    called = submission.call("ask", client, _QUESTION)
    yield (
        expect("the API accepts the request", accepted(called, client))
        .equals(ACCEPTED)
        .because("the request is checked before any model sees it")
    )
    yield (
        expect("the question and the tool are sent", _sent(called, client))
        .that(
            lambda body: (
                _QUESTION in json.dumps(body["input"])
                and _names(body["tools"]) == _names([tool.value])
            ),
            f"a request with input={_QUESTION!r} and tools=[stock_tool]",
        )
        .because("the model knows only what this one request holds")
    )
    yield (
        expect("the model asks for get_stock with the article's sku", called.through(_answer))
        .that(
            lambda answer: answer == [_CALL | {"arguments": {"sku": "TR-40"}}],
            'the response, with one function_call: get_stock with {"sku": "TR-40"}',
        )
        .because("the model decides by the name, the description and the schema of your tool")
    )

    other = submission.call("ask", client, _OTHER_QUESTION)
    yield (
        expect("another question brings another sku", other.through(_answer))
        .that(
            lambda answer: answer == [_CALL | {"arguments": {"sku": "AX-200"}}],
            'the response, with one function_call: get_stock with {"sku": "AX-200"}',
        )
        .because("ask hands on the question it was given, and hands back the response")
    )
    unrelated = submission.call("ask", client, _UNRELATED)
    yield (
        expect("a question it does not fit brings no call", unrelated.through(_answer))
        .that(
            lambda answer: [item["type"] for item in answer] == ["message"],
            "the response, with a message and no function_call",
        )
        .because("with tool_choice left alone, the model decides")
    )


def _sent(called: Outcome, client: Client) -> Outcome:
    """The parts of the latest request that matter here, in place of what came back."""
    if not turns(client):
        return accepted(called, client)
    body = turns(client)[-1].body
    return Outcome(called.tried, {name: body.get(name) for name in ("input", "tools")})


def _names(tools: list[Json]) -> list[Any]:
    """What tools are called, in the flat form or, by mistake, in the nested one."""
    return [tool.get("name") or tool["function"]["name"] for tool in tools]


_CALL = {"type": "function_call", "name": "get_stock"}


def _answer(response: Any) -> list[Json]:
    """What a response calls and says. `ask` may return the response or its output."""
    output = response if isinstance(response, list) else response["output"]
    return [_essence(item) for item in output if item["type"] != "reasoning"]


def _essence(item: Json) -> Json:
    if item["type"] == "function_call":
        return _CALL | {"name": item["name"], "arguments": json.loads(item["arguments"])}
    return {"type": item["type"], "text": "".join(part["text"] for part in item["content"])}


@task(
    "01.2",
    "Read a call",
    minutes=10,
    points=2,
    stars=1,
    hints=(
        "json.loads(call.arguments) gives the arguments, or raises json.JSONDecodeError.",
        "What json.loads returns need not be a dict: null, 40 and [] are JSON too.",
        "Compare the keys with {'sku'} both ways: what is missing, and what nobody declared. "
        "Put the name into the sentence: f'unknown argument {name!r}'.",
    ),
)
def read_a_call(submission: Submission) -> Iterator[Finding]:
    def read(arguments: str) -> Outcome:
        return submission.call("read_call", call_of_text("get_stock", "call_7", arguments))

    def refuses(label: str, *texts: str, naming: str = "") -> Finding:
        return expect(label, *map(read, texts)).that(
            lambda pair: pair[0] is None and pair[1].strip() and naming in pair[1],
            f"(None, a sentence{naming and f' that names {naming}'})",
        )

    for sku in ("TR-40", "AX-200"):
        spaced = f'\n{{ "sku" : "\\u00{ord(sku[0]):x}{sku[1:]}" }}'  # the same, written otherwise
        yield (
            expect(
                f"the arguments of a call for {sku} are read",
                read(f'{{"sku":"{sku}"}}'),
                read(spaced),
            )
            .equals([{"sku": sku}, None])
            .because("arguments are JSON text, and JSON can be spaced and escaped in many ways")
        )
    yield refuses("text that is cut off is refused", '{"sku": "TR-4', "").because(
        "a model's output ends where its tokens do, in the middle of a word if need be"
    )
    yield refuses("JSON that is no object is refused", '["TR-40"]', '"sku"', "null", "40").because(
        "a function takes named arguments, and only an object has names"
    )
    yield refuses("a missing argument is refused by its name", "{}", naming="sku").because(
        "the model can only mend what it is told"
    )
    wrong_types = ('{"sku": 40}', '{"sku": null}', '{"sku": ["TR-40"]}', '{"sku": true}')
    yield refuses("an argument of the wrong type is refused", *wrong_types).because(
        "it would reach the function, and fail there or find nothing"
    )
    for name in ("colour", "warehouse"):
        extra = json.dumps({"sku": "TR-40", name: "north"})
        yield refuses(f"{name}, which nobody declared, is refused", extra, naming=name).because(
            "an argument dropped in silence is a wish that the model believes fulfilled"
        )


@task(
    "01.3",
    "Answer every call",
    minutes=10,
    points=2,
    stars=2,
    hints=(
        'The item is {"type": "function_call_output", "call_id": call.call_id, "output": text}.',
        "Everything that can go wrong goes inside one try: the name in the registry, the JSON, "
        "the function itself.",
        "except Exception as error: output = f'{call.name} failed: {error!r}'. "
        "What succeeds goes through json.dumps.",
    ),
)
def answer_every_call(submission: Submission) -> Iterator[Finding]:
    order = {"order_id": "A-104", "late": True}
    get_order = submission.stub("get_order", returns=order)
    reserve = submission.stub("reserve", returns=["R-81", "R-82"])
    registry = {"get_order": get_order, "reserve": reserve}

    def answer(item: Double) -> Outcome:
        return submission.call("answer", item, registry)

    first = answer(function_call("get_order", "call_7", order_id="A-104"))
    second = answer(function_call("reserve", "call_12", quantity=2, sku="TR-40"))
    yield (
        expect("the output carries the call's call_id", first.through(_ids), second.through(_ids))
        .equals(["function_call_output", "call_7"], ["function_call_output", "call_12"])
        .because("the model matches outputs to calls by call_id; the item's id is another one")
    )
    yield (
        expect(
            "the arguments are read from their text", ran(first, get_order), ran(second, reserve)
        )
        .equals([{"order_id": "A-104"}], [{"quantity": 2, "sku": "TR-40"}])
        .because("arguments are JSON text the model wrote, with a name for each value")
    )
    yield (
        expect("a result that is not text goes back as text", first["output"], second["output"])
        .that(
            lambda text: ("A-104" in text) is not ("R-81" in text and "R-82" in text),
            "the result of its own call as text, for example json.dumps(result)",
        )
        .because("the API refuses anything else: Invalid type for 'input[2].output'")
    )

    for name, error, fact in (
        ("cancel", KeyError("Z-9"), "Z-9"),
        ("refund", ValueError("no refund after 30 days"), "30 days"),
    ):
        registry[name] = submission.stub(name, raises=error)
        yield (
            expect(
                f"a failing function is answered: {error!r}",
                answer(function_call(name, "call_3", x="Z")),
            )
            .that(partial(_tells, fact), f"an output that says what failed: {fact}")
            .because("an exception ends the run; a text lets the model correct itself")
        )
    yield (
        expect(
            "a function that is not there is answered",
            answer(function_call("erase", "call_3", all="yes")),
        )
        .that(partial(_tells, "erase"), "an output that says there is no erase")
        .because("every call of a turn needs its output, those that name nothing too")
    )
    damaged = [
        answer(call_of_text("get_order", "call_3", text)).through(
            lambda item: item | {"calls of get_order": len(get_order.calls)}
        )
        for text in ('{"order_id": "A-1', '["A-104"]', "null")
    ]
    yield (
        expect("arguments that are no JSON object are answered", *damaged)
        .that(
            lambda item: _tells("", item) and item["calls of get_order"] == 1,
            "an output that says so, and no second call of get_order",
        )
        .because("half an order number is another order number, or none at all")
    )


def _ids(item: Json) -> list[Any]:
    return [item["type"], item["call_id"]]


def _tells(what: str, item: Json) -> bool:
    """Whether an output for call_3 tells of a failure, and in more words than `what`."""
    text = item["output"].replace(what, "")
    return _ids(item) == ["function_call_output", "call_3"] and (
        what in item["output"] and len(re.findall("[A-Za-z]", text)) > 3
    )


@task(
    "01.4",
    "Mend what you pasted",
    minutes=15,
    points=3,
    stars=2,
    hints=(
        "Run it and read the refusal; mend that; run again. Three of the faults show one by one.",
        "In the Responses API a call is an item of type function_call with name, arguments (text) "
        "and call_id, and its answer is an item of type function_call_output.",
        "The last fault is never refused: look at what the second request holds, and at what it "
        "does not. input is [the question, *first.output, the output].",
    ),
)
def mend_what_you_pasted(submission: Submission) -> Iterator[Finding]:
    def ask(question: str, *script: Json) -> tuple[Outcome, Client, Stub]:
        get_order = submission.stub(
            "get_order", does=lambda order_id: {"order_id": order_id, "promised_date": "2026-07-16"}
        )
        client = submission.client(Watched(Scripted([*script])) if script else None)
        called = submission.call("ask_about_order", client, question, get_order)
        return called, client, get_order

    question, says = "Which day was A-107 promised for?", "It is due on 16 July."
    called, client, get_order = ask(
        question, call("get_order", {"order_id": "A-107"}), message(says)
    )
    last = seen(called, client)
    yield (
        expect("the API accepts every request", accepted(called, client))
        .equals(ACCEPTED)
        .because("a tool is flat here, and its answer is a function_call_output")
    )
    yield (
        expect("get_order runs once, with the order of the call", ran(called, get_order))
        .equals([{"order_id": "A-107"}])
        .because("a call is an item of type function_call; its arguments are JSON text")
    )
    yield (
        expect("the model reads what get_order returned", last.through(outputs))
        .that(lambda texts: "2026-07-16" in str(texts), "the result as the output of the call")
        .because("the model sees no function, only the output you send")
    )
    yield (
        expect("the model still sees the question", last.through(user_texts))
        .that(lambda texts: question in texts, f"{question!r} among them, in the last request too")
        .because("a request is all the model knows, and this loss is never refused")
    )
    yield (
        expect("what the model says comes back", called)
        .equals(says)
        .because("the customer waits for a sentence: response.output_text")
    )

    other, _, get_order = ask(
        "Is A-112 late?", call("get_order", {"order_id": "A-112"}), message("Not yet.")
    )
    yield (
        expect(
            "another question gets its own order",
            other.through(lambda text: [text, get_order.calls]),
        )
        .equals(["Not yet.", [{"order_id": "A-112"}]])
        .because("the order number is the model's, read from its call")
    )
    plain, client, unused = ask(_UNRELATED)
    yield (
        expect("a question that needs no order is answered too", plain)
        .that(
            lambda text: text == said(client) and not unused.calls,
            "the text the model said, and no call of get_order",
        )
        .because("the model decides whether it calls; next() without a default raises")
    )
