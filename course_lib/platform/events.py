"""The streamed form of a response: the same object, told as server-sent events (contract C).

Plain and streamed replies come from one finished response, so they cannot differ.
"""

import json
import re
from collections.abc import Iterator

from .errors import Json

# Words with the space before them, marks one by one: about the size of the real deltas.
_PIECES = re.compile(r"\s*\w+|\s*[^\w\s]|\s+$")


def stream(response: Json, *, obfuscate: bool = True) -> Iterator[bytes]:
    """Each event of `response` as the bytes of one server-sent event, numbered from 0."""
    for number, event in enumerate(_events(response)):
        event["sequence_number"] = number
        if obfuscate and "delta" in event:
            # Fills a delta up, so that its length on the wire tells a listener nothing.
            event["obfuscation"] = "x" * (16 - len(event["delta"]) % 16)
        data = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        yield f"event: {event['type']}\ndata: {data}\n\n".encode()


def _events(response: Json) -> Iterator[Json]:
    begun = response | {"status": "in_progress", "output": [], "usage": None, "completed_at": None}
    begun["service_tier"] = "auto"
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(response["output"]):
        yield from _item_events(item, index)
    yield {"type": f"response.{response['status']}", "response": response}


def _item_events(item: Json, index: int) -> Iterator[Json]:
    added, where = dict(item), {"output_index": index}
    inside: Iterator[Json] = iter(())
    if item["type"] == "message":
        added |= {"status": "in_progress", "content": []}
        inside = _message_events(item, where)
    elif item["type"] == "function_call":
        added |= {"status": "in_progress", "arguments": ""}
        inside = _call_events(item, where)
    elif item["type"] == "reasoning":
        added |= {"summary": []}
        inside = _reasoning_events(item, where)
    yield {"type": "response.output_item.added", **where, "item": added}
    yield from inside
    yield {"type": "response.output_item.done", **where, "item": item}


def _message_events(item: Json, where: Json) -> Iterator[Json]:
    for content_index, part in enumerate(item["content"]):
        place = {"item_id": item["id"], **where, "content_index": content_index}
        yield {"type": "response.content_part.added", **place, "part": part | {"text": ""}}
        for piece in _PIECES.findall(part["text"]):
            yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
        yield {"type": "response.output_text.done", **place, "text": part["text"], "logprobs": []}
        yield {"type": "response.content_part.done", **place, "part": part}


def _call_events(item: Json, where: Json) -> Iterator[Json]:
    place = {"item_id": item["id"], **where}
    for piece in _PIECES.findall(item["arguments"]):
        yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
    yield {
        "type": "response.function_call_arguments.done",
        **place,
        "name": item["name"],
        "arguments": item["arguments"],
    }


def _reasoning_events(item: Json, where: Json) -> Iterator[Json]:
    for summary_index, part in enumerate(item["summary"]):
        place = {"item_id": item["id"], **where, "summary_index": summary_index}
        kind = "response.reasoning_summary"
        yield {"type": f"{kind}_part.added", **place, "part": part | {"text": ""}}
        for piece in _PIECES.findall(part["text"]):
            yield {"type": f"{kind}_text.delta", **place, "delta": piece}
        yield {"type": f"{kind}_text.done", **place, "text": part["text"]}
        yield {"type": f"{kind}_part.done", **place, "part": part}
