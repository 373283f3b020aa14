"""`programmatic_tool_calling`: the model writes a program that calls tools (contract D).

A program may call the tools whose `allowed_callers` has "programmatic". What the platform runs is
run at once; for what the client runs the turn ends, with the program and the calls it waits for,
and goes on in the turn that brings their outputs. The model reads the program and what it emitted,
nothing of what happened in between.

A program that goes on is run again from the start, with what its calls returned, in the order of
the context. It sees a clock and a chance that are the same each time, so it makes the same calls,
takes the answers, and goes on to the next calls or to its end. Nothing of it is kept between two
requests: a client that sends every item back gets what a client of stored responses gets. So each
item of a program names it as its `caller`; on `mcp_call`, `mcp_approval_request` and
`code_interpreter_call` that field is ours. `fingerprint` seals the second at which the program
began, which is the time it sees.
"""

import hashlib
import json
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..child import Child
from ..encrypted import check_sealed, opened, seal
from ..errors import ApiError, Json, refusal
from ..rules import shape
from ..state import State
from ..tokens import sayable
from .tool import Call, ItemKind, Outcome, Tool, alone, caller_id, reads_call, reads_output

if TYPE_CHECKING:
    from .desk import Desk

NAME = "programmatic_tool_calling"
# Calls that hold their own result; any other has an item of its own for it.
_SETTLED = ("mcp_call", "code_interpreter_call")


@dataclass(slots=True)
class Progress:
    """How far a program came with the answers it was given."""

    calls: list[tuple[str, Any]]  # name and arguments, in the order they were made
    emitted: list[str]  # what it gave to text() and image()
    ended: bool  # its code has ended, and every call has its answer
    error: str | None = None  # what it threw, or why it was stopped


def _begin(call: Call) -> Outcome:
    state, code = call.state, sayable(str(call.arguments.get("code") or ""))
    program = {"id": state.new_id("cm"), "type": "program", "call_id": state.new_id("call")}
    program |= {"code": code, "fingerprint": seal(f"{state.now} {_digest(code)}")}
    return _go_on(program, call.desk, [program])


def _due(desk: "Desk") -> Iterator[Outcome]:
    for program in _pending(desk.items):
        desk.lay_out()
        yield _go_on(program, desk, [])


def _pending(items: list[Json]) -> list[Json]:
    ended = {item["call_id"] for item in items if item.get("type") == "program_output"}
    programs = (item for item in items if item.get("type") == "program")
    return [item for item in programs if item["call_id"] not in ended]


def _go_on(program: Json, desk: "Desk", begun: list[Json]) -> Outcome:
    """Run a program as far as it comes: to its end, or until only the client can answer.

    What it calls is run here, on a desk of its own; when the platform has answered one of these
    calls, the program is run once more, and comes further. `begun` is the program itself, if the
    model has just written it.
    """
    inner = replace(desk, items=[*desk.items, *begun], read=[])
    offers = {
        name: offer
        for name, offer in desk.offers.items()
        if "programmatic" in (offer.tool.get("allowed_callers") or ())
    }
    caller = {"type": "program", "caller_id": program["call_id"]}
    comes_further = True
    while comes_further:
        comes_further = False
        calls, answers = _so_far(program["call_id"], inner.items)
        progress = _replay(program, [*offers], calls, answers, desk.state)
        for name, arguments in progress.calls[len(calls) :]:
            if inner.left <= 0 and not offers[name].client:
                progress = replace(progress, ended=True, error=_NO_MORE)
                break
            # a custom tool may be given its text alone
            given = {"input": arguments} if isinstance(arguments, str) else arguments
            comes_further |= not inner.run({"name": name, "arguments": given}, caller).waits
    desk.left = inner.left
    made = inner.items[len(desk.items) :]
    if progress.ended:
        output = _output(program["call_id"], progress, desk.state)
        written = [read for item in begun for read in _PROGRAM.read(item, desk.state)]
        return Outcome([*made, output], written + _OUTPUT.read(output, desk.state))
    if not made:
        answered = {answer["index"] for answer in answers}
        waiting = next(call for place, call in enumerate(calls) if place not in answered)
        raise refusal("program_waits", waiting=_named(waiting))
    return Outcome(made, waits=True)


_NO_MORE = "Stopped: it calls more hosted tools than one response may."


def _replay(
    program: Json, names: list[str], calls: list[Json], answers: list[Json], state: State
) -> Progress:
    """Run it with these answers; it must make the calls that the context holds again."""
    began = opened(program["fingerprint"])
    now = int(began.split()[0]) if began else 0  # a program from elsewhere does not say when
    with state.set_aside():
        progress = play(program["code"], names, answers, now)
    for item, (name, arguments) in zip(calls, progress.calls, strict=False):
        if not name.endswith(str(item.get("name", ""))) or _differ(item, arguments):
            raise _broken(
                program["call_id"], f"it does not make the call '{_named(item)}' as it stands"
            )
    return progress


def _differ(item: Json, arguments: Any) -> bool:
    try:
        return "arguments" in item and bool(json.loads(item["arguments"]) != arguments)
    except (TypeError, ValueError, RecursionError):
        return True


def _so_far(call_id: str, items: list[Json]) -> tuple[list[Json], list[Json]]:
    """The calls that a program has made, and their answers, in the order of the context."""
    calls: dict[str, Json] = {}  # by what an answer names its call by
    answers: dict[str, Json] = {}  # by the same
    for item in items:
        kind, name = item.get("type", ""), item.get("approval_request_id")
        if caller_id(item) == call_id and kind.endswith("_output"):
            name = item.get("call_id")
        elif caller_id(item) == call_id and name not in calls:
            calls[_named(item)] = item
            name = _named(item) if kind in _SETTLED else None
        if name in calls and not item.get("approve"):
            answers.setdefault(name, _answer(item))
    places = {name: place for place, name in enumerate(calls)}
    return [*calls.values()], [{"index": places[name], **answers[name]} for name in answers]


def _answer(item: Json) -> Json:
    """What a call returns to its program. A text is read as JSON, if it is JSON."""
    value, error = item.get("output", item.get("outputs")), item.get("error")
    if item.get("approve") is False:
        value, error = "The user did not approve this call.", True
    if isinstance(error, dict):
        value = error.get("message") or error.get("content")
    if isinstance(value, list):
        texts = [part.get("text") if isinstance(part, dict) else None for part in value]
        value = "\n".join(map(str, texts)) if all(isinstance(x, str) for x in texts) else value
    if error or item.get("status") == "failed":
        return {"value": value if isinstance(value, str) else "The call failed.", "failed": True}
    return {"value": value}


def _named(call: Json) -> str:
    """What an answer names a call by."""
    return str(call.get("call_id") or call.get("id"))


def _output(call_id: str, progress: Progress, state: State) -> Json:
    said = [*progress.emitted, *([progress.error] if progress.error else [])]
    return {
        "id": state.new_id("cmo"),
        "type": "program_output",
        "status": "incomplete" if progress.error else "completed",
        "call_id": call_id,
        "result": sayable("\n".join(said)),
    }


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()[:16]


# --- On V8 ----------------------------------------------------------------------------------------

# V8's own limits miss much (typed arrays, a `Map` that grows), and some ways to run out of memory
# end the process. So it is a child that is watched, by time and by the memory it really takes. One
# that was well behaved waits for the next program, until it reads that nobody is left to write.
AROUND = Path(__file__).with_name("program.js")
SECONDS = 5  # for one run of a program
START_SECONDS = 60  # for a new process, until it is ready
HEAP = 128 * 1024**2  # bytes, as V8 counts them
MOST_MEMORY = 400 * 1024**2  # bytes that the process may take, of which it starts with about 70 MB
MOST_CALLS = 128  # by one program
MOST_TEXT = 1024**2  # characters that a program emits, or hands to tools
AT_ONCE = max(2, os.cpu_count() or 2)  # processes
_idle: list[Child] = []
_places = threading.BoundedSemaphore(AT_ONCE)


def play(code: str, names: list[str], answers: list[Json], now: int) -> Progress:
    """Run a program that may call the tools `names`, at the second `now`.

    `answers` are `{"index", "value"}` of a call, in the order they came; `"failed": true` makes
    the call throw, with the value as its message.
    """
    start = {"code": code, "names": names, "now": now}
    start |= {"most_calls": MOST_CALLS, "most_text": MOST_TEXT}
    lines = [AROUND.read_text(encoding="utf-8"), *map(json.dumps, [start, *answers])]
    reply, stopped = _reply(json.dumps(lines).encode() + b"\n")
    try:
        told: Any = json.loads(reply)
        calls = [(str(name), _read(arguments)) for name, arguments in told["calls"]]
        emitted = [str(each) for each in told["emitted"]]
        error = None if told["error"] is None else str(told["error"])
        waits = len(calls) > len(answers)
    except (ValueError, LookupError, TypeError, RecursionError):
        return Progress([], [], True, stopped or "The program broke what it runs on.")
    if not told["ended"] and not waits:
        error = "The program waits for something that never comes."
    return Progress(calls, emitted, not waits, error)


def _read(arguments: str) -> Any:
    """JSON that a program wrote. JavaScript's strings may hold half a surrogate pair."""
    return json.loads(sayable(json.dumps(json.loads(arguments), ensure_ascii=False)))


def _reply(line: bytes) -> tuple[bytes, str]:
    """What a process answers to a line, and why it was stopped before it answered."""
    with _places:
        child = None
        with suppress(IndexError):
            child = _idle.pop()
        if child is None or child.process.poll() is not None:
            child = Child("programs", SECONDS + 1, HEAP)
            if not _asked(child, b"", START_SECONDS)[0]:
                return b"", "Programs cannot run here: V8 (the package mini-racer) does not start."
        reply, why = _asked(child, line, SECONDS)
        if reply:
            _idle.append(child)
            return reply, ""
        return b"", f"Stopped: {why or f'it takes more than {HEAP >> 20} MB'}."  # V8's usual end


def _asked(child: Child, line: bytes, seconds: float) -> tuple[bytes, str]:
    """The whole line that a process answers, or why there is none; then it has ended."""
    pipes = child.process
    assert pipes.stdin and pipes.stdout
    said, heard = pipes.stdin, pipes.stdout
    reply = b""

    def ask() -> None:
        nonlocal reply
        with suppress(OSError):  # it ended while it was written to
            said.write(line)
            said.flush()
            reply = heard.readline()

    why = "it was interrupted"
    try:
        why = child.watch(ask, seconds, MOST_MEMORY)
    finally:
        if why or not reply.endswith(b"\n"):
            reply = b""
            child.end()
            pipes.communicate()  # closes them
    return reply, why


# --- The context ----------------------------------------------------------------------------------


def check_programs(items: list[Json], entries: list[Json]) -> None:
    """Refuse a program that was altered or cannot go on, and what belongs to no program."""
    programs = {item["call_id"]: item for item in items if item.get("type") == "program"}
    made = (item for item in items if item.get("type", "").endswith("_call"))
    callers = {item.get("call_id"): caller_id(item) for item in made}
    for item in items:
        kind, call_id, caller = item.get("type", ""), item.get("call_id"), caller_id(item)
        if kind == "program":
            check_sealed(item["fingerprint"])
            began = opened(item["fingerprint"])
            if began and began.split()[-1] != _digest(item["code"]):
                raise _broken(call_id, "its fingerprint is not that of its code")
        elif caller not in (None, *programs):
            raise _broken(caller, f"it is the caller of '{call_id}', and it is not in the input")
        elif kind == "program_output" and call_id not in programs:
            raise _broken(call_id, "its output is in the input, and it is not")
        elif kind.endswith("_output") and call_id and caller != callers.get(call_id, caller):
            owner = caller or callers[call_id]
            raise _broken(owner, f"the output of '{call_id}' does not have the caller of that call")
    if (pending := _pending(items)) and not any(entry["type"] == NAME for entry in entries):
        raise _broken(pending[0]["call_id"], f"it goes on only with '{NAME}' in 'tools'")


def _broken(call_id: str | None, why: str) -> ApiError:
    return refusal("program_unreadable", call_id=call_id, why=why)


_PROGRAM = ItemKind(
    "program",
    begun={"code": ""},
    fleeting=("status",),
    read=reads_call(NAME, lambda item: {"code": item["code"]}),
)
_OUTPUT = ItemKind(
    "program_output",
    begun={"result": "", "status": "completed"},
    read=reads_output(lambda item: str(item["result"])),
)
PROGRAMS = Tool(
    name=NAME,
    entry=shape("TypeAlone"),
    offers=alone(NAME, _begin),
    items=(_PROGRAM, _OUTPUT),
    due=_due,
)
