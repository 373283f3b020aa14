"""Progress: kept by every check, shown by `course progress`, lost by nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from course_lib.checks import TASKS
from course_lib.checks.file import check_file
from course_lib.checks.progress import FILE, progress, record
from course_lib.checks.task import Finding, Result, State
from course_lib.cli import main
from tests import ROOT
from tests.answers import task_00_1
from tests.answers.ways import names_of

Capture = pytest.CaptureFixture[str]
TASK = TASKS["01.1"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COURSE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def result(right: int, wrong: int, state: State = State.FAILED) -> Result:
    findings = [Finding("right", True)] * right + [Finding("wrong", False)] * wrong
    return Result(TASK, state, findings)


def shown(capsys: Capture) -> str:
    assert progress() == 0
    return capsys.readouterr().out


def line_of(task_id: str, capsys: Capture) -> str:
    [line] = [line for line in shown(capsys).splitlines() if line.startswith(f"  {task_id} ")]
    return line


def test_at_first_nothing_is_attempted(capsys: Capture) -> None:
    text = shown(capsys)
    for task in TASKS.values():
        assert f"  {task.id}  " in text
    assert text.count("not attempted") == len(TASKS)
    assert "notebooks/00_start_here.ipynb: 0 of 1 point\n" in text
    assert "Next: 00.1 Is it late?, 3 min, in notebooks/00_start_here.ipynb\n" in text


def test_it_is_a_command(capsys: Capture) -> None:
    assert main(["progress"]) == 0
    assert "Next: 00.1" in capsys.readouterr().out


def test_a_check_in_a_notebook_counts_and_prints_the_same_again(capsys: Capture) -> None:
    names = names_of("from course_lib import check\n" + task_00_1.RIGHT["texts_compared"])
    reports = []
    for _ in range(2):
        exec("report = check('00.1')", names)
        reports.append(repr(names["report"]))
    assert reports[0] == reports[1]
    assert line_of("00.1", capsys).endswith("passed, 1 of 1 point")


def test_a_check_of_a_file_of_ones_own_counts(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = (task_00_1.RIGHT["texts_compared"], "check('00.1')")
    cells = [{"cell_type": "code", "source": source} for source in sources]
    path = tmp_path / "mine.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    check_file(path)
    assert "Your progress is not changed" in capsys.readouterr().out
    assert shown(capsys).count("not attempted") == len(TASKS)
    monkeypatch.setattr("course_lib.checks.file.WORK", tmp_path)
    check_file(path)
    assert "Your progress" not in capsys.readouterr().out
    assert line_of("00.1", capsys).endswith("passed, 1 of 1 point")


@pytest.mark.parametrize(
    "notebook", ["solutions/01_a.ipynb", str(ROOT / "work" / "solutions" / "01_a.ipynb")]
)
def test_what_a_solution_passes_the_learner_has_not(
    notebook: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(result(3, 0, State.PASSED), notebook)
    monkeypatch.setenv("JPY_SESSION_NAME", notebook)
    names = names_of("from course_lib import check\n" + task_00_1.RIGHT["texts_compared"])
    exec("report = check('00.1')", names)
    assert names["report"].result.state is State.PASSED
    assert not home.exists()


def test_the_best_result_stays(home: Path, capsys: Capture) -> None:
    record(result(0, 3, State.NOT_ATTEMPTED), "01.ipynb")
    assert not home.exists()
    record(result(2, 1), "01.ipynb")
    assert line_of("01.1", capsys).endswith("tried, 2 of 3 points so far")
    record(result(1, 2), "01.ipynb")
    record(result(0, 0, State.TIMED_OUT), "01.ipynb")
    assert line_of("01.1", capsys).endswith("tried, 2 of 3 points so far")
    record(result(3, 0, State.PASSED), "01.ipynb")
    assert line_of("01.1", capsys).endswith("passed, 3 of 3 points")
    record(result(0, 3), "01.ipynb")
    assert line_of("01.1", capsys).endswith("passed, 3 of 3 points")
    assert len((home / FILE).read_text().split()) == 6 * 2  # better ones alone are added


def test_what_is_tried_without_a_point_is_tried(capsys: Capture) -> None:
    record(result(0, 0, State.MISSING), "01.ipynb")
    assert line_of("01.1", capsys).endswith("tried, 0 of 3 points so far")


def test_the_first_task_not_passed_is_next(capsys: Capture) -> None:
    for task in TASKS.values():
        if task.id != "01.1":
            record(Result(task, State.PASSED, [Finding("right", True)]), "01.ipynb")
    assert "Next: 01.1 " in shown(capsys)
    record(result(1, 0, State.PASSED), "01.ipynb")
    assert shown(capsys).endswith("Every task is passed.\n")


DAMAGE = {
    "cut_short": b'\n{"task": "01.1", "passed": true, "poi',
    "binary": bytes(range(256)).replace(b"\n", b"").replace(b"\r", b""),
    "no_object": b"[]",
    "of_other_types": b'{"task": "01.1", "passed": "yes", "points": 3}',
    "nested_without_end": b"[" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=list(DAMAGE))
def test_a_damaged_line_costs_itself_alone(damage: bytes, home: Path, capsys: Capture) -> None:
    record(result(2, 1), "01.ipynb")
    with (home / FILE).open("ab") as file:
        file.write(damage)
    record(Result(TASKS["00.1"], State.PASSED, [Finding("right", True)]), "00.ipynb")
    before = (home / FILE).read_bytes()
    text = shown(capsys)
    assert f"Lines that cannot be read, and do not count: 1 of {home / FILE}." in text
    assert "passed, 1 of 1 point" in text
    assert "tried, 2 of 3 points so far" in text
    assert (home / FILE).read_bytes() == before


def test_a_home_that_cannot_be_written_does_not_break_a_check(home: Path, capsys: Capture) -> None:
    home.write_text("a file is in its place")
    names = names_of("from course_lib import check\n" + task_00_1.RIGHT["texts_compared"])
    exec("report = check('00.1')", names)
    assert names["report"].result.state is State.PASSED
    assert capsys.readouterr() == ("", "")
    assert main(["progress"]) == 1
    assert "Progress cannot be kept in" in capsys.readouterr().err


def test_a_folder_in_place_of_the_file_is_told(home: Path, capsys: Capture) -> None:
    (home / FILE).mkdir(parents=True)
    record(result(1, 2), "01.ipynb")
    assert main(["progress"]) == 1
    assert f"{FILE} cannot be read (" in capsys.readouterr().err


def test_two_notebooks_at_once_lose_nothing(home: Path) -> None:
    program = (
        "import sys\n"
        "from course_lib.checks.progress import record\n"
        "from course_lib.checks.task import Result, State, Task\n"
        "for number in range(200):\n"
        "    task = Task(f'{sys.argv[1]}.{number}', '', 1, 1, 1, (), lambda submission: iter(()))\n"
        "    record(Result(task, State.PASSED), '')\n"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", program, name], cwd=ROOT, env=dict(os.environ))
        for name in ("one", "two", "three")
    ]
    assert [process.wait(120) for process in processes] == [0, 0, 0]
    lines = (home / FILE).read_text().split("\n")
    assert len([line for line in lines if line]) == 600


def test_nbgrader_leaves_no_progress(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    names = names_of("from course_lib import check\n" + task_00_1.RIGHT["texts_compared"])
    exec("points = check('00.1')", names)
    assert names["points"] == 1
    with pytest.raises(Exception, match="not attempted") as raised:
        exec("is_late = None\ncheck('00.1')", names_of("from course_lib import check"))
    assert "not attempted" in str(raised.value)
    assert not home.exists()
