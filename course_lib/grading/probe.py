"""The learner's side of the keyhole: holds the submission's names, and does what it is asked.

It runs where the learner's code runs: in the notebook, or in a process of its own. It knows no
task, no check and no expected value.
"""

import asyncio
import base64
import builtins
import ctypes
import inspect
import io
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

from ..platform.http import Reply, Request
from .channel import Json
from .data import CLIENT, ITEM, STUB, project, safe_repr

Ask = Callable[[Json], Json]

SUBMISSION_FILE = "<submission>"  # the file name of code that runs outside of a notebook


class StubError(Exception):
    """Raised in the learner's code when a check wants a stub to fail with an unknown type."""


class Interrupt(BaseException):
    """Raised in the learner's code by whoever runs it: time is up, or the learner pressed stop."""


class Probe:
    """Answers the checking side's questions about one namespace."""

    def __init__(self, namespace: MutableMapping[str, Any], ask: Ask) -> None:
        self._namespace, self._ask = namespace, ask

    def answer(self, question: Json) -> Json:
        """`value` looks a name up; `call` calls a function. Errors come back as data."""
        name = question["name"]
        if name not in self._namespace:
            return {"missing": name}
        value = self._namespace[name]
        try:
            with _no_keyboard():
                if question["do"] == "call":
                    arguments = [self._rebuild(each) for each in question["arguments"]]
                    value = _finish(value, arguments)
                return {"value": project(value)}
        except Interrupt:
            raise
        except BaseException as error:  # a submission may raise anything, SystemExit included
            if _is_the_empty_form(error, value):
                return {"unwritten": name}
            return {"error": describe_error(error)}

    def _rebuild(self, value: Any) -> Any:
        """Data from the checking side, with its three marks turned into what they stand for."""
        if isinstance(value, list):
            return [self._rebuild(member) for member in value]
        if not isinstance(value, dict):
            return value
        if STUB in value:
            return self._stub(value[STUB])
        if CLIENT in value:
            return self._client(value[CLIENT])
        if ITEM in value:
            return _sdk_item(value[ITEM])
        return {key: self._rebuild(member) for key, member in value.items()}

    def _stub(self, name: str) -> Callable[..., Any]:
        def stub(*args: Any, **kwargs: Any) -> Any:
            reply = self._ask(
                {"do": "stub", "name": name, "args": project(args), "kwargs": project(kwargs)}
            )
            if "raises" in reply:
                raise _exception(reply["raises"]["type"], reply["raises"]["message"])
            return reply["returns"]

        stub.__name__ = stub.__qualname__ = name
        return stub

    def _client(self, number: int) -> Any:
        """A real client whose wire ends on the checking side."""
        import httpx2
        from openai import OpenAI

        from ..transport import OFFLINE, OfflineTransport

        def send(request: Request) -> Reply:
            sent = {
                "method": request.method,
                "path": request.path,
                "query": request.query,
                "body": base64.b64encode(request.body).decode(),
            }
            reply = self._ask({"do": "wire", "client": number, "request": sent})
            chunks = [base64.b64decode(chunk) for chunk in reply["chunks"]]
            return Reply(reply["status"], reply["headers"], chunks)

        return OpenAI(**OFFLINE, http_client=httpx2.Client(transport=OfflineTransport(send)))


def _finish(function: Any, arguments: list[Any]) -> Any:
    """Call; an awaitable is awaited in a thread, since the notebook's own loop is running."""
    result = function(*arguments)
    if not inspect.isawaitable(result):
        return result
    outcome: list[Any] = []

    async def wait() -> Any:
        return await result

    def run() -> None:
        try:
            outcome.append((asyncio.run(wait()), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        thread.join()
    except Interrupt:
        # A coroutine in an endless loop would keep the notebook's processor busy for ever.
        identity, raised = ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Interrupt)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, raised)
        raise
    value, error = outcome[0]
    if error is not None:
        raise error
    return value


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


def _sdk_item(item: Json) -> Any:
    from openai.types.responses import ResponseFunctionToolCall

    return ResponseFunctionToolCall.model_validate(item)


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
    where = ""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        in_a_cell = "ipykernel" in frame.filename or frame.filename.startswith("<ipython")
        if in_a_cell or frame.filename == SUBMISSION_FILE:
            where = f"line {frame.lineno}: {frame.line}" if frame.line else f"line {frame.lineno}"
            break
    return {"type": type(error).__name__, "message": _safe_text(error), "where": where}


def _safe_text(error: BaseException) -> str:
    try:
        return str(error)[:500]
    except Exception:
        return safe_repr(error)
