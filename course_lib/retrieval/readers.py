"""Readers of structured files, run as a script: the file on stdin, its text on stdout.

    python readers.py .pdf < document.pdf

Whatever goes wrong, it ends with an error; `parse.py` makes of it what the API says. It imports
nothing of the course, so that it starts fast and has nothing to lose.
"""

import io
import re
import sys
import zipfile
from collections.abc import Callable
from html.parser import HTMLParser

LARGEST = 50_000_000  # bytes of a document, unpacked, and characters of a text
MEMORY = 1_000_000_000  # bytes
PARAGRAPH, TEXT, BREAKS = "p", "t", ("br", "tab")  # the same in Word's and PowerPoint's XML


def read_pdf(content: bytes) -> str:
    from pypdf import PdfReader

    pages = PdfReader(io.BytesIO(content)).pages
    return "\n\n".join(page.extract_text() for page in pages)


def read_docx(content: bytes) -> str:
    return _paragraphs(content, r"word/document\.xml")


def read_pptx(content: bytes) -> str:
    return _paragraphs(content, r"ppt/slides/slide(\d+)\.xml")


def _paragraphs(content: bytes, pattern: str) -> str:
    """The paragraphs of the parts of an Office document whose names fit, in order."""
    from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = [name for name in archive.namelist() if re.fullmatch(pattern, name)]
        names.sort(key=lambda name: [int(number) for number in re.findall(r"\d+", name)])
        if not names:
            raise ValueError("the archive is no such document")
        found: list[str] = []
        left = LARGEST
        for name in names:
            with archive.open(name) as packed:  # what the archive says of its size may be a lie
                part = packed.read(left + 1)
            left -= len(part)
            if left < 0:
                raise ValueError("the document is too large")
            for element in fromstring(part, forbid_dtd=True).iter():
                if _local(element.tag) == PARAGRAPH:
                    found.append("".join(_said(each.tag, each.text) for each in element.iter()))
    return "\n".join(found)


def _said(tag: str, text: str | None) -> str:
    if _local(tag) in BREAKS:
        return " "
    return text or "" if _local(tag) == TEXT else ""


def _local(tag: object) -> str:
    return str(tag).rpartition("}")[2]


def read_html(content: bytes) -> str:
    page = _Page()
    page.feed(content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"))
    page.close()
    lines = "".join(page.said).split("\n")
    return "\n".join(line for each in lines if (line := " ".join(each.split())))


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

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._hidden += tag in self.HIDDEN
        self.said.append("" if tag in self.INLINE else "\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = max(0, self._hidden - (tag in self.HIDDEN))
        self.said.append("" if tag in self.INLINE else "\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.said.append(data.replace("\n", " "))


READERS: dict[str, Callable[[bytes], str]] = {
    ".docx": read_docx,
    ".html": read_html,
    ".pdf": read_pdf,
    ".pptx": read_pptx,
}


def main() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        pass  # Windows has no such limit, and macOS keeps none: there time is the only one
    text = READERS[sys.argv[1]](sys.stdin.buffer.read())
    if len(text) > LARGEST:
        raise ValueError("the text is too large")
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
