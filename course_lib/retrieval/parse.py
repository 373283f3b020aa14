"""Parsing: a file of any supported kind as plain text.

Texts are decoded here. What has a structure (PDF, Word, PowerPoint, HTML) is read in a process of
its own, with a limit of time and of memory: such a file can be made to keep a reader busy for
ever. The process runs this file as a script, which therefore imports nothing of the course:

    python -I parse.py .pdf < document.pdf
"""

import codecs
import io
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from html.parser import HTMLParser
from pathlib import Path, PurePath

SCRIPT, SECONDS = Path(__file__), 20.0
LARGEST = 50_000_000  # bytes of a part of a document, unpacked, and characters of a text
MEMORY = 1_000_000_000  # bytes
TEXTS = frozenset(".c .cpp .cs .css .go .java .js .json .md .php .py .rb .sh .tex .ts .txt".split())


class Unreadable(Exception):
    """A file that could not be read; `code` and the message are the API's (contract E)."""

    def __init__(
        self, message: str = "The file could not be parsed.", code: str = "invalid_file"
    ) -> None:
        super().__init__(message)
        self.code = code


def extension(filename: str) -> str:
    """The ending that says what kind of file it is: `.txt`, in lower case, or nothing."""
    return PurePath(filename).suffix.lower()


def read_text(filename: str, content: bytes) -> str:
    """The text of a file. Raises Unreadable."""
    kind = extension(filename)
    if kind not in TEXTS | STRUCTURED.keys():
        raise Unreadable("The file type is not supported.", "unsupported_file")
    try:
        text = _decoded(content) if kind in TEXTS else _read_apart(kind, content)
    except (UnicodeDecodeError, subprocess.SubprocessError):
        raise Unreadable from None
    if not text.strip() or "\0" in text:
        raise Unreadable
    return text


def _decoded(content: bytes) -> str:
    """UTF-8 (of which ASCII is a part) or UTF-16, with the mark at the start or without."""
    encoding = "utf-8-sig"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif b"\0" in content[:2]:  # the first letter of most texts has only one byte that counts
        encoding = "utf-16-be" if content[0] == 0 else "utf-16-le"
    return content.decode(encoding)


def _read_apart(kind: str, content: bytes) -> str:
    # Isolated: the reader sees neither this folder nor the environment's settings for Python.
    command = [sys.executable, "-I", str(SCRIPT), kind]
    flag = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # on Windows it would flash up
    done = subprocess.run(
        command, input=content, capture_output=True, check=True, timeout=SECONDS, creationflags=flag
    )
    return done.stdout.decode("utf-8", "replace")


# What the process of its own does. Whatever goes wrong, it ends with an error.


def read_pdf(content: bytes) -> str:
    from pypdf import PdfReader

    pages = PdfReader(io.BytesIO(content)).pages
    return "\n\n".join(page.extract_text() for page in pages)


def read_office(pattern: str, content: bytes) -> str:
    """The paragraphs of the parts of an Office document whose names fit, in order.

    Word and PowerPoint name them alike: a paragraph `p`, a text in it `t`.
    """
    from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]

    found: list[str] = []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = [name for name in archive.namelist() if re.fullmatch(pattern, name)]
        for name in sorted(names, key=lambda name: (len(name), name)):  # slide2 before slide10
            with archive.open(name) as packed:  # what the archive says of its size may be a lie
                part = packed.read(LARGEST + 1)
            if len(part) > LARGEST:
                raise ValueError("the document is too large")
            for paragraph in fromstring(part, forbid_dtd=True).iterfind(".//{*}p"):
                found.append("".join(_said(each.tag, each.text) for each in paragraph.iter()))
    return "\n".join(found)


def _said(tag: str, text: str | None) -> str:
    match tag.rpartition("}")[2]:
        case "t":
            return text or ""
        case "br" | "tab":
            return " "
    return ""


class _Page(HTMLParser):
    """Collects what a reader of the page would see."""

    HIDDEN = ("script", "style", "template", "noscript", "title")
    INLINE = frozenset(
        "a abbr b bdi cite code em i kbd mark q s small span strong sub sup u".split()
    )

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object, step: int = 1) -> None:
        self._hidden = max(0, self._hidden + step * (tag in self.HIDDEN))
        if tag not in self.INLINE:
            self.said.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self.handle_starttag(tag, (), -1)

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.said.append(data.replace("\n", " "))


def read_html(content: bytes) -> str:
    page = _Page()
    page.feed(_decoded(content))
    page.close()
    lines = "".join(page.said).split("\n")
    return "\n".join(line for each in lines if (line := " ".join(each.split())))


STRUCTURED: dict[str, Callable[[bytes], str]] = {
    ".docx": partial(read_office, r"word/document\.xml"),
    ".html": read_html,
    ".pdf": read_pdf,
    ".pptx": partial(read_office, r"ppt/slides/slide\d+\.xml"),
}
SUPPORTED = frozenset([*TEXTS, *STRUCTURED, ".doc"])  # the API reads .doc; no kept library does


def main() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        pass  # Windows has no such limit, and macOS keeps none: there time is the only one
    text = STRUCTURED[sys.argv[1]](sys.stdin.buffer.read())
    if len(text) > LARGEST:
        raise ValueError("the text is too large")
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
