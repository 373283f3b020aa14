"""The response object: what was asked for, what the model answered, and what it cost (contract B).

Field by field as recorded. `data/response.json` is the reply to a request that names nothing but a
model. The model says what; everything the API adds to it is added here: ids, reasoning, log
probabilities, the token limit, and the links of what is cited (contract D).
"""

import json
import marshal
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from ..standin.prompt import Answer
from .context import conversation_id
from .encrypted import seal
from .errors import Json
from .hosted.desk import Desk
from .hosted.tool import Outcome
from .http import written
from .models import ModelCard
from .tokens import count_text, cut, pieces, sayable

BLANK = Path(__file__).with_name("data") / "response.json"
# `include` and `context_management` are not echoed.
AS_SENT = (
    "background", "frequency_penalty", "instructions", "max_output_tokens", "max_tool_calls",
    "metadata", "parallel_tool_calls", "presence_penalty", "previous_response_id",
    "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "safety_identifier",
    "store", "temperature", "tool_choice", "top_logprobs", "top_p", "truncation", "user",
)  # fmt: skip
DECIMALS = ("frequency_penalty", "presence_penalty", "temperature", "top_p")
# The tier that serves a request: `auto` is the project's, and `fast` is another name (SDK).
TIERS = {"flex": "flex", "priority": "priority", "fast": "priority"}
# The vendor caches prefixes from 1,024 tokens on, in steps of 128.
CACHE_FROM, CACHE_STEP = 1024, 128
FROM = "utm_source=openai"  # how a site can tell where its visitor came from, as recorded


@cache
def _blank() -> bytes:
    return marshal.dumps(json.loads(BLANK.read_text(encoding="utf-8")))


def envelope(
    body: Json, card: ModelCard, tools: list[Json], response_id: str, created_at: int
) -> Json:
    """A response that has begun: status in_progress, no output, no usage."""
    conversation = conversation_id(body)
    response: Json = marshal.loads(_blank())
    response |= {"id": response_id, "created_at": created_at, "tools": tools}
    response |= {"model": card.snapshot, "top_p": card.top_p}
    response["prompt_cache_retention"] = card.retention
    response |= {name: body[name] for name in AS_SENT if body.get(name) is not None}
    response |= {name: float(response[name]) for name in DECIMALS}
    response["reasoning"] = _reasoning(body.get("reasoning") or {}, card)
    response["service_tier"] = TIERS.get(body.get("service_tier") or "auto", "default")
    response["text"] = {
        "format": _shown_format(text_format(body)),
        "verbosity": (body.get("text") or {}).get("verbosity") or "medium",
    }
    return response | ({"conversation": {"id": conversation}} if conversation else {})


def _reasoning(asked: Json, card: ModelCard) -> Json:
    """What is in force: `auto` means a detailed summary, and a model that reasons has a mode."""
    summary = asked.get("summary") or asked.get("generate_summary")
    echoed = {
        "context": asked.get("context") or (card.context if card.reasons else None),
        "effort": asked.get("effort") or card.effort,
        "summary": "detailed" if summary == "auto" else summary,
    }
    return echoed | ({"mode": asked.get("mode") or "standard"} if card.reasons else {})


def text_format(body: Json) -> Json:
    """The form the answer is to take: plain text when the request says nothing."""
    return (body.get("text") or {}).get("format") or {"type": "text"}


def _shown_format(asked: Json) -> Json:
    if asked["type"] != "json_schema":
        return asked
    shown = {name: asked.get(name) for name in ("type", "description", "name", "schema")}
    return shown | {"strict": asked.get("strict") is not False}


# --- The output -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Output:
    """What there is of a response so far, what it cost in tokens, and whether it was cut off."""

    response: Json  # as it has begun: what it echoes is in force
    card: ModelCard
    desk: Desk
    stops: list[str]  # what ends a message, on Chat Completions alone
    items: list[Json] = field(default_factory=list)
    read: int = 0  # tokens of the prompt, once for each time the model was asked
    cached: int = 0  # of these, found in the cache
    tokens: int = 0
    reasoning_tokens: int = 0
    cut: bool = False

    def add(self, answer: Answer) -> bool:
        """Add an answer's items as the API gives them out, cut at `max_output_tokens` if need be.

        Calls are run on the way. True if there were any and all are settled: the model is to be
        asked again. A model that reasons puts a reasoning item first. The items after it belong to
        it, and may not be sent back without it.
        """
        calls = [item for item in answer.items if item["type"] == "function_call"]
        goes_on = bool(calls)
        items = answer.items
        if not self.response["parallel_tool_calls"]:  # at most one call in a turn
            items = [i for i in items if i["type"] != "function_call" or i is calls[0]]
        reasons = self.response["reasoning"]["effort"] not in (None, "none") and items
        reasoning_id = self._reason(answer.explanation.because) if reasons else None
        for item in items:
            if self.tokens == self.response["max_output_tokens"]:
                self.cut = True
            if self.cut:
                break
            if item["type"] == "function_call":
                outcome = self._call(item)
                made, goes_on = outcome.items, goes_on and not outcome.waits
            else:
                made = [self._message(item, "commentary" if calls else "final_answer")]
                self.desk.read += made
            if reasoning_id is not None:
                self.desk.state.reasoning_before |= {each["id"]: reasoning_id for each in made}
            self.items += made
        return goes_on and not self.cut

    def _spend(self, text: str) -> str:
        """Count a text in; what is said of it before the tokens run out."""
        needed, most = count_text(text), self.response["max_output_tokens"]
        left = needed if most is None else max(most - self.tokens, 0)
        self.tokens += min(needed, left)
        if needed <= left:
            return text
        self.cut = True
        return cut(text, left)

    def _reason(self, because: str) -> str:
        """Put the reasoning item in front and return its id. It is the first to use up tokens."""
        before, because = self.tokens, self._spend(sayable(because))
        self.reasoning_tokens += self.tokens - before
        item: Json = {"id": self.desk.state.new_id("rs"), "type": "reasoning", "content": []}
        if "reasoning.encrypted_content" in self.desk.include or not self.response["store"]:
            item["encrypted_content"] = seal(because)
        summary = [{"type": "summary_text", "text": because}]
        item["summary"] = summary if self.response["reasoning"]["summary"] else []
        self.items.append(item)
        return str(item["id"])

    def _call(self, call: Json) -> Outcome:
        """Run a call, unless the tokens end before the model has written it.

        Then a client sees what there is of a call of its own tool, and nothing of a hosted one.
        """
        before = self.tokens
        self._spend(sayable(f"{call['name']}{written(call['arguments'])}"))
        name = self.desk.offer(call["name"]).written
        if self.cut and not name:
            return Outcome([])
        outcome = self.desk.run(call)
        if self.cut:
            item, left = outcome.items[-1], self.tokens - before
            item["status"] = "incomplete"
            item[name] = cut(item[name], max(left - count_text(item["name"]), 0))
        return outcome

    def _message(self, item: Json, phase: str) -> Json:
        part: Json
        if item["type"] == "refusal":
            part = {"type": "refusal", "refusal": self._spend(sayable(item["refusal"]))}
        else:
            text, citations = sayable(item["text"]), item.get("citations") or []
            for stop in self.stops:
                text = text.partition(stop)[0]
            text, found = annotate(text, citations, self.desk.sources)
            text = self._spend(text)
            part = {
                "type": "output_text",
                "annotations": [each for each in found if _end(each) <= len(text)],
                "logprobs": self._logprobs(text),
                "text": text,
            }
        message = {
            "id": self.desk.state.new_id("msg"),
            "type": "message",
            "status": "incomplete" if self.cut else "completed",
            "content": [part],
            "role": "assistant",
        }
        return message | ({"phase": phase} if self.card.phases else {})

    def _logprobs(self, text: str) -> list[Json]:
        """The stand-in weighs no alternatives, so each token is certain: log probability 0."""
        include = "message.output_text.logprobs" in self.desk.include
        return [
            {"token": token, "bytes": list(token.encode()), "logprob": 0.0, "top_logprobs": []}
            for token in (pieces(text) if include or self.response["top_logprobs"] else ())
        ]


# --- From what the model cites to the annotations of a message ------------------------------------


def annotate(text: str, citations: list[Json], sources: dict[str, Json]) -> tuple[str, list[Json]]:
    """The text as it is shown, and its annotations in order.

    A file is shown by its place in the text (`file_citation`, `index`), a page as a link written
    into the text after the words it supports, with the span of that link (`url_citation`), and a
    file of a container where the text links to it, as `sandbox:/mnt/data/…`.

    citations   `{"start", "end", "source"}` of the model, offsets into `text`
    sources     what a hosted tool of this context has returned, each with its annotation
    """
    shown, read = "", 0
    annotations: list[Json] = []
    for cited in sorted(citations, key=lambda each: each["end"]):
        source = sources.get(cited["source"])
        if source is None:  # from a tool of the client's own, which no annotation is for
            continue
        shown, read = shown + text[read : cited["end"]], cited["end"]
        if source["type"] == "url_citation":
            url = f"{source['url']}{'&' if urlsplit(source['url']).query else '?'}{FROM}"
            start = len(shown) + 1
            shown += f" ([{(urlsplit(url).hostname or '').removeprefix('www.')}]({url}))"
            annotations.append(
                {**source, "start_index": start, "end_index": len(shown), "url": url}
            )
        else:
            before_stop = len(shown) - (shown[-1:] in (".", "!", "?"))
            annotations.append({**source, "index": before_stop})
    shown += text[read:]
    linked = [
        {**source, "start_index": shown.find(path), "end_index": shown.find(path) + len(path)}
        for path, source in sources.items()
        if source["type"] == "container_file_citation" and f"({path})" in shown
    ]
    return shown, annotations + sorted(linked, key=lambda each: int(each["start_index"]))


def _end(annotation: Json) -> int:
    return int(annotation.get("end_index") or annotation.get("index") or 0)


# --- The usage ------------------------------------------------------------------------------------


def usage(input_tokens: int, cached: int, output_tokens: int, reasoning_tokens: int) -> Json:
    """The `usage` object of a finished response."""
    return {
        "input_tokens": input_tokens,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
        "output_tokens": output_tokens,
        "output_tokens_details": {"reasoning_tokens": reasoning_tokens},
        "total_tokens": input_tokens + output_tokens,
    }


def cached_tokens(parts: list[tuple[str, int]], prefixes: dict[int, None]) -> int:
    """Remember a prompt's (text, tokens) parts; return the tokens of it that need no new reading.

    A prefix ends where a part ends. `prefixes` has the hash of all the text up to each such end.
    """
    known, total, prefix, unbroken = 0, 0, 0, True
    for text, tokens in parts:
        prefix, total = hash((prefix, text)), total + tokens
        unbroken = unbroken and prefix in prefixes
        known = total if unbroken else known
        prefixes.pop(prefix, None)  # those read last are kept longest
        prefixes[prefix] = None
    return known // CACHE_STEP * CACHE_STEP if known >= CACHE_FROM else 0
