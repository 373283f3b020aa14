"""What the stand-in reads of a conversation: the request, and what was done for it since."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from .prompt import Json

GENERIC_FAILURE = re.compile(r"an error occurred while running the tool", re.IGNORECASE)


@dataclass(slots=True)
class Made:
    """A call that was made since the request, and what it returned."""

    name: str
    arguments: Any
    output: Any  # data, if it was JSON
    text: str  # as the model reads it

    @property
    def failed(self) -> bool:
        told = isinstance(self.output, dict) and (
            self.output.get("ok") is False or bool(self.output.get("error"))
        )
        return told or self.broke

    @property
    def broke(self) -> bool:
        """The SDK's own message for a tool that raised: it says nothing of why."""
        return bool(GENERIC_FAILURE.search(self.text)) and not isinstance(self.output, dict)


@dataclass(slots=True)
class Situation:
    """The last request, the one before it if the model asked back, and the calls made since."""

    request: str = ""
    asked_before: str = ""
    made: list[Made] = field(default_factory=list)

    @property
    def facts(self) -> Json:
        """What the results say, by key; later results win."""
        found: Json = {}
        for made in self.made:
            if isinstance(made.output, dict) and not made.failed:
                found |= made.output
        return found

    @property
    def outputs(self) -> list[Any]:
        return [made.output for made in self.made]


def read(items: list[Json]) -> Situation:
    """Read a context, oldest item first. Without a user message the request is empty."""
    users = [i for i, item in enumerate(items) if item.get("role") == "user"]
    last = users[-1] if users else -1
    situation = Situation(request=_text(items[last].get("content")) if users else "")
    between = items[users[-2] + 1 : last] if len(users) > 1 else []
    if any(item.get("role") == "assistant" and _text(item.get("content")).rstrip().endswith("?")
           for item in between):  # fmt: skip
        situation.asked_before = _text(items[users[-2]].get("content"))
    calls: dict[Any, Json] = {}
    for item in items[last + 1 :]:
        if item.get("type") == "function_call":
            calls[item.get("call_id")] = item
        elif item.get("type") == "function_call_output" and item.get("call_id") in calls:
            call = calls[item["call_id"]]
            text = _text(item.get("output"))
            arguments = parse(call.get("arguments") or "{}")
            situation.made.append(Made(str(call.get("name")), arguments, parse(text), text))
    return situation


def parse(text: Any) -> Any:
    """JSON as data, anything else as it is."""
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return " ".join(str(p.get("text") or "") for p in parts if isinstance(p, dict))
