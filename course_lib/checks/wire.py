"""What the checks share: calls and tools to hand to a submission, and the wire to read after it.

A check judges what reached the platform, not what the submission says it sent.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from ..grading.submission import Client, Outcome, Stub, Verdict
from ..live import MODEL
from ..platform import files
from ..platform.app import Exchange, Platform
from ..platform.http import Request
from ..platform.tokens import content_text
from ..standin.prompt import Answer, Model, Prompt

Json = dict[str, Any]
ACCEPTED = Verdict("accepted by the API")


@dataclass
class Watched:
    """A model that keeps what it was given to read."""

    model: Model
    prompts: list[Prompt] = field(default_factory=list)

    def respond(self, prompt: Prompt) -> Answer:
        self.prompts.append(prompt)
        return self.model.respond(prompt)


def function_tool(name: str, description: str, **texts: str) -> Json:
    """A strict-clean tool. Its arguments are texts, each given with its description."""
    properties = {text: {"type": "string", "description": what} for text, what in texts.items()}
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    tool = {"type": "function", "name": name, "description": description, "strict": True}
    return tool | {"parameters": parameters}


def asks_for(schema: Json, *names: str) -> bool:
    """Whether a schema takes these texts, all of them, and nothing else."""
    return (
        schema["type"] == "object"
        and set(schema["properties"]) == set(schema["required"]) == set(names)
        and all(schema["properties"][name]["type"] == "string" for name in names)
        and schema["additionalProperties"] is False
    )


def post(platform: Platform, path: str, body: Json) -> Exchange:
    """One request of the check's own, and what came of it."""
    platform.handle(Request("POST", f"/v1/{path}", json.dumps(body).encode()))
    return platform.exchanges[-1]


def ask(platform: Platform, items: str | list[Json], tools: Any, **options: Any) -> Exchange:
    """The same, to the model."""
    return post(platform, "responses", {"model": MODEL, "input": items, "tools": tools} | options)


def attached(platform: Platform, store_id: str, name: str, text: bytes, **how: Any) -> str:
    """The id of a file that the check uploads and attaches to a store; it is in progress."""
    form = {"purpose": "assistants", "file": {"filename": name, "bytes": len(text)}}
    made = files.create(platform.state, Request("POST", "/v1/files", files={"file": text}), form)
    post(platform, f"vector_stores/{store_id}/files", {"file_id": made["id"]} | how)
    return str(made["id"])


def asked(question: str, tools: Any, **options: Any) -> Exchange:
    """What the stand-in model, on a new platform, makes of one request."""
    return ask(Platform(), question, tools, **options)


def declared(given: Outcome, tools: Any) -> Outcome:
    """ACCEPTED, or a problem with what the API says to a request with these tools."""
    exchange = asked("Good morning!", tools)
    return Outcome(given.tried, ACCEPTED) if exchange.status == 200 else refusal(given, exchange)


def calls_in(response: Json) -> list[tuple[str, Json]]:
    """The (name, arguments) of each function_call of a response object."""
    calls = [item for item in response["output"] if item["type"] == "function_call"]
    return [(call["name"], json.loads(call["arguments"])) for call in calls]


def ran(called: Outcome, stub: Stub) -> Outcome:
    """What a stub has been called with so far: named arguments by name, others by place."""
    if called.problem is not None and not stub.calls:
        return called
    return Outcome(called.tried, list(stub.calls))


def turns(client: Client) -> list[Exchange]:
    """The requests that asked the model for a turn, oldest first."""
    wanted = ("POST", "/v1/responses")
    return [each for each in client.exchanges if (each.method, each.path) == wanted]


def accepted(called: Outcome, client: Client) -> Outcome:
    """ACCEPTED when the API took every request; else a problem, with what it said to the first."""
    for exchange in client.exchanges:
        if exchange.status != 200:
            return refusal(called, exchange)
    return Outcome(called.tried, ACCEPTED) if turns(client) else _nothing_sent(called)


def refusal(called: Outcome, exchange: Exchange) -> Outcome:
    """What the API said; where the code passed it on, with the line it passed through."""
    said: str = exchange.reply["error"]["message"]
    if called.problem is not None and said in called.problem:
        return called
    return Outcome(called.tried, problem=f"the API refused: {said}", hint=exchange.hint)


def raised(called: Outcome) -> Outcome:
    """The type of what was raised, or that nothing was."""
    kind = re.match(r"your code raised (\w+)", called.problem or "")
    verdict = Verdict(kind[1] if kind else called.problem or "nothing")
    return Outcome(called.tried, verdict, hint=called.hint)


def seen(called: Outcome, client: Client) -> Outcome:
    """The items the model saw at its latest turn, oldest first; `client` has a Watched model."""
    if turns(client) and turns(client)[-1].status != 200:
        return refusal(called, turns(client)[-1])
    model = client.platform.model
    if not isinstance(model, Watched) or not model.prompts:
        return _nothing_sent(called)
    return Outcome(called.tried, model.prompts[-1].items)


def said(client: Client) -> str | None:
    """The text of the model's latest turn; None when there was none, or no text in it."""
    latest = turns(client)[-1].reply if turns(client) else {}
    messages = [item for item in latest.get("output", ()) if item["type"] == "message"]
    return "".join(content_text(item["content"]) for item in messages) or None


def user_texts(items: list[Json]) -> list[str]:
    """What the user said, message by message."""
    return [content_text(item["content"]) for item in items if item.get("role") == "user"]


def outputs(items: list[Json]) -> dict[str, str]:
    """The output of each call that was answered, as text, by call_id."""
    answers = [item for item in items if item.get("type") == "function_call_output"]
    return {item["call_id"]: content_text(item["output"]) for item in answers}


def _nothing_sent(called: Outcome) -> Outcome:
    """What there is to tell when a call was to send a request, and none came."""
    if called.problem is not None:
        return called
    return Outcome(called.tried, problem="no request came through the client it was given")
