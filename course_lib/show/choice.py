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


class Choice:
    """Two tables: the candidates with their scores, and the arguments with their sources."""

    def __init__(self, explanation: Explanation, called: set[str]) -> None:
        self._tables = [_candidates(explanation, called)]
        if explanation.arguments:
            self._tables.append(_arguments(explanation))

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self._tables)

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self._tables))


def choice(response: "Response") -> Choice | Table:
    """Explain one response of the stand-in model. Real models do not explain themselves so."""
    require_response(response)
    called = {item.name for item in response.output if item.type == "function_call"}
    found = exchange_of(response)
    if found and found[0].explanation:
        return Choice(found[0].explanation, called)
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
    if not explanation.candidates:
        note = f"Nothing was weighed: {explanation.because}."
    elif not called:
        note = f"No call: {explanation.because}."
    else:  # with arguments, their table says why
        note = "" if explanation.arguments else f"Why: {explanation.because}."
    rows = [
        [
            candidate.tool + (" ✔" if candidate.tool in called else ""),
            f"{candidate.score:.2f} {'▇' * round(candidate.score * BAR_WIDTH)}".rstrip(),
            ", ".join(candidate.words) or "none",
        ]
        for candidate in explanation.candidates
    ]
    return Table(
        ["tool", "score", "words that counted"],
        rows,
        caption=f"Simulated: the stand-in model's choice. Margin {explanation.margin:.2f}.",
        note=note,
        code_columns={0, 1},
    )


def _arguments(explanation: Explanation) -> Table:
    rows = [
        [
            argument.tool,
            argument.name,
            json.dumps(argument.value, ensure_ascii=False),
            argument.source,
        ]
        for argument in explanation.arguments
    ]
    return Table(
        ["call", "argument", "value", "where it came from"],
        rows,
        note=f"Why: {explanation.because}.",
        code_columns={0, 1, 2},
    )
