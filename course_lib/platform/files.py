"""The endpoints of `/v1/files`: upload, and what one can do with a file afterwards (contract E).

Files expire by the platform's simulated clock, like everything else that has an age.
"""

import hashlib
import re

from .errors import GAP, ApiError, Json
from .http import Request
from .pages import list_page
from .rules import fields, integer, one_of
from .state import State
from .stores import StoredFile

PURPOSES = ("fine-tune", "assistants", "batch", "user_data", "responses", "vision", "evals")
DOWNLOADS = ("fine-tune", "batch", "evals")  # what may be read back
DAY = 24 * 60 * 60  # seconds
LARGEST_PAGE = 10_000
_expiry = fields({"anchor": one_of("created_at"), "seconds": integer(60 * 60, 30 * DAY)})


def create(state: State, request: Request, form: Json) -> Json:
    """Keep an uploaded file. A batch file is kept for 30 days unless told otherwise."""
    for name in ("purpose", "file"):
        if name not in form:
            raise ApiError(f"'{name}' is a required property")
    purpose, upload = form["purpose"], form["file"]
    if purpose not in PURPOSES:
        raise ApiError(f"'{purpose}' is not one of {list(PURPOSES)} - 'purpose'")
    if "file" not in request.files:
        raise ApiError(
            "Expected 'file' to be a file.",
            code=GAP,
            hint="Upload it as multipart form data: client.files.create(file=open(path, 'rb'), …).",
        )
    expiry = form.get("expires_after", {"anchor": "created_at", "seconds": 30 * DAY})
    if "expires_after" in form:
        expiry = _with_number(expiry)
        _expiry(expiry, "expires_after")
    expires = "expires_after" in form or purpose == "batch"
    body = {
        "id": _new_id(state, upload["filename"], request.files["file"]),
        "object": "file",
        "bytes": upload["bytes"],
        "created_at": state.now,
        "expires_at": state.now + expiry["seconds"] if expires else None,
        "filename": upload["filename"],
        "purpose": purpose,
        "status": "processed",
        "status_details": None,
    }
    state.files[body["id"]] = StoredFile(body, request.files["file"])
    return body


def list_all(state: State, request: Request) -> Json:
    _drop_expired(state)
    purpose = request.query.get("purpose")
    bodies = [file.body for file in state.files.values()]
    chosen = [body for body in bodies if purpose in (None, body["purpose"])]
    return list_page(chosen, request, default=LARGEST_PAGE, largest=LARGEST_PAGE)


def retrieve(state: State, request: Request, file_id: str) -> Json:
    return find(state, file_id).body


def content(state: State, request: Request, file_id: str) -> bytes:
    file = find(state, file_id)
    if file.body["purpose"] not in DOWNLOADS:
        raise ApiError(f"Not allowed to download files of purpose: {file.body['purpose']}")
    return file.content


def delete(state: State, request: Request, file_id: str) -> Json:
    """Forget a file, in every vector store too."""
    find(state, file_id)
    _forget(state, file_id)
    return {"id": file_id, "object": "file", "deleted": True}


def find(state: State, file_id: str) -> StoredFile:
    _drop_expired(state)
    if file_id not in state.files:
        raise ApiError(f"No such File object: {file_id}", param="id", status=404)
    return state.files[file_id]


def _new_id(state: State, filename: str, content: bytes) -> str:
    """An id from what the file is: the SDK uploads several at once, in an order left to chance."""
    digest = hashlib.sha256(filename.encode() + b"\0" + content).hexdigest()
    return f"file-{state.new_id(digest[:16]).replace('_', '')}"


def _drop_expired(state: State) -> None:
    for file_id, file in list(state.files.items()):
        if (file.body["expires_at"] or state.now) < state.now:
            _forget(state, file_id)


def _forget(state: State, file_id: str) -> None:
    del state.files[file_id]
    for store in state.vector_stores.values():
        store.remove(file_id)


def _with_number(expiry: object) -> object:
    """A form has only texts, so the seconds come as one."""
    if isinstance(expiry, dict) and re.fullmatch("[0-9]{1,9}", str(expiry.get("seconds"))):
        return expiry | {"seconds": int(expiry["seconds"])}
    return expiry
