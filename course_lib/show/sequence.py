"""`show.sequence(*run)`: a run as a diagram, in Mermaid in a notebook, in arrows as text."""

import re
from dataclasses import dataclass
from typing import Any

from .steps import Step, steps
from .table import left_out, short
from .turns import read_run

LONGEST = 40  # characters of a label
MOST = 30  # arrows; of a longer run the last


@dataclass(slots=True)
class Sequence:
    """Who turned to whom, in order: for a terminal, and for a notebook."""

    text: str
    mermaid: str

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.mermaid


def sequence(*run: Any) -> Sequence:
    """Draw the calls, results and messages of a run; the runs are those of `show.trace`.

    Reasoning is left out: it goes to nobody.
    """
    called: dict[str, str] = {}
    found = [step for turn in read_run(run) for step in steps(turn, called)]
    arrows = [step for step in found if step.who != step.to]
    caption = left_out(len(arrows) - MOST)
    arrows = arrows[-MOST:]
    names = list(dict.fromkeys(name for step in arrows for name in (step.who, step.to)))
    width = max((len(step.who + step.to) for step in arrows), default=0)
    text = [f"{f'{step.who} → {step.to}':{width + 3}}  {_label(step)}" for step in arrows]
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
    return short(step.text if plain else f"{step.what} {step.text}", LONGEST) or step.what


def _safe(text: str) -> str:
    """A text that Mermaid takes as it is: what could end a line or a block becomes its code."""
    unsafe = re.compile(r"[^\w .,:!?(){}\[\]'\"…→/+*=-]")
    return unsafe.sub(lambda found: f"#{ord(found[0])};", short(text, 200))
