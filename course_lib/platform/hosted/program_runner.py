"""Runs a program in another process, with limits (contract D, "programmatic_tool_calling").

A program is run from the start each time, with the answers that its calls have so far. It sees a
clock and a chance that are the same each time, so it makes the same calls again, takes the
answers, and goes on to the next calls or to its end. Nothing of it is kept between two requests:
a client that sends every item back gets what a client of stored responses gets.

V8's own limits miss much (typed arrays, a `Map` that grows), and some ways to run out of memory
end the process. So it is a child that is watched (`child.py`), by time and by the memory it really
takes. One that was well behaved is kept for the next program.
"""

import atexit
import json
import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..child import Child
from ..errors import Json
from ..tokens import sayable

AROUND = Path(__file__).with_name("program.js")
SECONDS = 5  # for one run of a program
START_SECONDS = 60  # for a new process, until it is ready
HEAP = 128 * 1024**2  # bytes, as V8 counts them
MOST_MEMORY = 400 * 1024**2  # bytes that the process may take, of which it starts with about 70 MB
MOST_CALLS = 128  # by one program
MOST_TEXT = 1024**2  # characters that a program emits, or hands to tools
AT_ONCE = max(2, os.cpu_count() or 2)  # processes


@dataclass(slots=True)
class Progress:
    """How far a program came with the answers it was given."""

    calls: list[tuple[str, Any]]  # name and arguments, in the order they were made
    emitted: list[str]  # what it gave to text() and image()
    ended: bool  # its code has ended, and every call has its answer
    error: str | None = None  # what it threw, or why it was stopped


def run(code: str, names: list[str], answers: list[Json], now: int) -> Progress:
    """Run a program that may call the tools `names`, at the second `now`.

    `answers` are `{"index", "value"}` of a call, in the order they came; `"failed": true` makes
    the call throw, with the value as its message.
    """
    start = {"code": code, "names": names, "now": now}
    start |= {"most_calls": MOST_CALLS, "most_text": MOST_TEXT}
    lines = [AROUND.read_text(encoding="utf-8"), *map(json.dumps, [start, *answers])]
    reply, stopped = _play(json.dumps(lines).encode() + b"\n")
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


_idle: list[Child] = []
_places = threading.BoundedSemaphore(AT_ONCE)


def _play(line: bytes) -> tuple[bytes, str]:
    """What a process answers to a line, and why it was stopped before it answered."""
    with _places:
        child = None
        with suppress(IndexError):
            child = _idle.pop()
        if child is None or child.process.poll() is not None:
            child = Child("programs", SECONDS + 1, HEAP)
            if not _answer(child, b"", START_SECONDS)[0]:
                return b"", "Programs cannot run here: V8 (the package mini-racer) does not start."
        reply, why = _answer(child, line, SECONDS)
        if reply:
            _idle.append(child)
            return reply, ""
        return b"", f"Stopped: {why or f'it takes more than {HEAP >> 20} MB'}."  # V8's usual end


def _answer(child: Child, line: bytes, seconds: float) -> tuple[bytes, str]:
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
            _end(child)
    return reply, why


def _end(child: Child) -> None:
    child.end()
    child.process.communicate()  # closes its pipes


@atexit.register
def _end_all() -> None:
    while _idle:
        _end(_idle.pop())
