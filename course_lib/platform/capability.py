"""What one model cannot do: looked at last, after what no model could do (contract A2)."""

from .errors import Json, quoted, refusal
from .hosted.programs import PROGRAMS
from .hosted.tool import KINDS
from .models import ModelCard, find_model
from .tokens import content_text

# Hosted tools that a model does not have, and models that take no forced choice beside one (docs).
# A search for tools came with the models that tell the phases of an answer.
WITHOUT = {
    "gpt-5-pro-2025-10-06": "code_interpreter",
    "gpt-5.2-pro-2025-12-11": "code_interpreter",
    "gpt-4.1-nano-2025-04-14": "web_search",
}
ONLY_AUTO = ("o3-2025-04-16", "o3-pro-2025-06-10")


def check_model(body: Json) -> ModelCard:
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
    return card


def _check_hosted(body: Json, card: ModelCard, effort: str | None) -> None:
    types = [tool["type"] for tool in body.get("tools") or [] if not KINDS[tool["type"]].label]
    for each in types:
        name = KINDS[each].name
        if name == WITHOUT.get(card.snapshot) or (name == "tool_search" and not card.phases):
            raise refusal("hosted_tool_not_supported", tool=each, model=card.snapshot)
        if name == PROGRAMS.name and not card.programs:
            raise refusal("no_programs", tool=name, model=body["model"])
        if name == "web_search" and effort == "minimal":
            raise refusal("web_search_needs_effort")
    choice = body.get("tool_choice") or "auto"
    if types and choice != "auto" and card.snapshot in ONLY_AUTO:
        raise refusal("only_auto_beside_hosted_tool", model=card.snapshot)


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


def check_json_mode(body: Json, items: list[Json]) -> None:
    """`json_object` without the word JSON would let a model write blanks for ever."""
    wanted = (body.get("text") or {}).get("format") or {}
    if wanted.get("type") == "json_object" and not any(
        "json" in content_text(item.get("content")).lower() for item in items if "role" in item
    ):
        raise refusal("json_not_mentioned")
