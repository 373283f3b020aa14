"""What crosses between a submission and its checks, as JSON.

Outwards, to the learner's code, three marks stand for things that are not data: a stub, a
client, an item of the SDK. Inwards, everything becomes plain data, and the checking side reads
no mark in it: what a learner returns is never more than a value.
"""

import dataclasses
from typing import Any

STUB, CLIENT, ITEM = "$stub", "$client", "$item"
MAX_REPR = 200
MAX_DEPTH = 50


def function_call(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    """A function_call item as the model sends it; the learner's code gets the SDK's own type."""
    import json

    item = {
        "type": "function_call",
        "id": call_id.replace("call", "fc"),
        "call_id": call_id,
        "name": name,
        "arguments": json.dumps(arguments),
        "status": "completed",
    }
    return {ITEM: item}


def project(value: Any, depth: int = 0) -> Any:
    """A learner's value as plain JSON data. What has no JSON form becomes its type and repr."""
    if depth > MAX_DEPTH:
        return {"$type": type(value).__name__, "$repr": "nested too deeply"}
    match value:
        case None | bool() | int() | float() | str():
            # A subclass (an enum, a clever str) crosses as the plain value it wraps.
            return _plain(value)
        case list() | tuple():
            return [project(member, depth + 1) for member in value]
        case dict():
            return {str(key): project(member, depth + 1) for key, member in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return project(dataclasses.asdict(value), depth + 1)
    if hasattr(value, "model_dump"):  # the SDK's objects and the learner's own pydantic models
        return project(value.model_dump(mode="json"), depth + 1)
    return {"$type": type(value).__name__, "$repr": safe_repr(value)}


def _plain(value: Any) -> Any:
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return None


def safe_repr(value: Any) -> str:
    """The repr, shortened; a repr that fails says so instead of ending the check."""
    try:
        text = repr(value)
    except Exception as error:
        text = f"<its repr raised {type(error).__name__}>"
    return text if len(text) <= MAX_REPR else text[: MAX_REPR - 1] + "…"
