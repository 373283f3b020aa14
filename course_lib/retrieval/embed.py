"""Embeddings: a text as 384 numbers, near those of texts that mean the same.

The model is all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0), a transformer of six layers
with 22 million weights. It runs here in NumPy alone, so it gives the same answer on every system.
Left out: anything but reading. It is not trained further, and it does not write.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from threading import Lock

import numpy as np

from .weights import Array, load, matrices, one_thread
from .wordpiece import pieces, vocabulary

DIMENSIONS, HEADS, LAYERS = 384, 12, 6
LONGEST = 254  # pieces the model was trained to read at once, beside the marks around them
BATCH = 512  # pieces in one pass: more is no faster, and takes more memory
THREADS = min(4, os.cpu_count() or 1)
REMEMBERED = 4096  # texts
_remembered: dict[str, Array] = {}  # by text, the oldest first
_lock = Lock()  # several threads may embed at once


def embed(texts: Sequence[str]) -> Array:
    """The vectors of some texts: an array of shape (texts, 384), float32, each of length 1.

    A text longer than the model can read at once is read in stretches, and its vector is the
    mean over all of them. A text that was embedded before is not read again.
    """
    with _lock:
        vectors = {text: _remembered[text] for text in texts if text in _remembered}
    new = [text for text in dict.fromkeys(texts) if text not in vectors]
    vectors.update(zip(new, _read([pieces(text) for text in new]), strict=True))
    with _lock:
        _remembered.update((text, vectors[text]) for text in new)
        while len(_remembered) > REMEMBERED:
            del _remembered[next(iter(_remembered))]
    if not texts:
        return np.zeros((0, DIMENSIONS), np.float32)
    return np.stack([vectors[text] for text in texts])


def cosine(a: Array, b: Array) -> Array:
    """How alike two vectors point: 1 the same way, 0 not at all. Rows against rows for arrays.

    Vectors of `embed` have length 1, so for them this is `a @ b.T`.
    """
    lengths = np.linalg.norm(a, axis=-1)[..., None] * np.linalg.norm(b, axis=-1)
    products: Array = np.inner(a, b) / (lengths if np.ndim(a) > 1 else lengths[0])
    return products


def _read(texts: list[list[int]]) -> Iterator[Array]:
    """The vector of each text, given as pieces: the mean of what its pieces came to mean."""
    start, end = vocabulary()["[CLS]"], vocabulary()["[SEP]"]
    stretches = [
        (number, [start, *text[begin : begin + LONGEST], end])
        for number, text in enumerate(texts)
        for begin in range(0, max(1, len(text)), LONGEST)
    ]
    sums = np.zeros((len(texts), DIMENSIONS), np.float32)
    model, batches = _model(), list(_batches(stretches))

    def forward(batch: list[tuple[int, list[int]]]) -> list[Array]:
        with one_thread():  # again: a search that began before all this, and ends, takes it off
            return model.forward([each for _, each in batch])

    with one_thread(), ThreadPoolExecutor(THREADS) as pool:
        for batch, states in zip(batches, pool.map(forward, batches), strict=True):
            for (number, _), state in zip(batch, states, strict=True):
                sums[number] += state.sum(0)
    for vector in sums:
        yield vector / np.linalg.norm(vector)


def _batches(stretches: list[tuple[int, list[int]]]) -> Iterator[list[tuple[int, list[int]]]]:
    batch: list[tuple[int, list[int]]] = []
    size = 0
    for stretch in stretches:
        if batch and size + len(stretch[1]) > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(stretch)
        size += len(stretch[1])
    if batch:
        yield batch


@dataclass(slots=True)
class _Model:
    """The transformer. Texts of one pass are laid end to end: no padding, and so no mask."""

    arrays: dict[str, Array]
    matrices: list[Array]

    def forward(self, texts: list[list[int]]) -> list[Array]:
        """What each piece of each text means in its place: arrays of shape (pieces, 384)."""
        ends = np.cumsum([len(text) for text in texts])[:-1]
        places = np.concatenate([np.arange(len(text)) for text in texts])
        states = self._rows("word", np.concatenate(texts)) + self._rows("position", places)
        states += self.arrays["inner.embeddings.token_type_embeddings.weight"][0]
        states = self._normalize(states, "embeddings")
        for layer in range(LAYERS):
            query, key, value, mixed, up, down = self.matrices[6 * layer : 6 * layer + 6]
            name = f"encoder.layer.{layer}"
            heads = [
                np.split(states @ matrix + self._bias(f"{name}.attention.self.{part}"), ends)
                for matrix, part in ((query, "query"), (key, "key"), (value, "value"))
            ]
            seen = np.concatenate([_attend(q, k, v) for q, k, v in zip(*heads, strict=True)])
            seen = seen @ mixed + self._bias(f"{name}.attention.output.dense")
            states = self._normalize(states + seen, f"{name}.attention.output")
            inner = _gelu(states @ up + self._bias(f"{name}.intermediate.dense"))
            inner = inner @ down + self._bias(f"{name}.output.dense")
            states = self._normalize(states + inner, f"{name}.output")
        return np.split(states, ends)

    def _rows(self, table: str, numbers: Array) -> Array:
        name = f"inner.embeddings.{table}_embeddings.weight"
        rows: Array = self.arrays[f"{name}_q"][numbers] * self.arrays[f"{name}_scale"][numbers]
        return rows

    def _bias(self, name: str) -> Array:
        return self.arrays[f"inner.{name}.bias"]

    def _normalize(self, states: Array, name: str) -> Array:
        """Layer normalization: each row with mean 0 and variance 1, then scaled and shifted."""
        centred = states - states.mean(1, keepdims=True)
        centred /= np.sqrt(np.square(centred).mean(1, keepdims=True) + 1e-12)
        scale = self.arrays[f"inner.{name}.LayerNorm.weight"]
        normal: Array = centred * scale + self._bias(f"{name}.LayerNorm")
        return normal


@cache
def _model() -> _Model:
    arrays = load()
    return _Model(arrays, list(matrices(arrays)))


def _attend(query: Array, key: Array, value: Array) -> Array:
    """Each piece takes from all others, by how well their keys fit its query; twelve times over."""
    size = DIMENSIONS // HEADS
    q, k, v = (part.reshape(-1, HEADS, size).swapaxes(0, 1) for part in (query, key, value))
    fit = q * np.float32(size**-0.5) @ k.swapaxes(1, 2)
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
    share *= np.float32(0.044715)
    share += 1
    share *= x
    share *= np.float32((2 / np.pi) ** 0.5)
    np.tanh(share, out=share)
    share += 1
    share *= x
    share *= np.float32(0.5)
    return share
