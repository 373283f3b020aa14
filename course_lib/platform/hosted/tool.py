"""What a tool is: an entry of `tools`, what the model may call, and what a call becomes.

An entry is a declaration by the client. It offers the model something to call: a function offers
itself, a namespace its functions, an MCP server its tools. A call becomes output items. Either the
platform ran it, and the model reads on with the result; or the client is to answer, and the turn
ends. A tool is one value of `Tool`; `desk.py` brings the tools of a turn together.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Json
from ..http import written
from ..rules import Rule
from ..state import Reading, State
from ..tokens import pieces

if TYPE_CHECKING:
    from .desk import Desk

SEEN = Path(__file__).parent.parent / "data" / "tools.json"
# Events of a stream: the name of each, after `response.`, and its fields.
Told = Iterator[tuple[str, Json]]
# A stage of a stream: the last word of an event's name, the name of a field that is told piece by
# piece, or a function that tells of the item and its reply.
Stage = str | Callable[[Json, Json], Told]
# The items that the model reads in place of one.
Reader = Callable[[Json, State], list[Json]]


@dataclass(frozen=True, slots=True)
class ItemKind:
    """A type of item: how a stream tells of it, and what the model reads of it.

    The model reads `items` as calls and their results, whatever they are to the client.
    """

    type: str
    stages: tuple[Stage, ...] = ()
    # What a stream's first sight of it holds, if it depends on the item: a function of that.
    begun: Json | Callable[[Json], Json] = field(default_factory=dict)
    fleeting: tuple[str, ...] = ()  # what a stream's first sight of it lacks
    read: Reader = lambda item, state: [item]
    unnamed: bool = False  # its events do not say whose they are


def tell(name: str, text: str, done: Json, **place: int) -> Told:
    """A text piece by piece, and then whole, in the field that `done` has."""
    for piece in pieces(text):
        yield f"{name}.delta", {**place, "delta": piece}
    yield f"{name}.done", {**place, **done}


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that the model may call."""

    tool: Json  # as the model sees it: type, name, description, parameters, and more
    entry: Json  # what declared it, as the reply echoes it
    run: Callable[[Call], Outcome]
    client: bool = False  # the client runs it, and so may be asked as often as the model likes
    written: str = ""  # the field of its item that the model writes, and may break off in


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


@dataclass(frozen=True, slots=True)
class Tool:
    """One type of entry in `tools`. The rules and the echo are for the client."""

    name: str  # its type; of several, the plainest
    entry: Rule
    offers: Callable[[Json, Desk], Iterable[Offer]]
    items: tuple[ItemKind, ...]
    label: str = ""  # the field that tells two entries apart, if there may be two
    echo: Callable[[Json], Json] = dict
    # Raises ApiError if what the entry names is not there: a container, a store, a server.
    check: Callable[[Json, State], None] = lambda entry, state: None
    # What is to be done before the model is asked, each time, for all entries of this type.
    due: Callable[[Desk], Iterable[Outcome]] = lambda desk: ()


# By the type that an entry names (a dated one is the same tool), and that of an item. Filled in
# `hosted/__init__.py`.
KINDS: dict[str, Tool] = {}
ITEM_KINDS: dict[str, ItemKind] = {}


def name_of(entry: Json) -> str:
    """What tells an entry from the others: a name that the client gave it, or else its type."""
    tool = KINDS[entry["type"]]
    return str(entry[tool.label]) if tool.label else tool.name


@cache
def seen(name: str) -> Json:
    """A tool as the model sees it (`data/tools.json`), named by its type."""
    shown: Json = json.loads(SEEN.read_text(encoding="utf-8"))[name]
    return {"type": name, "name": name, **shown}


def alone(
    name: str, run: Callable[[Call], Outcome], client: bool = False
) -> Callable[[Json, Desk], list[Offer]]:
    """What an entry offers that is one tool, always the same."""
    return lambda entry, desk: [Offer(seen(name), entry, run, client)]


def with_defaults(defaults: Json, *if_sent: str) -> Callable[[Json], Json]:
    """An echo: these fields, each as it is in force, and others only if they were sent."""

    def echo(entry: Json) -> Json:
        sent = {name: entry[name] for name in defaults if entry.get(name) is not None}
        more = {name: entry[name] for name in if_sent if name in entry}
        return {"type": entry["type"], **defaults, **sent, **more}

    return echo


def caller_id(item: Json) -> str | None:
    """The program that an item belongs to, by its call_id; None if the model itself called."""
    caller = item.get("caller")
    return caller.get("caller_id") if isinstance(caller, dict) else None


# --- A call that has an output of its own, matched by the call_id ---------------------------------


def call_item(call: Call, prefix: str, said: Json) -> Json:
    """The item of such a call. `prefix` is that of its id."""
    item = {"id": call.state.new_id(prefix), "status": "completed", **said}
    item["call_id"] = call.state.new_id("call")
    return item


def as_call(name: str, call_id: str | None, arguments: str) -> list[Json]:
    """A call as the model reads it. `arguments` are JSON."""
    called = {"call_id": call_id, "name": name, "arguments": arguments}
    return [{"type": "function_call", **called}]


def as_output(call_id: str | None, output: Any) -> list[Json]:
    return [{"type": "function_call_output", "call_id": call_id, "output": output}]


def reads_call(name: str, said: Callable[[Json], Json]) -> Reader:
    """Of such an item the model reads a call of `name`; `said` finds the arguments in it."""
    return lambda item, state: as_call(name, item["call_id"], written(said(item)))


def reads_output(told: Callable[[Json], Any]) -> Reader:
    return lambda item, state: as_output(item.get("call_id") or item["id"], told(item))


# --- A tool that the platform runs itself, in the middle of a turn (contract D) -------------------


@dataclass(slots=True)
class Ran:
    """What came of a call that the platform ran, which holds its own result."""

    item: Json  # the fields of the output item, beside its id, type and status
    reads: Json  # what the model reads of it
    status: str = "completed"
    sources: dict[str, Json] = field(default_factory=dict)  # what may be cited → its annotation
    billed: Json = field(default_factory=dict)  # to be added to the reply's `tool_usage`


def hosted_tool(
    name: str,
    *,
    prefix: str,
    entry: Rule,
    run: Callable[[Call], Ran],
    stages: tuple[Stage, ...],
    begun: Json | None = None,
    fleeting: tuple[str, ...] = (),
    unread: tuple[str, ...] = (),
    **more: Any,
) -> Tool:
    """The model calls it like a function; the client sees one item, finished, and runs nothing.

    prefix    of the id of its item, whose type is NAME_call
    stages    how a stream tells of the item; so `begun` and `fleeting` (`ItemKind`)
    unread    fields of the item that no model reads as text
    more      `echo` and `check`, as `Tool` has them
    """
    item_type = f"{name}_call"

    def act(call: Call) -> Outcome:
        ran = run(call)
        made = {"id": call.state.new_id(prefix), "type": item_type, "status": ran.status} | ran.item
        reading = Reading(written(call.arguments), written(ran.reads), ran.sources)
        call.desk.readings[made["id"]] = reading
        return Outcome([made], as_read(made, reading), sources=ran.sources, billed=ran.billed)

    def as_read(made: Json, reading: Reading) -> list[Json]:
        made_id = made.get("id")
        return as_call(name, made_id, reading.arguments) + as_output(made_id, reading.text)

    def read(made: Json, state: State) -> list[Json]:
        return as_read(made, state.readings.get(made.get("id") or "") or shown(made))

    def shown(made: Json) -> Reading:
        """What can be read of an item that this platform did not make, or did not store."""
        passed_over = ("id", "type", "status", *unread)
        told = {k: v for k, v in made.items() if k not in passed_over and v is not None}
        said = {k: told.pop(k) for k in seen(name)["parameters"]["properties"] if k in told}
        return Reading(written(said), written(told))

    kind = ItemKind(item_type, stages, begun or {}, fleeting, read)
    return Tool(name, entry, alone(name, act), (kind,), **more)
