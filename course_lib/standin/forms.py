"""A value in the form its parameter asks for: type, unit, date format, place, code, pattern.

`None` means that the value cannot be had in that form, so it is not sent.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from .dates import read_date, write_date, write_time
from .lexicon import table
from .parameters import Parameter, shape_of
from .places import code_of, place_as
from .request import Request
from .schema import is_valid
from .values import Value, number, whole


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
    if parameter.code[0]:
        text = code_of(parameter.code[0], text, parameter.code[1]) or text
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
    kinds, flat = parameter.item.types, json.dumps(data)
    numbers = not re.search(r'[A-Za-z"]', flat)
    whole_ones = "number" in kinds or "." not in flat
    if not parameter.is_list or not isinstance(data, list) or not data:
        return None
    if "array" in kinds and numbers:
        return data if isinstance(data[0], list) else [data]
    fits = numbers and whole_ones if kinds & {"integer", "number"} else "string" in kinds
    return data if fits or not kinds else None


def _as_number(parameter: Parameter, value: Value) -> Any:
    """The number, in the unit and the type of the parameter, within its bounds."""
    data = value.data
    if value.kind == "quoted" and re.fullmatch(r"-?\d+(?:\.\d+)?", str(data)):
        data = number(str(data))
    if not isinstance(data, int | float):
        return None
    factors = table("unit_factors")
    if value.unit == "%" and "number" in parameter.types and parameter.is_share:
        data = round(data / 100, 10)
    said, asked = factors.get(value.unit.lower()), factors.get(parameter.unit)
    if said and asked and said[0] == asked[0]:  # euros as cents, minutes as seconds
        data = round(data * said[1] / asked[1], 9)
    data = whole(data)
    if "number" not in parameter.types:
        return data if isinstance(data, int) else None
    low, high = parameter.schema.get("minimum", data), parameter.schema.get("maximum", data)
    return data if low <= data <= high else None


def _as_moment(parameter: Parameter, value: Value, request: Request) -> str | None:
    """A date or time in the wanted format; what has no year stays as it was said."""
    text, clock = value.text, parameter.clock_form
    if value.kind == "time" or (value.kind == "datetime" and parameter.role == "time"):
        return (write_time(text, clock) if clock else None) or text
    form = parameter.date_form if value.kind != "when" else None
    written = write_date(text, form, _year(request, parameter)) if form else None
    if written is None:
        return None if parameter.schema.keys() & {"pattern", "format"} else text
    later = (v for v in request.values if v.kind == "time" and 0 <= v.start - value.end < 24)
    said = next((v.text for v in later), text[11:] if value.kind == "datetime" else "")
    if not clock or not said:
        return written
    joint = "T" if re.search(r"(?i)(?:\d|DD)T\d?", parameter.about) else " "
    return f"{written}{joint}{write_time(said, clock)}"


def _year(request: Request, parameter: Parameter) -> int | None:
    """The year for a date that leaves it out: the one the request names, or the example's."""
    dates = [read_date(v.text) for v in request.values if v.kind == "date"]
    years = {v.data for v in request.values if is_year(v)} | {d[0] for d in dates if d and d[0]}
    shown = re.search(r"\b(?:19|20)\d\d\b", parameter.about)
    return years.pop() if len(years) == 1 else int(shown.group()) if shown else None


def is_year(value: Value) -> bool:
    return isinstance(value.data, int) and bool(re.fullmatch(r"(?:19|20)\d\d", value.text))


def _patterned(parameter: Parameter, value: Value, text: str, request: Request) -> str | None:
    """The text, rewritten if need be until it has the pattern's, template's or example's form."""
    form, shapes = parameter.pattern, parameter.shapes
    if not form and (not shapes or value.kind == "quoted"):
        return text
    has_digits = bool(re.search(r"\d", text))
    if form or has_digits or not all("9" in shape for shape in shapes):
        for written in _ways_of_writing(text, value, request):
            if is_valid(written, {"pattern": form}, {}) if form else shape_of(written) in shapes:
                return written
    is_word = value.kind == "phrase" and not has_digits  # and codes are asked for
    return None if form or is_word else text


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
