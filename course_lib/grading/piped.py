"""A submission behind a pipe: its notebook runs in a process of its own."""

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..home import ROOT, START, CourseError
from .channel import ChannelClosed, ChannelTimeout, Json, PipeEnd
from .notebook_file import NotebookFile
from .submission import Submission, raised

MEMORY = 2 * 1024**3
START_SECONDS, CELLS_SECONDS, TASK_SECONDS = 60.0, 60.0, 20.0
SECRETS = ("OPENAI_", "COURSE_LIVE", "COURSE_MODEL")  # what these names begin is kept from it


@contextmanager
def piped_submission(
    notebook: NotebookFile,
    cells_seconds: float = CELLS_SECONDS,
    task_seconds: float = TASK_SECONDS,
    memory: int = MEMORY,
) -> Iterator[tuple[Submission, list[str]]]:
    """A submission behind a pipe, and a sentence for each of its cells that went wrong.

    cells_seconds   for all cells together
    task_seconds    for each question of a check
    memory          bytes of data, where the system can hold a process to that (Linux)
    The submission is over before it begins when a cell hangs or ends the process; the last
    sentence says so. This is a process of its own, not a sandbox: it can do what its user can do.
    """
    child = _start(notebook.path.resolve().parent, memory)
    assert child.stdin is not None and isinstance(child.stdout, io.RawIOBase)
    submission = Submission()
    end = PipeEnd(
        io.BufferedReader(child.stdout),
        child.stdin,
        asked=lambda question: end.reply(submission.answer(question)),
    )

    def ask(question: Json) -> Json:
        try:
            return end.ask(question, task_seconds)
        except ChannelClosed:
            raise ChannelClosed(_ending(child)) from None

    submission.ask = ask
    try:
        yield submission, _run_cells(notebook, end, submission, cells_seconds)
    finally:
        _stop(child)


def _start(folder: Path, memory: int) -> "subprocess.Popen[bytes]":
    environment = {k: v for k, v in os.environ.items() if not k.upper().startswith(SECRETS)}
    environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(ROOT), environment.get("PYTHONPATH")])
    )
    return subprocess.Popen(
        # -P: a folder of somebody else's must not provide the modules that Python starts with.
        [sys.executable, "-P", "-m", "course_lib.grading.child", str(memory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment,
        bufsize=0,  # so that closing its standard input never waits for a write
        start_new_session=True,  # a group, to be ended as a whole
    )


def _ending(child: "subprocess.Popen[bytes]") -> str:
    """How the process ended; nothing when it did not, and only stopped to talk."""
    try:
        code = child.wait(1)
    except subprocess.TimeoutExpired:
        return ""
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _stop(child: "subprocess.Popen[bytes]") -> None:
    """End the process and what it started. The reading thread closes its standard output."""
    if hasattr(os, "killpg"):
        with suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.wait()
    assert child.stdin is not None
    with suppress(OSError):
        child.stdin.close()


def _run_cells(
    notebook: NotebookFile, end: PipeEnd, submission: Submission, seconds: float
) -> list[str]:
    """Run the cells in order; a sentence for each that went wrong."""
    try:
        end.ask({"do": "run", "cell": ""}, START_SECONDS)  # a new process takes its time
    except (ChannelClosed, ChannelTimeout):
        raise CourseError(
            f"The process that runs a notebook does not start. Run `{START} doctor`."
        ) from None
    troubles = []
    deadline = time.monotonic() + seconds
    for number, cell in enumerate(notebook.cells, 1):
        try:
            reply = end.ask({"do": "run", "cell": cell}, max(0.0, deadline - time.monotonic()))
            if error := reply.get("raised"):
                troubles.append(f"Code cell {number} raised {raised(error)}")
        except (ChannelTimeout, ChannelClosed) as over:
            submission.over, submission.reached = over, f"code cell {number}"
            troubles.append(
                f"Code cell {number} did not finish: all cells together have {seconds:g} seconds. "
                "Look for a loop that has no end."
                if isinstance(over, ChannelTimeout)
                else f"Code cell {number} ended the process that ran it."
            )
            break
    return troubles
