"""What `POST /v1/responses` accepts, field by field, in the API's own order (contract A1, A2).

The first thing that is wrong is the one that is told, as by the API; never a list. What only
the whole conversation can show (a call without its output) is in `context.py`, what a schema
must look like in `strict_schema.py`, what one model cannot do in `capability.py`. The order of
all of it stands in `engine.check_turn`.
"""

from typing import Any

from . import items, tools
from .errors import (
    ApiError,
    Json,
    missing,
    quoted,
    unknown_parameter,
    wrong_type,
    wrong_value,
)
from .rules import (
    Rule,
    anything,
    array,
    boolean,
    decimal,
    fields,
    integer,
    mapping,
    metadata,
    nullable,
    one_of,
    reject_unknown,
    require,
    text,
    up_to,
)
from .state import State
from .strict_schema import check_output_schema

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
SUMMARIES = ("concise", "detailed", "auto")
COUNT = nullable(integer())
CACHE_OPTIONS: dict[str, Rule] = {
    "comparison_response_id": nullable(text),
    "mode": nullable(one_of("implicit", "explicit")),
    "prewarm": nullable(boolean),
    "ttl": nullable(one_of("30m", "12h")),
}
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


_text_format_schema = fields(
    {"type": text, "name": text, "schema": mapping},
    {"strict": nullable(boolean), "description": nullable(text)},
)


def text_format(value: Any, path: str) -> None:
    if not isinstance(value, dict):
        raise wrong_type(path, "a text format", value)
    require(value, path, ("type",))
    kind_of_format = value["type"]
    supported = ("json_object", "text", "json_schema")
    if kind_of_format not in supported:
        raise wrong_value(f"{path}.type", kind_of_format, supported)
    if kind_of_format == "json_schema":
        _text_format_schema(value, path)
        check_output_schema(value["name"], value["schema"], strict=value.get("strict") is not False)
    else:
        reject_unknown(value, path, ("type",))


def instructions(value: Any, path: str) -> None:
    """A text, or a list of input items."""
    if isinstance(value, list):
        items.check_items(value, path)
    elif value is not None:
        text(value, path)


def effort(value: Any, path: str) -> None:
    """Named efforts; what the API says of other types is its own, and was observed."""
    if isinstance(value, int) and not isinstance(value, bool):
        raise wrong_type(path, f"one of {quoted(EFFORTS[1:5], 'or')}", value)
    if not isinstance(value, str):
        raise wrong_type(path, f"one of one of {quoted(EFFORTS, 'or')} or integer", value)
    one_of(*EFFORTS)(value, path)


def conversation(value: Any, path: str) -> None:
    """The id of a conversation, or an object that holds it."""
    if isinstance(value, dict):
        fields({"id": text})(value, path)
    elif not isinstance(value, str):
        raise wrong_type(path, "one of a string or object", value)


def _shortened(names: tuple[str, ...]) -> str:
    """The long names of `include` the way the API cuts them where it lists the lot."""
    return f"one of {quoted(tuple(f'{name[:3]}...{name[-3:]}' for name in names), 'or')}"


# In the order of contract A2, after `model`, `input` and the unknown names.
FIELDS: dict[str, Rule] = {
    "previous_response_id": nullable(text),
    "conversation": nullable(conversation),
    "prompt": nullable(fields({"id": text}, {"version": nullable(text), "variables": anything})),
    "moderation": nullable(mapping),
    "include": nullable(array(one_of(*INCLUDABLE), _shortened(INCLUDABLE))),
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
    "background_options": nullable(
        fields({}, {"completion_window": nullable(text), "continuation_id": nullable(text)})
    ),
    "max_output_tokens": nullable(integer(16)),
    "max_tool_calls": nullable(integer(1)),
    "reasoning": nullable(
        fields(
            {},
            {
                "effort": nullable(effort),
                "summary": nullable(one_of(*SUMMARIES)),
                "generate_summary": nullable(one_of(*SUMMARIES)),  # an older name, recorded
                "context": nullable(text),
                "mode": nullable(text),
            },
        )
    ),
    "user": nullable(text),
    "safety_identifier": nullable(up_to(128)),
    "prompt_cache_options": nullable(fields({}, CACHE_OPTIONS)),
    "prompt_cache_key": nullable(text),
    "prompt_cache_retention": nullable(one_of("in_memory", "24h")),
    "truncation": nullable(one_of("auto", "disabled")),
    "instructions": instructions,
    "store": nullable(boolean),
    "service_tier": nullable(one_of("auto", "default", "fast", "flex", "priority")),
    "top_logprobs": nullable(integer(0, 20)),
    "context_management": nullable(
        array(fields({"type": one_of("compaction")}, {"compact_threshold": COUNT}), "objects")
    ),
    "access_programs": nullable(mapping),
}
KNOWN = ("model", "input", *FIELDS)
# Parameters of Chat Completions, and where they have gone.
MOVED = {
    "messages": "input",
    "reasoning_effort": "reasoning.effort",
    "response_format": "text.format",
}
# More of them, of which the API only says that it does not know them.
CHAT_NAMES = {
    "max_tokens": "Chat Completions says max_tokens; here it is max_output_tokens.",
    "max_completion_tokens": "Here it is max_output_tokens.",
    "functions": "Functions are declared in tools.",
    "logprobs": 'Ask with include=["message.output_text.logprobs"].',
}


def check_fields(body: Json) -> None:
    """Raise the API's first complaint about the fields of `body`, each taken by itself."""
    if "model" not in body:
        raise missing("model")
    text(body["model"], "model")
    _check_input(body)
    for name in body:
        if name in MOVED:
            raise _moved(name)
        if name not in KNOWN:
            raise unknown_parameter(name, name, KNOWN, body, hint=CHAT_NAMES.get(name))
    for name, rule in FIELDS.items():
        if name in body:
            rule(body[name], name)
        if name == "tool_choice":  # what it names must be there
            tools.check_choice(body)


def conversation_id(body: Json) -> str | None:
    """The conversation that a request names, in one form or the other."""
    value = body.get("conversation")
    return value["id"] if isinstance(value, dict) else value


def check_server_state(body: Json, state: State) -> None:
    """What a request may build on. Prompts do not exist here."""
    wanted = conversation_id(body)
    if wanted and body.get("previous_response_id"):
        raise ApiError(
            "Mutually exclusive parameters: ''. Ensure you are only providing one of: "
            "'previous_response_id' or 'conversation'.",
            code="mutually_exclusive_parameters",
        )
    if wanted is not None:
        state.conversation(wanted)
    if body.get("prompt") is not None:
        raise ApiError(f"Prompt with id '{body['prompt']['id']}' not found.", status=404)


def check_not_empty(body: Json) -> None:
    builds_on = body.get("previous_response_id") or body.get("conversation")
    if body["input"] in ("", []) and not builds_on:
        raise ApiError(
            "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' "
            "must be provided.",
            code="missing_required_parameter",
        )


def _check_input(body: Json) -> None:
    if "input" not in body:
        if "messages" in body:
            raise _moved("messages")
        raise missing("input")
    value = body["input"]
    if isinstance(value, list):
        items.check_items(value)
    elif value is None:
        raise wrong_type("input", "a string", value)
    elif not isinstance(value, str):
        raise wrong_type("input", "one of a string or array of input items", value)


def _moved(name: str) -> ApiError:
    return ApiError(
        f"Unsupported parameter: '{name}'. In the Responses API, this parameter has moved to "
        f"'{MOVED[name]}'. Try again with the new parameter. See the API documentation for more "
        "information: https://platform.openai.com/docs/api-reference/responses/create.",
        code="unsupported_parameter",
        hint=f"This is the Chat Completions form. Pass it as {MOVED[name]} instead.",
    )
