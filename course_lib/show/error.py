"""`show.error(error)`: a refusal of the API, field by field, with what to change."""

from typing import TYPE_CHECKING

from ..home import CourseError
from .table import Table

if TYPE_CHECKING:
    from openai import APIError


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
    response = getattr(refusal, "response", None)
    hint = response.headers.get("x-course-hint") if response is not None else None
    return Table(["field", "the API says"], rows, note=f"What to change: {hint}" if hint else "")
