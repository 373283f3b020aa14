"""Vector stores: what the platform keeps of them, and how a file in one becomes searchable.

A file that is attached is `in_progress` first. Two simulated seconds later, of which each look at
the store takes one, it is parsed, cut into chunks and embedded, and `completed`; or it has
`failed`, and `last_error` says why.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..retrieval.chunk import chunk
from ..retrieval.parse import Unreadable, read_text
from .errors import Json
from .tokens import starts

if TYPE_CHECKING:
    from ..retrieval.rank import Index
    from ..retrieval.weights import Array
    from .state import State

SECONDS_TO_PROCESS = 2
DAY = 24 * 60 * 60  # seconds
VECTOR_BYTES = 1024  # a chunk takes these and its text: 12 bytes of text were recorded as 1,036
# Of a file. The API takes 5,000,000 tokens, but has more than a laptop to read them with.
MOST_TOKENS, MOST_CHARACTERS = 100_000, 2_000_000
STATUSES = ("in_progress", "completed", "failed", "cancelled")


@dataclass(slots=True)
class StoredFile:
    """An uploaded file: the file object, and its bytes."""

    body: Json
    content: bytes


@dataclass(slots=True)
class Attached:
    """A file in a store: the `vector_store.file` object, and when it will be done."""

    body: Json
    file: StoredFile
    ready_at: float  # simulated seconds since 1970; infinite for one that is stuck or being read

    def is_due(self, now: int) -> bool:
        return self.body["status"] == "in_progress" and self.ready_at <= now


@dataclass(slots=True)
class Batch:
    """Files attached together. Its status and counts are those of its files."""

    body: Json
    file_ids: list[str]


@dataclass(slots=True)
class Chunk:
    file_id: str
    text: str


@dataclass(slots=True)
class VectorStore:
    """One store. `chunks` are the rows of `index`, which is made when there is a first one."""

    body: Json
    files: dict[str, Attached] = field(default_factory=dict)
    batches: dict[str, Batch] = field(default_factory=dict)
    chunks: list[Chunk] = field(default_factory=list)
    index: "Index | None" = None

    def counts(self, file_ids: list[str] | None = None) -> dict[str, int]:
        """How many files there are of each status, of all or of some."""
        chosen = self.files if file_ids is None else file_ids
        found = Counter(self.files[each].body["status"] for each in chosen if each in self.files)
        return {status: found[status] for status in STATUSES} | {"total": found.total()}

    def attach(self, attached: Attached) -> None:
        """Add a file, in place of an earlier one with its id."""
        self.remove(attached.body["id"])
        self.files[attached.body["id"]] = attached

    def remove(self, file_id: str) -> None:
        """Take a file out, and its chunks."""
        if self.files.pop(file_id, None) is None:
            return
        rows = [row for row, chunk in enumerate(self.chunks) if chunk.file_id != file_id]
        if self.index is not None and len(rows) < len(self.chunks):
            kept = [self.chunks[row] for row in rows]
            self.index = self.index.keep(rows, [chunk.text for chunk in kept])
            self.chunks = kept

    def process(self, state: "State") -> None:
        """Read the files whose time has come, all at once; other requests are let in meanwhile."""
        due = [each for each in self.files.values() if each.is_due(state.now)]
        for attached in due:
            attached.ready_at = math.inf  # so that no other request begins with it
        try:
            with state.set_aside():
                read = _read(due) if due else []
        except BaseException:
            for attached in due:
                attached.ready_at = state.now
            raise
        for attached, (texts, error, vectors) in zip(due, read, strict=True):
            gone = self.files.get(attached.body["id"]) is not attached
            if not gone and attached.body["status"] == "in_progress":
                self._add(attached, texts, vectors, error)
        self.settle(state.now)

    def _add(
        self, attached: Attached, texts: list[str], vectors: "Array", error: Unreadable | None
    ) -> None:
        from ..retrieval.rank import Index

        if error is not None:
            attached.body["status"] = "failed"
            attached.body["last_error"] = {"code": error.code, "message": str(error)}
            return
        if self.index is None:
            self.index = Index()
        self.index.add(texts, vectors)
        self.chunks += [Chunk(attached.body["id"], text) for text in texts]
        attached.body["status"] = "completed"
        attached.body["usage_bytes"] = sum(len(text.encode()) + VECTOR_BYTES for text in texts)

    def settle(self, now: int) -> None:
        """Bring the store's own object up to date."""
        counts, expiry = self.counts(), self.body["expires_after"]
        expires = expiry and self.body["last_active_at"] + expiry["days"] * DAY
        self.body |= {
            "file_counts": counts,
            "usage_bytes": sum(each.body["usage_bytes"] for each in self.files.values()),
            "status": "in_progress" if counts["in_progress"] else "completed",
            "expires_at": expires,
        }
        if expires and expires <= now:
            self.body["status"] = "expired"


def _read(due: list[Attached]) -> list[tuple[list[str], Unreadable | None, "Array"]]:
    """The chunks of each file and their vectors, in one pass of the model; or why it has none."""
    import numpy as np

    from ..retrieval.embed import embed

    chunked = [_chunks(each) for each in due]
    vectors = embed([text for texts, _ in chunked for text in texts])
    ends = np.cumsum([len(texts) for texts, _ in chunked])[:-1]
    return [(*each, rows) for each, rows in zip(chunked, np.split(vectors, ends), strict=True)]


def _chunks(attached: Attached) -> tuple[list[str], Unreadable | None]:
    size = attached.body["chunking_strategy"]["static"]
    try:
        text = read_text(attached.file.body["filename"], attached.file.content)
        begins = starts(text[:MOST_CHARACTERS])
        if len(begins) > MOST_TOKENS or len(text) > MOST_CHARACTERS:
            raise Unreadable(
                "invalid_file", "The file could not be parsed because it is too large."
            )
    except Unreadable as error:
        return [], error
    return chunk(text, begins, size["max_chunk_size_tokens"], size["chunk_overlap_tokens"]), None
