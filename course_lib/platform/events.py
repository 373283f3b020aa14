"""The streamed form of a response: the same object, told as server-sent events (contract C).

Plain and streamed replies come from one finished response, so they cannot differ.
"""

from collections.abc import Iterable, Iterator

from .encrypted import begun
from .errors import Json
from .hosted import BY_ITEM
from .hosted.tool import ItemKind
from .http import written
from .tokens import pieces

Event = Json


def encode(events: Iterable[Event], *, obfuscate: bool = True, after: int = -1) -> Iterator[bytes]:
    """Each event as the bytes of one server-sent event, numbered from 0; those `after` a number."""
    for number, event in enumerate(events):
        if number <= after:
            continue
        numbered = event | {"sequence_number": number}
        if obfuscate and isinstance(event.get("delta"), str):
            numbered["obfuscation"] = padding(event["delta"])
        data = written(numbered)
        yield f"event: {event['type']}\ndata: {data}\n\n".encode()


def padding(delta: str) -> str:
    """Fills a delta up, so that its length on the wire tells a listener nothing."""
    return "x" * (16 - len(delta) % 16)


def opening(response: Json) -> Json:
    """A response as it was when it had only begun."""
    return response | {
        "status": "in_progress",
        "output": [],
        "usage": None,
        "completed_at": None,
        "incomplete_details": None,
        "service_tier": "auto",
    }


def response_events(response: Json) -> Iterator[Event]:
    """The events of a finished response, from response.created to the one that ends it."""
    started = opening(response)
    if response["background"]:
        queued = started | {"status": "queued"}
        yield {"type": "response.created", "response": queued}
        yield {"type": "response.queued", "response": queued}
    else:
        yield {"type": "response.created", "response": started}
    yield {"type": "response.in_progress", "response": started}
    for index, item in enumerate(response["output"]):
        yield from _item_events(item, index, response)
    yield {"type": f"response.{response['status']}", "response": response}


def _item_events(item: Json, index: int, response: Json) -> Iterator[Event]:
    where = {"output_index": index}
    kind = BY_ITEM.get(item["type"])
    added: Json
    match item["type"]:
        case "message":
            added = {"status": "in_progress", "content": []}
            inside = _message_events(item, where)
        case _ if kind:
            begun_as = kind.begun(item) if callable(kind.begun) else kind.begun
            added = {"status": "in_progress", **begun_as}
            inside = _stages(item, where, kind, response)
        case "compaction":
            added, inside = {"encrypted_content": begun(item["encrypted_content"])}, iter(())
        case _:
            added = {"summary": []}
            if sealed := item.get("encrypted_content"):
                added["encrypted_content"] = begun(sealed)
            inside = _reasoning_events(item, where)
    first = item | added
    if kind:
        first = {name: first[name] for name in first if name not in kind.fleeting}
    yield {"type": "response.output_item.added", **where, "item": first}
    yield from inside
    yield {"type": "response.output_item.done", **where, "item": item}


def _message_events(item: Json, where: Json) -> Iterator[Event]:
    for content_index, part in enumerate(item["content"]):
        place = {"item_id": item["id"], **where, "content_index": content_index}
        if part["type"] == "refusal":
            inside = _refusal_events(part, place)
            empty = part | {"refusal": ""}
        else:
            inside = _text_events(part, place)
            empty = part | {"text": "", "annotations": [], "logprobs": []}
        yield {"type": "response.content_part.added", **place, "part": empty}
        yield from inside
        yield {"type": "response.content_part.done", **place, "part": part}


def _text_events(part: Json, place: Json) -> Iterator[Event]:
    kind, logprobs = "response.output_text", part["logprobs"]
    for number, piece in enumerate(pieces(part["text"])):
        shown = logprobs[number : number + 1]  # empty unless they were asked for
        yield {"type": f"{kind}.delta", **place, "delta": piece, "logprobs": shown}
    for index, annotation in enumerate(part["annotations"]):
        counted = {"annotation_index": index, "annotation": annotation}
        yield {"type": f"{kind}.annotation.added", **place, **counted}
    yield {"type": f"{kind}.done", **place, "text": part["text"], "logprobs": logprobs}


def _refusal_events(part: Json, place: Json) -> Iterator[Event]:
    for piece in pieces(part["refusal"]):
        yield {"type": "response.refusal.delta", **place, "delta": piece}
    yield {"type": "response.refusal.done", **place, "refusal": part["refusal"]}


def _stages(item: Json, where: Json, kind: ItemKind, response: Json) -> Iterator[Event]:
    """The stages of a call, each an event; a field of the item is told piece by piece."""
    place = where if kind.unnamed else {"item_id": item["id"], **where}
    begins = f"response.{item['type']}"
    for stage in kind.stages:
        if callable(stage):
            for tail, fields in stage(item, response):
                yield {"type": f"{begins}{tail}", **place, **fields}
        elif stage in item:
            for piece in pieces(item[stage]):
                yield {"type": f"{begins}_{stage}.delta", **place, "delta": piece}
            yield {"type": f"{begins}_{stage}.done", **place, stage: item[stage]}
        else:
            yield {"type": f"{begins}.{stage}", **place}


def _reasoning_events(item: Json, where: Json) -> Iterator[Event]:
    kind = "response.reasoning_summary"
    for summary_index, part in enumerate(item["summary"]):
        place = {"item_id": item["id"], **where, "summary_index": summary_index}
        yield {"type": f"{kind}_part.added", **place, "part": part | {"text": ""}}
        for piece in pieces(part["text"]):
            yield {"type": f"{kind}_text.delta", **place, "delta": piece}
        yield {"type": f"{kind}_text.done", **place, "text": part["text"]}
        yield {"type": f"{kind}_part.done", **place, "part": part}
