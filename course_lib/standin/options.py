"""Parameters that are not filled from one value: choices, flags and lists."""

import json
import re
from functools import lru_cache
from typing import Any

from .forms import as_items, words_of_member
from .lexicon import words
from .pairs import Reading
from .parameters import Parameter, types_of
from .request import Request, groups
from .text import is_stop_word, plain_words, similarity, stem
from .values import Value

Found = tuple[Any, str, float]  # the argument, where it came from, how sure it is
NEAR_ENOUGH, FLAG_NEEDED, FLAG_OPTIONAL, ALIKE = 0.62, 0.5, 0.7, 0.75
_FLAG_WORDS = frozenset(
    "include is has with flag enable show whether should use need required only true false".split()
)
_TOLD_FLAG = re.compile(r"([\w-]+) \((true|false)\)")
_AGAINST = re.compile(
    r"\b(?:no|not|non|without|don't|doesn't|exclude|excluding|never|disable|avoid)\b[^.,;]*$|\bnon-$"
)


def direct(reading: Reading, p: int) -> Found | None:
    """What the request says of a choice or a flag; None when it says nothing of it."""
    parameter, request = reading.tool.parameters[p], reading.request
    if {str(option).lower() for option in parameter.options} >= {"true", "false"}:
        flag = _flag(parameter, request)
        wanted = str(flag[0]).lower() if flag else ""
        member = next((m for m in parameter.options if str(m).lower() == wanted), None)
        return (member, flag[1], flag[2]) if flag and member is not None else None
    if parameter.types and parameter.types <= {"boolean", "null"}:
        return _flag(parameter, request)
    if parameter.options:
        named, glossed = _choice(parameter, request), _glossed(parameter, request)
        return max((f for f in (named, glossed) if f), key=lambda f: f[2], default=None)
    if parameter.glosses and not parameter.is_list:
        glossed = _glossed(parameter, request)
        if glossed:
            return glossed
    if parameter.told_options:
        return _told(parameter, request)
    return None


@lru_cache(maxsize=8192)
def _member_words(member: Any) -> str:
    return words_of_member(member)


def _choice(parameter: Parameter, request: Request) -> Found | None:
    """The member that the request names, to the letter, by its stem, or nearly."""
    best: tuple[float, Any] = (0.0, None)
    said = [t.word for t in request.words if not is_stop_word(t.word)]
    for member in parameter.options[:200]:
        if isinstance(member, bool | list | dict):  # nobody says those in a word
            continue
        score = _names(str(member).lower(), _member_words(member), request, said)
        if score > best[0]:
            best = (score, member)
    bar = 0.4 if parameter.required else 0.55
    if best[1] is None or best[0] < bar:
        return None
    return best[1], f"{best[1]!r} is the option the request names", best[0]


def _names(raw: str, plain: str, request: Request, said: list[str]) -> float:
    if not plain:
        return 0.0
    if f" {plain} " in request.plain or f" {raw} " in request.plain:
        return (1.0 if len(plain) > 1 else 0.3) + 0.05 * len(plain.split()) + 0.01 * len(plain)
    own = plain.split()
    there = [max((similarity(word, each) for each in said), default=0.0) for word in own]
    score = sum(there) / len(there)
    if score > (0.99 if len(own) == 1 else 0.8):
        return score * 0.9
    return score * 0.7 if score > NEAR_ENOUGH else 0.0


def _glossed(parameter: Parameter, request: Request) -> Found | None:
    """`1 for cleaning, 2 for ironing`: the value whose gloss the request speaks of."""
    best: tuple[float, str, str] = (0.0, "", "")
    for said, gloss in parameter.glosses:
        own = [word for word in plain_words(gloss) if not is_stop_word(word)]
        whole = f" {gloss.strip().lower()} " in request.plain
        near = [max((similarity(w, t.word) for t in request.words), default=0.0) for w in own]
        score = 1.2 if whole else sum(near) / len(near) if near and min(near) > 0.85 else 0.0
        if score > best[0]:
            best = (score, said, gloss)
    if not best[0]:
        return None
    data: Any = next((m for m in parameter.options if str(m) == best[1]), None)
    if data is None and not parameter.options and "string" in parameter.types:
        data = best[1]
    if data is None and not parameter.options and "integer" in parameter.types:
        data = int(best[1]) if best[1].isdigit() else None
    return (data, f"{best[1]} means {best[2].strip()}", best[0]) if data is not None else None


def _told(parameter: Parameter, request: Request) -> Found | None:
    """A value the description quotes, which the request says too."""
    best: tuple[float, str] = (0.0, "")
    stems = set(request.stems)
    for option in parameter.told_options:
        plain = words_of_member(option)
        named = f" {plain} " in request.plain or all(stem(w) in stems for w in plain.split())
        if len(plain) > 2 and named and len(plain) > best[0]:
            best = (len(plain), option)
    for value in request.values:
        # `Windows 10` in the request is more than the `Windows` of the description
        if value.kind == "name" and best[1] and value.text.startswith(f"{best[1]} "):
            best = (len(value.text), value.text)
    if not best[0] or best[1].lower() in parameter.own_words:
        return None
    return best[1], f"{best[1]!r}, which the description offers", 1.0


def _flag(parameter: Parameter, request: Request) -> Found | None:
    """true when the request speaks of it, false when it speaks against it."""
    for word, means in _TOLD_FLAG.findall(parameter.about):
        if stem(word.lower()) in request.stems:
            return means == "true", f"the request says {word}", 1.0
    own = [w for w in parameter.own_words if len(w) > 2]
    key = [w for w in own if w not in _FLAG_WORDS and not is_stop_word(w)]
    if not key:
        return None
    hits = []
    for word in key:
        near = [(similarity(word, t.word), t) for t in request.words if not is_stop_word(t.word)]
        hits.append(max(near, key=lambda n: n[0], default=(0.0, None)))
    score = sum(hit[0] for hit in hits) / len(hits)
    if score < (FLAG_NEEDED if parameter.required else FLAG_OPTIONAL):
        return None
    at = max(hits, key=lambda hit: hit[0])[1]
    if at is None:
        return None
    before = request.text[max(0, at.start - 30) : at.start].lower()
    return not _AGAINST.search(before), f"the request speaks of {at.word}", score


_LISTED = ("number", "quoted", "name", "id", "email", "date", "url", "path", "phrase")


def lists(request: Request) -> list[Value]:
    """The lists that a request's values make together, and those it writes in brackets."""
    found: list[Value] = []
    for kind in _LISTED:
        for group in groups(request, kind):
            start, end = group[0].start, group[-1].end
            if group[0].spelled and len(group) == 1:
                continue
            data = tuple(value.data for value in group)
            found.append(Value("list", request.text[start:end], start, end, data, unit=kind))
    for value in request.values:
        if value.kind == "array" and (literal := literal_of(value.text)) is not None:
            found.append(
                Value("list", value.text, value.start, value.end, tuple(literal), unit="array")
            )
    return found


def literal_of(text: str) -> list[Any] | None:
    """`[1, 2]` or `(1, 2)` as data."""
    plain = text.strip()
    if plain.startswith("("):
        plain = f"[{plain[1:-1]}]"
    try:
        data = json.loads(plain.replace("'", '"'))
    except (ValueError, RecursionError):
        if not plain.startswith("["):
            return None
        data = [part.strip(" \"'") for part in plain[1:-1].split(",") if part.strip()]
    return data if isinstance(data, list) else None


_LIST_KINDS = {"number": 0.35, "quoted": 0.5, "name": 0.35, "id": 0.4, "email": 0.3, "date": 0.2}


def list_score(reading: Reading, p: int, value: Value) -> float:
    """How well a list fits an array: its members' kind, its cues, its being a list."""
    parameter = reading.tool.parameters[p]
    kinds = types_of(parameter.items)
    numeric = bool(kinds & {"integer", "number"})
    if value.unit == "array":
        flat = json.dumps(value.data)
        numbers = not re.search(r"[A-Za-z\"]", flat)
        nested = any(isinstance(member, list) for member in value.data)
        fits = not kinds or (numbers == numeric) or nested == ("array" in kinds)
        return 1.4 + reading.cue(p, value) if fits and (not numeric or numbers) else 0.2
    if numeric != (value.unit == "number") or kinds & {"object", "array"}:
        return 0.0
    base = _LIST_KINDS.get(value.unit, 0.1)
    members = parameter.items.get("enum") or parameter.told_in_items
    if members and any(_same(d, m) for d in value.data for m in members):
        base += 0.6
    several = 0.45 if len(value.data) > 1 else 0.0
    if value.unit in ("phrase", "name") and all(_only_names(reading, d) for d in value.data):
        base -= 0.9
    head = max((similarity(w, _head(value.text)) for w in parameter.own_words), default=0.0) * 0.3
    return base + several + max(reading.cue(p, value), head if head > 0.15 else 0.0)


def _only_names(reading: Reading, said: Any) -> bool:
    """Whether a phrase has no words but those of the tool's name or of a wish."""
    own = {*reading.tool.own_words, "id", "ids"}
    return all(
        word in own or word in words("wish_verbs") or word in words("generic")
        for word in plain_words(str(said))
    )


def _head(text: str) -> str:
    found = plain_words(text)
    return found[-1] if found else ""


def _same(a: Any, b: Any) -> bool:
    """Equal, or alike word for word: `Carbs` and `carb`, `gluten-free` and `gluten free`."""
    x, y = plain_words(str(a)), plain_words(str(b))
    if str(a).lower() == str(b).lower():
        return True
    alike = len(x) == len(y) and all(similarity(u, v) > ALIKE for u, v in zip(x, y, strict=True))
    return alike and bool(x)


def items_of(reading: Reading, p: int, value: Value) -> Any:
    """A list's members as the array wants them: members of its options, or without verbs."""
    parameter, request = reading.tool.parameters[p], reading.request
    if options := parameter.items.get("enum"):
        said = {" ".join(map(stem, plain_words(str(d)))) for d in value.data}
        exact = [m for m in options if " ".join(map(stem, plain_words(str(m)))) in said]
        return exact or [m for m in options if any(_same(d, m) for d in value.data)] or None
    if value.unit == "phrase":
        data = tuple(_without_verb(str(member)) for member in value.data)
        value = Value("list", value.text, value.start, value.end, data, unit="phrase")
    return as_items(parameter, value, request)


def _without_verb(text: str) -> str:
    first, _, rest = text.partition(" ")
    return rest if rest and first.lower() in words("wish_verbs") else text
