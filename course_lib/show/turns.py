"""`read_run`: whatever a learner holds of a run, as turns. Every view of a run draws from these."""

import contextlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from pydantic_core import to_jsonable_python

from ..home import CourseError
from ..platform.app import Exchange, Platform
from ..platform.context import as_items, history
from ..platform.contract import conversation_id
from ..platform.errors import ApiError, Json
from .wire import exchange_of, platform_of

AGENT = "_agent"  # put on an item of an agent's run: the agent's name


@dataclass(slots=True)
class Turn:
    """One request: what was new in it, and what came back. Items are JSON, as on the wire."""

    sent: list[Json] = field(default_factory=list)
    came: list[Json] = field(default_factory=list)
    usage: Json = field(default_factory=dict)  # empty where nothing tells
    before: int = 0  # input tokens that the turn before in this conversation had sent too
    number: int = 0  # from 1; 0 for a request that no model answered
    ending: tuple[str, str] = ("", "")  # what came in place of an answer, and the words for it
    context: list[Json] | None = None  # all that the model read; None where nothing tells

    def tokens(self, kind: str) -> int:
        return int(self.usage.get(kind) or 0)


def read_run(run: Iterable[Any]) -> list[Turn]:
    """The turns of responses, kept items, a client's log or an agent's run, in order.

    Raises CourseError for what is none of them, and for a run with nothing in it.
    """
    turns: list[Turn] = []
    answered = 0
    came_in: dict[str, int] = {}  # the turn that an output item came in, by the item's key
    for turn in _turns(run):
        base = len(turns) - 1  # it follows the turn before, unless its context says otherwise
        if turn.context is not None:
            base, new = -1, 0
            for place, item in enumerate(turn.context, start=1):
                if _key(item) in came_in:  # the history goes on to the model's last word
                    base, new = came_in[_key(item)], place
            turn.sent = turn.context[new:]
        if base >= 0:
            turn.before = min(turns[base].tokens("input_tokens"), turn.tokens("input_tokens"))
        if turn.came or turn.usage:
            answered += 1
            turn.number = answered
        came_in |= {_key(item): len(turns) for item in turn.came}
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
        if isinstance(part, str):
            yield {"role": "user", "content": part}
        elif isinstance(part, dict) and part.get("object") == "response":
            yield Turn([], part["output"], part.get("usage") or {})
        elif isinstance(part, dict) and (part.get("type") or part.get("role")):
            yield part
        elif isinstance(part, list | tuple):
            yield from _parts(part)
        elif platform := platform_of(part):
            yield from (_of_exchange(exchange, platform) for exchange in list(platform.exchanges))
        elif hasattr(part, "new_items"):
            yield from _of_agents(part)
        elif hasattr(part, "output") and hasattr(part, "usage"):
            found = exchange_of(part)
            usage = _json(part.usage) or {}
            yield _of_exchange(*found) if found else Turn([], _json(part.output), usage)
        elif hasattr(part, "type") and hasattr(part, "to_dict"):
            yield _json(part)
        else:
            raise CourseError(
                "This takes responses, the items you kept, an offline client of connect() or the "
                f"result of an agent's run, not a {type(part).__name__}."
            )


def _of_exchange(exchange: Exchange, platform: Platform) -> Turn:
    body, reply, status = exchange.body, exchange.reply, exchange.status
    if (exchange.method, exchange.path) != ("POST", "/v1/responses"):
        return Turn(ending=(f"answers {status}", f"{exchange.method} {exchange.path}"))
    context: list[Json] = []
    with contextlib.suppress(ApiError, TypeError):  # a refused request may name anything
        context += history(body.get("previous_response_id"), platform.state)
    if isinstance(body.get("input"), str | list):
        context += [item for item in as_items(body["input"]) if isinstance(item, dict)]
    if status != 200:
        words = (reply.get("error") or {}).get("message") or "no reply came through"
        return Turn(ending=(f"refuses {status}" if status else "fails", words), context=context)
    turn = Turn([], reply["output"], reply["usage"] or {}, context=context)
    if held := platform.state.conversations.get(conversation_id(body) or ""):
        first = next((item["id"] for item in turn.came), None)  # what follows was said later
        turn.context = list(takewhile(lambda item: item.get("id") != first, held.items))
    if reply["status"] != "completed":
        why = reply.get("error") or reply.get("incomplete_details") or {}
        turn.ending = (reply["status"], why.get("message") or why.get("reason") or "")
    return turn


def _of_agents(result: Any) -> list[Turn]:
    """An agent's run: the turns of its items, each with the usage of the response it came in."""
    items = as_items(result.input) if isinstance(result.input, str) else _json(result.input)
    for item in result.new_items:
        raw = {**_json(item.raw_item), AGENT: _name(item.agent)}
        if item.type == "handoff_output_item":
            ends = {"from": _name(item.source_agent), "to": _name(item.target_agent)}
            raw = {"type": "handoff", **ends}
        elif item.type == "tool_approval_item":
            raw["type"] = "mcp_approval_request"
        items.append(raw)
    turns = list(_turns(items))
    for turn, response in zip(turns, result.raw_responses, strict=False):
        turn.usage = _json(response.usage)
    return turns


def _name(agent: Any) -> str:
    return str(getattr(agent, "name", "agent"))  # a result may have let go of its agents


def _json(value: Any) -> Any:
    """SDK objects as the JSON they stand for."""
    return to_jsonable_python(value, by_alias=True, exclude_none=True, serialize_unknown=True)


def plain_text(value: Any) -> str:
    """A text; the words or names of the parts, tools or results in a list; else JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(map(plain_text, value))
    if isinstance(value, dict):
        for name in ("text", "refusal", "name", "filename"):
            if isinstance(value.get(name), str):
                return str(value[name])
    return json.dumps(value, ensure_ascii=False, default=str) if value else ""
