"""The exercises are made from the solutions, and nbgrader would take them too."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from course_lib.checks import TASKS
from course_lib.grading import notebooks as release_module
from course_lib.grading.notebooks import BEGIN, END, exercise_text, release
from course_lib.home import CourseError
from tests import ROOT

Capture = pytest.CaptureFixture[str]

SOLUTIONS = sorted((ROOT / "solutions").glob("*.ipynb"))
EXERCISES = sorted((ROOT / "exercises").glob("*.ipynb"))
RELEASED = [*SOLUTIONS, *EXERCISES]
names = [path.relative_to(ROOT).as_posix() for path in RELEASED]


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty course to release in."""
    monkeypatch.setattr(release_module, "ROOT", tmp_path)
    (tmp_path / "solutions").mkdir()
    return tmp_path


def solution(folder: Path, *sources: str, name: str = "01_one.ipynb", **metadata: Any) -> Path:
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{number}",
            "metadata": metadata,
            "source": source.splitlines(keepends=True),
            "outputs": [{"output_type": "stream", "name": "stdout", "text": "42"}],
            "execution_count": number,
        }
        for number, source in enumerate(sources, 1)
    ]
    path = folder / "solutions" / name
    content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def released(source: str, course: Path) -> str:
    """The source of a cell in the exercise, made from that of the solution."""
    notebook = json.loads(exercise_text(solution(course, source)))
    return "".join(notebook["cells"][0]["source"])


# The course


def test_the_stored_exercises_are_those_of_the_solutions(capsys: Capture) -> None:
    assert release(check_only=True) == 0, capsys.readouterr().out
    assert {path.name for path in EXERCISES} == {path.name for path in SOLUTIONS}


@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.name)
def test_no_exercise_holds_its_solution(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "SOLUTION" not in text
    assert "NotImplementedError" in text


@pytest.mark.parametrize("path", RELEASED, ids=names)
def test_nbgrader_would_take_it(path: Path) -> None:
    """What nbgrader's validator of schema 3 asks of each cell, and of all together."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    marked = [cell for cell in cells if "nbgrader" in cell["metadata"]]
    assert marked
    grade_ids = [cell["metadata"]["nbgrader"]["grade_id"] for cell in marked]
    assert len(set(grade_ids)) == len(grade_ids)
    for cell in marked:
        mark = cell["metadata"]["nbgrader"]
        assert re.fullmatch(r"[a-zA-Z0-9_-]+", mark["grade_id"])
        assert mark["schema_version"] == 3
        assert all(isinstance(mark[key], bool) for key in ("grade", "solution", "locked", "task"))
        assert not mark["task"], "a task cell is Markdown that a person grades"
        assert mark["grade"] is not mark["solution"], "tested by hand, or by nothing"
        assert ("points" in mark) is mark["grade"]
        assert cell["cell_type"] == "code"


@pytest.mark.parametrize("path", RELEASED, ids=names)
def test_the_points_in_the_notebook_are_those_of_the_task(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        mark = cell["metadata"].get("nbgrader", {})
        if mark.get("grade"):
            task_id = re.findall(r'check\("([\d.]+)"\)', "".join(cell["source"]))[0]
            assert mark["points"] == TASKS[task_id].points
            assert mark["grade_id"] == f"check-{task_id.replace('.', '-')}"
            assert mark["locked"]


# The generator


def test_an_answer_in_a_function_becomes_a_refusal(course: Path) -> None:
    source = f"def f():\n    '''Give 42.'''\n    {BEGIN}\n    x = 6\n    return x * 7\n    {END}\n"
    assert released(source, course) == (
        "def f():\n    '''Give 42.'''\n    raise NotImplementedError\n"
    )


def test_a_name_is_left_to_be_given_its_value(course: Path) -> None:
    source = f"a = 1\n{BEGIN}\nb = {{\n    'c': 2,\n}}\n{END}\nd = 3"
    assert released(source, course) == "a = 1\nb = ...\nd = 3"


def test_several_names_of_one_answer_are_each_left_once(course: Path) -> None:
    answer = "one = 1\ntwo: int = 2\none = one == two\nthree=3\nif one == two:\n    four = 4"
    source = f"{BEGIN}\n{answer}\n{END}"
    assert released(source, course) == "one = ...\ntwo = ...\nthree = ..."


def test_an_answer_that_names_nothing_becomes_a_refusal(course: Path) -> None:
    source = f"{BEGIN}\ndef f():\n    x = 1\n    return x == 1\nf() == 1\n{END}"
    assert released(source, course) == "raise NotImplementedError"


def test_several_answers_of_one_cell_each_go(course: Path) -> None:
    source = f"{BEGIN}\na = 1\n{END}\ndef f():\n\t{BEGIN}\n\treturn a\n\t{END}"
    assert released(source, course) == "a = ...\ndef f():\n\traise NotImplementedError"


UNMATCHED = {
    "no_end": f"{BEGIN}\nx = 1",
    "no_begin": f"x = 1\n{END}",
    "turned_round": f"{END}\nx = 1\n{BEGIN}",
    "begun_twice": f"{BEGIN}\n{BEGIN}\nx = 1\n{END}",
    "one_in_the_other": f"{BEGIN}\n{BEGIN}\nx = 1\n{END}\n{END}",
    "behind_code": f"x = 1  {BEGIN}\ny = 2\n{END}",
    "text_behind_it": f"{BEGIN} of 01.1\nx = 1\n{END}",
}


@pytest.mark.parametrize("source", UNMATCHED.values(), ids=list(UNMATCHED))
def test_markers_that_do_not_pair_up_are_refused(source: str, course: Path) -> None:
    solution(course, "fine = 1", source)
    with pytest.raises(CourseError, match=r"01_one\.ipynb, cell cell-2: .* do not pair up"):
        release()
    assert not (course / "exercises").exists()


def test_what_a_run_stored_is_left_behind(course: Path) -> None:
    solution(course, "x = 1", image_sha256=["abc"], tags=["kept"])
    release()
    text = (course / "exercises" / "01_one.ipynb").read_text(encoding="utf-8")
    [cell] = json.loads(text)["cells"]
    assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert cell["metadata"] == {"tags": ["kept"]}


def test_a_second_release_writes_nothing(course: Path, capsys: Capture) -> None:
    solution(course, f"{BEGIN}\nx = 1\n{END}")
    assert release() == 0
    target = course / "exercises" / "01_one.ipynb"
    before, made = target.read_bytes(), target.stat().st_mtime_ns
    assert release() == 0
    assert release(check_only=True) == 0
    assert (target.read_bytes(), target.stat().st_mtime_ns) == (before, made)
    written, *since = capsys.readouterr().out.splitlines()
    assert written.startswith("wrote exercises/01_one.ipynb")
    assert since == ["Every exercise is up to date."] * 2


def test_an_exercise_that_was_run_is_still_up_to_date(course: Path) -> None:
    solution(course, "x = 1")
    release()
    target = course / "exercises" / "01_one.ipynb"
    notebook = json.loads(target.read_text(encoding="utf-8"))
    notebook["cells"][0] |= {"execution_count": 1, "metadata": {"image_sha256": ["of its own"]}}
    target.write_text(json.dumps(notebook), encoding="utf-8")
    assert release(check_only=True) == 0


def test_a_changed_solution_makes_its_exercise_out_of_date(course: Path, capsys: Capture) -> None:
    solution(course, "x = 1")
    release()
    solution(course, "x = 2")
    assert release(check_only=True) == 1
    assert "exercises/01_one.ipynb is out of date: run `" in capsys.readouterr().out
    assert release() == 0
    assert release(check_only=True) == 0


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"cells": [1]}'], ids=str)
def test_a_damaged_exercise_is_written_anew(content: bytes, course: Path) -> None:
    solution(course, "x = 1")
    release()
    target = course / "exercises" / "01_one.ipynb"
    target.write_bytes(content)
    assert release(check_only=True) == 1
    assert release() == 0
    assert release(check_only=True) == 0


def test_a_missing_exercise_is_out_of_date(course: Path) -> None:
    solution(course, "x = 1")
    assert release(check_only=True) == 1
    assert not (course / "exercises").exists()
