"""What crosses between a submission and its checks, as JSON.

Outwards, to the learner's code, marks stand for things that are not data: a stub, a client, a
stream, a `function_call`. Inwards, everything becomes plain data, and the checking side reads
no mark in it: what a learner returns is never more than a value.
"""

import dataclasses
import json
import re
from typing import Any

Json = dict[str, Any]

MAX_REPR = 200
MAX_SIZE = 1_000_000  # characters of one value as JSON


class ChannelClosed(Exception):
    """The other end is gone, or sent what nobody can have meant."""


class ChannelTimeout(Exception):
    """The other end did not answer in time."""


def project(value: Any) -> Any:
    """A learner's value as plain JSON data. What has no JSON form becomes its type and repr."""
    pieces, left = [], MAX_SIZE
    try:
        for piece in _ENCODER.iterencode(value):  # bit by bit: shared members grow without end
            pieces.append(piece)
            left -= len(piece)
            if left < 0:
                return _opaque(value, f"more than {MAX_SIZE:,} characters of data")
        return json.loads("".join(pieces))
    except RecursionError:
        return _opaque(value, "nested too deeply")
    except (TypeError, ValueError):  # a key that is no text, a circle, a number too long to write
        return _opaque(value, safe_repr(value))


def safe_repr(value: Any) -> str:
    """The repr, shortened, and the same on every run; one that fails says so."""
    try:
        text = repr(value)
        if value and isinstance(value, set | frozenset):  # its order differs between processes
            text = f"{{{', '.join(sorted(map(safe_repr, value)))}}}"
    except Exception as error:
        text = f"<its repr raised {type(error).__name__}>"
    text = re.sub(r" at 0x[0-9a-fA-F]+| id='\d+'", "", text[: 2 * MAX_REPR])
    return text if len(text) <= MAX_REPR else text[: MAX_REPR - 1] + "…"


def _as_data(value: Any) -> Any:
    """One step towards JSON for what the encoder does not know."""
    if isinstance(value, type):  # a class has the methods of its objects, but not the data
        return _opaque(value, safe_repr(value))
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(type(value), "model_dump"):  # an object of the SDK, a pydantic model
        return value.model_dump(mode="json")
    if type(value).__module__ == "numpy":  # an array or one of its numbers
        return value.tolist()
    return _opaque(value, safe_repr(value))


def _opaque(value: Any, text: str) -> dict[str, str]:
    return {"$type": type(value).__name__, "$repr": text}


_ENCODER = json.JSONEncoder(default=_as_data)
