"""`/v1/chat/completions`: the older protocol, asked of the same engine.

Here a call stands inside the assistant's message, its result in a message of role `tool`, and a
tool nests its function. The engine knows items and flat tools, so that is what a request becomes
once it has been checked in its own terms (the fields stand in `data/requests.txt`); and the
finished response becomes a completion, plain or streamed. It takes function tools, texts, images
and files, and answers in text; what the older protocol has beside them is refused by name.
"""

from collections.abc import Iterator
from typing import Any

from ..standin.prompt import Model
from .context import Context
from .engine import Made, assemble, respond
from .errors import ApiError, Json, quoted, refusal
from .events import Event, padding
from .faults import Fault
from .hosted.function import FUNCTION
from .http import Request, sent
from .models import ModelCard, find_model
from .pages import list_page
from .rules import OWN, Rule, one_of, require, rule, shape, shape_fields
from .state import Conversation, State
from .strict_schema import check_named
from .tokens import content_text, pieces
from .tools import MODES, check_chosen

# --- What a request may hold


def _content(value: Any, path: str) -> None:
    """A text, or a list of parts."""
    if value is None:
        raise refusal("chat_content_null", path.replace("[", ".["))
    rule("string | [Part]")(value, path)


def _heard(value: Any, path: str) -> None:
    """Sound, which no model here hears."""
    raise refusal("chat_blocks", path.partition(".")[0])


def _messages(value: list[Json], path: str) -> None:
    """Calls and results belong together."""
    answered: dict[str, bool] = {}  # the calls of the latest assistant message, by id
    for index, message in enumerate([*value, {"role": "user"}]):  # in the end, all are answered
        place = f"{path}.[{min(index, len(value) - 1)}]"
        if message["role"] == "tool":
            call_id = message["tool_call_id"]
            if not answered:
                raise refusal("chat_result_without_call", f"{place}.role")
            if call_id not in answered:
                raise refusal("chat_result_of_no_call", f"{place}.tool_call_id", id=call_id)
            answered[call_id] = True
            continue
        if left := ", ".join(call_id for call_id, done in answered.items() if not done):
            raise refusal("chat_call_without_result", f"{place}.role", ids=left)
        answered = {call["id"]: False for call in _calls(message)}
        if message["role"] == "assistant" and not (answered or message.get("refusal")):
            _content(message.get("content"), f"{path}[{index}].content")


def _calls(message: Json) -> list[Json]:
    """Calls are the assistant's; in any other message they mean nothing."""
    return (message.get("tool_calls") or []) if message["role"] == "assistant" else []


def _tool_choice(value: Any, path: str) -> None:
    (one_of(*MODES) if isinstance(value, str) else shape("ChatToolChoice"))(value, path)


def _output_schema(value: Json, path: str) -> None:
    wanted = _UNSAID | value["json_schema"]
    strict = bool(wanted["strict"])
    check_named(wanted["name"], wanted["schema"], path, strict, "chat_wrong_output_schema")


_UNSAID: Json = {"schema": {"type": "object", "properties": {}}, "strict": False}
OWN.update(
    Messages=_messages,
    Content=_content,
    Heard=_heard,
    ModeOrTool=_tool_choice,
    ChatJsonSchema=_output_schema,
)
_required, _optional = shape_fields("ChatCompletion")
FIELDS: dict[str, Rule] = _required | _optional


def _check(body: Json) -> None:
    """Raise the API's first complaint about a request, but for the choice of a tool and a model."""
    require(body, "", _required)
    if unknown := [name for name in body if name not in FIELDS]:
        plural = "s" if len(unknown) > 1 else ""
        raise refusal("chat_arguments_unknown", plural=plural, names=", ".join(unknown))
    for name, check in FIELDS.items():
        if name in body:
            check(body[name], name)
    for name in ("tool_choice", "parallel_tool_calls"):
        if body.get(name) is not None and not body.get("tools"):
            raise refusal("chat_only_with_tools", name)
    if body.get("stream_options") is not None and not body.get("stream"):
        raise refusal("chat_only_with_stream")
    said = " ".join(content_text(message.get("content")) for message in body["messages"])
    wanted = (body.get("response_format") or {}).get("type")
    if wanted == "json_object" and "json" not in said.lower():
        raise refusal("chat_json_not_mentioned")


def _check_model(body: Json) -> ModelCard:
    """What no other model could do is not asked here, only what this one cannot."""
    card = find_model(body["model"], "no_access_to_model")
    effort = body.get("reasoning_effort")
    if effort is not None and not card.reasons:
        raise refusal("chat_arguments_unknown", plural="", names="reasoning_effort")
    if effort is not None and effort not in card.efforts:
        supported = f"Supported values are: {quoted(card.efforts)}."
        raise _unsupported("reasoning_effort", f"'{effort}'", supported)
    thinks = (effort or card.effort) not in (None, "none")
    for name, default in _DEFAULTS.items() if thinks else ():
        if body.get(name) not in (None, default):
            supported = f"Only the default ({default}) value is supported."
            raise _unsupported(name, body[name], supported)
    for name in ("logprobs", "top_logprobs", "logit_bias", "stop", "max_tokens"):
        if body.get(name) and (thinks or (card.reasons and name == "max_tokens")):
            instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            raise refusal("chat_parameter_not_supported", name, instead=instead)
    return card


_DEFAULTS = {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}


def _unsupported(name: str, value: Any, supported: str) -> ApiError:
    return refusal("chat_value_not_supported", name, value=value, supported=supported)


# --- The same request in the words of Responses


def _as_responses(body: Json) -> Json:
    wanted, stops = body.get("response_format") or {"type": "text"}, body.get("stop") or []
    functions = [tool["function"] for tool in body.get("tools") or []]
    return {
        "model": body["model"],
        "input": [item for message in body["messages"] for item in _items(message)],
        "tools": [
            each | {"type": "function", "strict": bool(each.get("strict"))} for each in functions
        ],
        "tool_choice": _flat(body.get("tool_choice")),
        "parallel_tool_calls": body.get("parallel_tool_calls"),
        "text": {"format": _UNSAID | _flat(wanted) if "json_schema" in wanted else wanted},
        "reasoning": {"effort": body.get("reasoning_effort")},
        "max_output_tokens": body.get("max_completion_tokens") or body.get("max_tokens"),
        "include": ["message.output_text.logprobs"] if body.get("logprobs") else [],
        "service_tier": body.get("service_tier"),
        "stop": [*filter(None, [stops] if isinstance(stops, str) else stops)],
    }


def _flat(nested: Any) -> Any:
    """`{"type": "x", "x": {...}}` as `{"type": "x", ...}`."""
    if not isinstance(nested, dict):
        return nested
    inside = nested[nested["type"]]
    listed = {"tools": [_flat(each) for each in inside["tools"]]} if "tools" in inside else {}
    return {"type": nested["type"], **inside, **listed}


def _items(message: Json) -> list[Json]:
    """One message as items: its words, and each call by itself."""
    content = message.get("content")
    if message["role"] == "tool":
        call_id, output = message["tool_call_id"], content_text(content)
        return [{"type": "function_call_output", "call_id": call_id, "output": output}]
    said = message.get("refusal") if content is None else content
    if isinstance(said, list):
        said = [_as_input(part) for part in said]
    items = [{"role": message["role"], "content": said}] if said is not None else []
    for call in _calls(message):
        called = {"name": call["function"]["name"], "arguments": call["function"]["arguments"]}
        items.append({"type": "function_call", "call_id": call["id"], **called})
    return items


def _as_input(part: Json) -> Json:
    match part["type"]:
        case "image_url":
            return {"type": "input_image", "image_url": part["image_url"]["url"]}
        case "file":
            return {"type": "input_file", **part["file"]}
        case _:
            return part | {"type": "input_text"}


# --- The completion


def create(body: Json, state: State, model: Model, fault: Fault | None) -> Made:
    _check(body)
    asked = _as_responses(body)
    check_chosen(asked)
    card = _check_model(body)
    items, tools = asked["input"], [FUNCTION.echo(tool) for tool in asked["tools"]]
    turn = assemble(asked, card, Context(items, items), tools, [], state)
    if turn.tokens > card.window:
        raise refusal("chat_too_long", window=card.window, tokens=turn.tokens)
    answers = [respond(turn, state, model) for _ in range(body.get("n") or 1)]
    responses = [response for response, _ in answers]
    completion: Json = {
        "id": state.new_id("chatcmpl").replace("_", "-"),
        "object": "chat.completion",
        "created": responses[0]["created_at"],
        "model": card.snapshot,
        "choices": [
            _choice_made(index, response, logprobs=not card.reasons)
            for index, response in enumerate(responses)
        ],
        "usage": _usage([response["usage"] for response in responses]),
        "service_tier": responses[0]["service_tier"],
        "system_fingerprint": None if card.reasons else "fp_offline",
    }
    if body.get("store"):
        kept = completion | {"metadata": body.get("metadata") or {}}
        state.completions[completion["id"]] = Conversation(kept, body["messages"])
    chunks = _stream(completion, body, fault) if body.get("stream") else None
    return Made(completion, answers[0][1], chunks)


def _choice_made(index: int, response: Json, *, logprobs: bool) -> Json:
    message: Json = {"role": "assistant", "content": None, "refusal": None, "annotations": []}
    told: list[Json] = []  # log probabilities
    for item in response["output"]:
        if item["type"] == "function_call":
            called = {"name": item["name"], "arguments": item["arguments"]}
            call = {"id": item["call_id"], "type": "function", "function": called}
            message.setdefault("tool_calls", []).append(call)
        for part in item.get("content") or []:
            key, said = ("refusal", "refusal") if "refusal" in part else ("content", "text")
            message[key] = (message[key] or "") + part[said]
            told += part.get("logprobs") or []
    if message["content"] is None and message["refusal"] is None and "tool_calls" not in message:
        message["content"] = ""  # the reasoning took all the tokens
    reason = "tool_calls" if "tool_calls" in message else "stop"
    choice = {
        "index": index,
        "message": message,
        "finish_reason": "length" if response["status"] == "incomplete" else reason,
    }
    shown = {"content": told, "refusal": None} if told else None
    return choice | ({"logprobs": shown} if logprobs else {})


def _usage(each: list[Json]) -> Json:
    """What all the choices took; the prompt is read once."""
    prompt, made = each[0]["input_tokens"], sum(usage["output_tokens"] for usage in each)
    cached = each[0]["input_tokens_details"]["cached_tokens"]
    reasoning = sum(usage["output_tokens_details"]["reasoning_tokens"] for usage in each)
    never = ("audio_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens")
    return {
        "prompt_tokens": prompt,
        "completion_tokens": made,
        "total_tokens": prompt + made,
        "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": reasoning} | dict.fromkeys(never, 0),
    }


# --- The streamed form


def _stream(completion: Json, body: Json, fault: Fault | None) -> Iterator[bytes]:
    options = body.get("stream_options") or {}
    events = _events(completion, with_usage=bool(options.get("include_usage")))
    for event in events if fault is None else fault.break_stream(events):
        if options.get("include_obfuscation") is not False and "choices" in event:  # no error
            said = [choice["delta"].get("content") or "" for choice in event["choices"]]
            event["obfuscation"] = padding("".join(said))
        yield b"data: %s\n\n" % (sent(event) if event else b"[DONE]")


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
        name, arguments = call["function"].values()
        called = {"name": name, "arguments": ""}
        yield {"tool_calls": [{"index": index, **call, "function": called}]}
        for piece in pieces(arguments):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


# --- Stored completions


def list_all(state: State, request: Request) -> Json:
    """Stored completions, oldest first."""
    return list_page([each.body for each in state.completions.values()], request, order="asc")


def list_messages(state: State, request: Request, stored: Conversation) -> Json:
    """The messages that a stored completion answered, oldest first."""
    shown = []
    for number, message in enumerate(stored.items):
        content = message.get("content")
        kind = "content_parts" if isinstance(content, list) else "content"
        shown.append(
            {"id": f"{stored.body['id']}-{number}", "content": None, "content_parts": None}
            | {name: message.get(name) for name in ("role", "name", "refusal")}
            | {kind: content}
        )
    return list_page(shown, request, order="asc")
