"""What was done for the last request, and what follows from it: obey, correct, or go on.

It is gullible: a sentence in a result that says to call a tool is obeyed if that tool may be
called. A careful model would not, and an application must not count on one.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from .fill import Call, fill
from .lexicon import pattern, words
from .prompt import Json
from .request import read_request, shortened
from .text import likeness, name_words
from .tool import Parameter, Tool

GENERIC_FAILURE = "an error occurred while running the tool"


@dataclass(slots=True)
class Made:
    """A call that was made since the request, and what it returned."""

    name: str
    arguments: Any
    output: Any  # data, if it was JSON
    text: str  # as the model reads it

    @property
    def told(self) -> Json:
        """What it returned, by key."""
        return self.output if isinstance(self.output, dict) else {}

    @property
    def failed(self) -> bool:
        return self.told.get("ok") is False or bool(self.told.get("error")) or self.broke

    @property
    def broke(self) -> bool:
        """The SDK's own message for a tool that raised: it says nothing of why."""
        return not self.told and GENERIC_FAILURE in self.text.lower()

    @property
    def printed(self) -> str:
        """What the commands of a shell printed."""
        told = self.told.get("output")
        if not isinstance(told, list):
            return self.text.strip()
        runs = [each for each in told if isinstance(each, dict)]
        parts = [each.get(name) for each in runs for name in ("stdout", "stderr")]
        return "\n".join(str(part).strip() for part in parts if part)


@dataclass(slots=True)
class Situation:
    """The last request, the one before it if the model asked back, and the calls made since."""

    request: str = ""
    told: str = ""  # by system and developer messages
    asked_before: str = ""
    made: list[Made] = field(default_factory=list)
    searched: bool = False  # for tools: what that returned is no source

    @property
    def facts(self) -> Json:
        """What the results say, by key; later results win."""
        return {k: v for made in self.made if not made.failed for k, v in made.told.items()}


def read(items: list[Json]) -> Situation:
    """Read a context, oldest item first. Without a user message the request is empty."""
    before, last = [-1, -1, *(i for i, item in enumerate(items) if item.get("role") == "user")][-2:]
    told = [_text(i.get("content")) for i in items if i.get("role") in ("system", "developer")]
    said = _text(items[last].get("content")) if last >= 0 else ""
    situation = Situation(shortened(said), shortened("\n".join(told)))
    for item in items[before + 1 : last] if before >= 0 else ():
        if item.get("role") == "assistant" and _text(item.get("content")).rstrip().endswith("?"):
            situation.asked_before = _text(items[before].get("content"))
    calls: dict[Any, Json] = {}
    for item in items[last + 1 :]:
        if item.get("type") == "function_call":
            calls[item.get("call_id")] = item
        elif item.get("type") == "function_call_output" and item.get("call_id") in calls:
            call, text = calls[item["call_id"]], _text(item.get("output"))
            arguments = _parsed(call.get("arguments") or "{}")
            if call["name"] == "tool_search":
                situation.searched = True
            else:
                situation.made.append(Made(call["name"], arguments, _parsed(text), text))
    return situation


def obey(situation: Situation, tools: dict[str, Tool]) -> Call | None:
    """The call that the latest result tells the model to make, if it has not been made."""
    text = str(situation.made[-1].output)
    for found in pattern("order to call").finditer(text):
        tool = tools.get(found[1])
        if tool is None or any(made.name == tool.name for made in situation.made):
            continue
        order = pattern("end of order").split(text[found.end() :], maxsplit=1)[0]
        call = fill(tool, read_request(order))
        call.sources = dict.fromkeys(call.arguments, "the result that asks for the call")
        rest = fill(tool, read_request(situation.request)).arguments
        for parameter in [each for each in call.missing if each.label in rest]:
            call.put(parameter, rest[parameter.label], "the request")
        return call
    return None


def corrected(made: list[Made]) -> Json | None:
    """The arguments that failed with what the result suggests; None if that was tried already."""
    last = made[-1]
    keys = sorted(words("suggestion_keys") & last.told.keys())
    suggested = next((last.told[key] for key in keys if last.told[key]), None)
    again = sum(each.name == last.name for each in made) > 1
    if not suggested or again or not last.arguments or not isinstance(last.arguments, dict):
        return None
    if isinstance(suggested, list):
        suggested = suggested[0]
    if isinstance(suggested, dict):
        return last.arguments | {k: v for k, v in suggested.items() if k in last.arguments}
    error = name_words(str(last.told.get("error")))

    def likely(name: str) -> float:
        """An argument of the suggestion's type, that the error speaks of."""
        same_type = type(last.arguments[name]) is type(suggested)
        return same_type + likeness(name_words(name), error)

    return last.arguments | {max(last.arguments, key=likely): suggested}


def fact_for(parameter: Parameter, facts: Json, nearly: bool) -> Any:
    """The value among the results with the parameter's name, or with a name that announces it."""
    if parameter.path[-1] in facts or not nearly:
        return facts.get(parameter.path[-1])
    weights = {
        key: max(parameter.cues.get(word, 0.0) for word in key.lower().split("_"))
        for key, value in facts.items()
        if key != "ok" and not isinstance(value, bool | dict | list)
    }
    best = max(weights, key=lambda key: weights[key], default="")
    return facts[best] if weights.get(best) else None


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
