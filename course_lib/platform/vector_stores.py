"""The endpoints of `/v1/vector_stores`: stores, the files in them, batches of files (contract E).

A file that is attached is parsed, cut into chunks and embedded at once, but shown as `in_progress`
first. Two simulated seconds later, of which each look at the store takes one, it is `completed`;
or it has `failed`, and `last_error` says why. `store_search.py` has how a store is searched.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..retrieval.chunk import chunk
from ..retrieval.parse import SUPPORTED, Unreadable, extension, read_text
from .errors import Json, refusal, wrong_type
from .files import DAY, StoredFile, drop_expired
from .http import Request
from .pages import choice, deleted, list_page
from .rules import OWN, metadata, of_type, up_to
from .state import State, found
from .tokens import starts

if TYPE_CHECKING:
    from ..retrieval.rank import Index

SECONDS_TO_PROCESS = 2
VECTOR_BYTES = 1024  # a chunk takes these and its text: 12 bytes of text were recorded as 1,036
# Of a file. The API takes 5,000,000 tokens, but has more than a laptop to read them with.
MOST_TOKENS, MOST_CHARACTERS = 100_000, 2_000_000
STATUSES = ("in_progress", "completed", "failed", "cancelled")
AUTO = {"max_chunk_size_tokens": 800, "chunk_overlap_tokens": 400}


def scalar(value: Any, path: str) -> None:
    if not isinstance(value, (str, int, float)):
        raise wrong_type(path, "one of a string, number, or boolean", value)


def _pairs(value: Json, path: str) -> None:
    metadata(dict.fromkeys(value, ""), path)
    for name, member in value.items():
        scalar(member, f"{path}.{name}")
        up_to(512)(member if isinstance(member, str) else "", f"{path}.{name}")


def _sizes(value: Json, path: str) -> None:
    """Chunks may overlap by half of their size at most."""
    size, overlap = (value[name] for name in AUTO)
    if overlap > size // 2:
        raise refusal(
            "overlap_too_large", f"{path}.chunk_overlap_tokens", overlap=overlap, size=size
        )


OWN.update(Attributes=of_type(dict, "an object", inside=_pairs), ChunkSizes=_sizes, scalar=scalar)


# What is kept


@dataclass(slots=True)
class Attached:
    """A file in a store, and what its object says of it when it is ready."""

    made: Json
    outcome: Json
    ready_at: float  # simulated seconds since 1970; infinite for one that is stuck
    filename: str
    state: State = field(repr=False)

    @property
    def body(self) -> Json:
        """The `vector_store.file` object."""
        return self.made | (BEGUN if self.state.now < self.ready_at else self.outcome)


BEGUN = {"status": "in_progress", "last_error": None, "usage_bytes": 0}


@dataclass(slots=True)
class VectorStore:
    """One store. `index` has the chunks of its files; it is made when there is a first one."""

    made: Json
    state: State = field(repr=False)
    files: dict[str, Attached] = field(default_factory=dict)
    batches: dict[str, "Batch"] = field(default_factory=dict)
    index: "Index | None" = None

    @property
    def body(self) -> Json:
        """The `vector_store` object."""
        files, expiry = [each.body for each in self.files.values()], self.made["expires_after"]
        expires = expiry and self.made["last_active_at"] + expiry["days"] * DAY
        return (
            self.made
            | {"usage_bytes": sum(each["usage_bytes"] for each in files), "expires_at": expires}
            | _progress(files)
            | ({"status": "expired"} if expires and expires <= self.state.now else {})
        )

    def use(self) -> None:
        """Note that it is used. Raises ApiError when it has expired."""
        if self.body["status"] == "expired":
            raise refusal("store_expired", id=self.made["id"])
        self.made["last_active_at"] = self.state.now

    def remove(self, file_id: str) -> None:
        """Take a file out, if it is there, and its chunks."""
        if self.files.pop(file_id, None) and self.index:
            self.index = self.index.without(file_id)


@dataclass(slots=True)
class Batch:
    """Files attached together. Its status and counts are those of its files."""

    made: Json
    store: VectorStore
    file_ids: list[str]

    @property
    def files(self) -> list[Attached]:
        return [self.store.files[each] for each in self.file_ids if each in self.store.files]

    @property
    def body(self) -> Json:
        progress = _progress([each.body for each in self.files])
        is_cancelled = progress["file_counts"]["cancelled"]
        return self.made | progress | ({"status": "cancelled"} if is_cancelled else {})


def _progress(files: list[Json]) -> Json:
    """How many files there are of each status, and in all; and whether all are done."""
    counts = Counter(each["status"] for each in files)
    return {
        "status": "in_progress" if counts["in_progress"] else "completed",
        "file_counts": {each: counts[each] for each in STATUSES} | {"total": len(files)},
    }


# The stores themselves


def create(state: State, request: Request, body: Json) -> Json:
    made: Json = {
        "id": state.new_id("vs"),
        "object": "vector_store",
        "created_at": state.now,
        "name": body.get("name"),
        "description": body.get("description"),
        "expires_after": body.get("expires_after"),
        "last_active_at": state.now,
        "metadata": body.get("metadata") or {},
    }
    store = VectorStore(made, state)
    _attach(store, [{"file_id": each} for each in body.get("file_ids", [])], body)
    state.vector_stores[made["id"]] = store
    return store.body


def list_all(state: State, request: Request) -> Json:
    state.now += 1
    return list_page([store.body for store in state.vector_stores.values()], request)


def update(state: State, request: Request, store: VectorStore, body: Json) -> Json:
    store.made |= body | ({"metadata": body["metadata"] or {}} if "metadata" in body else {})
    return store.body


def find(state: State, store_id: str) -> VectorStore:
    """A store, as it is a simulated second later: looking takes that long."""
    state.now += 1
    return found(state.vector_stores, store_id, "no_such_store")


# The files in a store


def attach_file(state: State, request: Request, store: VectorStore, body: Json) -> Json:
    _attach(store, [body], {})
    return store.files[body["file_id"]].body


def find_file(state: State, file_id: str, store: VectorStore) -> Attached:
    return found(store.files, file_id, "no_such_file_in_store", store=store.made["id"])


def list_files(
    state: State, request: Request, store: VectorStore, batch: Batch | None = None
) -> Json:
    """The files of a store, or of a batch, which have the status that is asked for."""
    wanted = choice(request, "filter", STATUSES)
    files = [each.body for each in (batch.files if batch else store.files.values())]
    return list_page([each for each in files if wanted in (None, each["status"])], request)


def update_file(
    state: State, request: Request, store: VectorStore, attached: Attached, body: Json
) -> Json:
    """Replace the attributes of a file; a search sees the new ones at once."""
    attached.made["attributes"] = body["attributes"] or {}
    return attached.body


def delete_file(state: State, request: Request, store: VectorStore, attached: Attached) -> Json:
    """Take a file out of the store. The file itself stays."""
    store.remove(attached.made["id"])
    return deleted(attached.made["id"], "vector_store.file.deleted")


def read_file(state: State, request: Request, store: VectorStore, attached: Attached) -> Json:
    """What the store read in a file: the text of its chunks, which overlap."""
    file, chunks = attached.body, store.index.chunks if store.index else []
    texts = [each.text for each in chunks if each.source == file["id"] and file["usage_bytes"]]
    return {
        "object": "vector_store.file_content.page",
        "data": [{"type": "text", "text": text} for text in texts],
        "has_more": False,
        "next_page": None,
    }


def _attach(store: VectorStore, wanted: list[Json], shared: Json) -> list[str]:
    """Read files into a store; `shared` is what holds for all that say nothing of their own.

    Returns their ids, by name: after an upload of several at once, the SDK has them in an order
    left to chance.
    """
    state = store.state
    _refuse_files(state, [each["file_id"] for each in wanted])
    store.use()
    how = {each["file_id"]: shared | each for each in wanted}
    given = sorted((state.files[each] for each in how), key=lambda file: str(file.body["filename"]))
    if not given:
        return []
    from ..retrieval.embed import embed
    from ..retrieval.rank import Chunk, Index

    now, ready_at = state.now, math.inf if state.stuck else state.now + SECONDS_TO_PROCESS
    with state.set_aside():  # other requests are let in meanwhile
        read = [_read(file, how[file.body["id"]]) for file in given]
        vectors = embed([text for _, texts, _ in read for text in texts])
    _refuse_files(state, [*how])  # one may have been deleted meanwhile
    chunks: list[Chunk] = []
    for file, (sizes, texts, outcome) in zip(given, read, strict=True):
        file_id = file.body["id"]
        made = {
            "id": file_id,
            "object": "vector_store.file",
            "created_at": now,
            "vector_store_id": store.made["id"],
            "chunking_strategy": {"type": "static", "static": sizes},
            "attributes": how[file_id].get("attributes") or {},
        }
        store.remove(file_id)  # it may be there from before
        store.files[file_id] = Attached(made, outcome, ready_at, file.body["filename"], state)
        chunks += [Chunk(file_id, text) for text in texts]
    store.index = store.index or Index()
    store.index.add(chunks, vectors)
    return [file.body["id"] for file in given]


def _refuse_files(state: State, named: list[str]) -> None:
    """Refuse files that are not there, and those that no store can read."""
    drop_expired(state)
    if missing := [each for each in named if each not in state.files]:
        raise refusal("files_not_found", ids=", ".join(missing))
    kinds = [extension(state.files[each].body["filename"]) for each in named]
    if wrong := [kind or "none" for kind in dict.fromkeys(kinds) if kind not in SUPPORTED]:
        raise refusal("files_not_for_retrieval", kinds=", ".join(wrong))


def _read(file: StoredFile, how: Json) -> tuple[Json, list[str], Json]:
    """The sizes of a file's chunks, their texts, and what comes of it; no texts where it fails."""
    sizes: Json = (how.get("chunking_strategy") or {}).get("static", AUTO)
    try:
        text = read_text(file.body["filename"], file.content)
        if len(text) > MOST_CHARACTERS or len(begins := starts(text)) > MOST_TOKENS:
            raise Unreadable("The file could not be parsed because it is too large.")
    except Unreadable as failed:
        error = {"code": failed.code, "message": str(failed)}
        return sizes, [], BEGUN | {"status": "failed", "last_error": error}
    texts = chunk(text, begins, *(sizes[name] for name in AUTO))
    taken = sum(len(each.encode()) + VECTOR_BYTES for each in texts)
    return sizes, texts, BEGUN | {"status": "completed", "usage_bytes": taken}


# Batches of files


def create_batch(state: State, request: Request, store: VectorStore, body: Json) -> Json:
    if ("file_ids" in body) == ("files" in body):
        raise refusal("files_or_ids")
    shared = body if "file_ids" in body else {}
    wanted = body.get("files") or [{"file_id": each} for each in body["file_ids"]]
    named = _attach(store, wanted, shared)
    made: Json = {
        "id": state.new_id("vsfb"),
        "object": "vector_store.file_batch",  # as recorded; the SDK's type says files_batch
        "created_at": state.now,
        "vector_store_id": store.made["id"],
    }
    batch = store.batches[made["id"]] = Batch(made, store, named)
    return batch.body


def find_batch(state: State, batch_id: str, store: VectorStore) -> Batch:
    return found(store.batches, batch_id, "no_such_batch", store=store.made["id"])


def cancel_batch(
    state: State, request: Request, store: VectorStore, batch: Batch, body: Json
) -> Json:
    """Stop what is not done yet."""
    for attached in batch.files:
        if state.now < attached.ready_at:
            attached.outcome, attached.ready_at = BEGUN | {"status": "cancelled"}, state.now
    return batch.body
