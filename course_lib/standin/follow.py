"""What the stand-in does about a result, before it answers: obey, correct, repeat, or go on.

It is gullible: a sentence in a result that says to call a tool is obeyed if that tool may be
called. A careful model would not, and an application must not count on one.
"""

import json
import re
from typing import Any

from .calls import Call, finish
from .catalogue import Tool
from .fill import Filled, fill
from .forms import shape
from .history import Made, Situation
from .parameters import Parameter
from .prompt import Json
from .request import read_request
from .text import similarity

_ASK = re.compile(r"\b(?:ask|tell|inform)\b.*\b(?:user|customer|person|caller)\b", re.IGNORECASE)


def obey(situation: Situation, tools: dict[str, Tool]) -> tuple[Tool, Json] | None:
    """The call that the latest result tells the model to make, if it has not been made."""
    text = "\n".join(_texts(situation.made[-1].output))
    for found in re.finditer(
        r"\b(?:call|use|run|invoke|execute)\s+(?:the\s+)?(?:tool\s+|function\s+)?[`'\"]?(\w+)[`'\"]?"
        r"(?:\s+(?:tool|function))?(?:\s+(?:first|now|again))?", text, re.IGNORECASE,
    ):  # fmt: skip
        tool = tools.get(found[1])
        if tool is None or any(made.name == tool.name for made in situation.made):
            continue
        rest = re.split(r"(?<=[a-z0-9])[.!?](?:\s|\"|$)|\\n|\n", text[found.end() :], maxsplit=1)[0]
        filled = _named_values(tool, rest)
        for source in (rest, situation.request):
            for label, value in fill(tool, read_request(source)).arguments.items():
                filled.arguments.setdefault(label, value)
                filled.sources.setdefault(label, "the result that asks for the call")
        arguments, missing = finish(Call.of(tool, filled))
        if not missing:
            return tool, arguments
    return None


def _texts(output: Any) -> list[str]:
    """All the texts in a result, whatever their depth."""
    if isinstance(output, dict):
        output = list(output.values())
    if isinstance(output, list):
        return [text for each in output for text in _texts(each)]
    return [output] if isinstance(output, str) else []


def _named_values(tool: Tool, text: str) -> Filled:
    """`with sku X-1, quantity 5 and to a@b.example`: what follows a name is its value."""
    filled = Filled()
    spots = sorted(
        (match.start(), match.end(), parameter)
        for parameter in tool.parameters
        for match in [re.search(rf"\b{re.escape(parameter.name)}\b\s*(?:=|:|\bis\b)?\s*", text)]
        if match
    ) if len({p.name for p in tool.parameters}) == len(tool.parameters) else []  # fmt: skip
    for i, (_, end, parameter) in enumerate(spots):
        stop = spots[i + 1][0] if i + 1 < len(spots) else len(text)
        said = re.sub(r"[\s,;]*(?:\band\b|\bwith\b|,)?\s*$", "", text[end:stop]).strip(" .\"'`")
        data = _as_typed(parameter, said)
        if data is not None:
            filled.put(parameter, data, "the result that asks for the call")
    return filled


def _as_typed(parameter: Parameter, said: str) -> Any:
    if not parameter.types or "string" in parameter.types:
        return said or None
    for value in read_request(said).values:
        if (data := shape(parameter, value, read_request(said))) is not None:
            return data
    return None


def correct(situation: Situation) -> Json | None:
    """The failed call once more, with the value its result suggests; None if that was tried."""
    last = situation.made[-1]
    output = last.output if isinstance(last.output, dict) else {}
    suggestions = next((output[key] for key in _SUGGESTED if output.get(key)), None)
    again = sum(made.name == last.name for made in situation.made) > 1
    if not suggestions or again or not isinstance(last.arguments, dict):
        return None
    if isinstance(suggestions, dict):
        return {**last.arguments, **suggestions}
    suggested = suggestions[0] if isinstance(suggestions, list) else suggestions
    if isinstance(suggested, dict):
        return {**last.arguments, **{k: v for k, v in suggested.items() if k in last.arguments}}
    wrong = _wrong_argument(last, suggested, str(output.get("error")))
    return {**last.arguments, wrong: suggested} if wrong is not None else None


_SUGGESTED = ("suggestions", "suggestion", "did_you_mean", "known", "allowed", "valid_values")


def _wrong_argument(made: Made, suggested: Any, error: str) -> str | None:
    """The argument a suggestion is for: the one likest to it, or that the error names."""
    like = {
        name: (type(value) is type(suggested))
        + 0.5 * (name.lower() in error.lower())
        + max(
            (similarity(name.split("_")[0], word) for word in re.split(r"[\W_]+", error)), default=0
        )
        + 0.5 * bool(_letters(value) & _letters(suggested)) * _overlap(value, suggested)
        for name, value in made.arguments.items()
    }
    return max(like, key=lambda name: like[name], default=None)


def _letters(value: Any) -> set[str]:
    return set(str(value).lower())


def _overlap(a: Any, b: Any) -> float:
    return len(_letters(a) & _letters(b)) / max(len(_letters(a) | _letters(b)), 1)


def says_to_ask(made: Made) -> bool:
    """Whether a failure tells the model to turn to the user with a question."""
    output = made.output if isinstance(made.output, dict) else {}
    found = _ASK.search(str(output.get("how_to_fix") or ""))
    return bool(found) and found is not None and found.group().lower().startswith("ask")


def is_made(call: tuple[str, Json], made: list[Made]) -> bool:
    return any(call[0] == m.name and _plain(call[1]) == _plain(m.arguments) for m in made)


def _plain(arguments: Any) -> str:
    return json.dumps(arguments, sort_keys=True, default=str)


def remaining(calls: list[tuple[str, Json]], made: list[Made]) -> list[tuple[str, Json]]:
    """The planned calls without those made; one made with other arguments still counts as made."""
    left = [call for call in calls if not is_made(call, made)]
    for each in made:
        if any(is_made(call, [each]) for call in calls):
            continue
        same = next((call for call in left if call[0] == each.name), None)
        if same is not None:
            left.remove(same)
    return left


def from_facts(call: Call, facts: Json) -> None:
    """Give a call what it lacks from the results: the same key, or the likest one."""
    for parameter in list(call.missing):
        if parameter.name in facts:
            data = facts[parameter.name]
            call.take(parameter, data, f"{parameter.name} in a result")


def fact_for(parameter: Parameter, facts: Json) -> Any:
    """The value among the results that a parameter means; None when no key is like it."""
    if parameter.name in facts:
        return facts[parameter.name]
    best, data = 0.0, None
    for key, value in facts.items():
        if key == "ok" or isinstance(value, bool | dict | list):
            continue
        weight = max(
            (parameter.cues.get(word, 0.0) for word in key.lower().split("_")), default=0.0
        )
        if weight > best:
            best, data = weight, value
    return data
