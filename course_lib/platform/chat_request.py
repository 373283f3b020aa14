"""A Chat Completions request: what it may hold, and the same request in the words of Responses.

Here a call stands inside the assistant's message, its result in a message of role `tool`, and a
tool nests its function. The engine knows items and flat tools, so that is what a request becomes
once it has been checked in its own terms (the fields stand in `data/requests.txt`). Function tools
and text only; what the older protocol has beside them is refused by name.
"""

from typing import Any

from . import contract
from .attachments import image
from .errors import ApiError, Json, missing, quoted, refusal, wrong_type
from .hosted.function import check_function
from .models import ModelCard, find_card, unknown_model
from .rules import Rule, array, mapping, one_of, require, shape, shape_fields, text
from .strict_schema import check_named
from .tokens import content_text
from .tools import MODES, check_chosen

_FLAT = (
    "This is the Responses shape. Here the rest goes inside: "
    '{"type": "function", "function": {"name": ...}}.'
)


def _content(value: Any, path: str) -> None:
    """A text, or a list of parts."""
    if value is None:
        raise refusal("chat_content_null", path.replace("[", ".["))
    if isinstance(value, list):
        _parts(value, path)
    elif not isinstance(value, str):
        raise wrong_type(path, "one of a string or array of objects", value)


def _part(value: Any, path: str) -> None:
    _any_part(value, path)
    if value["type"] in ("input_audio", "audio"):  # no model here hears
        raise refusal("chat_blocks", path[: path.rindex(".")])


_parts, _any_part = array(_part), shape("Part", Image=image)
_any_message = shape("Message", Content=_content)


def _message(value: Any, path: str) -> None:
    _any_message(value, path)
    if value["role"] == "function":
        raise _absent("role 'function'", "role 'tool' and tool_calls", f"{path}.role")
    if value["role"] == "assistant" and not (value.get("tool_calls") or value.get("refusal")):
        _content(value.get("content"), f"{path}.content")


def _messages(value: Any, path: str) -> None:
    """Every message by itself, and then that calls and results belong together."""
    _each_message(value, path)
    answered: dict[str, bool] = {}  # the calls of the latest assistant message, by id
    for index, message in enumerate(value):
        place = f"{path}.[{index}]"
        if message["role"] == "tool":
            call_id = message["tool_call_id"]
            if not answered:
                raise refusal("chat_result_without_call", f"{place}.role")
            if call_id not in answered:
                raise refusal("chat_result_of_no_call", f"{place}.tool_call_id", id=call_id)
            answered[call_id] = True
        else:
            _check_answered(answered, place)
            answered = {call["id"]: False for call in _calls(message)}
    _check_answered(answered, f"{path}.[{len(value) - 1}]")


_each_message = array(_message, "objects", least=1)


def _calls(message: Json) -> list[Json]:
    """Calls are the assistant's; in any other message they mean nothing."""
    return (message.get("tool_calls") or []) if message["role"] == "assistant" else []


def _check_answered(answered: dict[str, bool], place: str) -> None:
    if left := ", ".join(call_id for call_id, done in answered.items() if not done):
        raise refusal("chat_call_without_result", f"{place}.role", ids=left)


def _tool(value: Any, path: str) -> None:
    mapping(value, path)
    require(value, path, ("type",))
    if value["type"] == "custom":
        raise _absent("custom tools on Chat Completions", "a function, or Responses", path)
    one_of("function", "custom")(value["type"], f"{path}.type")
    _named(value, path)
    check_function(value["function"], f"{path}.function")


def _named(value: Any, path: str) -> None:
    """What names a function inside: a tool, or a choice of one."""
    mapping(value, path)
    if "function" not in value:
        raise missing(f"{path}.function", hint=_FLAT if "name" in value else None)
    _has_name(value["function"], f"{path}.function")


_has_name, _choice = shape("NamedFunction"), shape("ToolChoiceObject", Named=_named)


def _tool_choice(value: Any, path: str) -> None:
    if isinstance(value, str):
        one_of(*MODES)(value, path)
        return
    _choice(value, path)
    if value["type"] == "function":
        _named(value, path)


_format = shape("AnyChatFormat")


def _response_format(value: Any, path: str) -> None:
    _format(value, path)
    if value["type"] == "json_schema":
        wanted = {"schema": _ANYTHING} | value["json_schema"]
        strict = bool(wanted.get("strict"))
        check_named(wanted["name"], wanted["schema"], path, strict, "chat_wrong_output_schema")


_ANYTHING: Json = {"type": "object", "properties": {}}
_stops = array(text, most=4)


def _stop(value: Any, path: str) -> None:
    """Up to four texts at which the answer ends."""
    if not isinstance(value, str):
        _stops(value, path)


_required, _optional = shape_fields(
    "ChatCompletion",
    Messages=_messages,
    ChatTool=_tool,
    ChatToolChoice=_tool_choice,
    ChatFormat=_response_format,
    Stop=_stop,
    Effort=contract.effort,
)
FIELDS: dict[str, Rule] = _required | _optional
ABSENT = {
    "functions": "tools",
    "function_call": "tool_choice",
    "audio": "text",
    "prediction": "a request without it",
    "web_search_options": "web_search on Responses",
}


def _absent(what: str, instead: str, param: str) -> ApiError:
    return refusal("chat_without", param, what=what, instead=instead)


def check(body: Json) -> tuple[ModelCard, Json]:
    """The model asked for, and the request in the words of Responses; ApiError if it is wrong."""
    require(body, "", _required)
    for name, instead in ABSENT.items():
        if name in body:
            raise _absent(name, instead, name)
    if unknown := [name for name in body if name not in FIELDS]:
        plural = "s" if len(unknown) > 1 else ""
        raise refusal("chat_arguments_unknown", plural=plural, names=", ".join(unknown))
    for name, rule in FIELDS.items():
        if name in body:
            rule(body[name], name)
    _check_together(body)
    asked = _as_responses(body)
    check_chosen(asked)
    return _check_model(body), asked


def _check_together(body: Json) -> None:
    """Parameters that have no meaning without another one."""
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
    card = find_card(body["model"])
    if card is None:
        raise unknown_model(body["model"])
    effort = body.get("reasoning_effort")
    if effort is not None and not card.reasons:
        raise refusal("chat_arguments_unknown", plural="", names="reasoning_effort")
    if effort is not None and effort not in card.efforts:
        supported = f"Supported values are: {quoted(card.efforts)}."
        raise _unsupported_value("reasoning_effort", f"'{effort}'", supported)
    thinks = (effort or card.effort) not in (None, "none")
    for name, default in _DEFAULTS.items() if thinks else ():
        if body.get(name) not in (None, default):
            supported = f"Only the default ({default}) value is supported."
            raise _unsupported_value(name, body[name], supported)
    for name in ("logprobs", "top_logprobs", "logit_bias", "stop", "max_tokens"):
        if body.get(name) and (thinks or (card.reasons and name == "max_tokens")):
            instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            raise refusal("chat_parameter_not_supported", name, instead=instead)
    return card


_DEFAULTS = {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}


def _unsupported_value(name: str, value: Any, supported: str) -> ApiError:
    return refusal("chat_value_not_supported", name, value=value, supported=supported)


def _as_responses(body: Json) -> Json:
    """A request whose fields passed, as `/v1/responses` would have been asked it."""
    wanted = body.get("response_format") or {"type": "text"}
    if wanted["type"] == "json_schema":
        form = {"schema": _ANYTHING, "strict": False} | wanted["json_schema"]
        wanted = {"type": "json_schema"} | form
    return {
        "model": body["model"],
        "input": [item for message in body["messages"] for item in _items(message)],
        "tools": [
            {"type": "function", **tool["function"], "strict": bool(tool["function"].get("strict"))}
            for tool in body.get("tools") or []
        ],
        "tool_choice": _flat_choice(body.get("tool_choice")),
        "parallel_tool_calls": body.get("parallel_tool_calls"),
        "text": {"format": wanted},
        "reasoning": {"effort": body.get("reasoning_effort")},
        "max_output_tokens": body.get("max_completion_tokens") or body.get("max_tokens"),
        "include": ["message.output_text.logprobs"] if body.get("logprobs") else [],
        "service_tier": body.get("service_tier"),
    }


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


def _flat_choice(choice: Any) -> Any:
    if not isinstance(choice, dict):
        return choice
    if "function" in choice:
        return {"type": "function", "name": choice["function"]["name"]}
    listed = choice["allowed_tools"]
    named = [_flat_choice(each) for each in listed["tools"]]
    return {"type": "allowed_tools", "mode": listed["mode"], "tools": named}
