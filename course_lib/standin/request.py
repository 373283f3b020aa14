"""A request, or a part of one, read once for all tools: its words, its values, what stands near."""

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property

from .text import Token, Vector, is_stop_word, matrix, stem, tokens
from .values import Value, find_values

LONGEST = 12_000  # characters; of a longer text the stand-in reads the beginning and the end
_NOT_PLAIN = re.compile(r"[^\w%°#+]+|_")
_JOINT = re.compile(
    r"(?:['’]s| ?(?:[A-Za-z/]{1,12}|%|°[CF]?)(?=[ ,]))?"
    r"\s*(?:,|;|and|or|&|,\s*and|,\s*or|,\s*&)\s*"
    r"(?:the |a |an |some |also |then )?(?:[$€£]|#)?"
)
LONGEST_GAP = 24
BEFORE, AFTER = 8, 4  # how many words may announce a value
FADES, FADES_AFTER, BLOCKED, APART = 0.09, 0.12, 0.35, 0.6


@dataclass(eq=False)
class Request:
    """The text, its tokens and its values, with the neighbourhood of each value."""

    text: str
    words: list[Token]
    values: list[Value]
    _near: dict[tuple[int, int], list[tuple[int, float]]] = field(default_factory=dict)

    @cached_property
    def stems(self) -> list[str]:
        return [stem(token.word) for token in self.words]

    @cached_property
    def vectors(self) -> Vector:
        return matrix([token.word for token in self.words])

    @cached_property
    def starts(self) -> list[int]:
        return [token.start for token in self.words]

    @cached_property
    def has_figures(self) -> bool:
        return any(v.kind == "number" and not v.spelled for v in self.values)

    @cached_property
    def plain(self) -> str:
        """The words alone, lower case, to look for a whole option in."""
        return f" {_NOT_PLAIN.sub(' ', self.text.lower()).strip()} "

    def near(self, value: Value) -> list[tuple[int, float]]:
        """(token, how much it counts) of the words that may announce `value`.

        Just before it counts most, just after it less; another value in between takes most of a
        word for itself, and the end of a sentence ends it.
        """
        value = self._leader(value)
        found = self._near.get((value.start, value.end))
        if found is None:
            found = self._near[value.start, value.end] = [*self._before(value), *self._after(value)]
        return found

    def within(self, value: Value) -> range:
        """The numbers of the words that a value is made of."""
        return range(bisect_left(self.starts, value.start), bisect_left(self.starts, value.end))

    @cached_property
    def stops(self) -> list[bool]:
        return [is_stop_word(token.word) for token in self.words]

    def _leader(self, value: Value) -> Value:
        """The first of a list of numbers: what announces it announces them all."""
        return self._leaders.get(id(value), value)

    @cached_property
    def _leaders(self) -> dict[int, Value]:
        return {id(v): group[0] for group in groups(self, "number") for v in group[1:]}

    @cached_property
    def _owner(self) -> dict[int, int]:
        """Token → the value it is part of, for values that are more than words."""
        owner: dict[int, int] = {}
        for number, value in enumerate(self.values):
            if value.kind not in ("phrase", "number"):
                first = bisect_left(self.starts, value.start)
                last = bisect_left(self.starts, value.end)
                owner |= dict.fromkeys(range(first, last), number)
        return owner

    @cached_property
    def _solid_starts(self) -> list[int]:
        return [value.start for value in self.values if value.kind != "phrase"]

    def _before(self, value: Value) -> list[tuple[int, float]]:
        found: list[tuple[int, float]] = []
        distance, edge, apart = 0, value.start, 1.0
        solid = bisect_left(self._solid_starts, value.start)
        for i in range(bisect_left(self.starts, value.start) - 1, -1, -1):
            if distance == BEFORE or _ends_sentence(self.text[self.words[i].end : edge]):
                break
            if "," in self.text[self.words[i].end : edge] or self.words[i].word == "and":
                apart = APART
            edge = self.words[i].start
            if i in self._owner:
                continue
            if not self.stops[i]:
                held = solid > bisect_left(self._solid_starts, self.words[i].end)
                found.append((i, (1 - FADES * distance) * (BLOCKED if held else apart)))
            distance += 1
        return found

    def _after(self, value: Value) -> list[tuple[int, float]]:
        found: list[tuple[int, float]] = []
        edge = value.end
        for distance, i in enumerate(
            range(bisect_left(self.starts, value.end), len(self.words))[:AFTER]
        ):
            word, gap = self.words[i].word, self.text[edge : self.words[i].start]
            if i in self._owner or any(mark in gap for mark in ".;,!?"):
                break
            edge = self.words[i].end
            if self.stops[i]:
                if distance and word in ("and", "with", "for"):
                    break
                continue
            found.append((i, 0.85 - FADES_AFTER * distance))
        return found

    def part(self, start: int, end: int) -> "Request":
        """A clause of this request, read by itself."""
        return read_request(self.text[start:end])


def groups(request: Request, kind: str) -> list[list[Value]]:
    """Values of one kind that stand together, joined by commas or *and*; a lone one is one too."""
    found: list[list[Value]] = []
    for value in request.values:
        if value.kind != kind:
            continue
        gap = request.text[found[-1][-1].end : value.start] if found else "x"
        if found and len(gap) < LONGEST_GAP and _JOINT.fullmatch(gap):
            found[-1].append(value)
        else:
            found.append([value])
    return found


def _ends_sentence(gap: str) -> bool:
    return any(mark in gap for mark in (". ", "; ", "! ", "? ", ".\n", "\n\n"))


def read_request(text: str) -> Request:
    """Read a text. A request that stands in quotation marks as a whole is read without them."""
    if len(text) > LONGEST:
        text = f"{text[: LONGEST * 3 // 4]}\n{text[-LONGEST // 4 :]}"
    text = text.strip()
    if len(text) > 40 and text[0] in "\"'" and text.count(text[0]) <= 2:
        text = text.strip(text[0])
    said = tokens(text)
    return Request(text, said, find_values(text, said))
