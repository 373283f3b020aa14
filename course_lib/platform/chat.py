"""`/v1/chat/completions`: the older protocol, asked of the same engine.

A request is checked and rewritten in `chat_request.py`; here the finished response becomes a
completion, plain or streamed, and stored completions are looked after.
"""

from collections.abc import Iterable, Iterator

from ..standin.prompt import Answer, Model, Prompt
from .chat_request import check
from .context import Context
from .engine import Made, assemble, respond
from .errors import Json, refusal
from .events import Event, padding
from .faults import Fault
from .hosted.function import FUNCTION
from .http import Request, written
from .pages import deleted, list_page
from .state import State, StoredCompletion
from .tokens import pieces


def create(body: Json, state: State, model: Model, fault: Fault | None) -> Made:
    card, asked = check(body)
    items = asked["input"]
    tools = [FUNCTION.echo(tool) for tool in asked["tools"]]
    turn = assemble(asked, card, Context(items, items), tools, [], state)
    if turn.tokens > card.window:
        raise refusal("chat_too_long", window=card.window, tokens=turn.tokens)
    told = _EndsAt(model, body.get("stop") or [])
    answers = [respond(turn, state, told) for _ in range(body.get("n") or 1)]
    responses = [response for response, _ in answers]
    explanation = answers[0][1]
    completion: Json = {
        "id": state.new_id("chatcmpl").replace("_", "-"),
        "object": "chat.completion",
        "created": responses[0]["created_at"],
        "model": card.snapshot,
        "choices": [
            _choice(index, response, logprobs=not card.reasons)
            for index, response in enumerate(responses)
        ],
        "usage": _usage([response["usage"] for response in responses]),
        "service_tier": responses[0]["service_tier"],
        "system_fingerprint": None if card.reasons else "fp_offline",
    }
    if body.get("store"):
        kept = completion | {"metadata": body.get("metadata") or {}}
        state.completions[completion["id"]] = StoredCompletion(kept, body["messages"])
    if not body.get("stream"):
        return Made(completion, explanation)
    options = body.get("stream_options") or {}
    events = _events(completion, with_usage=bool(options.get("include_usage")))
    if fault is not None:
        events = fault.break_stream(events)
    obfuscate = options.get("include_obfuscation") is not False
    return Made(completion, explanation, _encode(events, obfuscate=obfuscate))


class _EndsAt:
    """A model that stops talking where the request says so."""

    def __init__(self, model: Model, stops: str | list[str]) -> None:
        self._model = model
        self._stops = [stop for stop in ([stops] if isinstance(stops, str) else stops) if stop]

    def respond(self, prompt: Prompt) -> Answer:
        answer = self._model.respond(prompt)
        return Answer([self._ended(item) for item in answer.items], answer.explanation)

    def _ended(self, item: Json) -> Json:
        for stop in self._stops if item["type"] == "message" else ():
            item = item | {"text": item["text"].split(stop)[0]}
        return item


def _choice(index: int, response: Json, *, logprobs: bool) -> Json:
    message: Json = {"role": "assistant", "content": None, "refusal": None, "annotations": []}
    calls: list[Json] = []
    said: list[Json] = []  # log probabilities
    for item in response["output"]:
        if item["type"] == "function_call":
            called = {"name": item["name"], "arguments": item["arguments"]}
            calls.append({"id": item["call_id"], "type": "function", "function": called})
        for part in item.get("content") or []:
            key = "refusal" if part["type"] == "refusal" else "content"
            message[key] = (message[key] or "") + part["refusal" if key == "refusal" else "text"]
            said += part.get("logprobs") or []
    if calls:
        message["tool_calls"] = calls
    elif message["refusal"] is None and message["content"] is None:
        message["content"] = ""  # the reasoning took all the tokens
    reason = "tool_calls" if calls else "stop"
    choice = {
        "index": index,
        "message": message,
        "finish_reason": "length" if response["status"] == "incomplete" else reason,
    }
    shown = {"content": said, "refusal": None} if said else None
    return choice | ({"logprobs": shown} if logprobs else {})


def _usage(each: list[Json]) -> Json:
    """What all the choices took; the prompt is read once."""
    prompt, details = each[0]["input_tokens"], each[0]["input_tokens_details"]
    made = sum(usage["output_tokens"] for usage in each)
    reasoning = sum(usage["output_tokens_details"]["reasoning_tokens"] for usage in each)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": made,
        "total_tokens": prompt + made,
        "prompt_tokens_details": {"cached_tokens": details["cached_tokens"], "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


# --- The streamed form


def _events(completion: Json, *, with_usage: bool) -> Iterator[Event]:
    """The chunks of a finished completion; the empty one at the end is `[DONE]`."""
    head = {name: completion[name] for name in _HEAD} | {"object": "chat.completion.chunk"}
    usage = {"usage": None} if with_usage else {}
    for choice in completion["choices"]:
        known = iter((choice.get("logprobs") or {}).get("content") or [])
        for delta in (*_deltas(choice["message"]), {}):
            ended = None if delta else choice["finish_reason"]
            told = {"index": choice["index"], "delta": delta, "finish_reason": ended}
            if "logprobs" in choice:
                token = next(known, None) if delta.get("content") else None
                told["logprobs"] = token and {"content": [token], "refusal": None}
            yield head | {"choices": [told]} | usage
    if with_usage:
        yield head | {"choices": [], "usage": completion["usage"]}
    yield {}


_HEAD = ("id", "created", "model", "service_tier", "system_fingerprint")


def _deltas(message: Json) -> Iterator[Json]:
    calls = message.get("tool_calls") or []
    start = None if calls and message["content"] is None else ""
    yield {"role": "assistant", "content": start, "refusal": None}
    for key in ("content", "refusal"):
        for piece in pieces(message[key] or ""):
            yield {key: piece}
    for index, call in enumerate(calls):
        called = {"name": call["function"]["name"], "arguments": ""}
        yield {"tool_calls": [{"index": index, **call, "function": called}]}
        for piece in pieces(call["function"]["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _encode(events: Iterable[Event], *, obfuscate: bool) -> Iterator[bytes]:
    for event in events:
        if obfuscate and "choices" in event:  # every chunk, but not an error
            said = [choice["delta"].get("content") or "" for choice in event["choices"]]
            event["obfuscation"] = padding("".join(said))
        data = written(event) if event else "[DONE]"
        yield f"data: {data}\n\n".encode()


# --- Stored completions


def delete(state: State, request: Request, stored: StoredCompletion) -> Json:
    del state.completions[stored.body["id"]]
    return deleted(stored.body["id"], "chat.completion.deleted")


def list_all(state: State, request: Request) -> Json:
    """Stored completions, oldest first."""
    return list_page([each.body for each in state.completions.values()], request, order="asc")


def list_messages(state: State, request: Request, stored: StoredCompletion) -> Json:
    """The messages that a stored completion answered, oldest first."""
    shown = []
    for number, message in enumerate(stored.messages):
        content = message.get("content")
        in_parts = isinstance(content, list)
        shown.append(
            {
                "id": f"{stored.body['id']}-{number}",
                "role": message["role"],
                "content": None if in_parts else content,
                "name": message.get("name"),
                "refusal": message.get("refusal"),
                "content_parts": content if in_parts else None,
            }
        )
    return list_page(shown, request, order="asc")
