"""A task and its check: expectations about a submission, and what to tell when one fails.

A check is a generator of findings. It runs to its end, or to the first thing that is not there:
each expectation is judged by itself, so one mistake does not hide what was right.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

from ..grading.submission import ChannelTimeout, Outcome, Over, Submission, describe


class State(StrEnum):
    """What became of a task."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_ATTEMPTED = "not attempted"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    CRASHED = "crashed"


@dataclass(slots=True)
class Finding:
    """One expectation and how it went. A passed one needs its label only."""

    label: str
    passed: bool
    tried: str = ""
    came_back: str = ""
    wanted: str = ""
    reason: str = ""
    hint: str | None = None

    def because(self, reason: str) -> "Finding":
        """Say why it matters; told only when the expectation failed."""
        self.reason = reason
        return self


@dataclass(frozen=True, slots=True)
class Expectation:
    """Something to hold about one outcome or several. Each method gives the finding."""

    label: str
    outcomes: tuple[Outcome, ...]

    def that(self, holds: Callable[[Any], bool], wanted: str) -> Finding:
        """`holds` is asked about each value; an error in the submission fails it before that.

        The finding tells of the first outcome of which it does not hold.
        """
        for outcome in self.outcomes:
            if outcome.problem is not None or not _holds(holds, outcome.value):
                came_back = outcome.problem or describe(outcome.value)
                return Finding(
                    self.label, False, outcome.tried, came_back, wanted, hint=outcome.hint
                )
        return Finding(self.label, True)

    def equals(self, *expected: Any) -> Finding:
        """Every value is `expected`, or each the one in its place; 1 is not True."""
        if len(expected) == 1:
            expected *= len(self.outcomes)
        findings = [
            Expectation(self.label, (outcome,)).that(partial(_same, value), describe(value))
            for outcome, value in zip(self.outcomes, expected, strict=True)
        ]
        return next((each for each in findings if not each.passed), findings[0])


def expect(label: str, *outcomes: Outcome) -> Expectation:
    """Begin an expectation. `label` says, in the present tense, what is true when it passes."""
    return Expectation(label, outcomes)


@dataclass(frozen=True, slots=True)
class Task:
    """One graded task. `check` yields findings; `hints` come one at a time."""

    id: str
    title: str
    minutes: int
    points: int
    stars: int  # difficulty, 1 to 3
    hints: tuple[str, ...]
    check: Callable[[Submission], Iterator[Finding]]


@dataclass(slots=True)
class Result:
    """A task's state, its findings, and one sentence where the state needs one."""

    task: Task
    state: State
    findings: list[Finding] = field(default_factory=list)
    unjudged: int = 0  # expectations that the submission did not live to
    note: str = ""

    @property
    def passed(self) -> int:
        return sum(finding.passed for finding in self.findings)

    @property
    def expectations(self) -> int:
        """How many the task has, judged or not: what the points are shared among."""
        return len(self.findings) + self.unjudged

    @property
    def points(self) -> int:
        """Whole points: the share of expectations that hold, rounded down."""
        return self.task.points * self.passed // self.expectations if self.expectations else 0


TASKS: dict[str, Task] = {}


def task(
    task_id: str, title: str, *, minutes: int, points: int, stars: int, hints: tuple[str, ...]
) -> Callable[[Callable[[Submission], Iterator[Finding]]], Task]:
    """Register the decorated generator as the check of a task."""

    def register(check: Callable[[Submission], Iterator[Finding]]) -> Task:
        TASKS[task_id] = Task(task_id, title, minutes, points, stars, hints, check)
        return TASKS[task_id]

    return register


def run_check(task: Task, submission: Submission) -> Result:
    """Run a task's check to its end. Nothing a submission does makes this raise."""
    result = Result(task, State.FAILED)
    for finding in task.check(submission):
        if submission.over is None:
            result.findings.append(finding)
        else:  # whatever it says, it was not tried
            result.unjudged += 1
    reached = submission.reached
    match submission.over:
        case None:
            if all(finding.passed for finding in result.findings):
                result.state = State.PASSED
        case Over(args=("not attempted", name)) if result.findings:
            unwritten = "it is still the empty form"
            result.findings.append(
                Finding(f"{name} is written", False, name, unwritten, f"your {name}")
            )
            result.unjudged -= 1
        case Over(args=("not attempted", _)):
            result.state = State.NOT_ATTEMPTED
        case Over(args=("missing", name)):
            result.state = State.MISSING
            result.note = (
                f"There is no {name} here. Run the cell that defines it, then check again."
            )
        case Over(args=("cell failed", name, kind, error)):
            unreadable = kind in ("SyntaxError", "IndentationError", "TabError")
            result.state = State.UNREADABLE if unreadable else State.CRASHED
            result.note = (
                f"The cell that was to define {name} raised {error}, so {name} is not what you "
                "wrote there. Mend that cell, run it, then check again."
            )
        case Over():
            result.state = State.OUT_OF_MEMORY
            result.note = f"{reached} ran out of memory. Look for data that grows without end."
        case ChannelTimeout():
            result.state = State.TIMED_OUT
            result.note = f"{reached} did not finish in time. Look for a loop that has no end."
        case closed:
            result.state = State.CRASHED
            how = f" ({closed})" if str(closed) else ""
            result.note = f"The process that ran your code ended in {reached}{how}."
    return result


def _same(expected: Any, value: Any) -> bool:
    return bool(value == expected) and isinstance(value, bool) is isinstance(expected, bool)


def _holds(holds: Callable[[Any], bool], value: Any) -> bool:
    """Whether it holds; a value of another shape than the check expects does not."""
    try:
        return bool(holds(value))
    except Exception:
        return False
