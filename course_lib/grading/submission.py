"""A submission as a check sees it: names to look up, functions to call, a wire to watch.

Behind `Submission` is a probe, in this process or in another; the check cannot tell. What comes
back is an `Outcome`: a value, or the error the learner's code raised. Looking into an outcome
never fails, so a check reads as a list of expectations. Everything that comes from the probe's
side is taken as hostile: it is matched against the forms it may have, and its texts are shown
on one line.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..platform.app import Platform
from ..platform.faults import Fault
from ..standin import StandIn
from ..standin.prompt import Model
from .channel import ChannelClosed, ChannelTimeout, Json
from .doubles import MAX_REQUESTS, Client, Stub, mark, shown

LONGEST = 160  # characters of a value that are shown


class NotAttempted(Exception):
    """The task's code is still the empty form that was handed out."""


class Missing(Exception):
    """The submission has no such name; the argument says which."""


class CellFailed(Exception):
    """The cell that was to define a name raised: the name, the exception's type, and its line."""


class OutOfMemory(Exception):
    """The submission wanted more memory than it has."""


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

    def retold(self, tried: str) -> "Outcome":
        """The value as one that something more was tried with."""
        return self if self.problem is not None else Outcome(tried, self.value)

    def through(self, reading: Callable[[Any], Any]) -> "Outcome":
        """The outcome as `reading` reads its value; as it was where it cannot be read."""
        if self.problem is not None:
            return self
        try:
            return Outcome(self.tried, reading(self.value))
        except Exception:
            return self


_ENDS = (Missing, NotAttempted, CellFailed, OutOfMemory, ChannelTimeout, ChannelClosed)


class Submission:
    """The checking side of the keyhole. `ask` carries a question to the probe.

    The first name that is missing, is still the empty form, or was not defined as its cell says,
    and a probe that runs out of memory or does not answer in time or at all, end the submission:
    `over` says which, and `reached` what was tried. A check runs on to its end over outcomes that
    hold nothing, so that its expectations can be counted.
    """

    def __init__(self) -> None:
        self.ask: Callable[[Json], Json] = _not_connected
        self.over: Exception | None = None
        self.reached = ""
        self._handed: list[Stub | Client] = []

    def forget(self) -> None:
        """Begin another task with the same probe: nothing was tried or handed out yet."""
        self.over, self.reached = None, ""
        self._handed.clear()

    def value(self, name: str) -> Outcome:
        """Look a name up. None, `...`, and a list or dict of nothing else, are not attempted."""
        return self._outcome({"do": "value", "name": name}, f"the value of {name}")

    def call(self, name: str, *arguments: Any, **named: Any) -> Outcome:
        """Call the learner's function, an `async def` too, and wait for what it returns.

        Arguments are data, and what this submission's `stub` and `client` gave: stubs, clients,
        responses, streams, `function_call` items.
        """
        written = [*map(shown, arguments), *(f"{key}={shown(each)}" for key, each in named.items())]
        question = {"do": "call", "name": name, "arguments": mark(arguments), "named": mark(named)}
        return self._outcome(question, f"{name}({', '.join(written)})")

    def stub(
        self,
        name: str,
        *,
        returns: Any = None,
        raises: Exception | None = None,
        does: Callable[..., Any] | None = None,
        awaited: bool = False,
    ) -> Stub:
        """A function of the checking side that the submission can be given, and may call."""
        stub = Stub(len(self._handed), name, returns, raises, does, awaited)
        self._handed.append(stub)
        return stub

    def client(
        self,
        model: Model | None = None,
        *,
        faults: Sequence[Fault] = (),
        max_requests: int = MAX_REQUESTS,
        awaited: bool = False,
    ) -> Client:
        """A client over a fresh platform of the checking side.

        model         what answers: a script, or the stand-in when left out
        faults        what goes wrong on the way, by rule
        max_requests  after so many in one call that call is stopped, and its outcome says that
                      the loop has no cap
        awaited       whether the learner's code gets an `AsyncOpenAI`
        """
        platform = Platform(model=model or StandIn(), faults=list(faults))
        client = Client(len(self._handed), platform, max_requests, awaited)
        self._handed.append(client)
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
        if self.over is None:
            seen = self._exchanges()
            for client in self._clients:
                client.sent = 0
            try:
                return self._read(self.ask(question), question, tried, seen)
            except _ENDS as over:
                self.over, self.reached = over, tried
        return Outcome(tried, problem="it did not come to this")

    def _read(self, reply: Json, question: Json, tried: str, seen: int) -> Outcome:
        for client in self._clients:
            if client.is_used_up:  # whatever the probe says of it
                sent = f"it had sent {client.max_requests} requests and did not stop"
                return Outcome(tried, problem=f"{sent}: a loop without a cap")
        match reply:
            case {"missing": _}:
                raise Missing(question["name"])
            case {"unwritten": _}:
                raise NotAttempted(question["name"])
            case {"value": value} if question["do"] == "value" and _is_blank(value):
                raise NotAttempted(question["name"])
            case {"cell": _, "raised": dict(error)}:
                raise CellFailed(question["name"], str(error.get("type")), raised(error))
            case {"error": {"type": "MemoryError"}}:
                raise OutOfMemory
            case {"value": value}:
                return Outcome(tried, value)
            case {"error": dict(error)}:
                hint = self._latest_hint() if self._exchanges() > seen else None
                return Outcome(tried, problem=f"your code raised {raised(error)}", hint=hint)
        raise ChannelClosed

    @property
    def _clients(self) -> list[Client]:
        return [each for each in self._handed if isinstance(each, Client)]

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
        case Verdict():
            return one_line(value)
        case {"$type": "ellipsis"}:
            return "... (still to be filled in)"
        case {"$type": str(kind), "$repr": str(text)}:
            return one_line(f"{text} ({_article(kind)} {kind})")
    try:
        text = _repr(value)
    except RecursionError:
        text = "nested too deeply"
    words = {"str": "a string", "NoneType": "nothing: is a return missing?", "int": "an integer"}
    kind = type(value).__name__
    shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return one_line(f"{shown} ({words.get(kind, f'{_article(kind)} {kind}')})")


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
        case list() | dict():
            members = list(value.values() if isinstance(value, dict) else value)
            return bool(members) and all(map(_is_blank, members))
    return False


def _article(noun: str) -> str:
    return "an" if noun[:1].lower() in "aeiou" else "a"


def _not_connected(question: Json) -> Json:
    raise RuntimeError("this submission has no probe behind it")
