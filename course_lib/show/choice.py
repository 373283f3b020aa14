"""`show.choice(response)`: what the stand-in weighed, and where each argument came from."""

import json
from typing import TYPE_CHECKING

from ..home import CourseError
from ..live import is_live
from ..standin.explanation import Explanation
from .calls import require_response
from .table import Table
from .wire import exchange_of

if TYPE_CHECKING:
    from openai.types.responses import Response

BAR_WIDTH = 10


def choice(response: "Response") -> Table:
    """Explain one response of the stand-in model. Real models do not explain themselves so."""
    require_response(response)
    called = {item.name for item in response.output if item.type == "function_call"}
    found = exchange_of(response)
    if found and found[0].explanation:
        return _candidates(found[0].explanation, called)
    if is_live():
        # Not an error: a lesson is run from top to bottom live as well.
        return Table(
            ["live"], [["show.choice explains the stand-in; a live model tells no scores"]]
        )
    raise CourseError(
        f"{response.id} was not made by a client of connect() in this notebook, "
        "or too long ago. Run the cell that made it again."
    )


def _candidates(explanation: Explanation, called: set[str]) -> Table:
    """The candidates with their scores; under them the arguments, if there are any."""
    note, below = f"Why: {explanation.because}.", None
    if not explanation.candidates:
        note = f"Nothing was weighed: {explanation.because}."
    elif not called:
        note = f"No call: {explanation.because}."
    if explanation.arguments:
        below = Table(
            ["call", "argument", "value", "where it came from"],
            [
                [each.tool, each.name, json.dumps(each.value, ensure_ascii=False), each.source]
                for each in explanation.arguments
            ],
            note=f"Why: {explanation.because}.",
            code_columns={0, 1, 2},
        )
        note = "" if called and explanation.candidates else note
    rows = [
        [
            each.tool + (" ✔" if each.tool in called else ""),
            f"{each.score:.2f} {'▇' * round(each.score * BAR_WIDTH)}".rstrip(),
            ", ".join(each.words) or "none",
        ]
        for each in explanation.candidates
    ]
    return Table(
        ["tool", "score", "words that counted"],
        rows,
        caption=f"Simulated: the stand-in model's choice. Margin {explanation.margin:.2f}.",
        note=note,
        code_columns={0, 1},
        below=below,
    )
