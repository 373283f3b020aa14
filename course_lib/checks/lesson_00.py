"""The warm-up of lesson 0: an ordinary function, so that only `check` is new."""

from collections.abc import Iterator

from ..grading.submission import Submission
from .task import Finding, expect, task


@task(
    "00.1",
    "Is it late?",
    minutes=3,
    points=1,
    stars=1,
    hints=(
        "ISO dates such as 2026-07-13 sort like the days they name, so < and > work on the texts.",
        "An order is late on the day after the promised one, not on the day itself.",
        "return today > promised",
    ),
)
def is_late(submission: Submission) -> Iterator[Finding]:
    # Ends of a month and of a year are among them: comparing the days alone is not enough.
    cases = [
        (
            "an order promised yesterday is late",
            [("2026-07-13", "2026-07-14"), ("2026-07-31", "2026-08-01")],
            True,
        ),
        (
            "an order promised for tomorrow is not",
            [("2026-07-15", "2026-07-14"), ("2027-01-01", "2026-12-31")],
            False,
        ),
        (
            "an order promised for today is not",
            [("2026-07-14", "2026-07-14"), ("2026-07-13", "2026-07-13")],
            False,
        ),
    ]
    for label, dates, late in cases:
        outcomes = [submission.call("is_late", promised, today) for promised, today in dates]
        yield (
            expect(label, *outcomes)
            .equals(late)
            .because("the carrier has until the end of the promised day")
        )
