"""Files inside a message or a tool's output: `input_file` (contract A5, "Files in input")."""

import base64
import binascii
import re
from typing import Any

from .errors import ApiError, Json
from .rules import text

_DATA_URL = re.compile(r"data:(?P<mime>[\w.+-]+/[\w.+-]+);base64,", re.ASCII)
_OFFICE = "application/vnd.openxmlformats-officedocument."
READABLE = (
    "application/json", "application/msword", "application/pdf", "application/typescript",
    "application/x-sh", f"{_OFFICE}presentationml.presentation",
    f"{_OFFICE}spreadsheetml.sheet", f"{_OFFICE}wordprocessingml.document",
)  # fmt: skip
IMAGES = {"png": b"\x89PNG", "jpeg": b"\xff\xd8\xff", "gif": b"GIF8", "webp": b"RIFF"}
MEDIA = (".mp3", ".wav", ".ogg", ".flac", ".mp4", ".mov", ".avi", ".webm", ".zip", ".exe")


def check_file(part: Json, path: str) -> None:
    """Refuse a file that no model can read: a data URL by its MIME type, a link by its ending."""
    data, link = part.get("file_data"), part.get("file_url")
    if data is not None:
        _check_data(data, f"{path}.file_data")
    if isinstance(link, str) and re.split("[?#]", link)[0].lower().endswith(MEDIA):
        raise ApiError(
            "The file type you uploaded is not supported. Please try again with a pdf",
            param="input",
            code="unsupported_file",
        )


def _check_data(data: Any, path: str) -> None:
    found = _DATA_URL.match(data) if isinstance(data, str) else None
    mime = found["mime"] if found else None
    if mime is not None and (mime in READABLE or mime.startswith("text/")):
        return
    raise ApiError(
        f"Invalid file data: '{path}'. Expected a base64-encoded data URL with a valid file "
        "MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported "
        f"MIME type '{mime}'. Please see "
        "https://platform.openai.com/docs/assistants/tools/file-search#supported-files "
        "for supported file types.",
        param=path,
        code="invalid_value",
    )


def image(value: Any, path: str) -> None:
    """The address of an image: a data URL that begins like one, or a link, which is believed."""
    text(value, path)
    if not value.startswith("data:"):
        return
    try:
        data = base64.b64decode(value.partition(",")[2], validate=True)
    except binascii.Error:
        data = b""
    if not data.startswith(tuple(IMAGES.values())):
        raise ApiError(
            "You uploaded an unsupported image. Please make sure your image has of one the "
            f"following formats: {list(IMAGES)}.",
            code="invalid_image_format",
        )
