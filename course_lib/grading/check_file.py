"""`course check FILE`: run a notebook in a process of its own and check its tasks from here."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..checks import TASKS
from ..checks.report import Report
from ..checks.task import State, run_check
from ..home import ROOT, CourseError
from .channel import ChannelClosed, ChannelTimeout, PipeEnd
from .notebook_file import NotebookFile, read_notebook
from .submission import Submission

START_SECONDS, TASK_SECONDS = 60.0, 20.0
SECRETS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "COURSE_LIVE", "COURSE_MODEL")


def check_file(path: Path) -> int:
    """Print a report for each task of the notebook; 0 when all of them pass, else 1."""
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
        with piped_submission(notebook) as (submission, cell_errors):
            results.append(run_check(TASKS[task_id], submission))
        if len(results) == 1:
            for line in cell_errors:
                print(line)
        print(Report(results[-1]))
    earned, possible = sum(r.points for r in results), sum(r.task.points for r in results)
    passed = sum(result.state is State.PASSED for result in results)
    print(f"\n{path.name}: {passed} of {len(results)} tasks passed, {earned} of {possible} points")
    return 0 if passed == len(results) else 1


@contextmanager
def piped_submission(notebook: NotebookFile) -> Iterator[tuple[Submission, list[str]]]:
    """A submission behind a pipe, and a line for each of its cells that raised.

    This is a process of its own, not a sandbox: it can do what its user can do.
    """
    environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
    environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(ROOT), environment.get("PYTHONPATH")])
    )
    child = subprocess.Popen(
        [sys.executable, "-m", "course_lib.grading.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=notebook.path.resolve().parent,
        env=environment,
    )
    assert child.stdin is not None and child.stdout is not None
    submission = Submission()
    end = PipeEnd(child.stdout, child.stdin, submission.answer)
    submission.ask = lambda question: end.ask(question, TASK_SECONDS)
    try:
        errors: list[str] = []
        # A cell that hangs or kills the process shows in the first question of the check.
        with suppress(ChannelTimeout, ChannelClosed):
            reply = end.ask({"do": "run", "cells": notebook.cells}, START_SECONDS)
            failed = enumerate(reply["failed"], 1)
            errors = [f"Code cell {number} raised {error}" for number, error in failed if error]
        yield submission, errors
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
        with suppress(OSError):
            child.stdin.close()
