"""A submission in a process of its own, and the checking side's end of the wire to it.

A frame is one line of JSON, size-capped: `{"ask": {...}}` or `{"reply": {...}}`; it is data, never
code. The checking side asks for a value or a call. While that is worked out, the other end may
ask back: a stub was called, a request goes over a client's wire.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..home import ROOT, START, CourseError
from ..platform.errors import Json
from .notebooks import NotebookFile
from .submission import ChannelClosed, ChannelTimeout, Submission, raised

MEMORY = 2 * 1024**3  # bytes of data, where the system can hold a process to that (Linux)
START_SECONDS, CELLS_SECONDS, TASK_SECONDS = 60.0, 60.0, 20.0
MAX_FRAME = 8 * 1024 * 1024  # bytes
MAX_CONVERSATION = 64 * 1024 * 1024  # bytes that we take in, so that we cannot be flooded
SECRETS = ("OPENAI_", "COURSE_LIVE", "COURSE_MODEL")  # what these names begin is kept from it


class PipeEnd:
    """Our end. Whatever the other one sends, or fails to send or to read, `ask` comes back."""

    def __init__(self, end: socket.socket, answer: Callable[[Json], Json]) -> None:
        """`answer` is given each question that is asked back; ChannelClosed from it is an end."""
        self._end, self._answer = end, answer
        self._read, self._left = b"", MAX_CONVERSATION
        self._is_over = False

    def ask(self, question: Json, seconds: float) -> Json:
        """Send a question and return its answer.

        Raises ChannelTimeout after `seconds` without one, and ChannelClosed when the other end is
        gone or has sent what is no frame. Either ends the conversation: what came later would be
        taken for the answer to a later question.
        """
        if self._is_over:
            raise ChannelClosed
        self._is_over = True  # unless an answer comes
        frame, deadline = {"ask": question}, time.monotonic() + seconds
        try:
            while True:
                self._send(frame, deadline)
                match self._receive(deadline):
                    case {"ask": dict(asked)}:
                        frame = {"reply": self._answer(asked)}
                    case {"reply": dict(answer)}:
                        self._is_over = False
                        return answer
                    case _:
                        raise ChannelClosed
        except TimeoutError:
            raise ChannelTimeout from None
        except OSError:
            raise ChannelClosed from None

    def _send(self, frame: Json, deadline: float) -> None:
        self._end.settimeout(_until(deadline))
        self._end.sendall(json.dumps(frame).encode() + b"\n")

    def _receive(self, deadline: float) -> Any:
        while b"\n" not in self._read:
            self._end.settimeout(_until(deadline))
            more = self._end.recv(1024 * 1024)
            self._left -= len(more)
            self._read += more
            if not more or self._left < 0 or len(self._read) > MAX_FRAME:
                raise ChannelClosed
        line, _, self._read = self._read.partition(b"\n")
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise ChannelClosed from None


def _until(deadline: float) -> float:
    return max(deadline - time.monotonic(), 0.001)  # nothing at all would mean not to wait


@contextmanager
def piped_submission(
    notebook: NotebookFile,
    cells_seconds: float = CELLS_SECONDS,
    task_seconds: float = TASK_SECONDS,
) -> Iterator[tuple[Submission, list[str]]]:
    """A submission behind a wire, and a sentence for each of its cells that went wrong.

    cells_seconds   for all cells together
    task_seconds    for each question of a check
    The submission is over before it begins when a cell hangs or ends the process; the last
    sentence says so. This is a process of its own, not a sandbox: it can do what its user can do.
    """
    ours, theirs = socket.socketpair()
    with ours, theirs:
        child = _start(notebook.path.resolve().parent, theirs)
        theirs.close()

        def ask(question: Json) -> Json:
            try:
                return end.ask(question, task_seconds)
            except ChannelClosed:
                raise ChannelClosed(_ending(child)) from None

        submission = Submission(ask)
        end = PipeEnd(ours, lambda question: submission.answer(question))
        try:
            yield submission, _run_cells(notebook, end, submission, cells_seconds)
        finally:
            if hasattr(os, "killpg"):  # with what it started
                with suppress(OSError):
                    os.killpg(child.pid, signal.SIGKILL)
            child.kill()
            child.wait()


def _start(folder: Path, end: socket.socket) -> "subprocess.Popen[bytes]":
    environment = {k: v for k, v in os.environ.items() if not k.upper().startswith(SECRETS)}
    path = filter(None, [str(ROOT), environment.get("PYTHONPATH")])
    child = subprocess.Popen(
        # -P: a folder of somebody else's must not provide the modules that Python starts with.
        [sys.executable, "-P", "-m", "course_lib.grading.child", str(MEMORY)],
        stdin=subprocess.PIPE if sys.platform == "win32" else end.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment | {"PYTHONPATH": os.pathsep.join(path)},
        start_new_session=True,  # a group, to be ended as a whole
    )
    if sys.platform == "win32":  # there, a socket is no file
        assert child.stdin is not None
        child.stdin.write(end.share(child.pid))
        child.stdin.close()
    return child


def _ending(child: "subprocess.Popen[bytes]") -> str:
    """How the process ended; nothing when it did not, and only stopped to talk."""
    try:
        code = child.wait(1)
    except subprocess.TimeoutExpired:
        return ""
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _run_cells(
    notebook: NotebookFile, end: PipeEnd, submission: Submission, seconds: float
) -> list[str]:
    """Run the cells in order; a sentence for each that went wrong."""
    try:
        end.ask({"do": "run", "cell": ""}, START_SECONDS)  # a new process takes its time
    except (ChannelClosed, ChannelTimeout):
        raise CourseError(
            f"The process that runs a notebook does not start. Run `{START} doctor`."
        ) from None
    troubles = []
    deadline = time.monotonic() + seconds
    for number, cell in enumerate(notebook.cells, 1):
        try:
            reply = end.ask({"do": "run", "cell": cell}, deadline - time.monotonic())
            if error := reply.get("raised"):
                troubles.append(f"Code cell {number} raised {raised(error)}")
        except (ChannelTimeout, ChannelClosed) as over:
            submission.over, submission.reached = over, f"code cell {number}"
            troubles.append(
                f"Code cell {number} did not finish: all cells together have {seconds:g} seconds. "
                "Look for a loop that has no end."
                if isinstance(over, ChannelTimeout)
                else f"Code cell {number} ended the process that ran it."
            )
            break
    return troubles
