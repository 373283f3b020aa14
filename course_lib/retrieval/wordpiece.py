"""WordPiece: a text as the numbers that the embedding model reads.

Words are lowered, stripped of accents and cut into the longest pieces that the vocabulary has:
`unreturned` is `un`, `##ret`, `##urned`. This is a second tokenizer beside o200k, which counts
what a request costs; each model reads with its own.
"""

import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path

VOCABULARY = Path(__file__).parent.parent / "data" / "minilm" / "vocab.txt"
LONGEST_WORD = 100  # characters
IDEOGRAPHS = "\u3400-\u9fff"  # each is a word of its own
_WORD = re.compile(rf"[{IDEOGRAPHS}]|[^\W_{IDEOGRAPHS}]+|[^\w\s]|_")


@cache
def vocabulary() -> dict[str, int]:
    """Each piece and its number, which is its line in the file."""
    lines = VOCABULARY.read_text(encoding="utf-8").split("\n")
    return {piece: number for number, piece in enumerate(lines)}


def pieces(text: str) -> list[int]:
    """The numbers of a text's pieces, without the marks at its start and end."""
    plain = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in plain if unicodedata.category(c) != "Mn")
    words = (word[: LONGEST_WORD + 1] for word in _WORD.findall(plain))
    return [piece for word in words for piece in _cut(word)]


@lru_cache(maxsize=65_536)
def _cut(word: str) -> list[int]:
    """The pieces of a word, longest first; a word with a part that has no piece is unknown."""
    known, found, begin = vocabulary(), [], 0
    while begin < len(word):
        ends = range(len(word), begin, -1)
        parts = (("##" if begin else "") + word[begin:end] for end in ends)
        piece = next((part for part in parts if part in known), None)
        if piece is None or len(word) > LONGEST_WORD:
            return [known["[UNK]"]]
        found.append(known[piece])
        begin += len(piece.removeprefix("##"))
    return found
