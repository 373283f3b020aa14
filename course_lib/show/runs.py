"""Whatever a learner holds of a run, as turns, and each turn as steps: who did what, to whom.

Every view of a run draws from these. Who: you, your code, the model or an agent by its name, a
hosted tool, an MCP server, a program.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, NamedTuple

from pydantic_core import to_jsonable_python

from ..home import CourseError
from ..live import recent_platforms
from ..platform.app import Exchange, Platform
from ..platform.context import as_items, conversation_id, history
from ..platform.errors import Json
from ..platform.tokens import content_text

AGENT = "_agent"  # put on an item of an agent's run: the agent's name
YOU, CODE, MODEL, PROGRAM = "you", "your code", "model", "program"
_RESULTS = ("output", "outputs", "result", "results", "tools", "error")
_FRAME = (
    *("type", "id", "call_id", "name", "status", "server_label", "namespace", "caller", AGENT),
    *("approval_request_id", "container_id", "execution", "environment", "fingerprint"),
)


@dataclass(slots=True)
class Turn:
    """One request: what was new in it, and what came back. Items are JSON, as on the wire."""

    sent: list[Json] = field(default_factory=list)
    came: list[Json] = field(default_factory=list)
    usage: Json = field(default_factory=dict)  # empty where nothing tells
    before: int = 0  # input tokens that the turn before in this conversation had sent too
    number: int = 0  # from 1; 0 for what no model has answered yet
    ending: tuple[str, str] = ("", "")  # what came in place of an answer, and the words for it
    context: list[Json] | None = None  # all that the model read; None where nothing tells

    def tokens(self, kind: str) -> int:
        return int(self.usage.get(kind) or 0)


def read_run(run: Iterable[Any]) -> list[Turn]:
    """The turns of responses, kept items or an agent's run, in order.

    Raises CourseError for what is none of them, and for a run with nothing in it.
    """
    turns: list[Turn] = []
    answered = 0
    came_in: dict[str, Turn] = {}  # the turn that an output item came in, by the item's key
    for turn in _turns(run):
        last = turns[-1] if turns else None  # it follows this one, unless its context says other
        if turn.context is not None:
            last, turn.sent = None, turn.context
            for place, item in enumerate(turn.context, start=1):
                if _key(item) in came_in:  # the history goes on to the model's last word
                    last, turn.sent = came_in[_key(item)], turn.context[place:]
        if last:
            turn.before = min(last.tokens("input_tokens"), turn.tokens("input_tokens"))
        if turn.came or turn.usage:
            answered += 1
            turn.number = answered
        came_in |= {_key(item): turn for item in turn.came}
        turns.append(turn)
    if not turns:
        raise CourseError("There is nothing in this run yet: send a request first.")
    return turns


def _key(item: Json) -> str:
    """What tells an item when it is sent again: its call_id, its id, of a message the words."""
    if item.get("role"):
        return f"{item['role']} {plain_text(item.get('content'))}"
    return f"{item.get('type')} {item.get('call_id') or item.get('id')}"


def _turns(run: Iterable[Any]) -> Iterator[Turn]:
    """Single items make a turn, which ends where the model has spoken and another speaks again."""
    turn = Turn()
    for part in _parts(run):
        models = isinstance(part, dict) and _is_models(part)
        if turn.came and not models:
            yield turn
            turn = Turn()
        if isinstance(part, Turn):
            part.sent = turn.sent + part.sent
            yield part
            turn = Turn()
        else:
            (turn.came if models else turn.sent).append(part)
    if turn.sent or turn.came:
        yield turn


def _is_models(item: Json) -> bool:
    """Whether an item comes from the model or its vendor, not from you or your code."""
    kind = str(item.get("type") or "message")
    if kind == "message":
        return item.get("role") == "assistant"
    if kind.endswith("_output"):
        return kind == "program_output" or not item.get("call_id")
    return kind not in ("mcp_approval_response", "handoff")


def _parts(run: Iterable[Any]) -> Iterator[Json | Turn]:
    for part in run:
        match part:
            case str():
                yield {"role": "user", "content": part}
            case {"object": "response", "output": list()}:
                yield _of_response(part)
            case {"type": str()} | {"role": str()}:
                yield part
            case list() | tuple():
                yield from _parts(part)
            case _ if hasattr(part, "new_items"):
                yield from _of_agents(part)
            case _ if isinstance(getattr(part, "output", None), list) and hasattr(part, "usage"):
                yield _of_response(as_json(part))
            case _ if hasattr(part, "type") and hasattr(part, "to_dict"):
                yield as_json(part)
            case _:
                lacks = " without output" if hasattr(part, "output") else ""
                raise CourseError(
                    "This takes responses, the items you kept or the result of an agent's run, "
                    f"not a {type(part).__name__}{lacks}."
                )


def _of_response(response: Json) -> Turn:
    turn = Turn([], response["output"], response.get("usage") or {})
    if response.get("status", "completed") != "completed":
        why = response.get("error") or response.get("incomplete_details") or {}
        turn.ending = (response["status"], why.get("message") or why.get("reason") or "")
    if found := exchange_of(response):
        body, state = found[0].body, found[1].state
        if held := state.conversations.get(conversation_id(body) or ""):
            first = turn.came[0]["id"] if turn.came else None  # what follows was said later
            turn.context = list(takewhile(lambda item: item.get("id") != first, held.items))
        else:
            earlier = history(body.get("previous_response_id"), state)
            turn.context = [*earlier, *as_items(body["input"])]
    return turn


def exchange_of(response: Json) -> tuple[Exchange, Platform] | None:
    """The exchange that made a response, and its platform; None when it came from elsewhere."""
    wanted = _fingerprint(response)
    for platform in recent_platforms:
        for exchange in reversed(platform.exchanges):
            reply = exchange.reply
            if reply.get("object") == "response" and _fingerprint(reply) == wanted:
                return exchange, platform
    return None


def _fingerprint(reply: Json) -> list[Any]:
    """What tells one response from another of the same id on another client's platform."""
    tools = [(tool.get("name"), tool.get("description")) for tool in reply.get("tools") or ()]
    items = [
        (item.get("id"), item.get("arguments"), content_text(item.get("content")))
        for item in reply["output"]
    ]
    return [reply.get("id"), reply.get("usage"), tools, items]


def _of_agents(result: Any) -> list[Turn]:
    """An agent's run: the turns of its items, each with the usage of the response it came in."""

    def name(agent: Any) -> str:
        return str(getattr(agent, "name", "agent"))  # a result may have let go of its agents

    items = as_items(result.input) if isinstance(result.input, str) else as_json(result.input)
    for item in result.new_items:
        raw = {**as_json(item.raw_item), AGENT: name(item.agent)}
        if item.type == "handoff_output_item":
            raw = {"from": name(item.source_agent), "to": name(item.target_agent)}
            raw["type"] = "handoff"
        elif item.type == "tool_approval_item":
            raw["type"] = "mcp_approval_request"
        items.append(raw)
    turns = list(_turns(items))
    for turn, response in zip(turns, result.raw_responses, strict=False):
        turn.usage = as_json(response.usage)
    return turns


def as_json(value: Any) -> Any:
    """SDK objects as the JSON they stand for."""
    return to_jsonable_python(value, by_alias=True, exclude_none=True, serialize_unknown=True)


class Step(NamedTuple):
    """One line of a trace, one arrow of a diagram. `text` is whole; the views cut it."""

    who: str
    to: str
    what: str
    text: str


def steps(turn: Turn, called: dict[str, str]) -> Iterator[Step]:
    """The steps of a turn in order. `called` learns the name of each call, by call_id."""
    named = (item for item in turn.came + turn.sent if item.get("call_id") and item.get("name"))
    called |= {str(item["call_id"]): str(item["name"]) for item in named}
    model = next((item[AGENT] for item in turn.came if AGENT in item), MODEL)
    # The vendor ran what came back with its result, and what your code could not answer.
    inside = {item.get("call_id") for item in turn.came if _kind(item).endswith("_output")}
    for item in turn.sent + turn.came:
        is_vendors = _kind(item).startswith(PROGRAM) or not item.get("call_id")
        hosted = is_vendors or (item in turn.came and item["call_id"] in inside)
        yield from _steps(item, model, _hosted(item) if hosted else CODE, called)
    if turn.ending[0]:
        yield Step(model, CODE, *turn.ending)


def _kind(item: Json) -> str:
    return str(item.get("type") or "message")


def _hosted(item: Json) -> str:
    """Who runs what the vendor runs for the model."""
    if item.get("server_label"):
        return f"MCP {item['server_label']}"
    kind = _kind(item).removesuffix("_output").removesuffix("_call")
    return PROGRAM if kind == PROGRAM else f"hosted {kind.replace('_', ' ')}"


def _steps(item: Json, model: str, runner: str, called: dict[str, str]) -> Iterator[Step]:
    """`runner` is who runs the call, or ran it, if the item is one."""
    kind = _kind(item)
    nested = isinstance(item.get("caller"), dict) and item["caller"].get("type") == PROGRAM
    caller = PROGRAM if nested else model
    result = " ".join(plain_text(item[name]) for name in _RESULTS if item.get(name))
    call = f"{item.get('name') or ''} {_given(item)}".strip()
    match kind:
        case "message" if item.get("role") == "assistant":
            yield Step(model, YOU, kind, plain_text(item.get("content")))
        case "message":
            what = kind if item.get("role") == "user" else f"{item.get('role')} message"
            yield Step(YOU, model, what, plain_text(item.get("content")))
        case "reasoning":
            yield Step(model, model, kind, plain_text(item.get("summary")) or "(not shown)")
        case "handoff":
            yield Step(item["from"], item["to"], kind, f"to {item['to']}")
        case "mcp_approval_request":
            yield Step(model, YOU, "asks approval", call)
        case "mcp_approval_response":
            what = "approves" if item.get("approve") else "denies"
            yield Step(YOU, model, what, plain_text(item.get("reason")))
        case _ if kind.endswith("_output"):
            name = called.get(str(item.get("call_id")))
            yield Step(runner, caller, "result", f"{name} → {result}" if name else result)
        case _ if kind.endswith("_call") or kind == PROGRAM:
            yield Step(caller, runner, "call", call)
            if result:
                yield Step(runner, caller, "result", result)
        case _ if item.get("server_label"):
            yield Step(runner, model, kind.removeprefix("mcp_").replace("_", " "), result)
        case _:  # a kind of tomorrow
            yield Step(model, model, kind.replace("_", " "), call or result)


def _given(item: Json) -> str:
    """What a call was given: the one field of its own that is filled, or all of them."""
    own = {name: v for name, v in item.items() if v and name not in (*_FRAME, *_RESULTS)}
    return plain_text(next(iter(own.values())) if len(own) == 1 else own)


def plain_text(value: Any) -> str:
    """A text; the words or names of the parts, tools or results in a list; else JSON."""
    match value:
        case str():
            return value
        case list():
            return ", ".join(map(plain_text, value))
        case {"text": str(words)} | {"refusal": str(words)}:
            return words
        case {"name": str(words)} | {"filename": str(words)}:
            return words
    return json.dumps(value, ensure_ascii=False, default=str) if value else ""
