"""`show.trace(*run)`: any run as a timeline, turn by turn, with the tokens of each."""

from typing import Any

from .steps import steps
from .table import Table, left_out, short
from .turns import read_run

LONGEST = 160  # characters of one step
MOST = 50  # steps; of a longer run the last


def trace(*run: Any) -> Table:
    """A table of who did what in each turn of a run, and the tokens that went in and came out.

    run  responses, the items you kept, a client of `connect()` (its log is read, refusals
         included) or the result of an agent's run; several are read in order
    """
    rows: list[list[str]] = []
    called: dict[str, str] = {}
    for turn in read_run(run):
        head = [str(turn.number or "–"), "", ""]
        if turn.usage:
            head[1:] = (f"{turn.tokens(kind):,}" for kind in ("input_tokens", "output_tokens"))
        for step in steps(turn, called):
            rows.append([*head, step.who, step.what, short(step.text, LONGEST)])
            head = ["", "", ""]
    return Table(
        ["turn", "tokens in", "out", "who", "what", "content"],
        rows[-MOST:],
        caption=left_out(len(rows) - MOST),
        code_columns={5},
        number_columns={1, 2},
        grouped=True,
    )
