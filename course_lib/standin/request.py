"""A request, or a part of one, read once for all tools: its words, its values, what stands near."""

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

from .lexicon import pattern
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
NAMED = 0.35  # what a word counts that is part of a name
LONGEST_GAP = 24  # characters between two members of a list
BEFORE, AFTER = 8, 4  # how many words may announce a value
FADES, AFTERWARDS, FADES_AFTER, BLOCKED, APART = 0.09, 0.85, 0.12, 0.35, 0.6
LISTED = (
    "number", "quoted", "name", "id", "email", "date", "url", "path", "domain", "phrase"
)  # fmt: skip


@dataclass(eq=False)
class Request:
    """The text, its tokens and its values, with the neighbourhood of each value."""

    text: str
    words: list[Token]
    values: list[Value]

    @cached_property
    def stems(self) -> list[str]:
        return [stem(token.word) for token in self.words]

    @cached_property
    def vectors(self) -> Vector:
        return matrix([token.word for token in self.words])

    @cached_property
    def stops(self) -> list[bool]:
        return [is_stop_word(token.word) for token in self.words]

    @cached_property
    def weights(self) -> list[float]:
        """What each word counts: names count little, stop words and quotations nothing."""
        apart = self._inside("quoted", "url", "email", "path")
        named = self._inside("name", "id", "domain")
        return [
            0.0 if stop or i in apart else importance(token.word) * (NAMED if i in named else 1.0)
            for i, (token, stop) in enumerate(zip(self.words, self.stops, strict=True))
        ]

    @cached_property
    def content(self) -> dict[str, float]:
        """The words that count, and what."""
        pairs = zip(self.words, self.weights, strict=True)
        return {token.word: weight for token, weight in pairs if weight}

    @cached_property
    def direction(self) -> Vector:
        return direction(self.content)

    @cached_property
    def act(self) -> str:
        """The kind of act that is wanted: read, change, …"""
        return verb_class([token.word for token in self.words])

    def _inside(self, *kinds: str) -> set[int]:
        """The numbers of the words that are part of values of some kinds."""
        values = [value for value in self.values if value.kind in kinds]
        return {i for value in values for i in self.words_in(value.start, value.end)}

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

    def list_of(self, value: Value) -> list[Value]:
        """The list that a value, or a part of one, stands in."""
        fits = (g for g in self.lists if g[0].kind == value.kind and any(map(value.overlaps, g)))
        return next(fits, [value])

    def words_in(self, start: int, end: int) -> range:
        """The numbers of the words between two places of the text."""
        return range(bisect_left(self._starts, start), bisect_left(self._starts, end))

    def near(self, value: Value) -> list[tuple[int, float]]:
        """(token, how much it counts) of the words that may announce `value`.

        Just before it counts most, just after it less; another value in between takes most of a
        word for itself, and the end of a sentence ends it. What announces the first of a list of
        values announces them all.
        """
        leader = self.list_of(value)[0]
        value = value if leader.overlaps(value) else leader
        key = (value.start, value.end)
        if key not in self._near:
            inside = self.words_in(*key)
            before = range(max(0, inside.start - BEFORE), inside.start)
            after = range(inside.stop, min(inside.stop + AFTER, len(self.words)))
            counted = [(i, self._counts(i, value, inside)) for i in (*before, *after)]
            self._near[key] = [(i, weight) for i, weight in counted if weight > 0]
        return self._near[key]

    def _counts(self, i: int, value: Value, inside: range) -> float:
        """How much one word counts for a value that is made of the words `inside`."""
        token, is_before = self.words[i], i < inside.start
        start, end = (token.end, value.start) if is_before else (value.end, token.start)
        gap = self.text[start:end]
        if self.stops[i] or i in self._solid or pattern("sentence end").search(gap):
            return 0.0
        blocked = bisect_left(self._value_starts, end) > bisect_left(self._value_starts, start)
        if is_before:
            apart = "," in gap or " and " in gap
            weight = BLOCKED if blocked else APART if apart else 1.0
            return weight * (1 - FADES * (inside.start - i - 1))
        closed = blocked or any(mark in gap for mark in ".;,!?")
        return 0.0 if closed else AFTERWARDS - FADES_AFTER * (i - inside.stop)

    @cached_property
    def _near(self) -> dict[tuple[int, int], list[tuple[int, float]]]:
        return {}

    @cached_property
    def _starts(self) -> list[int]:
        return [token.start for token in self.words]

    @cached_property
    def _solid(self) -> set[int]:
        """The words that are part of a value that is more than words."""
        return self._inside(*{value.kind for value in self.values} - {"phrase", "number"})

    @cached_property
    def _value_starts(self) -> list[int]:
        return [value.start for value in self.values if value.kind != "phrase"]

    def part(self, start: int, end: int) -> "Request":
        """A clause of this request, read by itself."""
        return read_request(self.text[start:end])


def read_request(text: str) -> Request:
    """Read a text. A request that stands in quotation marks as a whole is read without them."""
    if len(text) > LONGEST:
        text = f"{text[: LONGEST * 3 // 4]}\n{text[-LONGEST // 4 :]}"
    text = text.strip()
    if len(text) > 40 and text[0] in "\"'" and text.count(text[0]) <= 2:
        text = text.strip(text[0])
    said = tokens(text)
    return Request(text, said, find_values(text, said)[:MOST_VALUES])
