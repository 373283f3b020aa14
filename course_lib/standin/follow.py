"""What the stand-in does about a result, before it answers: obey, correct, repeat, or go on.

It is gullible: a sentence in a result that says to call a tool is obeyed if that tool may be
called. A careful model would not, and an application must not count on one.
"""

import re
from typing import Any

from .catalogue import Tool
from .fill import Call, fill
from .finish import finish
from .history import Made, Situation, texts
from .lexicon import pattern, words
from .parameters import Parameter
from .prompt import Json
from .request import read_request
from .text import likeness, plain_words

TOLD = "the result that asks for the call"


def obey(situation: Situation, tools: dict[str, Tool]) -> Call | None:
    """The call that the latest result tells the model to make, if it has not been made."""
    text = "\n".join(texts(situation.made[-1].output))
    for found in pattern("order to call").finditer(text):
        tool = tools.get(found[1])
        if tool is None or any(made.name == tool.name for made in situation.made):
            continue
        order = pattern("end of order").split(text[found.end() :], maxsplit=1)[0]
        call = fill(tool, read_request(order))
        call.sources = dict.fromkeys(call.arguments, TOLD)
        rest = fill(tool, read_request(situation.request))
        for parameter in list(call.missing):
            if parameter.label in rest.arguments:
                call.put(parameter, rest.arguments[parameter.label], "the request")
        if not finish(call)[1]:
            return call
    return None


def correct(situation: Situation) -> Json | None:
    """The failed call once more, with the value its result suggests; None if that was tried."""
    last = situation.made[-1]
    output = last.output if isinstance(last.output, dict) else {}
    keys = sorted(words("suggestion_keys") & output.keys())
    suggestions = next((output[key] for key in keys if output[key]), None)
    again = sum(made.name == last.name for made in situation.made) > 1
    if not suggestions or again or not isinstance(last.arguments, dict):
        return None
    suggested = suggestions[0] if isinstance(suggestions, list) else suggestions
    if isinstance(suggested, dict):
        known = {k: v for k, v in suggested.items() if k in last.arguments}
        return {**last.arguments, **known}
    error = plain_words(str(output.get("error")).replace("_", " "))

    def likely(name: str) -> float:
        """An argument of the suggestion's type, that the error speaks of, and that is like it."""
        value, own = last.arguments[name], plain_words(name.replace("_", " "))
        a, b = {*str(value).lower()}, {*str(suggested).lower()}
        alike = len(a & b) / max(len(a | b), 1)
        return (type(value) is type(suggested)) + likeness(own, error) + 0.5 * alike

    wrong = max(last.arguments, key=likely, default=None)
    return {**last.arguments, wrong: suggested} if wrong is not None else None


def says_to_ask(made: Made) -> bool:
    """Whether a failure tells the model to turn to the user with a question."""
    told = made.output.get("how_to_fix") if isinstance(made.output, dict) else None
    return bool(re.search(r"(?i)\bask\b.*\b(?:user|customer|person|caller)\b", str(told or "")))


def remaining(calls: list[tuple[str, Json]], made: list[Made]) -> list[tuple[str, Json]]:
    """The planned calls without those made; one made with other arguments still counts as made."""
    done = [(each.name, each.arguments) for each in made]
    left = [call for call in calls if call not in done]
    for name in [name for name, sent in done if (name, sent) not in calls]:
        if same := next((call for call in left if call[0] == name), None):
            left.remove(same)
    return left


def fact_for(parameter: Parameter, facts: Json, nearly: bool = False) -> Any:
    """The value among the results with the parameter's name, or with a name that announces it."""
    if parameter.path[-1] in facts or not nearly:
        return facts.get(parameter.path[-1])
    weights = {
        key: max((parameter.cues.get(word, 0.0) for word in key.lower().split("_")), default=0.0)
        for key, value in facts.items()
        if key != "ok" and not isinstance(value, bool | dict | list)
    }
    best = max(weights, key=lambda key: weights[key], default="")
    return facts[best] if weights.get(best) else None
