"""A Chat Completions request: what it may hold, and the same request in the words of Responses.

Here a call stands inside the assistant's message, its result in a message of role `tool`, and a
tool nests its function. The engine knows items and flat tools, so that is what a request becomes
once it has been checked in its own terms. Function tools and text only; what the older protocol
has beside them is refused by name.
"""

from typing import Any

from . import contract
from .attachments import image
from .errors import GAP, ApiError, Json, missing, quoted, wrong_type, wrong_value
from .hosted.function import check_function
from .models import ModelCard, find_card, unknown_model
from .rules import (
    Rule,
    array,
    boolean,
    fields,
    filled,
    integer,
    mapping,
    nullable,
    one_of,
    require,
    short,
    text,
)
from .strict_schema import check_output_schema
from .tokens import content_text
from .tools import MAX_TOOLS, MODES, check_choice

ROLES = ("system", "assistant", "user", "function", "tool", "developer")
PARTS = ("text", "image_url", "input_audio", "refusal", "audio", "file")

_FLAT = (
    "This is the Responses shape. Here the rest goes inside: "
    '{"type": "function", "function": {"name": ...}}.'
)


def _content(value: Any, path: str) -> None:
    """A text, or a list of parts."""
    if value is None:
        raise ApiError(
            "Invalid value for 'content': expected a string, got null.",
            param=path.replace("[", ".["),
        )
    if isinstance(value, list):
        array(_part)(value, path)
    elif not isinstance(value, str):
        raise wrong_type(path, "one of a string or array of objects", value)


def _part(value: Any, path: str) -> None:
    mapping(value, path)
    require(value, path, ("type",))
    if value["type"] not in PARTS:
        raise wrong_value(f"{path}.type", value["type"], PARTS)
    if value["type"] not in _PARTS:  # no model here hears
        message = path[: path.rindex(".")]
        raise ApiError(
            f"Invalid '{message}'. Content blocks are expected to be either text or "
            "image_url type.",
            param=message,
            code="invalid_value",
        )
    _PARTS[value["type"]](value, path)


_PARTS: dict[str, Rule] = {
    "text": fields({"text": text}, more=True),
    "refusal": fields({"refusal": text}, more=True),
    "image_url": fields({"image_url": fields({"url": image}, more=True)}, more=True),
    "file": fields({"file": mapping}, more=True),
}
_CALLED = fields({"name": text, "arguments": text}, more=True)
_CALL = fields({"id": text, "type": one_of("function"), "function": _CALLED}, more=True)
_ASSISTANT = fields(
    {},
    {
        "content": nullable(_content),
        "refusal": nullable(text),
        "tool_calls": nullable(filled(array(_CALL))),
    },
    more=True,
)
_TOOL = fields({"tool_call_id": text, "content": _content}, more=True)
_ANY_OTHER = fields({"content": _content}, more=True)


def _message(value: Any, path: str) -> None:
    mapping(value, path)
    require(value, path, ("role",))
    role = value["role"]
    if role not in ROLES:
        raise wrong_value(f"{path}.role", role, ROLES)
    if role == "function":
        raise _absent("role 'function'", "role 'tool' and tool_calls", f"{path}.role")
    {"assistant": _ASSISTANT, "tool": _TOOL}.get(role, _ANY_OTHER)(value, path)
    if role == "assistant" and not (value.get("tool_calls") or value.get("refusal")):
        _content(value.get("content"), f"{path}.content")


def _messages(value: Any, path: str) -> None:
    """Every message by itself, and then that calls and results belong together."""
    filled(array(_message, "objects"))(value, path)
    answered: dict[str, bool] = {}  # the calls of the latest assistant message, by id
    for index, message in enumerate(value):
        place = f"{path}.[{index}]"
        if message["role"] == "tool":
            _check_result(message["tool_call_id"], answered, place)
            answered[message["tool_call_id"]] = True
        else:
            _check_answered(answered, place)
            answered = {call["id"]: False for call in _calls(message)}
    _check_answered(answered, f"{path}.[{len(value) - 1}]")


def _calls(message: Json) -> list[Json]:
    """Calls are the assistant's; in any other message they mean nothing."""
    return (message.get("tool_calls") or []) if message["role"] == "assistant" else []


def _check_result(call_id: str, answered: dict[str, bool], place: str) -> None:
    if not answered:
        raise ApiError(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
            "message with 'tool_calls'.",
            param=f"{place}.role",
            hint="Append the assistant's message with its tool_calls before the results.",
        )
    if call_id not in answered:
        raise ApiError(
            f"Invalid parameter: 'tool_call_id' of '{call_id}' not found in 'tool_calls' of "
            "previous message.",
            param=f"{place}.tool_call_id",
        )


def _check_answered(answered: dict[str, bool], place: str) -> None:
    left = ", ".join(call_id for call_id, done in answered.items() if not done)
    if left:
        raise ApiError(
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
            + left,
            param=f"{place}.role",
            hint="Every call needs a message of role 'tool' with its id as tool_call_id.",
        )


def _tools(value: Any, path: str) -> None:
    filled(array(_tool, "objects"))(value, path)
    short(value, path, MAX_TOOLS)


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
    fields({"name": text}, more=True)(value["function"], f"{path}.function")


def _tool_choice(value: Any, path: str) -> None:
    if isinstance(value, str):
        one_of(*MODES)(value, path)
        return
    mapping(value, path)
    require(value, path, ("type",))
    one_of("function", "allowed_tools")(value["type"], f"{path}.type")
    if value["type"] == "function":
        _named(value, path)
    else:
        fields({"type": text, "allowed_tools": _ALLOWED})(value, path)


_ALLOWED = fields({"mode": one_of("auto", "required"), "tools": array(_named)})
_SCHEMA = fields(
    {"name": text}, {"schema": mapping, "strict": nullable(boolean), "description": nullable(text)}
)


def _response_format(value: Any, path: str) -> None:
    mapping(value, path)
    require(value, path, ("type",))
    one_of("json_object", "json_schema", "text")(value["type"], f"{path}.type")
    if value["type"] == "json_schema":
        fields({"type": text, "json_schema": _SCHEMA})(value, path)
        wanted, strict = value["json_schema"], bool(value["json_schema"].get("strict"))
        schema = wanted.get("schema", _ANYTHING)
        check_output_schema(wanted["name"], schema, strict=strict, param=path, code=None)


_ANYTHING: Json = {"type": "object", "properties": {}}


def _stop(value: Any, path: str) -> None:
    """Up to four texts at which the answer ends."""
    if not isinstance(value, str):
        array(text)(value, path)
        short(value, path, 4)


_SAME = (
    "temperature", "top_p", "presence_penalty", "frequency_penalty", "parallel_tool_calls",
    "stream", "store", "metadata", "user", "safety_identifier", "service_tier", "top_logprobs",
    "prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "moderation",
)  # fmt: skip
FIELDS: dict[str, Rule] = {
    "model": text,
    "messages": _messages,
    "tools": nullable(_tools),
    "tool_choice": nullable(_tool_choice),
    "response_format": nullable(_response_format),
    "stream_options": nullable(
        fields({}, {"include_usage": nullable(boolean), "include_obfuscation": nullable(boolean)})
    ),
    "max_completion_tokens": nullable(integer(1)),
    "max_tokens": nullable(integer(1)),
    "n": nullable(integer(1, 128)),
    "stop": nullable(_stop),
    "logprobs": nullable(boolean),
    "logit_bias": nullable(mapping),
    "seed": nullable(integer()),
    "reasoning_effort": nullable(contract.effort),
    "verbosity": nullable(one_of("low", "medium", "high")),
    "modalities": nullable(array(one_of("text"))),
} | {name: contract.FIELDS[name] for name in _SAME}
ABSENT = {
    "functions": "tools",
    "function_call": "tool_choice",
    "audio": "text",
    "prediction": "a request without it",
    "web_search_options": "web_search on Responses",
}


def _absent(what: str, instead: str, param: str) -> ApiError:
    return ApiError(
        f"The offline platform has no {what}.", param=param, code=GAP, hint=f"Use {instead}."
    )


def check(body: Json) -> tuple[ModelCard, Json]:
    """The model asked for, and the request in the words of Responses; ApiError if it is wrong."""
    require(body, "", ("model", "messages"))
    for name, instead in ABSENT.items():
        if name in body:
            raise _absent(name, instead, name)
    unknown = [name for name in body if name not in FIELDS]
    if unknown:
        plural = "s" if len(unknown) > 1 else ""
        raise ApiError(
            f"Unrecognized request argument{plural} supplied: {', '.join(unknown)}",
            hint="This is Chat Completions: it says messages, response_format and "
            "max_completion_tokens where Responses says input, text and max_output_tokens.",
        )
    for name, rule in FIELDS.items():
        if name in body:
            rule(body[name], name)
    _check_together(body)
    asked = _as_responses(body)
    check_choice(asked)
    return _check_model(body), asked


def _check_together(body: Json) -> None:
    """Parameters that have no meaning without another one."""
    for name in ("tool_choice", "parallel_tool_calls"):
        if body.get(name) is not None and not body.get("tools"):
            raise ApiError(
                f"Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified.",
                param=name,
            )
    if body.get("stream_options") is not None and not body.get("stream"):
        raise ApiError(
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            param="stream_options",
        )
    said = " ".join(content_text(message.get("content")) for message in body["messages"])
    wanted = (body.get("response_format") or {}).get("type")
    if wanted == "json_object" and "json" not in said.lower():
        raise ApiError(
            "'messages' must contain the word 'json' in some form, to use 'response_format' of "
            "type 'json_object'.",
            param="messages",
        )


def _check_model(body: Json) -> ModelCard:
    """What no other model could do is not asked here, only what this one cannot."""
    card = find_card(body["model"])
    if card is None:
        raise unknown_model(body["model"])
    effort = body.get("reasoning_effort")
    if effort is not None and not card.reasons:
        raise ApiError("Unrecognized request argument supplied: reasoning_effort")
    if effort is not None and effort not in card.efforts:
        raise _unsupported_value(
            "reasoning_effort", f"'{effort}'", f"Supported values are: {quoted(card.efforts)}."
        )
    thinks = (effort or card.effort) not in (None, "none")
    for name, default in _DEFAULTS.items() if thinks else ():
        if body.get(name) not in (None, default):
            raise _unsupported_value(
                name, body[name], f"Only the default ({default}) value is supported."
            )
    for name in ("logprobs", "top_logprobs", "logit_bias", "stop", "max_tokens"):
        if body.get(name) and (thinks or (card.reasons and name == "max_tokens")):
            instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            raise ApiError(
                f"Unsupported parameter: '{name}' is not supported with this model.{instead}",
                param=name,
                code="unsupported_parameter",
            )
    return card


_DEFAULTS = {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}


def _unsupported_value(name: str, value: Any, supported: str) -> ApiError:
    return ApiError(
        f"Unsupported value: '{name}' does not support {value} with this model. {supported}",
        param=name,
        code="unsupported_value",
    )


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
    if choice["type"] == "function":
        return {"type": "function", "name": choice["function"]["name"]}
    listed = choice["allowed_tools"]
    named = [_flat_choice({"type": "function"} | each) for each in listed["tools"]]
    return {"type": "allowed_tools", "mode": listed["mode"], "tools": named}
