"""The process that runs a submission's cells: `python -P -m course_lib.grading.child BYTES`.

Its standard input is a socket, the wire to the checking side; the learner's code gets neither
that nor an output: what it prints goes nowhere. The process has no checks and no answers, and
imports none. It ends when the checking side is gone, even in the middle of an endless loop.
"""

import json
import os
import queue
import socket
import sys
import threading
from contextlib import suppress
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import course_lib

from ..platform.errors import Json
from .probe import FailedCells, Probe, describe_error


class Wire:
    """This end of the conversation; `piped.py` has the other, and says what a frame is."""

    def __init__(self, end: socket.socket) -> None:
        self.questions: queue.SimpleQueue[Json] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Json] = queue.SimpleQueue()
        self._end, self._asking, self._sending = end, threading.Lock(), threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, question: Json) -> Json:
        """Ask the checking side back; threads of the learner's code do so one after the other."""
        with self._asking:
            self.send({"ask": question})
            return self._answers.get()

    def send(self, frame: Json) -> None:
        with self._sending:
            self._end.sendall(json.dumps(frame).encode() + b"\n")

    def _read(self) -> None:
        try:
            for line in self._end.makefile("rb"):
                match json.loads(line):
                    case {"ask": question}:
                        self.questions.put(question)
                    case {"reply": answer}:
                        self._answers.put(answer)
        finally:
            os._exit(0)


def main() -> None:
    if sys.platform == "win32":  # there, a socket is no file
        end = socket.fromshare(sys.stdin.buffer.read())
    else:
        end = socket.socket(fileno=os.dup(0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    _limit_memory(int(sys.argv[1]))
    wire = Wire(end)
    # `check` and `hint` do nothing here: the verdict is reached in the other process.
    course_lib.check = course_lib.hint = lambda task_id: None
    # The IPython that runs cells as a notebook does, magics and top-level await included.
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    probe = Probe(shell.user_ns, wire.ask, FailedCells(shell).error)
    # Only now, so that a file of the learner's cannot pass for a module that we import.
    sys.path.insert(0, "")  # the notebook's folder, as a kernel has it
    while True:
        question = wire.questions.get()
        if question["do"] == "run":
            wire.send({"reply": {"raised": _run(shell, question["cell"])}})
        else:
            wire.send({"reply": probe.answer(question)})


def _limit_memory(size: int) -> None:
    """Let this process write to so many bytes at most, where the system can hold it to that."""
    with suppress(ImportError, OSError, ValueError):  # there is no such call on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def _run(shell: Any, source: str) -> Json | None:
    """Run one cell as a notebook would; return what it raised, if anything."""
    outcome = shell.run_cell(source, store_history=False)
    error = outcome.error_before_exec or outcome.error_in_exec
    return describe_error(error) if error is not None else None


if __name__ == "__main__":
    main()
