"""What a check hands to a submission that is no plain data: stubs, clients, streams, calls.

Each crosses as its `mark`, which the learner's side turns into what it stands for (`probe.py`), and
shows itself as a learner would write it. The calls of a stub and the requests of a client come
back here, where no submission can reach: they are recorded and answered.
"""

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from ..platform.app import Exchange, Platform
from ..platform.faults import NetworkFault
from ..platform.http import Request
from .data import ChannelClosed, Json, project


@dataclass(frozen=True, slots=True, repr=False)
class Double:
    """Something that needs no answer: a stream, a `function_call` item."""

    mark: Json
    shown: str

    def __repr__(self) -> str:
        return self.shown


@dataclass(repr=False)
class Stub:
    """A function handed to the submission. Its calls are recorded on the checking side."""

    number: int
    name: str
    returns: Any = None
    """What a call gives: data."""
    raises: Exception | None = None
    """What a call raises instead; a type that Python does not have arrives as a StubError."""
    does: Callable[..., Any] | None = None
    """Instead of both, a function of the check's, run on the checking side."""
    calls: list[Json] = field(default_factory=list)
    """The arguments of each call by name: the one it was passed by, or has in `does`; failing
    both, a positional one's place ("0")."""

    def __repr__(self) -> str:
        return self.name

    @property
    def mark(self) -> Json:
        return {"$stub": self.number, "name": self.name}

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


@dataclass(repr=False)
class Client:
    """A client handed to the submission; `platform` is the other end of its wire."""

    number: int
    platform: Platform
    max_requests: int  # that one call of the learner's code may send
    awaited: bool  # an AsyncOpenAI
    sent: int = 0  # in the call under way

    def __repr__(self) -> str:
        return "client"

    @property
    def mark(self) -> Json:
        return {"$client": self.number, "awaited": self.awaited}

    @property
    def exchanges(self) -> list[Exchange]:
        """The requests that reached the platform, oldest first."""
        return list(self.platform.exchanges)

    @property
    def is_used_up(self) -> bool:
        """Whether the call under way has sent more than it may: a loop without a cap."""
        return self.sent > self.max_requests

    def stream(self, **request: Any) -> Double:
        """A `Stream` of this request's events for the submission, opened through this client."""
        return Double(self.mark | {"$stream": request}, "stream")

    def answer(self, args: list[Any], kwargs: Json) -> Json:
        """Answer one request of the submission: a reply, a fault of the network, or an end.

        Raises ChannelClosed for what is no request.
        """
        match args:
            case [str(method), str(path), dict(query), str(body)] if (
                max(body, default="") < "\u0100"
            ):
                request = Request(method, path, body.encode("latin-1"), query=query)
            case _:
                raise ChannelClosed
        self.sent += 1
        if self.is_used_up:
            return {"stop": f"more than {self.max_requests} requests"}
        answer: Json = {"chunks": []}
        try:
            reply = self.platform.handle(request)
            answer |= {"status": reply.status, "headers": reply.headers}
            for chunk in reply.chunks:
                answer["chunks"].append(chunk.decode("latin-1"))
        except NetworkFault as fault:  # before the reply, or in the middle of its stream
            answer["fault"] = fault.kind
        return {"returns": answer}


def function_call(name: str, call_id: str, /, **arguments: Any) -> Double:
    """A function_call item as the model sends it."""
    return call_of_text(name, call_id, json.dumps(arguments))


def call_of_text(name: str, call_id: str, arguments: str) -> Double:
    """A function_call item with these arguments, which need not be JSON."""
    item = {"type": "function_call", "id": call_id.replace("call", "fc"), "call_id": call_id}
    item |= {"name": name, "arguments": arguments, "status": "completed"}
    return Double({"$function_call": item}, f"<function_call {call_id}: {name}({arguments})>")


def marked(arguments: Any) -> Any:
    """Arguments as data, with marks for what is none, at any depth."""
    return json.loads(json.dumps(arguments, default=attrgetter("mark")))


def shown(argument: Any) -> str:
    """An argument as a learner would write it."""
    match argument:
        case {"type": "function", "name": str(name)}:  # a declaration, of which that will do
            return f"<tool {name}>"
        case list():
            return f"[{', '.join(map(shown, argument))}]"
    return repr(argument)
