"""The views of a run: `show.trace`, `show.context` and `show.sequence`.

A run is responses, the items you kept or the result of an agent's run; several are read in order.
"""

import re
from dataclasses import dataclass
from typing import Any

from ..home import CourseError
from .steps import Step, steps
from .table import Table
from .turns import Turn, read_run

MOST_STEPS, MOST_ARROWS = 50, 30  # of a longer run the last
STEP, LABEL = 160, 40  # characters of one, at most
BAR = 40  # characters of the longest bar
MARKS = "░▒█▚"  # cached, sent before, new, output


def trace(*run: Any) -> Table:
    """A table of who did what in each turn, and the tokens that went in and came out."""
    rows: list[list[str]] = []
    called: dict[str, str] = {}
    for turn in read_run(run):
        head = [str(turn.number or "–"), "", ""]
        if turn.usage:
            head[1:] = (f"{turn.tokens(kind):,}" for kind in ("input_tokens", "output_tokens"))
        for step in steps(turn, called):
            rows.append([*head, step.who, step.what, _short(step.text, STEP)])
            head = ["", "", ""]
    return Table(
        ["turn", "tokens in", "out", "who", "what", "content"],
        rows[-MOST_STEPS:],
        caption=_left_out(len(rows) - MOST_STEPS),
        code_columns={5},
        number_columns={1, 2},
        grouped=True,
    )


def context(*run: Any) -> Table:
    """A table of the input and output tokens of each turn, from `usage`.

    Input that the turn before had sent as well is told from what is new, and what the vendor
    read from its cache is told apart. CourseError when nothing in the run carries usage.
    """
    counted = [(str(turn.number), _parts(turn)) for turn in read_run(run) if turn.usage]
    if not counted:
        raise CourseError("Items alone do not say how many tokens they took: give the responses.")
    longest = max(1, *(sum(parts) for _, parts in counted))
    rows = [(number, parts, _bar(parts, longest)) for number, parts in counted]
    totals = [sum(column) for column in zip(*(parts for _, parts in counted), strict=True)]
    return Table(
        ["turn", "cached", "sent before", "new", "output", "tokens"],
        [
            [name, *(f"{n:,}" for n in parts), bar]
            for name, parts, bar in [*rows, ("all", totals, "")]
        ],
        caption="Tokens of each turn: what the model read, and what it wrote.",
        note="{} cached · {} sent before · {} new · {} output".format(*MARKS),
        code_columns={5},
        number_columns={1, 2, 3, 4},
    )


def _parts(turn: Turn) -> list[int]:
    """Input from the cache, other input that was sent before, new input, output."""
    cached = int((turn.usage.get("input_tokens_details") or {}).get("cached_tokens") or 0)
    before = max(turn.before - cached, 0)
    new = turn.tokens("input_tokens") - cached - before
    return [cached, before, new, turn.tokens("output_tokens")]


def _bar(parts: list[int], longest: int) -> str:
    """At least one character for whatever is not nothing."""
    return "".join(
        mark * -(-part * BAR // longest) for mark, part in zip(MARKS, parts, strict=True)
    )


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
