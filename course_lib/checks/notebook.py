"""`check` and `hint`, as a cell calls them."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..grading.channel import ChannelTimeout, Json
from ..grading.probe import Probe
from ..grading.submission import Submission
from ..home import CourseError
from .report import Report
from .task import TASKS, Task, run_check

SECONDS = 20.0  # for one task, in a notebook
_hints_given: dict[str, int] = {}


def check(task_id: str) -> Report:
    """Check your answer to a task, here and now, and say what was right and what was not."""
    task = find_task(task_id)
    return Report(run_check(task, direct_submission(_callers_names())))


def hint(task_id: str) -> None:
    """Print the next hint for a task; after the last one, all of them again."""
    task = find_task(task_id)
    given = _hints_given.get(task_id, 0)
    if given == len(task.hints):
        print(f"{task_id} has no further hint. All of them again:")
    shown = task.hints if given == len(task.hints) else task.hints[given : given + 1]
    for number, text in enumerate(task.hints, 1):
        if text in shown:
            print(f"Hint {number} of {len(task.hints)}: {text}")
    _hints_given[task_id] = min(given + 1, len(task.hints))


def find_task(task_id: str) -> Task:
    """The task with this id; CourseError with the ids there are when there is none."""
    found = TASKS.get(task_id)
    if found is None:
        raise CourseError(f"There is no task '{task_id}'. There are: {', '.join(TASKS)}.")
    return found


def direct_submission(namespace: dict[str, Any], seconds: float = SECONDS) -> Submission:
    """A submission in this process: the learner's names are right here."""
    submission = Submission()
    probe = Probe(namespace, submission.answer)

    def ask(question: Json) -> Json:
        with _limit(seconds):
            return probe.answer(question)

    submission.ask = ask
    return submission


def _callers_names() -> dict[str, Any]:
    """The names of the notebook, or of the module that called `check`."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    names: dict[str, Any] = shell.user_ns if shell else sys._getframe(2).f_globals
    return names


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Interrupt the learner's code after `seconds`, as the stop button would.

    Only the main thread can be interrupted; a check called from another one has no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    expired = threading.Event()

    def interrupt() -> None:
        expired.set()
        if hasattr(signal, "pthread_kill"):  # wakes a sleeping call too; Windows has no such thing
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    except KeyboardInterrupt:
        if not expired.is_set():
            raise  # the learner pressed stop
        raise ChannelTimeout from None
    finally:
        timer.cancel()
