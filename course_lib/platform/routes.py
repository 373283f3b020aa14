"""From an address of the API (`data/routes.txt`, one a row) to the function that answers."""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ..standin.prompt import Model
from . import chat, containers, conversations, files, responses, skills, vector_stores
from .engine import Made
from .errors import Json, refusal
from .faults import Fault
from .http import Request
from .state import State, found

# Where the model is asked: such an endpoint gets the body, the state, the model, and the fault
# that strikes its stream.
ASKING: dict[tuple[str, str], Callable[[Json, State, Model, Fault | None], Made]] = {
    ("POST", "/v1/responses"): responses.create,
    ("POST", "/v1/chat/completions"): chat.create,
}

TABLE = Path(__file__).with_name("data") / "routes.txt"

# What a name in braces stands for: found by its id, or refused. A finder gets the state, the id,
# and what was found before it in the path. Of other names the endpoint gets the id itself.
FINDERS: dict[str, Callable[..., Any]] = {
    "response": lambda state, each: found(state.responses, each, "no_such_response"),
    "conversation": State.conversation,
    "item": conversations.find_item,
    "completion": lambda state, each: found(state.completions, each, "no_such_completion"),
    "file": files.find,
    "store": vector_stores.find,
    "attached": vector_stores.find_file,
    "batch": vector_stores.find_batch,
    "container": containers.find,
    "container_file": containers.find_file,
    "skill": skills.find,
    "version": skills.find_version,
}


def route(request: Request) -> tuple[Callable[..., Any], list[tuple[str, str]]]:
    """The endpoint that answers a request, and the ids in its path, each with its name.

    An endpoint gets the state, the request, what its path names and, of a POST, the body. It
    returns the reply's JSON, or bytes where the reply is a file, or what it Made.
    """
    here: dict[str, tuple[str, list[tuple[str, str]]]] = {}
    for method, path, endpoint in _table():
        names = _names(path, request.path.split("/"))
        if names is not None:
            here.setdefault(method, (endpoint, names))
    if request.method not in here:
        name = "wrong_method" if here else "no_such_address"
        raise refusal(name, method=request.method, path=request.path)
    endpoint, names = here[request.method]
    module, _, function = endpoint.partition(".")
    return getattr(import_module(f".{module}", __package__), function), names


@cache
def _table() -> list[tuple[str, list[str], str]]:
    lines = re.findall(r"^(\w+) +(\S+) +(\S+)$", TABLE.read_text(encoding="utf-8"), re.M)
    return [(method, path.split("/"), endpoint) for method, path, endpoint in lines]


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
