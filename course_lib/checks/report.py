"""A result as a learner reads it: what holds, what does not, and what to do about it."""

import re
from collections.abc import Sequence
from html import escape

from .task import Finding, Result, State

WIDTH = 80
_MARK = re.compile("(?<=^ )[✓✗]")
_COLOURS = {"✓": "#1a8a3f", "✗": "#d1242f"}
_WRAPS = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere"
LABEL = 16  # the width of "came back" and its like, with the space on both sides
LONG = 60  # characters; a longer outcome is told once, then referred to
_LINES = (
    ("tried", "tried"),
    ("came back", "came_back"),
    ("wanted", "wanted"),
    ("because", "reason"),
    ("remedy", "hint"),
)


class Report:
    """One task's result: text in a terminal, the same text with colours in a notebook."""

    def __init__(self, result: Result, hints_left: Sequence[str] | None = None) -> None:
        self.result = result
        self._hints_left = len(result.task.hints if hints_left is None else hints_left)

    def __repr__(self) -> str:
        task, result = self.result.task, self.result
        title = f"{task.id} {task.title}"
        lines = [f"{title}{self._score().rjust(WIDTH - len(title))}"]
        told: set[str] = set()
        tried = ""
        for finding in result.findings:
            lines += _finding_lines(finding, tried, told)
            tried = finding.tried or tried
        if result.note:
            lines.append(f" {result.note}")
        if result.state is not State.PASSED:
            left = self._hints_left
            hints = f"{left or 'no'} hint{'' if left == 1 else 's'} left"
            lines.append(f' hint("{task.id}") has {hints}{"" if left else " and repeats them"}')
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        # Fixed-width text keeps its columns in a saved notebook; the colours suit both themes.
        head, *lines = re.split(r"(?<=\n)", repr(self))
        text = f"<b>{escape(head)}</b>" + "".join(_row(line) for line in lines)
        return f'<pre style="{_WRAPS}">{text}</pre>'

    def _score(self) -> str:
        result = self.result
        so_far = f" {result.passed} of {result.expectations} · "
        points = f"{result.points} point{'' if result.points == 1 else 's'}"
        match result.state:
            case State.PASSED:
                return so_far + points
            case State.FAILED:
                return f"{so_far}{points} so far"
        return (so_far if result.findings else " ") + result.state


def _row(line: str) -> str:
    """A line that goes on, where it is too long, under its own text, and between words."""
    indent = LABEL if line.startswith("     ") else 3
    style = f"padding-left:{indent}ch;text-indent:-{indent}ch"
    return f'<div style="{style}">{_MARK.sub(_coloured, escape(line))}</div>'


def _coloured(mark: re.Match[str]) -> str:
    return f'<b style="color:{_COLOURS[mark[0]]}">{mark[0]}</b>'


def _finding_lines(finding: Finding, tried: str, told: set[str]) -> list[str]:
    """The lines of one finding: what the one that failed before it tried is not told again."""
    if finding.passed:
        return [f" ✓ {finding.label}"]
    fields = {word: getattr(finding, name) for word, name in _LINES}
    if finding.tried == tried:
        del fields["tried"]
    if finding.came_back in told:
        fields |= {"came back": "the same as above", "remedy": None}
    elif len(finding.came_back) > LONG:
        told.add(finding.came_back)
    return [f" ✗ {finding.label}"] + [
        f"     {word}".ljust(LABEL) + said for word, said in fields.items() if said
    ]
