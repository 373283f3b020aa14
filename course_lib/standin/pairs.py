"""How well a value fits a parameter: by its kind, the words around it, its unit, and its form.

The answer is a probability, from a logistic model whose weights `tools/fit_choice.py` fitted.
Nothing is decided here; `fill` decides.
"""

from functools import cached_property

from .catalogue import Tool
from .forms import literal_for
from .lexicon import likelihood, sets, words
from .parameters import Parameter
from .places import code_of, is_country, is_place
from .request import Request
from .text import DETERMINERS, content_words, is_known, likeness, plain_words
from .values import Value

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
        begins = self.request.begins_with_verb(value)
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
        said = content_words(member.text) if is_phrase or member.kind in ("name", "id") else []
        inside = self.request.words_in(member.start, member.end)
        fits, kinds, near = taker.fits, self.request.kinds.items(), self.near[p]
        rivals = sum(n for k, n in kinds if k == member.kind or fits.get(k, 0.0) >= fit)
        return [
            fit,
            max((near[i] * fades for i, fades in self.request.near(value)), default=0.0),
            self._preposition(parameter, inside.start),
            self._unit(parameter, member.unit.lower().strip()),
            sum(self.explained[i] for i in inside) / max(len(inside), 1) if is_phrase else 0.0,
            float(is_phrase and self.request.begins_with_verb(member)),
            likeness(said[-1:], parameter.own_words),
            float(_is_known(parameter, member)),
            float(is_phrase and parameter.role in _TYPED and all(map(is_known, said))),
            1 / max(rivals, 1),
        ], value

    def _preposition(self, parameter: Parameter, first: int) -> float:
        """How well the preposition before a value announces the parameter: *from* an origin."""
        before = [token.word for token in self.request.words[max(0, first - 6) : first]]
        while before and before[-1] in DETERMINERS:
            before.pop()
        cues = sets("prepositions").get(before[-1], ()) if before else ()
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
    return (
        code_of("currency" if "currency" in parameter.cues else parameter.role, value.text)
        is not None
    )
