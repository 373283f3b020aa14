"""The hosted calls of one turn: which they are, what came of them, and what the model reads."""

import json
from dataclasses import dataclass, field

from ..errors import Json
from ..state import Reading, State
from . import BY_ITEM, HOSTED
from .tool import Call, HostedTool

MOST_RUNS = 24  # in one turn, so that a model that never answers comes to an end


@dataclass(slots=True)
class Desk:
    """Runs what the model calls. `read` is what the model has said and read since it was asked."""

    entries: dict[str, tuple[HostedTool, Json]]  # by the name the model calls
    include: list[str]
    items: list[Json]
    state: State
    left: int  # calls that may still be run
    tool_usage: Json
    read: list[Json] = field(default_factory=list)
    sources: dict[str, Json] = field(default_factory=dict)
    readings: dict[str, Reading] = field(default_factory=dict)

    @classmethod
    def of(
        cls, tools: list[Json], body: Json, response: Json, items: list[Json], state: State
    ) -> "Desk":
        """`tools` are those declared and those loaded, `items` the context as the API shows it."""
        hosted = [tool for tool in tools if tool["type"] in HOSTED]
        readings = [state.readings.get(item.get("id") or "") for item in items] if hosted else []
        return cls(
            entries={HOSTED[tool["type"]].name: (HOSTED[tool["type"]], tool) for tool in hosted},
            include=body.get("include") or [],
            items=list(items) if hosted else [],
            state=state,
            left=min(response["max_tool_calls"] or MOST_RUNS, MOST_RUNS),
            tool_usage=response["tool_usage"],
            sources={k: v for each in readings if each for k, v in each.sources.items()},
        )

    def runs(self, item: Json) -> bool:
        """Whether an item of the model's is a call that the platform runs."""
        return item["type"] == "function_call" and item["name"] in self.entries

    def run(self, call: Json) -> Json:
        """Run a call; returns the output item, complete but for what every item has alike."""
        hosted, entry = self.entries[call["name"]]
        called = Call(call["arguments"], entry, self.include, self.items, self.state)
        ran = hosted.run(called)
        item = {"id": self.state.new_id(hosted.prefix), "type": hosted.item, "status": ran.status}
        item |= ran.item
        self.left -= 1
        self.sources |= ran.sources
        _add(self.tool_usage, ran.billed)
        reading = Reading(_written(call["arguments"]), _written(ran.reads), ran.sources)
        self.readings[item["id"]] = reading
        self.items.append(item)
        self.read += _call_and_result(hosted, item, reading)
        return item


def as_read(items: list[Json], state: State) -> list[Json]:
    """A context as the model reads it: a hosted item is a call and its result.

    What a stored call returned is known by its id. Of one that this platform did not make, or was
    told not to store, the model reads what the item shows.
    """
    if not any(item.get("type") in BY_ITEM for item in items):
        return items
    read: list[Json] = []
    for item in items:
        hosted = BY_ITEM.get(item.get("type", ""))
        if hosted is None:
            read.append(item)
        else:
            reading = state.readings.get(item.get("id") or "") or _shown(hosted, item)
            read += _call_and_result(hosted, item, reading)
    return read


def _call_and_result(hosted: HostedTool, item: Json, reading: Reading) -> list[Json]:
    call_id = item.get("id")
    return [
        {
            "type": "function_call",
            "call_id": call_id,
            "name": hosted.name,
            "arguments": reading.arguments,
        },
        {"type": "function_call_output", "call_id": call_id, "output": reading.text},
    ]


def _shown(hosted: HostedTool, item: Json) -> Reading:
    passed_over = ("id", "type", "status", *hosted.unread)
    fields = {k: v for k, v in item.items() if k not in passed_over and v is not None}
    named = hosted.parameters["properties"]
    return Reading(
        _written({k: v for k, v in fields.items() if k in named}),
        _written({k: v for k, v in fields.items() if k not in named}),
    )


def _written(data: Json) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _add(total: Json, more: Json) -> None:
    """Add counters, however deep they lie."""
    for name, value in more.items():
        if isinstance(value, dict):
            _add(total[name], value)
        else:
            total[name] += value
