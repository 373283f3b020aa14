"""From a model's answer to output items: ids, reasoning, log probabilities, and the token limit.

The model says what; everything the API adds to it is added here (contract B, D).
"""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ..standin.prompt import Answer
from .encrypted import seal
from .errors import Json
from .hosted.desk import Desk
from .hosted.tool import Outcome
from .http import written
from .models import ModelCard
from .tokens import count_text, cut, pieces, sayable

FROM = "utm_source=openai"  # how a site can tell where its visitor came from, as recorded


@dataclass(slots=True)
class Output:
    """What there is of a response so far, what it cost in tokens, and whether it was cut off."""

    response: Json  # as it has begun: what it echoes is in force
    card: ModelCard
    desk: Desk
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
            citations = item.get("citations") or []
            text, found = annotate(sayable(item["text"]), citations, self.desk.sources)
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
