"""A value in the form its parameter asks for: type, unit, date format, place, code, pattern.

`None` means that the value cannot be had in that form, so it is not sent. A year that was not said
is taken from elsewhere in the request or from the parameter's example; where neither names one,
the date stays as it was said, and so do relative dates: the stand-in knows no calendar day.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from .lexicon import code_of, pattern, place_as, table
from .request import Request
from .text import plain_words
from .tool import MOST_CUES, Parameter, shape_of
from .values import Value, number, read_date, whole


def shape(parameter: Parameter, value: Value, request: Request) -> Any:
    """The value as the parameter wants it, or None."""
    if value.kind == "array":
        return literal_for(parameter, value)
    if value.kind == "list":
        members = [shape(parameter.item, member, request) for member in value.data]
        data = [member for member in members if member is not None]
        return ([data] if data and "array" in parameter.item.types else data) or None
    if parameter.numeric:
        return _as_number(parameter, value)
    if value.kind in ("date", "datetime", "time", "when"):
        return _as_moment(parameter, value, request)
    text = value.text.strip() if value.kind == "number" else str(value.data)
    if parameter.code:
        three = re.search(r"(?i)alpha-3|three-letter|\{3\}", parameter.about + parameter.pattern)
        length = 3 if three or parameter.code == "currency" else 2
        text = code_of(parameter.code, text, length) or text
    if parameter.role == "place" and value.kind == "name":
        text = place_as(text, parameter.about)
    if value.kind == "email" and ("@" in parameter.about or parameter.schema.get("format")):
        text = text.replace(" dot ", ".").replace(" at ", "@")
    return _patterned(parameter, value, text, request)


def literal_for(parameter: Parameter, value: Value) -> Any:
    """`[1, 2]` or `(1, 2)` as data; None when the array takes other things."""
    plain = re.sub(r"^\((.*)\)$", r"[\1]", value.text.strip())
    try:
        data = json.loads(plain.replace("'", '"'))
    except (ValueError, RecursionError):
        data = [part.strip(" \"'") for part in plain[1:-1].split(",") if part.strip()]
    if not isinstance(data, list) or not data:
        return None
    nested = "array" in parameter.item.types and not isinstance(data[0], list)
    data = [data] if nested else data
    return data if parameter.accepts(data) else None


def _as_number(parameter: Parameter, value: Value) -> Any:
    """The number, in the unit and the type of the parameter, within its bounds."""
    data, about = value.data, parameter.about
    if value.kind == "quoted" and re.fullmatch(r"-?\d+(?:\.\d+)?", str(data)):
        data = number(str(data))
    if not isinstance(data, int | float):
        return None
    if value.unit == "%" and "number" in parameter.types:  # to some, 5 % is 0.05
        percent = re.search(r"(?i)percent|%", f"{about} {parameter.label}")
        data = data if percent and not pattern("share").search(about) else round(data / 100, 10)
    factors, named = table("unit_factors"), [*parameter.own_words, *plain_words(about)[:MOST_CUES]]
    said = factors.get(value.unit.lower())
    asked = next((factors[word] for word in named if word in factors), None)
    if said and asked and said[0] == asked[0]:  # euros as cents, minutes as seconds
        data = round(data * said[1] / asked[1], 9)
    data = str(whole(data)) if parameter.is_text else whole(data)
    return data if parameter.accepts(data) else None


def _as_moment(parameter: Parameter, value: Value, request: Request) -> str | None:
    """A date or time in the wanted format; what has no year stays as it was said."""
    text, about, format_ = value.text, parameter.about, parameter.schema.get("format")
    seconds = pattern("seconds form").search(about)
    timed = seconds or pattern("time form").search(about) or format_ == "date-time"
    if value.kind == "time" or (value.kind == "datetime" and parameter.role == "time"):
        return (_clock(text, bool(seconds)) if timed else None) or text
    iso = format_ in ("date", "date-time") or pattern("iso date pattern").match(parameter.pattern)
    told = pattern("date form").search(about)
    form = "YYYY-MM-DD" if iso else told.group().upper() if told else ""
    year, month, day = read_date(text) or (None, 0, 0)
    year = year or _year(parameter, request)
    if value.kind == "when" or not (form and month and year):
        return text if parameter.accepts(text) else None
    written = "YYYY-MM-DD" if form.startswith("ISO") else form
    for mark, said in (("YYYY", f"{year:04}"), ("MM", f"{month:02}"), ("DD", f"{day:02}")):
        written = written.replace(mark, said)
    later = (v for v in request.values if v.kind == "time" and 0 <= v.start - value.end < 24)
    clock = next((v.text for v in later), text[11:] if value.kind == "datetime" else "")
    if not timed or not clock:
        return written
    joint = "T" if re.search(r"(?i)(?:\d|DD)T\d?", about) else " "
    return f"{written}{joint}{_clock(clock, bool(seconds))}"


def _year(parameter: Parameter, request: Request) -> int | None:
    """The one year that the request names, or the example's."""
    dates = (read_date(value.text) for value in request.values if value.kind == "date")
    years = {value.data for value in request.values if re.fullmatch(r"(?:19|20)\d\d", value.text)}
    years |= {said[0] for said in dates if said and said[0]}
    shown = re.search(r"\b(?:19|20)\d\d\b", parameter.about)
    return int(years.pop()) if len(years) == 1 else int(shown.group()) if shown else None


def _clock(text: str, seconds: bool) -> str | None:
    """`7:30 pm` as `19:30` or `19:30:00`; None if it is no time of day."""
    found = pattern("clock").match(text.strip())
    if not found:
        return None
    hour, minute, half = int(found[1]), int(found[2] or 0), (found[4] or "").lower()
    hour = hour % 12 + 12 * (half == "p") if half else hour
    if hour > 23 or minute > 59:
        return None
    return f"{hour:02}:{minute:02}" + (f":{int(found[3] or 0):02}" if seconds else "")


def _patterned(parameter: Parameter, value: Value, text: str, request: Request) -> str | None:
    """The text, rewritten if need be until it has the form of its pattern, template or examples."""
    shapes = parameter.shapes
    if not parameter.pattern and (not shapes or value.kind == "quoted"):
        return text
    has_digits = any(character.isdigit() for character in text)
    for written in (
        _ways_of_writing(text, value, request) if parameter.pattern or has_digits else ()
    ):
        if parameter.accepts(written) if parameter.pattern else shape_of(written) in shapes:
            return written
    is_word = value.kind in ("phrase", "name") and not has_digits  # and codes are asked for
    return None if parameter.pattern or is_word else text


def _ways_of_writing(text: str, value: Value, request: Request) -> Iterator[str]:
    """The text as it is and as it might be written: case, spaces, the separator of its parts."""
    sources = [text]
    if value.kind == "number":
        before = re.search(r"([A-Za-z]{1,6})[ -]?$", request.text[: value.start])
        sources += [f"{before[1]} {text}"] if before else []
        sources += [str(value.data)]
    for source in sources:
        yield source
        parts = re.findall(r"[A-Za-z]+|\d+", source)
        joined = [source, re.sub(r"[^\w+]+", "", source), re.sub(r"\D", "", source)]
        for each in (*joined, *(mark.join(parts) for mark in ("-", "_", " ", "/", ""))):
            yield from dict.fromkeys((each, each.upper(), each.lower()))
