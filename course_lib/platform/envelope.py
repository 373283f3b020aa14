"""The response object without its output: what was asked for, echoed with the defaults.

Field by field as recorded (contract B). `data/response.json` is the reply to a request that names
nothing but a model. `include` and `context_management` are not echoed.
"""

import json
from functools import cache
from pathlib import Path

from .contract import conversation_id
from .errors import Json
from .models import ModelCard

BLANK = Path(__file__).with_name("data") / "response.json"
AS_SENT = (
    "instructions", "max_output_tokens", "max_tool_calls", "metadata", "previous_response_id",
    "prompt_cache_key", "safety_identifier", "tool_choice", "top_logprobs", "truncation", "user",
)  # fmt: skip
# The tier that serves a request: `auto` is the project's, and `fast` is another name (SDK).
TIERS = {"flex": "flex", "priority": "priority", "fast": "priority"}


@cache
def _blank() -> str:
    return BLANK.read_text(encoding="utf-8")


def envelope(
    body: Json, card: ModelCard, tools: list[Json], response_id: str, created_at: int
) -> Json:
    """A response that has begun: status in_progress, no output, no usage."""
    text, cache_options = body.get("text") or {}, body.get("prompt_cache_options")
    conversation = conversation_id(body)
    response: Json = json.loads(_blank())
    response |= {name: body[name] for name in AS_SENT if body.get(name) is not None}
    response |= {
        "id": response_id,
        "created_at": created_at,
        "background": bool(body.get("background")),
        "frequency_penalty": _decimal(body.get("frequency_penalty"), 0.0),
        "model": card.snapshot,
        "parallel_tool_calls": body.get("parallel_tool_calls") is not False,
        "presence_penalty": _decimal(body.get("presence_penalty"), 0.0),
        "prompt_cache_retention": body.get("prompt_cache_retention") or card.retention,
        "reasoning": _reasoning(body.get("reasoning") or {}, card),
        "service_tier": TIERS.get(body.get("service_tier") or "auto", "default"),
        "store": body.get("store") is not False,
        "temperature": _decimal(body.get("temperature"), 1.0),
        "text": {
            "format": _text_format(text.get("format")),
            "verbosity": text.get("verbosity") or "medium",
        },
        "tools": tools,
        "top_p": _decimal(body.get("top_p"), card.top_p),
    }
    if cache_options:
        response["prompt_cache_options"] = cache_options
    if conversation:
        response["conversation"] = {"id": conversation}
    return response


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
