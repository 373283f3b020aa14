"""`course doctor`: look for what on this machine may get in the learner's way.

Each check is a function: it returns what it found, or raises CourseError with what has to be done.
Together they start one kernel, and make the folder for progress. They reach no other machine and
print no secret: of a variable that may hold one, only the name.
"""

import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path

from .home import ROOT, START, WORK, CourseError, course_home
from .lab import jupyter_environment

KERNEL_SECONDS = 120  # a first start on a slow machine compiles hundreds of files
REMAKE = f"Delete the folder .venv and run `{START}`."
if os.environ.get("PYTHONPATH"):  # what lies there comes before what is in .venv
    REMAKE = f"Unset PYTHONPATH. If that does not help: {REMAKE}"


def check_packages(lock: Path = ROOT / "requirements" / "learner.txt") -> str:
    """The installed versions against those of the lock that apply on this machine."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    there: dict[str, str] = {}
    for each in distributions():  # of two, the first is imported
        there.setdefault(canonicalize_name(each.name), each.version)
    lines = lock.read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line.removesuffix("\\")) for line in lines if line[:1].isalnum()]
    pins = [pin for pin in pins if pin.marker is None or pin.marker.evaluate()]
    wrong = [
        f"{pin.name}{pin.specifier} ({version or 'missing'})"
        for pin in pins
        if not pin.specifier.contains(version := there.get(pin.name, ""), prereleases=True)
    ]
    if wrong:
        named = ", ".join(wrong[:3]) + (", …" if wrong[3:] else "")
        raise CourseError(f"{len(wrong)} of {len(pins)} are not as locked: {named}. {REMAKE}")
    return f"{len(pins)}, each in its locked version"


def check_kernel() -> str:
    """Start a kernel as JupyterLab does, and ask it for a sum, its Python and its course."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        done = subprocess.run(
            [sys.executable, "-m", "jupyter_client.runapp", "--kernel=python3"],
            input="import sys, course_lib.home as home; print(1 + 1, sys.prefix, home.ROOT)",
            cwd=folder,
            env=jupyter_environment() | {"PYTHONUTF8": "1"},  # it tells paths
            capture_output=True,
            encoding="utf-8",
            timeout=KERNEL_SECONDS,
        )
    said = " ".join(done.stdout.split())
    if said != f"2 {sys.prefix} {ROOT}":
        said = said or "".join(done.stderr.strip().splitlines()[-1:])
        raise CourseError(
            f"The kernel python3 is not this Python with this course, it says '{said}'. {REMAKE} "
            "If it says nothing, let security software allow Python connections to 127.0.0.1."
        )
    return "it starts, adds 1 + 1 and finds the course"


def check_proxies() -> str:
    """Whether a proxy is set, and kept out of connections to this machine."""
    kinds = sorted(kind for kind in urllib.request.getproxies() if kind != "no")
    if not kinds:
        return "none set"
    found = f"set for {', '.join(kinds)}"
    if all(urllib.request.proxy_bypass(host) for host in ("127.0.0.1", "localhost")):
        return f"{found}, and not for this machine"
    raise CourseError(f"{found}, this machine too: add 127.0.0.1,localhost to NO_PROXY.")


def check_live() -> str:
    """Whether notebooks stay offline, and whether what they need to go live is there."""
    from .live import is_live

    if is_live():
        where = "OPENAI_BASE_URL" if os.environ.get("OPENAI_BASE_URL") else "the real API"
        return f"notebooks call {where}, which may cost money; unset COURSE_LIVE to stay offline"
    return "offline; no key is needed, and none is used"


def check_writable(folder: Path) -> str:
    """Whether a folder can be written, or made. Permission bits are not enough to know: a disk may
    be full or read-only, and Windows keeps its rights elsewhere."""
    try:
        with tempfile.TemporaryFile(
            dir=folder if os.path.lexists(folder) else folder.parent
        ) as file:
            file.write(b"0")
    except OSError as error:
        raise CourseError(
            f"{folder} cannot be written ({error.strerror}): copy the course to a folder of your "
            "own, or set COURSE_HOME to one for your progress."
        ) from None
    return f"{folder}{'' if folder.exists() else ', not there yet'}"


CHECKS: dict[str, Callable[[], str]] = {
    "Packages": check_packages,
    "Kernel": check_kernel,
    "Proxies": check_proxies,
    "Live": check_live,
    "Progress": lambda: check_writable(course_home()),
    "Working copy": lambda: check_writable(WORK),
}


def doctor() -> int:
    """Print a line for each check; 0 when nothing has to be done, else 1."""
    python = f"Python {sys.version.split()[0]} in {sys.prefix}"
    print(f"Looking at this machine, with {python}; it takes some seconds.", flush=True)
    problems = 0
    for name, check in CHECKS.items():
        try:
            state, found = "ok", check()
        except CourseError as error:
            state, found = "to do", str(error)
        except Exception as error:  # a doctor that dies of what it looks for is of no use
            state, found = "to do", f"not known: {type(error).__name__}: {error} {REMAKE}"
        problems += state != "ok"
        print(f" {state:5}  {name:12}  {' '.join(found.split())}", flush=True)
    print(f"To do: {problems}." if problems else "Nothing to do.")
    return 1 if problems else 0
