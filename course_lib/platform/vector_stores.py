"""The endpoints of `/v1/vector_stores`: stores, the files in them, batches of files (contract E).

`stores.py` has what is kept and how a file becomes searchable, `store_search.py` the search.
"""

import math
from typing import Any

from ..retrieval.parse import SUPPORTED, extension
from . import files
from .errors import Json, refusal, wrong_type
from .http import Request
from .pages import choice, deleted, list_page
from .rules import mapping, metadata, shape, up_to
from .state import State, found
from .stores import SECONDS_TO_PROCESS, STATUSES, Attached, Batch, VectorStore

AUTO = {"max_chunk_size_tokens": 800, "chunk_overlap_tokens": 400}


def attributes(value: Any, path: str) -> None:
    """At most 16 pairs of a short name and a short text, a number or a boolean."""
    mapping(value, path)
    metadata(dict.fromkeys(value, ""), path)
    for name, member in value.items():
        if isinstance(member, str):
            up_to(512)(member, f"{path}.{name}")
        elif not isinstance(member, (int, float)):
            raise wrong_type(f"{path}.{name}", "one of a string, number, or boolean", member)


_strategy = shape("AnyChunking")


def chunking(value: Any, path: str) -> None:
    """Chunks may overlap by half of their size at most."""
    _strategy(value, path)
    size, overlap = (value.get("static", AUTO)[name] for name in AUTO)
    if overlap > size // 2:
        place = f"{path}.static.chunk_overlap_tokens"
        raise refusal("overlap_too_large", place, overlap=overlap, size=size)


_own = {"Attributes": attributes, "Chunking": chunking}
_check_store, _check_update = shape("VectorStore", **_own), shape("VectorStoreUpdate")
_check_file, _check_batch = shape("VectorStoreFile", **_own), shape("FileBatch", **_own)
_check_attributes = shape("AttributesUpdate", **_own)


# The stores themselves


def create(state: State, request: Request, body: Json) -> Json:
    _check_store(body, "")
    wanted = [{"file_id": each} for each in body.get("file_ids", [])]
    _refuse_files(state, wanted)
    made: Json = {
        "id": state.new_id("vs"),
        "object": "vector_store",
        "created_at": state.now,
        "name": body.get("name"),
        "description": body.get("description"),
        "usage_bytes": 0,
        "file_counts": {},
        "status": "completed",
        "expires_after": body.get("expires_after"),
        "expires_at": None,
        "last_active_at": state.now,
        "metadata": body.get("metadata") or {},
    }
    store = state.vector_stores[made["id"]] = VectorStore(made)
    _attach(state, store, wanted, body)
    return store.body


def list_all(state: State, request: Request) -> Json:
    stores = list(state.vector_stores.values())
    for store in stores:
        _look(state, store)
    return list_page([store.body for store in stores], request)


def update(state: State, request: Request, store: VectorStore, body: Json) -> Json:
    _check_update(body, "")
    store.body |= body | ({"metadata": body["metadata"] or {}} if "metadata" in body else {})
    store.settle(state.now)
    return store.body


def delete(state: State, request: Request, store: VectorStore) -> Json:
    """Forget a store. The files that were in it stay."""
    del state.vector_stores[store.body["id"]]
    return deleted(store.body["id"], "vector_store.deleted")


def find(state: State, store_id: str) -> VectorStore:
    """A store, as it is a simulated second later: looking takes that long."""
    return _look(state, found(state.vector_stores, store_id, "no_such_store"))


def find_alive(state: State, store_id: str) -> VectorStore:
    return _alive(find(state, store_id))


def _look(state: State, store: VectorStore) -> VectorStore:
    state.now += 1
    store.process(state)
    return store


def _alive(store: VectorStore) -> VectorStore:
    if store.body["status"] == "expired":
        raise refusal("store_expired", id=store.body["id"])
    return store


# The files in a store


def attach_file(state: State, request: Request, store: VectorStore, body: Json) -> Json:
    _alive(store)
    _check_file(body, "")
    _refuse_files(state, [body])
    _attach(state, store, [body], {})
    return store.files[body["file_id"]].body


def find_file(state: State, file_id: str, store: VectorStore) -> Attached:
    return found(store.files, file_id, "no_such_file_in_store", store=store.body["id"])


def list_files(state: State, request: Request, store: VectorStore) -> Json:
    return _list(store, list(store.files), request)


def update_file(
    state: State, request: Request, store: VectorStore, attached: Attached, body: Json
) -> Json:
    """Replace the attributes of a file; a search sees the new ones at once."""
    _check_attributes(body, "")
    attached.body["attributes"] = body["attributes"] or {}
    return attached.body


def delete_file(state: State, request: Request, store: VectorStore, attached: Attached) -> Json:
    """Take a file out of the store. The file itself stays."""
    store.remove(attached.body["id"])
    return deleted(attached.body["id"], "vector_store.file.deleted")


def read_file(state: State, request: Request, store: VectorStore, attached: Attached) -> Json:
    """What the store read in a file: the text of its chunks, which overlap."""
    texts = [chunk.text for chunk in store.chunks if chunk.file_id == attached.body["id"]]
    return {
        "object": "vector_store.file_content.page",
        "data": [{"type": "text", "text": each} for each in texts],
        "has_more": False,
        "next_page": None,
    }


# Batches of files


def create_batch(state: State, request: Request, store: VectorStore, body: Json) -> Json:
    _alive(store)
    _check_batch(body, "")
    if ("file_ids" in body) == ("files" in body):
        raise refusal("files_or_ids")
    shared = body if "file_ids" in body else {}
    wanted = body.get("files") or [{"file_id": each} for each in body["file_ids"]]
    _refuse_files(state, wanted)
    # By name: after an upload of several at once, the SDK names them in an order left to chance.
    wanted = sorted(wanted, key=lambda each: state.files[each["file_id"]].body["filename"])
    _attach(state, store, wanted, shared)
    made: Json = {
        "id": state.new_id("vsfb"),
        # As recorded. The SDK's type says files_batch.
        "object": "vector_store.file_batch",
        "created_at": state.now,
        "vector_store_id": store.body["id"],
        "status": "in_progress",
        "file_counts": {},
    }
    batch = store.batches[made["id"]] = Batch(made, [each["file_id"] for each in wanted])
    return retrieve_batch(state, request, store, batch)


def find_batch(state: State, batch_id: str, store: VectorStore) -> Batch:
    return found(store.batches, batch_id, "no_such_batch", store=store.body["id"])


def retrieve_batch(state: State, request: Request, store: VectorStore, batch: Batch) -> Json:
    counts = store.counts(batch.file_ids)
    if batch.body["status"] == "in_progress" and not counts["in_progress"]:
        batch.body["status"] = "completed"
    batch.body["file_counts"] = counts
    return batch.body


def cancel_batch(
    state: State, request: Request, store: VectorStore, batch: Batch, body: Json
) -> Json:
    """Stop what has not been processed yet."""
    for attached in (store.files[each] for each in batch.file_ids if each in store.files):
        if attached.body["status"] == "in_progress":
            attached.body["status"] = batch.body["status"] = "cancelled"
    store.settle(state.now)
    return retrieve_batch(state, request, store, batch)


def list_batch_files(state: State, request: Request, store: VectorStore, batch: Batch) -> Json:
    return _list(store, batch.file_ids, request)


# What they share


def _attach(state: State, store: VectorStore, wanted: list[Json], shared: Json) -> None:
    """Begin to process files; `shared` is what holds for all that say nothing of their own."""
    for each in wanted:
        how = shared | each
        strategy = how.get("chunking_strategy") or {}
        body = {
            "id": each["file_id"],
            "object": "vector_store.file",
            "created_at": state.now,
            "usage_bytes": 0,
            "vector_store_id": store.body["id"],
            "status": "in_progress",
            "last_error": None,
            "chunking_strategy": {"type": "static", "static": strategy.get("static", AUTO)},
            "attributes": how.get("attributes") or {},
        }
        ready = math.inf if state.stuck else state.now + SECONDS_TO_PROCESS
        store.attach(Attached(body, state.files[each["file_id"]], ready))
    store.body["last_active_at"] = state.now
    store.settle(state.now)


def _refuse_files(state: State, wanted: list[Json]) -> None:
    """Refuse files that are not there, and those that no store can read."""
    named = [each["file_id"] for each in wanted]
    if missing := [each for each in named if each not in state.files]:
        raise refusal("files_not_found", ids=", ".join(missing))
    kinds = [extension(files.find(state, each).body["filename"]) for each in named]
    if wrong := [kind or "none" for kind in dict.fromkeys(kinds) if kind not in SUPPORTED]:
        raise refusal("files_not_for_retrieval", kinds=", ".join(wrong))


def _list(store: VectorStore, file_ids: list[str], request: Request) -> Json:
    status = choice(request, "filter", STATUSES)
    bodies = [store.files[each].body for each in file_ids if each in store.files]
    return list_page([each for each in bodies if status in (None, each["status"])], request)
