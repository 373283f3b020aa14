"""`usage` of a reply: what went in, what came out, and how much of it was cached (contract B).

A prompt that begins like an earlier one is not read again in full. The vendor caches prefixes
from 1,024 tokens on, in steps of 128; here a prefix ends where an item ends.
"""

from collections import OrderedDict

from .errors import Json
from .http import written
from .models import ModelCard
from .tokens import PER_MESSAGE, count_priming, count_text, item_part, tools_part

CACHE_FROM, CACHE_STEP = 1024, 128
REMEMBERED = 50_000  # prefixes; the oldest are forgotten first


class PrefixCache:
    """The prefixes of the prompts read so far, each by the hash of all the text up to its end."""

    def __init__(self) -> None:
        self._seen: OrderedDict[int, None] = OrderedDict()

    def read(self, parts: list[tuple[str, int]]) -> int:
        """Remember a prompt's (text, tokens) parts; return the tokens it found cached."""
        known = total = 0
        prefix = 0
        unbroken = True
        for text, tokens in parts:
            prefix, total = hash((prefix, text)), total + tokens
            unbroken = unbroken and prefix in self._seen
            known = total if unbroken else known
            self._seen[prefix] = None
            self._seen.move_to_end(prefix)
        while len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        return known // CACHE_STEP * CACHE_STEP if known >= CACHE_FROM else 0


def prompt_parts(
    card: ModelCard,
    instructions: str | None,
    tools: list[Json],
    items: list[Json],
    answer_schema: Json | None = None,
) -> list[tuple[str, int]]:
    """The prompt as (text, tokens) parts, in the order the model reads them."""
    parts = [(card.snapshot, count_priming(card))]
    if tools:
        parts.append(tools_part(tools, card))
    if answer_schema:
        schema = written(answer_schema)
        parts.append((schema, count_text(schema)))
    if instructions:
        parts.append((instructions, count_text(instructions) + PER_MESSAGE))
    parts += [item_part(item, card) for item in items]
    return parts


def usage(input_tokens: int, cached: int, output_tokens: int, reasoning_tokens: int) -> Json:
    """The `usage` object of a finished response."""
    return {
        "input_tokens": input_tokens,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
        "output_tokens": output_tokens,
        "output_tokens_details": {"reasoning_tokens": reasoning_tokens},
        "total_tokens": input_tokens + output_tokens,
    }
