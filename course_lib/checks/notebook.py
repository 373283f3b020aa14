"""`check` and `hint`, as a cell calls them."""

import _thread
import io
import json
import os
import signal
import sys
import textwrap
import threading
from collections.abc import Callable
from contextlib import nullcontext, redirect_stderr
from types import FrameType
from typing import Any

from ..grading.probe import FailedCells, Interrupt, Probe
from ..grading.submission import ChannelTimeout, Submission
from ..home import CourseError
from ..platform.errors import Json
from .progress import record
from .report import WIDTH, Report
from .task import TASKS, Task, run_check

SECONDS = 20.0  # for each question of a check, in a notebook
_hints_given: dict[str, int] = {}
_under_way: list[str] = []  # the task being checked


class NotPassed(CourseError):
    """Raised by `check` where nbgrader runs the notebook; says what the report says."""


def check(task_id: str) -> "Report | int | None":
    """Check your answer to a task, here and now, and say what was right and what was not.

    Called by the very code that is being checked, it does nothing, as in a grader's process.
    Where nbgrader runs the notebook, it prints the report and returns the points, the form in
    which nbgrader takes them; it raises NotPassed when there are none.
    """
    task = find_task(task_id)
    if _under_way:
        return None
    by_nbgrader = "NBGRADER_EXECUTION" in os.environ
    _under_way.append(task_id)
    try:
        # nbgrader takes anything on stderr for a failure, a warning of the learner's code too.
        with redirect_stderr(io.StringIO()) if by_nbgrader else nullcontext():
            submission = direct_submission(_callers_names())
            report = Report(run_check(task, submission), task.hints[_hints_given.get(task_id, 0) :])
    finally:
        _under_way.clear()
    if not by_nbgrader:
        record(report.result, os.environ.get("JPY_SESSION_NAME", ""))  # as JupyterLab sets it
        return report
    if not report.result.points:
        raise NotPassed(repr(report))
    print(report)
    return report.result.points


def hint(task_id: str) -> None:
    """Print the next hint for a task; after the last one, all of them again.

    What was given is counted in this kernel and nowhere else: a notebook that is run from the top
    prints the same every time, and nobody's record says how much help they took.
    """
    task = find_task(task_id)
    given = _hints_given.get(task_id, 0)
    if given == len(task.hints):
        print(f"{task_id} has no further hint. All of them again:")
    shown = task.hints if given == len(task.hints) else task.hints[given : given + 1]
    for number, text in enumerate(task.hints, 1):
        if text in shown:
            words = f"Hint {number} of {len(task.hints)}: {text}"
            print(textwrap.fill(words, WIDTH, subsequent_indent="    "))
    _hints_given[task_id] = min(given + 1, len(task.hints))


def find_task(task_id: str) -> Task:
    """The task with this id; CourseError with the ids there are when there is none."""
    found = TASKS.get(task_id)
    if found is None:
        raise CourseError(f"There is no task '{task_id}'. There are: {', '.join(TASKS)}.")
    return found


def direct_submission(namespace: dict[str, Any], seconds: float = SECONDS) -> Submission:
    """A submission in this process: the learner's names are right here.

    All the same, what crosses goes through JSON, so that neither side can change the other's
    data, and the check sees what a grader's check would see.
    """

    def ask(question: Json) -> Json:
        return _within(seconds, lambda: _copied(probe.answer(_copied(question))), namespace)

    submission = Submission(ask)
    failed = _failed_cells.error if _failed_cells else lambda name: None
    probe = Probe(namespace, lambda question: _copied(submission.answer(_copied(question))), failed)
    return submission


def _copied(data: Json) -> Json:
    copy: Json = json.loads(json.dumps(data))
    return copy


def _shell() -> Any:
    """The IPython that runs the notebook; None outside of one."""
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


_failed_cells = FailedCells(_shell()) if _shell() else None  # watches from the import on


def _callers_names() -> dict[str, Any]:
    """The names of the notebook, or of the module that called `check`."""
    names: dict[str, Any] = shell.user_ns if (shell := _shell()) else sys._getframe(2).f_globals
    return names


def _within(seconds: float, call: Callable[[], Json], names: dict[str, Any]) -> Json:
    """Call, and interrupt the learner's code after `seconds`, as the stop button would.

    `names` are those of that code. An interrupt is told from a KeyboardInterrupt that the code
    raises by itself. Only the main thread can be interrupted; a check called from another one has
    no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        return call()
    expired = finished = False
    deciding = threading.Lock()  # either the code finished or its time is up, not both

    def interrupt(number: int, frame: FrameType | None) -> None:
        if not finished:
            while frame and frame.f_code is not _within.__code__ and frame.f_globals is not names:
                frame = frame.f_back
            if frame and frame.f_globals is names:
                # There a bare `except:` may swallow it: once more, then. That is iterated, not
                # called, for after a call Python looks for interrupts, before it comes to `raise`.
                [*iter(_thread.interrupt_main, None)]
            raise Interrupt

    def expire() -> None:
        nonlocal expired
        with deciding:
            if finished:
                return
            expired = True
            if hasattr(signal, "pthread_kill"):  # wakes a sleeping call too; not on Windows
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            else:
                signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(seconds, expire)
    timer.daemon = True
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        try:
            timer.start()
            return call()
        finally:
            with deciding:
                finished = True
    except Interrupt:
        finished = True  # it may have come before the line above that says so
        if expired:
            raise ChannelTimeout from None
        raise KeyboardInterrupt from None  # the learner pressed stop
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
