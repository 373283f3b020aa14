"""Faults on demand: what a network and a busy service do to a client (contract A6, A7, C).

A fault is a rule: on which requests it strikes, and how. The client above does not know; its
retries and exceptions are the real ones.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from .errors import Json, refusal
from .events import Event
from .http import Request

Kind = Literal[
    "rate_limit",  # 429, with the headers that say when to come back
    "quota",  # 429 that no waiting will mend
    "server_error",  # 500
    "timeout",  # no answer in time
    "connection",  # no connection at all
    "severed",  # the stream breaks off with an error
    "cut_off",  # the stream ends early, without one
    "stuck",  # files attached to a vector store stay in progress for ever
    "failed",  # the stream tells of an error and a failed response
]
IN_STREAM = ("severed", "cut_off", "failed")
ATTACHING = re.compile("/v1/vector_stores(/[^/]+/(files|file_batches))?")
REQUESTS, TOKENS = 10_000, 200_000  # what an account may use in a minute


class NetworkFault(Exception):
    """What no reply can express; the transport turns it into the client library's exception."""

    def __init__(self, kind: Literal["timeout", "connection", "severed"]) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass
class Fault:
    """Strikes `times` requests after letting `after` of them through.

    `events` is how many events of a stream pass before a stream fault; `retry_ms` is the wait
    a rate limit asks for, in milliseconds.
    """

    kind: Kind
    times: int = 1
    after: int = 0
    events: int = 4
    retry_ms: int = 5
    _seen: int = field(default=0, init=False)

    def strikes(self, request: Request, body: Json) -> bool:
        """Count a request in, if this kind of fault can strike it, and say whether it does."""
        attaches = request.method == "POST" and ATTACHING.fullmatch(request.path)
        if not (body.get("stream") if self.kind in IN_STREAM else attaches or self.kind != "stuck"):
            return False
        self._seen += 1
        return self.after < self._seen <= self.after + self.times

    def strike(self, model: str) -> None:
        """Raise a fault that comes before any reply; the others show in it."""
        match self.kind:
            case "timeout" | "connection":
                raise NetworkFault(self.kind)
            case "quota" | "server_error":
                raise refusal(self.kind)
            case "rate_limit":
                wait = f"{self.retry_ms / 1000:g}s"
                error = refusal("rate_limit", model=model, limit=TOKENS, wait=wait)
                error.headers = limits(tokens_left=0, reset=wait) | {
                    "retry-after": str(-(-self.retry_ms // 1000)),
                    "retry-after-ms": str(self.retry_ms),
                }
                raise error

    def break_stream(self, events: Iterator[Event]) -> Iterator[Event]:
        """The events up to the break, and then the break."""
        response: Json = {}
        for number, event in enumerate(events):
            if number == self.events:
                break
            response = event.get("response", response)
            yield event
        if self.kind == "severed":
            raise NetworkFault("severed")
        if self.kind == "failed":
            error = refusal("server_error").body()["error"]
            yield {"type": "error", "error": error}
            failed = {"code": error["code"], "message": error["message"]}
            if response:  # a completion has none
                ended = response | {"status": "failed", "error": failed}
                yield {"type": "response.failed", "response": ended}


def limits(tokens_left: int = TOKENS, reset: str = "6ms") -> dict[str, str]:
    """The headers that tell a client how much of its limits is left."""
    told = {
        "limit-requests": REQUESTS, "limit-tokens": TOKENS, "remaining-requests": REQUESTS - 1,
        "remaining-tokens": tokens_left, "reset-requests": reset, "reset-tokens": reset,
    }  # fmt: skip
    return {f"x-ratelimit-{name}": str(value) for name, value in told.items()}
