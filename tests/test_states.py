"""What may become of a task, each state in a real kernel and over the pipe."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from course_lib.checks import TASKS
from course_lib.checks.file import check_file
from course_lib.checks.report import Report
from course_lib.checks.task import Result, State, run_check
from course_lib.grading.notebooks import NotebookFile
from course_lib.grading.piped import piped_submission
from tests import ROOT

LATE = "def is_late(promised, today):\n    return promised < today"
IMPORT = "from course_lib import check, hint"
CHECK = "check('00.1')"

PASSED, FAILED = "3 of 3 · 1 point", "2 of 3 · 0 points so far"
UNREADABLE = (
    "unreadable\n The cell that was to define is_late raised SyntaxError: expected ':' (line 2: def"
)
CRASHED = "crashed\n The cell that was to define is_late raised NameError: name 'nowhere' is not de"

# A cell, and how the report of a check after it begins; each cell follows upon those before it.
STORY = [
    (
        "x = 1",
        "missing\n There is no is_late here. Run the cell that defines it, then check again.",
    ),
    ("nowhere\n" + LATE, CRASHED),
    ("# %%\ndef is_late(promised, today)\n    return True", UNREADABLE),
    ("def is_late(promised, today):\n    raise NotImplementedError", "not attempted"),
    ("is_late = ...", "not attempted"),
    (LATE, PASSED),
    ("# %%\ndef is_late(promised, today)\n    return True", UNREADABLE),
    ("y = 2", UNREADABLE),  # the mistake is still there
    (LATE, PASSED),
    ("nowhere\n" + LATE, CRASHED),
    (f"{LATE}\nis_late('2026')", PASSED),  # it raises, and has defined the function before that
    ("def is_late(promised, today)", "unreadable"),
    ("from operator import lt as is_late", PASSED),  # defined in another way
    ("is_late += nowhere", PASSED),  # no definition
    (LATE.replace("<", "<="), FAILED),
    (
        "def is_late(promised, today):\n    raise MemoryError",
        "out of memory\n is_late('2026-07-13'",
    ),
]


def test_each_state_in_a_kernel() -> None:
    cells = [IMPORT] + [source for cell, _ in STORY for source in (cell, CHECK)]
    reports = run_in_a_kernel(cells)[2::2]
    told = [after_the_title(report) for report in reports]
    assert [text[: len(begin)] for text, (_, begin) in zip(told, STORY, strict=True)] == [
        begin for _, begin in STORY
    ]


def test_a_check_that_hangs_is_timed_out_in_a_kernel() -> None:
    shorter = "import course_lib.checks.notebook as n; n.direct_submission.__defaults__ = (0.3,)"
    hangs = "def is_late(promised, today):\n    while True: pass"
    longer = shorter.replace("0.3", "20.0")  # nothing else is to hang on the machine's speed
    cells = [IMPORT, shorter, hangs, CHECK, longer, f"{LATE}\n{CHECK}"]
    *_, report, _, after = run_in_a_kernel(cells)
    assert after_the_title(report).startswith("timed out\n is_late('2026-07-13', '2026-07-14') did")
    assert after_the_title(after).startswith(PASSED)


def after_the_title(report: str) -> str:
    """The report from its state or score on."""
    assert report.startswith("00.1 Is it late?"), report
    return report.removeprefix("00.1 Is it late?").lstrip()


def run_in_a_kernel(sources: list[str]) -> list[str]:
    """What each cell gives: its result as plain text, or nothing."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    NotebookClient(
        notebook,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(ROOT)}},
    ).execute(env=dict(os.environ))
    return [
        "".join(
            out.data["text/plain"] for out in cell.outputs if out.output_type == "execute_result"
        )
        for cell in notebook.cells
    ]


# Over the pipe


def piped(tmp_path: Path, *cells: str, **limits: Any) -> Result:
    notebook = NotebookFile(tmp_path / "answer.ipynb", [IMPORT, *cells], ["00.1"])
    with piped_submission(notebook, **limits) as (submission, _):
        return run_check(TASKS["00.1"], submission)


def test_a_cell_that_fails_after_an_earlier_version_is_told(tmp_path: Path) -> None:
    result = piped(tmp_path, LATE, "# %%\ndef is_late(promised, today)\n    return True")
    assert result.state is State.UNREADABLE
    assert after_the_title(repr(Report(result))).startswith(UNREADABLE)
    result = piped(tmp_path, LATE, "nowhere\n" + LATE)
    assert result.state is State.CRASHED
    assert after_the_title(repr(Report(result))).startswith(CRASHED)
    assert piped(tmp_path, "nowhere\n" + LATE, LATE).state is State.PASSED


GROWS = "def is_late(promised, today):\n    x = [bytes(10**8) for _ in range(10**6)]"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to a limit")
def test_what_grows_without_end_runs_out_of_memory(tmp_path: Path) -> None:
    result = piped(tmp_path, GROWS)
    assert result.state is State.OUT_OF_MEMORY
    assert result.note.startswith("is_late('2026-07-13', '2026-07-14') ran out of memory. Look for")
    assert (result.expectations, result.points) == (3, 0)


@pytest.mark.parametrize(
    ("statement", "how"),
    [
        ("os._exit(3)", "exit code 3"),
        pytest.param(
            "os.kill(os.getpid(), 9)",
            "signal SIGKILL",
            marks=pytest.mark.skipif(sys.platform == "win32", reason="no signals on Windows"),
        ),
    ],
)
def test_a_crash_says_how_the_process_ended(statement: str, how: str, tmp_path: Path) -> None:
    result = piped(tmp_path, f"import os\ndef is_late(promised, today):\n    {statement}")
    assert result.state is State.CRASHED
    assert result.note.endswith(f"ended in is_late('2026-07-13', '2026-07-14') ({how}).")


def test_the_tasks_after_one_that_crashes_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = ["import os\nstock_tool = {}\ndef ask(client, question): os._exit(1)", LATE, CHECK]
    cells += ["check('01.1')", "1 / 0"]
    notebook = {
        "cells": [{"cell_type": "code", "source": source} for source in [IMPORT, *cells[:1]]]
        + [{"cell_type": "code", "source": "check('01.1')"}]
        + [{"cell_type": "code", "source": source} for source in [*cells[1:3], cells[4]]]
    }
    path = tmp_path / "answer.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert check_file(path) == 1
    shown = capsys.readouterr().out
    assert shown.count("Code cell 6 raised ZeroDivisionError") == 1  # once, whatever was run again
    assert "crashed" in shown
    assert "3 of 3 · 1 point" in shown
