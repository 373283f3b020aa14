"""A value in the form its parameter asks for: type, unit, date format, place, code, pattern.

`None` means that the value cannot be had in that form, so it is not sent.
"""

import json
import re
from typing import Any

from .dates import read_date, write_date, write_time
from .lexicon import pattern, table
from .parameters import Parameter
from .places import country_code, currency_code, language_code, place_as
from .request import Request
from .schema import matches
from .text import plain_words
from .values import Value, number, whole


def shape(parameter: Parameter, value: Value, request: Request) -> Any:
    """The value as the parameter wants it, or None."""
    if value.kind == "array":
        return literal_for(parameter, value)
    if value.kind == "list":
        members = [shape(parameter.item, member, request) for member in value.data]
        data = [member for member in members if member is not None]
        nested = bool(data) and "array" in parameter.item.types
        return ([data] if nested else data) or None
    if parameter.numeric:
        return _as_number(parameter, value)
    if value.kind in ("date", "datetime", "time", "when"):
        return _as_moment(parameter, value, request)
    text = value.text.strip() if value.kind == "number" else str(value.data)
    text = _coded(parameter, text) or text
    if parameter.role == "place" and value.kind == "name":
        text = place_as(text, parameter.about)
    if value.kind == "email" and (_has_format(parameter, "email") or "@" in parameter.about):
        text = text.replace(" dot ", ".").replace(" at ", "@")
    return _patterned(parameter, value, text, request)


def _has_format(parameter: Parameter, name: str) -> bool:
    return parameter.schema.get("format") == name


def literal_for(parameter: Parameter, value: Value) -> Any:
    """`[1, 2]` or `(1, 2)` as data; None when the array takes other things."""
    plain = value.text.strip()
    plain = f"[{plain[1:-1]}]" if plain.startswith("(") else plain
    try:
        data = json.loads(plain.replace("'", '"'))
    except (ValueError, RecursionError):
        data = [part.strip(" \"'") for part in plain[1:-1].split(",") if part.strip()]
    kinds, flat = parameter.item.types, json.dumps(data)
    numbers = not re.search(r'[A-Za-z"]', flat)
    whole_ones = "number" in kinds or "." not in flat
    if not isinstance(data, list) or not parameter.is_list or not data:
        return None
    fits = numbers and whole_ones if kinds & {"integer", "number"} else "string" in kinds
    nested = "array" in kinds and numbers
    if nested and not isinstance(data[0], list):
        data = [data]
    return data if fits or nested or not kinds else None


def _as_number(parameter: Parameter, value: Value) -> Any:
    """The number, in the unit and the type of the parameter, within its bounds."""
    data = value.data
    if value.kind == "quoted" and re.fullmatch(r"-?\d+(?:\.\d+)?", str(data)):
        data = number(str(data))
    if not isinstance(data, int | float):
        return None
    if value.unit == "%" and "number" in parameter.types:
        percent = re.search(r"(?i)percent|%", f"{parameter.about} {parameter.label}")
        if pattern("share").search(parameter.about) or not percent:
            data = round(data / 100, 10)
    data = whole(_converted(parameter, value.unit.lower(), data))
    if "number" not in parameter.types:
        return data if isinstance(data, int) else None
    low, high = parameter.schema.get("minimum", data), parameter.schema.get("maximum", data)
    return data if low <= data <= high else None


def _converted(parameter: Parameter, unit: str, data: float) -> float:
    """Euros as cents, minutes as seconds: where both units are known and differ."""
    factors = table("unit_factors")
    said = (*parameter.own_words, *plain_words(parameter.about)[:14])
    asked = next((word for word in said if word in factors), None)
    if asked is None or unit not in factors:
        return data
    (dimension, factor), (own, own_factor) = factors[unit], factors[asked]
    return round(data * factor / own_factor, 9) if dimension == own else data


def _as_moment(parameter: Parameter, value: Value, request: Request) -> str | None:
    """A date or time in the wanted format; what has no year stays as it was said."""
    text, about, form = value.text, parameter.about, parameter.date_form
    wants_time = pattern("time form").search(about) or _has_format(parameter, "date-time")
    seconds = bool(pattern("seconds form").search(about))
    if value.kind == "time" or (value.kind == "datetime" and parameter.role == "time"):
        return (write_time(text, seconds) or text) if wants_time else text
    closed = "pattern" in parameter.schema or "format" in parameter.schema
    if form is None or value.kind == "when":
        return None if closed else text
    written = write_date(text, form, _year(request, parameter))
    if written is None:
        return None if closed else text
    later = (v for v in request.values if v.kind == "time" and 0 <= v.start - value.end < 24)
    clock = next((v.text for v in later), text[11:] if value.kind == "datetime" else "")
    if wants_time and clock:
        joint = "T" if re.search(r"(?i)(?:\d|DD)T\d?", about) else " "
        return f"{written}{joint}{write_time(clock, seconds)}"
    return written


def _year(request: Request, parameter: Parameter) -> int | None:
    """The year for a date that leaves it out: the one the request names, or the example's."""
    dates = [read_date(v.text) for v in request.values if v.kind == "date"]
    years = {v.data for v in request.values if is_year(v)} | {d[0] for d in dates if d and d[0]}
    shown = re.search(r"\b(?:19|20)\d\d\b", parameter.about)
    return years.pop() if len(years) == 1 else int(shown.group()) if shown else None


def is_year(value: Value) -> bool:
    return isinstance(value.data, int) and bool(re.fullmatch(r"(?:19|20)\d\d", value.text))


def _coded(parameter: Parameter, text: str) -> str | None:
    """A country, language or currency by its code, where the parameter asks for codes."""
    if "currency" in parameter.cues:
        return currency_code(text)
    about = f"{' '.join(parameter.own_words)} {parameter.about}"
    form = str(parameter.schema.get("pattern") or "")
    shown = any(len(e) in (2, 3) and e.isalpha() for e in parameter.examples)
    if not (pattern("code asked").search(about) or re.search(r"\{[23]\}", form) or shown):
        return None
    if parameter.role == "language":
        return language_code(text)
    three = "{3}" in form or re.search("(?i)alpha-3|three-letter", about)
    return country_code(text, 3 if three else 2) if "country" in parameter.cues else None


def shape_of(text: str) -> str:
    """`KX-72` → `A-9`: runs of digits and of letters each become one mark."""
    return re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"\d+", "9", text)))


def _patterned(parameter: Parameter, value: Value, text: str, request: Request) -> str | None:
    """The text, rewritten if need be until it has the pattern's, template's or example's form."""
    form = parameter.schema.get("pattern")
    template = pattern("template").search(parameter.about)
    shapes = {shape_of(e) for e in parameter.examples if re.search(r"\d", e)}
    if template:
        shapes = {shape_of(re.sub(r"X+|N+|#+|9+|0+", "9", template.group()))}
    if not form and value.kind == "phrase" and shapes and not re.search(r"\d", text):
        return None  # codes are asked for, and this is a word
    if not form and (not shapes or value.kind not in ("id", "number", "phone", "phrase")):
        return text
    for written in _ways_of_writing(text, value, request):
        if matches(str(form), written) if form else shape_of(written) in shapes:
            return written
    return None if form else text


def _ways_of_writing(text: str, value: Value, request: Request) -> list[str]:
    """The text as it is and as it might be written: case, spaces, the separator of its parts."""
    sources = [text]
    if value.kind == "number":
        before = re.search(r"([A-Za-z]{1,6})[ -]?$", request.text[: value.start])
        sources += [f"{before[1]} {text}"] if before else []
        sources += [str(value.data)]
    found: list[str] = []
    for source in sources:
        parts = re.findall(r"[A-Za-z]+|\d+", source)
        joined = [source, re.sub(r"[^\w+]+", "", source), re.sub(r"\D", "", source)]
        joined += [mark.join(parts) for mark in ("-", "_", " ", "/", "")]
        found += [way for each in joined for way in (each, each.upper(), each.lower())]
    return found
