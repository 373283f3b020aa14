"""Every notebook of the course is stored as it should be, and each check here can fail.

That a notebook's text outputs are still true is checked by nbval, which runs beside these tests
(`pytest --nbval notebooks exercises solutions`). The notebooks of `tests/fixtures` are wrong on
purpose, each in the one way its name says.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests import ROOT
from tests.conftest import inner_pytest
from tests.notebooks import changes, check, form
from tests.notebooks.execute import CellError, run

FIXTURES = ROOT / "tests" / "fixtures"
NOTEBOOKS = check.course_notebooks()


def each(paths: list[Path]) -> pytest.MarkDecorator:
    """Run a test for each notebook, named by its path in the course."""
    names = [path.relative_to(ROOT).as_posix() for path in paths]
    return pytest.mark.parametrize("path", paths, ids=names)


def redrawn(path: Path) -> Iterator[str]:
    """Run a notebook again and yield the cells that draw other images than the stored ones."""
    stored, again = form.read(path), form.read(path)
    run(again, path.parent)
    for number, (old, new) in enumerate(zip(stored.cells, again.cells, strict=True)):
        if old.metadata.get("image_sha256") != new.metadata.get("image_sha256"):
            yield f"cell {number} draws another image than the stored one"


def has_images(path: Path) -> bool:
    try:
        return any(form.image_hashes(cell) for cell in form.code_cells(form.read(path)))
    except form.NotANotebookError:
        return False  # another test says so


# The course


def test_the_course_begins_at_lesson_0() -> None:
    assert ROOT / "notebooks" / "00_start_here.ipynb" in NOTEBOOKS


@each(NOTEBOOKS)
def test_a_notebook_is_stored_as_it_should_be(path: Path) -> None:
    assert list(check.problems(form.read(path))) == []


@each(check.lessons())
def test_the_changes_of_a_lesson_do_what_it_says(path: Path) -> None:
    assert list(changes.failures(form.read(path), path.parent)) == []


@each([path for path in NOTEBOOKS if has_images(path)])
def test_a_notebook_draws_its_images_again(path: Path) -> None:
    assert list(redrawn(path)) == []


def test_exercises_and_solutions_come_in_pairs() -> None:
    names = {
        folder: {p.name for p in NOTEBOOKS if p.parent.name == folder} for folder in form.FOLDERS
    }
    assert names["exercises"] == names["solutions"]
    assert names["exercises"] <= names["notebooks"], "an exercise has no lesson of its name"


# The checks: each refuses the fixture made for it, and no other check does

FAULTS = {
    "changed_image": check.images,
    "coloured_traceback": check.same_everywhere,
    "comparison_off": check.comparison,
    "gap_in_counts": check.counts,
    "long_cell": check.length,
    "memory_address": check.same_everywhere,
    "no_outputs": check.outputs,
    "python_version": check.metadata,
    "repeated_id": check.ids,
    "stored_error": check.errors,
    "temporary_path": check.same_everywhere,
    "unknown_fact": check.facts,
    "wide_line": check.width,
    "written_to_stderr": check.stderr,
}
# What these have wrong shows only when they run, or to a lesson's reader.
STORED_WELL = {"good", "changed_text", "redrawn_image"} | {
    path.stem
    for path in FIXTURES.glob("lesson*.ipynb")  # see test_habits.py
}


def fixture(name: str) -> Path:
    return FIXTURES / f"{name}.ipynb"


def test_every_fixture_is_used() -> None:
    assert {path.stem for path in FIXTURES.glob("*.ipynb")} == STORED_WELL | set(FAULTS)
    assert set(FAULTS.values()) == set(check.CHECKS)


@pytest.mark.parametrize("name", FAULTS)
def test_a_check_refuses_its_fixture(name: str) -> None:
    notebook = form.read(fixture(name))
    assert [c for c in check.CHECKS if list(c(notebook))] == [FAULTS[name]]


@pytest.mark.parametrize("name", sorted(STORED_WELL))
def test_the_checks_accept_what_is_stored_well(name: str) -> None:
    assert list(check.problems(form.read(fixture(name)))) == []


# Put together here so that no file of the project names such a folder.
@pytest.mark.parametrize(
    "path",
    [
        *("/".join(["", *parts, "x"]) for parts in (["root"], ["work", "a"], ["home", "ada"])),
        "/".join(["", "Users", "Ada", "x"]),
        "\\".join(["C:", "Users", "Ada", "x"]),
    ],
)
def test_a_machine_path_is_refused(path: str) -> None:
    notebook = form.read(fixture("good"))
    notebook.cells[2].outputs[0].text = f"saved in {path}\n"
    assert len(list(check.same_everywhere(notebook))) == 1


@pytest.mark.parametrize("path", ["../work/x", "./home/ada/x", "example.com/root/x", "/etc/hosts"])
def test_an_ordinary_path_is_not_refused(path: str) -> None:
    notebook = form.read(fixture("good"))
    notebook.cells[2].outputs[0].text = f"saved in {path}\n"
    assert list(check.same_everywhere(notebook)) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not a notebook: Expecting value"),
        ("[]", "is not a notebook of format 4"),
        ('{"nbformat": 3, "worksheets": []}', "is not a notebook of format 4"),
        ('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}', "is not a valid notebook"),
    ],
)
def test_a_file_that_is_no_notebook_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text(text)
    with pytest.raises(form.NotANotebookError, match=reason):
        form.read(path)


# Running


def test_nbval_accepts_the_good_notebook() -> None:
    done = inner_pytest(FIXTURES, "-p", "nbval", "--nbval", "good.ipynb")
    assert done.returncode == pytest.ExitCode.OK, done.stdout
    assert "7 passed" in done.stdout


def test_nbval_refuses_a_changed_text() -> None:
    done = inner_pytest(FIXTURES, "-p", "nbval", "--nbval", "changed_text.ipynb")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    assert "another line" in done.stdout
    assert "1 failed, 6 passed" in done.stdout


def test_a_redrawn_image_is_noticed() -> None:
    assert list(redrawn(fixture("redrawn_image"))) == [
        "cell 5 draws another image than the stored one"
    ]


def test_changes_that_work_have_no_failures() -> None:
    assert list(changes.failures(form.read(fixture("lesson")), FIXTURES)) == []


@pytest.mark.parametrize(
    ("name", "failure"),
    [
        (
            "lesson_change_that_does_not_hold",
            "cell price-change: after the edit price does not show '60.00 EUR': '65.00 EUR\\n'",
        ),
        (
            "lesson_change_that_fails",
            "cell price-change: after the edit price raises TypeError: "
            "unsupported operand type(s) for *: 'int' and 'NoneType'",
        ),
    ],
)
def test_a_change_that_does_not_work_is_told(name: str, failure: str) -> None:
    assert list(changes.failures(form.read(fixture(name)), FIXTURES)) == [failure]


def test_every_kind_of_expectation_can_fail() -> None:
    notebook = form.read(fixture("lesson"))
    edit = {"price": [["pieces = 3", "pieces = 30 + 9"]]}  # it costs 507.00 EUR
    expected = [{"shows": "508.00"}, {"lacks": ["EUR", "39.00"]}, {"raises": "ValueError"}]
    change = next(cell for cell in notebook.cells if cell.id == "price-change")
    change.metadata["change"] = [{"edit": edit, "expect": {"price": each}} for each in expected]
    assert list(changes.failures(notebook, FIXTURES)) == [
        "cell price-change: after the edit price does not show '508.00': '507.00 EUR\\n'",
        "cell price-change: after the edit price still shows 'EUR': '507.00 EUR\\n'",
        "cell price-change: after the edit price does not raise 'ValueError': '507.00 EUR\\n'",
    ]


def test_after_a_change_the_cells_run_as_they_were() -> None:
    notebook = form.read(fixture("lesson"))
    change = next(cell for cell in notebook.cells if cell.id == "later-change")
    change.metadata["change"] = [
        {"edit": {"later": [["- 3", "- 4"]]}, "expect": {"later": {"shows": "61"}}}
    ]
    # Were `pieces` still 5 from the change above it, this would be 61.
    assert list(changes.failures(notebook, FIXTURES)) == [
        "cell later-change: after the edit later does not show '61': '35'"
    ]


def test_the_command_prints_the_changes_that_do_not_work() -> None:
    names = ("lesson", "lesson_change_undeclared", "lesson_change_that_does_not_hold")
    done = subprocess.run(
        [sys.executable, "-m", "tests.notebooks.changes", *(str(fixture(n)) for n in names)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 1
    assert [line.split(": ")[1] for line in done.stdout.splitlines()] == [
        "3 changes, 0 problems",
        "1 changes, 1 problems",
        "3 changes, 1 problems",
    ]
    assert "asks for a change" in done.stderr
    assert "does not show '60.00 EUR'" in done.stderr


def test_a_failing_cell_is_named_with_its_source(tmp_path: Path) -> None:
    notebook = new_notebook(cells=[new_code_cell("a = 1"), new_code_cell("a / 0")])
    with pytest.raises(CellError) as caught:
        run(notebook, tmp_path)
    assert str(caught.value) == "cell 1 raised ZeroDivisionError: division by zero\n    a / 0"


def test_a_dead_kernel_is_an_error(tmp_path: Path) -> None:
    notebook = new_notebook(cells=[new_code_cell("import os\nos._exit(1)")])
    with pytest.raises(CellError, match="cell 0 ended the kernel"):
        run(notebook, tmp_path)


def test_the_command_stores_outputs_and_leaves_failures_alone(tmp_path: Path) -> None:
    good = tmp_path / "good.ipynb"
    notebook = form.read(fixture("good"))
    for cell in form.code_cells(notebook):  # as after an edit: outputs of another time
        cell.outputs, cell.execution_count = [], None
        cell.metadata["execution"] = {"iopub.execute_input": "2001-01-01T00:00:00Z"}
    notebook.metadata.language_info["version"] = "3.0"
    form.write(notebook, good)
    cells = {
        "fails": "raise LookupError('no such order')",
        "dials": "import socket\n"
        "try:\n"
        "    socket.create_connection(('dialled.example', 80))\n"
        "except OSError:\n"
        "    pass",
        "warns": "import sys\n_ = sys.stderr.write('careful')",
    }
    before = {}
    for name, source in cells.items():
        form.write(new_notebook(cells=[new_code_cell(source)]), tmp_path / f"{name}.ipynb")
        before[name] = (tmp_path / f"{name}.ipynb").read_bytes()

    files = [*(f"{tmp_path / name}.ipynb" for name in ("good", *cells, "missing")), "readme.md"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.notebooks.execute", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    # Run and stored again, the good one is what it was, byte for byte.
    assert good.read_bytes() == fixture("good").read_bytes()
    assert "good.ipynb: 6 cells run and stored" in done.stdout
    after = {name: (tmp_path / f"{name}.ipynb").read_bytes() for name in cells}
    assert after["fails"] == before["fails"]
    assert "fails.ipynb: cell 0 raised LookupError: no such order" in done.stderr
    assert after["dials"] == before["dials"]
    assert "it tried to reach another machine" in done.stderr
    assert "'dialled.example'" in done.stderr
    assert after["warns"] != before["warns"]
    assert "cell 0 stores text written to stderr" in done.stderr
    assert "missing.ipynb cannot be read: No such file" in done.stderr
    assert "readme.md is not a notebook" in done.stderr
    assert "Traceback" not in done.stderr
