"""The streamed form of a response: the same object, told as server-sent events (contract C).

Plain and streamed replies come from one finished response, so they cannot differ.
"""

from collections.abc import Iterable, Iterator

from .encrypted import begun
from .errors import Json
from .hosted.tool import ITEM_KINDS, ItemKind, Stage, Told, tell
from .http import sent
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
        yield b"event: %s\ndata: %s\n\n" % (event["type"].encode(), sent(numbered))


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
    queued = started | {"status": "queued"}
    yield {"type": "response.created", "response": queued if response["background"] else started}
    if response["background"]:
        yield {"type": "response.queued", "response": queued}
    yield {"type": "response.in_progress", "response": started}
    for index, item in enumerate(response["output"]):
        yield from _item_events(item, {"output_index": index}, response)
    yield {"type": f"response.{response['status']}", "response": response}


def _item_events(item: Json, where: Json, response: Json) -> Iterator[Event]:
    """An item as it was when it had only begun, its stages, and the whole."""
    kind = _OWN.get(item["type"]) or ITEM_KINDS[item["type"]]
    begun_as = kind.begun(item) if callable(kind.begun) else kind.begun
    first = item | {"status": "in_progress"} | begun_as
    first = {name: value for name, value in first.items() if name not in kind.fleeting}
    yield {"type": "response.output_item.added", **where, "item": first}
    place = where if kind.unnamed else {"item_id": item["id"], **where}
    for stage in kind.stages:
        for name, fields in _stage(stage, item, response):
            yield {"type": f"response.{name}", **place, **fields}
    yield {"type": "response.output_item.done", **where, "item": item}


def _stage(stage: Stage, item: Json, response: Json) -> Told:
    if callable(stage):
        return stage(item, response)
    if stage in item:
        return tell(f"{item['type']}_{stage}", item[stage], {stage: item[stage]})
    return iter([(f"{item['type']}.{stage}", {})])


# --- What the model says and thinks ---------------------------------------------------------------


def _tell_parts(item: Json, response: Json) -> Told:
    for index, part in enumerate(item["content"]):
        place = {"content_index": index}
        if part["type"] == "refusal":
            inside = tell("refusal", part["refusal"], {"refusal": part["refusal"]}, **place)
            empty = part | {"refusal": ""}
        else:
            inside = _tell_text(part, place)
            empty = part | {"text": "", "annotations": [], "logprobs": []}
        yield "content_part.added", {**place, "part": empty}
        yield from inside
        yield "content_part.done", {**place, "part": part}


def _tell_text(part: Json, place: Json) -> Told:
    logprobs = part["logprobs"]  # empty unless they were asked for
    for number, piece in enumerate(pieces(part["text"])):
        told = {"delta": piece, "logprobs": logprobs[number : number + 1]}
        yield "output_text.delta", place | told
    for index, annotation in enumerate(part["annotations"]):
        counted = {"annotation_index": index, "annotation": annotation}
        yield "output_text.annotation.added", place | counted
    yield "output_text.done", place | {"text": part["text"], "logprobs": logprobs}


def _tell_summary(item: Json, response: Json) -> Told:
    for index, part in enumerate(item["summary"]):
        place = {"summary_index": index}
        yield "reasoning_summary_part.added", place | {"part": part | {"text": ""}}
        yield from tell("reasoning_summary_text", part["text"], {"text": part["text"]}, **place)
        yield "reasoning_summary_part.done", place | {"part": part}


def _sealed(item: Json) -> Json:
    """What is sealed is shorter while the reasoning goes on (recorded)."""
    sealed = item.get("encrypted_content")
    return {"encrypted_content": begun(sealed)} if sealed else {}


_OWN = {
    "message": ItemKind("message", (_tell_parts,), {"content": []}),
    "reasoning": ItemKind(
        "reasoning", (_tell_summary,), lambda item: {"summary": [], **_sealed(item)}, ("status",)
    ),
    "compaction": ItemKind("compaction", begun=_sealed, fleeting=("status",)),
}
