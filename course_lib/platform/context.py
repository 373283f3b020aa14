"""The context of a request: what came before, what is new, and whether it pairs up (contract A3).

The model sees one flat list of items. It is resolved here, from `previous_response_id` or a
conversation and from `input`, and then checked: every call has its output, every output has its
call, and a reasoning item stays with the item it led to.
"""

import re
from dataclasses import dataclass

from .compaction import after_compaction
from .contract import conversation_id
from .encrypted import check_sealed
from .errors import ApiError, Json, refusal
from .hosted.tool import caller_id
from .state import State, StoredResponse

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
    followers = [*context.new[1:], {"role": "user"}]
    for item, follower in zip(context.new, followers, strict=False):
        item_id, kind = item.get("id") or "", item.get("type", "message")
        needed = state.reasoning_before.get(item_id)
        if needed is not None and needed not in present:
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
