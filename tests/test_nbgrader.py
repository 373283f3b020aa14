"""nbgrader itself takes the solution notebooks, and its grades are those of the checks.

nbgrader is no learner's dependency, and installed into .venv it would put buttons into everybody's
JupyterLab. So the packages of `requirements/nbgrader.txt` go into a folder of their own, once: on
CI. Elsewhere a test does not reach for the network, and this one is skipped until
`CI=1 python3 start.py test tests/test_nbgrader.py` has fetched them.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT

LOCK = ROOT / "requirements" / "nbgrader.txt"
SOLUTIONS = sorted((ROOT / "solutions").glob("*.ipynb"))

TASK = """
from course_lib import check
from course_lib.checks.task import expect, task

@task("99.1", "Double it", minutes=1, points=2, stars=1, hints=("Multiply.",))
def double(submission):
    yield expect("1 becomes 2", submission.call("double", 1)).equals(2)
    yield expect("3 becomes 6", submission.call("double", 3)).equals(6)
"""
# It asks alembic for one version number again and again, each time in a process of its own.
NBGRADER = """
import functools, nbgrader.api as api
api.get_alembic_version = functools.cache(api.get_alembic_version)
from nbgrader.apps import NbGraderApp
NbGraderApp.launch_instance()
"""
NOISY = """
import sys, warnings
def double(n):
    print("noise", file=sys.stderr)
    warnings.warn("noise")
    return 2 * n
"""
ANSWERS = {
    NOISY: 2,
    "def double(n):\n    return 2": 1,
    "def double(n):\n    raise NotImplementedError": 0,
}


def run(folder: Path, environment: dict[str, str], *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """This process's variables, with nbgrader's packages to be found."""
    version = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
    packages = Path(sys.prefix, f"nbgrader-{version}")
    if not packages.exists():
        if "CI" not in os.environ:
            pytest.skip("nbgrader's packages are fetched on CI only")
        unfinished = packages.with_name(f"{packages.name}.{os.getpid()}")
        install = "-m pip install --no-deps --require-hashes --only-binary :all: -q --target"
        # -I, so that this one command gets past the guard that keeps tests off the network.
        command = ["-I", *install.split(), str(unfinished), "-r", str(LOCK)]
        run(ROOT, dict(os.environ), *command)
        unfinished.rename(packages)
    variables = dict(os.environ, JUPYTER_PLATFORM_DIRS="1")
    for name, first in {
        "PYTHONPATH": [str(packages), str(ROOT)],
        "PATH": [str(packages / "bin"), str(packages / "Scripts")],
    }.items():
        variables[name] = os.pathsep.join([*first, os.environ.get(name, "")])
    return variables


@pytest.fixture(scope="module")
def course(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An instructor's folder, after `nbgrader generate_assignment`."""
    folder = tmp_path_factory.mktemp("nbgrader")
    source = folder / "source" / "course"
    source.mkdir(parents=True)
    for path in SOLUTIONS:
        shutil.copy(path, source)
    write(source / "points.ipynb", "### BEGIN SOLUTION\npass\n### END SOLUTION")
    shutil.copy(ROOT / "docs" / "nbgrader_config.py", folder)
    run(folder, environment, "-c", NBGRADER, "generate_assignment", "course", "--create")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def mark(grade_id: str, **marks: Any) -> dict[str, Any]:
    both = {"schema_version": 3, "task": False, "grade_id": grade_id}
    return {"nbgrader": both | {"grade": False, "solution": False, "locked": False} | marks}


def write(path: Path, answer: str) -> None:
    cells = [
        (TASK, {}),
        (answer, mark("task-99-1", solution=True)),
        ("check('99.1')", mark("check-99-1", grade=True, locked=True, points=2)),
    ]
    notebook = {
        "cells": [
            {
                "cell_type": "code",
                "id": f"cell-{number}",
                "source": source,
                "metadata": metadata,
                "outputs": [],
                "execution_count": None,
            }
            for number, (source, metadata) in enumerate(cells)
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "", "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.name)
def test_nbgrader_makes_the_same_exercise(path: Path, course: Path) -> None:
    ours, theirs = ROOT / "exercises" / path.name, course / "release" / "course" / path.name
    assert parts(theirs) == parts(ours)


def parts(path: Path) -> list[Any]:
    """Each cell's kind and source, and what nbgrader's own marks say of it."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    added = ("checksum", "cell_type")
    return [
        (
            cell["cell_type"],
            "".join(cell["source"]),
            {k: v for k, v in cell["metadata"].get("nbgrader", {}).items() if k not in added},
        )
        for cell in cells
    ]


def test_nbgrader_gives_the_points_of_the_check(course: Path, environment: dict[str, str]) -> None:
    for number, answer in enumerate(ANSWERS):
        write(course / "submitted" / f"learner{number}" / "course" / "points.ipynb", answer)
    said = run(course, environment, "-c", NBGRADER, "autograde", "course")
    with sqlite3.connect(course / "gradebook.db") as gradebook:
        rows = gradebook.execute(
            "select submitted_assignment.student_id, grade.auto_score from grade "
            "join base_cell on base_cell.id = grade.cell_id "
            "join submitted_notebook on submitted_notebook.id = grade.notebook_id "
            "join submitted_assignment "
            "on submitted_assignment.id = submitted_notebook.assignment_id "
            "where base_cell.name = 'check-99-1'"
        )
        scores = dict(rows.fetchall())
    gradebook.close()
    assert scores == {f"learner{n}": points for n, points in enumerate(ANSWERS.values())}
    assert "full credit" not in said  # nbgrader's warning of an output that is no number
    for number, told in ((1, "wanted     6 (an integer)"), (2, "not attempted")):
        graded = course / "autograded" / f"learner{number}" / "course" / "points.ipynb"
        assert told in graded.read_text("utf-8")  # where a grader reads it
