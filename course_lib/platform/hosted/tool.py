"""What a hosted tool is: one that the platform runs itself, in the middle of a turn (contract D).

The model sees a function like any other and calls it by name. The client sees an item of the
tool's own type, finished before the reply arrives, and has nothing to run. A tool is one value of
`HostedTool`: what its entry in `tools` may hold, what the model is told, what a call does, and
how a stream tells of it. `desk.py` runs the calls of a turn.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..errors import Json
from ..rules import Rule
from ..state import State


@dataclass(slots=True)
class Call:
    """One call by the model, with all that may bear on it."""

    arguments: Json
    declared: Json  # the tool's entry on the request, as the reply echoes it
    include: list[str]  # what the request wants to see more of
    items: list[Json]  # the context and the output so far, as the API shows them
    state: State


@dataclass(slots=True)
class Ran:
    """What came of a call."""

    item: Json  # the fields of the output item, beside its id, type and status
    reads: Json  # what the model reads of it
    status: str = "completed"
    sources: dict[str, Json] = field(default_factory=dict)  # what may be cited → its annotation
    billed: Json = field(default_factory=dict)  # to be added to the reply's `tool_usage`


# A stage of a stream: the last word of an event's name, the name of a field that is told piece by
# piece, or a function that makes (last word, fields) from the item and the reply it stands in.
Stage = str | Callable[[Json, Json], Iterator[tuple[str, Json]]]


def _nothing(entry: Json, state: State) -> None:
    """Most tools need nothing of the platform's memory."""


@dataclass(frozen=True, slots=True)
class HostedTool:
    """One hosted tool. The rules and the echo are for the client, `about` is for the model."""

    name: str  # by which the model calls it
    item: str  # the type of its output item
    prefix: str  # of that item's id
    about: str
    parameters: Json
    required: dict[str, Rule]
    optional: dict[str, Rule]
    run: Callable[[Call], Ran]
    stages: tuple[Stage, ...]
    echo: Callable[[Json], Json] = dict
    check: Callable[[Json, State], None] = _nothing  # ApiError if what the entry names is missing
    begun: Json = field(default_factory=dict)  # what a stream's first sight of the item holds
    fleeting: tuple[str, ...] = ()  # what a stream's first sight of it lacks
    unread: tuple[str, ...] = ()  # fields of an item that no model reads as text

    @property
    def declaration(self) -> Json:
        """The tool as the model sees it, beside the functions of the client."""
        return {
            "type": self.name,
            "name": self.name,
            "description": self.about,
            "parameters": self.parameters,
        }
