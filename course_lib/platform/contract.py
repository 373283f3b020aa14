"""What `POST /v1/responses` accepts, field by field, in the order the API checks (contract A1, A2).

`check_request` stops at the first thing that is wrong, as the API does; it never returns a
list. What only the whole conversation can show (a call without its output) is in `context.py`;
what a schema must look like is in `strict_schema.py`.
"""

from typing import Any

from . import items, tools
from .errors import ApiError, Json, missing, unknown_parameter, wrong_type, wrong_value
from .models import ModelCard, find_model
from .rules import (
    Rule,
    anything,
    array,
    boolean,
    decimal,
    fields,
    integer,
    mapping,
    nullable,
    one_of,
    text,
)

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
INCLUDABLE = (
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
)


def metadata(value: Any, path: str) -> None:
    """At most 16 pairs of short texts."""
    mapping(value, path)
    if len(value) > 16:
        raise ApiError(
            f"Invalid '{path}': too many properties. Expected an object with at most 16 "
            f"properties, but got an object with {len(value)} properties instead.",
            param=path,
            code="object_above_max_properties",
        )
    for name, member in value.items():
        text(member, f"{path}.{name}")


_text_format_schema = fields(
    {"type": text, "name": text, "schema": mapping},
    {"strict": nullable(boolean), "description": nullable(text)},
)


def text_format(value: Any, path: str) -> None:
    mapping(value, path)
    kind_of_format = value.get("type")
    supported = ("json_object", "text", "json_schema")
    if kind_of_format not in supported:
        raise wrong_value(f"{path}.type", kind_of_format, supported)
    if kind_of_format == "json_schema":
        _text_format_schema(value, path)


# In the order of contract A2, after `model`, `input` and the unknown names.
FIELDS: dict[str, Rule] = {
    "moderation": nullable(mapping),
    "previous_response_id": nullable(text),
    "conversation": anything,
    "prompt": nullable(mapping),
    "include": nullable(array(one_of(*INCLUDABLE))),
    "tools": nullable(tools.check_tools),
    "tool_choice": nullable(tools.check_tool_choice),
    "metadata": nullable(metadata),
    "text": nullable(
        fields(
            {},
            {
                "format": nullable(text_format),
                "verbosity": nullable(one_of("low", "medium", "high")),
            },
        )
    ),
    "temperature": nullable(decimal(0, 2)),
    "top_p": nullable(decimal(0, 1)),
    "presence_penalty": nullable(decimal(-2, 2)),
    "frequency_penalty": nullable(decimal(-2, 2)),
    "parallel_tool_calls": nullable(boolean),
    "stream": nullable(boolean),
    "stream_options": nullable(fields({}, {"include_obfuscation": nullable(boolean)})),
    "background": nullable(boolean),
    "background_options": nullable(mapping),
    "max_output_tokens": nullable(integer(16)),
    "max_tool_calls": nullable(integer(1)),
    "reasoning": nullable(
        fields(
            {},
            {
                "effort": nullable(one_of(*EFFORTS)),
                "summary": nullable(one_of("auto", "concise", "detailed")),
                "generate_summary": nullable(one_of("auto", "concise", "detailed")),
                "context": nullable(text),
                "mode": nullable(text),
            },
        )
    ),
    "user": nullable(text),
    "safety_identifier": nullable(text),
    "prompt_cache_key": nullable(text),
    "prompt_cache_options": nullable(mapping),
    "prompt_cache_retention": nullable(one_of("in_memory", "24h")),
    "truncation": nullable(one_of("auto", "disabled")),
    "instructions": anything,
    "store": nullable(boolean),
    "service_tier": nullable(one_of("auto", "default", "fast", "flex", "priority")),
    "top_logprobs": nullable(integer(0, 20)),
    "context_management": nullable(array(mapping)),
    "access_programs": anything,
}
KNOWN = ("model", "input", *FIELDS)
CONTINUES = ("previous_response_id", "conversation", "prompt")


def check_request(body: Json) -> ModelCard:
    """Raise the API's first complaint about `body`; return the model it asks for."""
    if "model" not in body:
        raise missing("model")
    text(body["model"], "model")
    _check_input(body)
    _check_names(body)
    for name, rule in FIELDS.items():
        if name in body:
            rule(body[name], name)
    if body["input"] in ("", []) and not any(body.get(name) for name in CONTINUES):
        raise ApiError(
            "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' "
            "must be provided.",
            code="missing_required_parameter",
        )
    card = find_model(body["model"])
    _check_capability(body, card)
    return card


def _check_input(body: Json) -> None:
    if "input" not in body:
        if "messages" in body:
            raise _moved_to_input()
        raise missing("input")
    value = body["input"]
    if isinstance(value, list):
        items.check_items(value)
    elif value is None:
        raise wrong_type("input", "a string", value)
    elif not isinstance(value, str):
        raise wrong_type("input", "one of a string or array of input items", value)


def _check_names(body: Json) -> None:
    for name in body:
        if name == "messages":
            raise _moved_to_input()
        if name not in KNOWN:
            raise unknown_parameter(name, name, KNOWN, body)


def _moved_to_input() -> ApiError:
    return ApiError(
        "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to "
        "'input'. Try again with the new parameter. See the API documentation for more "
        "information: https://platform.openai.com/docs/api-reference/responses/create.",
        code="unsupported_parameter",
        hint="This is the Chat Completions form. Pass the same list as input=… instead.",
    )


def _check_capability(body: Json, card: ModelCard) -> None:
    """What this one model cannot do; the API looks at it last."""
    if not card.reasons:
        return
    if body.get("temperature") not in (None, 1):
        raise ApiError(
            "Unsupported parameter: 'temperature' is not supported with this model.",
            param="temperature",
            hint="Reasoning models take no temperature: leave it out.",
        )
    for name in ("top_p", "presence_penalty", "frequency_penalty"):
        if body.get(name) is not None:
            raise ApiError(
                f"Unsupported parameter: '{name}' is not supported with this model.", param=name
            )
