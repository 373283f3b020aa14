"""The steps of a turn: who said or did what, to whom. A rule by the item's name, not a class each.

Who: you, your code, the model or an agent by its name, a hosted tool, an MCP server, a program.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..platform.errors import Json
from .turns import AGENT, Turn, plain_text

YOU, CODE, MODEL, PROGRAM = "you", "your code", "model", "program"
_RESULTS = ("output", "outputs", "result", "results", "tools", "error")
_FRAME = (
    *("type", "id", "call_id", "name", "status", "server_label", "namespace", "caller", AGENT),
    *("approval_request_id", "container_id", "execution", "environment", "fingerprint"),
)


@dataclass(slots=True)
class Step:
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
    if kind == "message":
        role, text = item.get("role"), plain_text(item.get("content"))
        if role == "assistant":
            yield Step(model, YOU, kind, text)
        else:
            yield Step(YOU, model, kind if role == "user" else f"{role} message", text)
    elif kind == "reasoning":
        yield Step(model, model, kind, plain_text(item.get("summary")) or "(not shown)")
    elif kind == "handoff":
        yield Step(item["from"], item["to"], kind, f"to {item['to']}")
    elif kind == "mcp_approval_request":
        yield Step(model, YOU, "asks approval", call)
    elif kind == "mcp_approval_response":
        what = "approves" if item.get("approve") else "denies"
        yield Step(YOU, model, what, plain_text(item.get("reason")))
    elif kind.endswith("_output"):
        name = called.get(str(item.get("call_id")))
        yield Step(runner, caller, "result", f"{name} → {result}" if name else result)
    elif kind.endswith("_call") or kind == PROGRAM:
        yield Step(caller, runner, "call", call)
        if result:
            yield Step(runner, caller, "result", result)
    elif item.get("server_label"):
        yield Step(runner, model, kind.removeprefix("mcp_").replace("_", " "), result)
    else:  # a kind of tomorrow
        yield Step(model, model, kind.replace("_", " "), call or result)


def _given(item: Json) -> str:
    """What a call was given: the one field of its own that is filled, or all of them."""
    own = {name: v for name, v in item.items() if v and name not in (*_FRAME, *_RESULTS)}
    return plain_text(next(iter(own.values())) if len(own) == 1 else own)
