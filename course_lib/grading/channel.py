"""A conversation of two processes over a pipe: the checking side and the learner's side.

The checking side asks for a value or a call. While that is worked out, the learner's side may
ask back: a stub was called, a request goes over the wire. A frame is one line of JSON,
size-capped; it is data, never code. Whatever the other end sends, or fails to send or to read,
an `ask` comes back when its time is up. One frame too large, ill-formed or unasked for ends the
conversation.
"""

import json
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

Json = dict[str, Any]

MAX_FRAME = 8 * 1024 * 1024  # bytes
MAX_CONVERSATION = 64 * 1024 * 1024  # bytes that one end takes in, so that it cannot be flooded


class ChannelClosed(Exception):
    """The other end is gone, or sent what nobody can have meant."""


class ChannelTimeout(Exception):
    """The other end did not answer in time."""


class PipeEnd:
    """One end.

    asked   is given each question that arrives, in the thread that reads, and calls `reply`;
            ChannelClosed from it ends the conversation
    closed  is called when the conversation has ended
    """

    def __init__(
        self,
        reader: IO[bytes],
        writer: IO[bytes],
        asked: Callable[[Json], None],
        closed: Callable[[], None] = lambda: None,
    ) -> None:
        self._writer, self._asked, self._on_close = writer, asked, closed
        self._answers: queue.SimpleQueue[Json | None] = queue.SimpleQueue()  # None: the end
        self._awaiting = self._closed = False
        self._asking = threading.Lock()  # threads of the learner's code ask one after the other
        self._writing = threading.Lock()
        threading.Thread(target=self._read, args=(reader,), daemon=True).start()

    def ask(self, question: Json, seconds: float | None = None) -> Json:
        """Send a question and return its answer.

        Raises ChannelTimeout after `seconds` without one, which ends the conversation, and
        ChannelClosed when it has ended.
        """
        line = _line({"ask": question})
        with self._asking:
            self._awaiting = True
            # In a thread, because writing to an end that does not read would wait without limit.
            threading.Thread(target=self._write, args=(line,), daemon=True).start()
            try:
                answer = None if self._closed else self._answers.get(timeout=seconds)
            except queue.Empty:
                self._end()  # a later answer would be taken for that of a later question
                raise ChannelTimeout from None
            if answer is None:
                raise ChannelClosed
            return answer

    def reply(self, answer: Json) -> None:
        """Answer the question that `asked` was given."""
        self._write(_line({"reply": answer}))

    def _write(self, line: bytes) -> None:
        try:
            with self._writing:
                while line:  # an unbuffered pipe may take a part at a time
                    line = line[self._writer.write(line) :]
                self._writer.flush()
        except (OSError, ValueError):  # nobody reads any more
            self._end()

    def _read(self, reader: IO[bytes]) -> None:
        left = MAX_CONVERSATION
        # Closed here and not by the owner: closing waits for a read that is under way.
        with suppress(OSError, ChannelClosed), reader:
            while (line := reader.readline(MAX_FRAME)) and left > 0:
                left -= len(line)
                frame = _parse(line)
                if "ask" in frame:
                    self._asked(frame["ask"])
                elif self._awaiting:
                    self._awaiting = False
                    self._answers.put(frame["reply"])
                else:
                    raise ChannelClosed  # an answer without a question
        self._end()

    def _end(self) -> None:
        self._closed = True
        self._answers.put(None)
        self._on_close()


def _line(frame: Json) -> bytes:
    return json.dumps(frame).encode() + b"\n"


def _parse(line: bytes) -> Json:
    """The frame on a line; ChannelClosed for anything else."""
    try:
        frame = json.loads(line)
    except (ValueError, RecursionError):
        raise ChannelClosed from None
    match frame:
        case {"ask": dict()} | {"reply": dict()}:
            return dict(frame)
    raise ChannelClosed
