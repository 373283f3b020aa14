"""The learner's side of the keyhole: holds the submission's names, and does what it is asked.

It runs where the learner's code runs: in the notebook, or in a process of its own. It knows no
task, no check and no expected value.
"""

import asyncio
import builtins
import ctypes
import inspect
import io
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Iterator, MutableMapping
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache
from typing import Any

from ..platform.faults import NetworkFault
from ..platform.http import Reply, Request
from .channel import Json
from .data import project, safe_repr

Ask = Callable[[Json], Json]

SUBMISSION_FILE = "<submission>"  # the file name of code that runs outside of a notebook


class StubError(Exception):
    """Raised in the learner's code when a check wants a stub to fail with an unknown type."""


class Stopped(BaseException):
    """Raised in the learner's code when a check has seen enough: a loop has no cap."""


class Interrupt(BaseException):
    """Raised in the learner's code by whoever runs it: time is up, or the learner pressed stop."""


class Probe:
    """Answers the checking side's questions about one namespace."""

    def __init__(
        self,
        namespace: MutableMapping[str, Any],
        ask: Ask,
        failed: Callable[[str], Json | None] = lambda name: None,
    ) -> None:
        """`failed` gives what the cell raised that was to define a name, if it did."""
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
        try:
            with _no_keyboard():
                return {"value": project(self._do(question, value))}
        except Interrupt:
            raise
        except BaseException as error:  # a submission may raise anything, SystemExit included
            if _is_the_empty_form(error, value):
                return {"unwritten": name}
            return {"error": describe_error(error)}

    def _do(self, question: Json, value: Any) -> Any:
        if question["do"] == "value":
            return value
        arguments, named = self._rebuild(question["arguments"]), self._rebuild(question["named"])
        result = value(*arguments, **named)
        return _in_a_loop(_wait(result)) if inspect.isawaitable(result) else result

    def _call_back(self, number: int, *args: Any, **kwargs: Any) -> Any:
        """Have the checking side do what it handed out under this number."""
        reply = self._ask({"to": number, "args": project(args), "kwargs": project(kwargs)})
        if "stop" in reply:
            raise Stopped(reply["stop"])
        if "raises" in reply:
            raise _exception(reply["raises"], reply["message"])
        return reply["returns"]

    def _rebuild(self, value: Any) -> Any:
        """Data from the checking side, with its marks turned into what they stand for."""
        match value:
            case list():
                return [self._rebuild(member) for member in value]
            case {"$stub": number, "name": name, "awaited": awaited}:
                return self._stub(number, name, awaited)
            case {"$stream": request, "$client": number}:
                return self._client(number).responses.create(**request, stream=True)
            case {"$client": number, "awaited": awaited}:
                return self._client(number, awaited)
            case {"$item": item}:
                return _sdk_object(item)
            case dict():
                return {key: self._rebuild(member) for key, member in value.items()}
        return value

    def _stub(self, number: int, name: str, awaited: bool) -> Callable[..., Any]:
        def stub(*args: Any, **kwargs: Any) -> Any:
            return self._call_back(number, *args, **kwargs)

        async def async_stub(*args: Any, **kwargs: Any) -> Any:
            return self._call_back(number, *args, **kwargs)

        made = async_stub if awaited else stub
        made.__name__ = made.__qualname__ = name
        return made

    def _client(self, number: int, awaited: bool = False) -> Any:
        """A real client whose wire ends on the checking side."""
        from ..transport import offline_async_client, offline_client

        def send(request: Request) -> Reply:
            reply = self._call_back(
                number, request.method, request.path, request.query, request.body.decode("latin-1")
            )
            if "status" not in reply:
                raise NetworkFault(reply["fault"])
            return Reply(reply["status"], reply["headers"], _chunks(reply))

        return (offline_async_client if awaited else offline_client)(send)


def _chunks(reply: Json) -> Iterator[bytes]:
    yield from (chunk.encode("latin-1") for chunk in reply["chunks"])
    if "fault" in reply:
        raise NetworkFault(reply["fault"])


async def _wait(result: Awaitable[Any]) -> Any:
    return await result


def _in_a_loop(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine in a thread, since the notebook's own loop is running."""
    outcome: Future[Any] = Future()

    def run() -> None:
        try:
            outcome.set_result(asyncio.run(coroutine))
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


@contextmanager
def _no_keyboard() -> Iterator[None]:
    """A check waits for nobody: code that asks for input finds that there is none."""
    asked, stdin = builtins.input, sys.stdin
    builtins.input, sys.stdin = _no_input, io.StringIO()
    try:
        yield
    finally:
        builtins.input, sys.stdin = asked, stdin


def _no_input(prompt: object = "") -> str:
    raise EOFError("a check has no keyboard to read from")


def _sdk_object(data: Json) -> Any:
    from openai.types.responses import Response

    if data.get("object") == "response":
        return Response.model_validate(data)
    return _output_item().validate_python(data)


@cache
def _output_item() -> Any:
    from openai.types.responses import ResponseOutputItem
    from pydantic import TypeAdapter

    return TypeAdapter(ResponseOutputItem)  # which takes as long to make as a hundred checks


def _exception(type_name: str, message: str) -> Exception:
    kind = getattr(builtins, type_name, StubError)
    return kind(message) if issubclass(kind, Exception) else StubError(message)


def _is_the_empty_form(error: BaseException, function: Any) -> bool:
    """Whether `raise NotImplementedError` stands in the task's own function, as handed out."""
    frames = traceback.extract_tb(error.__traceback__)
    raised_in = frames[-1].name if frames else ""
    plain = type(error) is NotImplementedError and not error.args
    return plain and raised_in == getattr(function, "__name__", None)


def describe_error(error: BaseException) -> Json:
    """An exception as data: what, and the line of the learner's own code it came through."""
    frames = [(f.filename, f.lineno, f.line) for f in traceback.extract_tb(error.__traceback__)]
    message = _safe_text(error)
    if isinstance(error, SyntaxError):  # which ran nowhere; its text names a file of ours
        frames.append((error.filename or "", error.lineno, (error.text or "").strip()))
        message = error.msg
    where = ""
    for filename, number, line in reversed(frames):
        in_a_cell = "ipykernel" in filename or filename.startswith("<ipython")
        if in_a_cell or filename == SUBMISSION_FILE:
            where = f"line {number}: {line}" if line else f"line {number}"
            break
    return {"type": type(error).__name__, "message": message, "where": where}


def _safe_text(error: BaseException) -> str:
    try:
        return str(error)[:500]
    except Exception:
        return safe_repr(error)
