"""What a check hands to a submission that is no plain data: stubs, clients, streams, SDK objects.

Each crosses as a mark (`data.py`), which the learner's side turns into what it stands for. The
calls of a stub and the requests of a client come back here, where no submission can reach: they
are recorded and answered.
"""

import base64
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..platform.app import Exchange, Platform
from ..platform.engine import run_turn
from ..platform.faults import NetworkFault
from ..platform.http import Request
from .channel import ChannelClosed, Json
from .data import SdkObject, project

MAX_REQUESTS = 40  # that one call of the learner's code may send through a client


@dataclass
class Stub:
    """A function handed to the submission. Its calls are recorded on the checking side."""

    name: str
    returns: Any = None
    """What a call gives: data."""
    raises: Exception | None = None
    """What a call raises instead; a type that Python does not have arrives as a StubError."""
    does: Callable[..., Any] | None = None
    """Instead of both, a function of the check's, run on the checking side."""
    awaited: bool = False
    """Whether it is an `async def` in the learner's hands."""
    calls: list[Json] = field(default_factory=list)
    """The arguments of each call by name: the one it was passed by, or has in `does`; failing
    both, a positional one's place ("0")."""

    def answer(self, args: list[Any], kwargs: Json) -> Json:
        """Record one call, and say what it returns or raises."""
        self.calls.append(self._by_name(args, kwargs))
        try:
            if self.raises is not None:
                raise self.raises
            return {"returns": project(self.does(*args, **kwargs) if self.does else self.returns)}
        except Exception as error:
            message = str(error.args[0]) if error.args else ""
            return {"raises": {"type": type(error).__name__, "message": message}}

    def _by_name(self, args: list[Any], kwargs: Json) -> Json:
        if self.does is not None:
            try:
                return inspect.signature(self.does).bind(*args, **kwargs).arguments
            except TypeError:
                pass  # a call that does not fit is recorded as it was made
        return {str(place): value for place, value in enumerate(args)} | kwargs


@dataclass
class Client:
    """A client handed to the submission; `platform` is the other end of its wire."""

    number: int
    platform: Platform
    max_requests: int = MAX_REQUESTS
    awaited: bool = False  # an AsyncOpenAI
    sent: int = 0  # in the call under way

    @property
    def exchanges(self) -> list[Exchange]:
        """The requests that reached the platform, oldest first; those of `response` are not."""
        return list(self.platform.exchanges)

    @property
    def is_used_up(self) -> bool:
        """Whether the call under way has sent more than it may: a loop without a cap."""
        return self.sent > self.max_requests

    def response(self, **request: Any) -> SdkObject:
        """A `Response` for the submission: what the platform answers to this request.

        It is stored on the platform, so that `previous_response_id` can name it. Raises ApiError.
        """
        return SdkObject(run_turn(request, self.platform.state, self.platform.model).body)

    def stream(self, **request: Any) -> "Stream":
        """A `Stream` of this request's events for the submission, opened through this client."""
        return Stream(self, request)

    def send(self, request: Json) -> Json:
        """Answer one request of the submission: a reply, a fault of the network, or an end.

        Raises ChannelClosed for what is no request.
        """
        match request:
            case {"method": str(method), "path": str(path), "query": dict(query), "body": str()}:
                try:
                    content = base64.b64decode(request["body"])
                except ValueError:
                    raise ChannelClosed from None
                self.sent += 1
                if self.is_used_up:
                    return {"stop": f"more than {self.max_requests} requests"}
                return self._reply(Request(method, path, content, query=query))
        raise ChannelClosed

    def _reply(self, request: Request) -> Json:
        answer: Json = {"chunks": []}
        try:
            reply = self.platform.handle(request)
            answer |= {"status": reply.status, "headers": reply.headers}
            for chunk in reply.chunks:
                answer["chunks"].append(base64.b64encode(chunk).decode())
        except NetworkFault as fault:  # before the reply, or in the middle of its stream
            answer["fault"] = fault.kind
        return answer


@dataclass
class Stream:
    """A streamed response that the submission is given to read."""

    client: Client
    request: Json


def mark(argument: Any) -> Any:
    """An argument as data, with marks for what is none, at any depth."""
    match argument:
        case Stub():
            return {"$async_stub" if argument.awaited else "$stub": argument.name}
        case Client():
            return {"$async_client" if argument.awaited else "$client": argument.number}
        case Stream():
            return {"$stream": argument.request, "$client": argument.client.number}
        case SdkObject():
            return {"$item": argument.data}
        case dict():
            return {key: mark(value) for key, value in argument.items()}
        case list() | tuple():
            return [mark(value) for value in argument]
    return argument


def shown(argument: Any) -> str:
    """An argument as a learner would write it."""
    match argument:
        case Client():
            return "client"
        case Stub():
            return argument.name
        case Stream():
            return "stream"
        case SdkObject():
            return str(argument)
        case {"type": "function", "name": str(name)}:  # a declaration, of which that will do
            return f"<tool {name}>"
        case dict():
            members = (f"{key!r}: {shown(value)}" for key, value in argument.items())
            return "{" + ", ".join(members) + "}"
        case list():
            return "[" + ", ".join(map(shown, argument)) + "]"
    return repr(argument)
