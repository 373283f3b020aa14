"""Runs Python and commands in a container: a fresh folder, a confined child, and what that leaves.

The folder gets the container's files and goes afterwards, and what the code leaves is taken back.
So nothing of a run stays on the disk, and nothing it does reaches the next one but files, folders
and plain values.
"""

import contextlib
import os
import re
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from sysconfig import get_path
from typing import IO

from .child import LATE, Child
from .containers import ROOT, Container, ContainerFile, make_room, put
from .skills import ROOT as SKILLS
from .state import State

PLACES = {ROOT: "data", SKILLS: "skills", "/tmp": "tmp"}  # → their names in a run's folder
SECONDS = 10  # for one call, the start of its processes included
MEMORY = 1024**3  # bytes, whatever the container's own limit says
MOST_OUTPUT = 256 * 1024  # bytes of what the code prints
MOST_LEFT = 64 * 1024 * 1024  # bytes of files
BLOCK = 4096  # bytes that the smallest file or folder takes
# Where this machine has what the code is told to have elsewhere.
ELSEWHERE = {get_path("purelib"): "/usr/lib/python3/dist-packages", sys.base_prefix: "/usr"}


@dataclass(slots=True)
class Ended:
    """What a process printed, how it ended, and why it was stopped, if it was."""

    stdout: str
    stderr: str
    exit_code: int | None  # None where its time was over
    stopped: str


def run(
    state: State, container: Container, kind: str, codes: list[str], seconds: float | None = None
) -> tuple[list[Ended], list[ContainerFile]]:
    """Run some Python, or commands in their order, and keep what they leave.

    kind      `python` or `shell`
    seconds   for all of them together, and never more than `SECONDS`

    Returns how each ended, and the files that are new or changed. Where they are more than a
    container holds, none is kept.
    """
    with container.alone(state):
        container.body["last_active_at"] = state.now
        with state.set_aside(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
            until = time.monotonic() + min(seconds or SECONDS, SECONDS)
            own = _laid_out(container, Path(made).resolve())
            ended = [_run(kind, code, own, until) for code in codes]
            below = [*_below(own / "data")]
            container.values = (own / "values").read_bytes()
            left = _contents(below) if _size(below) <= MOST_LEFT else None
        if left is None:
            return ended, []
        container.folders = [name for name, _, found in below if stat.S_ISDIR(found.st_mode)]
        same = {k: each for k, each in container.files.items() if left.get(k) == each.content}
        container.files, changed = same, sorted(left.keys() - same.keys())
        new = [put(state, container, name, left[name], "assistant") for name in changed]
        make_room(state, container)
        return ended, new


def _laid_out(container: Container, own: Path) -> Path:
    """A run's folder, filled. A file that names its interpreter may be run."""
    for folder in ("tmp", "data", *(f"data/{name}" for name in container.folders)):
        (own / folder).mkdir(parents=True, exist_ok=True)
    (own / "values").write_bytes(container.values)
    held = {own / "data" / name: stored.content for name, stored in container.files.items()}
    for skill in container.skills:
        held |= {own / "skills" / skill.folder / name: each for name, each in skill.files.items()}
    for path, content in held.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if content.startswith(b"#!"):
            path.chmod(0o755)
    return own


def _run(kind: str, code: str, own: Path, until: float) -> Ended:
    """Run it with the container's places put in, and those of this machine taken out again."""
    ended = execute(kind, _PLACE.sub(lambda found: _here(own, found[0]), code), own, until)
    for here, place in ({_here(own, place): place for place in PLACES} | ELSEWHERE).items():
        ended.stdout = ended.stdout.replace(here, place)
        ended.stderr = ended.stderr.replace(here, place)
    return ended


_PLACE = re.compile(rf"(?:^|(?<=[\s\"'`=:;,(<>&|\[{{]))(?:{'|'.join(PLACES)})(?![\w.-])")


def _here(own: Path, place: str) -> str:
    return (own / PLACES[place]).as_posix()


def execute(kind: str, code: str, own: Path, until: float) -> Ended:
    """Run some Python or a command in the folders below `own`, until a time by the clock."""
    seconds = until - time.monotonic()
    if seconds <= 0:
        return Ended("", "", None, "Stopped: those before it took all the time.")
    path = f"{sys.base_prefix}/bin:/usr/local/bin:/usr/bin:/bin"
    folders = {"HOME": str(own / "data"), "TMPDIR": str(own / "tmp"), "PATH": path}
    child = Child(kind, int(seconds) + 2, MEMORY, own, get_path("purelib"), **folders)
    process, printed = child.process, (bytearray(), bytearray())
    assert process.stdin and process.stdout and process.stderr
    pipes = zip((process.stdout, process.stderr), printed, strict=True)
    readers = [threading.Thread(target=_read, args=each, daemon=True) for each in pipes]
    for reader in readers:
        reader.start()

    def excess() -> str:
        if max(map(len, printed)) > MOST_OUTPUT:
            return f"it printed more than {MOST_OUTPUT:,} bytes"
        if _size(_below(own / "data")) + _size(_below(own / "tmp")) > MOST_LEFT:
            return f"its files take more than {MOST_LEFT:,} bytes"
        return ""

    try:
        with contextlib.suppress(OSError), process.stdin as pipe:
            pipe.write(code.encode("utf-8", "replace"))
        why = child.watch(process.wait, seconds, MEMORY, excess)
    finally:
        child.end()
    for reader in readers:
        reader.join(1)
    why = why or excess()
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    exit_code = None if why.startswith(LATE) else status
    return Ended(_text(printed[0]), _text(printed[1]), exit_code, f"Stopped: {why}." if why else "")


def _read(pipe: IO[bytes], printed: bytearray) -> None:
    """Read what is printed, until it is too much."""
    with pipe:
        while len(printed) <= MOST_OUTPUT and (chunk := pipe.read(64 * 1024)):
            printed += chunk


def _text(printed: bytearray) -> str:
    return printed[:MOST_OUTPUT].decode("utf-8", "replace").replace("\r\n", "\n")


Found = tuple[str, Path, os.stat_result]  # a name below a folder, where it is, and what


def _below(folder: Path) -> Iterator[Found]:
    """Regular files and folders with a name in Unicode.

    A link may lead outside and is not followed, the folder itself included, if it was replaced by
    one. What is gone by the time it is looked at, or lies too deep, is passed over.
    """
    for where, folders, names in os.walk(folder) if not folder.is_symlink() else ():
        for path in (Path(where, name) for name in (*folders, *names)):
            with contextlib.suppress(OSError):
                found, name = path.lstat(), path.relative_to(folder).as_posix()
                kind = stat.S_IFMT(found.st_mode)
                if kind in (stat.S_IFREG, stat.S_IFDIR) and name.isprintable():
                    yield name, path, found


def _size(found: Iterable[Found]) -> int:
    return sum(max(each.st_size, BLOCK) for _, _, each in found)


def _contents(found: list[Found]) -> dict[str, bytes]:
    """What is in the files. One that cannot be read is left out."""
    read: dict[str, bytes] = {}
    for name, path, each in found:
        with contextlib.suppress(OSError):
            if stat.S_ISREG(each.st_mode):
                read[name] = path.read_bytes()
    return read
