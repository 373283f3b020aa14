"""From a model's answer to output items: ids, reasoning, log probabilities, and the token limit.

The model says what; everything the API adds to it is added here (contract B).
"""

from dataclasses import dataclass

from ..standin.prompt import Answer
from .annotations import annotate
from .encrypted import seal
from .errors import Json
from .hosted.desk import Desk
from .hosted.tool import Outcome
from .http import written
from .models import ModelCard
from .state import State
from .tokens import count_text, cut, pieces, render_item, sayable


@dataclass(slots=True)
class Output:
    """The items of a response, what they cost in tokens, and whether they were cut off."""

    items: list[Json]
    read: int = 0  # tokens of the prompt, once for each time the model was asked
    cached: int = 0  # of these, found in the cache
    tokens: int = 0
    reasoning_tokens: int = 0
    cut: bool = False


@dataclass(slots=True)
class Wishes:
    """What of a request bears on the output."""

    effort: str | None
    summary: str | None
    max_tokens: int | None
    sealed: bool  # reasoning.encrypted_content was asked for
    logprobs: bool
    parallel: bool

    @classmethod
    def of(cls, body: Json, response: Json) -> "Wishes":
        include = body.get("include") or []
        return cls(
            effort=response["reasoning"]["effort"],
            summary=response["reasoning"]["summary"],
            max_tokens=response["max_output_tokens"],
            sealed="reasoning.encrypted_content" in include or not response["store"],
            logprobs="message.output_text.logprobs" in include or response["top_logprobs"] > 0,
            parallel=response["parallel_tool_calls"],
        )


def add_answer(
    output: Output, answer: Answer, wishes: Wishes, card: ModelCard, desk: Desk, state: State
) -> bool:
    """Add an answer's items as the API gives them out, cut at `max_output_tokens` if need be.

    Calls are run on the way. True if there were any and all are settled: the model is to be asked
    again. A model that reasons puts a reasoning item first. The items after it belong to it, and
    may not be sent back without it.
    """
    reasoning_id = None
    if wishes.effort not in (None, "none") and answer.items:
        reasoning_id = _reason(answer, wishes, state, output)
    items = answer.items if wishes.parallel else _one_call(answer.items)
    calls = any(item["type"] == "function_call" for item in items)
    goes_on = calls
    for item in items:
        if output.tokens == wishes.max_tokens:
            output.cut = True
        if output.cut:
            break
        if item["type"] == "function_call":
            outcome = _run(item, output, wishes, desk)
            made, goes_on = outcome.items, goes_on and not outcome.waits
        else:
            message = _message(item, desk, state)
            if card.phases:
                message["phase"] = "commentary" if calls else "final_answer"
            _limit(message, output, wishes.max_tokens)
            if wishes.logprobs:
                _add_logprobs(message)
            desk.read.append(message)
            made = [message]
        if reasoning_id is not None:
            state.reasoning_before |= {each["id"]: reasoning_id for each in made}
        output.items += made
    return goes_on and not output.cut


def _run(call: Json, output: Output, wishes: Wishes, desk: Desk) -> Outcome:
    """Run a call, unless the tokens end before the model has written it.

    Then a client sees what there is of a call of its own tool, and nothing of a hosted one.
    """
    said = sayable(f"{call['name']}{written(call['arguments'])}")
    needed = count_text(said)
    left = needed if wishes.max_tokens is None else wishes.max_tokens - output.tokens
    output.tokens += min(needed, left)
    if needed <= left:
        return desk.run(call)
    output.cut = True
    field = desk.offer(call["name"]).written
    if not field:
        return Outcome([])
    outcome = desk.run(call)
    item = outcome.items[-1]
    item["status"] = "incomplete"
    item[field] = cut(item[field], max(left - count_text(item["name"]), 0))  # the name comes first
    return outcome


def _one_call(items: list[Json]) -> list[Json]:
    """`parallel_tool_calls: false`: at most one call in a turn."""
    first = next((item for item in items if item["type"] == "function_call"), None)
    return [item for item in items if item["type"] != "function_call" or item is first]


def _reason(answer: Answer, wishes: Wishes, state: State, output: Output) -> str:
    """Put the reasoning item in front and return its id. It is the first to use up tokens."""
    because, needed = sayable(answer.explanation.because), count_text(answer.explanation.because)
    if wishes.max_tokens is not None and needed > (left := wishes.max_tokens - output.tokens):
        because, needed = cut(because, left), left
    item: Json = {"id": state.new_id("rs"), "type": "reasoning", "content": []}
    if wishes.sealed:
        item["encrypted_content"] = seal(because)
    item["summary"] = [{"type": "summary_text", "text": because}] if wishes.summary else []
    output.items.append(item)
    output.reasoning_tokens += needed
    output.tokens += needed
    return str(item["id"])


def _message(item: Json, desk: Desk, state: State) -> Json:
    part: Json
    if item["type"] == "refusal":
        part = {"type": "refusal", "refusal": sayable(item["refusal"])}
    else:
        text, found = annotate(sayable(item["text"]), item.get("citations") or [], desk.sources)
        part = {"type": "output_text", "annotations": found, "logprobs": [], "text": text}
    return {
        "id": state.new_id("msg"),
        "type": "message",
        "status": "completed",
        "content": [part],
        "role": "assistant",
    }


def _limit(item: Json, output: Output, max_tokens: int | None) -> None:
    """Count a message in, and cut its text where the tokens run out."""
    needed = count_text(render_item(item))
    left = needed if max_tokens is None else max(max_tokens - output.tokens, 0)
    output.tokens += min(needed, left)
    if needed <= left:
        return
    output.cut = True
    item["status"] = "incomplete"
    for part in item["content"]:
        key = "text" if part["type"] == "output_text" else "refusal"
        part[key] = cut(part[key], left)
        if found := part.get("annotations"):
            ends = [each.get("end_index", each.get("index", 0)) for each in found]
            part["annotations"] = [
                each for each, end in zip(found, ends, strict=True) if end <= len(part[key])
            ]


def _add_logprobs(message: Json) -> None:
    """The stand-in weighs no alternatives, so each token it says is certain: log probability 0."""
    for part in message["content"]:
        if part["type"] == "output_text":
            part["logprobs"] = [
                {"token": token, "bytes": list(token.encode()), "logprob": 0.0, "top_logprobs": []}
                for token in pieces(part["text"])
            ]
