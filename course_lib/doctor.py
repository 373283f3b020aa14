"""`course doctor`: look for what on this machine may get in the learner's way.

Each check is a function that returns one finding; one that raises is a finding too. Together they
start one kernel, open one port on loopback, and make the folder for progress. They reach no other
machine and print no secret: of a variable that may hold one, only the name.
"""

import importlib.metadata
import os
import shutil
import socket
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from subprocess import DEVNULL

from .home import ROOT, START, WORK, CourseError, course_home, ensure_writable
from .lab import jupyter_environment

GIGABYTE = 1_000_000_000
KERNEL_SECONDS = 60  # a first start on a slow machine compiles hundreds of files
LOCK = ROOT / "requirements" / "learner.txt"
REMAKE = f"Delete the folder .venv and run `{START}`."


class State(StrEnum):
    """How a check came out. Only a problem makes the exit code 1."""

    OK = "ok"
    NOTE = "note"
    PROBLEM = "to do"


@dataclass(frozen=True)
class Finding:
    """One line of the table."""

    state: State
    what: str
    """What was found."""
    remedy: str = ""
    """What to do; empty when all is well."""


def check_python() -> Finding:
    """The version, and whether this is the environment that start.py made."""
    what = f"{sys.version.split()[0]} in {sys.prefix}"
    if Path(sys.prefix).resolve() != (ROOT / ".venv").resolve():
        remedy = f"The course's own environment is opened by `{START}`."
        return Finding(State.NOTE, what, remedy)
    return Finding(State.OK, what)


def check_packages(lock: Path = LOCK) -> Finding:
    """The installed versions against those of the lock that apply on this machine."""
    from packaging.requirements import Requirement

    wrong, total = [], 0
    for line in lock.read_text(encoding="utf-8").splitlines():
        if not line[:1].isalnum():
            continue  # a hash or a comment
        pin = Requirement(line.removesuffix("\\"))
        if pin.marker and not pin.marker.evaluate():
            continue
        total += 1
        try:
            version = importlib.metadata.version(pin.name)
        except importlib.metadata.PackageNotFoundError:
            wrong.append(f"{pin.name} is missing")
        else:
            if not pin.specifier.contains(version, prereleases=True):
                wrong.append(f"{pin.name} is {version}, not {pin.specifier}")
    if wrong:
        what = f"{len(wrong)} of {total} are not as locked: {_some(wrong)}"
        return Finding(State.PROBLEM, what, REMAKE)
    return Finding(State.OK, f"{total}, each in its locked version")


def check_kernel() -> Finding:
    """Start a kernel as JupyterLab does, and ask it for a sum, its Python and its course."""
    code = (
        "import importlib.util, pathlib, sys\n"
        "course = pathlib.Path(importlib.util.find_spec('course_lib').origin).parents[1]\n"
        "print(1 + 1, pathlib.Path(sys.prefix).resolve(), course.resolve(), sep='\\n')"
    )
    answer = _ask_kernel(code).splitlines()
    if answer == ["2", str(Path(sys.prefix).resolve()), str(ROOT)]:
        return Finding(State.OK, "it starts, adds 1 + 1 and finds the course")
    what = f"the kernel python3 is not this Python with this course: {' '.join(answer) or 'mute'}"
    return Finding(State.PROBLEM, what, REMAKE)


def check_loopback() -> Finding:
    """Listen on a free port of 127.0.0.1 and connect to it, as browser, kernel and server do."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(5)
            with socket.create_connection(server.getsockname(), timeout=5) as client:
                server.accept()[0].close()
                port = client.getpeername()[1]
    except OSError as error:
        what = f"127.0.0.1 does not answer ({error})"
        remedy = "Let the firewall or security software allow Python connections to 127.0.0.1."
        return Finding(State.PROBLEM, what, remedy)
    return Finding(State.OK, f"port {port} of 127.0.0.1 answered")


def check_proxies() -> Finding:
    """Whether a proxy is set, and kept out of connections to this machine."""
    kinds = sorted(kind for kind in urllib.request.getproxies() if kind != "no")
    if not kinds:
        return Finding(State.OK, "none set")
    what = f"set for {', '.join(kinds)}"
    if all(urllib.request.proxy_bypass(host) for host in ("127.0.0.1", "localhost")):
        return Finding(State.OK, f"{what}, and not for this machine")
    remedy = "Set NO_PROXY=127.0.0.1,localhost (add to what it holds)."
    return Finding(State.PROBLEM, f"{what}, and for this machine too", remedy)


def check_live() -> Finding:
    """Whether notebooks stay offline, and whether what they need to go live is there."""
    from .live import is_live

    has_key = bool(os.environ.get("OPENAI_API_KEY"))
    try:
        live = is_live()
    except CourseError:
        remedy = "Set it to 1 to go live, or to 0 to stay offline."
        return Finding(State.PROBLEM, "COURSE_LIVE is neither 1 nor 0", remedy)
    if live and not has_key:
        what = "COURSE_LIVE=1 is set, OPENAI_API_KEY is not"
        remedy = "Set the key, or unset COURSE_LIVE to stay offline."
        return Finding(State.PROBLEM, what, remedy)
    if live:
        where = "OPENAI_BASE_URL" if os.environ.get("OPENAI_BASE_URL") else "the real API"
        what = f"COURSE_LIVE=1: notebooks call {where}, which may cost money"
        return Finding(State.NOTE, what, "Unset COURSE_LIVE to stay offline.")
    if has_key:
        what = "offline; OPENAI_API_KEY is set and not used"
        return Finding(State.NOTE, what, "Nothing. COURSE_LIVE=1 would use it.")
    return Finding(State.OK, "offline; no key is needed")


def check_disk() -> Finding:
    """The free space where the course is."""
    free = shutil.disk_usage(ROOT).free
    what = f"{free / GIGABYTE:.1f} GB free"
    if free < GIGABYTE:
        return Finding(State.PROBLEM, what, "Make room: the course needs 1 GB.")
    return Finding(State.OK, what)


def check_home() -> Finding:
    """Whether progress can be written."""
    return Finding(State.OK, f"kept in {course_home()}")


def check_work(work: Path = WORK) -> Finding:
    """Whether the working copy can be written, or made."""
    try:
        ensure_writable(work if os.path.lexists(work) else work.parent)
    except OSError as error:
        what = f"{work} cannot be written ({error.strerror})"
        remedy = "Copy the course to a folder of your own."
        return Finding(State.PROBLEM, what, remedy)
    what = f"{work}" if work.exists() else f"not there yet; `{START} lab` makes it"
    return Finding(State.OK, what)


CHECKS = {
    "Python": check_python,
    "Packages": check_packages,
    "Kernel": check_kernel,
    "Loopback": check_loopback,
    "Proxies": check_proxies,
    "Live": check_live,
    "Disk": check_disk,
    "Progress": check_home,
    "Working copy": check_work,
}


def doctor() -> int:
    """Print a finding for each check; 0 when nothing has to be done, else 1."""
    if find_spec("rich") is None:
        raise CourseError(f"The course's packages are not in {sys.prefix}. {REMAKE}")
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    console.print("Looking at this machine; a kernel is started, which takes some seconds.")
    findings = {name: _finding(check) for name, check in CHECKS.items()}
    marks, colours = _marks(console.encoding), {"ok": "green", "note": "yellow", "to do": "red"}
    table = Table()
    for heading in ("", "What", "Found", "What to do"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "")
    for name, finding in findings.items():
        state = Text(f"{marks[finding.state]}{finding.state}", style=colours[finding.state])
        # Text, because square brackets in a path would be read as markup.
        table.add_row(state, *map(Text, (name, finding.what, finding.remedy)))
    console.print(table)
    problems = sum(finding.state is State.PROBLEM for finding in findings.values())
    console.print(f"To do: {problems}." if problems else "Nothing to do.", highlight=False)
    return 1 if problems else 0


def _finding(check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except CourseError as error:
        return Finding(State.PROBLEM, "not as it must be", str(error))
    except Exception as error:  # a doctor that dies of what it looks for is of no use
        what = f"not known: {type(error).__name__}: {error}".replace("\n", " ")
        return Finding(State.PROBLEM, what, REMAKE)


def _marks(encoding: str) -> dict[State, str]:
    """A mark before each state, where the terminal can print it; the word is always there."""
    marks = {State.OK: "✓ ", State.NOTE: "• ", State.PROBLEM: "✗ "}
    try:
        "".join(marks.values()).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return dict.fromkeys(marks, "")
    return marks


def _some(items: list[str], most: int = 3) -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


def _ask_kernel(code: str) -> str:
    """Run code in a kernel of its own, started as JupyterLab starts one; return what it prints."""
    from jupyter_client.manager import start_new_kernel

    printed: list[str] = []
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        _environment(jupyter_environment()),
    ):
        manager, client = start_new_kernel(
            KERNEL_SECONDS, "python3", cwd=folder, stdout=DEVNULL, stderr=DEVNULL
        )
        try:
            client.execute_interactive(
                code,
                timeout=KERNEL_SECONDS,
                output_hook=lambda message: printed.append(message["content"].get("text", "")),
            )
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    return "".join(printed)


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Give this process other variables for a while: Jupyter looks for kernels by its own."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
