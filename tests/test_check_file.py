"""`course check FILE` over whole notebooks: the course's own, and files that are no such thing."""

import json
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from course_lib.checks import TASKS
from course_lib.checks.file import check_file
from course_lib.grading.notebooks import MAX_BYTES, read_notebook
from course_lib.home import CourseError
from tests import ROOT
from tests.answers import task_00_1

Capture = pytest.CaptureFixture[str]

LATE = task_00_1.RIGHT["texts_compared"].strip()
CHECK = 'check("00.1")'
IMPORT = "from course_lib import check, hint"


def code(*sources: str) -> list[dict[str, Any]]:
    """Code cells, as nbformat 4 has them."""
    return [
        {"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in sources
    ]


def notebook(*sources: str) -> dict[str, Any]:
    return {"cells": code(*sources), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def written(folder: Path, content: Any, encoding: str = "utf-8") -> Path:
    path = folder / "answer.ipynb"
    path.write_bytes(json.dumps(content, ensure_ascii=False).encode(encoding))
    return path


# Notebooks that can be checked


# One of them here; that all pass, and their exercises are not attempted, is for test_lint.py.
SOLUTIONS = sorted((ROOT / "solutions").glob("*.ipynb"))[:1]


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_a_solution_passes(path: Path, capsys: Capture) -> None:
    assert check_file(path) == 0
    shown = capsys.readouterr().out
    tasks = [TASKS[task_id] for task_id in read_notebook(path).task_ids]
    points = sum(task.points for task in tasks)
    end = f"{path.name}: {len(tasks)} of {len(tasks)} tasks passed, {points} of {points} points\n"
    assert shown.endswith(end)


@pytest.mark.parametrize("name", [path.name for path in SOLUTIONS])
def test_an_exercise_is_not_attempted(name: str, capsys: Capture) -> None:
    assert check_file(ROOT / "exercises" / name) == 1
    shown = capsys.readouterr().out
    assert shown.splitlines()[0].endswith("not attempted")
    assert "✗" not in shown
    assert "raised" not in shown
    tasks = len(read_notebook(ROOT / "exercises" / name).task_ids)
    assert f"0 of {tasks} tasks passed, 0 of " in shown


def test_a_cell_that_raises_is_named_and_the_others_count(tmp_path: Path, capsys: Capture) -> None:
    cells = [IMPORT, "  \n", "# %%\nmistake = 1 / 0", "def (", LATE, CHECK]
    assert check_file(written(tmp_path, notebook(*cells))) == 0
    shown = capsys.readouterr().out
    # As JupyterLab counts them, which leaves the blank one out.
    assert "Code cell 2 raised ZeroDivisionError: division by zero (line 2: mistake" in shown
    assert "Code cell 3 raised SyntaxError" in shown
    assert "3 of 3 · 1 point" in shown
    assert "1 of 1 task passed, 1 of 1 point\n" in shown
    assert "Traceback" not in shown


def test_a_cell_cannot_write_into_the_report(tmp_path: Path, capsys: Capture) -> None:
    forged = "raise ValueError('\\n\\x1b[2J00.1 Is it late?   3 of 3 · 1 point')"
    assert check_file(written(tmp_path, notebook(IMPORT, forged, "print('✓')", CHECK))) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Code cell 2 raised ValueError:")
    assert lines[1].startswith("00.1 Is it late?")
    assert lines[1].endswith("missing")
    assert not any("\x1b" in line or "✓" in line for line in lines)


def test_each_task_of_a_notebook_is_checked_in_a_process_of_its_own(
    tmp_path: Path, capsys: Capture
) -> None:
    ends = "import os\nstock_tool = {}\ndef ask(client, question): os._exit(1)"
    cells = [IMPORT, LATE, ends, 'check("01.1"), check("00.1")', "check( '00.1' )", 'hint("00.1")']
    assert check_file(written(tmp_path, notebook(*cells))) == 1
    shown = capsys.readouterr().out
    assert "01.1 Declare a tool" in shown
    assert "crashed" in shown
    assert "The process that ran your code ended in ask(client, 'How many units" in shown
    assert "3 of 3 · 1 point" in shown
    assert "answer.ipynb: 1 of 2 tasks passed, 1 of 4 points" in shown


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1"])
@pytest.mark.parametrize("filler", ["", "x"], ids=["even", "odd"])
def test_other_encodings_are_read(encoding: str, filler: str, tmp_path: Path) -> None:
    source = f"name = 'Zoé {filler}'\n{CHECK}"
    assert read_notebook(written(tmp_path, notebook(source), encoding)).cells == [source]


def test_other_forms_of_a_notebook_are_read(tmp_path: Path) -> None:
    lines = LATE.splitlines(keepends=True)
    cell = {"cell_type": "code", "input": lines, "language": "python"}
    text = {"cell_type": "markdown", "source": 'check("01.1")'}
    nbformat_3 = {
        "nbformat": 3,
        "worksheets": [
            {"cells": [cell, text]},
            {},
            {"cells": 5},
            {"cells": [cell | {"input": [CHECK]}]},
        ],
    }
    read = read_notebook(written(tmp_path, nbformat_3))
    assert read.cells == [LATE, CHECK]
    assert read.task_ids == ["00.1"]


def test_cells_of_odd_shapes_are_passed_over(tmp_path: Path) -> None:
    odd: list[Any] = [None, 5, {}, {"cell_type": "code"}, {"cell_type": "code", "source": {"a": 1}}]
    odd += [{"cell_type": "code", "source": ["x = 1\n", 5, None, "y = 2"]}, {"cell_type": ["code"]}]
    content = {"cells": [*odd, *code(CHECK)], "nbformat": 4}
    assert read_notebook(written(tmp_path, content)).cells == ["x = 1\ny = 2", CHECK]


# Files that cannot: one sentence each


def refusal(path: Path, **limits: float) -> str:
    with pytest.raises(CourseError) as caught:
        check_file(path, **limits)
    message = str(caught.value)
    assert "\n" not in message
    assert path.name in message
    return message


BYTES = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\n ", "is empty"),
    "a_text": (b"def is_late(): ...", "its JSON is damaged"),
    "truncated": (json.dumps(notebook(CHECK)).encode()[:-20], "its JSON is damaged"),
    "binary": (bytes(range(256)), "its JSON is damaged"),
    "nested_without_end": (b"[" * 200_000, "its JSON is damaged"),
    "a_number_without_end": (b"9" * 10_000, "its JSON is damaged"),
    "a_list": (b"[1, 2]", "is JSON, but not a notebook"),
    "null": (b"null", "is JSON, but not a notebook"),
    "an_object": (b'{"sku": "TR-40"}', "is JSON, but not a notebook"),
    "cells_that_are_no_list": (b'{"cells": {"a": 1}}', "is JSON, but not a notebook"),
    "no_task": (json.dumps(notebook("x = 1")).encode(), "checks no task"),
    "an_unknown_task": (json.dumps(notebook("check('77.7')")).encode(), "checks no task"),
}


@pytest.mark.parametrize(("content", "words"), BYTES.values(), ids=list(BYTES))
def test_a_file_that_is_no_exercise_is_refused(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "answer.ipynb"
    path.write_bytes(content)
    assert words in refusal(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert "nowhere.ipynb is not there" in refusal(tmp_path / "nowhere.ipynb")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert "is a folder" in refusal(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes on Windows")
def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "answer.ipynb"
    os.mkfifo(path)

    def write_nothing() -> None:
        with suppress(OSError):  # nobody opened it, and it is gone
            path.open("wb").close()

    # Whoever does open it reads an end, so that this test fails and does not hang.
    threading.Thread(target=write_nothing, daemon=True).start()
    assert "is no ordinary file" in refusal(path)


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "answer.ipynb"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "larger than 50 MB" in refusal(path)


def test_a_file_that_may_not_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    path = written(tmp_path, notebook(CHECK))
    assert refusal(path) == f"{path} cannot be opened: Permission denied."


@pytest.mark.parametrize(
    ("cell", "words", "seconds"),
    [
        ("while True: pass", "Code cell 2 did not finish", 3.0),
        ("import os; os._exit(0)", "Code cell 2 ended the process", 60.0),
    ],
    ids=["a_loop", "an_exit"],
)
def test_a_cell_that_does_not_end_well_is_named(
    cell: str, words: str, seconds: float, tmp_path: Path
) -> None:
    path = written(tmp_path, notebook(LATE, cell, CHECK))
    assert words in refusal(path, cells_seconds=seconds)


def test_a_process_that_does_not_start_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHOME", str(tmp_path))  # no Python can start from there
    path = written(tmp_path, notebook(LATE, CHECK))
    with pytest.raises(CourseError, match=r"does not start\. Run `.*start\.py doctor`"):
        check_file(path)
