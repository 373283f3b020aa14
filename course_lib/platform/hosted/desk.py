"""The tools of one turn: what they offer the model, what became of its calls, what it reads."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ..errors import Json, refusal
from ..state import Reading, State
from .function import as_loaded, deferred, offer_own
from .tool import ITEM_KINDS, KINDS, Call, Offer, Outcome, caller_id, name_of

MOST_RUNS = 24  # in one turn, so that a model that never answers comes to an end
BRINGS_TOOLS = ("additional_tools", "tool_search_output")  # types of items


@dataclass(slots=True)
class Desk:
    """Turns the model's calls into items. `read` is what the model is to read next."""

    declared: list[Json]  # the entries of `tools`, as the reply echoes them
    sent: list[Json]  # the entries that this request brought, as they came, secrets and all
    include: list[str]  # what the request wants to see more of
    items: list[Json]  # the context and the output so far, as the API shows them
    state: State
    left: int = MOST_RUNS  # calls that the platform may still run
    loaded: list[Json] = field(default_factory=list)  # entries that a search or an item brought
    tool_usage: Json = field(default_factory=dict)
    offers: dict[str, Offer] = field(default_factory=dict)  # by the name the model calls
    read: list[Json] = field(default_factory=list)
    sources: dict[str, Json] = field(default_factory=dict)
    readings: dict[str, Reading] = field(default_factory=dict)

    @property
    def entries(self) -> list[Json]:
        """All entries; what was loaded comes last."""
        return [*self.declared, *self.loaded]

    def due(self) -> Iterator[Outcome]:
        """What tools do before the model is asked: list a server's tools, go on with a program."""
        kinds = {entry["type"] for entry in self.entries}
        for name, tool in KINDS.items():
            for outcome in tool.due(self) if name in kinds else ():
                self._note(outcome)
                yield outcome

    def lay_out(self) -> list[Json]:
        """What the model may call now, as it sees it; what was loaded comes last."""
        self.offers = {}
        for entry in self.entries:
            for offer in KINDS[entry["type"]].offers(entry, self):
                if self.left <= 0 and not offer.client:
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
        return self.offers.get(name) or offer_own({"type": "function", "name": name})

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


def _add(total: Json, more: Json) -> None:
    """Add counters, however deep they lie."""
    for name, value in more.items():
        if isinstance(value, dict):
            _add(total[name], value)
        else:
            total[name] += value


def as_read(items: list[Json], state: State) -> list[Json]:
    """A context as the model reads it: what a tool made is a call and its result.

    What a stored call returned is known by its id. Of one that this platform did not make, or was
    told not to store, the model reads what the item shows. Of what a program called it reads
    nothing.
    """
    read: list[Json] = []
    called = {item.get("id") for item in items if caller_id(item)} - {None}
    for item in items:
        if caller_id(item) or item.get("approval_request_id") in called:
            continue
        kind = ITEM_KINDS.get(item.get("type", ""))
        read += kind.read(item, state) if kind else [item]
    return read


# --- Tools that items of the context bring in (contract A3, D) ------------------------------------


def bringing(items: list[Json]) -> list[Json]:
    return [item for item in items if item.get("type") in BRINGS_TOOLS]


def loaded_tools(items: list[Json], declared: list[Json]) -> list[Json]:
    """What a search or an `additional_tools` item brought in, as entries, oldest first.

    A function alone stands in a namespace of its own name, as recorded; but what a client's own
    search brings stands beside the declared ones, until it is called by its namespace.
    """
    if not (brought := bringing(items)):
        return []
    declared_names = {name_of(tool) for tool in declared}
    called_inside = {item.get("name") for item in items if item.get("namespace")}
    found: list[Json] = []
    for item in brought:
        by = item.get("execution")
        for tool in item["tools"]:
            name = name_of(tool)
            beside = by == "client" or (by != "server" and name in declared_names)
            alone = name in called_inside or not beside
            found.append(as_loaded(KINDS[tool["type"]].echo(tool), alone=alone))
    return found


def echoed(declared: list[Json], loaded: list[Json]) -> list[Json]:
    """The `tools` of a reply: what was deferred and has been loaded shows how it may be called."""
    if not any(tool["type"] == "tool_search" for tool in declared):
        return declared
    brought = {name_of(tool): tool for tool in loaded}
    shown = [
        brought.get(name_of(tool), tool) if tool["type"] != "namespace" and deferred(tool) else tool
        for tool in declared
    ]
    made = [tool for tool in shown if tool["type"] == "namespace" and tool not in declared]
    search = [tool for tool in shown if tool["type"] == "tool_search"]
    return [*(tool for tool in shown if tool not in search and tool not in made), *search, *made]


def check_namespaces(new: list[Json], declared: list[Json], loaded: list[Json]) -> None:
    """A call of a loaded tool names its namespace: the default one does not know it."""
    flat = (tool for tool in [*declared, *loaded] if tool["type"] in ("function", "custom"))
    default = {tool["name"] for tool in flat if not deferred(tool)}
    inside = {inner["name"] for tool in loaded for inner in tool.get("tools", [])} - default
    for item in new if inside else ():
        plain_call = item.get("type") == "function_call" and not item.get("namespace")
        if plain_call and item["name"] in inside:
            raise refusal("missing_namespace", name=item["name"])
