"""The values a request states: numbers, dates, names, quotations, identifiers, and phrases.

Each is found once, by the most certain reading: what an earlier kind claims, a later one leaves
alone. What a value is *for* is decided elsewhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from .lexicon import code_of, is_country, pattern, rows, table, words
from .text import Token, importance, is_known, is_stop_word

_ANY_CASE = ("date", "when", "time")
_SPELLED = re.compile(
    "(?i)\\b(?:{0})(?:[ -](?:and )?(?:{0}))*\\b".format("|".join(table("number_words")))
)
_TIMES = ("hundred", "dozen", "thousand", "million")


@dataclass(slots=True, eq=False)
class Value:
    """A piece of the request. `data` is a number for numbers, values for a list, text for the rest.

    unit      what stands with a number: `km`, `$`, `%`
    spelled   a number in words, which may be none: "one of them"
    """

    kind: str
    text: str
    start: int
    end: int
    data: Any
    unit: str = ""
    spelled: bool = False

    def overlaps(self, other: "Value") -> bool:
        return self.start < other.end and other.start < self.end

    def part(self, start: int, end: int) -> "Value":
        """The same kind of value, of a part of its text."""
        text = self.text[start - self.start : end - self.start]
        return Value(self.kind, text, start, end, text)


@cache
def _patterns() -> list[tuple[str, bool, frozenset[str], re.Pattern[str]]]:
    """In order of certainty: kind; some words or characters of which one must be there; pattern."""
    found = []
    for kind, needs, written in rows("values"):
        by_word = len(needs) > 1 and needs[0] == "@"
        needed = frozenset(needs[1:].split() if by_word else needs)
        flags = re.IGNORECASE if kind in _ANY_CASE else 0
        found.append((kind, by_word, needed, re.compile(written, flags)))
    return found


def find_values(text: str, said: list[Token]) -> list[Value]:
    """All values of a text whose tokens are `said`, in the order in which they stand."""
    found: list[Value] = []
    taken = bytearray(len(text))

    def claim(values: Iterator[Value]) -> None:
        for value in values:
            if not any(taken[value.start : value.end]):
                taken[value.start : value.end] = b"\1" * (value.end - value.start)
                found.append(value)

    characters, spoken = set(text), {token.word for token in said}
    for kind, by_word, needed, written in _patterns():
        if not needed.isdisjoint(spoken if by_word else characters):
            for match in written.finditer(text):
                claim(_read(kind, match))
    claim(_numbers(text))
    # beside figures, number words seldom count
    counted = not spoken.isdisjoint(table("number_words"))
    if counted and not any(value.kind in ("number", "array") for value in found):
        claim(_spelled_numbers(text))
    claim(_names(text))
    found += _phrases(text, said, taken)
    for match in pattern("predicate").finditer(text):
        found.append(Value("predicate", match[1], *match.span(1), match[1]))
    return sorted(found, key=lambda value: value.start)


def _read(kind: str, match: re.Match[str]) -> Iterator[Value]:
    text, span = match.group(), match.span()
    if kind == "quoted":
        inner = next(group for group in match.groups() if group is not None)
        yield Value("quoted", inner, *span, inner.strip())
    elif kind == "expression":
        calculates = re.search(r"[\^*(]|[a-z)\d]\s*[+-]\s*[\da-z]", text)
        other = re.fullmatch(r"\d+(?:\.\d+)? [a-z](?:\^\d)?|[a-z]-\d+", text)  # 10 m^3, a-104
        if calculates and not other and re.search(r"\d|\(", text):
            yield Value("expression", text, *span, text)
    elif kind == "id" and (stuck := pattern("number with unit").fullmatch(text)):
        scale = table("magnitudes").get(stuck[2].lower()) if stuck[2] in ("k", "bn", "M") else None
        data = whole(float(stuck[1]) * scale) if scale else number(stuck[1])
        plain = scale or stuck[2].lower() in ("st", "nd", "rd", "th")
        yield Value("number", text, *span, data, "" if plain else stuck[2])
    elif kind != "named" or not _is_common(match[1]):
        yield Value("name" if kind == "named" else kind, text, *span, text)


def number(text: str) -> int | float:
    """`1,250.50` → 1250.5; a whole number stays whole."""
    plain = text.replace(",", "").replace("−", "-").lstrip("+")
    if re.search(r"[.e]", plain) or len(plain) > 300:
        return min(max(float(plain[:300]), -1e308), 1e308)
    return int(plain)


def whole(value: float) -> int | float:
    return int(value) if abs(value) < 1e300 and value == int(value) else value


def _unit_at(text: str, end: int) -> tuple[str, int]:
    """The unit that stands at `end`, and where it ends."""
    found = pattern("unit").match(text, end)
    return (found[1], found.end()) if found and not is_stop_word(found[1].lower()) else ("", end)


def _numbers(text: str) -> Iterator[Value]:
    for match in pattern("number").finditer(text):
        data, end, (unit, after) = number(match[2]), match.end(), _unit_at(text, match.end())
        scale = table("magnitudes").get(unit.lower(), 0)
        if scale and (len(unit) > 1 or after == end + 1):  # 3 million, 20k, and not 5 m
            data, end = whole(data * scale), after
            unit = _unit_at(text, end)[0]
        unit = (match[1] or unit).strip()
        yield Value("number", text[match.start() : end], match.start(), end, data, unit)


def _spelled_numbers(text: str) -> Iterator[Value]:
    """`two`, `twenty-five`, `three hundred`; a number in a name belongs to the name."""
    for match in _SPELLED.finditer(text):
        if match.group()[0].islower() or not text[: match.start()].strip(" \"'"):
            total = 0.0
            for word in re.findall(r"\b(?!and\b)[a-z]+", match.group().lower()):
                plain = table("number_words")[word]
                total = max(total, 1) * plain if word in _TIMES else total + plain
            unit, _ = _unit_at(text, match.end())
            yield Value("number", match.group(), *match.span(), whole(total), unit, True)


def _names(text: str) -> Iterator[Value]:
    """Runs of capitalised words. `Paris, France` is one; `Paris, London` is two."""
    for match in pattern("capitals").finditer(text):
        start, parts = match.start(), match.group().split(", ")
        while parts:
            said = parts.pop(0)
            while parts and not is_country(said.split(", ")[-1]) and _is_region(parts[0]):
                said += f", {parts.pop(0)}"
            yield from _name(text, start, said)
            start += len(said) + 2


def _is_region(said: str) -> bool:
    where = said.rstrip(".,'’")
    known = code_of("country", where) or code_of("state", where)
    return bool(known or re.fullmatch(r"[A-Z]{2}|D\.C", where))


def _name(text: str, start: int, said: str) -> Iterator[Value]:
    """A name without the words that are none: "Can Anna" is Anna."""
    parts = said.rstrip(".,'’").split(" ")
    while parts and re.split("['’]", parts[0].lower().strip(".,"))[0] in words("not_names"):
        start += len(parts.pop(0)) + 1
    while parts and parts[-1].lower() in words("not_names"):
        parts.pop()
    name = re.sub(r"['’]s$", "", " ".join(parts).rstrip(".,"))
    opening = not text[:start].strip() or text[:start].rstrip()[-1] in ".!?:;\"'"
    common = opening and len(parts) == 1 and _is_common(name)
    if re.match(r"[A-Z].*[A-Za-z\d]", name) and not common:
        yield Value("name", name, start, start + len(name), name)


def _is_common(word: str) -> bool:
    """A capital at the start of a sentence says nothing of a word every dictionary has."""
    return is_known(word.lower()) and importance(word.lower()) < 0.985


def _phrases(text: str, said: list[Token], taken: bytearray) -> Iterator[Value]:
    """Runs of plain words between stop words, marks and other values."""
    runs: list[list[Token]] = [[]]
    for token in said:
        if is_stop_word(token.word) or taken[token.start] or taken[token.end - 1]:
            runs.append([])
        elif runs[-1] and text[runs[-1][-1].end : token.start].strip(" -"):
            runs.append([token])
        else:
            runs[-1].append(token)
    for start, end in ((run[0].start, run[-1].end) for run in runs if run):
        yield Value("phrase", text[start:end], start, end, text[start:end])


def read_date(text: str) -> tuple[int | None, int, int] | None:
    """(year or None, month, day) of a date as it was said; None when it is none."""
    numbers = [int(digits) for digits in re.findall(r"\d+", text)[:3]]
    named = [word for word in re.findall(r"[a-z]+", text.lower()) if word in table("months")]
    if named:
        month = table("months")[named[0]]
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
