"""The addresses of the API, one a row, and who answers them."""

import re
from collections.abc import Callable
from typing import Any

from ..standin.prompt import Model
from . import (
    chat,
    containers,
    conversations,
    embeddings,
    files,
    model_list,
    responses,
    skills,
    store_search,
)
from . import vector_stores as stores
from .engine import Made
from .errors import GAP, ApiError, Json
from .faults import Fault
from .http import Request
from .state import State

# Where the model is asked: such an endpoint gets the body, the state, the model, and the fault
# that strikes its stream.
ASKING: dict[tuple[str, str], Callable[[Json, State, Model, Fault | None], Made]] = {
    ("POST", "/v1/responses"): responses.create,
    ("POST", "/v1/chat/completions"): chat.create,
}

STORE, CONTAINER = "/v1/vector_stores/([^/]+)", "/v1/containers/([^/]+)"
SKILL = "/v1/skills/([^/]+)"

# (method, path, endpoint). An endpoint gets the state, the request, the ids in its path and, of a
# POST, the body. It returns the reply's JSON, or bytes where the reply is a file, or what it Made.
ENDPOINTS: list[tuple[str, str, Callable[..., Any]]] = [
    ("POST", "/v1/responses/compact", responses.compact),
    ("POST", "/v1/responses/input_tokens", responses.count_input_tokens),
    ("GET", "/v1/responses/([^/]+)", responses.retrieve),
    ("DELETE", "/v1/responses/([^/]+)", responses.delete),
    ("POST", "/v1/responses/([^/]+)/cancel", responses.cancel),
    ("GET", "/v1/responses/([^/]+)/input_items", responses.list_input_items),
    ("POST", "/v1/conversations", conversations.create),
    ("GET", "/v1/conversations/([^/]+)", conversations.retrieve),
    ("POST", "/v1/conversations/([^/]+)", conversations.update),
    ("DELETE", "/v1/conversations/([^/]+)", conversations.delete),
    ("POST", "/v1/conversations/([^/]+)/items", conversations.add_items),
    ("GET", "/v1/conversations/([^/]+)/items", conversations.list_items),
    ("GET", "/v1/conversations/([^/]+)/items/([^/]+)", conversations.retrieve_item),
    ("DELETE", "/v1/conversations/([^/]+)/items/([^/]+)", conversations.delete_item),
    ("GET", "/v1/models", model_list.list_all),
    ("GET", "/v1/models/([^/]+)", model_list.retrieve),
    ("GET", "/v1/chat/completions", chat.list_all),
    ("GET", "/v1/chat/completions/([^/]+)", chat.retrieve),
    ("POST", "/v1/chat/completions/([^/]+)", chat.update),
    ("DELETE", "/v1/chat/completions/([^/]+)", chat.delete),
    ("GET", "/v1/chat/completions/([^/]+)/messages", chat.list_messages),
    ("POST", "/v1/embeddings", embeddings.create),
    ("POST", "/v1/files", files.create),
    ("GET", "/v1/files", files.list_all),
    ("GET", "/v1/files/([^/]+)", files.retrieve),
    ("DELETE", "/v1/files/([^/]+)", files.delete),
    ("GET", "/v1/files/([^/]+)/content", files.content),
    ("POST", "/v1/vector_stores", stores.create),
    ("GET", "/v1/vector_stores", stores.list_all),
    ("GET", STORE, stores.retrieve),
    ("POST", STORE, stores.update),
    ("DELETE", STORE, stores.delete),
    ("POST", f"{STORE}/search", store_search.search_store),
    ("POST", f"{STORE}/files", stores.attach_file),
    ("GET", f"{STORE}/files", stores.list_files),
    ("GET", f"{STORE}/files/([^/]+)", stores.retrieve_file),
    ("POST", f"{STORE}/files/([^/]+)", stores.update_file),
    ("DELETE", f"{STORE}/files/([^/]+)", stores.delete_file),
    ("GET", f"{STORE}/files/([^/]+)/content", stores.read_file),
    ("POST", f"{STORE}/file_batches", stores.create_batch),
    ("GET", f"{STORE}/file_batches/([^/]+)", stores.retrieve_batch),
    ("POST", f"{STORE}/file_batches/([^/]+)/cancel", stores.cancel_batch),
    ("GET", f"{STORE}/file_batches/([^/]+)/files", stores.list_batch_files),
    ("POST", "/v1/containers", containers.create),
    ("GET", "/v1/containers", containers.list_all),
    ("GET", CONTAINER, containers.retrieve),
    ("DELETE", CONTAINER, containers.delete),
    ("POST", f"{CONTAINER}/files", containers.create_file),
    ("GET", f"{CONTAINER}/files", containers.list_files),
    ("GET", f"{CONTAINER}/files/([^/]+)", containers.retrieve_file),
    ("GET", f"{CONTAINER}/files/([^/]+)/content", containers.read_file),
    ("DELETE", f"{CONTAINER}/files/([^/]+)", containers.delete_file),
    ("POST", "/v1/skills", skills.create),
    ("GET", "/v1/skills", skills.list_all),
    ("GET", SKILL, skills.retrieve),
    ("POST", SKILL, skills.update),
    ("DELETE", SKILL, skills.delete),
    ("GET", f"{SKILL}/content", skills.read),
    ("POST", f"{SKILL}/versions", skills.create_version),
    ("GET", f"{SKILL}/versions", skills.list_versions),
    ("GET", f"{SKILL}/versions/([^/]+)", skills.retrieve_version),
    ("GET", f"{SKILL}/versions/([^/]+)/content", skills.read),
]


def find(request: Request) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """The endpoint that answers a request, and the ids in its path."""
    here = [
        (method, endpoint, found.groups())
        for method, path, endpoint in ENDPOINTS
        if (found := re.fullmatch(path, request.path))
    ]
    for method, endpoint, ids in here:
        if method == request.method:
            return endpoint, ids
    if here:
        raise ApiError(f"Not allowed to {request.method} on {request.path}.", code=GAP, status=405)
    raise ApiError(
        f"Invalid URL ({request.method} {request.path})",
        status=404,
        hint="The offline platform has no such address.",
    )


def attaches(request: Request) -> bool:
    """Whether a request may attach files to a vector store."""
    path = rf"/v1/vector_stores|{STORE}/(files|file_batches)"
    return request.method == "POST" and re.fullmatch(path, request.path) is not None
