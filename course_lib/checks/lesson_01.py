"""Lesson 1: declare a tool, and let the model ask for it."""

from collections.abc import Iterator
from typing import Any

from ..grading.submission import Outcome, Submission
from .task import Finding, expect, task

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
        expect("the description tells the model something", tool)
        .that(
            lambda value: len(value["description"].split()) >= 3,
            "a description of what it returns and when to use it",
        )
        .because("name, description and schema are all the model ever sees of your function")
    )
    yield (
        expect("the schema asks for one text, sku, and nothing else", tool)
        .that(
            _asks_for_sku,
            'properties with sku of type string, required ["sku"], additionalProperties false',
        )
        .because("what the schema leaves open, the model may fill with anything")
    )

    client = submission.client()
    asked = submission.call("ask", client, _QUESTION)
    sent = [exchange.body for exchange in client.exchanges]
    yield (
        expect("the API accepts the request", asked)
        .that(lambda _: client.exchanges[-1].status == 200, "a response of the model")
        .because("the request is checked before any model sees it")
    )
    yield (
        expect("the question and the tool are sent", _seen(asked, sent))
        .that(
            lambda bodies: (
                bodies[-1]["input"] == _QUESTION and bodies[-1]["tools"][0]["name"] == "get_stock"
            ),
            f"one request with input={_QUESTION!r} and tools=[stock_tool]",
        )
        .because("the model knows only what this one request holds")
    )
    yield (
        expect("the model asks for get_stock with the article's sku", asked)
        .that(
            lambda response: _calls(response) == [("get_stock", '{"sku":"TR-40"}')],
            'one function_call: get_stock with {"sku":"TR-40"}',
        )
        .because("if it does not call, the description or the schema did not say enough")
    )

    other = submission.call("ask", client, _OTHER_QUESTION)
    yield (
        expect("another question brings another sku", other)
        .that(
            lambda response: _calls(response) == [("get_stock", '{"sku":"AX-200"}')],
            'one function_call: get_stock with {"sku":"AX-200"}',
        )
        .because("ask must hand on the question it was given")
    )
    unrelated = submission.call("ask", client, _UNRELATED)
    yield (
        expect("a question it does not fit brings no call", unrelated)
        .that(lambda response: _calls(response) == [], "a response without a function_call")
        .because("with tool_choice left alone, the model decides")
    )


def _asks_for_sku(tool: dict[str, Any]) -> bool:
    schema = tool["parameters"]
    return (
        schema["type"] == "object"
        and list(schema["properties"]) == ["sku"]
        and schema["properties"]["sku"]["type"] == "string"
        and schema["required"] == ["sku"]
        and schema["additionalProperties"] is False
    )


def _calls(response: dict[str, Any]) -> list[tuple[str, str]]:
    """(name, arguments) of each call in a response. ask may return the response or its output."""
    output = response["output"] if isinstance(response, dict) else response
    return [(i["name"], i["arguments"]) for i in output if i["type"] == "function_call"]


def _seen(asked: Outcome, bodies: list[dict[str, Any]]) -> Outcome:
    """What reached the platform, in place of what came back."""
    return Outcome(asked.tried, [{k: b.get(k) for k in ("input", "tools")} for b in bodies])
