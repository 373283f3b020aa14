"""The endpoints of `/v1/vector_stores`: stores, the files in them, batches of files (contract E).

`stores.py` has what is kept and how a file becomes searchable, `store_search.py` the search.
"""

import math
from typing import Any

from ..retrieval.parse import SUPPORTED, extension
from . import files
from .errors import GAP, ApiError, Json, wrong_type
from .http import Request
from .pages import choice, list_page
from .rules import (
    Rule,
    array,
    fields,
    filled,
    integer,
    mapping,
    metadata,
    nullable,
    one_of,
    short,
    text,
    up_to,
)  # fmt: skip
from .state import State
from .stores import SECONDS_TO_PROCESS, STATUSES, Attached, Batch, VectorStore

MOST_FILES, MOST_IN_BATCH = 500, 2000
AUTO = {"max_chunk_size_tokens": 800, "chunk_overlap_tokens": 400}


def at_most(longest: int, rule: Rule) -> Rule:
    """A list of one to so many members."""

    def check(value: Any, path: str) -> None:
        filled(array(rule))(value, path)
        short(value, path, longest)

    return check


def attributes(value: Any, path: str) -> None:
    """At most 16 pairs of a short name and a short text, a number or a boolean."""
    mapping(value, path)
    metadata(dict.fromkeys(value, ""), path)
    for name, member in value.items():
        if isinstance(member, str):
            up_to(512)(member, f"{path}.{name}")
        elif not isinstance(member, (int, float)):
            raise wrong_type(f"{path}.{name}", "one of a string, number, or boolean", member)


_static = fields({"max_chunk_size_tokens": integer(100, 4096), "chunk_overlap_tokens": integer(0)})


def chunking(value: Any, path: str) -> None:
    mapping(value, path)
    one_of("auto", "static")(value.get("type"), f"{path}.type")
    if value["type"] == "auto":
        return fields({"type": text})(value, path)
    fields({"type": text, "static": _static})(value, path)
    size, overlap = (value["static"][name] for name in AUTO)
    if overlap > size // 2:
        raise ApiError(
            f"Invalid '{path}.static.chunk_overlap_tokens': {overlap} is more than half of "
            f"max_chunk_size_tokens, which is {size}.",
            param=f"{path}.static.chunk_overlap_tokens",
            code=GAP,
        )
    return None


_expiry = nullable(fields({"anchor": one_of("last_active_at"), "days": integer(1, 365)}))
_how = {"attributes": nullable(attributes), "chunking_strategy": nullable(chunking)}
_changes: dict[str, Rule] = {
    "name": nullable(text), "expires_after": _expiry, "metadata": nullable(metadata),
}  # fmt: skip
_check_store = fields(
    {},
    {
        **_changes,
        "description": nullable(text),
        "file_ids": at_most(MOST_FILES, text),
        "chunking_strategy": nullable(chunking),
    },
)
_check_update = fields({}, _changes)
_check_file = fields({"file_id": text}, _how)
_check_attributes = fields({"attributes": nullable(attributes)})
_check_batch = fields(
    {},
    {
        **_how,
        "file_ids": at_most(MOST_IN_BATCH, text),
        "files": at_most(MOST_IN_BATCH, _check_file),
    },
)


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
    for store_id in state.vector_stores:
        find(state, store_id)
    return list_page([store.body for store in state.vector_stores.values()], request)


def retrieve(state: State, request: Request, store_id: str) -> Json:
    return find(state, store_id).body


def update(state: State, request: Request, store_id: str, body: Json) -> Json:
    store = find(state, store_id)
    _check_update(body, "")
    store.body |= body | ({"metadata": body["metadata"] or {}} if "metadata" in body else {})
    store.settle(state.now)
    return store.body


def delete(state: State, request: Request, store_id: str) -> Json:
    """Forget a store. The files that were in it stay."""
    find(state, store_id)
    del state.vector_stores[store_id]
    return {"id": store_id, "object": "vector_store.deleted", "deleted": True}


def find(state: State, store_id: str) -> VectorStore:
    """A store, as it is a simulated second later: looking takes that long."""
    store = state.vector_stores.get(store_id)
    if store is None:
        raise ApiError(f"No vector store found with id '{store_id}'.", status=404)
    state.now += 1
    store.settle(state.now)
    return store


def find_alive(state: State, store_id: str) -> VectorStore:
    store = find(state, store_id)
    if store.body["status"] == "expired":
        raise ApiError(f"The vector store '{store_id}' has expired.", code=GAP)
    return store


# The files in a store


def attach_file(state: State, request: Request, store_id: str, body: Json) -> Json:
    store = find_alive(state, store_id)
    _check_file(body, "")
    _refuse_files(state, [body])
    _attach(state, store, [body], {})
    return store.files[body["file_id"]].body


def list_files(state: State, request: Request, store_id: str) -> Json:
    return _list(find(state, store_id), None, request)


def retrieve_file(state: State, request: Request, store_id: str, file_id: str) -> Json:
    return _find_file(state, store_id, file_id).body


def update_file(state: State, request: Request, store_id: str, file_id: str, body: Json) -> Json:
    """Replace the attributes of a file; a search sees the new ones at once."""
    attached = _find_file(state, store_id, file_id)
    _check_attributes(body, "")
    attached.body["attributes"] = body["attributes"] or {}
    return attached.body


def delete_file(state: State, request: Request, store_id: str, file_id: str) -> Json:
    """Take a file out of the store. The file itself stays."""
    _find_file(state, store_id, file_id)
    state.vector_stores[store_id].remove(file_id)
    return {"id": file_id, "object": "vector_store.file.deleted", "deleted": True}


def read_file(state: State, request: Request, store_id: str, file_id: str) -> Json:
    """What the store read in a file: the text of its chunks, which overlap."""
    _find_file(state, store_id, file_id)
    chunks = state.vector_stores[store_id].chunks
    texts = [chunk.text for chunk in chunks if chunk.file_id == file_id]
    return {
        "object": "vector_store.file_content.page",
        "data": [{"type": "text", "text": each} for each in texts],
        "has_more": False,
        "next_page": None,
    }


# Batches of files


def create_batch(state: State, request: Request, store_id: str, body: Json) -> Json:
    store = find_alive(state, store_id)
    _check_batch(body, "")
    if ("file_ids" in body) == ("files" in body):
        raise ApiError("Exactly one of 'file_ids' and 'files' must be given.", code=GAP)
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
        "vector_store_id": store_id,
        "status": "in_progress",
        "file_counts": {},
    }
    batch = store.batches[made["id"]] = Batch(made, [each["file_id"] for each in wanted])
    return _brought_up_to_date(store, batch)


def retrieve_batch(state: State, request: Request, store_id: str, batch_id: str) -> Json:
    store = find(state, store_id)
    return _brought_up_to_date(store, _find_batch(store, batch_id))


def cancel_batch(state: State, request: Request, store_id: str, batch_id: str, body: Json) -> Json:
    """Stop what has not been processed yet."""
    store = find(state, store_id)
    batch = _find_batch(store, batch_id)
    for attached in (store.files[each] for each in batch.file_ids if each in store.files):
        if attached.body["status"] == "in_progress":
            attached.body["status"] = batch.body["status"] = "cancelled"
    store.settle(state.now)
    return _brought_up_to_date(store, batch)


def list_batch_files(state: State, request: Request, store_id: str, batch_id: str) -> Json:
    store = find(state, store_id)
    return _list(store, _find_batch(store, batch_id).file_ids, request)


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
    missing = [each for each in named if each not in state.files]
    if missing:
        raise ApiError(f"Files [{', '.join(missing)}] were not found", status=404)
    kinds = [extension(files.find(state, each).body["filename"]) for each in named]
    wrong = list(dict.fromkeys(kind or "none" for kind in kinds if kind not in SUPPORTED))
    if wrong:
        raise ApiError(
            f"Files with extensions [{', '.join(wrong)}] are not supported for retrieval. See "
            "https://platform.openai.com/docs/assistants/tools/file-search/supported-files",
            param="file_ids",
            code="unsupported_file",
        )


def _find_file(state: State, store_id: str, file_id: str) -> Attached:
    attached = find(state, store_id).files.get(file_id)
    if attached is None:
        raise ApiError(
            f"No file found with id '{file_id}' in vector store '{store_id}'.", status=404
        )
    return attached


def _find_batch(store: VectorStore, batch_id: str) -> Batch:
    if batch_id not in store.batches:
        raise ApiError(
            f"No file batch found with id '{batch_id}' in vector store '{store.body['id']}'.",
            code=GAP,
            status=404,
        )
    return store.batches[batch_id]


def _brought_up_to_date(store: VectorStore, batch: Batch) -> Json:
    counts = store.counts(batch.file_ids)
    if batch.body["status"] == "in_progress" and not counts["in_progress"]:
        batch.body["status"] = "completed"
    batch.body["file_counts"] = counts
    return batch.body


def _list(store: VectorStore, file_ids: list[str] | None, request: Request) -> Json:
    status = choice(request, "filter", STATUSES)
    chosen = store.files if file_ids is None else [each for each in file_ids if each in store.files]
    bodies = [store.files[each].body for each in chosen]
    return list_page([each for each in bodies if status in (None, each["status"])], request)
