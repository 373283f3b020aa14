"""`course check FILE`: run a notebook in a process of its own and check its tasks from here."""

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..checks import TASKS
from ..checks.report import Report
from ..checks.task import State, run_check
from ..home import ROOT, START, CourseError
from .channel import ChannelClosed, ChannelTimeout, PipeEnd
from .notebook_file import NotebookFile, read_notebook
from .submission import Submission, raised

START_SECONDS, CELLS_SECONDS, TASK_SECONDS = 60.0, 60.0, 20.0
SECRETS = ("OPENAI_", "COURSE_LIVE", "COURSE_MODEL")  # what these names begin is kept from it


def check_file(
    path: Path, cells_seconds: float = CELLS_SECONDS, task_seconds: float = TASK_SECONDS
) -> int:
    """Print a report for each task of the notebook; 0 when all of them pass, else 1.

    Raises CourseError for a file that cannot be read, and for cells that do not end.
    """
    notebook = read_notebook(path)
    task_ids = [task_id for task_id in notebook.task_ids if task_id in TASKS]
    if not task_ids:
        raise CourseError(
            f"{path} checks no task: no cell calls check(…) with a known id "
            f"({', '.join(TASKS)}). Give an exercise notebook."
        )
    results = []
    for task_id in task_ids:
        # A process for each task, so that one that hangs or dies costs nothing but itself.
        with piped_submission(notebook, cells_seconds, task_seconds) as (submission, troubles):
            if submission.over is not None:
                raise CourseError(f"{path} could not be checked. {troubles[-1]}")
            results.append(run_check(TASKS[task_id], submission))
        if len(results) == 1:
            for line in troubles:
                print(line)
        print(Report(results[-1]))
    earned, possible = sum(r.points for r in results), sum(r.task.points for r in results)
    passed = sum(result.state is State.PASSED for result in results)
    print(f"\n{path.name}: {passed} of {len(results)} tasks passed, {earned} of {possible} points")
    return 0 if passed == len(results) else 1


@contextmanager
def piped_submission(
    notebook: NotebookFile,
    cells_seconds: float = CELLS_SECONDS,
    task_seconds: float = TASK_SECONDS,
) -> Iterator[tuple[Submission, list[str]]]:
    """A submission behind a pipe, and a sentence for each of its cells that went wrong.

    cells_seconds   for all cells together
    task_seconds    for each question of a check
    The submission is over before it begins when a cell hangs or ends the process; the last
    sentence says so. This is a process of its own, not a sandbox: it can do what its user can do.
    """
    child = _start(notebook.path.resolve().parent)
    assert child.stdin is not None and isinstance(child.stdout, io.RawIOBase)
    submission = Submission()
    end = PipeEnd(
        io.BufferedReader(child.stdout),
        child.stdin,
        asked=lambda question: end.reply(submission.answer(question)),
    )
    submission.ask = lambda question: end.ask(question, task_seconds)
    try:
        yield submission, _run_cells(notebook, end, submission, cells_seconds)
    finally:
        _stop(child)


def _start(folder: Path) -> "subprocess.Popen[bytes]":
    environment = {k: v for k, v in os.environ.items() if not k.upper().startswith(SECRETS)}
    environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(ROOT), environment.get("PYTHONPATH")])
    )
    return subprocess.Popen(
        # -P: a folder of somebody else's must not provide the modules that Python starts with.
        [sys.executable, "-P", "-m", "course_lib.grading.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment,
        bufsize=0,  # so that closing its standard input never waits for a write
        start_new_session=True,  # a group, to be ended as a whole
    )


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
            reply = end.ask({"do": "run", "cell": cell}, deadline - time.monotonic())
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
