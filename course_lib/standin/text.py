"""Text as the stand-in reads it: tokens with their places, stems, and word vectors.

The vectors are 64-dimensional and fixed: one for each of 30,000 common English words, distilled
from a sentence embedder. They make *umbrella* a neighbour of *weather*. They do not read
sentences, and a word of another language has none.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from .lexicon import DATA, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
else:
    Vector = Any

DIMENSIONS = 64
KNOWN_WORDS = 30_000
RARE = 8_000  # the rank from which a word weighs as much as any

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SUFFIXES = tuple(
    "ization ations ation ments ment ness ings ing ies ied ed es s ly er or y e".split()
)
_INFLECTIONS = ("s", "es", "ed", "ing", "ly", "'s", "’s")


@dataclass(slots=True, eq=False)
class Token:
    """A word of a text, lower case, and where it stands."""

    word: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    return [Token(found.group().lower(), *found.span()) for found in _WORD.finditer(text)]


def plain_words(text: str) -> list[str]:
    return [found.lower() for found in _WORD.findall(text)]


def name_words(name: str) -> list[str]:
    """The words of an identifier: `getOrder_status2` gives get, order, status."""
    return plain_words(_CAMEL.sub(" ", name.replace("_", " ")))


def is_stop_word(word: str) -> bool:
    return word in words("stop_words") or word.partition("'")[0] in words("stop_words")


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A crude stem, so that delivery, delivered and deliver meet."""
    word = word.removesuffix("'s").removesuffix("’s")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            if len(word) > 3 and word[-1] == word[-2]:
                word = word[:-1]
            break
    return word


@cache
def _vectors() -> tuple[dict[str, int], Vector]:
    """The table, loaded once: word → row, which is also its rank by frequency; and the rows."""
    import numpy as np

    with np.load(DATA / "vectors.npz") as stored:
        known = str(stored["words"]).split(" ")
        return {word: row for row, word in enumerate(known)}, stored["vectors"].astype(
            np.float32
        ) / 127


@lru_cache(maxsize=16384)
def vector(word: str) -> Vector | None:
    """The unit vector of a word, or of its plain form; None for a word that is not in the table."""
    index, vectors = _vectors()
    for form in (word, *(word.removesuffix(suffix) for suffix in _INFLECTIONS)):
        if form in index:
            row: Vector = vectors[index[form]]
            return row
    return None


def matrix(said: list[str] | tuple[str, ...]) -> Vector:
    """The vectors of some words, one row each; zeros for a word that has none."""
    import numpy as np

    found = np.zeros((len(said), DIMENSIONS), np.float32)
    for row, word in enumerate(said):
        if (own := vector(word)) is not None:
            found[row] = own
    return found


@lru_cache(maxsize=65536)
def similarity(a: str, b: str) -> float:
    """1 for the same stem, else the cosine of the vectors; 0 when either is unknown."""
    if stem(a) == stem(b):
        return 1.0
    x, y = vector(a), vector(b)
    return float(x @ y) if x is not None and y is not None else 0.0


@lru_cache(maxsize=16384)
def importance(word: str) -> float:
    """How much a word of a request weighs: rare ones more, words of any tool's trade little."""
    import math

    if word in words("generic"):
        return 0.25
    rank = _vectors()[0].get(word, KNOWN_WORDS)
    return 0.5 + 0.5 * min(1.0, math.log1p(rank) / math.log(RARE))
