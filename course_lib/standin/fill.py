"""Which value goes to which parameter: the likeliest pairs, each value used once.

A required parameter takes the best there is; an optional one needs clearly stronger evidence,
because leaving it out is not an error. What is neither said nor has a default is missing.
"""

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from .catalogue import Tool
from .forms import shape
from .lexicon import pattern, sets
from .pairs import Reading
from .parameters import Option, Parameter
from .prompt import Json
from .request import Request
from .text import likeness, name_words
from .values import Value

NEEDED, OPTIONAL, LEFTOVER = 0.03, 0.5, 0.25  # the least likelihood of a pair
TURNED = 0.5  # how much likelier two values must be the other way round
CLOSED, OPEN = 0.6, 0.95  # how surely an option must be said
# An optional parameter may take what is left over of these kinds: nobody says them for nothing.
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
    """Fill a tool's parameters from a request: options first, then the likeliest pairs."""
    call, reading = (
        Call(tool, missing=list(tool.required), text=request.text),
        Reading(tool, request),
    )
    for parameter in tool.parameters:
        if chosen := choose_option(parameter, request):
            said = str(chosen[0]).lower()
            value = next((v for v in request.values if v.text.lower() == said), None)
            call.put(parameter, *chosen, value)
    for score, p, value, data in _chosen(_pairs(reading, call)):
        call.put(tool.parameters[p], data, f"{value.text!r} in the request", value)
        call.scores[tool.parameters[p].label] = score
    for parameter in list(call.missing):
        if parameter.is_closed:
            _choose_by_kind(request, parameter, call)
        elif parameter.is_text and parameter.role in ("request", "text") and request.text:
            _, colon, after = request.text.partition(": ")
            text = after.strip() if colon and len(after) > 8 else request.text
            call.put(parameter, text, "the request itself")
    return call


Pair = tuple[float, int, Value, Any]  # likelihood, parameter, value, the value in its form


def _pairs(reading: Reading, call: Call) -> list[Pair]:
    """What may go together, the likeliest first."""
    found = []
    for p, parameter in enumerate(reading.tool.parameters):
        if parameter.label in call.arguments or parameter.is_closed:
            continue
        for value in reading.values:
            score, part = reading.score(p, value)
            told = value.kind in _TOLD_FOR_A_REASON or parameter.role == "quantity"
            least = NEEDED if parameter.required else LEFTOVER if told else OPTIONAL
            if score >= least and not call.spends(part):
                data = shape(parameter, part, reading.request)
                if data is not None:
                    found.append((score, p, part, data))
    return sorted(found, key=lambda each: (-round(each[0], 2), each[2].start, each[1]))


def _chosen(found: list[Pair]) -> list[Pair]:
    """The likeliest pairs that have no parameter and no value in common.

    Two values of one kind that little tells apart go to their parameters in the order they stand.
    """
    chosen: list[Pair] = []
    for each in found:
        if not any(each[1] == other[1] or each[2].overlaps(other[2]) for other in chosen):
            chosen.append(each)
    chosen.sort(key=lambda each: each[1])
    by_place = {(each[1], each[2].start): each for each in found}
    for i, j in combinations(range(len(chosen)), 2):
        (one, p, first, _), (other, q, second, _) = chosen[i], chosen[j]
        turned = by_place.get((p, second.start)), by_place.get((q, first.start))
        if first.kind == second.kind and first.start > second.start and turned[0] and turned[1]:
            as_likely = turned[0][0] * turned[1][0] > TURNED * one * other
            chosen[i], chosen[j] = (turned[0], turned[1]) if as_likely else (chosen[i], chosen[j])
    return chosen


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
    likely = [likeness([word], request.content) for word in option.words]
    return sum(likely) / len(likely) if likely else 0.0


def _is_denied(option: Option, request: Request) -> bool:
    """Whether the word that names a flag stands after *no*, *without* or the like."""
    said = [token for token, stop in zip(request.words, request.stops, strict=True) if not stop]
    named = max(said, key=lambda token: likeness([token.word], option.words))
    return bool(pattern("against").search(request.text[: named.start].lower()[-30:]))


def _choose_by_kind(request: Request, parameter: Parameter, call: Call) -> None:
    """An option that says what another argument is (`kind: "email"`), or what is to be done."""
    own = {word for value in call.used.values() for word in sets("kinds").get(value.kind, ())}
    for option in parameter.options:
        said = name_words(str(option.data))
        if parameter.cues.keys() & _KIND_WORDS and own & {*said}:
            return call.put(parameter, option.data, f"{option.data!r} is what the value is")
        if said[:1] and said[0] in sets("verb_classes").get(request.act, ()):
            return call.put(parameter, option.data, f"{option.data!r} is what is to be done")
    return None
