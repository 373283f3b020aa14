"""What the platform remembers between requests: ids given out, responses kept, the clock.

All of it is a function of the requests made so far, so two platforms that saw the same
requests answer the same bytes.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .errors import Json

EPOCH = 1_784_023_200  # 14 July 2026, 10:00 UTC: the day after order A-104 was promised


@dataclass(slots=True)
class StoredResponse:
    """One finished response and what led to it."""

    body: Json
    input_items: list[Json]
    explanation: Any = None  # what the stand-in model says of its choice; never sent


@dataclass(slots=True)
class State:
    """The platform's memory. `now` is simulated, in seconds since 1970."""

    now: int = EPOCH
    responses: dict[str, StoredResponse] = field(default_factory=dict)
    reasoning_before: dict[str, str] = field(default_factory=dict)  # item id → its reasoning item
    _counts: Counter[str] = field(default_factory=Counter)

    def new_id(self, prefix: str) -> str:
        """The next id with this prefix: `call_1`, `call_2`, …"""
        self._counts[prefix] += 1
        return f"{prefix}_{self._counts[prefix]}"
