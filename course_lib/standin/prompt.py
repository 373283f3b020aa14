"""What a model is given and what it returns, whichever stands here: the stand-in, or a script."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from .explanation import Explanation

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
class Answer:
    """Output items without ids or status, which are the API's to give.

    Built with `message`, `refusal` and `call`, below.
    """

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
