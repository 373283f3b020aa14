"""A submission as a check sees it: names to look up, functions to call, a wire to watch.

Behind `Submission` is a probe, in this process or in another; the check cannot tell. What comes
back is an `Outcome`: a value, or the error the learner's code raised. Looking into an outcome
never fails, so a check reads as a list of expectations. Everything that comes from the probe's
side is taken as hostile: it is matched against the forms it may have, and its texts are shown
on one line.
"""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..platform.app import Exchange, Platform
from ..platform.http import Request
from ..standin.prompt import Model
from .channel import ChannelClosed, ChannelTimeout, Json
from .data import CLIENT, STUB

LONGEST = 160  # characters of a value that are shown


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

    def through(self, reading: Callable[[Any], Any]) -> "Outcome":
        """The outcome as `reading` reads its value; as it was where it cannot be read."""
        if self.problem is not None:
            return self
        try:
            return Outcome(self.tried, reading(self.value))
        except Exception:
            return self


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
    """The checking side of the keyhole. `ask` carries a question to the probe.

    The first name that is missing or still the empty form, and a probe that does not answer in
    time or at all, end the submission: `over` says which, and `reached` what was tried. A check
    runs on to its end over outcomes that hold nothing, so that its expectations can be counted.
    """

    def __init__(self) -> None:
        self.ask: Callable[[Json], Json] = _not_connected
        self.over: Exception | None = None
        self.reached = ""
        self._stubs: dict[str, Stub] = {}
        self._clients: list[Client] = []

    def value(self, name: str) -> Outcome:
        """Look a name up. None and `...` count as not attempted."""
        return self._outcome({"do": "value", "name": name}, f"the value of {name}")

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
        """What the learner's side asks back: a stub was called, a request goes over the wire.

        Raises ChannelClosed for a question that no probe of ours asks.
        """
        match question:
            case {"do": "stub", "name": str(name), "args": list(args), "kwargs": dict(kwargs)}:
                if name in self._stubs:
                    return _call_stub(self._stubs[name], args, kwargs)
            case {"do": "wire", "client": int(number), "request": dict(request)}:
                if 0 <= number < len(self._clients):
                    return _send(self._clients[number], request)
        raise ChannelClosed

    def _outcome(self, question: Json, tried: str) -> Outcome:
        if self.over is None:
            seen = self._exchanges()
            try:
                return self._read(self.ask(question), question, tried, seen)
            except (Missing, NotAttempted, ChannelTimeout, ChannelClosed) as over:
                self.over, self.reached = over, tried
        return Outcome(tried, problem="it did not come to this")

    def _read(self, reply: Json, question: Json, tried: str, seen: int) -> Outcome:
        match reply:
            case {"missing": _}:
                raise Missing(question["name"])
            case {"unwritten": _}:
                raise NotAttempted(question["name"])
            case {"value": None | {"$type": "ellipsis"}} if question["do"] == "value":
                raise NotAttempted(question["name"])
            case {"value": value}:
                return Outcome(tried, value)
            case {"error": dict(error)}:
                hint = self._latest_hint() if self._exchanges() > seen else None
                return Outcome(tried, problem=f"your code raised {raised(error)}", hint=hint)
        raise ChannelClosed

    def _exchanges(self) -> int:
        return sum(len(client.platform.exchanges) for client in self._clients)

    def _latest_hint(self) -> str | None:
        """The platform's sentence on the latest refusal, read where no submission can reach."""
        exchanges = self._clients[-1].exchanges
        hint = exchanges[-1].hint if exchanges else None
        return one_line(hint) if hint else None


def describe(value: Any) -> str:
    """A value with its type in words, shortened: `{'a': 1} (a dict)`."""
    match value:
        case {"$type": str(kind), "$repr": str(text)}:
            return one_line(f"{text} ({_article(kind)} {kind})")
    try:
        text = repr(value)
    except RecursionError:
        text = "nested too deeply"
    words = {"str": "a string", "NoneType": "nothing: is a return missing?", "int": "an integer"}
    kind = type(value).__name__
    shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return one_line(f"{shown} ({words.get(kind, f'{_article(kind)} {kind}')})")


def raised(error: Json) -> str:
    """An exception that the probe's side describes, on one line."""
    match error:
        case {"type": str(kind), "message": str(message), "where": str(where)}:
            text = f"{kind}: {message}" if message else kind
            return one_line(f"{text} ({where})" if where else text)
    raise ChannelClosed


def one_line(text: str) -> str:
    """A text of the learner's as one printable line, which cannot pass for a report's own."""
    return "".join(each if each.isprintable() else " " for each in text).strip()


def _article(noun: str) -> str:
    return "an" if noun[:1].lower() in "aeiou" else "a"


def _call_stub(stub: Stub, args: list[Any], kwargs: dict[str, Any]) -> Json:
    stub.calls.append({str(i): value for i, value in enumerate(args)} | kwargs)
    if stub.raises is not None:
        message = str(stub.raises.args[0]) if stub.raises.args else ""
        return {"raises": {"type": type(stub.raises).__name__, "message": message}}
    return {"returns": stub.returns}


def _send(client: Client, request: Json) -> Json:
    match request:
        case {"method": str(method), "path": str(path), "query": dict(query), "body": str(body)}:
            try:
                content = base64.b64decode(body)
            except ValueError:
                raise ChannelClosed from None
            reply = client.platform.handle(Request(method, path, content, query=query))
            chunks = [base64.b64encode(chunk).decode() for chunk in reply.chunks]
            return {"status": reply.status, "headers": reply.headers, "chunks": chunks}
    raise ChannelClosed


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


def _not_connected(question: Json) -> Json:
    raise RuntimeError("this submission has no probe behind it")
