"""What crosses the wire: a request in, a reply out. Nothing here knows httpx, or a socket."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .errors import Json

WITH_KEY = {"authorization": "Bearer offline"}  # what the course's own clients send


@dataclass(slots=True)
class Request:
    """One HTTP request. `path` is below the host and has no query (`/v1/responses`).

    Names of headers are lower case. `files` holds what was uploaded, by field, once it is read.
    """

    method: str
    path: str
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=lambda: dict(WITH_KEY))  # names in lower case
    query: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)


@dataclass(slots=True)
class Reply:
    """One HTTP reply. `chunks` are the body's bytes, several when it is streamed."""

    status: int
    headers: dict[str, str]
    chunks: Iterable[bytes]


def written(data: Any) -> str:
    """JSON as the API writes it, with no blanks, and letters as they are."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def json_reply(status: int, body: Json, headers: dict[str, str] | None = None) -> Reply:
    content = written(body).encode()
    return Reply(status, {"content-type": "application/json"} | (headers or {}), (content,))


def event_stream(chunks: Iterable[bytes], headers: dict[str, str] | None = None) -> Reply:
    content_type = {"content-type": "text/event-stream; charset=utf-8"}
    return Reply(200, content_type | (headers or {}), chunks)
