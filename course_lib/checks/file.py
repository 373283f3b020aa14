"""`course check FILE`: a notebook runs in a process of its own, and is checked from this one."""

from collections import deque
from collections.abc import Iterator
from pathlib import Path

from ..grading.notebooks import NotebookFile, read_notebook
from ..grading.piped import CELLS_SECONDS, TASK_SECONDS, piped_submission
from ..grading.submission import ChannelClosed, ChannelTimeout
from ..home import WORK, CourseError
from .progress import out_of, record
from .report import Report
from .task import TASKS, Result, State, run_check


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
    own = path.resolve().is_relative_to(WORK)  # somebody else's is no progress of this learner's
    results = []
    for result in _results(notebook, task_ids, cells_seconds, task_seconds):
        print(Report(result))
        if own:
            record(result, str(path))
        results.append(result)
    earned, possible = sum(r.points for r in results), sum(r.task.points for r in results)
    passed = sum(result.state is State.PASSED for result in results)
    note = "" if own else "Your progress is not changed: this notebook is not in work/.\n"
    tasks, points = out_of(passed, len(results), "task"), out_of(earned, possible)
    print(f"\n{note}{path.name}: {tasks} passed, {points}")
    return 0 if passed == len(results) else 1


def _results(
    notebook: NotebookFile, task_ids: list[str], cells_seconds: float, task_seconds: float
) -> Iterator[Result]:
    """Each task's result. One that hangs or dies costs itself alone: the rest get a new process."""
    waiting, troubles_told = deque(task_ids), False
    while waiting:
        with piped_submission(notebook, cells_seconds, task_seconds) as (submission, troubles):
            if submission.over is not None:
                raise CourseError(f"{notebook.path} could not be checked. {troubles[-1]}")
            for line in () if troubles_told else troubles:
                print(line)
            troubles_told = True
            while waiting and not isinstance(submission.over, ChannelClosed | ChannelTimeout):
                submission.forget()
                yield run_check(TASKS[waiting.popleft()], submission)
