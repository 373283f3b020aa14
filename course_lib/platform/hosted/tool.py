"""What a tool is: an entry of `tools`, what the model may call, and what a call becomes.

An entry is a declaration by the client. It offers the model something to call: a function offers
itself, a namespace its functions, an MCP server its tools. A call becomes output items. Either the
platform ran it, and the model reads on with the result; or the client is to answer, and the turn
ends. A tool is one value of `Tool`; `desk.py` brings the tools of a turn together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import Json
from ..rules import Rule
from ..state import State

if TYPE_CHECKING:
    from .desk import Desk

# A stage of a stream: the last word of an event's name, the name of a field that is told piece by
# piece, or a function that makes (tail of the name, fields) from the item and its reply.
Stage = str | Callable[[Json, Json], Iterator[tuple[str, Json]]]


@dataclass(frozen=True, slots=True)
class ItemKind:
    """A type of item that a tool makes: how a stream tells of it, and what the model reads of it.

    The model reads `items` as calls and their results, whatever they are to the client.
    """

    type: str
    stages: tuple[Stage, ...] = ()
    # What a stream's first sight of it holds, if it depends on the item: a function of that.
    begun: Json | Callable[[Json], Json] = field(default_factory=dict)
    fleeting: tuple[str, ...] = ()  # what a stream's first sight of it lacks
    read: Callable[[Json, State], list[Json]] = lambda item, state: [item]
    unnamed: bool = False  # its events do not say whose they are


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that the model may call."""

    tool: Json  # as the model sees it: type, name, description, parameters, and more
    entry: Json  # what declared it, as the reply echoes it
    run: Callable[[Call], Outcome]
    written: str = ""  # if the client runs it: the field of its item that the model writes


@dataclass(slots=True)
class Call:
    """One call by the model, with all that may bear on it."""

    arguments: Json
    offer: Offer
    desk: Desk
    caller: Json | None = None  # the program that calls, if it is not the model itself

    @property
    def declared(self) -> Json:
        return self.offer.entry

    @property
    def include(self) -> list[str]:
        """What the request wants to see more of."""
        return self.desk.include

    @property
    def items(self) -> list[Json]:
        """The context and the output so far, as the API shows them."""
        return self.desk.items

    @property
    def state(self) -> State:
        return self.desk.state


@dataclass(slots=True)
class Outcome:
    """What came of a call: whole output items, and what the model reads of them."""

    items: list[Json]
    reads: list[Json] = field(default_factory=list)
    waits: bool = False  # the client is to answer: the turn ends here
    sources: dict[str, Json] = field(default_factory=dict)  # what may be cited → its annotation
    billed: Json = field(default_factory=dict)  # to be added to the reply's `tool_usage`


def call_item(call: Call, prefix: str, said: Json) -> Json:
    """The item of a call that has an output of its own, matched by the call_id."""
    item = {"id": call.state.new_id(prefix), "status": "completed", **said}
    item["call_id"] = call.state.new_id("call")
    return item


def caller_id(item: Json) -> str | None:
    """The program that an item belongs to, by its call_id; None if the model itself called."""
    caller = item.get("caller")
    return caller.get("caller_id") if isinstance(caller, dict) else None


def nothing(entry: Json, state: State) -> None:
    """Most tools need nothing of the platform's memory."""


def _nothing_due(desk: Desk) -> Iterator[Outcome]:
    yield from ()


@dataclass(frozen=True, slots=True)
class Tool:
    """One type of entry in `tools`. The rules and the echo are for the client."""

    name: str  # its type; of several, the plainest
    entry: Rule
    offers: Callable[[Json, Desk], Iterable[Offer]]
    items: tuple[ItemKind, ...]
    label: str = ""  # the field that tells two entries apart, if there may be two
    echo: Callable[[Json], Json] = dict
    check: Callable[[Json, State], None] = nothing  # ApiError if what the entry names is missing
    # What is to be done before the model is asked, each time, for all entries of this type.
    due: Callable[[Desk], Iterator[Outcome]] = _nothing_due
