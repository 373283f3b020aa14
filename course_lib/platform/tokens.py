"""Tokens, counted with the model family's real tokenizer (o200k_base), offline.

What is counted is the text the model reads. The vendor does not publish how it frames that
text; the constants and the TypeScript form of the tools below were fitted to recorded `usage`:
requests of messages alone come out exact, requests with flat function tools within a few
tokens. `tests/test_tokens.py` holds them to the recordings.
"""

import json
import os
import threading
from codecs import getincrementaldecoder
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import Json
from .models import ModelCard

if TYPE_CHECKING:
    from tiktoken import Encoding

RANKS = Path(__file__).parent.parent / "data" / "tiktoken"
FOLDER = "TIKTOKEN_CACHE_DIR"  # where the library looks for them
STRETCH = 200_000  # characters
LONG = 16_384  # characters of a text that is not kept, with its count, for the next time
PER_MESSAGE = 4  # each item, and the instructions, is wrapped in four tokens
CHANNEL = 2  # and a model that reasons marks what it said itself
PRIMING_REASONING, PRIMING = 2, 3  # what begins the model's own turn
TOOLS_REASONING, TOOLS = 2, -4  # what the frame around a list of tools adds to its text


_alone = threading.Lock()  # the environment is every thread's


@cache
def encoding() -> "Encoding":
    # Imported late: loading the ranks takes a quarter of a second, and only a reply needs them.
    import tiktoken

    with _alone:
        before = os.environ.get(FOLDER)
        os.environ[FOLDER] = str(RANKS)
        try:
            return tiktoken.get_encoding("o200k_base")
        finally:
            del os.environ[FOLDER]
            os.environ |= {} if before is None else {FOLDER: before}


def _stretches(text: str) -> Iterator[str]:
    """A text piece by piece: a million blanks at once overflow the tokenizer's stack."""
    return (text[start : start + STRETCH] for start in range(0, len(text), STRETCH))


def _encode(text: str) -> list[int]:
    return [token for each in _stretches(text) for token in encoding().encode_ordinary(each)]


def starts(text: str) -> list[int]:
    """Where each token of a text begins, in characters."""
    found: list[int] = []
    for number, each in enumerate(_stretches(text)):
        offsets = encoding().decode_with_offsets(encoding().encode_ordinary(each))[1]
        found += [number * STRETCH + offset for offset in offsets]
    return found


def count_text(text: str) -> int:
    """Number of tokens in `text`; markers such as `<|endoftext|>` count as plain text."""
    return _count(text) if len(text) < LONG else len(_encode(text))


@lru_cache(maxsize=8192)
def _count(text: str) -> int:
    return len(_encode(text))


def pieces(text: str) -> list[str]:
    """The text cut into its tokens. A character that several tokens share stays with the last."""
    characters = getincrementaldecoder("utf-8")()
    read = map(encoding().decode_single_token_bytes, _encode(text))
    return [piece for piece in map(characters.decode, read) if piece]


def cut(text: str, tokens: int) -> str:
    """As much of the text as fits into so many tokens, whole characters only."""
    return encoding().decode(_encode(text)[:tokens], errors="ignore")


def sayable(text: str) -> str:
    """The text as a model can say it: tokens are UTF-8, which has no half surrogate pairs."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def item_part(item: Json, card: ModelCard) -> tuple[str, int]:
    """One context item as text, and its tokens, its frame included."""
    text = render_item(item)
    channel = CHANNEL if card.reasons and item.get("role") == "assistant" else 0
    return text, count_text(text) + PER_MESSAGE + channel


def tools_part(tools: list[Json], card: ModelCard) -> tuple[str, int]:
    """A list of tools as text, and its tokens, the frame around the list included."""
    text = render_tools(tools)
    return text, count_text(text) + (TOOLS_REASONING if card.reasons else TOOLS)


def render_item(item: Json) -> str:
    """An item as text: what is said, or the call and what it was given, or the result."""
    match item.get("type", "message"):
        case "message":
            return content_text(item.get("content"))
        case "function_call":
            return f"{item['name']}{item['arguments']}"
        case "function_call_output":
            return content_text(item["output"])
        case "reasoning":
            return "".join(part.get("text", "") for part in item.get("summary") or [])
        case _:
            return json.dumps(item, ensure_ascii=False)


def content_text(content: str | list[Json] | None) -> str:
    """The text of a message or of an output: the string itself, or its text parts joined."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or part.get("refusal") or "" for part in content or [])


def render_tools(tools: list[Json]) -> str:
    """The tools as the model reads them: TypeScript types, descriptions as comments."""
    declared = "".join(map(_declaration, tools))
    begin = "# Tools\n\n## functions\n\nnamespace functions {"
    return f"{begin}\n\n{declared}}} // namespace functions"


def _declaration(tool: Json) -> str:
    schema, comment = tool.get("parameters") or {}, _comment(tool.get("description"))
    parameters = f"_: {{\n{_members(schema)}}}" if schema.get("properties") else ""
    return f"{comment}type {tool.get('name')} = ({parameters}) => any;\n\n"


def _members(schema: Json) -> str:
    required, lines = schema.get("required") or (), []
    for name, given in (schema.get("properties") or {}).items():
        member = given if isinstance(given, dict) else {}  # `true` is a schema too: anything goes
        optional = "" if name in required else "?"
        default = f" // default: {json.dumps(member['default'])}" if "default" in member else ""
        comment = _comment(member.get("description"))
        lines.append(f"{comment}{name}{optional}: {_type(member)},{default}\n")
    return "".join(lines)


def _comment(text: Any) -> str:
    return "".join(f"// {line}\n" for line in str(text).split("\n")) if text else ""


def _type(schema: Any) -> str:
    if not isinstance(schema, dict):
        return "any"
    if "enum" in schema:
        return " | ".join(json.dumps(member, ensure_ascii=False) for member in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(map(_type, schema["anyOf"]))
    match kind := schema.get("type"):
        case list():
            return " | ".join(_type({**schema, "type": each}) for each in kind)
        case "array":
            return f"{_type(schema.get('items') or {})}[]"
        case "object":
            return f"{{\n{_members(schema)}}}"
        case "string" | "boolean" | "null" | "number":
            return str(kind)
        case _:
            return "number" if kind == "integer" else "any"
