"""Lay out work/, the learner's own copy of the course's notebooks, and keep it up to date.

A file is replaced only while it is as the course laid it. What the learner has changed stays, and
the course's new version goes beside it as NAME.new.ipynb. A deleted file is laid again: for a
fresh copy, delete the file and run `lab` again. Files that the course no longer has stay.

It leaves out merging, and it looks at cells, not at outputs: a notebook that was run but not
edited is as the course laid it.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path, PurePosixPath

from .home import ROOT, WORK, CourseError, ensure_writable

PARTS = ("notebooks", "exercises", "solutions")
MANIFEST = ".course.json"


@dataclass
class Layout:
    """What one run of `lay_out` did; the names are paths inside the working copy."""

    laid: list[str] = field(default_factory=list)
    """Files that were not there."""
    refreshed: list[str] = field(default_factory=list)
    """Unchanged files brought to the course's new version."""
    kept: dict[str, str] = field(default_factory=dict)
    """Files with changes of the learner's, each with the file that holds the new version."""


@dataclass(frozen=True)
class _Laid:
    """A manifest entry: the course's file as it was laid, as two hashes."""

    version: str  # of its bytes: tells whether the course has changed it since
    content: str  # of its cells: tells whether the learner has


def lay_out(course: Path = ROOT, work: Path = WORK) -> Layout:
    """Bring `work` up to date with the lessons, exercises and solutions in `course`.

    Raises CourseError when `work` cannot be written.
    """
    layout = Layout()
    try:
        work.mkdir(parents=True, exist_ok=True)
        ensure_writable(work)
        manifest = _read_manifest(work / MANIFEST)
        for name, source in _course_files(course):
            _bring(name, source, work, manifest, layout)
        entries = {name: asdict(laid) for name, laid in sorted(manifest.items())}
        _write(work / MANIFEST, json.dumps({"files": entries}, indent=1).encode())
    except (FileExistsError, NotADirectoryError) as error:
        raise CourseError(
            f"{error.filename} is in the way of the working copy, which needs a folder of that "
            "name: move it elsewhere and run this again."
        ) from None
    except OSError as error:
        raise CourseError(
            f"The working copy in {work} cannot be written ({error.strerror}): free some disk "
            "space, or copy the course to a folder of your own."
        ) from None
    return layout


def _bring(name: str, source: Path, work: Path, manifest: dict[str, _Laid], layout: Layout) -> None:
    """Lay or refresh one file; where the learner has changed it, offer the new version beside."""
    data = source.read_bytes()
    if source.suffix == ".ipynb":
        data = data.replace(b"\r\n", b"\n")  # as git may check it out on Windows
    new = _Laid(hashlib.sha256(data).hexdigest(), _content(name, data))
    for place in _places(name):
        old, target = manifest.get(place), work / place
        content, there = _content_of(target), os.path.lexists(target)
        if old and old.version == new.version and (there or place != name):
            return  # an offer may have been edited since then, or deleted
        if not there or (old and content == old.content):
            _write(target, data)
            manifest[place] = new
            if place != name:
                layout.kept[name] = place
            else:
                (layout.refreshed if there else layout.laid).append(name)
            return
        if content == new.content:  # the learner, or a run that was cut short, put it there
            manifest[place] = new
            return


def _places(name: str) -> Iterator[str]:
    """Where a file may go: to its name, else beside it."""
    yield name
    path = PurePosixPath(name)
    for number in count(1):
        mark = f".new{number if number > 1 else ''}"
        yield path.with_name(path.stem + mark + path.suffix).as_posix()


def _course_files(course: Path) -> Iterator[tuple[str, Path]]:
    for part in PARTS:
        for path in sorted((course / part).rglob("*")):
            name = path.relative_to(course)
            hidden = any(step.startswith((".", "__pycache__")) for step in name.parts)
            if path.is_file() and not hidden:
                yield name.as_posix(), path


def _content_of(path: Path) -> str | None:
    """The content of a file in the working copy; None when it is no file or cannot be read."""
    try:
        return _content(path.name, path.read_bytes())
    except OSError:
        return None


def _content(name: str, data: bytes) -> str:
    """A hash of what a person edits: of a notebook its cells, of another file every byte."""
    if name.endswith(".ipynb"):
        try:
            cells = [
                [cell["cell_type"], "".join(cell["source"]), cell.get("attachments")]
                for cell in json.loads(data)["cells"]
            ]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass  # no notebook: whatever it is, it is not what the course laid
        else:
            data = json.dumps(cells).encode()
    return hashlib.sha256(data).hexdigest()


def _read_manifest(path: Path) -> dict[str, _Laid]:
    """What was laid so far. Without a readable manifest every file may hold edits."""
    try:
        files = json.loads(path.read_bytes())["files"]
        return {name: _Laid(**entry) for name, entry in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
