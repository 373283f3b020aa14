"""Lay out work/, the learner's own copy of the course's notebooks, and keep it up to date.

A file is replaced only while it is as the course laid it. What the learner has changed stays, and
the course's new version goes beside it as NAME.new.ipynb. A deleted file is laid again: for a
fresh copy, delete the file and run `lab` again. Files that the course no longer has stay.

It leaves out merging, and it looks at cells, not at outputs: a notebook that was run but not
edited is as the course laid it.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path, PurePosixPath

from .home import ROOT, WORK, CourseError, ensure_writable

PARTS = ("notebooks", "exercises", "solutions")
MANIFEST = ".course.json"

# Of each file as it was laid, two hashes: of its bytes, which tell whether the course has changed
# it since, and of its cells, which tell whether the learner has.
Manifest = dict[str, tuple[str, str]]


@dataclass
class Layout:
    """What one run of `lay_out` did; the names are paths inside the working copy."""

    laid: list[str] = field(default_factory=list)
    """Files that were not there."""
    refreshed: list[str] = field(default_factory=list)
    """Unchanged files brought to the course's new version."""
    kept: dict[str, str] = field(default_factory=dict)
    """Files with changes of the learner's, each with the file that holds the new version."""


def lay_out(course: Path = ROOT, work: Path = WORK) -> Layout:
    """Bring `work` up to date with the lessons, exercises and solutions in `course`.

    Raises CourseError when `work` cannot be written.
    """
    layout = Layout()
    try:
        work.mkdir(parents=True, exist_ok=True)
        ensure_writable(work)
        manifest = _read_manifest(work / MANIFEST)
        for path in (path for part in PARTS for path in sorted((course / part).rglob("*"))):
            name = path.relative_to(course)
            if path.is_file() and not any(s.startswith((".", "__pycache__")) for s in name.parts):
                _bring(name.as_posix(), path.read_bytes(), work, manifest, layout)
        _write(work / MANIFEST, json.dumps({"files": manifest}, indent=1, sort_keys=True).encode())
    except OSError as error:
        raise CourseError(
            f"The working copy cannot be written ({error.filename or work}: {error.strerror}): "
            "move away what is in its place, free some disk space, or copy the course to a folder "
            "of your own."
        ) from None
    return layout


def _bring(name: str, data: bytes, work: Path, manifest: Manifest, layout: Layout) -> None:
    """Lay or refresh one file; where the learner has changed it, offer the new version beside."""
    new = sha256(data).hexdigest(), _content(name, data)
    for place in _places(name):
        old, target = manifest.get(place, ("", "")), work / place
        there = os.path.lexists(target)
        try:
            now = _content(place, target.read_bytes())
        except OSError:  # not there, or no file, or not to be read
            now = ""
        if old[0] == new[0] and (there or place != name):
            return  # an offer may have been edited since then, or deleted
        if not there or (now and now == old[1]):
            _write(target, data)
            if place != name:
                layout.kept[name] = place
            else:
                (layout.refreshed if there else layout.laid).append(name)
        elif now != new[1]:  # else the learner, or a run that was cut short, put it there
            continue
        manifest[place] = new
        return


def _places(name: str) -> Iterator[str]:
    """Where a file may go: to its name, else beside it."""
    yield name
    path = PurePosixPath(name)
    for number in count(1):
        mark = f".new{number if number > 1 else ''}"
        yield path.with_name(path.stem + mark + path.suffix).as_posix()


def _content(name: str, data: bytes) -> str:
    """A hash of what a person edits: of a notebook its cells, of another file every byte."""
    if name.endswith(".ipynb"):
        try:
            cells = [
                [cell["cell_type"], "".join(cell["source"]), cell.get("attachments")]
                for cell in json.loads(data)["cells"]
            ]
            data = json.dumps(cells).encode()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass  # no notebook: whatever it is, it is not what the course laid
    return sha256(data).hexdigest()


def _read_manifest(path: Path) -> Manifest:
    """What was laid so far. Without a readable manifest every file may hold edits."""
    try:
        files = json.loads(path.read_bytes())["files"]
        return {name: (version, content) for name, (version, content) in files.items()}
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
