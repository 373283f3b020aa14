"""Files inside a message or a tool's output: `input_file` (contract A5, "Files in input")."""

import base64
import binascii
import re
from typing import Any

from .errors import Json, refusal
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
        found = _DATA_URL.match(str(data))
        mime = found["mime"] if found else None
        if mime is None or not (mime in READABLE or mime.startswith("text/")):
            raise refusal("wrong_file_data", f"{path}.file_data", mime=mime)
    if isinstance(link, str) and re.split("[?#]", link)[0].lower().endswith(MEDIA):
        raise refusal("file_type_not_supported")


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
        raise refusal("wrong_image", formats=list(IMAGES))
