"""Lesson 1: declare a tool, and let the model ask for it."""

import json
from collections.abc import Iterator
from typing import Any

from ..grading.doubles import Client
from ..grading.submission import Outcome, Submission
from ..platform.app import Platform
from ..platform.http import Request
from .task import Finding, expect, task

MODEL = "gpt-5.6"
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
            lambda text: _is_called_by(text, _QUESTION),
            f"a description by which the model calls even a tool named tool_1, for {_QUESTION!r}",
        )
        .because("a name can be chosen badly or be taken; the description says when to call")
    )
    yield (
        expect("the schema asks for one text, sku, and nothing else", tool["parameters"])
        .that(
            _asks_for_sku,
            'properties with sku of type string, required ["sku"], additionalProperties false',
        )
        .because("what the schema leaves open, the model may fill with anything")
    )

    client = submission.client()
    asked = submission.call("ask", client, _QUESTION)
    yield (
        expect("the API accepts the request", _replied(asked, client))
        .that(lambda exchange: exchange["status"] == 200, "a request that the API accepts")
        .because("the request is checked before any model sees it")
    )
    yield (
        expect("the question and the tool are sent", _sent(asked, client))
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
        expect("the model asks for get_stock with the article's sku", asked.through(_answer))
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


def _asks_for_sku(schema: dict[str, Any]) -> bool:
    return (
        schema["type"] == "object"
        and list(schema["properties"]) == ["sku"]
        and schema["properties"]["sku"]["type"] == "string"
        and schema["required"] == ["sku"]
        and schema["additionalProperties"] is False
    )


def _replied(asked: Outcome, client: Client) -> Outcome:
    """The status of the latest reply; what came of the call when it sent nothing."""
    if asked.problem is not None or not client.exchanges:
        return _nothing_sent(asked)
    return Outcome(asked.tried, {"status": client.exchanges[-1].status})


def _sent(asked: Outcome, client: Client) -> Outcome:
    """The parts of the latest request that matter here, in place of what came back."""
    if not client.exchanges:
        return _nothing_sent(asked)
    body = client.exchanges[-1].body
    return Outcome(asked.tried, {name: body.get(name) for name in ("input", "tools")})


def _nothing_sent(asked: Outcome) -> Outcome:
    if asked.problem is not None:
        return asked
    return Outcome(asked.tried, problem="no request came through the client that ask was given")


def _names(tools: list[dict[str, Any]]) -> list[Any]:
    """What tools are called, in the flat form or, by mistake, in the nested one."""
    return [tool.get("name") or tool["function"]["name"] for tool in tools]


def _is_called_by(description: str, question: str) -> bool:
    """Whether a description, with a name that says nothing, brings a call for a question."""
    parameters = {
        "type": "object",
        "properties": {"sku": {"type": "string"}},
        "required": ["sku"],
        "additionalProperties": False,
    }
    tool = {"type": "function", "name": "tool_1", "description": description, "strict": True}
    body = {"model": MODEL, "input": question, "tools": [tool | {"parameters": parameters}]}
    reply = Platform().handle(Request("POST", "/v1/responses", json.dumps(body).encode()))
    items = json.loads(b"".join(reply.chunks))["output"]
    return any(item["type"] == "function_call" for item in items)


_CALL = {"type": "function_call", "name": "get_stock"}


def _answer(response: Any) -> list[dict[str, Any]]:
    """What a response calls and says. `ask` may return the response or its output."""
    output = response if isinstance(response, list) else response["output"]
    return [_essence(item) for item in output if item["type"] != "reasoning"]


def _essence(item: dict[str, Any]) -> dict[str, Any]:
    if item["type"] == "function_call":
        return _CALL | {"name": item["name"], "arguments": json.loads(item["arguments"])}
    return {"type": item["type"], "text": "".join(part["text"] for part in item["content"])}
