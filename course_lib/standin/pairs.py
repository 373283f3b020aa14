"""How well a value fits a parameter: by its kind, the words around it, its unit, and its form.

A `Reading` is one request seen through one tool. Nothing is decided here; `fill` decides.
"""

import re
from functools import cached_property

from .catalogue import Tool
from .lexicon import sets, words
from .parameters import Parameter
from .places import currency_code, is_country, is_place, language_code
from .request import Request, groups
from .text import is_stop_word, plain_words, similarity, stem, vector
from .values import Value

_BEFORE_VERBS = frozenset(
    "i to you we they he she can could would please will should must let".split()
)
_YEAR_WORDS = frozenset("year years date season since until".split())
LISTED, AS_YEAR = 0.25, 0.5  # what it is worth to stand in a list, to look like a year
SPELLED, ELSEWHERE = (
    0.6,
    0.4,
)  # what it costs to be a word, or a place where places have a parameter
OWN_NAME = 1.0  # what it is worth that a phrase says the parameter's name with its value


class Reading:
    """One request, seen through one tool's words."""

    def __init__(self, tool: Tool, request: Request) -> None:
        self.tool, self.request = tool, request

    @cached_property
    def near(self) -> list[list[float]]:
        """How much each word of the request announces each parameter: rows are words."""
        import numpy as np

        vectors, weights, begins, stems = self.tool.cues
        if not self.request.words or not begins:
            return [[0.0] * len(begins) for _ in self.request.words]
        close = self.request.vectors @ vectors.T
        close = np.where(close > 0.5, (close - 0.2) * weights, 0.0)
        table: list[list[float]] = np.maximum.reduceat(close, begins, axis=1).tolist()
        for row, said in zip(table, self.request.stems, strict=True):
            for p, by_stem in enumerate(stems):
                if said in by_stem:
                    row[p] = max(row[p], by_stem[said])
        return table

    @cached_property
    def values(self) -> list[Value]:
        """The request's values; phrases without the words that only name the tool."""
        return [
            self._trimmed(v) if v.kind == "phrase" else self._without_tool_word(v)
            for v in self.request.values
            if v.text not in self._identifiers
        ]

    @cached_property
    def listed(self) -> frozenset[int]:
        """The values that stand in a list of several, by identity."""
        several = [g for kind in ("phrase", "name") for g in groups(self.request, kind)]
        return frozenset(id(value) for group in several if len(group) > 1 for value in group)

    @cached_property
    def _identifiers(self) -> frozenset[str]:
        """The tool's and the parameters' own names, which a request may quote."""
        return frozenset((self.tool.name, *(p.name for p in self.tool.parameters if "_" in p.name)))

    def _without_tool_word(self, value: Value) -> Value:
        """`Renew Emma` for a tool that renews: the first word is what to do, the rest a name."""
        first, _, rest = value.text.partition(" ")
        if value.kind != "name" or not rest or first.lower() not in self.tool.own_words:
            return value
        if self.request.text[: value.start].strip()[-1:] not in ("", ".", "!", "?", ":"):
            return value
        return Value("name", rest, value.start + len(first) + 1, value.end, rest)

    @cached_property
    def explained(self) -> list[bool]:
        """For each word of the request, whether the tool's own words account for it."""
        generic, own = words("generic"), self.tool.explained
        return [
            said in own or token.word in generic
            for said, token in zip(self.request.stems, self.request.words, strict=True)
        ]

    def explains(self, word: str) -> bool:
        return stem(word) in self.tool.explained or word in words("generic")

    def _trimmed(self, value: Value) -> Value:
        said, text = self.request.words, self.request.text
        kept = self.request.within(value)
        first, last = kept.start, kept.stop - 1
        if first < last and self._verb_position(value):
            first += 1
        while first < last and self.explained[first]:
            first += 1
        while first < last and self.explained[last]:
            last -= 1
        if (first, last) == (kept.start, kept.stop - 1) or first > last:
            return value
        start, end = said[first].start, said[last].end
        return Value("phrase", text[start:end], start, end, text[start:end])

    def _verb_position(self, value: Value) -> bool:
        """A plain word at the start of a sentence, or after *I* or *to*, is what to do."""
        before = self.request.text[: value.start].rstrip()
        if not before or before[-1] in ".!?:;":
            return True
        first = plain_words(value.text)[:1]
        last = re.split(r"['’]", before.rsplit(None, 1)[-1].lower().strip(","))[0]
        if last in _BEFORE_VERBS:
            return True
        return last in ("and", "then") and bool(first) and first[0] in words("wish_verbs")

    def score(self, p: int, value: Value) -> tuple[float, Value]:
        """How well `value` fits the parameter, and the part of it that is meant."""
        parameter = self.tool.parameters[p]
        base = parameter.fits.get(value.kind, 0.0)
        if parameter.role == "id" and value.kind == "phrase" and self._common(value):
            return 0.0, value
        if not base or (value.spelled and not parameter.numeric and parameter.role != "quantity"):
            return 0.0, value
        if value.label:
            own = parameter.name.lower()
            return (
                3.0 if value.label == own else 1.2 if own.startswith(value.label) else 0.1
            ), value
        score = 0.6 * base
        if value.kind in ("phrase", "name"):
            named, value = self._named(p, value)
            score += named
        cue = self.cue(p, value)
        score += cue
        if value.unit:
            score += self._unit(p, value)
        if value.spelled and score < 0.95:
            score -= (
                SPELLED if self.request.has_figures else 0.3
            )  # "the other two sides", "one of them": rarely an argument
        if value.unit == "%" and "integer" in parameter.types and not self._percent(parameter):
            score -= AS_YEAR
        if id(value) in self.listed:
            score += LISTED
        if parameter.numeric and not value.unit and _is_year(value):
            score += (
                AS_YEAR
                if parameter.own_words[-1:] and (parameter.own_words[-1] in _YEAR_WORDS)
                else -AS_YEAR
            )
        score += self._words_of(p, value) + self._form(parameter, value)
        if len(parameter.told_options) > 1 and parameter.told_as_closed:
            score -= 0.6  # the description offers a choice, and this is none of it
        return score, value

    @staticmethod
    def _common(value: Value) -> bool:
        """Whether a phrase is made of dictionary words: those are no identifiers."""
        return any(vector(word) is not None for word in plain_words(value.text))

    def _percent(self, parameter: Parameter) -> bool:
        return bool(parameter.cues.keys() & sets("unit_words")["%"]) or "%" in parameter.about

    @cached_property
    def _takes_places(self) -> bool:
        return any(p.role == "place" for p in self.tool.parameters)

    def cue(self, p: int, value: Value) -> float:
        """The strongest word of the parameter near the value, or a preposition that says it."""
        near = self.near
        best = max((near[i][p] * fades for i, fades in self.request.near(value)), default=0.0)
        return max(best, self._preposition(p, value))

    def _preposition(self, p: int, value: Value) -> float:
        before = self.request.text[max(0, value.start - 24) : value.start].lower().split()
        while before and before[-1].strip("'\"$“") in ("the", "a", "an", ""):
            before.pop()
        said = before[-1].strip("'\"(") if before else ""
        cues = self.tool.parameters[p].cues
        told = max((cues.get(cue, 0.0) for cue in sets("prepositions").get(said, ())), default=0.0)
        return 0.55 * min(1.0, told + 0.2) if told >= 0.4 else 0.0

    def _named(self, p: int, value: Value) -> tuple[float, Value]:
        """`red dominant colour`: what stands with the parameter's own name is its value."""
        said = plain_words(value.text)
        own = {stem(w) for w in self.tool.parameters[p].own_words if w not in words("generic")}
        length = len(said)
        while length and stem(said[length - 1]) in own:
            length -= 1
        if length in (0, len(said)):
            return 0.0, value
        if value.kind == "name":
            return 0.4, value
        cut = value.text.split()[:length]
        text = " ".join(cut)
        if len(cut) != length or not value.text.startswith(text):
            return 0.0, value
        part = Value("phrase", text, value.start, value.start + len(text), text)
        return OWN_NAME, part

    def _unit(self, p: int, value: Value) -> float:
        """A unit that the parameter names speaks for the pair."""
        parameter, unit = self.tool.parameters[p], value.unit.lower().strip()
        known = sets("unit_words").get(unit, frozenset((unit,)))
        about = f"{parameter.about.lower()} {' '.join(parameter.cues)}"
        if any(re.search(rf"\b{re.escape(word)}s?\b", about) for word in known | {unit}):
            return 0.5
        return (
            0.3
            if unit.isalpha() and any(similarity(c, unit) > 0.5 for c in parameter.own_words)
            else 0.0
        )

    def _words_of(self, p: int, value: Value) -> float:
        """What the value's own words say for or against the pair."""
        parameter = self.tool.parameters[p]
        score = 0.0
        if value.kind == "phrase":
            inside = self.request.within(value)
            known = sum(self.explained[i] for i in inside)
            score -= 0.9 * known / max(len(inside), 1)
            if self._verb_position(value):
                score -= 0.45
        if value.kind == "name":
            said = plain_words(value.text)
            if all(word in parameter.cues or word in ("id", "api", "key") for word in said):
                score -= 0.9  # it names the parameter, it is not the value
            else:
                score += 0.3 if parameter.cues.get("name") and parameter.role != "name" else 0.0
            if len(said) > 1:
                own = max(
                    (similarity(w, s) for w in parameter.own_words for s in said), default=0.0
                )
                score += 0.4 * (own if own > 0.4 else 0.0)
        if value.kind in ("predicate", "phrase") and parameter.role == "status":
            score += 0.4 * max(
                (similarity(w, _head(value.text)) for w in parameter.own_words), default=0
            )
        if parameter.role == "place" and value.kind == "name":
            score += _place(parameter, value)
        elif value.kind == "name" and self._takes_places and is_place(value.text):
            score -= ELSEWHERE
        if parameter.role == "language":
            score += 0.6 * (language_code(value.text) is not None)
        if "currency" in parameter.cues and value.kind in ("name", "phrase"):
            score += 0.9 * (currency_code(value.text) is not None)
        if value.kind in ("quoted",) and len(value.text.split()) > 3:
            score += 0.3 if parameter.role in ("request", "text") else -0.2
        return score

    def _form(self, parameter: Parameter, value: Value) -> float:
        """Likeness to the parameter's examples and to its pattern."""
        score = 0.0
        if parameter.examples and value.kind in ("phrase", "name"):
            head = _head(value.text)
            score += 0.2 * max(similarity(head, _head(e)) for e in parameter.examples)
        elif parameter.examples and value.kind in ("id", "quoted", "number", "phone"):
            score += 0.25 * any(shape_of(e) == shape_of(value.text) for e in parameter.examples)
        if pattern := parameter.schema.get("pattern"):
            score += 0.8 if matches(str(pattern), str(value.data)) else -0.1
        return score


def _is_year(value: Value) -> bool:
    return isinstance(value.data, int) and 1900 <= value.data <= 2100 and len(value.text) == 4


def _place(parameter: Parameter, value: Value) -> float:
    city = value.text.partition(", ")[0]
    wants_country = parameter.cues.get("country", 0) >= 1
    score = 0.35 if is_place(city) else 0.0
    if "city" in parameter.cues or wants_country:
        score += 0.3 * (is_country(city) == wants_country)
    return score


def matches(pattern: str, text: str) -> bool:
    """Whether a text fits a JSON schema pattern; one that does not compile fits nothing."""
    try:
        return re.search(pattern, text[:200]) is not None
    except (re.error, RecursionError, OverflowError):
        return False


def shape_of(text: str) -> str:
    """`KX-72` → `A-9`: runs of digits and of letters each become one mark."""
    return re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"\d+", "9", text)))


def _head(text: str) -> str:
    found = [word for word in plain_words(text) if not is_stop_word(word)]
    return found[-1] if found else text.lower()
