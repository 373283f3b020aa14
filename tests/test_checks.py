"""Each task's check, over right and wrong answers, and what becomes of a submission.

Every answer goes two ways: directly, and over a pipe to another process. The results must be equal.
"""

import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from html import unescape
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from course_lib.checks import TASKS, check, hint
from course_lib.checks.notebook import direct_submission
from course_lib.checks.report import Report
from course_lib.checks.task import Finding, Result, State, Task, expect, run_check
from course_lib.grading.notebooks import read_notebook
from course_lib.grading.submission import Outcome, Submission
from course_lib.home import CourseError
from tests import ROOT
from tests.answers import Wrong, task_00_1, task_01_1
from tests.answers.ways import Way, directly, every_way, names_of, over_a_pipe, warm_pipe

ANSWERS = {
    task_id: import_module(f"tests.answers.task_{task_id.replace('.', '_')}") for task_id in TASKS
}
RIGHT = {(task, name): a for task, m in ANSWERS.items() for name, a in m.RIGHT.items()}
WRONG = {(task, name): a for task, m in ANSWERS.items() for name, a in m.WRONG.items()}


def each(answers: dict[tuple[str, str], Any]) -> pytest.MarkDecorator:
    ids = ["-".join(key) for key in answers]
    parameters = [(TASKS[task], answer) for (task, _), answer in answers.items()]
    return pytest.mark.parametrize(("task", "answer"), parameters, ids=ids)


@pytest.fixture(scope="module")
def pipe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Way]:
    with warm_pipe(tmp_path_factory.mktemp("pipe")) as way:
        yield way


def new_process(folder: Path, seconds: float) -> Way:
    return lambda task, source: over_a_pipe(task, source, folder, seconds)


def test_every_task_has_right_and_wrong_answers() -> None:
    for module in ANSWERS.values():
        assert len(module.RIGHT) >= 4
        assert len(module.WRONG) >= 4


@each(RIGHT)
def test_a_right_answer_passes(task: Task, answer: str, pipe: Way) -> None:
    result = every_way(task, answer, pipe)
    assert [finding for finding in result.findings if not finding.passed] == []
    assert result.state is State.PASSED
    assert result.points == task.points


@each(WRONG)
def test_a_wrong_answer_fails_as_meant(task: Task, answer: Wrong, pipe: Way) -> None:
    result = every_way(task, answer.source, pipe)
    failed = [finding for finding in result.findings if not finding.passed]
    assert tuple(finding.label for finding in failed) == answer.fails
    assert answer.came_back in failed[0].came_back
    assert answer.wanted in failed[0].wanted
    assert all(finding.tried and finding.reason for finding in failed)
    assert result.state is State.FAILED
    assert result.points < task.points


def test_a_known_mistake_is_told_its_remedy() -> None:
    result = directly(TASKS["01.1"], task_01_1.WRONG["nested_as_in_chat_completions"].source)
    remedies = {finding.label: finding.hint for finding in result.findings if finding.hint}
    assert "Take the inner object out" in remedies[task_01_1.ACCEPTED]


# What becomes of a submission

EMPTY_00_1 = 'def is_late(promised, today):\n    """Whether."""\n    raise NotImplementedError'
FORMS = {"00.1": EMPTY_00_1} | {
    task_id: "\n".join(cell for cell in notebook.cells if "check(" not in cell)
    for notebook in map(read_notebook, sorted((ROOT / "exercises").glob("*.ipynb")))
    for task_id in notebook.task_ids
}


def test_every_task_has_an_empty_form() -> None:
    assert set(FORMS) == set(TASKS)


@pytest.mark.parametrize("task_id", FORMS)
def test_an_empty_form_is_not_attempted(task_id: str, pipe: Way) -> None:
    result = every_way(TASKS[task_id], FORMS[task_id], pipe)
    assert (result.state, result.findings, result.points) == (State.NOT_ATTEMPTED, [], 0)
    assert "✗" not in repr(Report(result))


def test_half_a_form_is_judged_for_what_is_there(pipe: Way) -> None:
    source = task_01_1.TOOL + "\ndef ask(client, question):\n    raise NotImplementedError"
    result = every_way(TASKS["01.1"], source, pipe)
    assert [finding.label for finding in result.findings if finding.passed] == [
        task_01_1.FLAT,
        task_01_1.DESCRIPTION,
        task_01_1.SCHEMA,
    ]
    assert result.findings[-1].label == "ask is written"
    assert (result.state, result.expectations, result.points) == (State.FAILED, 8, 1)


def test_a_missing_name_is_told_and_earns_no_more_than_what_is_there(pipe: Way) -> None:
    result = every_way(TASKS["01.1"], task_01_1.TOOL, pipe)
    assert result.state is State.MISSING
    assert "There is no ask here" in result.note
    assert (result.passed, result.expectations, result.points) == (3, 8, 1)
    assert " 3 of 8 · missing\n" in repr(Report(result))


def test_a_helper_that_is_not_written_is_an_error_of_the_answer(pipe: Way) -> None:
    source = (
        "def is_late(promised, today):\n    return compare(promised, today)\n"
        "def compare(a, b):\n    raise NotImplementedError"
    )
    result = every_way(TASKS["00.1"], source, pipe)
    assert result.state is State.FAILED
    assert "NotImplementedError (line 4: raise" in result.findings[0].came_back


HANGING = {
    "a_loop": "def is_late(promised, today):\n    while True: pass",
    "a_sleep": "import time\ndef is_late(promised, today):\n    time.sleep(1000)",
    "a_loop_in_a_coroutine": "async def is_late(promised, today):\n    while True: pass",
    "a_loop_past_errors": """
def is_late(promised, today):
    while True:
        try:
            raise KeyError(promised)
        except Exception:
            continue
""",
    "a_loop_past_everything": """
def is_late(promised, today):
    while True:
        try:
            while True:
                try:
                    len(promised)
                except:
                    pass
        except:
            continue
""",
}


@pytest.mark.parametrize("source", HANGING.values(), ids=list(HANGING))
def test_what_hangs_is_timed_out(source: str, tmp_path: Path) -> None:
    result = every_way(TASKS["00.1"], source, new_process(tmp_path, 0.5), 0.5)
    assert result.state is State.TIMED_OUT
    assert result.points == 0
    assert "is_late('2026-07-13', '2026-07-14') did not finish in time" in result.note


def test_asking_the_api_without_end_is_stopped_and_told(pipe: Way) -> None:
    source = task_01_1.TOOL + task_01_1.ASK.replace("    return client", "    while True: client")
    result = every_way(TASKS["01.1"], source, pipe)
    [finding] = [f for f in result.findings if f.label == task_01_1.CALLED]
    assert finding.came_back == "it had sent 40 requests and did not stop: a loop without a cap"
    assert (result.state, result.points) == (State.FAILED, 1)


def test_a_loop_that_was_interrupted_does_not_run_on() -> None:
    before = threading.active_count()
    assert directly(TASKS["00.1"], HANGING["a_loop_in_a_coroutine"], 0.2).state is State.TIMED_OUT
    deadline = time.monotonic() + 120
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_points_are_the_share_that_holds_rounded_down() -> None:
    task = Task("99.1", "Nothing", 1, 3, 1, ("try",), lambda submission: iter(()))
    right, wrong = Finding("right", True), Finding("wrong", False)
    assert Result(task, State.FAILED, [right, right, wrong]).points == 2
    assert Result(task, State.FAILED, [right, wrong]).points == 1
    assert Result(task, State.CRASHED, [right], unjudged=3).points == 0
    assert Result(task, State.MISSING).points == 0


def test_what_was_not_reached_cannot_pass() -> None:
    def calls_nothing(submission: Submission) -> Iterator[Finding]:
        stub = submission.stub("refund")
        outcome = submission.call("handle", stub)
        yield expect("it returns", outcome).equals(None)
        # True of the stub, but only because nothing was called at all.
        yield expect("no refund is made", Outcome("refund", stub.calls)).equals([])

    task = Task("99.1", "Nothing", 1, 2, 1, (), calls_nothing)
    result = run_check(task, direct_submission({}))
    assert (result.state, result.passed, result.expectations) == (State.MISSING, 0, 2)


def test_an_expectation_of_several_outcomes_tells_of_the_first_that_fails() -> None:
    outcomes = [Outcome("f(1)", True), Outcome("f(2)", False), Outcome("f(3)", None)]
    finding = expect("all hold", *outcomes).equals(True)
    assert (finding.passed, finding.tried) == (False, "f(2)")
    assert expect("all hold", *outcomes[:1]).equals(True).passed


def test_one_is_not_true() -> None:
    assert not expect("yes", Outcome("f()", 1)).equals(True).passed
    assert not expect("one", Outcome("f()", True)).equals(1).passed
    assert expect("one", Outcome("f()", 1)).equals(1.0).passed


# check and hint, as a cell calls them


def test_check_reads_the_names_of_the_module_that_calls_it() -> None:
    names = names_of("from course_lib import check\n" + task_00_1.RIGHT["texts_compared"])
    exec("report = check('00.1')", names)
    assert repr(names["report"]).splitlines()[0].endswith(" 3 of 3 · 1 point")


def test_a_check_inside_the_code_it_checks_does_nothing(pipe: Way) -> None:
    source = (
        "from course_lib import check\n"
        "def is_late(promised, today):\n"
        "    check('00.1')\n"
        "    return promised < today\n"
    )
    assert pipe(TASKS["00.1"], source).state is State.PASSED
    names = names_of(source)
    exec("report = check('00.1')", names)
    assert names["report"].result.state is State.PASSED
    exec("report = check('00.1')", names)  # and the next one is not in its way
    assert names["report"].result.state is State.PASSED


@pytest.mark.parametrize("function", [check, hint])
def test_an_unknown_task_is_answered_with_those_there_are(function: Any) -> None:
    with pytest.raises(CourseError, match=r"no task '99\.9'.*01\.1"):
        function("99.9")


def test_hints_come_one_at_a_time_and_then_all_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("course_lib.checks.notebook._hints_given", {})
    hints = TASKS["01.1"].hints
    for number, text in enumerate(hints, 1):
        assert shown_by_hint() == f"Hint {number} of {len(hints)}: {text}"
    again = shown_by_hint()
    assert all(text in again for text in hints)


def shown_by_hint() -> str:
    """The words of a hint, whose lines fit a page."""
    with redirect_stdout(StringIO()) as shown:
        hint("01.1")
    assert max(map(len, shown.getvalue().splitlines())) <= 80
    return " ".join(shown.getvalue().split())


# The report


def test_a_report_fits_a_page_and_tells_a_long_outcome_once() -> None:
    report = repr(Report(directly(TASKS["01.1"], task_01_1.TOOL + "def ask(c, q): c.nowhere")))
    head, *lines = report.splitlines()
    assert len(head) == 80
    assert report.count("AttributeError") == 1
    assert report.count("the same as above") == 4
    assert report.count("     tried ") == 3  # once for each call, though three were judged by one
    assert lines[-1] == ' hint("01.1") has 3 hints left'


def test_a_report_counts_the_hints_that_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("course_lib.checks.notebook._hints_given", {})
    names = names_of(
        "from course_lib import check, hint\ndef is_late(promised, today):\n    return True"
    )
    ends = []
    for _ in range(5):
        exec("report = check('00.1')", names)
        ends.append(repr(names["report"]).splitlines()[-1])
        with redirect_stdout(StringIO()):
            exec("hint('00.1')", names)
    assert ends == [
        ' hint("00.1") has 3 hints left',
        ' hint("00.1") has 2 hints left',
        ' hint("00.1") has 1 hint left',
        ' hint("00.1") has no hints left and repeats them',
        ' hint("00.1") has no hints left and repeats them',
    ]


def test_a_report_in_a_notebook_is_the_same_text_with_marks_that_stand_out() -> None:
    report = Report(directly(TASKS["00.1"], "def is_late(promised, today): return '✓ ✗' > today"))
    shown = report._repr_html_()
    assert unescape(re.sub("<[^>]*>", "", shown)) == repr(report)
    assert shown.count("#1a8a3f") == repr(report).count("\n ✓")
    assert shown.count("#d1242f") == repr(report).count("\n ✗")  # those of the report alone


def test_a_long_line_of_a_report_goes_on_under_its_own_text() -> None:
    report = Report(directly(TASKS["00.1"], "def is_late(promised, today): return True"))
    lines = re.findall(r'<div style="padding-left:(\d+)ch;text-indent:-\1ch">(.*)\n?</div>', (
        report._repr_html_()
    ))  # fmt: skip
    labelled = {text[5:16].strip() for indent, text in lines if indent == "16"}
    assert {"tried", "came back", "wanted", "because"} <= labelled
    assert len(lines) == repr(report).count("\n")  # all but the first


def test_a_long_value_is_cut(pipe: Way) -> None:
    source = "def is_late(promised, today): return ['a value without end'] * 1000"
    report = repr(Report(every_way(TASKS["00.1"], source, pipe)))
    assert "…" in report
    assert max(map(len, report.splitlines())) < 200


def test_a_report_escapes_what_a_submission_says() -> None:
    source = "def is_late(promised, today):\n    raise ValueError('<script>\\n ✓ all\\x1b[2J')"
    report = Report(directly(TASKS["00.1"], source))
    assert "<script>" not in report._repr_html_()
    assert "&lt;script&gt;" in report._repr_html_()
    assert "\x1b" not in repr(report)
    assert not any(line.startswith(" ✓") for line in repr(report).splitlines())


def test_a_report_of_a_passed_task_is_short() -> None:
    report = repr(Report(directly(TASKS["00.1"], task_00_1.RIGHT["texts_compared"])))
    assert len(report.splitlines()) == 4
    assert "hint" not in report


def test_the_checks_are_not_loaded_by_the_package_alone() -> None:
    program = "import sys, course_lib; print([m for m in sys.modules if 'checks' in m])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
