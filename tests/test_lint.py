"""`course release` finds what is wrong with a solution notebook, and says what to do."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from course_lib.checks import TASKS
from course_lib.checks.lint import lint, lint_runs
from course_lib.checks.task import Finding, Task, expect
from course_lib.grading.notebooks import BEGIN, END
from course_lib.grading.submission import Submission
from tests import ROOT

SOLUTIONS = sorted((ROOT / "solutions").glob("*.ipynb"))
Cells = list[dict[str, Any]]


def double(submission: Submission) -> Iterator[Finding]:
    yield expect("1 becomes 2", submission.call("double", 1)).equals(2)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task("99.1", "Double it", 10, 2, 1, ("Multiply.",), double)
    monkeypatch.setitem(TASKS, "99.1", task)


def tidy() -> Cells:
    """The cells of a notebook with nothing to complain of: imports, heading, answer, check."""
    marks = {"schema_version": 3, "task": False}
    answer = {"grade": False, "solution": True, "locked": False, "grade_id": "task-99-1"}
    check = {"grade": True, "solution": False, "locked": True, "grade_id": "check-99-1"}
    heading = "### 99.1 · Double it · ★☆☆ · 10 min · 2 points\nWrite it."
    source = f"def double(n):\n    {BEGIN}\n    return 2 * n\n    {END}"
    return [
        code("from course_lib import check"),
        {"cell_type": "markdown", "source": heading, "metadata": {}},
        code(source, nbgrader=marks | answer),
        code('check("99.1")', nbgrader=marks | check | {"points": 2}),
    ]


def code(source: str, **metadata: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "source": source,
        "metadata": metadata,
        "outputs": [],
        "execution_count": None,
    }


def written(cells: Cells, folder: Path) -> Path:
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"c{number}"
    path = folder / "99_doubling.ipynb"
    content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.name)
def test_the_solutions_are_as_they_must_be(path: Path) -> None:
    assert lint(path) == []
    assert lint_runs(path) == []


def test_a_tidy_notebook_is_not_complained_of(tmp_path: Path) -> None:
    path = written(tidy(), tmp_path)
    assert (lint(path), lint_runs(path)) == ([], [])


def replaced(number: int, old: str, new: str) -> Callable[[Cells], None]:
    def change(cells: Cells) -> None:
        assert old in cells[number]["source"]
        cells[number]["source"] = cells[number]["source"].replace(old, new)

    return change


def marked(number: int, **marks: Any) -> Callable[[Cells], None]:
    return lambda cells: cells[number]["metadata"]["nbgrader"].update(marks)


def unmarked(number: int, name: str) -> Callable[[Cells], None]:
    def change(cells: Cells) -> None:
        del cells[number]["metadata"]["nbgrader"][name]

    return change


def another_heading(cells: Cells) -> None:
    cells += [dict(cells[1])]


MISTAKES: dict[str, tuple[Callable[[Cells], None], str]] = {
    "no_end": (replaced(2, END, ""), f"cell c3: {BEGIN} and {END} do not pair up."),
    "no_heading": (
        replaced(1, "###", "**"),
        "no cell: task 99.1 is registered and has no heading; write '### 01.3",
    ),
    "no_difficulty": (replaced(1, "★☆☆ · ", ""), "cell c2: the heading of a task has the form"),
    "no_minutes": (replaced(1, "10 min · ", ""), "cell c2: the heading of a task has the form"),
    "no_points": (replaced(1, " · 2 points", ""), "cell c2: the heading of a task has the form"),
    "heading_twice": (another_heading, "cell c5: task 99.1 has a heading already"),
    "other_title": (
        replaced(1, "Double it", "Halve it"),
        "cell c2: title 'Halve it' here, 'Double it' in the check; make them the same.",
    ),
    "other_stars": (replaced(1, "★☆☆", "★★☆"), "cell c2: stars 2 here, 1 in the check"),
    "other_minutes": (replaced(1, "10 min", "5 min"), "cell c2: minutes 5 here, 10 in the check"),
    "other_points": (replaced(1, "2 points", "1 point"), "cell c2: points 1 here, 2 in the check"),
    "other_id": (
        replaced(1, "99.1", "99.7"),
        "cell c2: task 99.7 has no check; register one in course_lib/checks.",
    ),
    "no_check_cell": (
        replaced(3, "check", "print"),
        "cell c2: this task needs one cell check('99.1') under it, and has [].",
    ),
    "check_of_another_task": (
        replaced(3, "99.1", "00.1"),
        "cell c2: this task needs one cell check('99.1') under it, and has ['00.1'].",
    ),
    "no_answer": (
        replaced(2, BEGIN, "#"),
        f"cell c3: {BEGIN} and {END} do not pair up.",
    ),
    "no_markers": (
        lambda cells: cells[2].update(source="def double(n):\n    return 2 * n"),
        "cell c2: task 99.1 has no answer between",
    ),
    "answer_not_marked": (
        lambda cells: cells[2].update(metadata={}),
        "cell c3: it has no nbgrader metadata",
    ),
    "check_not_marked": (
        lambda cells: cells[3].update(metadata={}),
        "cell c4: it has no nbgrader metadata",
    ),
    "marked_for_nothing": (
        lambda cells: cells[2].update(source="1"),
        f"cell c3: it is marked for nbgrader, and is neither an answer ({BEGIN}) nor a check.",
    ),
    "grade_id_twice": (
        marked(2, grade_id="check-99-1"),
        "cell c4: the grade_id 'check-99-1' is another cell's too; give it its own.",
    ),
    "grade_id_missing": (unmarked(2, "grade_id"), "cell c3: the grade_id None may hold letters"),
    "grade_id_odd": (marked(2, grade_id="task 1"), "cell c3: the grade_id 'task 1' may hold"),
    "grade_id_of_another": (
        marked(3, grade_id="check-1"),
        "cell c4: nbgrader's 'grade_id' is 'check-1'; set it to 'check-99-1'.",
    ),
    "points_of_another": (marked(3, points=3), "cell c4: nbgrader's 'points' is 3; set it to 2."),
    "points_missing": (unmarked(3, "points"), "cell c4: nbgrader's 'points' is None; set it to 2."),
    "points_of_an_answer": (marked(2, points=2), "cell c3: it has points, which belong to the"),
    "not_locked": (marked(3, locked=False), "'locked' is False; set it to True."),
    "answer_locked": (marked(2, locked=True), "'locked' is True; set it to False."),
    "both": (marked(3, solution=True), "cell c4: nbgrader's 'solution' is True; set it to False."),
    "locked_is_1": (marked(3, locked=1), "cell c4: nbgrader's 'locked' is 1; set it to True."),
    "schema": (marked(2, schema_version=2), "'schema_version' is 2; set it to 3."),
    "no_task_mark": (unmarked(2, "task"), "'task' is None; set it to False."),
}


@pytest.mark.parametrize(("change", "said"), MISTAKES.values(), ids=list(MISTAKES))
def test_a_mistake_is_named_with_its_cell_and_remedy(
    change: Callable[[Cells], None], said: str, tmp_path: Path
) -> None:
    cells = tidy()
    change(cells)
    complaints = lint(written(cells, tmp_path))
    assert any(said in complaint for complaint in complaints), complaints
    assert all("99_doubling.ipynb" in complaint for complaint in complaints)
    assert all("\n" not in complaint and complaint.endswith(".") for complaint in complaints)


@pytest.mark.parametrize(
    ("registration", "said"),
    [
        ({"hints": ()}, "task 99.1 has no hint"),
        ({"hints": ("Multiply.", " ")}, "task 99.1 has no hint"),
        ({"stars": 0}, "needs 1 to 3 stars"),
        ({"minutes": 0}, "minutes and points above 0"),
        ({"points": 0}, "minutes and points above 0"),
    ],
    ids=str,
)
def test_a_registration_that_lacks_something_is_named(
    registration: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TASKS, "99.1", replace(TASKS["99.1"], **registration))
    assert any(said in complaint for complaint in lint(written(tidy(), tmp_path)))


RUNS = {
    "an_exercise_that_passes": (
        f"def double(n):\n    return 2 * n\n{BEGIN}\nx = 1\n{END}",
        "exercises/99_doubling.ipynb: task 99.1 is passed in the exercise, and must be not attem",
    ),
    "a_form_that_is_no_form": (
        f"def double(n):\n    return 0\n    {BEGIN}\n    {END}",
        "task 99.1 is failed in the exercise, and must be not attempted: mend",
    ),
    "a_solution_that_fails": (
        f"def double(n):\n    {BEGIN}\n    return n\n    {END}",
        "solutions/99_doubling.ipynb: task 99.1 is failed in the solution, and must be passed: men",
    ),
    "a_cell_that_raises": (
        f"def double(n):\n    {BEGIN}\n    return 2 * n\n    {END}\n1 / 0",
        "solutions/99_doubling.ipynb: Code cell 2 raised ZeroDivisionError",
    ),
}


@pytest.mark.parametrize(("source", "said"), RUNS.values(), ids=list(RUNS))
def test_the_checks_are_run_on_both(source: str, said: str, tmp_path: Path) -> None:
    cells = tidy()
    cells[2]["source"] = source
    complaints = lint_runs(written(cells, tmp_path))
    assert any(said in complaint for complaint in complaints), complaints
