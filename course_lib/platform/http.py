"""What crosses the wire: a request in, a reply out. Nothing here knows httpx, or a socket."""

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from .errors import Json, refusal

if TYPE_CHECKING:
    from python_multipart.multipart import Field, File

WITH_KEY = {"authorization": "Bearer offline"}  # what the course's own clients send
MAX_BODY = 64 * 1024 * 1024  # bytes


@dataclass(slots=True)
class Request:
    """One HTTP request. `path` is below the host and has no query (`/v1/responses`).

    Names of headers are lower case. `files` holds what was uploaded, by field, once it is read.
    """

    method: str
    path: str
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=lambda: dict(WITH_KEY))
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
    return _ENCODER.encode(data)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def sent(data: Any) -> bytes:
    """The same as bytes of a reply, by pydantic's writer: it takes a fourth of the time."""
    try:
        return to_json(data)
    except ValueError:  # it goes 255 levels deep
        return written(data).encode()


def json_reply(status: int, body: Json, headers: dict[str, str] | None = None) -> Reply:
    return Reply(status, {"content-type": "application/json"} | (headers or {}), (sent(body),))


def read_body(request: Request) -> Json:
    """The request's JSON object, or the fields of its form; an empty body is an empty object.

    Python's parser takes more than JSON allows, all of which it could not write again: numbers
    that are none (NaN, 1e999), and halves of surrogate pairs. They are refused here, at the door.
    """
    if len(request.body) > MAX_BODY:
        raise refusal("body_too_large")
    if not request.body:
        return {}
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        return _read_form(request)
    try:
        text = request.body.decode()
        body = _DECODER.decode(text)
        if "\\ud" in text or "\\uD" in text:
            written(body).encode()
    except (ValueError, RecursionError):
        raise refusal("body_not_json") from None
    if not isinstance(body, dict):
        raise refusal("body_not_an_object")
    return body


def _finite(number: str) -> float:
    if not math.isfinite(float(number)):
        raise ValueError(number)
    return float(number)


_DECODER = json.JSONDecoder(parse_constant=_finite, parse_float=_finite)


def _read_form(request: Request) -> Json:
    """The fields of a form, which is how files are uploaded; `a[b]` becomes a member of an object.

    Of a file the form has name and size; its bytes go to `request.files`.
    """
    from python_multipart.exceptions import FormParserError
    from python_multipart.multipart import create_form_parser

    form: Json = {}
    uploads: Json = {}

    def on_field(field: "Field") -> None:
        key, value = _text(field.field_name), _text(field.value)
        if found := re.fullmatch(r"(\w+)\[(\w+)\]", key, re.ASCII):  # expires_after[seconds]
            outer = form.setdefault(found[1], {})
            if isinstance(outer, dict):
                outer[found[2]] = value
        else:
            form[key] = value

    def on_file(file: "File") -> None:
        key = _text(file.field_name)
        if key.endswith("[]"):  # one of a list: files[0], files[1], …
            key = f"{key[:-1]}{len(uploads)}]"
        file.file_object.seek(0)
        request.files[key] = file.file_object.read()
        uploads[key] = {"filename": _text(file.file_name), "bytes": len(request.files[key])}

    content_type = request.headers["content-type"].encode("latin-1", "replace")
    in_memory = {"MAX_MEMORY_FILE_SIZE": MAX_BODY}  # a larger file would go to the disk
    try:
        parser = create_form_parser({"Content-Type": content_type}, on_field, on_file, in_memory)
        try:
            parser.write(request.body)
            parser.finalize()
        finally:
            parser.parser = None  # which knows its owner: the circle would keep the upload
    except FormParserError:
        raise refusal("form_unreadable") from None
    return form | uploads  # a field that has the name of a file is not read


def _text(written: bytes | None) -> str:
    return (written or b"").decode("utf-8", "replace")
