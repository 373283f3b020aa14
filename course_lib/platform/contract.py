"""What `POST /v1/responses` accepts, field by field, in the API's own order (contract A1, A2).

The first thing that is wrong is the one that is told, as by the API; never a list. The fields
stand in `data/requests.txt`. What only the whole conversation can show (a call without its
output) is in `context.py`, what a schema must look like in `strict_schema.py`. The order of all of
it stands in `engine.check_turn`.
"""

from typing import Any

from . import context, tools
from .errors import ApiError, Json, quoted, refusal, wrong_type
from .hosted.programs import PROGRAMS
from .hosted.tool import KINDS
from .models import ModelCard, find_model
from .rules import OWN, Rule, one_of, reject_unknown, require, shape, shape_fields, text
from .state import State
from .strict_schema import check_named
from .tokens import content_text

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


def _text_format(value: Any, path: str) -> None:
    if not isinstance(value, dict):
        raise wrong_type(path, "a text format", value)
    shape("AnyFormat")(value, path)


def _output_schema(value: Json, path: str) -> None:
    strict, at = value.get("strict") is not False, f"{path}.schema"
    check_named(value["name"], value["schema"], at, strict, "wrong_output_schema")


def _instructions(value: Any, path: str) -> None:
    """A text, or a list of input items."""
    (context.check_items if isinstance(value, list) else text)(value, path)


def _effort(value: Any, path: str) -> None:
    """Named efforts; what the API says of other types is its own, and was observed."""
    if isinstance(value, int) and not isinstance(value, bool):
        raise wrong_type(path, f"one of {quoted(EFFORTS[1:5], 'or')}", value)
    if not isinstance(value, str):
        raise wrong_type(path, f"one of one of {quoted(EFFORTS, 'or')} or integer", value)
    one_of(*EFFORTS)(value, path)


OWN.update(
    Tools=tools.check_tools,
    ToolList=tools.check_each,
    ToolChoice=tools.check_tool_choice,
    TextFormat=_text_format,
    JsonSchemaFormat=_output_schema,
    Effort=_effort,
    Instructions=_instructions,
)
# In the order of contract A2, after `model`, `input` and the unknown names.
FIELDS: dict[str, Rule] = shape_fields("Response")[1]
KNOWN = ("model", "input", *FIELDS)
# Parameters of Chat Completions, and where they have gone.
MOVED = {
    "messages": "input", "reasoning_effort": "reasoning.effort", "response_format": "text.format",
}  # fmt: skip


def check_fields(body: Json) -> None:
    """Raise the API's first complaint about the fields of `body`, each taken by itself."""
    require(body, "", ("model",))
    text(body["model"], "model")
    _check_input(body)
    for name in body:
        if name in MOVED:
            raise _moved(name)
    reject_unknown(body, "", KNOWN)
    for name, rule in FIELDS.items():
        if name in body:
            rule(body[name], name)
        if name == "tool_choice":  # what it names must be there
            tools.check_chosen(body)


def check_server_state(body: Json, state: State) -> None:
    """What a request may build on. Prompts do not exist here."""
    wanted = context.conversation_id(body)
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
        raise _moved("messages") if "messages" in body else refusal("missing", "input")
    value = body["input"]
    if isinstance(value, list):
        context.check_items(value)
    elif not isinstance(value, str):
        either = "one of a string or array of input items"
        raise wrong_type("input", "a string" if value is None else either, value)


def _moved(name: str) -> ApiError:
    return refusal("moved_parameter", name=name, place=MOVED[name])


# --- What one model cannot do: looked at last, after what no model could


def check_model(body: Json, items: list[Json]) -> ModelCard:
    """The model asked for; ApiError when it is unknown, or cannot do what is asked of it."""
    card = find_model(body["model"])
    effort = (body.get("reasoning") or {}).get("effort")
    if effort is not None and not card.reasons:
        raise refusal("no_effort")
    if effort is not None and effort not in card.efforts:
        efforts = quoted(card.efforts)
        raise refusal("effort_not_supported", effort=effort, model=body["model"], supported=efforts)
    _check_hosted(body, card, effort or card.effort)
    if (effort or card.effort) not in (None, "none"):
        _check_sampling(body)
    if body.get("prompt_cache_retention") == "in_memory" and card.retention == "24h":
        raise refusal("only_long_retention")
    wanted = (body.get("text") or {}).get("format") or {}
    said = (content_text(item.get("content")).lower() for item in items if "role" in item)
    if wanted.get("type") == "json_object" and not any("json" in each for each in said):
        raise refusal("json_not_mentioned")  # else a model could write blanks for ever
    return card


# What the vendor runs, or reaches for itself.
HOSTED = ("code_interpreter", "file_search", "image_generation", "mcp", "web_search")


def _check_hosted(body: Json, card: ModelCard, effort: str | None) -> None:
    chosen = body.get("tool_choice") or "auto"
    for each in [tool["type"] for tool in body.get("tools") or []]:
        name = KINDS[each].name
        if card.auto_only and name in HOSTED and chosen != "auto":
            raise refusal("hosted_tool_only_auto", tool=each, model=card.snapshot)
        # A search for tools came with the models that tell the phases of an answer.
        if name == card.without or (name == "tool_search" and not card.phases):
            raise refusal("hosted_tool_not_supported", tool=each, model=card.snapshot)
        if name == PROGRAMS.name and not card.programs:
            raise refusal("no_programs", tool=name, model=body["model"])
        if name == "web_search" and effort == "minimal":
            raise refusal("web_search_needs_effort")


def _check_sampling(body: Json) -> None:
    """A model that reasons takes no sampling parameters, and shows no probabilities."""
    if body.get("temperature") not in (None, 1):
        raise refusal("not_supported", "temperature")
    if body.get("top_p") is not None:
        raise refusal("not_supported", "top_p")
    in_include = "message.output_text.logprobs" in (body.get("include") or [])
    if body.get("top_logprobs") or in_include:
        raise refusal("no_logprobs", "include" if in_include else "top_logprobs")
    for name in ("presence_penalty", "frequency_penalty"):
        if body.get(name) is not None:
            raise refusal("not_supported", name)
