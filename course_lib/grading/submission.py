"""A submission as a check sees it: names to look up, functions to call, a wire to watch.

Behind `Submission` is a probe, in this process or in another; the check cannot tell. What comes
back is an `Outcome`: a value, or the error the learner's code raised. Looking into an outcome
never fails, so a check reads as a list of expectations.
"""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..platform.app import Exchange, Platform
from ..platform.http import Request
from ..standin.prompt import Model
from .channel import Json
from .data import CLIENT, STUB


class NotAttempted(Exception):
    """The task's code is still the empty form that was handed out."""


class Missing(Exception):
    """The submission has no such name; the argument says which."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came back. `tried` says how it was obtained, in a learner's words."""

    tried: str
    value: Any = None
    problem: str | None = None  # set instead of `value`
    hint: str | None = None  # the platform's sentence for the learner, if the API refused

    def __getitem__(self, key: str | int) -> "Outcome":
        """A part of the value; an outcome with a problem when there is no such part."""
        if self.problem is not None:
            return self
        try:
            return Outcome(self.tried, self.value[key])
        except (KeyError, IndexError, TypeError):
            return Outcome(self.tried, problem=f"{describe(self.value)}, which has no {key!r}")


@dataclass
class Stub:
    """A function handed to the submission. Its calls are recorded on the checking side."""

    name: str
    returns: Any = None
    raises: Exception | None = None
    calls: list[Json] = field(default_factory=list)  # the keyword arguments of each call


@dataclass
class Client:
    """A client handed to the submission; `platform` is the other end of its wire."""

    number: int
    platform: Platform

    @property
    def exchanges(self) -> list[Exchange]:
        """The requests that reached the platform, oldest first."""
        return list(self.platform.exchanges)


class Submission:
    """The checking side of the keyhole. `ask` carries a question to the probe."""

    def __init__(self) -> None:
        self.ask: Callable[[Json], Json] = _not_connected
        self._stubs: dict[str, Stub] = {}
        self._clients: list[Client] = []

    def value(self, name: str) -> Outcome:
        """Look a name up. None and `...` count as not attempted."""
        outcome = self._outcome({"do": "value", "name": name}, f"the value of {name}")
        if outcome.problem is None and (outcome.value is None or _is_ellipsis(outcome.value)):
            raise NotAttempted(name)
        return outcome

    def call(self, name: str, *arguments: Any) -> Outcome:
        """Call the learner's function. Arguments are data, stubs, clients and items."""
        question = {"do": "call", "name": name, "arguments": [_mark(each) for each in arguments]}
        shown = ", ".join(_shown(each) for each in arguments)
        return self._outcome(question, f"{name}({shown})")

    def stub(self, name: str, *, returns: Any = None, raises: Exception | None = None) -> Stub:
        """A function of the checking side that the submission can be given, and may call."""
        self._stubs[name] = Stub(name, returns, raises)
        return self._stubs[name]

    def client(self, model: Model | None = None) -> Client:
        """A client over a fresh platform of the checking side."""
        platform = Platform() if model is None else Platform(model=model)
        self._clients.append(Client(len(self._clients), platform))
        return self._clients[-1]

    def answer(self, question: Json) -> Json:
        """What the learner's side asks back: a stub was called, a request goes over the wire."""
        if question["do"] == "stub":
            stub = self._stubs[question["name"]]
            positional = {str(i): value for i, value in enumerate(question["args"])}
            stub.calls.append(positional | question["kwargs"])
            if stub.raises is not None:
                kind = type(stub.raises).__name__
                return {"raises": {"type": kind, "message": str(stub.raises.args[0])}}
            return {"returns": stub.returns}
        request = Request(
            method=question["method"],
            path=question["path"],
            query=question["query"],
            body=base64.b64decode(question["body"]),
        )
        reply = self._clients[question["client"]].platform.handle(request)
        chunks = [base64.b64encode(chunk).decode() for chunk in reply.chunks]
        return {"status": reply.status, "headers": reply.headers, "chunks": chunks}

    def _outcome(self, question: Json, tried: str) -> Outcome:
        reply = self.ask(question)
        if "missing" in reply:
            raise Missing(reply["missing"])
        error = reply.get("error")
        if error is None:
            return Outcome(tried, reply["value"])
        if error["type"] == "NotImplementedError":
            raise NotAttempted(question["name"])
        where = f" ({error['where']})" if error["where"] else ""
        problem = f"your code raised {error['type']}: {error['message']}{where}"
        return Outcome(tried, problem=problem, hint=self._last_hint())

    def _last_hint(self) -> str | None:
        """The platform's sentence on the latest refusal, read where no submission can reach."""
        exchanges = self._clients[-1].exchanges if self._clients else []
        return exchanges[-1].hint if exchanges else None


def describe(value: Any) -> str:
    """A value with its type in words, shortened: `{'a': 1} (a dict)`."""
    if isinstance(value, dict) and "$repr" in value:
        return f"{value['$repr']} (a {value['$type']})"
    text = repr(value)
    words = {"str": "a string", "NoneType": "nothing", "int": "an integer"}
    kind = words.get(type(value).__name__, f"a {type(value).__name__}")
    return f"{text if len(text) <= 160 else text[:159] + '…'} ({kind})"


def _mark(argument: Any) -> Any:
    """An argument as data, with stubs and clients as their marks, at any depth."""
    if isinstance(argument, Stub):
        return {STUB: argument.name}
    if isinstance(argument, Client):
        return {CLIENT: argument.number}
    if isinstance(argument, dict):
        return {key: _mark(value) for key, value in argument.items()}
    if isinstance(argument, list):
        return [_mark(value) for value in argument]
    return argument


def _shown(argument: Any) -> str:
    """An argument as a learner would write it."""
    if isinstance(argument, Client):
        return "client"
    if isinstance(argument, Stub):
        return argument.name
    if isinstance(argument, dict) and "$item" in argument:
        return f"<{argument['$item']['type']} {argument['$item'].get('call_id', '')}>"
    if isinstance(argument, dict):
        return "{" + ", ".join(f"{key!r}: {_shown(value)}" for key, value in argument.items()) + "}"
    if isinstance(argument, list):
        return "[" + ", ".join(map(_shown, argument)) + "]"
    return repr(argument)


def _is_ellipsis(value: Any) -> bool:
    return isinstance(value, dict) and value.get("$type") == "ellipsis"


def _not_connected(question: Json) -> Json:
    raise RuntimeError("this submission has no probe behind it")
