"""The learner's side of the keyhole: holds the submission's names, and does what it is asked.

It runs where the learner's code runs: in the notebook, or in a process of its own. It knows no
task, no check and no expected value. `FailedCells` watches for names that are not what their cell
says.

What crosses is JSON. Outwards, to the learner's code, marks stand for things that are not data: a
stub, a client, a stream, an item. Inwards, everything becomes plain data by `project`, and the
checking side reads no mark in it: what a learner returns is never more than a value.
"""

import asyncio
import builtins
import ctypes
import dataclasses
import inspect
import json
import re
import threading
import traceback
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from concurrent.futures import Future
from typing import Any

from ..platform.errors import Json
from ..platform.faults import NetworkFault
from ..platform.http import Reply, Request

MAX_REPR = 200
MAX_SIZE = 1_000_000  # characters of one value as JSON


class Stopped(BaseException):
    """Raised in the learner's code when a check has seen enough: a loop has no cap."""


class Interrupt(BaseException):
    """Raised in the learner's code by whoever runs it: time is up, or the learner pressed stop."""


class Probe:
    """Answers the checking side's questions about one namespace."""

    def __init__(
        self,
        namespace: MutableMapping[str, Any],
        ask: Callable[[Json], Json],
        failed: Callable[[str], Json | None] = lambda name: None,
    ) -> None:
        """`ask` asks the checking side back; `failed` is `FailedCells.error`."""
        self._namespace, self._ask, self._failed = namespace, ask, failed

    def answer(self, question: Json) -> Json:
        """Do what the question says with a name. Errors come back as data.

        value  look it up
        call   call it, and wait for what it returns
        """
        name = question["name"]
        if raised := self._failed(name):
            return {"cell": name, "raised": raised}
        if name not in self._namespace:
            return {"missing": name}
        value = self._namespace[name]
        if value is None or value is ...:
            return {"unwritten": name}
        asked, builtins.input = builtins.input, _no_input
        try:
            return {"value": project(self._do(question, value))}
        except Interrupt:
            raise
        except BaseException as error:  # a submission may raise anything, SystemExit included
            if _is_the_empty_form(error, value):
                return {"unwritten": name}
            return {"error": describe_error(error)}
        finally:
            builtins.input = asked

    def _do(self, question: Json, value: Any) -> Any:
        if question["do"] == "value":
            return value
        arguments, named = self._rebuild(question["arguments"]), self._rebuild(question["named"])
        result = value(*arguments, **named)
        return _awaited(result) if inspect.isawaitable(result) else result

    def _call_back(self, number: int, *args: Any, **kwargs: Any) -> Any:
        """Have the checking side do what it handed out under this number."""
        reply = self._ask({"to": number, "args": project(args), "kwargs": project(kwargs)})
        if "stop" in reply:
            raise Stopped(reply["stop"])
        if "raises" in reply:
            raise getattr(builtins, reply["raises"], RuntimeError)(reply["message"])
        return reply["returns"]

    def _rebuild(self, value: Any) -> Any:
        """Data from the checking side, with its marks turned into what they stand for."""
        match value:
            case list():
                return [self._rebuild(member) for member in value]
            case {"$stub": number, "name": name}:
                return self._stub(number, name)
            case {"$stream": request, "$client": number}:
                return self._client(number).responses.create(**request, stream=True)
            case {"$client": number, "awaited": awaited}:
                return self._client(number, awaited)
            case {"$item": item}:
                return _item(item)
            case dict():
                return {key: self._rebuild(member) for key, member in value.items()}
        return value

    def _stub(self, number: int, name: str) -> Callable[..., Any]:
        def stub(*args: Any, **kwargs: Any) -> Any:
            return self._call_back(number, *args, **kwargs)

        stub.__name__ = stub.__qualname__ = name
        return stub

    def _client(self, number: int, awaited: bool = False) -> Any:
        """A real client whose wire ends on the checking side."""
        from ..transport import offline_async_client, offline_client

        def send(request: Request) -> Reply:
            kind, body = request.headers.get("content-type", ""), request.body.decode("latin-1")
            reply = self._call_back(number, request.method, request.path, request.query, kind, body)
            if "status" not in reply:
                raise NetworkFault(reply["fault"])
            return Reply(reply["status"], reply["headers"], _chunks(reply))

        return (offline_async_client if awaited else offline_client)(send)


def _item(item: Json) -> Any:
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage

    is_call = item["type"] == "function_call"
    return (ResponseFunctionToolCall if is_call else ResponseOutputMessage).model_validate(item)


def _chunks(reply: Json) -> Iterator[bytes]:
    yield from (chunk.encode("latin-1") for chunk in reply["chunks"])
    if "fault" in reply:
        raise NetworkFault(reply["fault"])


def _awaited(result: Awaitable[Any]) -> Any:
    """Wait for it in a thread, since the notebook's own loop is running."""
    outcome: Future[Any] = Future()

    async def wait() -> Any:
        return await result

    def run() -> None:
        try:
            outcome.set_result(asyncio.run(wait()))
        except BaseException as error:
            outcome.set_exception(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        return outcome.result()
    except Interrupt:
        # A coroutine in an endless loop would keep the notebook's processor busy for ever.
        identity, raised = ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Interrupt)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, raised)
        raise


def _no_input(prompt: object = "") -> str:  # a check waits for nobody
    raise EOFError("a check has no keyboard to read from")


def _is_the_empty_form(error: BaseException, function: Any) -> bool:
    """Whether `raise NotImplementedError` stands in the task's own function, as handed out."""
    plain = type(error) is NotImplementedError and not error.args
    raised_in = [frame.name for frame in traceback.extract_tb(error.__traceback__)][-1:]
    return plain and raised_in == [getattr(function, "__name__", None)]


def describe_error(error: BaseException) -> Json:
    """An exception as data: what, and the line of the learner's own code it came through."""
    frames = [(f.filename, f.lineno, f.line) for f in traceback.extract_tb(error.__traceback__)]
    message = _written(str, error)[:500]
    if isinstance(error, SyntaxError):  # which ran nowhere; its text names a file of ours
        frames.append((error.filename or "", error.lineno, (error.text or "").strip()))
        message = error.msg
    own = [each for each in frames if "ipykernel" in each[0] or each[0].startswith("<ipython")]
    where = ""
    if own:
        _, number, line = own[-1]
        where = f"line {number}: {line}" if line else f"line {number}"
    return {"type": type(error).__name__, "message": message, "where": where}


_DEFINITION = re.compile(
    r"^(?:(?:async +)?def|class) +(\w+)|^(\w+) *(?::[^=\n]+)?=(?!=)", re.MULTILINE
)
_NOTHING = object()


class FailedCells:
    """Watches the cells that an IPython shell runs, from now on.

    A cell that does not parse, or raises before it comes to a definition, leaves what an earlier
    run defined: an answer that the learner no longer sees.
    """

    def __init__(self, shell: Any) -> None:
        self._names = shell.user_ns
        self._before: dict[str, Any] = {}
        self._failed: dict[str, tuple[Any, Json]] = {}  # the value that was left, and the error
        shell.events.register("pre_run_cell", self._begin)
        shell.events.register("post_run_cell", self._end)

    def error(self, name: str) -> Json | None:
        """What the latest cell that was to define a name raised; None when it did define it."""
        left, error = self._failed.get(name, (None, None))
        return error if error and self._names.get(name, _NOTHING) is left else None

    def _begin(self, info: Any) -> None:
        self._before = dict(self._names)

    def _end(self, result: Any) -> None:
        error = result.error_before_exec or result.error_in_exec
        for found in _DEFINITION.finditer(result.info.raw_cell or ""):
            name = found[1] or found[2]
            left = self._before.get(name, _NOTHING)
            self._failed.pop(name, None)
            if error is not None and self._names.get(name, _NOTHING) is left:
                self._failed[name] = left, describe_error(error)
        self._before = {}


def project(value: Any) -> Any:
    """A learner's value as plain JSON data. What has no JSON form becomes its type and repr."""
    pieces, left = [], MAX_SIZE
    try:
        for piece in _ENCODER.iterencode(value):  # bit by bit: shared members grow without end
            pieces.append(piece)
            left -= len(piece)
            if left < 0:
                return _opaque(value, f"more than {MAX_SIZE:,} characters of data")
        return json.loads("".join(pieces))
    except RecursionError:
        return _opaque(value, "nested too deeply")
    except (TypeError, ValueError):  # a key that is no text, a circle, a number too long to write
        return _opaque(value, safe_repr(value))


def safe_repr(value: Any) -> str:
    """The repr, shortened, and the same on every run; one that fails says so."""
    text = _written(repr, value)
    if type(value) in (set, frozenset) and value:  # its order differs between processes
        text = f"{{{', '.join(sorted(map(safe_repr, value)))}}}"
    text = re.sub(r" at 0x[0-9a-fA-F]+| id='\d+'", "", text[: 2 * MAX_REPR])
    return text if len(text) <= MAX_REPR else text[: MAX_REPR - 1] + "…"


def _written(write: Callable[[Any], str], value: Any) -> str:
    """Its str or repr, or what that raised."""
    try:
        return write(value)
    except Interrupt:
        raise
    except BaseException as error:
        return f"<its {write.__name__} raised {type(error).__name__}>"


def _as_data(value: Any) -> Any:
    """One step towards JSON for what the encoder does not know."""
    if isinstance(value, type):  # a class has the methods of its objects, but not the data
        return _opaque(value, safe_repr(value))
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(type(value), "model_dump"):  # an object of the SDK, a pydantic model
        return value.model_dump(mode="json")
    if type(value).__module__ == "numpy":  # an array or one of its numbers
        return value.tolist()
    return _opaque(value, safe_repr(value))


def _opaque(value: Any, text: str) -> dict[str, str]:
    return {"$type": type(value).__name__, "$repr": text}


_ENCODER = json.JSONEncoder(default=_as_data)
