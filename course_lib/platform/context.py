"""The context of a request: what came before, what is new, and whether it pairs up (contract A3).

The model sees one flat list of items. It is resolved here, from `previous_response_id` and
`input`, and then checked: every function call has its output, every output has its call, and a
reasoning item stays with the item it led to.
"""

from .errors import ApiError, Json
from .state import State, StoredResponse


def resolve(body: Json, state: State) -> list[Json]:
    """All items the model will see, oldest first: earlier turns, then this request's input."""
    new = as_items(body["input"])
    context = _history(body.get("previous_response_id"), state) + new
    check_pairing(context, state)
    return context


def as_items(value: str | list[Json]) -> list[Json]:
    """`input` as a list of items: a plain string is one user message."""
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    return value


def _history(previous_response_id: str | None, state: State) -> list[Json]:
    """The items of a chain of stored responses, oldest first."""
    chain: list[StoredResponse] = []
    wanted = previous_response_id
    while wanted is not None:
        if not wanted.startswith("resp"):
            raise ApiError(
                f"Invalid 'previous_response_id': '{wanted}'. Expected an ID that begins with "
                "'resp'.",
                param="previous_response_id",
                code="invalid_id_prefix",
            )
        stored = state.responses.get(wanted)
        if stored is None:
            raise ApiError(
                f"Previous response with id '{wanted}' not found.",
                param="previous_response_id",
                code="previous_response_not_found",
                hint="Use the id of a response this platform made, with store left at true.",
            )
        chain.append(stored)
        wanted = stored.body["previous_response_id"]
    items: list[Json] = []
    for stored in reversed(chain):
        items += stored.input_items + stored.body["output"]
    return items


def check_pairing(context: list[Json], state: State) -> None:
    """Refuse a call without its output, an output without its call, a reasoning item torn off."""
    calls = {item["call_id"] for item in context if item.get("type") == "function_call"}
    outputs = {item["call_id"] for item in context if item.get("type") == "function_call_output"}
    for item in context:
        if item.get("type") == "function_call" and item["call_id"] not in outputs:
            raise ApiError(
                f"No tool output found for function call {item['call_id']}.",
                param="input",
                hint=_no_output(item, outputs),
            )
        if item.get("type") == "function_call_output" and item["call_id"] not in calls:
            raise ApiError(
                f"No tool call found for function call output with call_id {item['call_id']}.",
                param="input",
                hint="Keep the model's own items in input: "
                "the function_call goes before its output.",
            )
    _check_reasoning(context, state)


def _no_output(call: Json, outputs: set[str]) -> str:
    if call.get("id") in outputs:
        return (
            f"The output carries {call['id']}, which is the item's id. "
            f"The answer is matched by the call_id, {call['call_id']}."
        )
    return (
        f"Add a function_call_output with call_id {call['call_id']}: "
        "every call of the turn needs its answer."
    )


def _check_reasoning(context: list[Json], state: State) -> None:
    present = {item.get("id") for item in context}
    for index, item in enumerate(context):
        item_id = item.get("id")
        needed = state.reasoning_before.get(item_id) if item_id else None
        if needed is not None and needed not in present:
            raise ApiError(
                f"Item '{item_id}' of type '{item.get('type')}' was provided without its "
                f"required 'reasoning' item: '{needed}'.",
                param="input",
                hint="Send back every item of response.output, the reasoning items included.",
            )
        if item.get("type") == "reasoning" and item_id:
            follower = context[index + 1] if index + 1 < len(context) else {}
            if follower.get("type", "message") in ("message", "function_call_output") and (
                follower.get("role", "user") != "assistant"
            ):
                raise ApiError(
                    f"Item '{item_id}' of type 'reasoning' was provided without its required "
                    "following item.",
                    param="input",
                    hint="Send back the item that followed the reasoning as well.",
                )
