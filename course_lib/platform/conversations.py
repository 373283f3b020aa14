"""`/v1/conversations`: a list of items that outlives its responses.

A response that names a conversation reads its items first, and leaves its input and output in it.
"""

from .context import check_items
from .errors import Json
from .http import Request
from .pages import as_list, listed
from .rules import OWN
from .state import Conversation, State, found

OWN["Items"] = check_items


def create(state: State, request: Request, body: Json) -> Json:
    conversation: Json = {
        "id": state.new_id("conv"),
        "object": "conversation",
        "created_at": state.now,
        "metadata": body.get("metadata") or {},
    }
    items = state.remember(listed(body.get("items") or [], state))
    state.conversations[conversation["id"]] = Conversation(conversation, items)
    return conversation


def add_items(state: State, request: Request, conversation: Conversation, body: Json) -> Json:
    added = state.remember(listed(body["items"], state))
    conversation.items += added
    return as_list(added)


def find_item(state: State, item_id: str, conversation: Conversation) -> Json:
    return found({each["id"]: each for each in conversation.items}, item_id, "no_such_item")


def delete_item(state: State, request: Request, conversation: Conversation, item: Json) -> Json:
    """Take one item out; the reply is the conversation."""
    conversation.items.remove(item)
    return conversation.body
