"""The views of one response: `show.calls`, `show.choice`, and `show.error` where there is none."""

import json
from typing import TYPE_CHECKING

from ..home import CourseError
from ..live import is_live
from ..standin.explanation import Explanation
from .table import Table
from .turns import as_json, exchange_of

if TYPE_CHECKING:
    from openai import APIError
    from openai.types.responses import Response


def calls(response: "Response") -> Table:
    """A table of call_id, name and arguments; says so when the model made no call."""
    _require_response(response)
    rows = [
        [item.call_id, item.name, item.arguments]
        for item in response.output
        if item.type == "function_call"
    ]
    note = "" if rows else f"No call. The model said: {response.output_text or '(nothing)'}"
    return Table(["call_id", "name", "arguments"], rows, note=note, code_columns={0, 1, 2})


def choice(response: "Response") -> Table:
    """What the stand-in weighed, and where each argument came from. Real models do not tell."""
    _require_response(response)
    found = exchange_of(as_json(response))
    if found and found[0].explanation:
        called = {item.name for item in response.output if item.type == "function_call"}
        return _weighed(found[0].explanation, called)
    if is_live():  # not an error: a lesson is run from top to bottom live as well
        told = "show.choice explains the stand-in; a live model tells no scores"
        return Table(["live"], [[told]])
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
        headings = ["call", "argument", "value", "where it came from"]
        below = Table(headings, rows, note=why, code_columns={0, 1, 2})
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
    headings = ["tool", "score", "words that counted"]
    return Table(headings, rows, caption, note, code_columns={0, 1}, below=below)


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
    hint = headers.get("x-course-hint")
    return Table(["field", "the API says"], rows, note=f"What to change: {hint}" if hint else "")


def _require_response(given: object) -> None:
    """Raise CourseError for what is no response: a stream, say, or an error."""
    if not hasattr(given, "output") or not hasattr(given, "output_text"):
        raise CourseError(
            f"This takes a response, as responses.create returns it, not a {type(given).__name__}."
        )
