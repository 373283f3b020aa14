"""The platform: one synchronous function from request to reply, over in-memory state.

`Platform.handle` is the whole API as far as a client can tell. It routes, answers, and turns
an `ApiError` into the API's error reply. The transport and the loopback server are thin faces
of it. It opens no socket and reads no clock.
"""

import json
import re
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..standin import ScriptError, StandIn
from ..standin.prompt import Model
from .engine import run_turn
from .errors import GAP, ApiError, Json
from .events import stream
from .http import Reply, Request, event_stream, json_reply
from .state import State

HINT_HEADER = "x-course-hint"
VERSION_HEADER = {"openai-version": "2020-10-01"}
MAX_BODY = 64 * 1024 * 1024  # bytes


@dataclass(slots=True)
class Exchange:
    """One request that reached the platform, and what came of it."""

    method: str
    path: str
    body: Json
    status: int
    reply: Json  # the response object or the error envelope, streamed or not
    hint: str | None = None
    explanation: Any = None


@dataclass
class Platform:
    """An offline endpoint with its own state. `model` answers the turns."""

    model: Model = field(default_factory=StandIn)
    state: State = field(default_factory=State)
    # The wire log that `show` and the checks read; bounded, so a long-lived server does not grow.
    exchanges: deque[Exchange] = field(default_factory=lambda: deque(maxlen=10_000))
    _requests: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def handle(self, request: Request) -> Reply:
        """Answer one request. Never raises for anything a request can hold."""
        with self._lock:  # tools run in threads may call the client at the same time
            self._requests += 1
            headers = {"x-request-id": f"req_{self._requests}"} | VERSION_HEADER
            body: Json = {}
            try:
                body = _read_body(request)
                return self._route(request, body, headers)
            except ApiError as error:
                if error.hint:
                    headers[HINT_HEADER] = _header_text(error.hint)
                self._log(request, body, error.status, error.body(), error.hint)
                return json_reply(error.status, error.body(), headers)
            except Exception as error:
                # The SDK turns an exception under it into "Connection error." after two retries.
                # Answering keeps the reason, and the header stops the retries.
                fault = _own_fault(error)
                self._log(request, body, fault.status, fault.body())
                return json_reply(fault.status, fault.body(), headers | {"x-should-retry": "false"})

    def _route(self, request: Request, body: Json, headers: dict[str, str]) -> Reply:
        known = {path for _, path, _ in _ROUTES}
        for method, path, handler in _ROUTES:
            found = re.fullmatch(path, request.path)
            if found and method == request.method:
                return handler(self, request, body, headers, *found.groups())
        if any(re.fullmatch(path, request.path) for path in known):
            raise ApiError(
                f"Not allowed to {request.method} on {request.path}.",
                code="method_not_supported",
                status=405,
            )
        raise ApiError(
            f"Invalid URL ({request.method} {request.path})",
            status=404,
            hint="The offline platform has no such address; look at the base_url of the client.",
        )

    def _log(
        self,
        request: Request,
        body: Json,
        status: int,
        reply: Json,
        hint: str | None = None,
        explanation: Any = None,
    ) -> None:
        self.exchanges.append(
            Exchange(request.method, request.path, body, status, reply, hint, explanation)
        )

    def _create_response(self, request: Request, body: Json, headers: dict[str, str]) -> Reply:
        stored = run_turn(body, self.state, self.model)
        self._log(request, body, 200, stored.body, explanation=stored.explanation)
        if body.get("stream"):
            options = body.get("stream_options") or {}
            obfuscate = options.get("include_obfuscation") is not False
            return event_stream(stream(stored.body, obfuscate=obfuscate), headers)
        return json_reply(200, stored.body, headers)

    def _get_response(
        self, request: Request, body: Json, headers: dict[str, str], response_id: str
    ) -> Reply:
        stored = self.state.responses.get(response_id)
        if stored is None:
            raise ApiError(f"Response with id '{response_id}' not found.", code=GAP, status=404)
        return json_reply(200, stored.body, headers)


_ROUTES: list[tuple[str, str, Callable[..., Reply]]] = [
    ("POST", "/v1/responses", Platform._create_response),
    ("GET", "/v1/responses/([^/]+)", Platform._get_response),
]


def _read_body(request: Request) -> Json:
    """The request's JSON object; an empty body is an empty object."""
    if len(request.body) > MAX_BODY:
        raise ApiError("The request body is larger than 64 MiB.", code=GAP, status=413)
    if not request.body:
        return {}
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError):
        raise ApiError(
            "We could not parse the JSON body of your request. (HINT: This likely means you "
            "aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, "
            "but what was sent was not valid JSON.)"
        ) from None
    if not isinstance(body, dict):
        raise ApiError("The JSON body of a request must be an object.", code=GAP)
    return body


def _own_fault(error: Exception) -> ApiError:
    if isinstance(error, ScriptError):
        return ApiError(str(error), code="offline_script", status=500, type="server_error")
    return ApiError(
        f"The offline platform failed on this request ({type(error).__name__}: {error}). "
        "This is a fault of the course, not of your code.",
        code="offline_fault",
        status=500,
        type="server_error",
    )


def _header_text(text: str) -> str:
    """A header holds Latin-1 on one line."""
    plain = text.replace("…", "...").replace("→", "->")
    return plain.encode("latin-1", "replace").decode("latin-1")
