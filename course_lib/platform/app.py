"""The platform: one synchronous function from request to reply, over in-memory state.

`Platform.handle` is the whole API as far as a client can tell. It routes, answers, and turns
an `ApiError` into the API's error reply. The transport and the loopback server are thin faces
of it. It opens no socket and reads no clock.
"""

import re
from collections import deque
from dataclasses import dataclass, field

from ..standin import ScriptError, StandIn
from ..standin.prompt import Explanation, Model
from . import routes
from .engine import Made
from .errors import ApiError, Json, refusal
from .faults import Fault, NetworkFault, limits
from .hosted.mcp import without_secrets
from .http import Reply, Request, json_reply, read_body
from .state import State

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
                return self._route(request, body, headers, exchange)
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
        striking = [each for each in self.faults if each.strikes(request, body)]
        if striking:
            striking[0].strike(str(body.get("model")))
        return striking[0] if striking else None

    def _route(
        self, request: Request, body: Json, headers: dict[str, str], exchange: Exchange
    ) -> Reply:
        fault = self._fault(request, body)
        ask = routes.ASKING.get((request.method, request.path))
        if ask is not None:
            made = ask(body, self.state, self.model, fault)
            headers |= LIMITS
        else:
            endpoint, things = routes.route(request, self.state)
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
