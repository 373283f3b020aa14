"""Faults on demand: what a network and a busy service do to a client (contract A6, A7, C).

A fault is a rule: on which requests it strikes, and how. The client above does not know; its
retries and exceptions are the real ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from .errors import ApiError, Json, refusal
from .events import Event

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

    def strikes(self, streamed: bool, attaches: bool = False) -> bool:
        """Count a request in, if this kind of fault can strike it, and say whether it does."""
        if (self.kind in IN_STREAM and not streamed) or (self.kind == "stuck" and not attaches):
            return False
        self._seen += 1
        return self.after < self._seen <= self.after + self.times

    def strike(self, model: str) -> None:
        """Raise a fault that comes before any reply; the others show in it."""
        match self.kind:
            case "timeout" | "connection":
                raise NetworkFault(self.kind)
            case "rate_limit":
                raise _rate_limit(model, self.retry_ms)
            case "quota":
                raise refusal("quota")
            case "server_error":
                raise refusal("server_error")

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


REQUESTS, TOKENS = 10_000, 200_000  # what an account may use in a minute


def limit_headers(requests_left: int, tokens_left: int, reset: str) -> dict[str, str]:
    """The headers that tell a client how much of its limits is left."""
    return {
        "x-ratelimit-limit-requests": str(REQUESTS),
        "x-ratelimit-limit-tokens": str(TOKENS),
        "x-ratelimit-remaining-requests": str(requests_left),
        "x-ratelimit-remaining-tokens": str(tokens_left),
        "x-ratelimit-reset-requests": reset,
        "x-ratelimit-reset-tokens": reset,
    }


def _rate_limit(model: str, retry_ms: int) -> ApiError:
    wait = f"{retry_ms / 1000:g}s"
    error = refusal("rate_limit", model=model, limit=TOKENS, wait=wait)
    error.headers = limit_headers(REQUESTS - 1, 0, wait) | {
        "retry-after": str(-(-retry_ms // 1000)),
        "retry-after-ms": str(retry_ms),
    }
    return error
