"""Dates and times: read once, written in the form a description asks for.

A year that was not said is taken from elsewhere in the request or from the parameter's example;
where neither names one, the date stays as it was said. Relative dates ("tomorrow") stay too: the
stand-in knows no calendar day.
"""

import re
from datetime import date

from .lexicon import table

_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_SLASHED = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{2,4})")
_CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d{2}))?(?::(\d{2}))?\s*([ap])?", re.IGNORECASE)


def read_date(text: str) -> tuple[int | None, int, int] | None:
    """(year or None, month, day) of a date as it was said; None when it is none."""
    year: int | None
    if found := _ISO.search(text):
        year, month, day = map(int, found.groups())
    elif found := _SLASHED.search(text):
        first, second, short = map(int, found.groups())
        month, day = (second, first) if first > 12 else (first, second)
        year = short + 2000 if short < 100 else short
    else:
        months = table("months")
        said = re.findall(r"[a-z]+", text.lower())
        month = next((months[word] for word in said if word in months), 0)
        numbers = [int(digits) for digits in re.findall(r"\d{1,4}", text)]
        year = next((number for number in numbers if number > 31), None)
        day = next((number for number in numbers if 1 <= number <= 31), 0)
    try:
        date(year or 2000, month, day)
    except ValueError:
        return None
    return year, month, day


def write_date(text: str, form: str, year: int | None) -> str | None:
    """The date in the wanted form (`YYYY-MM-DD`, `MM/DD/YYYY`, …); None when it cannot be."""
    parts = read_date(text)
    if parts is None or not (full := parts[0] or year):
        return None
    written = "YYYY-MM-DD" if form.upper().startswith("ISO") else form.upper()
    written = written.replace("YYYY", f"{full:04}").replace("MM", f"{parts[1]:02}")
    return written.replace("DD", f"{parts[2]:02}")


def write_time(text: str, seconds: bool) -> str | None:
    """`7:30 pm` as `19:30`; None for what is no time of day."""
    found = _CLOCK.match(text.strip())
    if not found:
        return None
    hour, minute, half = int(found[1]), int(found[2] or 0), (found[4] or "").lower()
    hour = hour % 12 + 12 if half == "p" else (0 if half == "a" and hour == 12 else hour)
    if hour > 23 or minute > 59:
        return None
    return f"{hour:02}:{minute:02}" + (f":{int(found[3] or 0):02}" if seconds else "")
