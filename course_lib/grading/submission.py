"""A submission as a check sees it: names to look up, functions to call, a wire to watch.

Behind `Submission` is a probe, in this process or in another; the check cannot tell. What comes
back is an `Outcome`: a value, or the error the learner's code raised. Looking into an outcome
never fails, so a check reads as a list of expectations. Everything that comes from the probe's
side is taken as hostile: it is matched against the forms it may have, and its texts are shown
on one line.

The calls of a stub and the requests of a client come back here, where no submission can reach:
they are recorded and answered.
"""

import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from ..platform.app import Exchange, Platform
from ..platform.errors import Json
from ..platform.faults import Fault, NetworkFault
from ..platform.http import WITH_KEY, Request
from ..standin import StandIn
from ..standin.prompt import Model
from .probe import project

LONGEST = 160  # characters of a value that are shown


class ChannelClosed(Exception):
    """The other end is gone, or sent what nobody can have meant."""


class ChannelTimeout(Exception):
    """The other end did not answer in time."""


class Over(Exception):
    """A submission goes no further. What there is instead, and the name that was looked for:

    missing         no such name
    not attempted   the task's code is still the empty form that was handed out
    cell failed     the cell that was to define it raised: the exception's type, and its line
    out of memory   it wanted more than it has
    """


class Verdict(str):
    """What a check says of something, in place of a value; it is shown as it is."""


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

    def through(self, reading: Callable[[Any], Any], tried: str = "") -> "Outcome":
        """The outcome as `reading` reads its value; as it was where it cannot be read.

        `tried` says what more was tried with the value.
        """
        if self.problem is not None:
            return self
        try:
            return Outcome(tried or self.tried, reading(self.value))
        except Exception:
            return Outcome(tried or self.tried, self.value)


class Double:
    """What a check hands to a submission and is no data: a stream, a call, a stub, a client.

    It crosses as its `mark`, which the probe turns into what it stands for; `shown` is how a
    learner would write it.
    """

    def __init__(self, mark: Json, shown: str) -> None:
        self.mark, self.shown = mark, shown

    def __repr__(self) -> str:
        return self.shown


def function_call(name: str, call_id: str, /, **arguments: Any) -> Double:
    """A function_call item as the model sends it."""
    return call_of_text(name, call_id, json.dumps(arguments))


def call_of_text(name: str, call_id: str, arguments: str) -> Double:
    """A function_call item with these arguments, which need not be JSON."""
    item = {"type": "function_call", "id": call_id.replace("call", "fc"), "call_id": call_id}
    item |= {"name": name, "arguments": arguments, "status": "completed"}
    return Double({"$item": item}, f"<function_call {call_id}: {name}({arguments})>")


def output_message(text: str, annotations: list[Json], shown: str) -> Double:
    """A message item as the model sends it; `shown` tells of its annotations."""
    part = {"type": "output_text", "text": text, "annotations": annotations}
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    return Double({"$item": item | {"content": [part]}}, f"<message {text!r}, {shown}>")


class Stub(Double):
    """A function handed to the submission, whose calls are recorded and answered here.

    returns  what a call gives: data
    raises   what a call raises instead; a type that Python has not built in is a RuntimeError
    does     instead of both, a function of the check's
    calls    the arguments of each call by name: the one it was passed by, or has in `does`;
             failing both, a positional one's place ("0")
    """

    def __init__(
        self,
        number: int,
        name: str,
        *,
        returns: Any = None,
        raises: Exception | None = None,
        does: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__({"$stub": number, "name": name}, name)
        self.returns, self.raises, self.does = returns, raises, does
        self.calls: list[Json] = []

    def answer(self, args: list[Any], kwargs: Json) -> Json:
        """Record one call, and say what it returns or raises."""
        call = {str(place): value for place, value in enumerate(args)} | kwargs
        try:
            if self.does is not None:
                call = inspect.signature(self.does).bind(*args, **kwargs).arguments
        except TypeError:
            pass  # a call that does not fit is recorded as it was made
        self.calls.append(call)
        try:
            if self.raises is not None:
                raise self.raises
            return {"returns": project(self.does(*args, **kwargs) if self.does else self.returns)}
        except Exception as error:
            message = str(error.args[0]) if error.args else ""
            return {"raises": type(error).__name__, "message": message}


class Client(Double):
    """A client handed to the submission, over a fresh platform: the other end of its wire.

    model         what answers: a script, or the stand-in when left out
    faults        what goes wrong on the way, by rule
    max_requests  after so many in one call that call is stopped, and its outcome says that
                  the loop has no cap; `sent` counts them
    awaited       whether the learner's code gets an `AsyncOpenAI`
    """

    def __init__(
        self,
        number: int,
        model: Model | None = None,
        *,
        faults: Sequence[Fault] = (),
        max_requests: int = 40,
        awaited: bool = False,
    ) -> None:
        super().__init__({"$client": number, "awaited": awaited}, "client")
        self.platform = Platform(model=model or StandIn(), faults=list(faults))
        self.max_requests, self.sent = max_requests, 0

    @property
    def exchanges(self) -> list[Exchange]:
        """The requests that reached the platform, oldest first."""
        return list(self.platform.exchanges)

    def stream(self, **request: Any) -> Double:
        """A `Stream` of this request's events for the submission, opened through this client."""
        return Double(self.mark | {"$stream": request}, "stream")

    def answer(self, args: list[Any], kwargs: Json) -> Json:
        """Answer one request of the submission: a reply, a fault of the network, or an end.

        Raises ChannelClosed for what is no request.
        """
        match args:
            case [str(method), str(path), dict(query), str(kind), str(text)]:
                body = text.encode("latin-1", "replace")
                headers = WITH_KEY | {"content-type": kind}
            case _:
                raise ChannelClosed
        self.sent += 1
        if self.sent > self.max_requests:
            return {"stop": f"more than {self.max_requests} requests"}
        answer: Json = {"chunks": []}
        try:
            reply = self.platform.handle(Request(method, path, body, headers, query))
            answer |= {"status": reply.status, "headers": reply.headers}
            for chunk in reply.chunks:
                answer["chunks"].append(chunk.decode("latin-1"))
        except NetworkFault as fault:  # before the reply, or in the middle of its stream
            answer["fault"] = fault.kind
        return {"returns": answer}


class Submission:
    """The checking side of the keyhole. `ask` carries a question to the probe.

    The first name that is missing, is still the empty form, or was not defined as its cell says,
    and a probe that runs out of memory or does not answer in time or at all, end the submission:
    `over` says which, and `reached` what was tried. A check runs on to its end over outcomes that
    hold nothing, so that its expectations can be counted.
    """

    def __init__(self, ask: Callable[[Json], Json]) -> None:
        self.ask = ask
        self.forget()

    def forget(self) -> None:
        """Begin another task with the same probe: nothing was tried or handed out yet."""
        self.over: Exception | None = None
        self.reached = ""
        self._handed: list[Stub | Client] = []

    def value(self, name: str) -> Outcome:
        """Look a name up. None, `...`, and a list or dict of nothing else, are not attempted."""
        return self._outcome({"do": "value", "name": name}, f"the value of {name}")

    def call(self, name: str, *arguments: Any, **named: Any) -> Outcome:
        """Call the learner's function, an `async def` too, and wait for what it returns.

        Arguments are data, and what this submission's `stub` and `client` gave: stubs, clients,
        streams; or items of a response.
        """
        written = [*map(repr, arguments), *(f"{key}={value!r}" for key, value in named.items())]
        question = {"do": "call", "name": name, "arguments": arguments, "named": named}
        question = json.loads(json.dumps(question, default=attrgetter("mark")))
        return self._outcome(question, f"{name}({', '.join(written)})")

    def stub(self, name: str, **how: Any) -> Stub:
        """A function of the checking side that the submission can be given; `how` as in `Stub`."""
        self._handed.append(stub := Stub(len(self._handed), name, **how))
        return stub

    def client(self, model: Model | None = None, **how: Any) -> Client:
        """A client that the submission can be given; `how` as in `Client`."""
        self._handed.append(client := Client(len(self._handed), model, **how))
        return client

    def answer(self, question: Json) -> Json:
        """What the learner's side asks back: a stub was called, a request goes over the wire.

        Raises ChannelClosed for a question that no probe of ours asks.
        """
        match question:
            case {"to": int(number), "args": list(args), "kwargs": dict(kwargs)}:
                if 0 <= number < len(self._handed):
                    return self._handed[number].answer(args, kwargs)
        raise ChannelClosed

    def _outcome(self, question: Json, tried: str) -> Outcome:
        if self.over is not None:
            return Outcome(tried, problem="it did not come to this")
        clients = [each for each in self._handed if isinstance(each, Client)]
        for client in clients:
            client.sent = 0
        try:
            reply = self.ask(question)
            used = [client for client in clients if client.sent]
            for client in used:
                if client.sent > client.max_requests:  # whatever the probe says of it
                    sent = f"it had sent {client.max_requests} requests and did not stop"
                    return Outcome(tried, problem=f"{sent}: a loop without a cap")
            # The platform's sentence on its refusal, read where no submission can reach.
            latest = [exchange for client in used for exchange in client.exchanges[-1:]]
            hint = latest[-1].hint if latest else None
            return _read(reply, question, tried, one_line(hint) if hint else None)
        except (Over, ChannelTimeout, ChannelClosed) as over:
            self.over, self.reached = over, tried
            return self._outcome(question, tried)


def _read(reply: Json, question: Json, tried: str, hint: str | None) -> Outcome:
    """The outcome that the probe tells of."""
    name = question["name"]
    match reply:
        case {"missing": _}:
            raise Over("missing", name)
        case {"unwritten": _}:
            raise Over("not attempted", name)
        case {"value": value} if question["do"] == "value" and _is_blank(value):
            raise Over("not attempted", name)
        case {"cell": _, "raised": dict(error)}:
            raise Over("cell failed", name, str(error.get("type")), raised(error))
        case {"error": {"type": "MemoryError"}}:
            raise Over("out of memory", name)
        case {"value": value}:
            return Outcome(tried, value)
        case {"error": dict(error)}:
            return Outcome(tried, problem=f"your code raised {raised(error)}", hint=hint)
    raise ChannelClosed


def describe(value: Any) -> str:
    """A value with its type in words, shortened: `{'a': 1} (a dict)`."""
    kind = type(value).__name__
    match value:
        case Verdict():
            return one_line(value)
        case {"$type": "ellipsis"}:
            return "... (still to be filled in)"
        case {"$type": str(kind), "$repr": str(text)}:
            pass
        case _:
            try:
                text = _repr(value)
            except RecursionError:
                text = "nested too deeply"
            text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    article = "an" if kind[:1].lower() in "aeiou" else "a"
    words = {"str": "a string", "NoneType": "nothing: is a return missing?", "int": "an integer"}
    return one_line(f"{text} ({words.get(kind, f'{article} {kind}')})")


def _repr(value: Any) -> str:
    """The repr; what has no JSON form, at any depth, as it is written on the other side."""
    match value:
        case {"$type": "ellipsis"}:
            return "..."
        case {"$type": str(), "$repr": str(text)}:
            return str(text)
        case dict():
            return "{" + ", ".join(f"{key!r}: {_repr(each)}" for key, each in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_repr, value)) + "]"
    return repr(value)


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


def _is_blank(value: Any) -> bool:
    """Whether a value is as it was handed out: nothing, `...`, or a form full of them."""
    match value:
        case None | {"$type": "ellipsis"}:
            return True
        case dict():
            return bool(value) and all(map(_is_blank, value.values()))
        case list():
            return bool(value) and all(map(_is_blank, value))
    return False
