"""Compaction: a long context folded into one sealed item (contract B, "compact").

`responses.compact` does it when asked, `context_management` at the end of a turn that has grown
past its threshold. Where the item is sent back, the model reads what it holds in place of all that
came before it (recorded: the prompt is as short as that). The API's item is opaque, and nobody
outside knows what its model writes down; ours holds the first words of each item, newest last.
"""

from .encrypted import opened, seal
from .errors import Json
from .state import State
from .tokens import count_text, cut, render_item

PER_ITEM, IN_ALL = 60, 1_000  # tokens
_HEAD = "What was said and done before, in short:"


def compaction_item(items: list[Json], state: State) -> tuple[Json, int]:
    """The item that holds the notes on `items`, and the tokens it took to write them."""
    lines: list[str] = []
    left = IN_ALL
    for line in reversed([line for item in items for line in _lines(item)]):
        left -= count_text(line) + 1
        if left < 0:
            break
        lines.insert(0, line)
    notes = "\n".join([_HEAD, *lines])
    item = {"id": state.new_id("cmp"), "type": "compaction", "encrypted_content": seal(notes)}
    return item, count_text(notes)


def _lines(item: Json) -> list[str]:
    """What is noted of an item: one line, or the lines of earlier notes."""
    text = render_item(item)
    if text.startswith(_HEAD):
        return text.splitlines()[1:]
    who = item.get("role") or item["type"].replace("_", " ")
    return [f"{who}: {cut(' '.join(text.split()), PER_ITEM)}"]


def after_compaction(items: list[Json]) -> list[Json]:
    """A context as the model reads it: the latest notes, and what came after them."""
    for index in reversed(range(len(items))):
        if items[index].get("type") == "compaction":
            notes = opened(items[index]["encrypted_content"]) or _HEAD  # or made elsewhere
            return [{"role": "developer", "content": notes}, *items[index + 1 :]]
    return items


def compact_if_due(
    response: Json, body: Json, items: list[Json], window: int, state: State
) -> None:
    """Let a finished response end in a compaction where `context_management` asks for it.

    It is due when the prompt and the answer have reached the threshold together (recorded); a
    threshold that is not given is the model's window.
    """
    usage = response["usage"]
    for wanted in body.get("context_management") or []:
        if usage["total_tokens"] >= (wanted.get("compact_threshold") or window):
            item, tokens = compaction_item([*items, *response["output"]], state)
            response["output"].append(item)
            usage["output_tokens"] += tokens
            usage["total_tokens"] += tokens
