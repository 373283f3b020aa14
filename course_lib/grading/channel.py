"""A conversation of two ends over a pipe: each asks, and answers what it is asked meanwhile.

The checking side asks the learner's side for a value or a call. While it waits, the learner's
side may ask back: a stub was called, a request goes over the wire. Questions nest and never
overtake each other, so frames need no numbers. A frame is one line of JSON, size-capped; it is
data, never code.
"""

import json
import queue
import threading
from collections.abc import Callable
from typing import IO, Any

Json = dict[str, Any]
Answerer = Callable[[Json], Json]  # from a question to its answer

MAX_FRAME = 8 * 1024 * 1024  # bytes


class ChannelClosed(Exception):
    """The other end is gone, or sent what is not a frame."""


class ChannelTimeout(Exception):
    """The other end did not answer in time."""


class PipeEnd:
    """One end. `answer` serves the questions that arrive while this end waits for its own."""

    def __init__(self, reader: IO[bytes], writer: IO[bytes], answer: Answerer) -> None:
        self._writer, self._answer = writer, answer
        self._frames: queue.Queue[Json | None] = queue.Queue()
        self._late = False  # after a timeout the answers no longer match the questions
        self._asking = threading.RLock()  # a tool may call back from a thread of its own
        # Reading happens in a thread, so that waiting can have a limit on every system.
        threading.Thread(target=self._read, args=(reader,), daemon=True).start()

    def ask(self, question: Json, seconds: float | None = None) -> Json:
        """Send a question and return its answer.

        Raises ChannelTimeout after `seconds` without an answer, ChannelClosed at the end.
        """
        with self._asking:
            self._write({"ask": question})
            while True:
                frame = self._next(seconds)
                if "reply" in frame:
                    reply: Json = frame["reply"]
                    return reply
                self._write({"reply": self._answer(frame["ask"])})

    def serve(self) -> None:
        """Answer questions until the other end closes."""
        while True:
            try:
                frame = self._next(None)
            except ChannelClosed:
                return
            self._write({"reply": self._answer(frame["ask"])})

    def _next(self, seconds: float | None) -> Json:
        if self._late:
            raise ChannelTimeout
        try:
            frame = self._frames.get(timeout=seconds)
        except queue.Empty:
            self._late = True
            raise ChannelTimeout from None
        if frame is None:
            self._frames.put(None)  # closed stays closed, for whoever asks next
            raise ChannelClosed
        return frame

    def _write(self, frame: Json) -> None:
        try:
            self._writer.write(json.dumps(frame).encode() + b"\n")
            self._writer.flush()
        except (OSError, ValueError):
            raise ChannelClosed from None

    def _read(self, reader: IO[bytes]) -> None:
        while line := reader.readline(MAX_FRAME):
            frame = _parse(line)
            self._frames.put(frame)
            if frame is None:
                return
        self._frames.put(None)


def _parse(line: bytes) -> Json | None:
    """The frame on a line; None for anything else, which ends the conversation."""
    try:
        frame = json.loads(line)
    except (ValueError, RecursionError):
        return None
    well_formed = isinstance(frame, dict) and (
        isinstance(frame.get("reply"), dict) or isinstance(frame.get("ask"), dict)
    )
    return frame if well_formed else None
