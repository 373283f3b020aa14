"""The views: `calls`, `choice` and `error` of one answer; `trace`, `context`, `sequence` of a run.

A run is responses, the items you kept or the result of an agent's run; several are read in order.
A view is a table, which reads well in a notebook, saved or not, in both themes and in a terminal.
"""

import json
import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from ..home import CourseError
from ..live import is_live
from ..platform.app import HINT_HEADER
from ..standin.prompt import Explanation
from .runs import Step, Turn, as_json, exchange_of, read_run, steps

if TYPE_CHECKING:
    from openai import APIError
    from openai.types.responses import Response

MOST_STEPS, MOST_ARROWS = 50, 30  # of a longer run the last
STEP, LABEL = 160, 40  # characters of one, at most
BAR = 40  # characters of the longest bar
MARKS = "░▒█▚"  # cached, sent before, new, output


@dataclass(slots=True)
class Table:
    """Rows under headings. `caption` comes first, `note` last; both are plain sentences."""

    columns: dict[str, str]
    """The headings, each with what is under it: "text", "number" (on the right) or "code"."""
    rows: list[list[str]]
    caption: str = ""
    note: str = ""
    below: "Table | None" = None  # another one, under the note
    grouped: bool = False  # a row whose first cell is filled begins a group, under a line

    def _repr_html_(self) -> str:
        head = "".join(
            f'<th style="{_style(kind)};white-space:nowrap">{escape(heading)}</th>'
            for heading, kind in self.columns.items()
        )
        body = "".join(f"<tr>{self._cells(row)}</tr>" for row in self.rows)
        caption = f"<p><em>{escape(self.caption)}</em></p>" if self.caption else ""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        below = self.below._repr_html_() if self.below else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return caption + table + note + below

    def _cells(self, row: list[str]) -> str:
        line = ";border-top:1px solid" if self.grouped and row[0] else ""
        *_, last = self.columns
        cells = ""
        for text, (heading, kind) in zip(row, self.columns.items(), strict=True):
            # What is long stands in the last column or is code; a word or a number is not broken.
            space = "pre-wrap" if kind == "code" or heading == last else "nowrap"
            face = ";font-family:monospace" if kind == "code" else ""
            style = f"{_style(kind)};white-space:{space}{face}{line}"
            cells += f'<td style="{style}">{escape(text)}</td>'
        return cells

    def __repr__(self) -> str:
        kinds = self.columns.values()
        widths = [max(map(len, column)) for column in zip(self.columns, *self.rows, strict=True)]
        lines = [
            "  ".join(
                text.rjust(width) if kind == "number" else text.ljust(width)
                for text, width, kind in zip(row, widths, kinds, strict=True)
            ).rstrip()
            for row in (self.columns, ["-" * width for width in widths], *self.rows)
        ]
        below = f"\n{self.below}" if self.below else ""
        return "\n".join(filter(None, [self.caption, *lines, self.note, below]))


# No colours of its own: text and lines take the theme's. Inline, because saved, untrusted notebooks
# keep style attributes and drop everything else.
def _style(kind: str) -> str:
    side = "right" if kind == "number" else "left"
    return f"text-align:{side};padding:2px 12px 2px 0;vertical-align:top"


def calls(response: "Response") -> Table:
    """A table of call_id, name and arguments; says so when the model made no call."""
    _require_response(response)
    rows = [
        [item.call_id, item.name, item.arguments]
        for item in response.output
        if item.type == "function_call"
    ]
    note = "" if rows else f"No call. The model said: {response.output_text or '(nothing)'}"
    return Table(dict.fromkeys(["call_id", "name", "arguments"], "code"), rows, note=note)


def choice(response: "Response") -> Table:
    """What the stand-in weighed, and where each argument came from. Real models do not tell."""
    _require_response(response)
    found = exchange_of(as_json(response))
    if found and found[0].explanation:
        called = {item.name for item in response.output if item.type == "function_call"}
        return _weighed(found[0].explanation, called)
    if is_live():  # not an error: a lesson is run from top to bottom live as well
        told = "show.choice explains the stand-in; a live model tells no scores"
        return Table({"live": "text"}, [[told]])
    raise CourseError(
        f"{response.id} was not made by a client of connect() in this notebook, "
        "or too long ago. Run the cell that made it again."
    )


def _weighed(explanation: Explanation, called: set[str]) -> Table:
    """The candidates with their scores; under them the arguments, if there are any."""
    why, below = f"Why: {explanation.because}.", None
    if explanation.arguments:
        rows = [
            [each.tool, each.name, json.dumps(each.value, ensure_ascii=False), each.source]
            for each in explanation.arguments
        ]
        columns = dict.fromkeys(["call", "argument", "value"], "code")
        below = Table(columns | {"where it came from": "text"}, rows, note=why)
    if not explanation.candidates:
        note = f"Nothing was weighed: {explanation.because}."
    elif not called:
        note = f"No call: {explanation.because}."
    else:
        note = "" if below else why
    rows = [
        [
            each.tool + (" ✔" if each.tool in called else ""),
            f"{each.score:.2f} {'▇' * round(10 * each.score)}".rstrip(),
            ", ".join(each.words) or "none",
        ]
        for each in explanation.candidates
    ]
    caption = f"Simulated: the stand-in model's choice. Margin {explanation.margin:.2f}."
    columns = {"tool": "code", "score": "code", "words that counted": "text"}
    return Table(columns, rows, caption, note, below)


def error(refusal: "APIError") -> Table:
    """The API's own words, and under them the course's sentence on what to change, if it has one.

    The sentence comes in the header `x-course-hint`; a live endpoint does not send it.
    """
    if not hasattr(refusal, "message") or not hasattr(refusal, "param"):
        raise CourseError(
            f"show.error takes an error of the client, not a {type(refusal).__name__}."
        )
    status = getattr(refusal, "status_code", "none")  # a connection that failed has none
    rows = [
        ["status", f"{status} ({type(refusal).__name__})"],
        ["message", refusal.message.removeprefix(f"Error code: {status} - ")],
        ["param", str(refusal.param)],
        ["code", str(refusal.code)],
    ]
    headers = getattr(getattr(refusal, "response", None), "headers", {})
    hint = headers.get(HINT_HEADER)
    note = f"What to change: {hint}" if hint else ""
    return Table({"field": "text", "the API says": "text"}, rows, note=note)


def _require_response(given: object) -> None:
    """Raise CourseError for what is no response: a stream, say, or what a poor server sent."""
    if not isinstance(getattr(given, "output", None), list) or not hasattr(given, "output_text"):
        lacks = " without output" if hasattr(given, "output") else ""
        raise CourseError(
            "This takes a response, as responses.create returns it, "
            f"not a {type(given).__name__}{lacks}."
        )


def trace(*run: Any) -> Table:
    """A table of who did what in each turn, and the tokens that went in and came out."""
    rows: list[list[str]] = []
    called: dict[str, str] = {}
    for turn in read_run(run):
        head = [str(turn.number or "–"), "", ""]
        if turn.usage:
            head[1:] = _figures([turn.tokens("input_tokens"), turn.tokens("output_tokens")])
        for step in steps(turn, called):
            rows.append([*head, step.who, step.what, _short(step.text, STEP)])
            head = ["", "", ""]
    columns = {"turn": "text", "tokens in": "number", "out": "number"}
    columns |= {"who": "text", "what": "text", "content": "code"}
    caption = _left_out(len(rows) - MOST_STEPS)
    return Table(columns, rows[-MOST_STEPS:], caption, grouped=True)


def context(*run: Any) -> Table:
    """A table of the input and output tokens of each turn, from `usage`.

    Input that the turn before had sent as well is told from what is new, and what the vendor
    read from its cache is told apart. CourseError when nothing in the run carries usage.
    """
    counted = {str(turn.number): _parts(turn) for turn in read_run(run) if turn.usage}
    if not counted:
        raise CourseError("Items alone do not say how many tokens they took: give the responses.")
    longest = max(1, *map(sum, counted.values()))
    totals = [sum(column) for column in zip(*counted.values(), strict=True)]
    rows = [[turn, *_figures(parts), _bar(parts, longest)] for turn, parts in counted.items()]
    numbers = dict.fromkeys(["cached", "sent before", "new", "output"], "number")
    return Table(
        {"turn": "text", **numbers, "tokens": "code"},
        [*rows, ["all", *_figures(totals), ""]],
        "Tokens of each turn: what the model read, and what it wrote.",
        "{} cached · {} sent before · {} new · {} output".format(*MARKS),
    )


def _parts(turn: Turn) -> list[int]:
    """Input from the cache, other input that was sent before, new input, output."""
    cached = int((turn.usage.get("input_tokens_details") or {}).get("cached_tokens") or 0)
    before = max(turn.before - cached, 0)
    new = turn.tokens("input_tokens") - cached - before
    return [cached, before, new, turn.tokens("output_tokens")]


def _figures(numbers: list[int]) -> list[str]:
    return [f"{number:,}" for number in numbers]


def _bar(parts: list[int], longest: int) -> str:
    """At least one character for whatever is not nothing."""
    lengths = (-(-part * BAR // longest) for part in parts)
    return "".join(mark * length for mark, length in zip(MARKS, lengths, strict=True))


@dataclass(slots=True)
class Sequence:
    """Who turned to whom, in order: in arrows for a terminal, in Mermaid for a notebook."""

    text: str
    mermaid: str

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.mermaid


def sequence(*run: Any) -> Sequence:
    """Draw the calls, results and messages of a run. Reasoning is left out: it goes to nobody."""
    called: dict[str, str] = {}
    found = [step for turn in read_run(run) for step in steps(turn, called) if step.who != step.to]
    caption, arrows = _left_out(len(found) - MOST_ARROWS), found[-MOST_ARROWS:]
    names = list(dict.fromkeys(name for step in arrows for name in (step.who, step.to)))
    width = max((len(step.who + step.to) for step in arrows), default=0) + 3
    text = [f"{f'{step.who} → {step.to}':{width}}  {_label(step)}" for step in arrows]
    mermaid = [
        "```mermaid",
        "sequenceDiagram",
        f"accTitle: {len(arrows)} steps between {_safe(', '.join(names))}",  # read aloud
        *(f"participant p{place} as {_safe(name)}" for place, name in enumerate(names)),
        *(
            f"p{names.index(step.who)}{'-->>' if step.what == 'result' else '->>'}"
            f"p{names.index(step.to)}: {_safe(_label(step))}"
            for step in arrows
        ),
        "```",
    ]
    if caption:
        text, mermaid = [caption, *text], [f"*{caption}*", "", *mermaid]
    return Sequence("\n".join(text), "\n".join(mermaid))


def _label(step: Step) -> str:
    plain = step.what in ("message", "call", "result", "handoff")
    return _short(step.text if plain else f"{step.what} {step.text}", LABEL) or step.what


def _safe(text: str) -> str:
    """A text that Mermaid takes as it is: what could end a line or a block becomes its code."""
    unsafe = re.compile(r"[^\w .,:!?(){}\[\]'\"…→/+*=-]")
    return unsafe.sub(lambda found: f"#{ord(found[0])};", _short(text, 200))


def _short(text: str, longest: int) -> str:
    """The text on one line, cut to so many characters."""
    line = " ".join(text[: 8 * longest].split())  # not all of an image, or of a book
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _left_out(number: int) -> str:
    return f"The first {number} steps are left out." if number > 0 else ""
