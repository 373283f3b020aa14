"""Text as the stand-in reads it: tokens with their places, stems, and word vectors.

The vectors are 64-dimensional and fixed: one for each of 30,000 common English words, distilled
from a sentence embedder. They make *umbrella* a neighbour of *weather*. They do not read
sentences, and a word of another language has none.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .lexicon import DATA, sets, words

Vector = NDArray[np.float32]

NEAR, AS_EXACT = 0.3, 0.9  # the least likeness of words, and what likeness counts at most
RARE = 8_000  # the rank from which a word weighs as much as any

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SUFFIXES = tuple(
    "ization ations ation ments ment ness ings ing ies ied ed es s ly er or y e".split()
)
_INFLECTIONS = ("", "s", "es", "ed", "ing", "ly", "'s", "’s")
DETERMINERS = frozenset("a an the my your his her our their this that".split())


@dataclass(slots=True, eq=False)
class Token:
    """A word of a text, lower case, and where it stands."""

    word: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    return [Token(found.group().lower(), *found.span()) for found in _WORD.finditer(text)]


def plain_words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def content_words(text: str) -> list[str]:
    return [word for word in plain_words(text) if not is_stop_word(word)]


def name_words(name: str) -> list[str]:
    """The words of an identifier: `getOrder_status2` gives get, order, status."""
    return plain_words(_CAMEL.sub(" ", name.replace("_", " ")))


@lru_cache(maxsize=16384)
def is_stop_word(word: str) -> bool:
    return word in words("stop_words") or word.partition("'")[0] in words("stop_words")


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A crude stem, so that delivery, delivered and deliver meet."""
    word = word.removesuffix("'s").removesuffix("’s")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
    return word


@cache
def _vectors() -> tuple[dict[str, int], Vector]:
    """Word → row, which is also its rank by frequency; and the rows, the last of them zeros."""
    with np.load(DATA / "vectors.npz") as stored:
        index = {word: row for row, word in enumerate(str(stored["words"]).split(" "))}
        return index, np.pad(stored["vectors"].astype(np.float32) / 127, ((0, 1), (0, 0)))


@lru_cache(maxsize=16384)
def _row(word: str) -> int:
    """The row of a word or of its plain form; the last one for a word that is not in the table."""
    index, _ = _vectors()
    forms = (word.removesuffix(suffix) for suffix in _INFLECTIONS)
    return next((index[form] for form in forms if form in index), len(index))


def is_known(word: str) -> bool:
    return _row(word) < len(_vectors()[0])


def matrix(said: Iterable[str]) -> Vector:
    """The unit vectors of some words, one row each; zeros for a word that has none."""
    found: Vector = _vectors()[1][[_row(word) for word in said]]
    return found


def direction(weights: dict[str, float]) -> Vector:
    """The mean direction of some words, weighed; a unit vector."""
    mean: Vector = np.array([*weights.values()], np.float32) @ matrix(weights)
    return mean / (math.sqrt(mean @ mean) + 1e-9)


@lru_cache(maxsize=65536)
def similarity(a: str, b: str) -> float:
    """1 for the same stem, else the cosine of the vectors; 0 when either is unknown."""
    rows = _vectors()[1]
    return 1.0 if stem(a) == stem(b) else float(rows[_row(a)] @ rows[_row(b)])


def likeness(some: Iterable[str], others: Iterable[str]) -> float:
    """The similarity of the two likest words."""
    return max((similarity(a, b) for a in some for b in others), default=0.0)


@lru_cache(maxsize=16384)
def importance(word: str) -> float:
    """How much a word of a request weighs: rare ones more, words of any tool's trade little."""
    if word in words("generic"):
        return 0.25
    index, _ = _vectors()
    return 0.5 + 0.5 * min(1.0, math.log1p(index.get(word, len(index))) / math.log(RARE))


class Words:
    """Words that a thing is known by, each with its weight."""

    def __init__(self, weights: dict[str, float]) -> None:
        self.weights = weights or {"": 0.0}
        self.stems: dict[str, float] = {}
        for word, weight in weights.items():
            self.stems[stem(word)] = max(self.stems.get(stem(word), 0.0), weight)

    @cached_property
    def _weighted(self) -> tuple[Vector, Vector]:
        return matrix(self.weights).T, np.array([*self.weights.values()], np.float32)

    def met_by(self, stems: list[str], vectors: Vector) -> list[float]:
        """For each word of a request how surely it means one of these: by its stem, or nearly."""
        own, weights = self._weighted
        near = ((vectors @ own - NEAR) * weights).max(axis=1) * (AS_EXACT / (1 - NEAR))
        return [max(self.stems.get(s, 0.0), n) for s, n in zip(stems, near.tolist(), strict=True)]

    def nearest(self, word: str) -> str:
        """Itself if it is one of these, else `umbrella ~ weather`."""
        if stem(word) in self.stems:
            return word
        return f"{word} ~ {max(self.weights, key=lambda own: similarity(word, own))}"


def verb_class(said: Sequence[str]) -> str:
    """What kind of act some words want (`read`, `change`, …): their first verb, or a question."""
    for before, word in pairwise(["", *(re.split("['’]", each)[0] for each in said[:8])]):
        if before in DETERMINERS:
            continue  # "the schedule" is none
        for name, verbs in sets("verb_classes").items():
            if word in verbs:
                return name
        if word in words("question_words") and word not in ("can", "could", "will"):
            return "read"
    return ""
