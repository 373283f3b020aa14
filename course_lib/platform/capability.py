"""What one model cannot do: looked at last, after what no model could do (contract A2)."""

from .errors import GAP, ApiError, Json, quoted
from .hosted import KINDS
from .hosted.programs import PROGRAMS
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
        raise _unsupported("reasoning.effort", "unsupported_parameter")
    if effort is not None and effort not in card.efforts:
        raise ApiError(
            f"Unsupported value: '{effort}' is not supported with the '{body['model']}' model. "
            f"Supported values are: {quoted(card.efforts)}.",
            param="reasoning.effort",
            code="unsupported_value",
        )
    _check_hosted(body, card, effort or card.effort)
    if (effort or card.effort) not in (None, "none"):
        _check_sampling(body)
    if body.get("prompt_cache_retention") == "in_memory" and card.retention == "24h":
        raise ApiError(
            "This model is compatible only with 24h extended prompt caching",
            param="prompt_cache_retention",
            code="invalid_parameter",
        )
    return card


def _check_hosted(body: Json, card: ModelCard, effort: str | None) -> None:
    types = [tool["type"] for tool in body.get("tools") or [] if not KINDS[tool["type"]].label]
    for each in types:
        name = KINDS[each].name
        if name == WITHOUT.get(card.snapshot) or (name == "tool_search" and not card.phases):
            raise ApiError(
                f"Hosted tool '{each}' is not supported with {card.snapshot}.",
                param="tools",
                hint=f"Take {each} out of tools, or ask another model.",
            )
        if name == PROGRAMS.name and not card.programs:
            raise ApiError(
                f"Tool '{name}' is not supported with {body['model']}.",
                param="tools",
                hint="The gpt-5.6 models write programs.",
            )
        if name == "web_search" and effort == "minimal":
            raise ApiError(
                "The following tools cannot be used with reasoning.effort 'minimal': web_search.",
                param="tools",
                hint="Ask for more effort, or take web_search out of tools.",
            )
    choice = body.get("tool_choice") or "auto"
    if types and choice != "auto" and card.snapshot in ONLY_AUTO:
        raise ApiError(
            f"With a hosted tool in tools, {card.snapshot} takes no tool_choice but 'auto'.",
            param="tool_choice",
            code=GAP,
            hint="Leave tool_choice out: beside a hosted tool this model decides for itself.",
        )


def _check_sampling(body: Json) -> None:
    """A model that reasons takes no sampling parameters, and shows no probabilities."""
    if body.get("temperature") not in (None, 1):
        raise _unsupported("temperature")
    if body.get("top_p") is not None:
        raise _unsupported("top_p")
    in_include = "message.output_text.logprobs" in (body.get("include") or [])
    if body.get("top_logprobs") or in_include:
        raise ApiError(
            "logprobs are not supported with reasoning models.",
            param="include" if in_include else "top_logprobs",
            code="unsupported_parameter",
        )
    for name in ("presence_penalty", "frequency_penalty"):
        if body.get(name) is not None:
            raise _unsupported(name)


def _unsupported(name: str, code: str | None = None) -> ApiError:
    return ApiError(
        f"Unsupported parameter: '{name}' is not supported with this model.",
        param=name,
        code=code,
        hint=f"Leave {name} out, or ask another model.",
    )


def check_json_mode(body: Json, items: list[Json]) -> None:
    """`json_object` without the word JSON would let a model write blanks for ever."""
    wanted = (body.get("text") or {}).get("format") or {}
    if wanted.get("type") == "json_object" and not any(
        "json" in content_text(item.get("content")).lower() for item in items if "role" in item
    ):
        raise ApiError(
            "Response input messages must contain the word 'json' in some form to use "
            "'text.format' of type 'json_object'.",
            param="text.format",
        )
