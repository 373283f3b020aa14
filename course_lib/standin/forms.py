"""A value in the form its parameter asks for: type, unit, date format, place, code, pattern.

`None` means that the value cannot be had in that form, so it is not sent.
"""

import re
from typing import Any

from .dates import read_date, write_date, write_time
from .lexicon import table
from .pairs import matches, shape_of
from .parameters import Parameter, types_of
from .places import country_code, currency_code, language_code, place_as
from .request import Request
from .text import name_words, plain_words
from .values import Value, number, whole

_SHARE = re.compile(r"\bdecimal|fraction|between 0 and 1|0 to 1|0\.\d|as a float\b", re.IGNORECASE)
_TIME_SHOWN = re.compile(r"HH:MM|\b24\b|24-hour|\b\d\d:\d\d\b", re.IGNORECASE)
_SECONDS_SHOWN = re.compile(r"HH:MM:SS|\b\d\d:\d\d:\d\d\b", re.IGNORECASE)
_TEMPLATE = re.compile(r"\b(?=[\w-]*(?:XX|NN|##|99|00))[A-Z0-9#]+(?:[-_/ ][A-Z0-9#]+)*")
_CODE_ASKED = re.compile(r"\bISO\b|\bcodes?\b|\babbreviation", re.IGNORECASE)


def shape(parameter: Parameter, value: Value, request: Request) -> Any:
    """The value as the parameter wants it, or None."""
    if parameter.numeric:
        return as_number(parameter, value)
    text = str(value.data) if value.kind != "number" else value.text.strip()
    if value.kind in ("date", "datetime", "time", "when"):
        return _moment(parameter, value, request)
    written = _coded(parameter, text)
    if written is None and parameter.role == "place" and value.kind == "name":
        written = place_as(text, parameter.about)
    if value.kind == "email" and " at " in text:
        plain = parameter.schema.get("format") == "email" or "@" in parameter.about
        written = text.replace(" dot ", ".").replace(" at ", "@") if plain else text
    text = written if written is not None else text
    if parameter.schema.get("format") == "email" and "@" not in text:
        return None
    return _patterned(parameter, value, text, request)


def as_number(parameter: Parameter, value: Value) -> Any:
    """The number, in the unit and the type of the parameter."""
    data = value.data
    if value.kind == "quoted" and re.fullmatch(r"-?\d+(?:\.\d+)?", str(data)):
        data = number(str(data))
    if not isinstance(data, int | float):
        return None
    if value.unit == "%" and "integer" not in parameter.types:
        percent = re.search(r"percent|%", parameter.about + parameter.name, re.IGNORECASE)
        if _SHARE.search(parameter.about) or not percent:
            data = round(data / 100, 10)
    data = _converted(parameter, value, data)
    if "integer" in parameter.types and "number" not in parameter.types:
        return int(data) if data == whole(data) and whole(data) == int(data) else None
    low, high = parameter.schema.get("minimum"), parameter.schema.get("maximum")
    if (isinstance(low, int | float) and data < low) or (
        isinstance(high, int | float) and data > high
    ):
        return None
    return data


def _converted(parameter: Parameter, value: Value, data: float) -> Any:
    """Euros as cents, minutes as seconds: where both units are known and differ."""
    factors: dict[str, float] = table("unit_factors")
    asked = [
        word
        for word in (*parameter.own_words, *plain_words(parameter.about)[:14])
        if word in factors
    ]
    if not asked:
        return data
    unit = value.unit.lower()
    if (
        asked[0] in ("cent", "cents", "pence")
        and unit
        and unit not in ("cents", "cent", "pence", "%")
    ):
        return whole(round(data * 100, 6))
    kinds = {"second": "time", "minute": "time", "hour": "time"}
    same = _dimension(asked[0], kinds) == _dimension(unit, kinds)
    if unit in factors and unit != asked[0] and same:
        return whole(round(data * factors[unit] / factors[asked[0]], 9))
    return data


def _dimension(unit: str, kinds: dict[str, str]) -> str:
    plain = unit.removesuffix("s")
    if plain in kinds:
        return "time"
    if plain in ("cent", "pence"):
        return "money"
    return "mass" if plain in ("gram", "kilogram", "kg", "g") else "length"


def _moment(parameter: Parameter, value: Value, request: Request) -> str | None:
    """A date or time in the wanted format; what has no year stays as it was said."""
    text, about = value.text, parameter.about
    wants_time = bool(_TIME_SHOWN.search(about)) or parameter.schema.get("format") == "date-time"
    if value.kind == "time" or (value.kind == "datetime" and parameter.role == "time"):
        return (
            (write_time(text, bool(_SECONDS_SHOWN.search(about))) or text) if wants_time else text
        )
    pattern = parameter.date_format
    if pattern is None or value.kind == "when":
        return text if pattern is None or "pattern" not in parameter.schema else None
    written = write_date(text, pattern, year_of(request, parameter))
    if written is None:
        return None if parameter.schema.get("format") or parameter.schema.get("pattern") else text
    if wants_time and (clock := _clock(value, request)):
        joint = "T" if re.search(r"\dT\d|DDT|ddT", about) else " "
        return f"{written}{joint}{write_time(clock, bool(_SECONDS_SHOWN.search(about)))}"
    return written


def _clock(day: Value, request: Request) -> str | None:
    """The time of day said with a date."""
    if day.kind == "datetime":
        return re.split(r"[T ]", day.text, maxsplit=1)[1]
    times = [v for v in request.values if v.kind == "time" and 0 <= v.start - day.end < 24]
    return times[0].text if times else None


def year_of(request: Request, parameter: Parameter) -> int | None:
    """The year for a date that leaves it out: the one the request names, or the example's."""
    years = {
        v.data
        for v in request.values
        if v.kind == "number" and isinstance(v.data, int) and 1900 <= v.data <= 2100
    }
    for value in request.values:
        if value.kind == "date" and (parts := read_date(value.text)) and parts[0]:
            years.add(parts[0])
    shown = re.search(r"\b(?:19|20)\d\d\b", parameter.about)
    return years.pop() if len(years) == 1 else int(shown.group()) if shown else None


def _coded(parameter: Parameter, text: str) -> str | None:
    """A country, language or currency by its code, where the parameter asks for codes."""
    about = f"{' '.join(parameter.own_words)} {parameter.about}"
    pattern = str(parameter.schema.get("pattern") or "")
    three = "{3}" in pattern or "alpha-3" in about or "three-letter" in about.lower()
    if "currency" in parameter.cues:
        return currency_code(text)
    asked = _CODE_ASKED.search(about) or "{2}" in pattern or "{3}" in pattern
    shown = any(len(e) in (2, 3) and e.isalpha() for e in parameter.examples)
    if not asked and not shown:
        return None
    if parameter.role == "language":
        return language_code(text)
    if "country" in parameter.cues:
        return country_code(text, 3 if three else 2)
    return None


def _patterned(parameter: Parameter, value: Value, text: str, request: Request) -> str | None:
    """The text, rewritten if need be until it has the pattern's, template's or example's form."""
    pattern = parameter.schema.get("pattern")
    template = _TEMPLATE.search(parameter.about)
    examples = [e for e in parameter.examples if re.search(r"\d", e)]
    if not pattern and not (
        (template or examples) and value.kind in ("id", "number", "phone", "phrase")
    ):
        return text

    if value.kind == "phrase" and examples and not re.search(r"\d", text):
        return None  # the examples are codes, and this is a word

    def fits(candidate: str) -> bool:
        if pattern:
            return matches(str(pattern), candidate)
        if template:
            wanted = re.sub(r"X+|N+|#+|9+|0+", "9", template.group())
            return re.sub(r"\d+", "9", candidate) == wanted
        return any(shape_of(candidate) == shape_of(example) for example in examples)

    for candidate in _ways_of_writing(text, value, request):
        if fits(candidate):
            return candidate
    return None if pattern else text


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
        joined = [source, re.sub(r"\s+", "", source), re.sub(r"[^\w+]+", "", source)]
        joined += [mark.join(parts) for mark in ("-", "_", " ", "/", "")]
        for each in joined:
            found += [each, each.upper(), each.lower()]
        digits = re.sub(r"\D", "", source)
        found += [digits] if digits else []
    return found


def as_items(parameter: Parameter, value: Value, request: Request) -> Any:
    """A list of values as an array of the wanted type, or None."""
    if value.kind != "list":
        return None
    kinds = types_of(parameter.items)
    members = value.data
    if kinds == {"string"}:
        return [str(member) for member in members]
    if kinds & {"integer", "number"}:
        numbers = [number(m) if isinstance(m, str) and m.isdigit() else m for m in members]
        if not _all_numbers(numbers):
            return None
        if kinds == {"integer"} and any(isinstance(m, float) for m in _flat(numbers)):
            return None
        return numbers
    if kinds == {"array"} and not all(isinstance(member, list) for member in members):
        return [list(members)]
    return list(members)


def _flat(members: Any) -> list[Any]:
    return [x for m in members for x in (_flat(m) if isinstance(m, list) else [m])]


def _all_numbers(members: list[Any]) -> bool:
    flat = _flat(members)
    return all(isinstance(m, int | float) and not isinstance(m, bool) for m in flat)


def words_of_member(member: Any) -> str:
    """An enum member as words: `in_progress` → `in progress`, `TopRated` → `top rated`."""
    said = str(member)
    split = " ".join(name_words(said)) if not re.search(r"\d", said) else ""
    return " ".join(re.findall(r"[^\W_]+|[%°#+]", split or said.lower()))
