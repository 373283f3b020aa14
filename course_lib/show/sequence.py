"""`show.sequence(*run)`: a run as a diagram, in Mermaid in a notebook, in arrows as text."""

import re
from dataclasses import dataclass
from typing import Any

from .steps import Step, steps
from .table import left_out, short
from .turns import read_run

LONGEST = 40  # characters of a label
MOST = 30  # arrows; of a longer run the last


def sequence(*run: Any) -> "Sequence":
    """Draw the calls, results and messages of a run; the runs are those of `show.trace`.

    Reasoning is left out: it goes to nobody.
    """
    called: dict[str, str] = {}
    found = [step for turn in read_run(run) for step in steps(turn, called)]
    arrows = [step for step in found if step.who != step.to]
    return Sequence(arrows[-MOST:], left_out(len(arrows) - MOST))


@dataclass(slots=True)
class Sequence:
    """Who turned to whom, in order. `caption` comes first."""

    steps: list[Step]
    caption: str

    def __repr__(self) -> str:
        pairs = [f"{step.who} → {step.to}" for step in self.steps]
        width = max(map(len, pairs), default=0)
        drawn = zip(pairs, self.steps, strict=True)
        lines = [f"{pair:{width}}  {_label(step)}" for pair, step in drawn]
        return "\n".join(filter(None, [self.caption, *lines]))

    def _repr_markdown_(self) -> str:
        names = dict.fromkeys(name for step in self.steps for name in (step.who, step.to))
        place = {name: f"p{number}" for number, name in enumerate(names)}
        arrows = [
            f"{place[step.who]}{'-->>' if step.what == 'result' else '->>'}{place[step.to]}: "
            f"{_safe(_label(step))}"
            for step in self.steps
        ]
        lines = [
            *([f"*{self.caption}*", ""] if self.caption else []),
            "```mermaid",
            "sequenceDiagram",
            f"accTitle: {len(arrows)} steps between {_safe(', '.join(names))}",  # read aloud
            *(f"participant {place[name]} as {_safe(name)}" for name in names),
            *arrows,
            "```",
        ]
        return "\n".join(lines)


def _label(step: Step) -> str:
    plain = step.what in ("message", "call", "result", "handoff")
    return short(step.text if plain else f"{step.what} {step.text}", LONGEST) or step.what


def _safe(text: str) -> str:
    """A text that Mermaid takes as it is: what could end a line or a block becomes its code."""
    unsafe = re.compile(r"[^\w .,:!?(){}\[\]'\"…→/+*=-]")
    return unsafe.sub(lambda found: f"#{ord(found[0])};", short(text, 200))
