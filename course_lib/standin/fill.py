"""Which value goes to which parameter: the likeliest pairs, each value used once.

A required parameter takes the best there is; an optional one needs clearly stronger evidence,
because leaving it out is not an error. What is neither said nor has a default is missing.
"""

import math
from dataclasses import dataclass, field
from typing import Any

from .catalogue import Tool
from .forms import shape
from .lexicon import pattern, sets, words
from .pairs import Reading
from .parameters import Option, Parameter
from .prompt import Json
from .request import Request
from .text import likeness, name_words, stem, verb_class
from .values import Value

NEEDED, OPTIONAL, LEFTOVER = 0.03, 0.5, 0.25  # the least likelihood of a pair
FOUND = 0.003  # the likelihood to which finding anything for a parameter is preferred
TURNED = 0.7  # what it costs, as a logarithm, to turn two values of one kind round
CLOSED, OPEN = 0.6, 0.95  # how surely an option must be said
_TOLD_FOR_A_REASON = frozenset(
    "name quoted email id date time datetime when url phone path".split()
)
_KIND_WORDS = frozenset("kind type what which field".split())


@dataclass(slots=True, eq=False)
class Call:
    """A call of `tool` in the making: its arguments by label, and where each came from."""

    tool: Tool
    arguments: Json = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    missing: list[Parameter] = field(default_factory=list)
    used: dict[str, Value] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    text: str = ""  # of the wish it was filled from

    def put(self, parameter: Parameter, data: Any, source: str, value: Value | None = None) -> None:
        self.arguments[parameter.label], self.sources[parameter.label] = data, source
        self.missing = [each for each in self.missing if each is not parameter]
        if value is not None:
            self.used[parameter.label] = value

    def spends(self, value: Value) -> bool:
        return any(value.overlaps(used) for used in self.used.values())


def fill(tool: Tool, request: Request) -> Call:
    """Fill a tool's parameters from a request: what is chosen, what is paired, what is written."""
    call = Call(tool, missing=list(tool.required), text=request.text)
    for parameter in tool.parameters:
        if chosen := choose_option(parameter, request):
            data, source = chosen
            said = str(data).lower()
            value = next((v for v in request.values if v.text.lower() == said), None)
            call.put(parameter, data, source, value)
    reading = Reading(tool, request)
    for p, value, data, score in pair(reading, call):
        call.put(tool.parameters[p], data, f"{value.text!r} in the request", value)
        call.scores[tool.parameters[p].label] = score
    for parameter in list(call.missing):
        if parameter.is_closed:
            _choose_by_kind(reading, parameter, call)
        elif parameter.is_text and parameter.role in ("request", "text") and request.text:
            call.put(parameter, wording(reading, parameter), "the request itself")
    return call


Pair = tuple[float, int, Value, Any]  # likelihood, parameter, value, the value in its form


def pair(reading: Reading, call: Call) -> list[tuple[int, Value, Any, float]]:
    """The pairs of parameters and values: best first, then mended where that raises the sum."""
    found: list[Pair] = []
    for p, parameter in enumerate(reading.tool.parameters):
        if parameter.label in call.arguments or parameter.is_closed:
            continue
        for value in reading.values:
            score, part = reading.score(p, value)
            told = value.kind in _TOLD_FOR_A_REASON or parameter.role == "quantity"
            optional = LEFTOVER if told else OPTIONAL
            if score < (NEEDED if parameter.required else optional) or call.spends(part):
                continue
            data = shape(parameter, part, reading.request)
            if data is not None:
                found.append((score, p, part, data))
    found.sort(key=lambda each: (-round(each[0], 2), each[2].start, each[1]))
    chosen: list[Pair] = []
    for each in found:
        if not _rivals(each, chosen):
            chosen.append(each)
    for each in found[:40]:
        chosen = _mended(each, chosen, found)
    return [(p, value, data, score) for score, p, value, data in sorted(chosen, key=lambda e: e[1])]


def _rivals(each: Pair, chosen: list[Pair]) -> list[Pair]:
    """The chosen pairs that have the same parameter or the same value."""
    return [other for other in chosen if other[1] == each[1] or other[2].overlaps(each[2])]


def _mended(each: Pair, chosen: list[Pair], found: list[Pair]) -> list[Pair]:
    """`chosen` with a pair forced in, its rivals settled anew; or as it was, if that is no gain."""
    if each in chosen:
        return chosen
    rivals = _rivals(each, chosen)
    changed = [*(other for other in chosen if other not in rivals), each]
    for other in found:
        if any(other[1] == rival[1] for rival in rivals) and not _rivals(other, changed):
            changed.append(other)
    return changed if _worth(changed) > _worth(chosen) + 0.1 else chosen


def _worth(chosen: list[Pair]) -> float:
    """How likely the pairs are together; what nothing tells apart keeps the order it had."""
    turned = sum(
        p < q and value.start > other.start and value.kind == other.kind
        for _, p, value, _ in chosen for _, q, other, _ in chosen
    )  # fmt: skip
    return sum(math.log(score / FOUND) for score, _, _, _ in chosen) - TURNED * turned


def choose_option(parameter: Parameter, request: Request) -> tuple[Any, str] | None:
    """What the request says of a choice or a flag; None when it says nothing of it."""
    if parameter.is_list:
        data = [o.data for o in parameter.item.options if _said(o, request) >= OPEN]
        return (list(dict.fromkeys(data)), "the options the request names") if data else None
    scored = [(_said(option, request), option) for option in parameter.options]
    best, option = max(scored, key=lambda each: each[0], default=(0.0, None))
    if option is None or best < (CLOSED if parameter.is_closed else OPEN):
        return None
    if option.data is True and _is_denied(option, request):
        return False, f"the request speaks against {parameter.label}"
    return option.data, f"{option.data!r} is the option the request names"


def _said(option: Option, request: Request) -> float:
    """How surely the request names an option: to the letter, or as its words are alike."""
    if option.said in request.plain:
        return (1.0 if len(option.said) > 3 else 0.5) + 0.01 * len(option.said)
    likely = [likeness([word], [*request.content]) for word in option.words]
    return sum(likely) / len(likely) if likely else 0.0


def _is_denied(option: Option, request: Request) -> bool:
    """Whether the word that names a flag stands after *no*, *without* or the like."""
    said = [token for token, stop in zip(request.words, request.stops, strict=True) if not stop]
    named = max(said, key=lambda token: likeness([token.word], option.words))
    return bool(pattern("against").search(request.text[: named.start].lower()[-30:]))


def _choose_by_kind(reading: Reading, parameter: Parameter, call: Call) -> None:
    """An option that says what another argument is (`kind: "email"`), or what is to be done."""
    own = {word for value in call.used.values() for word in sets("kinds").get(value.kind, ())}
    act = verb_class([token.word for token in reading.request.words])
    for option in parameter.options:
        said = name_words(str(option.data))
        if parameter.cues.keys() & _KIND_WORDS and own & {*said}:
            return call.put(parameter, option.data, f"{option.data!r} is what the value is")
        if act and said and said[0] in sets("verb_classes")[act]:
            return call.put(parameter, option.data, f"{option.data!r} is what is to be done")
    return None


def wording(reading: Reading, parameter: Parameter) -> str:
    """The request as a text to work on: what follows a colon, or for a search its content."""
    text = reading.request.text
    _, colon, after = text.partition(": ")
    if colon and len(after) > 8:
        return after.strip()
    if parameter.role != "request" or text.endswith("?"):
        return text
    opening = words("wish_verbs") | words("generic") | words("connectives") | words("stop_words")
    for token in reading.request.words:
        if token.word not in opening and stem(token.word) not in reading.tool.own.stems:
            return text[token.start :].rstrip(".!? ")
    return text
