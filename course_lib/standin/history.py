"""What was done for the last request, and what follows from it: obey, correct, or go on.

It is gullible: a sentence in a result that says to call a tool is obeyed if that tool may be
called. A careful model would not, and an application must not count on one.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from .fill import Call, fill
from .lexicon import pattern, words
from .prompt import Json, Prompt
from .request import read_request, shortened
from .text import likeness, name_words
from .tool import Parameter, Tool

GENERIC_FAILURE = "an error occurred while running the tool"
WAYS_OUT = ("stdout", "stderr")


@dataclass(slots=True)
class Made:
    """A call that was made since the request, and what it returned."""

    name: str
    arguments: Any  # data, if it was JSON; so is the output
    output: Any
    text: str  # the output as the model reads it

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
        runs = self.told.get("output")
        if not isinstance(runs, list):
            return self.text.strip()
        parts = [run.get(way) for run in runs if isinstance(run, dict) for way in WAYS_OUT]
        return "\n".join(str(part).strip() for part in parts if part)


@dataclass(slots=True)
class Situation:
    """The last request, what instructions say, and the calls made since the request."""

    request: str = ""  # none without a user message
    asked_before: str = ""  # the request before it, if the model asked back
    sentences: list[str] = field(default_factory=list)  # of instructions, of developer messages
    made: list[Made] = field(default_factory=list)
    searched: bool = False  # for tools: what that returned is no source

    @property
    def facts(self) -> Json:
        """What the results say, by key; later results win."""
        return {k: v for made in self.made if not made.failed for k, v in made.told.items()}


def read(prompt: Prompt) -> Situation:
    """Read a context, from its oldest item on: each user message begins anew."""
    situation, told, asked_back = Situation(), [prompt.instructions or ""], False
    calls: dict[str, Json] = {}
    for item in prompt.items:
        match item.get("role") or item.get("type"):
            case "system" | "developer":
                told.append(_text(item.get("content")))
            case "assistant":
                asked_back = _text(item.get("content")).rstrip().endswith("?")
            case "user":
                before = situation.request if asked_back else ""
                said, asked_back = shortened(_text(item.get("content"))), False
                situation = Situation(said, before)
            case "function_call":
                calls[item["call_id"]] = item
            case "function_call_output" if call := calls.get(item["call_id"]):
                if call["name"] == "tool_search":
                    situation.searched = True
                else:
                    text = _text(item["output"])
                    made = Made(call["name"], _parsed(call["arguments"]), _parsed(text), text)
                    situation.made.append(made)
    text = shortened("\n".join(told)).strip()
    situation.sentences = re.split(r"(?<=[.!?;])\s+|\n+", text) if text else []
    return situation


def obey(situation: Situation, tools: dict[str, Tool]) -> Call | None:
    """The call that the latest result tells the model to make, if it has not been made."""
    text = situation.made[-1].text
    for found in pattern("order to call").finditer(text):
        tool = tools.get(found[1])
        if tool and not any(made.name == tool.name for made in situation.made):
            order = pattern("end of order").split(text[found.end() :], maxsplit=1)[0]
            call = fill(tool, read_request(order))
            call.sources = dict.fromkeys(call.arguments, "the result that asks for the call")
            return call
    return None


def corrections(made: list[Made]) -> list[tuple[str, Json]]:
    """The calls, by name and arguments, that results of failed calls suggest; made ones too.

    What was suggested itself is corrected no more.
    """
    found: list[tuple[str, Json]] = []
    for each in filter(lambda call: call.failed, made):
        own, again = (each.name, each.arguments), (each.name, _corrected(each))
        if own not in found and again not in [own, *found]:
            found.append(again)
    return found


def _corrected(made: Made) -> Json:
    """The arguments that failed with what the result suggests, if it suggests anything."""
    given = made.arguments if isinstance(made.arguments, dict) else {}
    keys = sorted(words("suggestion_keys") & made.told.keys())
    suggested: Any = next((made.told[key] for key in keys if made.told[key]), {})
    suggested = suggested[0] if isinstance(suggested, list) else suggested
    error = name_words(str(made.told.get("error")))

    def likely(name: str) -> float:
        """An argument of the suggestion's type, that the error speaks of."""
        return (type(given[name]) is type(suggested)) + likeness(name_words(name), error)

    if not isinstance(suggested, dict):
        suggested = dict.fromkeys(sorted(given, key=likely, reverse=True)[:1], suggested)
    return given | {k: v for k, v in suggested.items() if k in given}


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


def _parsed(text: str) -> Any:
    """JSON as data, anything else as it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _text(content: str | list[Json] | None) -> str:
    """A text, or those of a list of parts."""
    parts = [{"text": content}] if isinstance(content, str) else content or []
    return " ".join(part.get("text") or "" for part in parts)
