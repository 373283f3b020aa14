"""The context of a request: what an item may be, what came before, and whether it pairs up.

The shapes of items, and of the parts of what is said, stand in `data/requests.txt` under their
types (contract A2 "Input", A3 "ids"). Of any other item, which a hosted tool made, no more is asked
than that it can be read.

The model sees one flat list of items. It is resolved here, from `previous_response_id` or a
conversation and from `input`, and then checked: every call has its output, every output has its
call, and a reasoning item stays with the item it led to (contract A3).
"""

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Any

from .compaction import after_compaction
from .encrypted import check_sealed
from .errors import ApiError, Json, refusal, wrong_type, wrong_value
from .hosted.tool import caller_id
from .rules import OWN, Rule, mapping, require, shape, shapes, text, up_to, words
from .state import ID_PREFIXES, State, StoredResponse

ROLES = ("assistant", "system", "developer", "user")
ITEM_TYPES, CONTENT_TYPES = words("ItemType"), words("ContentType")
ASSISTANT_CONTENT = ("output_text", "refusal")
USER_CONTENT = ("input_text", "input_image", "input_file", "scoped_content", "input_audio")
OUTPUT_CONTENT = ("input_text", "input_image", "input_file")
# The types of calls that a client may answer, by the types of their answers: both have the call_id.
CALL_OF = {
    f"{kind}_output": kind
    for kind in (
        "function_call", "custom_tool_call", "apply_patch_call", "local_shell_call", "shell_call",
        "computer_call",
    )
} | {"tool_search_output": "tool_search_call"}  # fmt: skip
OUTPUT_OF = {call: output for output, call in CALL_OF.items()}
PAIRED = {*CALL_OF, *OUTPUT_OF}
_TOOL_ROLE = (
    "role 'tool' belongs to Chat Completions. Here a result is an item: "
    '{"type": "function_call_output", "call_id": "...", "output": "..."}.'
)
_AS_TEXT = "Send text: json.dumps(result) turns data into a string the model can read."


def check_items(value: list[Any], path: str = "input") -> None:
    """Check every item; the first bad one is named by its place, `input[2]`."""
    for index, item in enumerate(value):
        place = f"{path}[{index}]"
        if not isinstance(item, dict):
            raise wrong_type(place, "an input item", item, null="null")
        _check_item(item, place)


def _check_item(item: Json, path: str) -> None:
    kind = item_type = item.get("type", "message")
    if item_type not in ITEM_TYPES:
        raise wrong_value(path, item_type, ITEM_TYPES)
    if item_type == "message":
        role = item.get("role")
        if role not in ROLES:
            raise wrong_value(path, role, ROLES, hint=_TOOL_ROLE if role == "tool" else None)
        kind = "assistant_message" if role == "assistant" else "message"
    elif item_type == "function_call_output" and not item.get("call_id"):
        raise refusal("output_without_call_id")
    shape(kind if kind in shapes() else "AnyItem")(item, path)
    if item.get("id") is not None:
        _check_id(item["id"], f"{path}.id", ID_PREFIXES.get(item_type))


def _check_id(value: Any, path: str, prefix: str | None) -> None:
    """An id tells what it is the id of. An empty one fails for its characters, as recorded."""
    up_to(64)(value, path)
    if prefix and value and not value.startswith(prefix):
        expected = f"begins with '{prefix}'."
    elif not re.fullmatch(r"\w+", value, re.ASCII):  # the words say dashes; they fail all the same
        expected = (
            "contains letters, numbers, underscores, or dashes, but this value contained "
            "additional characters."
        )
    else:
        return
    raise refusal("wrong_id", path, value=value, expected=expected)


def _content(expected: str, supported: tuple[str, ...]) -> Rule:
    """A text, or a list of parts of the kinds that belong there."""

    def check(value: Any, path: str) -> None:
        if isinstance(value, str):
            return
        if not isinstance(value, list):
            raise wrong_type(path, expected, value, hint=_AS_TEXT, null="null")
        for index, part in enumerate(value):
            _check_part(part, f"{path}[{index}]", supported)

    return check


OWN.update(
    AssistantContent=_content("one of an array of objects or string", ASSISTANT_CONTENT),
    UserContent=_content("one of an array of objects or string", USER_CONTENT),
    FunctionOutput=_content("one of a string or array of objects", OUTPUT_CONTENT),
)


def _check_part(part: Any, path: str, supported: tuple[str, ...]) -> None:
    mapping(part, path)
    require(part, path, ("type",))
    part_type, in_output = part["type"], supported == OUTPUT_CONTENT
    if part_type not in supported and (in_output or part_type in CONTENT_TYPES):
        raise wrong_value(path, part_type, supported, hint=_AS_TEXT if in_output else None)
    if part_type not in supported:
        raise wrong_value(f"{path}.type", part_type, CONTENT_TYPES)
    if part_type == "input_file":
        _check_file(part, path)
    shape(part_type if part_type in shapes() else "AnyPart")(part, path)


# --- Files inside a message or a tool's output (contract A5, "Files in input") --------------------

_DATA_URL = re.compile(r"data:(?P<mime>[\w.+-]+/[\w.+-]+);base64,", re.ASCII)
_OFFICE = "application/vnd.openxmlformats-officedocument."
READABLE = (
    "application/json", "application/msword", "application/pdf", "application/typescript",
    "application/x-sh", f"{_OFFICE}presentationml.presentation",
    f"{_OFFICE}spreadsheetml.sheet", f"{_OFFICE}wordprocessingml.document",
)  # fmt: skip
IMAGES = {"png": b"\x89PNG", "jpeg": b"\xff\xd8\xff", "gif": b"GIF8", "webp": b"RIFF"}
MEDIA = (".mp3", ".wav", ".ogg", ".flac", ".mp4", ".mov", ".avi", ".webm", ".zip", ".exe")


def _check_file(part: Json, path: str) -> None:
    """Refuse a file that no model can read: a data URL by its MIME type, a link by its ending."""
    data, link = part.get("file_data"), part.get("file_url")
    if data is not None:
        found = _DATA_URL.match(str(data))
        mime = found["mime"] if found else None
        if mime is None or not (mime in READABLE or mime.startswith("text/")):
            raise refusal("wrong_file_data", f"{path}.file_data", mime=mime)
    if isinstance(link, str) and re.split("[?#]", link)[0].lower().endswith(MEDIA):
        raise refusal("file_type_not_supported")


def _image(value: Any, path: str) -> None:
    """The address of an image: a data URL that begins like one, or a link, which is believed."""
    text(value, path)
    if not value.startswith("data:"):
        return
    try:
        data = base64.b64decode(value.partition(",")[2], validate=True)
    except binascii.Error:
        data = b""
    if not data.startswith(tuple(IMAGES.values())):
        raise refusal("wrong_image", formats=list(IMAGES))


OWN["Image"] = _image


# --- What came before, and what is new ------------------------------------------------------------


@dataclass(slots=True)
class Context:
    """`items` is all the model will see, oldest first; `new` is what this request brought."""

    items: list[Json]
    new: list[Json]


def resolve(body: Json, state: State) -> Context:
    """Resolve and check the context of a request; ApiError where the API would refuse it."""
    conversation = conversation_id(body)
    if conversation is not None:
        earlier = list(state.conversations[conversation].items)
    else:
        earlier = history(body.get("previous_response_id"), state)
    new = [_dereference(item, state) for item in as_items(body["input"])]
    context = Context(earlier + new, new)
    check_pairing(context.items)
    check_reasoning(context, state)
    context.items = after_compaction(context.items)
    return context


def conversation_id(body: Json) -> str | None:
    """The conversation that a request names, in one form or the other."""
    value = body.get("conversation")
    return value["id"] if isinstance(value, dict) else value


def as_items(value: str | list[Json]) -> list[Json]:
    """`input` as a list of items: a plain string is one user message."""
    if isinstance(value, str):
        return [{"role": "user", "content": value}] if value else []
    return value


def history(previous_response_id: str | None, state: State) -> list[Json]:
    """The items of a chain of stored responses, oldest first."""
    chain: list[StoredResponse] = []
    wanted = previous_response_id
    while wanted is not None:
        stored = state.responses.get(wanted)
        if stored is None or not stored.body["store"]:
            raise _previous_response(wanted)
        chain.append(stored)
        wanted = stored.body["previous_response_id"]
    items: list[Json] = []
    for stored in reversed(chain):
        items += stored.input_items + stored.body["output"]
    return items


def _previous_response(wanted: str) -> ApiError:
    """Why this id names no response: its shape is looked at first (contract A2)."""
    name = "no_previous_response" if wanted.startswith("resp") else "response_id_prefix"
    if re.search(r"[^A-Za-z0-9_-]", wanted):
        name = "response_id_characters"
    return refusal(name, "previous_response_id", value=wanted)


def _dereference(item: Json, state: State) -> Json:
    """An item_reference becomes the item it names; a reasoning item must still be readable."""
    kind, item_id, sealed = item.get("type"), item.get("id"), item.get("encrypted_content")
    lost = kind in ("reasoning", "compaction") and not sealed and item_id in state.not_stored
    if lost or (kind == "item_reference" and item_id not in state.items):
        raise refusal("item_not_persisted", item_id=item_id)
    if kind in ("reasoning", "compaction") and sealed:
        check_sealed(sealed)
    return state.items[item["id"]] if kind == "item_reference" else item


def check_pairing(items: list[Json]) -> None:
    """Refuse the first call without its output, or output without its call."""
    called: set[tuple[str, str | None]] = set()  # (call type, call_id)
    answered: set[tuple[str, str | None]] = set()
    paired: list[tuple[str, Json]] = [
        (each["type"], each) for each in items if each.get("type") in PAIRED
    ]
    for kind, item in paired:
        if kind in CALL_OF:
            answered.add((CALL_OF[kind], item.get("call_id") or item.get("id")))
        else:
            called.add((kind, item.get("call_id")))
            if caller_id(item):  # a program may go on before all its calls are answered
                answered.add((kind, item.get("call_id")))
    for kind, item in paired:
        call = CALL_OF.get(kind, kind)
        matched = called if kind in CALL_OF else answered
        if not _client_runs(item) or (call, item["call_id"]) in matched:
            continue
        named, call_id = call.replace("_", " "), item["call_id"]
        if kind in CALL_OF:
            raise refusal("output_without_call", called=named, call_id=call_id)
        hint = _ID_FOR_CALL_ID if (kind, item.get("id")) in answered else _ADD_OUTPUT
        hint = hint.format(id=item.get("id"), call_id=call_id, output=OUTPUT_OF[kind])
        raise refusal("call_without_output", called=named, call_id=call_id, hint=hint)


_ID_FOR_CALL_ID = (
    "The output carries {id}, which is the item's id. "
    "The answer is matched by the call_id, {call_id}."
)
_ADD_OUTPUT = "Add a {output} with call_id {call_id}: every call of the turn needs its answer."


def _client_runs(item: Json) -> bool:
    """A hosted tool search, and a command in a container, are answered by the platform itself."""
    hosted = (item.get("environment") or {}).get("type") == "container_reference"
    return item.get("call_id") is not None and item.get("execution") != "server" and not hosted


def check_reasoning(context: Context, state: State) -> None:
    """Refuse a repeated item, a follower without its reasoning item, and the reverse."""
    present: set[str] = set()
    for item_id in filter(None, (item.get("id") for item in context.items)):
        if item_id in present:
            raise refusal("item_twice", item_id=item_id)
        present.add(item_id)
    # One that came back without its id may be any of those that are needed.
    unnamed = any(item.get("type") == "reasoning" and not item.get("id") for item in context.new)
    followers = [*context.new[1:], {"role": "user"}]
    for item, follower in zip(context.new, followers, strict=False):
        item_id, kind = item.get("id") or "", item.get("type", "message")
        needed = state.reasoning_before.get(item_id)
        if needed is not None and needed not in present and not unnamed:
            raise refusal("item_without_reasoning", item_id=item_id, kind=kind, needed=needed)
        if kind == "reasoning" and item_id and not _may_follow(follower):
            raise refusal("reasoning_without_item", item_id=item_id)


def _may_follow(item: Json) -> bool:
    """Whether what comes after a reasoning item is the model's, as it was when it was made.

    A message is told by its id: the same words without it are not the same item (recorded).
    """
    if item.get("type", "message") == "message":
        return item.get("role") == "assistant" and bool(item.get("id"))
    return not item["type"].endswith("_output")
