"""`course lab`: lay out work/, the learner's own copy of the notebooks, and open it in JupyterLab.

A file is replaced only while it is as the course laid it. What the learner has changed stays, and
the course's new version goes beside it as NAME.new.ipynb. A deleted file is laid again: for a
fresh copy, delete the file and run `lab` again. Files that the course no longer has stay.

It leaves out merging, and it looks at cells, not at outputs: a notebook that was run but not
edited is as the course laid it.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any

from .home import ROOT, WORK, CourseError, course_home

# As `python -m jupyterlab`, but without a traceback for a Ctrl-C while it starts.
JUPYTERLAB = """
import sys
try:
    from jupyterlab.labapp import main
    sys.exit(main())
except KeyboardInterrupt:
    sys.exit(130)
"""
LAID = ".course"  # the folder of work/ that keeps every file as it was laid


def lab(browser: bool, port: int) -> int:
    """Lay out the working copy, run JupyterLab until it ends, and return its exit code."""
    command, environment = jupyterlab_command(browser, port), jupyter_environment()
    for name, beside in lay_out().items():
        print(f"Yours stays: work/{name}. The course's new version of it is work/{beside}.")
    opens = "JupyterLab opens it in your browser; if that shows nothing, or an error, copy"
    print(
        f"Your working copy of the course is {WORK}, and what you change there stays. "
        f"{opens if browser else 'Copy'} the http://127.0.0.1 address from below into a browser. "
        "To stop, press Ctrl-C in this window.",
        flush=True,
    )
    return run_child(command, environment)


def jupyterlab_command(browser: bool = True, port: int = 0) -> list[str]:
    """The command that opens lesson 0; JupyterLab looks for a free port when it is 0."""
    import zmq

    command = [
        *(sys.executable, "-c", JUPYTERLAB),
        # The address is told at any level; warnings, such as of a notebook not signed, are not.
        *("--log-level=ERROR", "--LabApp.log_level=ERROR"),
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.root_dir={WORK}",
        "--ServerApp.answer_yes=True",  # one Ctrl-C stops it
        "--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb",
        "--LabApp.extension_manager=readonly",  # the other kind asks a package index
    ]
    if zmq.has("curve"):  # other users of the machine cannot listen
        command.append("--KernelManager.transport_encryption=auto")
    if port:
        command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    if not browser:
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    return command


def jupyter_environment() -> dict[str, str]:
    """This process's variables, with those that let a kernel find this Python and this course.

    A kernel named python3 that the user has elsewhere would come before the environment's own.
    """
    share = str(Path(sys.prefix, "share", "jupyter"))
    environment = dict(os.environ, JUPYTER_PREFER_ENV_PATH="1")
    for name, first in (("JUPYTER_PATH", share), ("PYTHONPATH", str(ROOT))):
        environment[name] = os.pathsep.join(filter(None, [first, os.environ.get(name)]))
    if "COURSE_HOME" in environment:  # it may be relative, and a kernel starts elsewhere
        environment["COURSE_HOME"] = str(course_home())
    return environment


def run_child(command: list[str], environment: dict[str, str]) -> int:
    """Run a command from the course's folder. Ctrl-C reaches it too, and it decides."""
    process = subprocess.Popen(command, env=environment, cwd=ROOT)
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            return process.wait()


def lay_out(course: Path = ROOT, work: Path = WORK) -> dict[str, str]:
    """Bring `work` up to date with the lessons, exercises and solutions in `course`.

    Returns the files with changes of the learner's of which there is a new version, each with the
    file that holds it. Raises CourseError when `work` cannot be written.
    """
    kept: dict[str, str] = {}
    parts = [course / part for part in ("notebooks", "exercises", "solutions")]
    try:
        for path in (path for part in parts for path in sorted(part.rglob("*"))):
            name = path.relative_to(course)
            if path.is_file() and not any(s.startswith((".", "__pycache__")) for s in name.parts):
                _bring(name.as_posix(), path.read_bytes(), work, kept)
    except OSError as error:
        raise CourseError(
            f"The working copy cannot be written ({error.filename or work}: {error.strerror}): "
            "move away what is in its place, free some disk space, or copy the course to a folder "
            "of your own."
        ) from None
    return kept


def _bring(name: str, data: bytes, work: Path, kept: dict[str, str]) -> None:
    """Lay or refresh one file; where the learner has changed it, offer the new version beside."""
    for place in _places(name):
        file, laid = work / place, work / LAID / place
        there, before, now = os.path.lexists(file), _read(laid), _edited(place, _read(file))
        if before == data and (there or place != name):
            return  # an offer may have been edited since then, or deleted
        as_laid = before is not None and now == _edited(place, before)
        if there and not as_laid and now != _edited(place, data):
            continue
        if as_laid or not there:  # else the learner, or a run that was cut short, put it there
            _write(file, data)
            kept |= {name: place} if place != name else {}
        _write(laid, data)
        return


def _places(name: str) -> Iterator[str]:
    """Where a file may go: to its name, else beside it."""
    yield name
    path = PurePosixPath(name)
    for number in count(1):
        mark = f".new{number if number > 1 else ''}"
        yield path.with_name(path.stem + mark + path.suffix).as_posix()


def _read(path: Path) -> bytes | None:
    """What is in a file; None where there is none, or none that can be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def _edited(name: str, data: bytes | None) -> Any:
    """What a person edits: of a notebook its cells, of another file every byte."""
    try:
        if data and name.endswith(".ipynb"):
            return [
                [cell["cell_type"], "".join(cell["source"]), cell.get("attachments")]
                for cell in json.loads(data)["cells"]
            ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass  # no notebook: whatever it is, it is not what the course laid
    return data


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
