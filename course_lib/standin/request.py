"""A request, or a part of one, read once for all tools: its words, its values, what stands near."""

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from .lexicon import pattern, words
from .text import (
    Token,
    Vector,
    direction,
    importance,
    is_stop_word,
    matrix,
    stem,
    tokens,
    verb_class,
)
from .values import Value, find_values

LONGEST = 12_000  # characters; of a longer text the stand-in reads the beginning and the end
MOST_VALUES = 200
LONGEST_GAP = 24  # characters between two members of a list
BEFORE, AFTER = 8, 4  # how many words may announce a value
APART, AFTERWARDS, FADES = 0.6, 0.85, 0.12  # what they count, after a comma, or after the value
LISTED = (
    "number", "quoted", "name", "id", "email", "date", "url", "path", "domain", "phrase"
)  # fmt: skip

_BEFORE_VERBS = frozenset(
    "i to you we they he she can could would please will should must let".split()
)


@dataclass(eq=False)
class Request:
    """The text, its tokens and its values, with the neighbourhood of each value."""

    text: str
    words: list[Token]
    values: list[Value]
    _near: dict[tuple[str, int, int], list[tuple[int, float]]] = field(default_factory=dict)
    _verbs: dict[int, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        said = [token.word for token in self.words]
        self.stems = [stem(word) for word in said]
        self.stops = [is_stop_word(word) for word in said]
        self._starts = [token.start for token in self.words]
        apart = self._inside("quoted", "url", "email", "path")
        # what each word counts: stop words and quotations nothing
        self.weights = [
            0.0 if stop or i in apart else importance(word)
            for i, (word, stop) in enumerate(zip(said, self.stops, strict=True))
        ]
        self.total = sum(self.weights)
        self.content: dict[str, float] = {}
        self.stem_weights: dict[str, float] = {}
        for word, each, weight in zip(said, self.stems, self.weights, strict=True):
            if weight:
                self.content[word] = weight
                self.stem_weights[each] = self.stem_weights.get(each, 0.0) + weight

    @cached_property
    def vectors(self) -> Vector:
        return matrix(token.word for token in self.words)

    @cached_property
    def direction(self) -> Vector:
        return direction(self.content)

    @cached_property
    def act(self) -> str:
        """The kind of act that is wanted: read, change, …"""
        return verb_class([token.word for token in self.words])

    @cached_property
    def telling(self) -> list[Value]:
        """The values that a call is expected to use: more than words, and no number in words."""
        plain = ("phrase", "name", "predicate")
        return [value for value in self.values if value.kind not in plain and not value.spelled]

    @cached_property
    def plain(self) -> str:
        """The words alone, lower case, to look for a whole option in."""
        return f" {pattern('not plain').sub(' ', self.text.lower()).strip()} "

    @cached_property
    def lists(self) -> list[list[Value]]:
        """Values of one kind that stand together, joined by commas or *and*, lone ones too."""
        found: list[list[Value]] = []
        last: dict[str, list[Value]] = {}
        for value in self.values:
            group = last.get(value.kind)
            gap = self.text[group[-1].end : value.start] if group else ""
            if group and len(gap) < LONGEST_GAP and pattern("joint").fullmatch(gap):
                group.append(value)
            elif value.kind in LISTED:
                last[value.kind] = [value]
                found.append(last[value.kind])
        return found

    @cached_property
    def kinds(self) -> Counter[str]:
        """How many values there are of each kind."""
        return Counter(value.kind for value in self.values)

    def begins_with_verb(self, value: Value) -> bool:
        """A plain word at the start of a sentence, or after *I* or *to*, is what to do."""
        if value.start not in self._verbs:
            before = self.text[: value.start].rstrip()
            last = re.split(r"['’]", (before.split() or [""])[-1].lower().strip(","))[0]
            first = value.text.partition(" ")[0].lower()
            opens = not before or before[-1] in ".!?:;" or last in _BEFORE_VERBS
            joined = last in ("and", "then") and first in words("wish_verbs")
            self._verbs[value.start] = opens or joined
        return self._verbs[value.start]

    def list_of(self, value: Value) -> list[Value]:
        """The list that a value, or a part of one, stands in."""
        fits = (g for g in self.lists if g[0].kind == value.kind and any(map(value.overlaps, g)))
        return next(fits, [value])

    def words_in(self, start: int, end: int) -> range:
        """The numbers of the words between two places of the text."""
        return range(bisect_left(self._starts, start), bisect_left(self._starts, end))

    def _inside(self, *kinds: str) -> set[int]:
        """The numbers of the words that are part of values of some kinds."""
        values = [value for value in self.values if value.kind in kinds]
        return {i for value in values for i in self.words_in(value.start, value.end)}

    def near(self, value: Value) -> list[tuple[int, float]]:
        """(word, how much it counts) of the words that may announce `value`.

        A word before it counts until the sentence ends; one after it, until a mark or another
        value. What announces the first of a list of values announces them all.
        """
        key = value.kind, value.start, value.end
        if key not in self._near:
            leader = self.list_of(value)[0]
            value = value if leader.overlaps(value) else leader
            inside = self.words_in(value.start, value.end)
            counted = [*self._before(value, inside), *self._after(value, inside)]
            self._near[key] = [each for each in counted if not self.stops[each[0]]]
        return self._near[key]

    def _before(self, value: Value, inside: range) -> list[tuple[int, float]]:
        found, counts, until = [], 1.0, value.start
        for i in range(inside.start - 1, max(-1, inside.start - 1 - BEFORE), -1):
            gap = self.text[self.words[i].end : until]
            if gap != " " and pattern("sentence end").search(gap):
                break
            if "," in gap:
                counts = APART
            found.append((i, counts))
            if self.words[i].word == "and":
                counts = APART
            until = self.words[i].start
        return found

    def _after(self, value: Value, inside: range) -> list[tuple[int, float]]:
        found = []
        following = bisect_left(self._value_starts, value.end)
        ends = self._value_starts[following : following + 1] or [len(self.text)]
        for i in range(inside.stop, min(inside.stop + AFTER, len(self.words))):
            gap = self.text[value.end : self.words[i].start]
            if self.words[i].start > ends[0] or any(mark in gap for mark in ".;,!?"):
                break
            found.append((i, AFTERWARDS - FADES * (i - inside.stop)))
        return found

    @cached_property
    def _value_starts(self) -> list[int]:
        return [value.start for value in self.values if value.kind != "phrase"]

    def part(self, start: int, end: int) -> "Request":
        """A clause of this request, read by itself."""
        return read_request(self.text[start:end])


def shortened(text: str) -> str:
    """A text, or the beginning and the end of one that is too long to be read."""
    return f"{text[: LONGEST * 3 // 4]}\n{text[-LONGEST // 4 :]}" if len(text) > LONGEST else text


def read_request(text: str) -> Request:
    """Read a text. A request that stands in quotation marks as a whole is read without them."""
    text = shortened(text).strip()
    if len(text) > 40 and text[0] in "\"'" and text.count(text[0]) <= 2:
        text = text.strip(text[0])
    said = tokens(text)
    return Request(text, said, find_values(text, said)[:MOST_VALUES])
