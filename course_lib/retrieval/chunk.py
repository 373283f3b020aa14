"""Chunking: a long text in pieces small enough to be found and to be read."""

from collections.abc import Sequence


def chunk(text: str, starts: Sequence[int], size: int = 800, overlap: int = 400) -> list[str]:
    """Cut a text into chunks of `size` tokens, each beginning with the last `overlap` of the one
    before, so that a sentence cut in two by one chunk stands whole in the next.

    `starts` says where each token begins, in characters. Any tokenizer will do:
    `[word.start() for word in re.finditer(r"\\S+", text)]` makes tokens of words,
    `course_lib.platform.tokens.starts(text)` gives those of o200k. Spaces around a chunk are
    dropped, and chunks of nothing else too.
    """
    if not 0 <= overlap < size:
        raise ValueError(f"The overlap must be at least 0 and less than the size, not {overlap}.")
    edges = [*starts, len(text)]
    begins = range(0, max(1, len(starts) - overlap), size - overlap)
    cut = (text[edges[begin] : edges[min(begin + size, len(starts))]] for begin in begins)
    return [stripped for piece in cut if (stripped := piece.strip())]
