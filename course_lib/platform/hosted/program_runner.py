"""Runs a program in another process, with limits (contract D, "programmatic_tool_calling").

A program is run from the start each time, with the answers that its calls have so far. It sees a
clock and a chance that are the same each time, so it makes the same calls again, takes the
answers, and goes on to the next calls or to its end. Nothing of it is kept between two requests:
a client that sends every item back gets what a client of stored responses gets.

V8's own limits miss much (typed arrays, a `Map` that grows), and some ways to run out of memory
end the process. So the process is `program_child.py`, and it is watched from here, by time and by
the memory it really takes. One that was well behaved is kept for the next program.
"""

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import Json
from ..tokens import sayable

SCRIPT = Path(__file__).with_name("program_child.py")
SECONDS = 5  # for one run of a program
MEGABYTES = 128  # of V8's heap
MOST_MEMORY = 400 * 1024**2  # bytes that the process may take, of which it starts with about 70 MB
MOST_CALLS = 128  # by one program
MOST_TEXT = 1024**2  # characters that a program emits, or hands to tools
AT_ONCE = max(2, os.cpu_count() or 2)  # processes

Child = subprocess.Popen[bytes]


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
    given = {"code": code, "names": names, "now": now, "most_calls": MOST_CALLS}
    given["most_text"] = MOST_TEXT
    reply, stopped = _play(json.dumps({"program": given, "answers": answers}).encode() + b"\n")
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
    """What the process answers to a line, and why it was stopped before it answered."""
    with _places:
        child = _ready()
        if child is None:
            return b"", "Programs cannot run here: V8 (the package mini-racer) does not start."
        assert child.stdin and child.stdout
        reasons: list[str] = []
        answered = threading.Event()
        watching = threading.Thread(target=_watch, args=(child, answered, reasons), daemon=True)
        watching.start()
        reply = b""
        try:
            with contextlib.suppress(OSError):  # it ended while it was written to
                child.stdin.write(line)
                child.stdin.flush()
                reply = child.stdout.readline()
        finally:
            answered.set()
            watching.join()
            if reply.endswith(b"\n") and not reasons:
                _idle.append(child)
            else:
                _end(child)
        if reasons or reply:
            return reply, "".join(reasons)
        return b"", f"Stopped: it takes more than {MEGABYTES} MB."  # the usual end of V8


def _ready() -> Child | None:
    """A process that waits for a program: one that is there, or a new one."""
    with contextlib.suppress(IndexError):
        while True:
            child = _idle.pop()
            if child.poll() is None:
                return child
            _end(child)
    bare = {"TZ": "UTC", "LC_ALL": "C"}
    if sys.platform == "win32":
        bare["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    child = subprocess.Popen(
        [sys.executable, "-s", "-P", str(SCRIPT), str(SECONDS + 1), str(MEGABYTES)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # V8 says much when it runs out of memory
        env=bare,
        start_new_session=True,
    )
    assert child.stdout
    late = threading.Timer(60, child.kill)
    late.start()
    started = child.stdout.readline() == b"\n"
    late.cancel()
    if not started:
        _end(child)
    return child if started else None


def _watch(child: Child, answered: threading.Event, reasons: list[str]) -> None:
    """End a process that takes too long or too much."""
    import psutil  # type: ignore[import-untyped]

    until = time.monotonic() + SECONDS
    with contextlib.suppress(psutil.Error):
        watched = [psutil.Process(child.pid)]
        if sys.platform == "win32":  # an environment's python.exe starts another one
            watched += watched[0].children()
        while not answered.wait(0.01):
            if time.monotonic() > until:
                reasons.append(f"Stopped: it ran for more than {SECONDS} seconds.")
            elif sum(each.memory_info().rss for each in watched) > MOST_MEMORY:
                reasons.append(f"Stopped: it takes more than {MOST_MEMORY // 1024**2} MB.")
            else:
                continue
            child.kill()
            return


def _end(child: Child) -> None:
    child.kill()
    child.communicate()


@atexit.register
def _end_all() -> None:
    while _idle:
        _end(_idle.pop())
