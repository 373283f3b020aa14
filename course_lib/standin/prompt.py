"""What a model is given and what it returns, whichever stands here: the stand-in, or a script."""

from dataclasses import dataclass, field
from typing import Any, Protocol

Json = dict[str, Any]


@dataclass(slots=True)
class Prompt:
    """All a model sees. `items` are the whole context, oldest first; `tools` may be called."""

    instructions: str | None
    items: list[Json]
    tools: list[Json]
    tool_choice: str | Json = "auto"
    parallel_tool_calls: bool = True
    text_format: Json = field(default_factory=lambda: {"type": "text"})


@dataclass(slots=True)
class Candidate:
    """One tool that was weighed. `score` runs from 0 to 1; `words` are those that counted."""

    tool: str
    score: float
    words: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Argument:
    """One argument of a call, and where its value came from."""

    tool: str
    name: str
    value: Any
    source: str


@dataclass(slots=True)
class Explanation:
    """Why a model answered so: `because` is the sentence, the rest is the evidence for it.

    It is read by `show.choice`, and never sent over the wire.
    """

    because: str = ""
    candidates: list[Candidate] = field(default_factory=list)
    arguments: list[Argument] = field(default_factory=list)

    @property
    def margin(self) -> float:
        """How far the best candidate is ahead of the next; its own score if it stands alone."""
        best, second, *_ = sorted((0.0, 0.0, *(each.score for each in self.candidates)))[::-1]
        return best - second


@dataclass(slots=True)
class Answer:
    """Output items without ids or status, which are the API's to give: see below."""

    items: list[Json]
    explanation: Explanation = field(default_factory=Explanation)


class Model(Protocol):
    def respond(self, prompt: Prompt) -> Answer: ...


def message(text: str) -> Json:
    return {"type": "message", "text": text}


def refusal(text: str) -> Json:
    return {"type": "refusal", "refusal": text}


def call(name: str, arguments: Json) -> Json:
    return {"type": "function_call", "name": name, "arguments": arguments}
