"""Parsing: a file of any supported kind as plain text.

Texts are decoded here. What has a structure (PDF, Word, PowerPoint, HTML) is read by
`readers.py` in a process of its own, with a limit of time and of memory: such a file can be made
to keep a reader busy for ever.
"""

import codecs
import subprocess
import sys
from pathlib import Path, PurePath
from typing import Literal

READER = Path(__file__).with_name("readers.py")
SECONDS = 20.0
TEXTS = frozenset(".c .cpp .cs .css .go .java .js .json .md .php .py .rb .sh .tex .ts .txt".split())
STRUCTURED = frozenset(".docx .html .pdf .pptx".split())
OLD = frozenset([".doc"])  # the API reads it; no library well kept enough for us does
SUPPORTED = TEXTS | STRUCTURED | OLD

Code = Literal["unsupported_file", "invalid_file"]


class Unreadable(Exception):
    """A file that could not be read; `code` and the message are the API's (contract E)."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code: Code = code


def extension(filename: str) -> str:
    """The ending that says what kind of file it is: `.txt`, in lower case, or nothing."""
    return PurePath(filename).suffix.lower()


def read_text(filename: str, content: bytes) -> str:
    """The text of a file. Raises Unreadable."""
    kind = extension(filename)
    if kind not in TEXTS | STRUCTURED:
        raise Unreadable("unsupported_file", "The file type is not supported.")
    text = _decode(content) if kind in TEXTS else _read_apart(kind, content)
    if not text.strip():
        raise _damaged()
    return text


def _decode(content: bytes) -> str:
    """UTF-8 (of which ASCII is a part) or UTF-16, with the mark at the start or without."""
    encoding = "utf-8-sig"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif b"\0" in content[:2]:  # the first letter of most texts has only one byte that counts
        encoding = "utf-16-be" if content[0] == 0 else "utf-16-le"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        raise _damaged() from None
    if "\0" in text:
        raise _damaged()
    return text


def _read_apart(kind: str, content: bytes) -> str:
    # Isolated: the reader sees neither this folder nor the environment's settings for Python.
    command = [sys.executable, "-I", str(READER), kind]
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # on Windows it would flash up
    try:
        done = subprocess.run(
            command, input=content, capture_output=True, timeout=SECONDS, creationflags=hidden
        )
    except subprocess.TimeoutExpired:
        raise _damaged() from None
    if done.returncode:
        raise _damaged()
    return done.stdout.decode("utf-8", "replace")


def _damaged() -> Unreadable:
    return Unreadable("invalid_file", "The file could not be parsed.")
