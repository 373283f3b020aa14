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

    def __post_init__(self) -> None:
        said = [token.word for token in self.words]
        self.stems = [stem(word) for word in said]
        self.stops = [is_stop_word(word) for word in said]
        self._starts = [token.start for token in self.words]
        quoted = [v for v in self.values if v.kind in ("quoted", "url", "email", "path")]
        apart = {i for value in quoted for i in self.words_in(value.start, value.end)}
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
        self.kinds = Counter(value.kind for value in self.values)

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
            elif value.kind != "predicate":
                last[value.kind] = [value]
                found.append(last[value.kind])
        return found

    def list_of(self, value: Value) -> list[Value]:
        """The list that a value, or a part of one, stands in."""
        fits = (g for g in self.lists if g[0].kind == value.kind and any(map(value.overlaps, g)))
        return next(fits, [value])

    @cached_property
    def orders(self) -> set[int]:
        """Where values start that say what to do: at a sentence's start, after *I* or *to*."""
        found = set()
        for value in (value for value in self.values if value.kind in ("phrase", "name")):
            before = self.text[max(0, value.start - 40) : value.start].rstrip()
            last = re.split(r"['’]", (before.split() or [""])[-1].lower().strip(","))[0]
            first = value.text.partition(" ")[0].lower()
            joined = last in ("and", "then") and first in words("wish_verbs")
            if joined or not before or before[-1] in ".!?:;" or last in _BEFORE_VERBS:
                found.add(value.start)
        return found

    def words_in(self, start: int, end: int) -> range:
        """The numbers of the words between two places of the text."""
        return range(bisect_left(self._starts, start), bisect_left(self._starts, end))

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
            found, counts, until = [], 1.0, value.start
            for i in range(inside.start - 1, max(-1, inside.start - 1 - BEFORE), -1):
                gap = self.text[self.words[i].end : until]
                if gap != " " and pattern("sentence end").search(gap):
                    break
                counts = APART if "," in gap else counts
                found.append((i, counts))
                counts = APART if self.words[i].word == "and" else counts
                until = self.words[i].start
            others = (v.start for v in self.values if v.start >= value.end and v.kind != "phrase")
            ends = next(others, len(self.text))
            for i in range(inside.stop, min(inside.stop + AFTER, len(self.words))):
                gap = self.text[value.end : self.words[i].start]
                if self.words[i].start > ends or any(mark in gap for mark in ".;,!?"):
                    break
                found.append((i, AFTERWARDS - FADES * (i - inside.stop)))
            self._near[key] = [each for each in found if not self.stops[each[0]]]
        return self._near[key]

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
