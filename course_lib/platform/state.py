"""What the platform remembers between requests: ids given out, responses kept, the clock.

All of it is a function of the requests made so far, so two platforms that saw the same
requests answer the same bytes.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..standin.explanation import Explanation
from .errors import ApiError, Json
from .stores import StoredFile, VectorStore
from .usage import PrefixCache

if TYPE_CHECKING:
    from .hosted.containers import Container
    from .hosted.skills import StoredSkill

EPOCH = 1_784_023_200  # 14 July 2026, 10:00 UTC: the day after order A-104 was promised


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
    """A conversation as it is shown, and what was said in it, oldest first."""

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
    responses: dict[str, StoredResponse] = field(default_factory=dict)
    items: dict[str, Json] = field(default_factory=dict)  # by id, for references
    reasoning_before: dict[str, str] = field(default_factory=dict)  # item id → its reasoning item
    conversations: dict[str, Conversation] = field(default_factory=dict)
    completions: dict[str, tuple[Json, list[Json]]] = field(default_factory=dict)  # and messages
    not_stored: set[str] = field(default_factory=set)  # ids of items given out with store=false
    readings: dict[str, Reading] = field(default_factory=dict)  # by id of a hosted tool's item
    containers: dict[str, "Container"] = field(default_factory=dict)
    mcp_servers: dict[str, Any] = field(default_factory=dict)  # mounted ones, by address
    skills: dict[str, "StoredSkill"] = field(default_factory=dict)
    files: dict[str, StoredFile] = field(default_factory=dict)
    vector_stores: dict[str, VectorStore] = field(default_factory=dict)
    stuck: bool = False  # a fault: files attached by this request are never processed
    prefixes: PrefixCache = field(default_factory=PrefixCache)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)  # held by a request
    _counts: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """Let other requests in while this one waits for another process. Touch nothing here."""
        held = self.lock.locked()
        if held:
            self.lock.release()
        try:
            yield
        finally:
            if held:
                self.lock.acquire()

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
        """A conversation by its id, or the API's refusal."""
        found = self.conversations.get(conversation_id)
        if found is None:
            raise ApiError(f"Conversation with id '{conversation_id}' not found.", status=404)
        return found

    def forget(self, stored: StoredResponse) -> None:
        """Remove a response and its output: neither can be named any more."""
        del self.responses[stored.body["id"]]
        self.drop_output(stored)

    def drop_output(self, stored: StoredResponse) -> None:
        """Remove what a response said, here and in its conversation."""
        output = stored.body["output"]
        for item in output:
            self.items.pop(item["id"], None)
            self.readings.pop(item["id"], None)
        named = (stored.body.get("conversation") or {}).get("id")
        if named in self.conversations:
            kept = [item for item in self.conversations[named].items if item not in output]
            self.conversations[named].items = kept
