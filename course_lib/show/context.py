"""`show.context(*run)`: what each turn put into the model's context, as bars, in tokens."""

from typing import Any

from ..home import CourseError
from .table import Table
from .turns import Turn, read_run

WIDTH = 40  # characters of the longest bar
MARKS = "░▒█▚"  # cached, sent before, new, output


def context(*run: Any) -> Table:
    """A table of the input and output tokens of each turn of a run, from `usage`.

    Input that the turn before had sent as well is told from what is new, and what the vendor
    read from its cache is told apart. The runs are those of `show.trace`; CourseError when none
    of it carries usage.
    """
    counted = [(str(turn.number), _parts(turn)) for turn in read_run(run) if turn.usage]
    if not counted:
        raise CourseError(
            "Items alone do not say how many tokens they took: give the responses or the client."
        )
    totals = [sum(column) for column in zip(*(parts for _, parts in counted), strict=True)]
    longest = max(sum(parts) for _, parts in counted)
    rows = [(number, parts, _bar(parts, longest)) for number, parts in counted]
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
    lengths = (-(-part * WIDTH // max(longest, 1)) for part in parts)
    return "".join(mark * length for mark, length in zip(MARKS, lengths, strict=True))
