"""One process for what a model wrote: started confined, watched, and ended with all it started.

`confined.py` is the script it runs, and says what it may do. Here is what it may take: time,
memory, room on the disk, processes, and how much it may print.
"""

import contextlib
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from sysconfig import get_path
from typing import IO

SCRIPT = Path(__file__).with_name("confined.py")
SECONDS = 10  # for one call, the start of the process included
MEMORY = 1024**3  # bytes, whatever the container's own limit says
MOST_OUTPUT = 256 * 1024  # bytes of what the code prints
MOST_LEFT = 64 * 1024 * 1024  # bytes of files
BLOCK = 4096  # bytes that the smallest file takes
MOST_PROCESSES = 64  # at once
LATE = "Stopped: it ran for more than"
# Where this machine has what the code is told to have elsewhere.
ELSEWHERE = {get_path("purelib"): "/usr/lib/python3/dist-packages", sys.base_prefix: "/usr"}


@dataclass(slots=True)
class Ended:
    """What a process printed, how it ended, and why it was stopped, if it was."""

    stdout: str
    stderr: str
    exit_code: int | None  # None where its time was over
    stopped: str


def execute(kind: str, code: str, own: Path, until: float) -> Ended:
    """Run some Python or a command in the folders below `own`, until a time by the clock."""
    seconds = max(until - time.monotonic(), 0)
    given = (SCRIPT, kind, own, get_path("purelib"), MEMORY, int(seconds) + 2)
    process = subprocess.Popen(
        [sys.executable, "-s", "-P", *map(str, given)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=own,
        env=_environment(own),
        start_new_session=True,
    )
    assert process.stdin and process.stdout and process.stderr
    printed = bytearray(), bytearray()
    pipes = zip((process.stdout, process.stderr), printed, strict=True)
    readers = [threading.Thread(target=_read, args=each, daemon=True) for each in pipes]
    for reader in readers:
        reader.start()
    stopped = ""
    try:
        with contextlib.suppress(OSError), process.stdin as pipe:
            pipe.write(code.encode("utf-8", "replace"))
        while process.poll() is None and not stopped:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(min(0.1, max(until - time.monotonic(), 0)))
            stopped = _excess(process.pid, own, printed)
            if not stopped and process.poll() is None and time.monotonic() >= until:
                stopped = f"{LATE} {seconds:.0f} seconds."
    finally:
        _end(process)
    for reader in readers:
        reader.join(1)
    stopped = stopped or _excess(process.pid, own, printed)
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    exit_code = None if stopped.startswith(LATE) else status
    return Ended(_text(printed[0]), _text(printed[1]), exit_code, stopped)


def _environment(own: Path) -> dict[str, str]:
    """All that the code learns of this machine's environment: nothing that is the user's."""
    bare = {"PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8", "OPENBLAS_NUM_THREADS": "1"}
    if sys.platform == "win32":
        return bare | {"SYSTEMROOT": os.environ["SYSTEMROOT"]}
    path = f"{sys.base_prefix}/bin:/usr/local/bin:/usr/bin:/bin"
    folders = {"HOME": str(own / "data"), "TMPDIR": str(own / "tmp"), "PATH": path}
    return bare | folders | {"LC_ALL": "C.UTF-8", "TZ": "UTC"}


def _excess(group: int, own: Path, printed: tuple[bytearray, bytearray]) -> str:
    """What the processes of a group take too much of, if they do."""
    processes, memory = _group(group)
    sizes = (size for folder in ("data", "tmp") for _, size in files_below(own / folder))
    held = sum(max(size, BLOCK) for size in sizes)
    for taken, most, told in (
        (max(map(len, printed)), MOST_OUTPUT, "it printed more than {:,} bytes"),
        (held, MOST_LEFT, "its files take more than {:,} bytes"),
        (processes, MOST_PROCESSES, "it started more than {} processes"),
        (memory, MEMORY, "its processes take more than {:,} bytes of memory"),
    ):
        if taken > most:
            return f"Stopped: {told.format(most)}."
    return ""


def _group(leader: int) -> tuple[int, int]:
    """How many processes a group has, and their bytes of memory, where the system tells it."""
    count = memory = 0
    for path in Path("/proc").glob("[0-9]*/stat") if sys.platform == "linux" else ():
        with contextlib.suppress(OSError):
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
            if int(fields[2]) == leader:
                count, memory = count + 1, memory + int(fields[21]) * os.sysconf("SC_PAGESIZE")
    return count, memory


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the process and all it has started: they cannot leave its group (`confined.py`)."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.killpg(process.pid, 9)
    process.kill()
    process.wait()


def _read(pipe: IO[bytes], printed: bytearray) -> None:
    """Read what is printed, until it is too much."""
    with pipe:
        while len(printed) <= MOST_OUTPUT and (chunk := pipe.read(64 * 1024)):
            printed += chunk


def _text(printed: bytearray) -> str:
    return printed[:MOST_OUTPUT].decode("utf-8", "replace").replace("\r\n", "\n")


def files_below(folder: Path) -> Iterator[tuple[Path, int]]:
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
