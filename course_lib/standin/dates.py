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
_WORDED = re.compile(r"[a-z]+", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d{2}))?(?::(\d{2}))?\s*([ap])?", re.IGNORECASE)


def read_date(text: str) -> tuple[int | None, int, int] | None:
    """(year or None, month, day) of a date as it was said; None when it is none."""
    if found := _ISO.search(text):
        year, month, day = map(int, found.groups())
        return _checked(year, month, day)
    if found := _SLASHED.search(text):
        first, second, short = map(int, found.groups())
        month, day = (second, first) if first > 12 else (first, second)
        return _checked(short + 2000 if short < 100 else short, month, day)
    months = table("months")
    said = [word.lower() for word in _WORDED.findall(text)]
    month = next((months[word] for word in said if word in months), 0)
    numbers = [int(number) for number in re.findall(r"\d{1,4}", text)]
    long = next((number for number in numbers if number > 31), None)
    day = next((number for number in numbers if 1 <= number <= 31), 0)
    return _checked(long, month, day)


def _checked(year: int | None, month: int, day: int) -> tuple[int | None, int, int] | None:
    try:
        date(year or 2000, month, day)
    except ValueError:
        return None
    return year, month, day


def write_date(text: str, pattern: str, year: int | None) -> str | None:
    """The date in the wanted pattern (`YYYY-MM-DD`, `MM/DD/YYYY`, …); None when it cannot be."""
    parts = read_date(text)
    if parts is None or not (full := parts[0] or year):
        return None
    _, month, day = parts
    if pattern.upper().startswith("ISO"):
        return f"{full:04}-{month:02}-{day:02}"
    written = pattern.upper().replace("YYYY", f"{full:04}").replace("MM", f"{month:02}")
    return written.replace("DD", f"{day:02}")


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
