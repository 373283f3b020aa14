"""Conversations: items that outlive a response, and what a response does with them."""

import json
from typing import Any

import openai
import pytest
from openai import OpenAI

from course_lib import connect
from course_lib.platform.app import Platform
from course_lib.standin import Scripted, call
from course_lib.standin.prompt import message
from tests.rejections import a_call, an_output, function, schema, user
from tests.rejections_protocols import made
from tests.test_responses import Listener
from tests.test_streams import Description, described, description  # noqa: F401

PLAIN = "gpt-5.4"
TEXT = {"type": "string"}
GET_ORDER: Any = function(schema({"order_id": TEXT}), name="get_order")


def client(*turns: Any) -> OpenAI:
    return connect(Scripted(list(turns) or [message("hello")]))


def texts(items: Any) -> list[str]:
    return [item.content[0].text for item in items]


def test_a_conversation_is_made_found_changed_and_deleted() -> None:
    ask = client().conversations
    before: Any = [user("one")]
    conversation = ask.create(metadata={"topic": "a"}, items=before)
    assert (conversation.object, conversation.metadata) == ("conversation", {"topic": "a"})
    assert ask.update(conversation.id, metadata={"topic": "b"}).metadata == {"topic": "b"}
    assert ask.retrieve(conversation.id).metadata == {"topic": "b"}
    assert ask.delete(conversation.id).deleted
    with pytest.raises(openai.NotFoundError):
        ask.retrieve(conversation.id)


def test_items_are_added_listed_found_and_taken_out() -> None:
    ask = client().conversations
    conversation = ask.create()
    given: Any = [user(str(number)) for number in range(3)]
    added = ask.items.create(conversation.id, items=given)
    assert texts(added.data) == ["0", "1", "2"]
    assert texts(ask.items.list(conversation.id)) == ["2", "1", "0"]
    assert texts(ask.items.list(conversation.id, order="asc", limit=2)) == ["0", "1", "2"]
    second: Any = added.data[1]
    assert texts([ask.items.retrieve(second.id, conversation_id=conversation.id)]) == ["1"]
    assert ask.items.delete(second.id, conversation_id=conversation.id).id == conversation.id
    assert texts(ask.items.list(conversation.id)) == ["2", "0"]


def test_what_is_listed_can_be_sent_back() -> None:
    """Of items that came without ids too: the Agents SDK's conversation sessions do so."""
    ask = client()
    custom = {"type": "custom_tool_call", "call_id": "call_2", "name": "note", "input": "late"}
    noted = {"type": "custom_tool_call_output", "call_id": "call_2", "output": "ok"}
    thought = {"type": "reasoning", "summary": []}
    said = {"role": "assistant", "content": "One moment.", "phase": "commentary"}
    given: Any = [user(), said, thought, a_call("call_1"), an_output("call_1"), custom, noted]
    conversation = ask.conversations.create(items=given)
    listed: Any = [i.to_dict() for i in ask.conversations.items.list(conversation.id, order="asc")]
    assert [item["id"] for item in listed] == [
        *("msg_1", "msg_2", "rs_1", "fc_1", "fco_1", "ctc_1", "item_1")
    ]
    assert listed[1]["phase"] == "commentary"
    assert ask.responses.create(model=PLAIN, input=listed).output_text == "hello"


def test_a_response_reads_the_conversation_and_leaves_its_turn_in_it() -> None:
    model = Listener(message("hello"))
    platform = Platform(model=model)
    conversation = made(platform, "/v1/conversations", {"items": [user("before")]})
    for text in ("first", "second"):
        body = {"model": PLAIN, "input": text, "conversation": conversation["id"]}
        response = made(platform, "/v1/responses", body)
        assert response["conversation"] == {"id": conversation["id"]}
    said = [item["content"] for item in model.prompts[-1].items]
    assert [each if isinstance(each, str) else each[0]["text"] for each in said] == [
        *("before", "first", "hello"),
        "second",
    ]
    assert len(platform.state.conversations[conversation["id"]].items) == 5


def test_a_conversation_may_be_named_by_an_object_and_needs_no_input() -> None:
    ask = client()
    before: Any = [user("ping")]
    conversation = ask.conversations.create(items=before)
    answered = ask.responses.create(model=PLAIN, input=[], conversation={"id": conversation.id})
    assert answered.output_text == "hello"


def test_a_call_in_a_conversation_is_answered_by_its_output_alone() -> None:
    ask = client(call("get_order", {"order_id": "A-104"}), message("done"))
    conversation = ask.conversations.create()
    asked: Any = {"model": PLAIN, "conversation": conversation.id, "tools": [GET_ORDER]}
    ask.responses.create(input="Where is A-104?", **asked)
    found: Any = {"input": [an_output("call_1")]}
    assert ask.responses.create(**asked, **found).output_text == "done"
    kinds = [item.type for item in ask.conversations.items.list(conversation.id, order="asc")]
    assert kinds == ["message", "function_call", "function_call_output", "message"]


def test_a_deleted_response_leaves_no_answer_in_the_conversation() -> None:
    ask = client()
    conversation = ask.conversations.create()
    answered = ask.responses.create(model=PLAIN, input="ping", conversation=conversation.id)
    ask.responses.delete(answered.id)
    assert texts(ask.conversations.items.list(conversation.id)) == ["ping"]


@described
def test_the_description_accepts_every_reply(description: Description) -> None:  # noqa: F811
    platform = Platform()
    path = "/v1/conversations"
    conversation = made(platform, path, {"metadata": {"topic": "a"}})
    assert description.complaints("ConversationResource", conversation) == []
    path = f"{path}/{conversation['id']}/items"
    added = made(platform, path, {"items": [user("ping")]})
    assert description.complaints("ConversationItemList", added) == []
    assert json.dumps(added)
