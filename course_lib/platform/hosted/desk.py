"""The tools of one turn: what they offer the model, what became of its calls, what it reads."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ..errors import Json
from ..state import Reading, State
from . import BY_ITEM, KINDS, TOOLS
from .function import offer_function
from .tool import Call, Offer, Outcome, caller_id
from .tool_search import BRINGS_TOOLS

MOST_RUNS = 24  # in one turn, so that a model that never answers comes to an end


@dataclass(slots=True)
class Desk:
    """Turns the model's calls into items. `read` is what the model is to read next."""

    declared: list[Json]  # the entries of `tools`, as the reply echoes them
    sent: list[Json]  # the entries that this request brought, as they came, secrets and all
    include: list[str]
    items: list[Json]  # the context and the output so far, as the API shows them
    state: State
    left: int  # calls that the platform may still run
    loaded: list[Json] = field(default_factory=list)  # entries that a search or an item brought
    tool_usage: Json = field(default_factory=dict)
    offers: dict[str, Offer] = field(default_factory=dict)  # by the name the model calls
    read: list[Json] = field(default_factory=list)
    sources: dict[str, Json] = field(default_factory=dict)
    readings: dict[str, Reading] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        declared: list[Json],
        new: list[Json],
        items: list[Json],
        body: Json,
        state: State,
    ) -> "Desk":
        bringing = [body, *(item for item in new if item.get("type") in BRINGS_TOOLS)]
        found = (state.readings.get(item.get("id") or "") for item in items)
        return cls(
            declared=declared,
            sent=[tool for each in bringing for tool in each.get("tools") or []],
            include=body.get("include") or [],
            items=list(items),
            state=state,
            left=min(body.get("max_tool_calls") or MOST_RUNS, MOST_RUNS),
            sources={k: v for each in found if each for k, v in each.sources.items()},
        )

    @property
    def entries(self) -> list[Json]:
        """All entries; what was loaded comes last."""
        return [*self.declared, *self.loaded]

    def due(self) -> Iterator[Outcome]:
        """What tools do before the model is asked: list a server's tools, go on with a program."""
        kinds = {KINDS[entry["type"]].name for entry in self.entries}
        for tool in TOOLS:
            for outcome in tool.due(self) if tool.name in kinds else ():
                self._note(outcome)
                yield outcome

    def lay_out(self) -> list[Json]:
        """What the model may call now, as it sees it; what was loaded comes last."""
        self.offers = {}
        for entry in self.entries:
            for offer in KINDS[entry["type"]].offers(entry, self):
                if self.left <= 0 and not offer.written:
                    continue
                if callers := offer.entry.get("allowed_callers"):
                    offer = replace(offer, tool=offer.tool | {"allowed_callers": callers})
                self._lay_out(offer)
        return [offer.tool for offer in self.offers.values()]

    def _lay_out(self, offer: Offer) -> None:
        """Two of one name are told apart by where they come from; a function keeps its own."""
        name, home = offer.tool["name"], _home(offer)
        there = self.offers.get(name)
        if there and home and home != _home(there):
            name = f"{home}.{name}"
            offer = replace(offer, tool=offer.tool | {"name": name})
        self.offers[name] = offer
        if there and not home and _home(there):
            self._lay_out(there)

    def offer(self, name: str) -> Offer:
        """What a model calls by this name. One that nobody declared is for the client to refuse."""
        return self.offers.get(name) or offer_function({"type": "function", "name": name})

    def run(self, call: Json, caller: Json | None = None) -> Outcome:
        """Run a call of the model, or of a program; ask `Outcome.waits` whether it is settled."""
        offer = self.offer(call["name"])
        outcome = offer.run(Call(call["arguments"], offer, self, caller))
        if not outcome.waits:
            self.left -= 1
        for item in outcome.items if caller else ():
            item["caller"] = caller
        self._note(outcome)
        return outcome

    def _note(self, outcome: Outcome) -> None:
        self.items += outcome.items
        if not (outcome.items and caller_id(outcome.items[-1])):  # that is read by a program
            self.read += outcome.reads
        self.sources |= outcome.sources
        _add(self.tool_usage, outcome.billed)


def _home(offer: Offer) -> str | None:
    return offer.tool.get("namespace") or offer.tool.get("server_label")


def as_read(items: list[Json], state: State) -> list[Json]:
    """A context as the model reads it: what a tool made is a call and its result.

    What a stored call returned is known by its id. Of one that this platform did not make, or was
    told not to store, the model reads what the item shows. Of what a program called it reads
    nothing.
    """
    if not any(item.get("type") in BY_ITEM for item in items):
        return items
    read: list[Json] = []
    called = {item.get("id") for item in items if caller_id(item)}
    for item in items:
        if caller_id(item) or item.get("approval_request_id") in called - {None}:
            continue
        kind = BY_ITEM.get(item.get("type", ""))
        read += kind.read(item, state) if kind else [item]
    return read


def _add(total: Json, more: Json) -> None:
    """Add counters, however deep they lie."""
    for name, value in more.items():
        if isinstance(value, dict):
            _add(total[name], value)
        else:
            total[name] += value
