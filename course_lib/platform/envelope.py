"""The response object without its output: what was asked for, echoed with the defaults.

Field by field as recorded (contract B). `include` and `context_management` are not echoed.
"""

from .contract import conversation_id
from .errors import Json
from .models import ModelCard


def envelope(
    body: Json, card: ModelCard, tools: list[Json], response_id: str, created_at: int
) -> Json:
    """A response that has begun: status in_progress, no output, no usage."""
    text, cache = body.get("text") or {}, body.get("prompt_cache_options")
    conversation = conversation_id(body)
    return {
        "id": response_id,
        "object": "response",
        "created_at": created_at,
        "status": "in_progress",
        "background": bool(body.get("background")),
        "billing": {"payer": "developer"},
        "completed_at": None,
        "error": None,
        "frequency_penalty": body.get("frequency_penalty") or 0.0,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "max_tool_calls": body.get("max_tool_calls"),
        "metadata": body.get("metadata") or {},
        "model": card.snapshot,
        "moderation": None,
        "output": [],
        "parallel_tool_calls": body.get("parallel_tool_calls") is not False,
        "presence_penalty": body.get("presence_penalty") or 0.0,
        "previous_response_id": body.get("previous_response_id"),
        "prompt_cache_key": body.get("prompt_cache_key"),
        "prompt_cache_retention": body.get("prompt_cache_retention") or card.retention,
        "reasoning": _reasoning(body.get("reasoning") or {}, card),
        "safety_identifier": body.get("safety_identifier"),
        "service_tier": TIERS.get(body.get("service_tier") or "auto", "default"),
        "store": body.get("store") is not False,
        "temperature": _decimal(body.get("temperature"), 1.0),
        "text": {
            "format": _text_format(text.get("format")),
            "verbosity": text.get("verbosity") or "medium",
        },
        "tool_choice": body.get("tool_choice") or "auto",
        "tool_usage": {
            "image_gen": {
                "input_tokens": 0,
                "input_tokens_details": {"image_tokens": 0, "text_tokens": 0},
                "output_tokens": 0,
                "output_tokens_details": {"image_tokens": 0, "text_tokens": 0},
                "total_tokens": 0,
            },
            "web_search": {"num_requests": 0},
        },
        "tools": tools,
        "top_logprobs": body.get("top_logprobs") or 0,
        "top_p": _decimal(body.get("top_p"), card.top_p),
        "truncation": body.get("truncation") or "disabled",
        "usage": None,
        "user": body.get("user"),
        **({"prompt_cache_options": cache} if cache else {}),
        **({"conversation": {"id": conversation}} if conversation else {}),
    }


# The tier that serves a request: `auto` is the project's, and `fast` is another name (SDK).
TIERS = {"flex": "flex", "priority": "priority", "fast": "priority"}


def _decimal(value: float | None, default: float) -> float:
    return default if value is None else float(value)


def _reasoning(asked: Json, card: ModelCard) -> Json:
    """What is in force: `auto` means a detailed summary, and a model that reasons has a mode."""
    summary = asked.get("summary") or asked.get("generate_summary")
    echoed = {
        "context": asked.get("context") or (card.context if card.reasons else None),
        "effort": asked.get("effort") or card.effort,
        "summary": "detailed" if summary == "auto" else summary,
    }
    return echoed | ({"mode": asked.get("mode") or "standard"} if card.reasons else {})


def _text_format(asked: Json | None) -> Json:
    if asked is None:
        return {"type": "text"}
    if asked["type"] != "json_schema":
        return asked
    return {
        "type": "json_schema",
        "description": asked.get("description"),
        "name": asked["name"],
        "schema": asked["schema"],
        "strict": asked.get("strict") is not False,
    }
