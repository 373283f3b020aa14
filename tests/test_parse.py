"""Files of every kind, whole, damaged and hostile: read, or failed as the API fails them."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfWriter

from course_lib import connect
from course_lib.retrieval import parse
from course_lib.retrieval.parse import Unreadable, read_text

SENTENCE = "Grüße: the first man on the moon was Neil Armstrong."
PLAIN = "the first man on the moon was Neil Armstrong."
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DRAW = "http://schemas.openxmlformats.org/drawingml/2006/main"
MEGABYTE = 1_000_000


def archive(**parts: str | bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in parts.items():
            opened.writestr(name, content)
    return packed.getvalue()


def docx(*paragraphs: str, before: str = "") -> bytes:
    body = "".join(f"<w:p><w:r><w:t>{said}</w:t></w:r></w:p>" for said in paragraphs)
    xml = f'{before}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    return archive(**{"[Content_Types].xml": "<Types/>", "word/document.xml": xml})


def pptx(*slides: str) -> bytes:
    def slide(said: str) -> str:
        return (
            f'<p:sld xmlns:p="p" xmlns:a="{DRAW}"><a:p><a:r><a:t>{said}</a:t></a:r></a:p></p:sld>'
        )

    # The tenth stands before the second in the archive, as names are sorted.
    numbered = sorted((f"ppt/slides/slide{n}.xml", slide(s)) for n, s in enumerate(slides, 1))
    return archive(**dict(numbered))


def pdf(*pages: str, content: bytes | None = None) -> bytes:
    """A PDF written by hand: one font, one line on each page."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 "
               b"/BaseFont /Helvetica >>"]  # fmt: skip
    kids = []
    for said in pages:
        stream = content or f"BT /F1 12 Tf 72 720 Td ({said}) Tj ET".encode()
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    written = b"%PDF-1.4\n"
    places = []
    for number, each in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start, count = len(written), len(objects) + 1
    written += b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table)
    return written + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (count, start)


def made(**options: Any) -> bytes:
    """A PDF by the library: so many empty pages, and a password if one is given."""
    writer, written = PdfWriter(), io.BytesIO()
    for _ in range(options.get("pages", 1)):
        writer.add_blank_page(612, 792)
    if "password" in options:
        writer.encrypt(options["password"])
    writer.write(written)
    return written.getvalue()


HTML = """<!DOCTYPE html><html><head><title>Hidden</title><style>p { color: red }</style>
<script>var hidden = "<p>Hidden";</script></head><body><h1>Moon</h1><p>Gr&uuml;&szlig;e: the
<b>first</b> man on the moon was Neil Armstrong.</p><!-- Hidden --></body></html>"""
READABLE: dict[str, bytes] = {
    "a.txt": SENTENCE.encode(),
    "with a mark.txt": SENTENCE.encode("utf-8-sig"),
    "utf-16.txt": SENTENCE.encode("utf-16"),
    "utf-16, big end first.md": SENTENCE.encode("utf-16-be"),
    "utf-16 without a mark.md": SENTENCE.encode("utf-16-le"),
    "ascii.TEX": PLAIN.encode("ascii"),
    "a.md": f"# Moon\n\n* {SENTENCE}\n".encode(),
    "a.json": f'{{"text": "{SENTENCE}"}}'.encode(),
    "a.py": f"def f():\n    return {SENTENCE!r}\n".encode(),
    "a.html": HTML.encode(),
    "a.docx": docx("Moon", SENTENCE),
    "a.pptx": pptx("Moon", SENTENCE),
    "a.pdf": pdf("Moon", PLAIN),
}
BOMB = archive(**{"word/document.xml": b" " * 200 * MEGABYTE})
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
) + "]>"  # fmt: skip
EXTERNAL = '<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/passwd">]>'
DAMAGED: dict[str, bytes] = {
    "latin-1.txt": SENTENCE.encode("latin-1"),
    "a picture.txt": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "half of utf-16.txt": SENTENCE.encode("utf-16")[:-1],
    "empty.txt": b"",
    "blanks.md": b" \n\t\n",
    "not a zip.docx": b"PK\x03\x04 nothing",
    "a zip of something else.docx": archive(mimetype="text"),
    "cut off.docx": docx(SENTENCE)[:-40],
    "not well formed.docx": archive(**{"word/document.xml": "<w:document>"}),
    "no slides.pptx": docx(SENTENCE),
    "not a pdf.pdf": b"Hello",
    "without pages.pdf": b"%PDF-1.4\n%%EOF",
    "cut off.pdf": pdf(SENTENCE)[:120],
    "with a password.pdf": made(password="x"),
    "zip bomb.docx": BOMB,
    "many laughs.docx": docx("&j;", before=LAUGHS),
    "an external entity.docx": docx("&secret;", before=EXTERNAL),
    "a thousand empty pages.pdf": made(pages=1000),
    "one page in itself.pdf": pdf(PLAIN).replace(b"/Kids [5 0 R]", b"/Kids [2 0 R]"),
    "deep tags.html": b"<div>" * 200_000,
}


@pytest.mark.parametrize("name", READABLE)
def test_the_text_of_a_file_is_read(name: str) -> None:
    text = " ".join(read_text(name, READABLE[name]).split())
    assert PLAIN in text
    assert ("Grüße" in text) == (name not in ("ascii.TEX", "a.pdf"))
    assert "Hidden" not in text


def test_slides_and_pages_come_in_their_order() -> None:
    said = [f"Slide number {number}." for number in range(1, 13)]
    assert read_text("a.pptx", pptx(*said)).split("\n") == said
    assert read_text("a.pdf", pdf(*said)).split() == " ".join(said).split()


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_or_hostile_file_is_refused(name: str) -> None:
    with pytest.raises(Unreadable, match="The file could not be parsed") as caught:
        read_text(name, DAMAGED[name])
    assert caught.value.code == "invalid_file"


@pytest.mark.parametrize("name", ["a.doc", "a.csv", "upload"])
def test_a_kind_that_nothing_here_reads_is_refused(name: str) -> None:
    with pytest.raises(Unreadable, match="The file type is not supported") as caught:
        read_text(name, b"x")
    assert caught.value.code == "unsupported_file"


READING = "import sys; sys.stdin.buffer.read()\n"


@pytest.mark.parametrize(
    "program",
    ["while True: pass", "x = [0]\nwhile True: x += x", "1 / 0"],
    ids=["endless", "without measure", "failing"],
)
def test_a_reader_is_stopped(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limited = "import resource; resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9))\n"
    reader = tmp_path / "reader.py"
    reader.write_text(READING + limited + program, encoding="utf-8")
    monkeypatch.setattr(parse, "SCRIPT", reader)
    monkeypatch.setattr(parse, "SECONDS", 3.0)
    with pytest.raises(Unreadable, match="could not be parsed"):
        read_text("a.pdf", pdf(PLAIN))


def test_the_platform_goes_on_after_files_that_fail() -> None:
    client = connect()
    store = client.vector_stores.create()
    names = ["zip bomb.docx", "an external entity.docx", "a thousand empty pages.pdf", "empty.txt"]
    given = [(name, DAMAGED[name]) for name in names]
    given += [("old.doc", b"x"), ("a.pdf", READABLE["a.pdf"])]
    batch = client.vector_stores.file_batches.upload_and_poll(store.id, files=given)
    assert (batch.status, batch.file_counts.failed, batch.file_counts.completed) == (
        "completed", 5, 1,
    )  # fmt: skip
    failed = client.vector_stores.files.list(store.id, filter="failed", order="asc")
    codes = sorted(file.last_error.code for file in failed if file.last_error)
    assert codes == ["invalid_file"] * 4 + ["unsupported_file"]
    [hit] = client.vector_stores.search(store.id, query="Who was first on the moon?").data
    assert hit.filename == "a.pdf"


@pytest.mark.parametrize(
    "content", [b"moon " * 100_001, b" " * 40 * MEGABYTE + b"x"], ids=["tokens", "blanks"]
)
def test_a_text_that_is_too_long_fails(content: bytes) -> None:
    client = connect()
    store = client.vector_stores.create()
    file = ("a.txt", content)
    failed = client.vector_stores.files.upload_and_poll(vector_store_id=store.id, file=file)
    assert failed.last_error
    assert failed.last_error.message == "The file could not be parsed because it is too large."
