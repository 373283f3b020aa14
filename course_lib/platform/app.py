"""The platform: one synchronous function from request to reply, over in-memory state.

`Platform.handle` is the whole API as far as a client can tell. From an address (`data/routes.txt`,
one a row) it comes to the function that answers, and it turns an `ApiError` into the API's error
reply. The transport and the loopback server are thin faces of it. It opens no socket and reads no
clock.
"""

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ..standin import ScriptError, StandIn
from ..standin.prompt import Explanation, Model
from . import chat, containers, conversations, files, responses, skills, vector_stores
from .engine import Made
from .errors import ApiError, Json, refusal
from .faults import Fault, NetworkFault, limits
from .hosted.mcp import without_secrets
from .http import Reply, Request, json_reply, read_body
from .rules import anything, shape
from .state import State, found

HINT_HEADER = "x-course-hint"
MAX_HINT = 1_000  # characters
POLL = {"openai-poll-after-ms": "5"}  # how long the SDK sleeps between two looks at a file
EVENT_STREAM = {"content-type": "text/event-stream; charset=utf-8"}
FILE = {"content-type": "application/octet-stream"}
HEADERS = {
    "openai-organization": "org-offline",
    "openai-processing-ms": "1",
    "openai-project": "proj_offline",
    "openai-version": "2020-10-01",
}
LIMITS = limits()
ROUTES = Path(__file__).with_name("data") / "routes.txt"

# Where the model is asked: such an endpoint gets the body, the state, the model, and the fault
# that strikes its stream.
ASKING: dict[tuple[str, str], Callable[[Json, State, Model, Fault | None], Made]] = {
    ("POST", "/v1/responses"): responses.create,
    ("POST", "/v1/chat/completions"): chat.create,
}

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


@dataclass(slots=True)
class Exchange:
    """One request that reached the platform, and what came of it."""

    method: str
    path: str
    body: Json = field(default_factory=dict)
    status: int = 0  # stays so when a fault let no reply through
    reply: Json = field(default_factory=dict)  # a response or an error envelope, streamed or not
    hint: str | None = None
    explanation: Explanation | None = None


@dataclass
class Platform:
    """An offline endpoint with its own state. `model` answers the turns; `faults` disturb them."""

    model: Model = field(default_factory=StandIn)
    faults: list[Fault] = field(default_factory=list)
    state: State = field(default_factory=State)
    # The wire log that `show` and the checks read; bounded, so a long-lived server does not grow.
    exchanges: deque[Exchange] = field(default_factory=lambda: deque(maxlen=10_000))
    _requests: int = field(default=0, init=False)

    def handle(self, request: Request) -> Reply:
        """Answer one request. Raises nothing but a NetworkFault that was asked for."""
        with self.state.alone:  # tools run in threads may call the client at the same time
            self._requests += 1
            exchange = Exchange(request.method, request.path)
            headers = HEADERS | {"x-request-id": f"req_{self._requests}"}
            try:
                check_key(request.headers.get("authorization", ""))
                body = read_body(request)
                exchange.body = without_secrets(body)
                return self._answer(request, body, headers, exchange)
            except NetworkFault:
                raise
            except ApiError as error:
                return _refuse(error, headers, exchange)
            except Exception as error:
                # The SDK turns an exception under it into "Connection error." after two retries.
                # Answering keeps the reason, and the header stops the retries.
                headers["x-should-retry"] = "false"
                return _refuse(_own_fault(error), headers, exchange)
            finally:
                self.exchanges.append(exchange)

    def _fault(self, request: Request, body: Json) -> Fault | None:
        """The fault that strikes this request; one that comes before any reply is raised."""
        for fault in [each for each in self.faults if each.strikes(request, body)]:
            fault.strike(str(body.get("model")))
            return fault
        return None

    def _answer(
        self, request: Request, body: Json, headers: dict[str, str], exchange: Exchange
    ) -> Reply:
        fault = self._fault(request, body)
        ask = ASKING.get((request.method, request.path))
        if ask is not None:
            made = ask(body, self.state, self.model, fault)
            headers |= LIMITS
        else:
            endpoint, things = _route(request, self.state)
            self.state.stuck = fault is not None and fault.kind == "stuck"
            made = endpoint(self.state, request, *things, *[body] * (request.method == "POST"))
            if "/vector_stores" in request.path:
                headers |= POLL
        exchange.status = 200
        if isinstance(made, bytes):
            return Reply(200, FILE | headers, (made,))
        if not isinstance(made, Made):
            made = Made(made)
        exchange.reply, exchange.explanation = made.final, made.explanation
        if made.chunks is None:
            return json_reply(200, made.final, headers)
        return Reply(200, EVENT_STREAM | headers, made.chunks)


def _route(request: Request, state: State) -> tuple[Callable[..., Any], list[Any]]:
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
    lines = re.findall(r"^(\w+) +(/\S+) +(\S+) *(\w*)$", ROUTES.read_text(encoding="utf-8"), re.M)
    return [
        (method, re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path)), endpoint, body)
        for method, path, endpoint, body in lines
    ]


@cache
def _endpoint(name: str, body: str) -> Callable[..., Any]:
    """An endpoint by its name, behind a look at the body, if that is to have a shape."""
    file, _, function = name.partition(".")
    module = import_module(f".{file}", __package__)
    endpoint: Callable[..., Any] = getattr(module, function)
    check = shape(body) if body else anything

    def checked(*given: Any) -> Any:
        check(given[-1], "")
        return endpoint(*given)

    return checked


def _refuse(error: ApiError, headers: dict[str, str], exchange: Exchange) -> Reply:
    # As recorded: a bad request counts against the limits, a 401 or 404 does not.
    headers = headers | (LIMITS if error.status == 400 else {}) | error.headers
    if error.hint:
        headers[HINT_HEADER] = _header_text(error.hint)
    exchange.status, exchange.reply, exchange.hint = error.status, error.body(), error.hint
    return json_reply(error.status, exchange.reply, headers)


def check_key(authorization: str) -> None:
    """Any key will do here but none, and what was left to be filled in (contract A6)."""
    key = authorization.removeprefix("Bearer").strip()
    if not key:
        raise refusal("no_key")
    if re.search(r"your|[<>$]|\.\.\.", key, re.IGNORECASE):
        raise refusal("placeholder_for_a_key", key=key[:4])


def _own_fault(error: Exception) -> ApiError:
    if isinstance(error, ScriptError):
        return refusal("script_error", error=error)
    if isinstance(error, RecursionError):
        return refusal("body_too_deep")
    return refusal("own_fault", kind=type(error).__name__, error=error)


def _header_text(text: str) -> str:
    """A header holds printable Latin-1 on one line, and not a whole page of it."""
    plain = text.replace("…", "...").replace("→", "->").encode("latin-1", "replace")
    return "".join(c if c.isprintable() else " " for c in plain.decode("latin-1")[:MAX_HINT])
