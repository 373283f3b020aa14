"""What the platform remembers between requests: ids given out, responses kept, the clock.

All of it is a function of the requests made so far, so two platforms that saw the same
requests answer the same bytes. It is bounded, so that a server may run for days: of each kind
the latest are kept (`MOST`), and what was forgotten is not found, like what was deleted.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ..standin.prompt import Explanation
from .errors import Json, refusal

if TYPE_CHECKING:
    from .containers import Container
    from .files import StoredFile
    from .skills import StoredSkill
    from .vector_stores import VectorStore

T = TypeVar("T")
MOST = 4_000  # entries of a kind
ID_PREFIXES = {
    "message": "msg", "function_call": "fc", "reasoning": "rs", "custom_tool_call": "ctc",
}  # fmt: skip
EPOCH = 1_784_023_200  # 14 July 2026, 10:00 UTC: the day after order A-104 was promised


class Kept(dict[Any, T]):
    """A dictionary of at most so many entries: the oldest makes room for a new one."""

    def __init__(self, most: int = MOST) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: Any, value: T) -> None:
        self |= {key: value}

    def __ior__(self, more: Any) -> Self:  # type: ignore[override, misc]
        self.update(more)
        while len(self) > self._most:
            del self[next(iter(self))]
        return self


def drop_oldest(kept: dict[str, T], most: int, size: Callable[[T], int], spared: str = "") -> None:
    """Drop the oldest entries, but the one that is spared, until all fit in `most` bytes."""
    sizes = {key: size(value) for key, value in kept.items()}
    total = sum(sizes.values())
    for key in [each for each in sizes if each != spared]:
        if total <= most:
            break
        total -= sizes[key]
        del kept[key]


def found(kept: Mapping[str, T], wanted: str, otherwise: str, **words: str) -> T:
    """What is kept under an id; or the API's 404, by its name in the table of refusals."""
    if wanted not in kept:
        raise refusal(otherwise, id=wanted, **words)
    return kept[wanted]


@dataclass(slots=True)
class StoredResponse:
    """One response, and what led to it."""

    body: Json
    input_items: list[Json]  # of this request alone, with ids
    explanation: Explanation  # what the stand-in says of its choice; never sent
    steps: list[str] = field(default_factory=list)  # what is shown before it, in the background
    streamed: bool = False


@dataclass(slots=True)
class Conversation:
    """A conversation, or a chat completion, as it is shown, and what was said, oldest first."""

    body: Json
    items: list[Json]


@dataclass(slots=True)
class Reading:
    """What the model wrote to a hosted tool, and read of it: more than the item shows."""

    arguments: str
    text: str
    sources: dict[str, Json] = field(default_factory=dict)  # what may be cited → its annotation


@dataclass(slots=True)
class State:
    """The platform's memory. `now` is simulated, in seconds since 1970."""

    now: int = EPOCH
    responses: dict[str, StoredResponse] = field(default_factory=Kept)
    items: dict[str, Json] = field(default_factory=Kept)  # by id, for references
    reasoning_before: dict[str, str] = field(default_factory=Kept)  # item id → its reasoning item
    conversations: dict[str, Conversation] = field(default_factory=Kept)
    completions: dict[str, Conversation] = field(default_factory=Kept)
    not_stored: dict[str, None] = field(default_factory=Kept)  # ids of items with store=false
    readings: dict[str, Reading] = field(default_factory=Kept)  # by id of a hosted tool's item
    containers: dict[str, "Container"] = field(default_factory=Kept)
    mcp_servers: dict[str, Any] = field(default_factory=dict)  # mounted ones, by address
    skills: dict[str, "StoredSkill"] = field(default_factory=Kept)
    files: dict[str, "StoredFile"] = field(default_factory=Kept)  # bounded by their bytes too
    vector_stores: dict[str, "VectorStore"] = field(default_factory=Kept)
    stuck: bool = False  # a fault: files attached by this request are never processed
    prefixes: dict[int, None] = field(default_factory=Kept)  # of prompts (`output.py`)
    # Held while a request is answered: it keeps other ones out.
    alone: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _counts: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """Let other requests in while this one waits or reckons. Touch nothing here meanwhile."""
        with ExitStack() as afterwards:
            with suppress(RuntimeError):  # the platform is driven without `alone`
                self.alone.release()
                afterwards.callback(self.alone.acquire)
            yield

    def new_id(self, prefix: str) -> str:
        """The next id with this prefix: `call_1`, `call_2`, …

        A response's is filled up to eight digits: clients that look for it expect so many.
        """
        self._counts[prefix] += 1
        number = self._counts[prefix]
        return f"resp_{number:08}" if prefix == "resp" else f"{prefix}_{number}"

    def keep(self, stored: StoredResponse) -> None:
        """Store a response and its items, so that later requests can name them."""
        self.responses[stored.body["id"]] = stored
        self.remember([*stored.input_items, *stored.body["output"]])

    def remember(self, items: list[Json]) -> list[Json]:
        """Let later requests name these items by their ids."""
        self.items |= {item["id"]: item for item in items if item.get("id")}
        return items

    def conversation(self, conversation_id: str) -> Conversation:
        return found(self.conversations, conversation_id, "no_such_conversation")

    def drop_output(self, stored: StoredResponse) -> None:
        """Remove what a response said, here and in its conversation: it can be named no more."""
        output = stored.body["output"]
        for item in output:
            self.items.pop(item["id"], None)
            self.readings.pop(item["id"], None)
        named = self.conversations.get((stored.body.get("conversation") or {}).get("id", ""))
        if named:
            named.items = [item for item in named.items if item not in output]
