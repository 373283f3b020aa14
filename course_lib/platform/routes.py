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
from .rules import anything, shape
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


def route(request: Request, state: State) -> tuple[Callable[..., Any], list[Any]]:
    """The endpoint that answers a request, and what the ids in its path name; ApiError if nothing.

    An endpoint gets the state, the request, what its path names and, of a POST, the body, which
    has the shape that the table names. It returns the reply's JSON, or bytes where the reply is a
    file, or what it Made.
    """
    here: dict[str, tuple[Callable[..., Any], dict[str, str]]] = {}
    for method, path, answers, body in _table():
        if matched := path.fullmatch(request.path):
            here.setdefault(method, (_endpoint(answers, body), matched.groupdict()))
    if request.method not in here:
        name = "wrong_method" if here else "no_such_address"
        raise refusal(name, method=request.method, path=request.path)
    endpoint, names = here[request.method]
    things: list[Any] = []
    for name, given in names.items():
        finder = FINDERS.get(name)
        things.append(finder(state, given, *things) if finder else given)
    return endpoint, things


@cache
def _table() -> list[tuple[str, re.Pattern[str], str, str]]:
    lines = re.findall(r"^(\w+) +(/\S+) +(\S+) *(\w*)$", TABLE.read_text(encoding="utf-8"), re.M)
    return [
        (method, re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path)), endpoint, body)
        for method, path, endpoint, body in lines
    ]


@cache
def _endpoint(name: str, body: str) -> Callable[..., Any]:
    """An endpoint by its name, behind a look at the body, if that is to have a shape.

    The rules which the shape wants of Python stand in the endpoint's module, as `OWN`.
    """
    file, _, function = name.partition(".")
    module = import_module(f".{file}", __package__)
    endpoint: Callable[..., Any] = getattr(module, function)
    check = shape(body, **getattr(module, "OWN", {})) if body else anything

    def checked(*given: Any) -> Any:
        check(given[-1], "")
        return endpoint(*given)

    return checked
