"""Containers: where the code interpreter's Python runs, and the files it finds and leaves.

A container is files and a few plain values, kept in memory. Each run gets a fresh folder with
them and a fresh process (`confined.py`), and what it leaves is taken back. So nothing of a run
stays on the disk, and nothing it does reaches the next one but files and values.

After twenty simulated minutes without use a container has expired, and is gone for good.
"""

import contextlib
import os
import re
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from sysconfig import get_path
from typing import TYPE_CHECKING

from .. import files
from ..errors import GAP, ApiError, Json

if TYPE_CHECKING:
    from ..state import State

SCRIPT = Path(__file__).with_name("confined.py")
ROOT = "/mnt/data"  # what the code calls its folder
MINUTES = 20  # idle, until it expires
SECONDS = 10  # for one run, the start of the process included
MEMORY = 1024**3  # bytes, whatever the container's own limit says
MOST_OUTPUT = 1024 * 1024  # bytes of what the code prints
MOST_LEFT = 64 * 1024 * 1024  # bytes of files after a run


@dataclass(slots=True)
class ContainerFile:
    """A file in a container; `source` says who put it there, `user` or `assistant`."""

    id: str
    name: str  # below /mnt/data
    content: bytes
    source: str
    created_at: int


@dataclass(slots=True)
class Container:
    """`values` is what the last run left of its variables, written by the process itself."""

    id: str
    name: str
    created_at: int
    last_active_at: int
    memory_limit: str = "1g"
    minutes: int = MINUTES
    files: dict[str, ContainerFile] = field(default_factory=dict)  # by name
    values: bytes = b""


@dataclass(slots=True)
class Outcome:
    """What a run printed, which files are new or changed, and why it was stopped, if it was."""

    logs: str
    made: list[ContainerFile]
    stopped: str = ""


def create(state: "State", name: str, memory_limit: str = "1g") -> Container:
    container = Container(state.new_id("cntr"), name, state.now, state.now, memory_limit)
    state.containers[container.id] = container
    return container


def find(state: "State", container_id: str) -> Container:
    """A container that is still there; ApiError for one that never was, or has expired."""
    container = state.containers.get(container_id)
    if container is None:
        raise ApiError(f"Container with id '{container_id}' not found.", code=GAP, status=404)
    if is_expired(container, state):
        raise ApiError(
            "Container is expired.",
            hint=f"A container lives for {container.minutes} minutes after its last use. "
            'Make a new one, or let {"type": "auto"} do it.',
        )
    return container


def is_expired(container: Container, state: "State") -> bool:
    return state.now - container.last_active_at > container.minutes * 60


def put(
    state: "State", container: Container, name: str, content: bytes, source: str
) -> ContainerFile:
    """Add a file, or replace the one of that name: what was made anew is another file."""
    stored = ContainerFile(state.new_id("cfile"), name, content, source, state.now)
    container.files[name] = stored
    return stored


def upload(state: "State", container: Container, filename: str, content: bytes) -> ContainerFile:
    """Put in a file of the user's, by a name that any system takes and that leads nowhere."""
    name = re.sub(r'[\x00-\x1f<>:"|?*]', "_", re.split(r"[\\/]", filename)[-1])
    name = name.encode()[-100:].decode("utf-8", "ignore").lstrip(".") or "file"
    if any(each.startswith(f"{name}/") for each in container.files):
        raise ApiError(f"The container has a folder named '{name}'.", code=GAP)
    return put(state, container, name, content, "user")


def copy_in(state: "State", container: Container, file_id: str) -> ContainerFile:
    """Put in a copy of an uploaded file; ApiError when there is none of that id."""
    stored = files.find(state, file_id)
    return upload(state, container, stored.body["filename"], stored.content)


def run(state: "State", container: Container, code: str) -> Outcome:
    """Run some Python in a container, and keep what it leaves unless it had to be stopped."""
    container.last_active_at = state.now
    given, known = dict(container.files), container.values
    with state.set_aside(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        own = Path(made).resolve()
        data, values = own / "data", own / "values"
        data.mkdir()
        for stored in given.values():
            path = data / stored.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(stored.content)
        values.write_bytes(known)
        printed, stopped = _execute(code.replace(ROOT, data.as_posix()), own)
        left, kept = _left_behind(data), values.read_bytes()
    logs = printed.decode("utf-8", "replace").replace("\r\n", "\n").replace(data.as_posix(), ROOT)
    if stopped:
        return Outcome(logs, [], stopped)
    container.values = kept
    made_now = [
        put(state, container, name, content, "assistant")
        for name, content in sorted(left.items())
        if name not in given or given[name].content != content
    ]
    container.files = {
        name: each
        for name, each in container.files.items()
        if name in left or given.get(name) is not each  # another request put it there meanwhile
    }
    return Outcome(logs, made_now)


def _execute(code: str, own: Path) -> tuple[bytes, str]:
    """What the process printed, and why it was stopped before its end."""
    given = (SCRIPT, own, get_path("purelib"), MEMORY, SECONDS + 1)
    bare = {"PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8", "OPENBLAS_NUM_THREADS": "1"}
    if sys.platform == "win32":
        bare["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    process = subprocess.Popen(
        [sys.executable, "-s", "-P", *map(str, given)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=own,
        env=bare,
        start_new_session=True,
    )
    kept = bytearray()
    reader = threading.Thread(target=_read, args=(process, kept), daemon=True)
    reader.start()
    assert process.stdin
    with contextlib.suppress(OSError), process.stdin as pipe:
        pipe.write(code.encode("utf-8", "replace"))
    try:
        stopped = _wait(process, own)
    finally:
        process.kill()
        process.wait()
    reader.join(1)
    if len(kept) > MOST_OUTPUT:
        stopped = f"Stopped: it printed more than {MOST_OUTPUT:,} bytes."
    elif process.returncode and not stopped:
        stopped = "Stopped: the process ended before its code did."
    return bytes(kept[:MOST_OUTPUT]), stopped


def _wait(process: "subprocess.Popen[bytes]", own: Path) -> str:
    """Wait for the end; why the process must be stopped, if it must."""
    until = time.monotonic() + SECONDS
    while True:
        try:
            process.wait(0.2)
            return ""
        except subprocess.TimeoutExpired:
            if time.monotonic() > until:
                return f"Stopped: it ran for more than {SECONDS} seconds."
            if sum(size for _, size in _files(own)) > MOST_LEFT:
                return f"Stopped: its files take more than {MOST_LEFT:,} bytes."


def _read(process: "subprocess.Popen[bytes]", kept: bytearray) -> None:
    """Read what is printed, and stop the process when it is too much."""
    assert process.stdout
    with process.stdout as pipe:
        while chunk := pipe.read(64 * 1024):
            kept += chunk
            if len(kept) > MOST_OUTPUT:
                process.kill()
                return


def _left_behind(folder: Path) -> dict[str, bytes]:
    """The files of a folder by name, as many as a container holds."""
    found: dict[str, bytes] = {}
    room = MOST_LEFT
    for path, _ in _files(folder):
        with contextlib.suppress(OSError), path.open("rb") as opened:
            content = found[path.relative_to(folder).as_posix()] = opened.read(room)
            room -= len(content)
    return found


def _files(folder: Path) -> Iterator[tuple[Path, int]]:
    """Regular files with a name in Unicode, and their sizes.

    A link may lead outside and is not followed, the folder itself included, if it was replaced by
    one. What is gone by the time it is looked at, or lies too deep, is passed over.
    """
    for where, _, names in os.walk(folder) if not folder.is_symlink() else ():
        for path in (Path(where, name) for name in names):
            with contextlib.suppress(OSError):
                found = path.lstat()
                if stat.S_ISREG(found.st_mode) and str(path.relative_to(folder)).isprintable():
                    yield path, found.st_size


def shown(container: Container, state: "State") -> Json:
    """The container as the API shows it."""
    return {
        "id": container.id,
        "object": "container",
        "created_at": container.created_at,
        "status": "expired" if is_expired(container, state) else "running",
        "expires_after": {"anchor": "last_active_at", "minutes": container.minutes},
        "last_active_at": container.last_active_at,
        "memory_limit": container.memory_limit,
        "name": container.name,
        "network_policy": {"type": "disabled"},
    }
