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

# call type → (output type, what the API calls it). The output carries the call's call_id.
PAIRS = {
    "function_call": ("function_call_output", "function call"),
    "custom_tool_call": ("custom_tool_call_output", "custom tool call"),
    "apply_patch_call": ("apply_patch_call_output", "apply patch call"),
    "local_shell_call": ("local_shell_call_output", "local shell call"),
    "shell_call": ("shell_call_output", "shell call"),
    "computer_call": ("computer_call_output", "computer call"),
    "tool_search_call": ("tool_search_output", "tool search call"),
}
_CALL_OF = {output: call for call, (output, _) in PAIRS.items()}


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
    if re.search(r"[^A-Za-z0-9_-]", wanted):
        name = "response_id_characters"
    elif not wanted.startswith("resp"):
        name = "response_id_prefix"
    else:
        name = "no_previous_response"
    return refusal(name, "previous_response_id", value=wanted)


def _dereference(item: Json, state: State) -> Json:
    """An item_reference becomes the item it names; a reasoning item must still be readable."""
    if item.get("type") == "item_reference":
        if item["id"] not in state.items:
            raise _not_persisted(item["id"])
        return state.items[item["id"]]
    if item.get("type") in ("reasoning", "compaction"):
        sealed = item.get("encrypted_content")
        if sealed:
            check_sealed(sealed)
        elif item.get("id") in state.not_stored:
            raise _not_persisted(item["id"])
    return item


def _not_persisted(item_id: str) -> ApiError:
    return refusal("item_not_persisted", item_id=item_id)


def check_pairing(items: list[Json]) -> None:
    """Refuse the first call without its output, or output without its call."""
    called, answered = _pairs(items)
    for item in items:
        kind = item.get("type")
        if kind in PAIRS and _client_runs(item) and (kind, item["call_id"]) not in answered:
            hint = _missing_output(item, answered)
            called_as, call_id = PAIRS[kind][1], item["call_id"]
            raise refusal("call_without_output", called=called_as, call_id=call_id, hint=hint)
        if kind in _CALL_OF and _client_runs(item):
            call_type = _CALL_OF[kind]
            if (call_type, item["call_id"]) not in called:
                called_as, call_id = PAIRS[call_type][1], item["call_id"]
                raise refusal("output_without_call", called=called_as, call_id=call_id)


Pairs = set[tuple[str, str | None]]  # (call type, call_id)


def _pairs(items: list[Json]) -> tuple[Pairs, Pairs]:
    """Of every call, and of every output. A program may go on before all its calls are answered."""
    called: Pairs = set()
    answered: Pairs = set()
    for item in items:
        kind = item.get("type")
        if kind in PAIRS:
            called.add((kind, item.get("call_id")))
            if caller_id(item):
                answered.add((kind, item.get("call_id")))
        elif kind in _CALL_OF:
            answered.add((_CALL_OF[kind], item.get("call_id") or item.get("id")))
    return called, answered


def _client_runs(item: Json) -> bool:
    """A hosted tool search, and a command in a container, are answered by the platform itself."""
    hosted = (item.get("environment") or {}).get("type") == "container_reference"
    return item.get("call_id") is not None and item.get("execution") != "server" and not hosted


def _missing_output(call: Json, answered: Pairs) -> str:
    if (call["type"], call.get("id")) in answered:
        return (
            f"The output carries {call['id']}, which is the item's id. "
            f"The answer is matched by the call_id, {call['call_id']}."
        )
    output_type = PAIRS[call["type"]][0]
    return (
        f"Add a {output_type} with call_id {call['call_id']}: "
        "every call of the turn needs its answer."
    )


def check_reasoning(context: Context, state: State) -> None:
    """Refuse a repeated item, a follower without its reasoning item, and the reverse."""
    present: set[str] = set()
    for item in context.items:
        item_id = item.get("id")
        if item_id and item_id in present:
            raise refusal("item_twice", item_id=item_id)
        if item_id:
            present.add(item_id)
    for index, item in enumerate(context.new):
        item_id = item.get("id")
        needed = state.reasoning_before.get(item_id) if item_id else None
        if needed is not None and needed not in present:
            kind = item.get("type", "message")
            raise refusal("item_without_reasoning", item_id=item_id, kind=kind, needed=needed)
        if item.get("type") == "reasoning" and item_id and not _is_followed(context.new, index):
            raise refusal("reasoning_without_item", item_id=item_id)


def _is_followed(items: list[Json], index: int) -> bool:
    """Whether what comes after a reasoning item is the model's, as it was when it was made.

    A message is told by its id: the same words without it are not the same item (recorded).
    """
    follower = items[index + 1] if index + 1 < len(items) else {"role": "user"}
    if follower.get("type", "message") == "message":
        return follower.get("role") == "assistant" and bool(follower.get("id"))
    return not follower["type"].endswith("_output")
