"""The two ways from a check to an answer: they must not differ in anything a learner sees."""

import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from course_lib.checks.notebook import direct_submission
from course_lib.checks.task import Result, Task, run_check
from course_lib.grading.notebooks import NotebookFile
from course_lib.grading.piped import piped_submission
from course_lib.grading.submission import Submission

Way = Callable[[Task, str], Result]

SUBMISSION_FILE = "<ipython-input>"  # named as a cell is
SECONDS = 20.0  # for one question; a test of what hangs gives less

# A client that is told to wait does not: what it was told is looked at, not how long it took.
IMPATIENT = (
    "import time, types, openai._base_client as client\n"
    "client.time = types.SimpleNamespace(time=time.time, sleep=lambda seconds: None)"
)
# As %reset does, but for the collection of garbage, which takes longer than most checks.
EMPTIED = """
def _empty(shell):
    for name in [name for name in shell.user_ns if not name.startswith("__")]:
        del shell.user_ns[name]
    shell.init_user_ns()
_empty(get_ipython())
"""


def directly(task: Task, source: str, seconds: float = SECONDS) -> Result:
    """In this process, as a check cell does it: every message goes through JSON."""
    with patch("openai._base_client.time"):  # what IMPATIENT does over there
        return run_check(task, direct_submission(names_of(source), seconds))


def over_a_pipe(task: Task, source: str, folder: Path, seconds: float = SECONDS) -> Result:
    """In a new process, as `course check FILE` does it. `source` is its only cell."""
    notebook = NotebookFile(folder / "answer.ipynb", [source], [task.id])
    with piped_submission(notebook, task_seconds=seconds) as (submission, troubles):
        assert troubles == []
        return run_check(task, submission)


@contextmanager
def warm_pipe(folder: Path) -> Iterator[Way]:
    """A way over a pipe that runs one answer after the other in a single process.

    Each begins with empty names. Starting a process for each takes a second or two.
    """
    with piped_submission(NotebookFile(folder / "answer.ipynb", [IMPATIENT], [])) as (carrier, _):

        def run(task: Task, source: str) -> Result:
            for cell in (EMPTIED, source):
                assert carrier.ask({"do": "run", "cell": cell}) == {"raised": None}
            submission = Submission(carrier.ask)
            carrier.answer = submission.answer  # type: ignore[method-assign]
            return run_check(task, submission)

        yield run


def every_way(task: Task, source: str, pipe: Way, seconds: float = SECONDS) -> Result:
    """The result, which is the same each way: findings, state, note and points."""
    source = source.lstrip("\n")  # IPython counts the lines from the first that is not empty
    result = directly(task, source, seconds)
    piped = pipe(task, source)
    assert piped == result
    assert piped.points == result.points
    return result


def names_of(source: str) -> dict[str, Any]:
    """What a cell with this source defines. Its lines can be quoted, as those of a cell can."""
    linecache.cache[SUBMISSION_FILE] = (
        len(source),
        None,
        source.splitlines(keepends=True),
        SUBMISSION_FILE,
    )
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, SUBMISSION_FILE, "exec"), names)
    return names
