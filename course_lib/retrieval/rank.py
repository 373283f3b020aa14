"""Ranking: which chunks answer a query, by what they mean and by the words they share.

Vectors find *lunar landing* for a question about the moon; words find *A-104*, which means
nothing to a model. The score of a chunk is the weighted mean of both, from 0 to 1.
"""

import math
import re
from array import array
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from .embed import DIMENSIONS, embed
from .weights import Array

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


class Chunk(NamedTuple):
    """A piece of a document; `source` says of which, by any name."""

    source: str
    text: str


class Index:
    """Chunks made ready for searching: their vectors, and which of them has which word.

    Adding costs as much as what is added; the next search makes one matrix of all vectors.
    """

    def __init__(self) -> None:
        self.chunks: list[Chunk] = []
        self._vectors: list[Array] = [np.zeros((0, DIMENSIONS), np.float32)]
        self._lengths = array("l")  # in words, of each chunk
        self._rows = defaultdict[str, "array[int]"](lambda: array("l"))  # of each word, at each use

    def add(self, chunks: Sequence[Chunk], vectors: Array) -> None:
        """Append chunks, whose vectors have length 1."""
        for row, chunk in enumerate(chunks, len(self.chunks)):
            said = words(chunk.text)
            self._lengths.append(len(said))
            for word in said:
                self._rows[word].append(row)
        self.chunks += chunks
        self._vectors.append(vectors)

    def without(self, source: str) -> "Index":
        """A new index of all chunks but those of one source."""
        kept, rows = Index(), [row for row, each in enumerate(self.chunks) if each.source != source]
        kept.add([self.chunks[row] for row in rows], self._matrix()[rows])
        return kept

    def search(
        self,
        queries: Sequence[str],
        limit: int,
        meaning: float = MEANING,
        sources: Collection[str] | None = None,
    ) -> list[tuple[float, Chunk]]:
        """The best chunks of all sources, or of some, each with its score for the query it answers
        best. Of equal scores the one that came first is first. `meaning` 0 goes by words alone."""
        each = zip(queries, embed(queries), strict=True)
        scores = np.max([self.scores(*asked, meaning) for asked in each], axis=0)
        if sources is not None:
            scores[[chunk.source not in sources for chunk in self.chunks]] = -1
        best = np.argsort(-scores, kind="stable")[:limit]
        return [(float(scores[row]), self.chunks[row]) for row in best if scores[row] >= 0]

    def scores(self, query: str, vector: Array, meaning: float = MEANING) -> Array:
        """How well each row answers the query, from 0 to 1, rounded."""
        near = np.clip(self._matrix() @ vector, 0, 1)
        mean: Array = meaning * near + (1 - meaning) * self._keyword_scores(query)
        return np.round(mean, DIGITS)

    def _matrix(self) -> Array:
        if len(self._vectors) > 1:
            self._vectors = [np.concatenate(self._vectors)]
        return self._vectors[0]

    def _keyword_scores(self, query: str) -> Array:
        """BM25, as a share of what a chunk would get that has every word of the query often.

        A rare word counts more than a common one, and one that no chunk has counts most of all.
        """
        count = len(self.chunks)
        lengths = np.array(self._lengths)
        usual = max(1, lengths.sum() / max(1, count))
        norm = SATURATION * (1 - LENGTH + LENGTH * lengths / usual)
        scores, attainable = np.zeros(count), 0.0
        for word in dict.fromkeys(words(query)):
            times = np.bincount(self._rows.get(word, self._lengths[:0]), minlength=count)
            having = np.count_nonzero(times)
            rarity = math.log(1 + (count - having + 0.5) / (having + 0.5))
            scores += rarity * times / (times + norm)
            attainable += rarity
        return scores / attainable if attainable else scores
