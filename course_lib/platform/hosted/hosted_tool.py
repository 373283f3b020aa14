"""A tool that the platform runs itself, in the middle of a turn (contract D).

The model sees a function like any other and calls it by name. The client sees one item of the
tool's own type, finished before the reply arrives, and has nothing to run.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import Json
from ..http import written
from ..rules import Rule
from ..state import Reading, State
from .tool import Call, ItemKind, Offer, Outcome, Stage, Tool, nothing

if TYPE_CHECKING:
    from .desk import Desk


@dataclass(slots=True)
class Ran:
    """What came of a call."""

    item: Json  # the fields of the output item, beside its id, type and status
    reads: Json  # what the model reads of it
    status: str = "completed"
    sources: dict[str, Json] = field(default_factory=dict)  # what may be cited → its annotation
    billed: Json = field(default_factory=dict)  # to be added to the reply's `tool_usage`


def hosted_tool(
    *,
    name: str,
    item: str,  # the type of its output item
    prefix: str,  # of that item's id
    about: str,
    parameters: Json,
    entry: Rule,
    run: Callable[[Call], Ran],
    stages: tuple[Stage, ...],
    echo: Callable[[Json], Json] = dict,
    check: Callable[[Json, State], None] = nothing,
    begun: Json | None = None,
    fleeting: tuple[str, ...] = (),
    unread: tuple[str, ...] = (),  # fields of the item that no model reads as text
) -> Tool:
    """`about` and `parameters` are for the model, `entry` rules what the client declares."""
    declared = {"type": name, "name": name, "description": about, "parameters": parameters}

    def offers(sent: Json, desk: "Desk") -> Iterator[Offer]:
        yield Offer(declared, sent, act)

    def act(call: Call) -> Outcome:
        ran = run(call)
        made = {"id": call.state.new_id(prefix), "type": item, "status": ran.status} | ran.item
        reading = Reading(written(call.arguments), written(ran.reads), ran.sources)
        call.desk.readings[made["id"]] = reading
        return Outcome([made], as_call(name, made, reading), sources=ran.sources, billed=ran.billed)

    def read(made: Json, state: State) -> list[Json]:
        return as_call(name, made, state.readings.get(made.get("id") or "") or shown(made))

    def shown(made: Json) -> Reading:
        """What can be read of an item that this platform did not make, or did not store."""
        passed_over = ("id", "type", "status", *unread)
        told = {k: v for k, v in made.items() if k not in passed_over and v is not None}
        named = parameters["properties"]
        return Reading(
            written({k: v for k, v in told.items() if k in named}),
            written({k: v for k, v in told.items() if k not in named}),
        )

    return Tool(
        name=name,
        entry=entry,
        offers=offers,
        items=(ItemKind(item, stages, begun or {}, fleeting, read),),
        echo=echo,
        check=check,
    )


def as_call(name: str, item: Json, reading: Reading) -> list[Json]:
    """An item as the model reads it: a call, and its result."""
    call = {"call_id": item.get("id"), "name": name, "arguments": reading.arguments}
    output = {"call_id": item.get("id"), "output": reading.text}
    return [{"type": "function_call"} | call, {"type": "function_call_output"} | output]


def call_and_output(
    name: str,
    said: Callable[[Json], Json],
    told: Callable[[Json], str],
    call: Json | None = None,
    output: Json | None = None,
    types: tuple[str, str] | None = None,
) -> tuple[ItemKind, ItemKind]:
    """The items of a call and of its output, for a tool that has both.

    said, told     what the model reads of each: a function's arguments, and its output
    call, output   how a stream tells of each, as `ItemKind` has it
    types          of the items, where they are not NAME_call and NAME_call_output
    """
    call_type, output_type = types or (f"{name}_call", f"{name}_call_output")

    def read_call(item: Json, state: State) -> list[Json]:
        read = {"type": "function_call", "call_id": item["call_id"], "name": name}
        return [read | {"arguments": written(said(item))}]

    def read_output(item: Json, state: State) -> list[Json]:
        read = {"type": "function_call_output", "call_id": item.get("call_id") or item["id"]}
        return [read | {"output": told(item)}]

    return (
        ItemKind(call_type, read=read_call, **(call or {})),
        ItemKind(output_type, read=read_output, **(output or {})),
    )
