"""The stand-in model: from what a model sees to what a model returns, deterministically.

It reads the last request, weighs the tools by their words, fills arguments from what was said,
and calls, asks or answers. It knows no course, no shop and no question. What it cannot do:
understand a request that shares no word with the tool, chain tools on a result, or correct a
failed call.
"""

from typing import Any

from . import answer, arguments, choose
from .explanation import Argument, Explanation
from .prompt import Answer, Json, Prompt, call, message
from .structured import as_json_text
from .words import content_words, find_values


class StandIn:
    """A deterministic model. It holds no state: the prompt is all it goes by."""

    def respond(self, prompt: Prompt) -> Answer:
        request, results, made = _read(prompt.items)
        if results and prompt.tool_choice in ("auto", "none"):
            text = answer.from_results(results)
            said = Answer([message(text)], Explanation("every call has its result, so I answer"))
        elif not (tools := _callable(prompt)):
            said = Answer([message(answer.NO_TOOL)], Explanation("there is no tool I may call"))
        else:
            said = _decide(prompt, request, tools, made)
        for item in said.items:
            if item["type"] == "message":
                outputs = [answer.read_output(output) for _, output in results]
                item["text"] = as_json_text(item["text"], prompt.text_format, request, outputs)
        return said


def _decide(prompt: Prompt, request: str, tools: list[Json], made: list[Json]) -> Answer:
    values = find_values(request)
    content = content_words(request)
    filled = {tool["name"]: arguments.fill(tool, request, values) for tool in tools}
    candidates = [choose.score(content, tool, _taken(filled[tool["name"]])) for tool in tools]
    candidates.sort(key=lambda candidate: -candidate.score)  # stable: ties keep the tools' order
    explanation = Explanation(candidates=candidates)
    best, forced = candidates[0], prompt.tool_choice not in ("auto", "none")
    if best.score < choose.THRESHOLD and not forced:
        explanation.because = "no tool's words come near the request"
        return Answer([message(answer.NO_TOOL)], explanation)

    tool = next(tool for tool in tools if tool["name"] == best.tool)
    found = filled[best.tool]
    if found.missing and not forced:
        explanation.because = f"{best.tool} fits, but {', '.join(found.missing)} was not said"
        return Answer([message(answer.ask_for(tool, found.missing))], explanation)
    for name in found.missing:
        found.arguments[name] = arguments.guess(tool["parameters"]["properties"][name])
        found.sources[name] = "a guess: the call was forced and nothing was said"
    ordered = {name: found.arguments[name] for name in _properties(tool) if name in found.arguments}
    batch = [ordered]
    if found.fan_out:
        parameter, further = found.fan_out
        batch += [ordered | {parameter: value} for value in further]
    batch = [each for each in batch if call(best.tool, each) not in made] or [ordered]
    if not prompt.parallel_tool_calls:
        batch = batch[:1]
    explanation.because = (
        f"tool_choice asks for {best.tool}" if forced else f"{best.tool} fits the request best"
    )
    explanation.arguments = [
        Argument(best.tool, name, each[name], found.sources[name])
        for each in batch
        for name in each
    ]
    return Answer([call(best.tool, each) for each in batch], explanation)


def _read(items: list[Json]) -> tuple[str, list[tuple[str, Any]], list[Json]]:
    """The last user text, the results that came after it, and the calls already made for it."""
    last = max((i for i, item in enumerate(items) if item.get("role") == "user"), default=-1)
    request = _text(items[last].get("content")) if last >= 0 else ""
    since = items[last + 1 :]
    calls = {item["call_id"]: item for item in since if item.get("type") == "function_call"}
    results = [
        (calls[item["call_id"]]["name"], item["output"])
        for item in since
        if item.get("type") == "function_call_output" and item["call_id"] in calls
    ]
    made = [call(each["name"], answer.parse(each["arguments"])) for each in calls.values()]
    return request, results, made


def _callable(prompt: Prompt) -> list[Json]:
    """The tools that may be called now: all, none, or the one that tool_choice names."""
    if prompt.tool_choice == "none":
        return []
    if isinstance(prompt.tool_choice, dict):
        return [tool for tool in prompt.tools if tool["name"] == prompt.tool_choice.get("name")]
    return prompt.tools


def _taken(found: arguments.Filled) -> dict[str, float]:
    """The words of the request that this tool can use as arguments, with their weight."""
    taken: dict[str, float] = {}
    for value in found.used:
        weight = choose.NAMED_VALUE if value.kind == "name" else choose.TYPED_VALUE
        taken |= dict.fromkeys(content_words(value.text), weight)
    return taken


def _properties(tool: Json) -> Json:
    properties: Json = (tool.get("parameters") or {}).get("properties") or {}
    return properties


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return " ".join(part.get("text") or "" for part in content or [])
