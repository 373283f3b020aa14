"""The response object around its output: what was asked for, with the defaults, and the usage.

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
    "background", "frequency_penalty", "instructions", "max_output_tokens", "max_tool_calls",
    "metadata", "parallel_tool_calls", "presence_penalty", "previous_response_id",
    "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "safety_identifier",
    "store", "temperature", "tool_choice", "top_logprobs", "top_p", "truncation", "user",
)  # fmt: skip
DECIMALS = ("frequency_penalty", "presence_penalty", "temperature", "top_p")
# The tier that serves a request: `auto` is the project's, and `fast` is another name (SDK).
TIERS = {"flex": "flex", "priority": "priority", "fast": "priority"}
# The vendor caches prefixes from 1,024 tokens on, in steps of 128.
CACHE_FROM, CACHE_STEP = 1024, 128


@cache
def _blank() -> str:
    return BLANK.read_text(encoding="utf-8")


def envelope(
    body: Json, card: ModelCard, tools: list[Json], response_id: str, created_at: int
) -> Json:
    """A response that has begun: status in_progress, no output, no usage."""
    text, conversation = body.get("text") or {}, conversation_id(body)
    response: Json = json.loads(_blank())
    response |= {"id": response_id, "created_at": created_at, "tools": tools}
    response |= {"model": card.snapshot, "top_p": card.top_p}
    response["prompt_cache_retention"] = card.retention
    response |= {name: body[name] for name in AS_SENT if body.get(name) is not None}
    response |= {name: float(response[name]) for name in DECIMALS}
    response["reasoning"] = _reasoning(body.get("reasoning") or {}, card)
    response["service_tier"] = TIERS.get(body.get("service_tier") or "auto", "default")
    response["text"] = {
        "format": _text_format(text.get("format") or {"type": "text"}),
        "verbosity": text.get("verbosity") or "medium",
    }
    return response | ({"conversation": {"id": conversation}} if conversation else {})


def _reasoning(asked: Json, card: ModelCard) -> Json:
    """What is in force: `auto` means a detailed summary, and a model that reasons has a mode."""
    summary = asked.get("summary") or asked.get("generate_summary")
    echoed = {
        "context": asked.get("context") or (card.context if card.reasons else None),
        "effort": asked.get("effort") or card.effort,
        "summary": "detailed" if summary == "auto" else summary,
    }
    return echoed | ({"mode": asked.get("mode") or "standard"} if card.reasons else {})


def _text_format(asked: Json) -> Json:
    if asked["type"] != "json_schema":
        return asked
    shown = {name: asked.get(name) for name in ("type", "description", "name", "schema")}
    return shown | {"strict": asked.get("strict") is not False}


def usage(input_tokens: int, cached: int, output_tokens: int, reasoning_tokens: int) -> Json:
    """The `usage` object of a finished response."""
    return {
        "input_tokens": input_tokens,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
        "output_tokens": output_tokens,
        "output_tokens_details": {"reasoning_tokens": reasoning_tokens},
        "total_tokens": input_tokens + output_tokens,
    }


def cached_tokens(parts: list[tuple[str, int]], prefixes: dict[str, None]) -> int:
    """Remember a prompt's (text, tokens) parts; return the tokens of it that need no new reading.

    A prefix ends where a part ends. `prefixes` has the hash of all the text up to each such end.
    """
    known, total, prefix, unbroken = 0, 0, "", True
    for text, tokens in parts:
        prefix, total = f"{hash((prefix, text))}", total + tokens
        unbroken = unbroken and prefix in prefixes
        known = total if unbroken else known
        prefixes.pop(prefix, None)  # those read last are kept longest
        prefixes[prefix] = None
    return known // CACHE_STEP * CACHE_STEP if known >= CACHE_FROM else 0
