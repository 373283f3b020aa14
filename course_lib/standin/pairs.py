"""How well a value fits a parameter: by its kind, the words around it, its unit, and its form.

The answer is a probability, from a logistic model whose weights `tools/fit_choice.py` fitted.
Nothing is decided here; `fill` decides.
"""

import re
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
    "fit", "cue", "named", "preposition", "unit", "explained", "verb", "known", "alike", "several",
    "scattered", "required", "says it", "plain words", "few values",
)  # fmt: skip
ALIKE = 0.5  # the least likeness of a word to a cue


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
        generic, own = words("generic"), self.tool.own.stems
        return [
            said in own or token.word in generic
            for said, token in zip(self.request.stems, self.request.words, strict=True)
        ]

    @cached_property
    def values(self) -> list[Value]:
        """The request's values without the words that only say what to do, and its lists."""
        own = {self.tool.name, *(p.path[-1] for p in self.tool.parameters if "_" in p.path[-1])}
        seen = {id(v): self._trimmed(v) for v in self.request.values if v.text not in own}
        lists = [[seen[id(v)] for v in group if id(v) in seen] for group in self.request.lists]
        text = self.request.text
        found = [*seen.values()]
        if any(p.is_list for p in self.tool.parameters):
            for kind in {group[0].kind: None for group in filter(None, lists)}:
                groups = [group for group in lists if group and group[0].kind == kind]
                scattered = [v for group in groups for v in group] if len(groups) > 1 else []
                for group in filter(None, [*groups, scattered]):
                    start, end = group[0].start, group[-1].end
                    how = "scattered" if group is scattered else ""
                    found.append(Value("list", text[start:end], start, end, group, how))
        return found

    def _trimmed(self, value: Value) -> Value:
        """`renew the loan of Dune`, for a tool that renews loans, is `Dune`."""
        said, inside = self.request.words, self.request.words_in(value.start, value.end)
        first, last = inside.start, inside.stop - 1
        if value.kind == "name":
            opens = self.request.text[: value.start].strip()[-1:] in ("", ".", "!", "?", ":")
            if opens and first < last and said[first].word in self.tool.name_words:
                return value.part(said[first + 1].start, value.end)
            return value
        if value.kind != "phrase":
            return value
        first += first < last and self.request.begins_with_verb(value)
        while first < last and self.explained[first]:
            first += 1
        while first < last and self.explained[last]:
            last -= 1
        return value.part(said[first].start, said[last].end)

    def score(self, p: int, value: Value) -> tuple[float, Value]:
        """How likely it is that `value` is meant for the parameter, and the part that is meant."""
        features, part = self.features(p, value)
        if features is None:
            return 0.0, value
        return likelihood("pairs", features), part

    def features(self, p: int, value: Value) -> tuple[list[float] | None, Value]:
        """The features in the order of `FEATURES`; None for a kind that does not fit at all."""
        parameter, member = self.tool.parameters[p], value
        is_list = value.kind in ("list", "array")
        if is_list != parameter.is_list:
            return None, value
        if value.kind == "list":
            member = value.data[0]
        taker = parameter.item if is_list else parameter
        fit = 1.0 if value.kind == "array" else taker.fits.get(member.kind, 0.0)
        if not fit or (value.kind == "array" and literal_for(parameter, value) is None):
            return None, value
        if member.spelled and not taker.numeric and parameter.role != "quantity":
            return None, value
        is_phrase, is_name = member.kind == "phrase", member.kind == "name"
        said_after = 0.0
        if not is_list and (is_phrase or is_name):
            said_after, value = self._without_own_name(parameter, value)
            member = value
        said = content_words(member.text) if member.kind in ("phrase", "name", "id") else []
        inside = self.request.words_in(member.start, member.end)
        said_before, preposition = self._said_before(parameter, member)
        return [
            fit,
            self.cue(p, value),
            max(said_after, said_before),
            preposition,
            self._unit(parameter, member),
            sum(self.explained[i] for i in inside) / max(len(inside), 1) if is_phrase else 0.0,
            float(is_phrase and self.request.begins_with_verb(member)),
            _known(parameter, member),
            likeness(said[-1:], parameter.own_words),
            float(is_list and (value.kind == "array" or len(value.data) > 1)),
            float(is_list and value.unit == "scattered"),
            float(parameter.required),
            float(is_name and all(w in parameter.cues or w in ("id", "api", "key") for w in said)),
            float(is_phrase and parameter.role in _TYPED and all(map(is_known, said))),
            1 / max(self._rivals(taker, member, fit), 1),
        ], value

    def _rivals(self, taker: Parameter, member: Value, fit: float) -> int:
        """How many values might as well be the one that is meant, itself included."""
        fits, kinds = taker.fits, self.request.kinds.items()
        return sum(n for kind, n in kinds if kind == member.kind or fits.get(kind, 0.0) >= fit)

    def cue(self, p: int, value: Value) -> float:
        """The strongest word of the parameter near the value."""
        near = self.near[p]
        return max((near[i] * fades for i, fades in self.request.near(value)), default=0.0)

    def _said_before(self, parameter: Parameter, value: Value) -> tuple[float, float]:
        """`x=2`, `title: Dune`: whether its own name stands just before; and a preposition."""
        first = self.request.words_in(value.start, value.end).start
        before = [token.word for token in self.request.words[max(0, first - 6) : first]]
        while before and before[-1] in DETERMINERS:
            before.pop()
        cues = sets("prepositions").get(before[-1], ()) if before else ()
        while before and before[-1] in ("is", "of", "as"):
            before.pop()
        own = [*parameter.own_words]
        preposition = max((parameter.cues.get(cue, 0.0) for cue in cues), default=0.0)
        return float(bool(own) and before[-len(own) :] == own), preposition

    def _without_own_name(self, parameter: Parameter, value: Value) -> tuple[float, Value]:
        """`red dominant colour`, `user Ann`: what stands with its name is its value."""
        own, inside = parameter.own_stems, self.request.words_in(value.start, value.end)
        kept = [i for i in inside if self.request.stems[i] not in own]
        if not kept or len(kept) == len(inside):
            return 0.0, value
        if value.kind == "name":
            return 0.5, value
        said = self.request.words
        return 1.0, value.part(said[kept[0]].start, said[kept[-1]].end)

    def _unit(self, parameter: Parameter, value: Value) -> float:
        """A unit that the parameter names speaks for the pair."""
        unit = value.unit.lower().strip()
        if not unit:
            return 0.0
        known = sets("unit_words").get(unit, frozenset()) | {unit, unit.removesuffix("s")}
        said = {*plain_words(parameter.about), *parameter.cues}
        if not known.isdisjoint(said | {word.removesuffix("s") for word in said}):
            return 1.0
        return 0.5 if likeness([unit], parameter.own_words) > ALIKE else 0.0


_TYPED = frozenset(("place", "id", "person", "language"))  # no plain word is one of these


def _known(parameter: Parameter, value: Value) -> float:
    """Whether it is a place, a language, a currency, an id like the one shown, or how many."""
    if value.kind == "number":
        return float(parameter.role == "quantity")
    if value.kind == "id":
        return float(re.sub(r"\d+", "9", value.text).upper() in parameter.codes_shown)
    if parameter.role == "place":
        wants_country = parameter.cues.get("country", 0) >= 1
        known = is_place(value.text)
        return 0.0 if not known else 1.0 if is_country(value.text) == wants_country else 0.5
    kind = "currency" if "currency" in parameter.cues else parameter.role
    return float(code_of(kind, value.text) is not None)
