"""`/v1/conversations`: a list of items that outlives its responses.

A response that names a conversation reads its items first, and leaves its input and output in it.
"""

from typing import Any

from .errors import GAP, ApiError, Json
from .http import Request
from .items import check_items
from .pages import as_list, list_page, listed
from .rules import Rule, anything, array, fields, metadata, nullable, short
from .state import Conversation, State

AT_ONCE = 20  # items in one request


def _items(value: Any, path: str) -> None:
    array(anything)(value, path)
    short(value, path, AT_ONCE)
    check_items(value, path)


_METADATA: dict[str, Rule] = {"metadata": nullable(metadata)}


def create(state: State, request: Request, body: Json) -> Json:
    fields({}, _METADATA | {"items": nullable(_items)})(body, "")
    conversation: Json = {
        "id": state.new_id("conv"),
        "object": "conversation",
        "created_at": state.now,
        "metadata": body.get("metadata") or {},
    }
    items = state.remember(listed(body.get("items") or [], state))
    state.conversations[conversation["id"]] = Conversation(conversation, items)
    return conversation


def retrieve(state: State, request: Request, conversation_id: str) -> Json:
    return state.conversation(conversation_id).body


def update(state: State, request: Request, conversation_id: str, body: Json) -> Json:
    """Only the metadata can be changed."""
    conversation = state.conversation(conversation_id).body
    fields(_METADATA)(body, "")
    conversation["metadata"] = body["metadata"] or {}
    return conversation


def delete(state: State, request: Request, conversation_id: str) -> Json:
    """Forget the conversation. Its items stay where responses hold them."""
    state.conversation(conversation_id)
    del state.conversations[conversation_id]
    return {"id": conversation_id, "object": "conversation.deleted", "deleted": True}


def add_items(state: State, request: Request, conversation_id: str, body: Json) -> Json:
    conversation = state.conversation(conversation_id)
    fields({"items": _items})(body, "")
    added = state.remember(listed(body["items"], state))
    conversation.items += added
    return as_list(added)


def list_items(state: State, request: Request, conversation_id: str) -> Json:
    return list_page(state.conversation(conversation_id).items, request)


def retrieve_item(state: State, request: Request, conversation_id: str, item_id: str) -> Json:
    for item in state.conversation(conversation_id).items:
        if item["id"] == item_id:
            return item
    raise ApiError(
        f"Item with id '{item_id}' not found in this conversation.", code=GAP, status=404
    )


def delete_item(state: State, request: Request, conversation_id: str, item_id: str) -> Json:
    """Take one item out; the reply is the conversation."""
    conversation = state.conversation(conversation_id)
    conversation.items.remove(retrieve_item(state, request, conversation_id, item_id))
    return conversation.body
