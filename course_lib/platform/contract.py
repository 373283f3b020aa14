"""What `POST /v1/responses` accepts, field by field, in the API's own order (contract A1, A2).

The first thing that is wrong is the one that is told, as by the API; never a list. The fields
stand in `data/requests.txt`. What only the whole conversation can show (a call without its
output) is in `context.py`, what a schema must look like in `strict_schema.py`, what one model
cannot do in `capability.py`. The order of all of it stands in `engine.check_turn`.
"""

from typing import Any

from . import items, tools
from .errors import ApiError, Json, missing, quoted, refusal, unknown_parameter, wrong_type
from .rules import Rule, one_of, require, shape, shape_fields, text
from .state import State
from .strict_schema import check_named

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

_format = shape("AnyFormat")


def text_format(value: Any, path: str) -> None:
    if not isinstance(value, dict):
        raise wrong_type(path, "a text format", value)
    _format(value, path)
    if value["type"] == "json_schema":
        strict, at = value.get("strict") is not False, f"{path}.schema"
        check_named(value["name"], value["schema"], at, strict, "wrong_output_schema")


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


# In the order of contract A2, after `model`, `input` and the unknown names.
FIELDS: dict[str, Rule] = shape_fields(
    "Response",
    Tools=tools.check_tools,
    ToolChoice=tools.check_tool_choice,
    TextFormat=text_format,
    Effort=effort,
    Instructions=instructions,
)[1]
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
    require(body, "", ("model",))
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
            tools.check_chosen(body)


def conversation_id(body: Json) -> str | None:
    """The conversation that a request names, in one form or the other."""
    value = body.get("conversation")
    return value["id"] if isinstance(value, dict) else value


def check_server_state(body: Json, state: State) -> None:
    """What a request may build on. Prompts do not exist here."""
    wanted = conversation_id(body)
    if wanted and body.get("previous_response_id"):
        raise refusal("response_or_conversation")
    if wanted is not None:
        state.conversation(wanted)
    if body.get("prompt") is not None:
        raise refusal("no_such_prompt", id=body["prompt"]["id"])


def check_not_empty(body: Json) -> None:
    builds_on = body.get("previous_response_id") or body.get("conversation")
    if body["input"] in ("", []) and not builds_on:
        raise refusal("nothing_to_answer")


def _check_input(body: Json) -> None:
    if "input" not in body:
        raise _moved("messages") if "messages" in body else missing("input")
    value = body["input"]
    if isinstance(value, list):
        items.check_items(value)
    elif not isinstance(value, str):
        either = "one of a string or array of input items"
        raise wrong_type("input", "a string" if value is None else either, value)


def _moved(name: str) -> ApiError:
    return refusal("moved_parameter", name=name, place=MOVED[name])
