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
from .errors import Json, refusal
from .faults import Fault
from .http import Request
from .pages import show, update_metadata
from .state import State, found

# Where the model is asked: such an endpoint gets the body, the state, the model, and the fault
# that strikes its stream.
ASKING: dict[tuple[str, str], Callable[[Json, State, Model, Fault | None], Made]] = {
    ("POST", "/v1/responses"): responses.create,
    ("POST", "/v1/chat/completions"): chat.create,
}

# (method, path, endpoint). An endpoint gets the state, the request, what the path names in braces
# and, of a POST, the body. It returns the reply's JSON, or bytes where the reply is a file, or what
# it Made.
ENDPOINTS: list[tuple[str, str, Callable[..., Any]]] = [
    ("POST", "/v1/responses/compact", responses.compact),
    ("POST", "/v1/responses/input_tokens", responses.count_input_tokens),
    ("GET", "/v1/responses/{response}", responses.retrieve),
    ("DELETE", "/v1/responses/{response}", responses.delete),
    ("POST", "/v1/responses/{response}/cancel", responses.cancel),
    ("GET", "/v1/responses/{response}/input_items", responses.list_input_items),
    ("POST", "/v1/conversations", conversations.create),
    ("GET", "/v1/conversations/{conversation}", show),
    ("POST", "/v1/conversations/{conversation}", update_metadata),
    ("DELETE", "/v1/conversations/{conversation}", conversations.delete),
    ("POST", "/v1/conversations/{conversation}/items", conversations.add_items),
    ("GET", "/v1/conversations/{conversation}/items", conversations.list_items),
    ("GET", "/v1/conversations/{conversation}/items/{item}", conversations.retrieve_item),
    ("DELETE", "/v1/conversations/{conversation}/items/{item}", conversations.delete_item),
    ("GET", "/v1/models", model_list.list_all),
    ("GET", "/v1/models/{name}", model_list.retrieve),
    ("GET", "/v1/chat/completions", chat.list_all),
    ("GET", "/v1/chat/completions/{completion}", show),
    ("POST", "/v1/chat/completions/{completion}", update_metadata),
    ("DELETE", "/v1/chat/completions/{completion}", chat.delete),
    ("GET", "/v1/chat/completions/{completion}/messages", chat.list_messages),
    ("POST", "/v1/embeddings", embeddings.create),
    ("POST", "/v1/files", files.create),
    ("GET", "/v1/files", files.list_all),
    ("GET", "/v1/files/{file}", show),
    ("DELETE", "/v1/files/{file}", files.delete),
    ("GET", "/v1/files/{file}/content", files.content),
    ("POST", "/v1/vector_stores", stores.create),
    ("GET", "/v1/vector_stores", stores.list_all),
    ("GET", "/v1/vector_stores/{store}", show),
    ("POST", "/v1/vector_stores/{store}", stores.update),
    ("DELETE", "/v1/vector_stores/{store}", stores.delete),
    ("POST", "/v1/vector_stores/{id}/search", store_search.search_store),
    ("POST", "/v1/vector_stores/{store}/files", stores.attach_file),
    ("GET", "/v1/vector_stores/{store}/files", stores.list_files),
    ("GET", "/v1/vector_stores/{store}/files/{attached}", show),
    ("POST", "/v1/vector_stores/{store}/files/{attached}", stores.update_file),
    ("DELETE", "/v1/vector_stores/{store}/files/{attached}", stores.delete_file),
    ("GET", "/v1/vector_stores/{store}/files/{attached}/content", stores.read_file),
    ("POST", "/v1/vector_stores/{store}/file_batches", stores.create_batch),
    ("GET", "/v1/vector_stores/{store}/file_batches/{batch}", stores.retrieve_batch),
    ("POST", "/v1/vector_stores/{store}/file_batches/{batch}/cancel", stores.cancel_batch),
    ("GET", "/v1/vector_stores/{store}/file_batches/{batch}/files", stores.list_batch_files),
    ("POST", "/v1/containers", containers.create),
    ("GET", "/v1/containers", containers.list_all),
    ("GET", "/v1/containers/{id}", containers.retrieve),
    ("DELETE", "/v1/containers/{id}", containers.delete),
    ("POST", "/v1/containers/{id}/files", containers.create_file),
    ("GET", "/v1/containers/{id}/files", containers.list_files),
    ("GET", "/v1/containers/{id}/files/{id}", containers.retrieve_file),
    ("GET", "/v1/containers/{id}/files/{id}/content", containers.read_file),
    ("DELETE", "/v1/containers/{id}/files/{id}", containers.delete_file),
    ("POST", "/v1/skills", skills.create),
    ("GET", "/v1/skills", skills.list_all),
    ("GET", "/v1/skills/{id}", skills.retrieve),
    ("POST", "/v1/skills/{id}", skills.update),
    ("DELETE", "/v1/skills/{id}", skills.delete),
    ("GET", "/v1/skills/{id}/content", skills.read),
    ("POST", "/v1/skills/{id}/versions", skills.create_version),
    ("GET", "/v1/skills/{id}/versions", skills.list_versions),
    ("GET", "/v1/skills/{id}/versions/{version}", skills.retrieve_version),
    ("GET", "/v1/skills/{id}/versions/{version}/content", skills.read),
]

# What a name in braces stands for: found by its id, or refused. A finder gets the state, the id,
# and what was found before it in the path. Of other names the endpoint gets the id itself.
FINDERS: dict[str, Callable[..., Any]] = {
    "response": lambda state, each: found(state.responses, each, "no_such_response"),
    "conversation": State.conversation,
    "item": conversations.find_item,
    "completion": lambda state, each: found(state.completions, each, "no_such_completion"),
    "file": files.find,
    "store": stores.find,
    "attached": stores.find_file,
    "batch": stores.find_batch,
}


def route(request: Request) -> tuple[Callable[..., Any], list[tuple[str, str]]]:
    """The endpoint that answers a request, and the ids in its path, each with its name."""
    steps = request.path.split("/")
    here = {
        method: (endpoint, names)
        for method, path, endpoint in reversed(ENDPOINTS)  # of two that fit the first counts
        if (names := _names(path.split("/"), steps)) is not None
    }
    if request.method in here:
        return here[request.method]
    name = "wrong_method" if here else "no_such_address"
    raise refusal(name, method=request.method, path=request.path)


def _names(path: list[str], steps: list[str]) -> list[tuple[str, str]] | None:
    if len(path) != len(steps):
        return None
    pairs = list(zip(path, steps, strict=True))
    if any(want != step for want, step in pairs if want[:1] != "{" or not step):
        return None
    return [(want[1:-1], step) for want, step in pairs if want[:1] == "{"]


def find(state: State, names: list[tuple[str, str]]) -> list[Any]:
    """What the ids in a path name; ApiError when one is not there."""
    things: list[Any] = []
    for name, given in names:
        finder = FINDERS.get(name)
        things.append(finder(state, given, *things) if finder else given)
    return things


def attaches(request: Request) -> bool:
    """Whether a request may attach files to a vector store."""
    path = "/v1/vector_stores(/[^/]+/(files|file_batches))?"
    return request.method == "POST" and re.fullmatch(path, request.path) is not None
