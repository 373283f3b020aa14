"""`course progress`: what a learner has passed and tried, and what is next.

Every check that finds something better than before adds a line to one file in the course's home.
Lines are only ever added: two notebooks at once lose nothing, and a line that was cut short costs
itself alone. What `check` prints never depends on it.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path, PurePath

from ..home import ROOT, START, CourseError, course_home
from .task import TASKS, Result, State, Task

FILE = "progress.jsonl"


@dataclass(frozen=True, order=True, slots=True)
class Standing:
    """How far somebody has come with one task; the greater, the better."""

    passed: bool = False
    points: int = 0


def record(result: Result, notebook: str) -> None:
    """Keep a result that is better than what is kept, as far as the home can be written.

    `notebook` is the path of what was checked: what a solution passes, the learner has not.
    """
    if result.state is State.NOT_ATTEMPTED or "solutions" in PurePath(notebook).parts:
        return
    standing = Standing(result.state is State.PASSED, result.points)
    with suppress(CourseError, OSError):  # no home is no reason for a check to fail
        file = course_home() / FILE
        for _ in range(3):  # Windows may let two that add at once write over each other
            if _standings(file)[0].get(result.task.id, Standing(points=-1)) >= standing:
                return
            line = json.dumps({"task": result.task.id, **asdict(standing)})
            # A break first, lest a line that was cut short swallow this one. One write, which the
            # system does not split.
            with file.open("ab", buffering=0) as end:
                end.write(f"\n{line}\n".encode())


def progress() -> int:
    """Print each lesson with its tasks and points, and then the next task; always 0."""
    file = course_home() / FILE
    try:
        standings, damaged = _standings(file)
    except OSError as error:
        raise CourseError(f"{file} cannot be read ({error.strerror}): move it away.") from None
    if damaged:
        print(f"Lines that cannot be read, and do not count: {damaged} of {file}.\n")
    for lesson, tasks in groupby(TASKS.values(), key=lambda task: task.id.split(".")[0]):
        print("\n".join(_lesson_lines(lesson, list(tasks), standings)))
    left = [task for task in TASKS.values() if not standings.get(task.id, Standing()).passed]
    if left:
        print(f"Next: {left[0].id} {left[0].title}, {left[0].minutes} min, in {_place(left[0].id)}")
        print(f"`{START}` opens the lessons; check({left[0].id!r}) there counts here.")
    else:
        print("Every task is passed.")
    return 0


def _lesson_lines(lesson: str, tasks: list[Task], standings: dict[str, Standing]) -> Iterator[str]:
    earned = sum(_points(task, standings) for task in tasks)
    yield f"{_place(lesson)}: {out_of(earned, sum(task.points for task in tasks))}"
    for task in tasks:
        stars = "★" * task.stars + "☆" * (3 - task.stars)
        yield f"  {task.id}  {stars}  {task.title:<40} {_state(task, standings)}"
    yield ""


def _state(task: Task, standings: dict[str, Standing]) -> str:
    standing = standings.get(task.id)
    if standing is None:
        return "not attempted"
    points = out_of(_points(task, standings), task.points)
    return f"passed, {points}" if standing.passed else f"tried, {points} so far"


def out_of(earned: int, possible: int, what: str = "point") -> str:
    return f"{earned} of {possible} {what}{'' if possible == 1 else 's'}"


def _points(task: Task, standings: dict[str, Standing]) -> int:
    standing = standings.get(task.id, Standing())
    return task.points if standing.passed else min(standing.points, task.points)


def _place(task_id: str) -> str:
    """The notebook that has a task: the exercise of its lesson, or the lesson itself."""
    lesson = task_id.split(".")[0]
    for folder in ("exercises", "notebooks"):
        for path in (ROOT / folder).glob(f"{lesson}_*.ipynb"):
            return f"{folder}/{path.name}"
    return f"lesson {lesson}"


def _standings(file: Path) -> tuple[dict[str, Standing], int]:
    """The best standing of each task in the file, and how many of its lines are damaged."""
    best: dict[str, Standing] = {}
    damaged = 0
    try:
        lines = file.read_bytes().splitlines()
    except FileNotFoundError:
        return best, damaged
    for line in filter(None, lines):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        match entry:
            case {"task": str(task_id), "passed": bool(passed), "points": int(points)}:
                best[task_id] = max(Standing(passed, points), best.get(task_id, Standing()))
            case _:
                damaged += 1
    return best, damaged
