"""Ranking: which chunks answer a query, by what they mean and by the words they share.

Vectors find *lunar landing* for a question about the moon; words find *A-104*, which means
nothing to a model. The score of a chunk is the weighted mean of both, from 0 to 1.
"""

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .embed import DIMENSIONS, embed
from .weights import Array, one_thread

MEANING = 0.8  # the share of meaning in a score, unless another is asked for
SATURATION, LENGTH = 1.2, 0.75  # BM25's k1 and b: how soon repetition counts less, long texts less
DIGITS = 4  # of a score: fewer than processors agree on, so that order is the same on all
STOP_WORDS = frozenset(
    "a about all am an and any are as at be been but by can could did do does for from get give "
    "had has have how i if in into is it its like me my need of on or our please so some tell "
    "than that the their them there these they this to us want was we were what when where which "
    "who why will with would you your".split()
)


def words(text: str) -> list[str]:
    """The words of a text that say something: lower case, numbers too, without stop words."""
    return [word for word in re.findall(r"\w+", text.lower()) if word not in STOP_WORDS]


def rank(query: str, texts: Sequence[str], meaning: float = MEANING) -> list[tuple[float, str]]:
    """The texts with their scores for a query, best first; `meaning` 0 goes by words alone."""
    index = Index()
    index.add(texts, embed(texts))
    scores = index.scores(query, embed([query])[0], meaning)
    return [(float(scores[row]), texts[row]) for row in best(scores, len(texts))]


def best(scores: Array, limit: int) -> list[int]:
    """The rows with the highest scores, best first; of equal ones the earlier first."""
    return [int(row) for row in np.argsort(-scores, kind="stable")[:limit]]


@dataclass(slots=True)
class Index:
    """Chunks made ready for searching: one matrix of vectors, and who has which word how often.

    Adding costs as much as what is added: the matrix doubles when it is full.
    """

    _vectors: Array = field(default_factory=lambda: np.zeros((64, DIMENSIONS), np.float32))
    _lengths: "array[int]" = field(default_factory=lambda: array("l"))  # in words, of each row
    _rows: "dict[str, array[int]]" = field(default_factory=lambda: defaultdict(lambda: array("l")))
    _times: "dict[str, array[int]]" = field(default_factory=lambda: defaultdict(lambda: array("l")))

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, texts: Sequence[str], vectors: Array) -> None:
        """Append chunks, whose vectors have length 1; their rows go on where the last ended."""
        first, end = len(self), len(self) + len(texts)
        if end > len(self._vectors):
            grown = np.zeros((max(end, 2 * len(self._vectors)), DIMENSIONS), np.float32)
            grown[:first] = self._vectors[:first]
            self._vectors = grown
        self._vectors[first:end] = vectors
        for row, text in enumerate(texts, first):
            counts = Counter(words(text))
            self._lengths.append(counts.total())
            for word, times in counts.items():
                self._rows[word].append(row)
                self._times[word].append(times)

    def keep(self, rows: list[int], texts: Sequence[str]) -> "Index":
        """A new index of some rows, whose texts are given again."""
        kept = Index()
        kept.add(texts, self._vectors[rows])
        return kept

    def search(
        self,
        queries: Sequence[str],
        vectors: Array,
        meaning: float,
        allowed: Sequence[bool],
        limit: int,
    ) -> list[tuple[int, float]]:
        """The best of the allowed rows with their scores, each for the query it answers best."""
        if not len(self):
            return []
        each = [self.scores(*asked, meaning) for asked in zip(queries, vectors, strict=True)]
        scores = np.where(np.array(allowed), np.max(each, axis=0), -1)
        return [(row, float(scores[row])) for row in best(scores, limit) if scores[row] >= 0]

    def scores(self, query: str, vector: Array, meaning: float = MEANING) -> Array:
        """How well each row answers the query, from 0 to 1, rounded."""
        with one_thread():
            near = np.clip(self._vectors[: len(self)] @ vector, 0, 1)
        mean: Array = meaning * near + (1 - meaning) * self._keyword_scores(query)
        return np.round(mean, DIGITS)

    def _keyword_scores(self, query: str) -> Array:
        """BM25, as a share of what a chunk would get that has every word of the query often.

        A rare word counts more than a common one, and one that no chunk has counts most of all.
        """
        scores = np.zeros(len(self))
        lengths = np.array(self._lengths, np.float64)
        usual = lengths.mean() if len(self) else 1.0
        attainable = 0.0
        for word in dict.fromkeys(words(query)):
            rows = np.array(self._rows.get(word, ()), np.int64)
            times = np.array(self._times.get(word, ()), np.float64)
            rarity = math.log(1 + (len(self) - len(rows) + 0.5) / (len(rows) + 0.5))
            norm = SATURATION * (1 - LENGTH + LENGTH * lengths[rows] / max(usual, 1))
            scores[rows] += rarity * times / (times + norm)
            attainable += rarity
        return scores / attainable if attainable else scores
