"""`background: true`: what is seen of a response while it is made, and afterwards."""

from typing import Any

import pytest
from openai import OpenAI

from course_lib import connect
from course_lib.platform.app import Platform
from course_lib.standin import Scripted
from course_lib.standin.prompt import message
from tests.rejections_protocols import made
from tests.test_responses import Listener

PLAIN = "gpt-5.4"


def client() -> OpenAI:
    return connect(Scripted([message("hello there you")]))


def begun(ask: OpenAI, **fields: Any) -> Any:
    return ask.responses.create(model=PLAIN, input="ping", background=True, **fields)


def test_a_response_is_queued_then_in_progress_then_done() -> None:
    ask = client()
    response = begun(ask)
    seen = [response]
    while response.status in ("queued", "in_progress"):
        response = ask.responses.retrieve(response.id)
        seen.append(response)
    assert [each.status for each in seen] == ["queued", "in_progress", "completed"]
    assert all(
        (each.output, each.usage, each.completed_at) == ([], None, None) for each in seen[:2]
    )
    assert response.output_text == "hello there you"
    assert response.completed_at == response.created_at + 3  # seconds of the simulated clock
    assert ask.responses.retrieve(response.id).to_dict() == response.to_dict()


def test_a_response_can_be_cancelled_until_it_is_done() -> None:
    ask = client()
    response = begun(ask)
    for _ in range(2):  # the second time changes nothing
        ended = ask.responses.cancel(response.id)
        assert (ended.status, ended.output, ended.usage) == ("cancelled", [], None)
    assert ask.responses.retrieve(response.id).status == "cancelled"


def test_cancelling_what_is_done_gives_the_response() -> None:
    ask = client()
    response = begun(ask)
    ask.responses.retrieve(response.id)
    assert ask.responses.retrieve(response.id).status == "completed"
    assert ask.responses.cancel(response.id).output_text == "hello there you"


def test_a_cancelled_answer_is_not_in_the_conversation() -> None:
    ask = client()
    conversation = ask.conversations.create()
    ask.responses.cancel(begun(ask, conversation=conversation.id).id)
    items = list(ask.conversations.items.list(conversation.id))
    assert [getattr(item, "role", None) for item in items] == ["user"]


def test_a_stream_can_be_taken_up_where_it_was_left() -> None:
    ask = client()
    stream = begun(ask, stream=True)
    first = [next(stream) for _ in range(6)]
    stream.close()
    assert [event.type for event in first[:3]] == [
        *("response.created", "response.queued", "response.in_progress"),
    ]
    assert first[0].response.status == "queued"
    left = first[-1].sequence_number
    again: Any = ask.responses.retrieve(first[0].response.id, stream=True, starting_after=left)
    rest = list(again)
    numbers = [event.sequence_number for event in [*first, *rest]]
    assert numbers == list(range(len(numbers)))
    assert rest[-1].type == "response.completed"
    deltas = [event.delta for event in [*first, *rest] if event.type.endswith("text.delta")]
    assert "".join(deltas) == "hello there you"


def test_what_is_not_stored_can_be_looked_at_but_not_built_on() -> None:
    platform = Platform(model=Listener())
    body = {"model": PLAIN, "input": "ping", "background": True, "store": False}
    response = made(platform, "/v1/responses", body)
    assert response["status"] == "queued"
    assert platform.state.responses[response["id"]].body["status"] == "completed"
    with pytest.raises(AssertionError, match="previous_response_not_found"):
        made(platform, "/v1/responses", body | {"previous_response_id": response["id"]})
