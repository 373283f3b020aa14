"""Tokens, counted with the model family's real tokenizer (o200k_base), offline.

What is counted is the text the model would read: each item and each tool, rendered as below.
The real service adds a few tokens of its own framing to each, which nobody outside can see;
they are left out, so counts here run slightly below a live bill.
"""

import json
import os
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import Json

if TYPE_CHECKING:
    from tiktoken import Encoding

RANKS = Path(__file__).parent.parent / "data" / "tiktoken"


@cache
def _encoding() -> "Encoding":
    # Imported late: loading the ranks takes a quarter of a second, and only a reply needs them.
    import tiktoken

    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(RANKS)
    try:
        return tiktoken.get_encoding("o200k_base")
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before


@lru_cache(maxsize=4096)
def count_text(text: str) -> int:
    """Number of tokens in `text`; markers such as `<|endoftext|>` count as plain text."""
    return len(_encoding().encode_ordinary(text))


def count_items(items: list[Json]) -> int:
    return sum(count_text(render_item(item)) for item in items)


def count_tools(tools: list[Json]) -> int:
    return sum(count_text(render_tool(tool)) for tool in tools)


def render_item(item: Json) -> str:
    """An item as text: who speaks and what is said, or the call and what it was given."""
    match item.get("type", "message"):
        case "message":
            return f"{item.get('role')}: {content_text(item.get('content'))}"
        case "function_call":
            return f"call {item['name']} {item['arguments']}"
        case "function_call_output":
            return f"result: {content_text(item['output'])}"
        case "reasoning":
            return "".join(part.get("text", "") for part in item.get("summary") or [])
        case _:
            return json.dumps(item, ensure_ascii=False)


def render_tool(tool: Json) -> str:
    parameters = json.dumps(tool.get("parameters") or {}, ensure_ascii=False)
    return f"{tool.get('name')}: {tool.get('description') or ''}\n{parameters}"


def content_text(content: str | list[Json] | None) -> str:
    """The text of a message or of an output: the string itself, or its text parts joined."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or part.get("refusal") or "" for part in content or [])


def usage(input_tokens: int, output_tokens: int, reasoning_tokens: int = 0) -> Json:
    """The `usage` object of a reply (contract B)."""
    return {
        "input_tokens": input_tokens,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": output_tokens,
        "output_tokens_details": {"reasoning_tokens": reasoning_tokens},
        "total_tokens": input_tokens + output_tokens,
    }
