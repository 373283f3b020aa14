"""The endpoints of `/v1/files`: upload, and what one can do with a file afterwards (contract E).

Files expire by the platform's simulated clock, like everything else that has an age.
"""

import hashlib
import re
from dataclasses import dataclass

from .errors import Json, refusal
from .http import Request
from .pages import deleted, list_page
from .rules import shape
from .state import State, drop_oldest, found

PURPOSES = ("fine-tune", "assistants", "batch", "user_data", "responses", "vision", "evals")
DOWNLOADS = ("fine-tune", "batch", "evals")  # what may be read back
LARGEST_PAGE = 10_000
MOST_BYTES = 256 * 1024**2  # kept in all; the oldest make room for new ones
DAY = 24 * 60 * 60  # seconds


@dataclass(slots=True)
class StoredFile:
    """An uploaded file: the file object, and its bytes."""

    body: Json
    content: bytes


def create(state: State, request: Request, form: Json) -> Json:
    """Keep an uploaded file. A batch file is kept for 30 days unless told otherwise."""
    for name in ("purpose", "file"):
        if name not in form:
            raise refusal("upload_lacks", name=name)
    purpose, upload = form["purpose"], form["file"]
    if purpose not in PURPOSES:
        raise refusal("unknown_purpose", purpose=purpose, known=list(PURPOSES))
    if "file" not in request.files:
        raise refusal("upload_without_file")
    content, age = request.files["file"], 30 * DAY if purpose == "batch" else None
    if expiry := form.get("expires_after"):
        if isinstance(expiry, dict) and re.fullmatch("[0-9]{1,9}", str(expiry.get("seconds"))):
            expiry = expiry | {"seconds": int(expiry["seconds"])}  # a form has only texts
        shape("FileExpiry")(expiry, "expires_after")
        age = expiry["seconds"]
    # An id from what the file is: the SDK uploads several at once, in an order left to chance.
    digest = hashlib.sha256(upload["filename"].encode() + b"\0" + content).hexdigest()
    body = {
        "id": f"file-{state.new_id(digest[:16]).replace('_', '')}",
        "object": "file",
        "bytes": upload["bytes"],
        "created_at": state.now,
        "expires_at": age and state.now + age,
        "filename": upload["filename"],
        "purpose": purpose,
        "status": "processed",
        "status_details": None,
    }
    state.files[body["id"]] = StoredFile(body, content)
    drop_oldest(state.files, MOST_BYTES, lambda each: len(each.content))
    return body


def list_all(state: State, request: Request) -> Json:
    drop_expired(state)
    purpose = request.query.get("purpose")
    bodies = [file.body for file in state.files.values()]
    chosen = [body for body in bodies if purpose in (None, body["purpose"])]
    return list_page(chosen, request, default=LARGEST_PAGE, largest=LARGEST_PAGE)


def content(state: State, request: Request, file: StoredFile) -> bytes:
    if file.body["purpose"] not in DOWNLOADS:
        raise refusal("not_for_download", purpose=file.body["purpose"])
    return file.content


def delete(state: State, request: Request, file: StoredFile) -> Json:
    """Forget a file, in every vector store too."""
    _forget(state, file.body["id"])
    return deleted(file.body["id"], "file")


def find(state: State, file_id: str) -> StoredFile:
    drop_expired(state)
    return found(state.files, file_id, "no_such_file")


def drop_expired(state: State) -> None:
    for file_id, file in list(state.files.items()):
        if (file.body["expires_at"] or state.now) < state.now:
            _forget(state, file_id)


def _forget(state: State, file_id: str) -> None:
    del state.files[file_id]
    for store in state.vector_stores.values():
        store.remove(file_id)
