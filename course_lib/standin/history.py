"""What the stand-in reads of a conversation: the request, and what was done for it since."""

import json
from dataclasses import dataclass, field
from typing import Any

from .prompt import Json
from .request import shortened

GENERIC_FAILURE = "an error occurred while running the tool"


@dataclass(slots=True)
class Made:
    """A call that was made since the request, and what it returned."""

    name: str
    arguments: Any
    output: Any  # data, if it was JSON
    text: str  # as the model reads it

    @property
    def failed(self) -> bool:
        told = self.output if isinstance(self.output, dict) else {}
        return told.get("ok") is False or bool(told.get("error")) or self.broke

    @property
    def broke(self) -> bool:
        """The SDK's own message for a tool that raised: it says nothing of why."""
        return GENERIC_FAILURE in self.text.lower() and not isinstance(self.output, dict)


@dataclass(slots=True)
class Situation:
    """The last request, the one before it if the model asked back, and the calls made since."""

    request: str = ""
    told: str = ""  # by system and developer messages
    asked_before: str = ""
    made: list[Made] = field(default_factory=list)
    searched: list[Made] = field(default_factory=list)  # calls of tool_search: no source

    @property
    def facts(self) -> Json:
        """What the results say, by key; later results win."""
        found: Json = {}
        for made in self.made:
            if isinstance(made.output, dict) and not made.failed:
                found |= made.output
        return found


def read(items: list[Json]) -> Situation:
    """Read a context, oldest item first. Without a user message the request is empty."""
    users = [i for i, item in enumerate(items) if item.get("role") == "user"]
    if not users:
        users, items = [0], [{}, *items]
    situation = Situation(shortened(_text(items[users[-1]].get("content"))))
    told = [item for item in items if item.get("role") in ("system", "developer")]
    situation.told = shortened("\n".join(_text(item.get("content")) for item in told))
    for item in items[users[-2] + 1 : users[-1]] if len(users) > 1 else ():
        if item.get("role") == "assistant" and _text(item.get("content")).rstrip().endswith("?"):
            situation.asked_before = _text(items[users[-2]].get("content"))
    calls: dict[Any, Json] = {}
    for item in items[users[-1] + 1 :]:
        if item.get("type") == "function_call":
            calls[item.get("call_id")] = item
        elif item.get("type") == "function_call_output" and item.get("call_id") in calls:
            call, text = calls[item["call_id"]], _text(item.get("output"))
            arguments = _parsed(call.get("arguments") or "{}")
            made = Made(str(call.get("name")), arguments, _parsed(text), text)
            (situation.searched if made.name == "tool_search" else situation.made).append(made)
    return situation


def texts(output: Any) -> list[str]:
    """All the texts in a result, whatever their depth."""
    if isinstance(output, dict):
        output = list(output.values())
    if isinstance(output, list):
        return [text for each in output for text in texts(each)]
    return [output] if isinstance(output, str) else []


def _parsed(text: Any) -> Any:
    """JSON as data, anything else as it is."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return text


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return " ".join(str(p.get("text") or "") for p in parts if isinstance(p, dict))
