"""What crosses between a submission and its checks, as JSON.

Outwards, to the learner's code, marks stand for things that are not data: a stub, a client, a
stream, an object of the SDK. Inwards, everything becomes plain data, and the checking side reads
no mark in it: what a learner returns is never more than a value.
"""

import dataclasses
import re
from typing import Any

MAX_REPR = 200
MAX_DEPTH = 50
MAX_SIZE = 500_000  # characters of one value; as JSON it is at most 12 times as long


def project(value: Any) -> Any:
    """A learner's value as plain JSON data. What has no JSON form becomes its type and repr."""
    try:
        return _Projection().of(value, 0)
    except _TooLargeError:
        return _opaque(value, f"more than {MAX_SIZE:,} characters of data")


def safe_repr(value: Any) -> str:
    """The repr, shortened, and the same on every run; one that fails says so."""
    try:
        # A set has an order of its own in each process.
        text = _sorted_repr(value) if isinstance(value, set | frozenset) else repr(value)
    except Exception as error:
        text = f"<its repr raised {type(error).__name__}>"
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text[: 2 * MAX_REPR])
    return text if len(text) <= MAX_REPR else text[: MAX_REPR - 1] + "…"


class _TooLargeError(Exception):
    """The value would not fit on the way."""


class _Projection:
    """One value on its way to data; counts what it takes, as members may be shared or endless."""

    def __init__(self) -> None:
        self._left = MAX_SIZE

    def of(self, value: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            return _opaque(value, "nested too deeply")
        self._take(4)
        match value:
            case None | bool():
                return value
            # An enum member or another subclass crosses as the plain value that it is.
            case str():
                self._take(len(value))
                return str.__str__(value)
            case float():
                self._take(20)
                return float.__float__(value)
            case int():
                if value.bit_length() > 10_000:  # longer than Python writes or reads
                    return _opaque(value, f"a number of {value.bit_length()} bits")
                self._take(value.bit_length() // 3)
                return int.__int__(value)
            case list() | tuple():
                return [self.of(member, depth + 1) for member in value]
            case dict():
                return {self._key(key): self.of(each, depth + 1) for key, each in value.items()}
        if isinstance(value, type):  # a class has the methods, but not the data
            return _opaque(value, safe_repr(value))
        if dataclasses.is_dataclass(value):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return self.of(fields, depth + 1)
        if hasattr(value, "model_dump"):  # the SDK's objects and the learner's own pydantic models
            return self.of(value.model_dump(mode="json"), depth + 1)
        if type(value).__module__ == "numpy":  # an array or one of its numbers
            return self.of(value.tolist(), depth + 1)
        text = safe_repr(value)
        self._take(len(text))
        return _opaque(value, text)

    def _key(self, key: Any) -> str:
        text = str.__str__(key) if isinstance(key, str) else safe_repr(key)
        self._take(len(text) + 4)
        return text

    def _take(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise _TooLargeError


def _opaque(value: Any, text: str) -> dict[str, str]:
    return {"$type": type(value).__name__, "$repr": text}


def _sorted_repr(value: set[Any] | frozenset[Any]) -> str:
    members = ", ".join(sorted(map(safe_repr, value)))
    return f"{{{members}}}" if members else repr(value)
