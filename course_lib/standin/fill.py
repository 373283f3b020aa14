"""Which value goes to which parameter: the likeliest pairs, each value used once.

How likely a pair is says a logistic model, by the value's kind, the words around it, its unit and
its form; `tools/fit_choice.py` fitted its weights. A required parameter takes the best there is; an
optional one needs clearly stronger evidence, because leaving it out is not an error. What is
neither said nor has a default is missing.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

from .forms import literal_for, shape
from .lexicon import code_of, is_country, is_place, likelihood, pattern, sets, words
from .prompt import Json
from .request import Request
from .text import DETERMINERS, is_known, likeness, name_words, plain_words
from .tool import Option, Parameter, Tool
from .values import Value

NEEDED, OPTIONAL, LEFTOVER = 0.03, 0.5, 0.25  # the least likelihood of a pair
TURNED = 0.5  # how much likelier two values must be the other way round
CLOSED, OPEN = 0.6, 0.95  # how surely an option must be said
# An optional parameter may take what is left over of these kinds: nobody says them for nothing.
_TOLD_FOR_A_REASON = frozenset(
    "name quoted email id date time datetime when url phone path".split()
)
_KIND_WORDS = frozenset("kind type what which field".split())
FEATURES = (
    "fit", "cue", "preposition", "unit", "explained", "verb", "alike", "known", "plain words",
    "few values",
)  # fmt: skip
ALIKE = 0.5  # the least likeness of a unit to a word of the parameter's name
_TYPED = frozenset(("place", "id", "person", "language"))  # no plain word is one of these


class Reading:
    """One request, seen through one tool's words."""

    def __init__(self, tool: Tool, request: Request) -> None:
        self.tool, self.request = tool, request

    @cached_property
    def near(self) -> list[list[float]]:
        """How surely each word of the request announces each parameter: rows are parameters."""
        request = self.request
        return [cues.met_by(request.stems, request.vectors) for cues in self.tool.cues]

    @cached_property
    def explained(self) -> list[bool]:
        """For each word of the request, whether the tool's own words account for it."""
        generic, own = words("generic"), self.tool.explained
        return [
            said in own or token.word in generic
            for said, token in zip(self.request.stems, self.request.words, strict=True)
        ]

    @cached_property
    def values(self) -> list[Value]:
        """The request's values without the words that only say what to do, and its lists."""
        own = {self.tool.name, *(p.path[-1] for p in self.tool.parameters if "_" in p.path[-1])}
        found = [self._trimmed(value) for value in self.request.values if value.text not in own]
        if any(parameter.is_list for parameter in self.tool.parameters):
            for group in self.request.lists:
                start, end = group[0].start, group[-1].end
                members = [value for value in found if value.kind == group[0].kind
                           and start <= value.start and value.end <= end]  # fmt: skip
                if members:
                    found.append(Value("list", self.request.text[start:end], start, end, members))
        return found

    def _trimmed(self, value: Value) -> Value:
        """`renew the loan of Dune`, for a tool that renews loans, is `Dune`."""
        begins = value.start in self.request.orders
        if value.kind != "phrase" and not (value.kind == "name" and begins):
            return value
        said, inside = self.request.words, self.request.words_in(value.start, value.end)
        first, last = inside.start, inside.stop - 1
        first += begins and first < last and value.kind == "phrase"
        while first < last and self.explained[first]:
            first += 1
        while first < last and self.explained[last] and value.kind == "phrase":
            last -= 1
        return value.part(said[first].start, said[last].end)

    def score(self, p: int, value: Value) -> tuple[float, Value]:
        """How likely it is that `value` is meant for the parameter, and the part that is meant."""
        features, part = self.features(p, value)
        return (likelihood("pairs", features), part) if features else (0.0, value)

    def features(self, p: int, value: Value) -> tuple[list[float] | None, Value]:
        """The features in the order of `FEATURES`; None for a kind that does not fit at all."""
        parameter, is_list = self.tool.parameters[p], value.kind in ("list", "array")
        member = value.data[0] if value.kind == "list" else value
        taker = parameter.item if is_list else parameter
        fit = 1.0 if value.kind == "array" else taker.fits.get(member.kind, 0.0)
        unfit = is_list != parameter.is_list or (
            member.spelled and not taker.numeric and parameter.role != "quantity"
        )
        if unfit or not fit or (value.kind == "array" and literal_for(parameter, value) is None):
            return None, value
        is_phrase = member.kind == "phrase"
        inside = self.request.words_in(member.start, member.end)
        plain = inside if is_phrase or member.kind in ("name", "id") else ()
        said = [self.request.words[i].word for i in plain if not self.request.stops[i]]
        fits, kinds, near = taker.fits, self.request.kinds.items(), self.near[p]
        rivals = sum(n for k, n in kinds if k == member.kind or fits.get(k, 0.0) >= fit)
        return [
            fit,
            max((near[i] * fades for i, fades in self.request.near(value)), default=0.0),
            self._preposition(parameter, inside.start),
            self._unit(parameter, member.unit.lower().strip()),
            sum(self.explained[i] for i in inside) / max(len(inside), 1) if is_phrase else 0.0,
            float(is_phrase and member.start in self.request.orders),
            likeness(said[-1:], parameter.own_words),
            float(_is_known(parameter, member)),
            float(is_phrase and parameter.role in _TYPED and all(map(is_known, said))),
            1 / max(rivals, 1),
        ], value

    def _preposition(self, parameter: Parameter, first: int) -> float:
        """How well the preposition before a value announces the parameter: *from* an origin."""
        before = (token.word for token in reversed(self.request.words[max(0, first - 6) : first]))
        preposition = next((word for word in before if word not in DETERMINERS), "")
        cues = sets("prepositions").get(preposition, ())
        return max((parameter.cues.get(cue, 0.0) for cue in cues), default=0.0)

    def _unit(self, parameter: Parameter, unit: str) -> float:
        """A unit that the parameter names speaks for the pair."""
        if not unit:
            return 0.0
        known = sets("unit_words").get(unit, frozenset()) | {unit, unit.removesuffix("s")}
        said = {*plain_words(parameter.about), *parameter.cues}
        if not known.isdisjoint(said | {word.removesuffix("s") for word in said}):
            return 1.0
        return 0.5 if likeness([unit], parameter.own_words) > ALIKE else 0.0


def _is_known(parameter: Parameter, value: Value) -> bool:
    """Whether it is a place, a language, a currency, an id like the one shown, or how many."""
    if value.kind == "number":
        return parameter.role == "quantity"
    if value.kind == "id":
        return parameter.shows(value.text)
    if parameter.role == "place":
        return is_country(value.text) if "country" in parameter.own_words else is_place(value.text)
    kind = "currency" if "currency" in parameter.cues else parameter.role
    return kind in ("currency", "language") and code_of(kind, value.text) is not None


@dataclass(slots=True, eq=False)
class Call:
    """A call of `tool` in the making: its arguments by label, and where each came from."""

    tool: Tool
    arguments: Json = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    missing: list[Parameter] = field(default_factory=list)
    used: dict[str, Value] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    request: Request | None = None  # the wish it was filled from, where it was one

    def put(self, parameter: Parameter, data: Any, source: str, value: Value | None = None) -> None:
        self.arguments[parameter.label], self.sources[parameter.label] = data, source
        self.missing = [each for each in self.missing if each is not parameter]
        if value is not None:
            self.used[parameter.label] = value

    def spends(self, value: Value) -> bool:
        return any(value.overlaps(used) for used in self.used.values())


def fill(tool: Tool, request: Request) -> Call:
    """Fill a tool's parameters from a request: options first, then the likeliest pairs."""
    call = Call(tool, missing=list(tool.required), request=request)
    reading = Reading(tool, request)
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
        if first.kind != second.kind or first.start < second.start:
            continue
        here, there = by_place.get((p, second.start)), by_place.get((q, first.start))
        if here and there and here[0] * there[0] > TURNED * one * other:
            chosen[i], chosen[j] = here, there
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
