"""`show.error(error)`: a refusal of the API, field by field, with what to change."""

from typing import TYPE_CHECKING

from .table import Table

if TYPE_CHECKING:
    from openai import APIStatusError


def error(refusal: "APIStatusError") -> Table:
    """The API's own words, and under them the course's sentence on what to change, if it has one.

    The sentence comes in the header `x-course-hint`; a live endpoint does not send it.
    """
    rows = [
        ["status", f"{refusal.status_code} ({type(refusal).__name__})"],
        ["message", refusal.message.removeprefix(f"Error code: {refusal.status_code} - ")],
        ["param", str(refusal.param)],
        ["code", str(refusal.code)],
    ]
    hint = refusal.response.headers.get("x-course-hint")
    return Table(["field", "the API says"], rows, note=f"What to change: {hint}" if hint else "")
