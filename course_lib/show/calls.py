"""`show.calls(response)`: the function calls of a response, one row each."""

from typing import TYPE_CHECKING

from ..home import CourseError
from .table import Table

if TYPE_CHECKING:
    from openai.types.responses import Response


def calls(response: "Response") -> Table:
    """A table of call_id, name and arguments; says so when the model made no call."""
    require_response(response)
    rows = [
        [item.call_id, item.name, item.arguments]
        for item in response.output
        if item.type == "function_call"
    ]
    note = "" if rows else f"No call. The model said: {response.output_text or '(nothing)'}"
    return Table(["call_id", "name", "arguments"], rows, note=note, code_columns={0, 1, 2})


def require_response(given: object) -> None:
    """Raise CourseError for what is no response: a stream, say, or an error."""
    if not hasattr(given, "output") or not hasattr(given, "output_text"):
        raise CourseError(
            f"This takes a response, as responses.create returns it, not a {type(given).__name__}."
        )
