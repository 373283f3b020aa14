"""The values a request states: numbers, dates, names, quotations, identifiers, and phrases.

Each is found once, by the most certain reading: what an earlier kind claims, a later one leaves
alone. What a value is *for* is decided elsewhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .lexicon import rows, table, words
from .places import is_country, is_state
from .text import Token, importance, is_stop_word, vector

_MONTH = "|".join(sorted(table("months"), key=len, reverse=True))
_MONEY = "|".join(sorted({name.split()[-1] for name in table("currencies")}))
_NUMBER = r"[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+)?"
_CALL = r"(?:sin|cos|tan|exp|log|ln|sqrt)\([^()]*\)"
_TERM = rf"(?:\d+(?:\.\d+)?\s?\*?\s?)?(?:{_CALL}|[a-z](?![a-z']))(?:\s?(?:\^|\*\*)\s?\d+)?"


@dataclass(slots=True, eq=False)
class Value:
    """A piece of the request. `data` is a number for numbers, text for the rest.

    unit      what stands with a number: `km`, `$`, `%`
    label     the name in `x=2`
    spelled   a number in words, which may be none: "one of them"
    """

    kind: str
    text: str
    start: int
    end: int
    data: Any
    unit: str = ""
    label: str = ""
    spelled: bool = False

    def overlaps(self, other: "Value") -> bool:
        return self.start < other.end and other.start < self.end


# In order of certainty: (kind, what must be there, pattern). What must be there is one of some
# characters or, after @, one of some words: it saves looking for what cannot be found.
_NAMED = {"<MONTH>": _MONTH, "<MONEY>": _MONEY, "<NUMBER>": _NUMBER, "<TERM>": _TERM}
_ANY_CASE = ("date", "when", "time")


def _pattern(kind: str, written: str) -> re.Pattern[str]:
    for name, meaning in _NAMED.items():
        written = written.replace(name, meaning)
    return re.compile(written, re.IGNORECASE if kind in _ANY_CASE else 0)


_PATTERNS = [
    (
        kind,
        len(needs) > 1 and needs[0] == "@",
        frozenset(needs[1:].split() if len(needs) > 1 and needs[0] == "@" else needs),
        _pattern(kind, written),
    )
    for kind, needs, written in rows("values")
]
_UNIT_AFTER = re.compile(r"[\s-]?(%|°\s?[CFK]?|[$€£¥]|[A-Za-z]+(?![\w-]*\d)(?:/[a-z]+|\^\d|[²³])?)")
_STUCK_UNIT = re.compile(r"^(\d+(?:\.\d+)?)([A-Za-z]{1,4}|%)$")
_NUMBERS = re.compile(rf"(?<![\w.])([$€£¥]\s?)?({_NUMBER}|[-+−]?\.\d+)(?:st|nd|rd|th)?(?!\d)")
_CAPITAL = r"(?:(?:Mr|Mrs|Ms|Dr|Prof|St)\. )?[A-Z](?:[\w&'’-]|\.(?=[\w]))*"
_CAPITALS = re.compile(
    rf"\b{_CAPITAL}(?:(?:,? (?:(?:of the|of|de|la|von|van|del|da|di|&) )?)"
    rf"(?:{_CAPITAL}|\d+\b(?![.,]\d)))*"
)
_DIGITS = frozenset("0123456789")
_NAME_WITH_NUMBER = re.compile(r"\b([A-Z](?:[\w&]*[A-Z]\w*|[a-z]+)) \d{1,4}\b(?![.,:%/]\d|%)")
_PREDICATE = re.compile(
    r"(?:\b(?:is|are|was|were|been|being)|\w['’]s) "
    r"(?:still |now |already |currently |very |being )*"
    r"((?:(?:in|on|out of|under) )?(?!(?:a|an|the|it|my|to|in|on|of|at|for|not|there|this|that)\b)"
    r"[a-z]+)(?=\s*(?:[.,;!?]|$| and\b| but\b| for\b| in\b))"
)
_SPELLED = re.compile(
    "\\b(?:{0})(?:[ -](?:and )?(?:{0}))*\\b".format(
        "|".join([*table("number_words"), "thousand", "million", "billion"])
    ),
    re.IGNORECASE,
)


def find_values(text: str, said: list[Token]) -> list[Value]:
    """All values of a text whose tokens are `said`, in the order in which they stand."""
    found: list[Value] = []
    taken = bytearray(len(text))
    characters = set(text)

    def claim(value: Value) -> None:
        if not any(taken[value.start : value.end]):
            taken[value.start : value.end] = b"\1" * (value.end - value.start)
            found.append(value)

    spoken = {token.word for token in said}
    for kind, by_word, needs, pattern in _PATTERNS:
        if not needs & (spoken if by_word else characters):
            continue
        for match in pattern.finditer(text):
            for value in _read(kind, match):
                claim(value)
    for match in _NAME_WITH_NUMBER.finditer(text) if characters & _DIGITS else ():
        if not _is_common(match.group(1)):
            claim(Value("name", match.group(), *match.span(), match.group()))
    for value in _numbers(text):
        claim(value)
    if any(token.word in table("number_words") or token.word == "million" for token in said):
        for value in _spelled_numbers(text):
            claim(value)
    for value in _names(text):
        claim(value)
    found += _phrases(text, said, taken)
    found += [
        Value("predicate", match.group(1), *match.span(1), match.group(1))
        for match in _PREDICATE.finditer(text)
    ]
    return sorted(found, key=lambda value: value.start)


def _read(kind: str, match: re.Match[str]) -> Iterator[Value]:
    start, end, text = match.start(), match.end(), match.group()
    if kind == "quoted":
        inner = next(group for group in match.groups() if group is not None)
        yield Value("quoted", inner, start, end, inner.strip())
    elif kind == "assignment":
        label, data = match.groups()
        if data[0] != "[":
            yield Value("number", data, start, end, number(data), label=label.lower())
    elif kind == "expression":
        if re.fullmatch(r"\d+(?:\.\d+)? [a-z](?:\^\d)?", text):
            return  # a number with its unit: 10 m^3
        if re.search(r"[\^*(]|[a-z)\d]\s*[+-]\s*[\da-z]", text) and re.search(r"\d|\(", text):
            yield Value("expression", text, start, end, text)
    elif kind == "id" and (joined := re.fullmatch(r"(\d+)-([a-z]{3,})", text)):
        yield Value("number", joined[1], start, end, int(joined[1]), unit=joined[2])
    elif kind == "id" and (stuck := _STUCK_UNIT.match(text)):
        amount, unit = stuck.groups()
        scale = table("magnitudes").get(unit.lower()) if unit in ("k", "bn", "M") else None
        if scale:
            yield Value("number", text, start, end, whole(float(amount) * scale))
        else:
            stuck_unit = "" if unit.lower() in ("st", "nd", "rd", "th") else unit
            yield Value("number", text, start, end, number(amount), unit=stuck_unit)
    else:
        yield Value(kind, text, start, end, text)


def number(text: str) -> int | float:
    """`1,250.50` → 1250.5; a whole number stays whole."""
    plain = text.replace(",", "").replace("−", "-").lstrip("+")
    if re.search(r"[.e]", plain) or len(plain) > 300:
        return min(max(float(plain[:300]), -1e308), 1e308)
    return int(plain)


def whole(value: float) -> int | float:
    return int(value) if abs(value) < 1e300 and value == int(value) else value


def _numbers(text: str) -> Iterator[Value]:
    magnitudes = table("magnitudes")
    for match in _NUMBERS.finditer(text):
        currency, digits = match.groups()
        data, end, unit = number(digits), match.end(), (currency or "").strip()
        after = _UNIT_AFTER.match(text, end)
        if after:
            word = after.group(1)
            if word.lower() in magnitudes and (len(word) > 1 or after.start(1) == end):
                data, end = whole(data * magnitudes[word.lower()]), after.end()
                after = _UNIT_AFTER.match(text, end)
                word = after.group(1) if after else ""
            if word and not is_stop_word(word.lower()) and not unit:
                unit = word
        yield Value("number", text[match.start() : end], match.start(), end, data, unit=unit)


def _spelled_numbers(text: str) -> Iterator[Value]:
    """`two`, `twenty-five`, `three hundred`; a number in a name belongs to the name."""
    plain, large = table("number_words"), table("magnitudes")
    for match in _SPELLED.finditer(text):
        if match.group()[0].isupper() and text[: match.start()].strip(" \"'"):
            continue
        total: float = 0
        current: float = 0
        for word in re.findall(r"[a-z]+", match.group().lower()):
            if word in ("thousand", "million", "billion"):
                total, current = total + max(current, 1) * large[word], 0
            elif word in ("hundred", "dozen"):
                current = max(current, 1) * plain[word]
            elif word != "and":
                current += plain[word]
        after = _UNIT_AFTER.match(text, match.end())
        unit = after.group(1) if after and not is_stop_word(after.group(1).lower()) else ""
        data = whole(total + current)
        yield Value("number", match.group(), *match.span(), data, unit=unit, spelled=True)


def _names(text: str) -> Iterator[Value]:
    """Runs of capitalised words. `Paris, France` is one; `Paris, London` is two."""
    for match in _CAPITALS.finditer(text):
        start = match.start()
        for part in _parts_of_place(match.group()):
            yield from _name(text, start, part)
            start += len(part) + 2


def _parts_of_place(said: str) -> list[str]:
    parts: list[str] = []
    for part in said.split(", "):
        where = part.rstrip(".,'’")
        inside = is_country(where) or is_state(where) or re.fullmatch(r"[A-Z]{2}|D\.C", where)
        if parts and inside and not is_country(parts[-1].split(", ")[-1]):
            parts[-1] += f", {part}"
        else:
            parts.append(part)
    return parts


def _name(text: str, start: int, said: str) -> Iterator[Value]:
    parts = said.rstrip(".,'’").split(" ")
    while parts and re.split("['’]", parts[0].lower().strip(".,"))[0] in words("not_names"):
        start += len(parts[0]) + 1
        parts = parts[1:]
    while parts and parts[-1].lower() in words("not_names") and not parts[-1].isdigit():
        parts = parts[:-1]
    name = re.sub(r"['’]s$", "", " ".join(parts).rstrip(".,"))
    opening = not text[:start].strip() or text[:start].rstrip()[-1] in ".!?:;\"'"
    if not name or not name[0].isupper() or not re.search(r"[A-Za-z].*[A-Za-z]|\d", name):
        return
    if not (opening and len(parts) == 1 and _is_common(name)):
        yield Value("name", name, start, start + len(name), name)


def _is_common(word: str) -> bool:
    """A capital at the start of a sentence says nothing of a word every dictionary has."""
    return vector(word.lower()) is not None and importance(word.lower()) < 0.985


def _phrases(text: str, said: list[Token], taken: bytearray) -> list[Value]:
    """Runs of plain words between stop words, marks and other values."""
    found: list[Value] = []
    run: list[Token] = []

    def close() -> None:
        if run:
            start, end = run[0].start, run[-1].end
            found.append(Value("phrase", text[start:end], start, end, text[start:end]))
            run.clear()

    for token in said:
        if run and text[run[-1].end : token.start].strip(" -") != "":
            close()
        if is_stop_word(token.word) or taken[token.start] or taken[token.end - 1]:
            close()
        else:
            run.append(token)
    close()
    return found
