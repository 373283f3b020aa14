"""Dates and times: read once, written in the form a description asks for.

A year that was not said is taken from elsewhere in the request or from the parameter's example;
where neither names one, the date stays as it was said. Relative dates ("tomorrow") stay too: the
stand-in knows no calendar day.
"""

import re
from datetime import date

from .lexicon import pattern, table


def read_date(text: str) -> tuple[int | None, int, int] | None:
    """(year or None, month, day) of a date as it was said; None when it is none."""
    numbers = [int(digits) for digits in re.findall(r"\d+", text)[:3]]
    words = re.findall(r"[a-z]+", text.lower())
    if month := next((table("months")[word] for word in words if word in table("months")), 0):
        year = next((number for number in numbers if number > 31), None)
        day = next((number for number in numbers if 1 <= number <= 31), 0)
    elif len(numbers) == 3:
        year, month, day = numbers if numbers[0] > 31 else (numbers[2], *numbers[:2])
        year = year + 2000 if year < 100 else year
        month, day = (day, month) if month > 12 else (month, day)
    else:
        return None
    try:
        date(year or 2000, month, day)
    except ValueError:
        return None
    return year, month, day


def write_date(text: str, form: str, year: int | None) -> str | None:
    """The date in the wanted form (`YYYY-MM-DD`, `MM/DD/YYYY`, …); None when it cannot be."""
    said, month, day = read_date(text) or (None, 0, 0)
    if not month or not (full := said or year):
        return None
    written = "YYYY-MM-DD" if form.upper().startswith("ISO") else form.upper()
    for mark, number in (("YYYY", f"{full:04}"), ("MM", f"{month:02}"), ("DD", f"{day:02}")):
        written = written.replace(mark, number)
    return written


def write_time(text: str, form: str) -> str | None:
    """`7:30 pm` as `19:30` or, where the form is `HH:MM:SS`, `19:30:00`; None if it is no time."""
    found = pattern("clock").match(text.strip())
    if not found:
        return None
    hour, minute, half = int(found[1]), int(found[2] or 0), (found[4] or "").lower()
    hour = hour % 12 + 12 * (half == "p") if half else hour
    if hour > 23 or minute > 59:
        return None
    return f"{hour:02}:{minute:02}" + (f":{int(found[3] or 0):02}" if "SS" in form else "")
