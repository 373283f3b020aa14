"""What `course release` asks of the solution notebooks, each complaint one sentence.

A task stands in its notebook (heading, form, check cell, nbgrader's marks) and in its lesson's
file of checks (title, minutes, points, hints); here the two are held together. At the end the
checks are run: the exercise must be "not attempted", and the solution must pass.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..grading.notebooks import BEGIN, END, exercise_text, parse_notebook
from ..grading.piped import piped_submission
from ..home import CourseError
from .task import TASKS, State, Task, run_check

Cell = dict[str, Any]

HEADING = re.compile(r"### (\d\d\.\d+) · (.+) · ([★☆]{3}) · (\d+) min · (\d+) points?")
_HEADING_LINE = re.compile(r"^#{1,3} (\d\d?\.\d)?.*$", re.MULTILINE)
FORM = "### 01.3 · Title · ★★☆ · 10 min · 2 points"
CHECK = re.compile(r"""^check\(["'](\d\d\.\d+)["']\)$""")
GRADE_ID = re.compile(r"[A-Za-z0-9_-]+")  # as nbgrader's validator has it


def lint(path: Path) -> list[str]:
    """What is wrong with one solution notebook as it stands."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    try:
        exercise_text(path)
    except CourseError as unpaired:
        return [str(unpaired)]
    return [f"solutions/{path.name}, {complaint}" for complaint in _complaints(cells, path)]


def lint_runs(path: Path) -> list[str]:
    """What is wrong with one solution notebook when its checks are run."""
    complaints = []
    exercise, solution = exercise_text(path).encode(), path.read_bytes()
    for kind, data, wanted in (
        ("exercise", exercise, State.NOT_ATTEMPTED),
        ("solution", solution, State.PASSED),
    ):
        notebook = parse_notebook(data, path)
        with piped_submission(notebook) as (submission, troubles):
            complaints += [f"{kind}s/{path.name}: {trouble}" for trouble in troubles]
            for task_id in notebook.task_ids:
                submission.forget()
                result = run_check(TASKS[task_id], submission)
                if result.state is not wanted:
                    complaints.append(
                        f"{kind}s/{path.name}: task {task_id} is {result.state} in the {kind}, "
                        f"and must be {wanted}: mend the solution, the form or the check."
                    )
    return complaints


def _complaints(cells: list[Cell], path: Path) -> Iterator[str]:
    sections: dict[str, list[Cell]] = {}  # the cells of each task, its heading first
    current = ""
    grade_ids: set[str] = set()
    for cell in cells:
        text = "".join(cell["source"])
        where = f"cell {cell.get('id', '?')}"
        if cell["cell_type"] == "markdown" and (line := _HEADING_LINE.search(text)):
            head = HEADING.fullmatch(line[0])
            current = head[1] if head else ""
            if current in sections:
                yield f"{where}: task {current} has a heading already; give this one another id."
            elif line[1] and not head:
                yield f"{where}: the heading of a task has the form {FORM!r}; write it so."
        if current:
            sections.setdefault(current, []).append(cell)
        for complaint in _mark_complaints(cell, text, grade_ids):
            yield f"{where}: {complaint}"
    for task_id, section in sections.items():
        yield from _task_complaints(task_id, section)
    for task_id in TASKS:
        if task_id[:2] == path.name[:2] and task_id not in sections:
            yield f"no cell: task {task_id} is registered and has no heading; write {FORM!r}."


def _mark_complaints(cell: Cell, text: str, grade_ids: set[str]) -> Iterator[str]:
    """nbgrader's marks on one cell: there where they must be, complete, and consistent."""
    mark = cell["metadata"].get("nbgrader")
    answers, checks = BEGIN in text or END in text, CHECK.fullmatch(text.strip())
    if mark is None:
        if answers or checks:
            yield "it has no nbgrader metadata; copy that of another task and change its grade_id."
        return
    if mark.get("grade_id") in grade_ids:
        yield f"the grade_id {mark['grade_id']!r} is another cell's too; give it its own."
    grade_ids.add(mark.get("grade_id"))
    grade = bool(checks)
    wanted: dict[str, Any] = {"grade": grade, "solution": not grade, "locked": grade, "task": False}
    wanted |= {"schema_version": 3}
    if checks:
        wanted |= {"grade_id": f"check-{checks[1].replace('.', '-')}"}
        if checks[1] in TASKS:
            wanted |= {"points": TASKS[checks[1]].points}
    elif not GRADE_ID.fullmatch(str(mark.get("grade_id") or "")):
        yield f"the grade_id {mark.get('grade_id')!r} may hold letters, digits, _ and - alone."
    elif not answers:
        yield f"it is marked for nbgrader, and is neither an answer ({BEGIN}) nor a check."
        return
    elif "points" in mark:
        yield "it has points, which belong to the check alone; take them out of its metadata."
    for name, value in wanted.items():
        if mark.get(name) != value or type(mark.get(name)) is not type(value):
            yield f"nbgrader's {name!r} is {mark.get(name)!r}; set it to {value!r}."


def _task_complaints(task_id: str, section: list[Cell]) -> Iterator[str]:
    """One task: what its heading says, what stands under it, and what is registered."""
    where = f"cell {section[0].get('id', '?')}"
    texts = ["".join(cell["source"]) for cell in section]
    checks = [found[1] for text in texts if (found := CHECK.fullmatch(text.strip()))]
    if checks != [task_id]:
        yield f"{where}: this task needs one cell check({task_id!r}) under it, and has {checks}."
    if not any(BEGIN in text for text in texts):
        yield f"{where}: task {task_id} has no answer between {BEGIN} and {END}; write one."
    if task_id not in TASKS:
        yield f"{where}: task {task_id} has no check; register one in course_lib/checks."
        return
    task = TASKS[task_id]
    head = HEADING.search(texts[0])
    assert head is not None
    said = (head[2], head[3].count("★"), int(head[4]), int(head[5]))
    registered = (task.title, task.stars, task.minutes, task.points)
    names = ("title", "stars", "minutes", "points")
    for name, here, there in zip(names, said, registered, strict=True):
        if here != there:
            yield f"{where}: {name} {here!r} here, {there!r} in the check; make them the same."
    yield from (f"{where}: {complaint}" for complaint in _registration_complaints(task))


def _registration_complaints(task: Task) -> Iterator[str]:
    if not (1 <= task.stars <= 3 and task.minutes > 0 and task.points > 0):
        yield f"task {task.id} needs 1 to 3 stars, and minutes and points above 0."
    if not task.hints or not all(hint.strip() for hint in task.hints):
        yield f"task {task.id} has no hint, or an empty one; give at least one."
