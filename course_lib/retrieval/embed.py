"""Embeddings: a text as 384 numbers, near those of texts that mean the same.

The model is all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0), a transformer of six layers
with 22 million weights. It runs here in NumPy alone, so it gives the same answer on every system.
Left out: anything but reading. It is not trained further, and it does not write.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from operator import itemgetter

import numpy as np

from .weights import LAYERS, Array, weights
from .wordpiece import pieces, vocabulary

DIMENSIONS, HEADS = 384, 12
LONGEST = 254  # pieces the model was trained to read at once, beside the marks around them
BATCH = 512  # pieces in one pass, about: more is no faster, and takes more memory
THREADS = min(4, os.cpu_count() or 1)
REMEMBERED = 4096  # texts
_remembered: dict[str, Array] = {}


def embed(texts: Sequence[str]) -> Array:
    """The vectors of some texts: an array of shape (texts, 384), float32, each of length 1.

    A text longer than the model can read at once is read in stretches, and its vector is the
    mean over all of them. A text that was embedded before is not read again.
    """
    vectors = {text: _remembered.get(text) for text in texts}
    if new := [text for text, vector in vectors.items() if vector is None]:
        read = dict(zip(new, _read([pieces(text) for text in new]), strict=True))
        vectors |= read
        if len(_remembered) + len(read) > REMEMBERED:
            _remembered.clear()
        _remembered.update(read)
    return np.array([vectors[text] for text in texts], np.float32).reshape(-1, DIMENSIONS)


def _read(texts: list[list[int]]) -> Array:
    """The vector of each text, given as pieces: the mean of what its pieces come to mean."""
    start, end = vocabulary()["[CLS]"], vocabulary()["[SEP]"]
    cut = [
        (row, [start, *text[at : at + LONGEST], end])
        for row, text in enumerate(texts)
        for at in range(0, max(1, len(text)), LONGEST)
    ]
    rows, stretches = zip(*cut, strict=True)
    passes = np.cumsum([len(stretch) for stretch in stretches]) // BATCH
    together = groupby(zip(passes, stretches, strict=True), itemgetter(0))
    batches = [[stretch for _, stretch in each] for _, each in together]
    weights()  # before several threads ask for them at once
    with ThreadPoolExecutor(THREADS) as pool:
        sums = np.concatenate(list(pool.map(_forward, batches)))
    vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
    np.add.at(vectors, list(rows), sums)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _forward(texts: list[list[int]]) -> Array:
    """The transformer: for each text the sum of what its pieces mean in their places.

    The texts of one pass are laid end to end: no padding, and so no mask.
    """
    ends = np.cumsum([len(text) for text in texts])[:-1]
    places = np.concatenate([np.arange(len(text)) for text in texts])
    states = _rows("word", np.concatenate(texts)) + _rows("position", places)
    states += weights()["embeddings.token_type_embeddings.weight"][0]
    states = _normalize(states, "embeddings")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        heads = (
            np.split(_dense(states, f"{name}.attention.self.{part}"), ends)
            for part in ("query", "key", "value")
        )
        seen = np.concatenate([_attend(*each) for each in zip(*heads, strict=True)])
        seen = _dense(seen, f"{name}.attention.output.dense")
        states = _normalize(states + seen, f"{name}.attention.output")
        wide = _gelu(_dense(states, f"{name}.intermediate.dense"))
        states = _normalize(states + _dense(wide, f"{name}.output.dense"), f"{name}.output")
    return np.stack([text.sum(0) for text in np.split(states, ends)])


def _rows(table: str, numbers: Array) -> Array:
    name = f"embeddings.{table}_embeddings.weight"
    rows: Array = weights()[f"{name}_q"][numbers] * weights()[f"{name}_scale"][numbers]
    return rows


def _dense(states: Array, name: str) -> Array:
    dense: Array = states @ weights()[f"{name}.weight"] + weights()[f"{name}.bias"]
    return dense


def _normalize(states: Array, name: str) -> Array:
    """Layer normalization: each row with mean 0 and variance 1, then scaled and shifted."""
    centred = states - states.mean(1, keepdims=True)
    centred /= np.sqrt(np.square(centred).mean(1, keepdims=True) + 1e-12)
    scale, shift = (weights()[f"{name}.LayerNorm.{part}"] for part in ("weight", "bias"))
    normal: Array = centred * scale + shift
    return normal


def _attend(query: Array, key: Array, value: Array) -> Array:
    """Each piece takes from all others, by how well their keys fit its query; twelve times over."""
    size = DIMENSIONS // HEADS
    q, k, v = (part.reshape(-1, HEADS, size).swapaxes(0, 1) for part in (query, key, value))
    fit = q * size**-0.5 @ k.swapaxes(1, 2)
    fit -= fit.max(2, keepdims=True)
    np.exp(fit, out=fit)
    taken: Array = fit @ v / fit.sum(2, keepdims=True)
    return taken.swapaxes(0, 1).reshape(-1, DIMENSIONS)


def _gelu(x: Array) -> Array:
    """x times the share of a normal distribution below x, in the usual form with tanh.

    The model was trained with the exact form; scores differ by less than 0.001. It works in
    place: these are its largest arrays.
    """
    share = x * x
    share *= 0.044715
    share += 1
    share *= x
    share *= (2 / np.pi) ** 0.5
    np.tanh(share, out=share)
    share += 1
    share *= x
    share *= 0.5
    return share
