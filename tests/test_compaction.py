"""Compaction: a sealed item that the platform can open again, and what the model then reads."""

from typing import Any

from openai import OpenAI

from course_lib import connect
from course_lib.platform.app import Platform
from course_lib.platform.encrypted import opened, seal
from course_lib.standin import Scripted
from course_lib.standin.prompt import message
from course_lib.transport import OFFLINE
from tests.rejections import a_call, an_output, user
from tests.rejections_protocols import made
from tests.test_responses import Listener
from tests.test_streams import Description, described, description  # noqa: F401

PLAIN = "gpt-5.4"
SAID: Any = [
    user("Where is order A-104?"),
    a_call("call_1", "get_order", arguments='{"order_id": "A-104"}'),
    an_output("call_1", '{"status": "delayed"}'),
    {"role": "assistant", "content": "It is delayed."},
]


def compacted(platform: Platform, **fields: Any) -> Any:
    return made(platform, "/v1/responses/compact", {"model": PLAIN} | fields)


def test_the_users_messages_stay_and_the_rest_is_sealed() -> None:
    answered = compacted(Platform(), input=SAID)
    *kept, item = answered["output"]
    assert [each["content"][0]["text"] for each in kept] == ["Where is order A-104?"]
    assert set(item) == {"id", "type", "encrypted_content"}
    assert item["id"].startswith("cmp_")
    notes = opened(item["encrypted_content"]) or ""
    assert 'function call output: {"status": "delayed"}' in notes
    assert "assistant: It is delayed." in notes
    usage = answered["usage"]
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]


def test_the_model_reads_the_notes_in_place_of_what_came_before() -> None:
    model = Listener()
    platform = Platform(model=model)
    *_, item = compacted(platform, input=SAID)["output"]
    made(platform, "/v1/responses", {"model": PLAIN, "input": [*SAID, item, user("And now?")]})
    notes, asked = model.prompts[-1].items
    assert notes["role"] == "developer" and "It is delayed." in notes["content"]
    assert asked == user("And now?")


def test_notes_on_notes_keep_their_lines() -> None:
    platform = Platform()
    *_, first = compacted(platform, input=SAID)["output"]
    *kept, second = compacted(platform, input=[first, user("And now?")])["output"]
    assert [each["content"][0]["text"] for each in kept] == ["And now?"]
    lines = (opened(second["encrypted_content"]) or "").splitlines()
    assert lines[-2:] == ["assistant: It is delayed.", "user: And now?"]


def test_a_long_context_makes_short_notes() -> None:
    said = [user(f"{number} " + "word " * 500) for number in range(50)]
    answered = compacted(Platform(), input=said)
    assert answered["usage"]["input_tokens"] > 25_000
    assert answered["usage"]["output_tokens"] <= 1_020
    assert "49 word" in str(opened(answered["output"][-1]["encrypted_content"]))


def test_a_chain_can_be_compacted_by_its_last_response() -> None:
    client = connect(Scripted([message("hello"), message("again")]))
    first = client.responses.create(model=PLAIN, input="one")
    second = client.responses.create(model=PLAIN, input="two", previous_response_id=first.id)
    folded: Any = client.responses.compact(model=PLAIN, previous_response_id=second.id)
    said = [item.content[0].text for item in folded.output[:-1]]
    assert said == ["one", "two"]


def test_a_turn_past_the_threshold_ends_in_a_compaction() -> None:
    model = Listener(message("word " * 100))
    platform = Platform(model=model)
    body: Any = {"model": PLAIN, "input": "ping", "previous_response_id": None}
    body["context_management"] = [{"type": "compaction", "compact_threshold": 200}]
    first = made(platform, "/v1/responses", body)
    assert [item["type"] for item in first["output"]] == ["message"]
    body["previous_response_id"] = first["id"]
    second = made(platform, "/v1/responses", body)
    assert [item["type"] for item in second["output"]] == ["message", "compaction"]
    third = made(platform, "/v1/responses", body | {"previous_response_id": second["id"]})
    assert len(model.prompts[-1].items) == 2  # the notes, and what was asked
    assert third["usage"]["input_tokens"] < second["usage"]["input_tokens"] + 150


def test_a_compaction_made_elsewhere_is_taken() -> None:
    foreign: Any = {"type": "compaction", "encrypted_content": "gAAAAABp" + "Q" * 132}
    client = connect(Scripted([message("hello")]))
    answered = client.responses.create(model=PLAIN, input=[foreign, user("ping")])  # type: ignore[list-item]
    assert answered.output_text == "hello"


def test_a_seal_opens_to_what_was_sealed() -> None:
    for text in ("", "x", "order A-104 🛫", "a" * 16):
        assert opened(seal(text)) == text


def test_the_sdk_accepts_it_strictly_in_a_stream() -> None:
    client = connect()
    strict = OpenAI(**OFFLINE, http_client=client._client, _strict_response_validation=True)
    events = strict.responses.create(
        model=PLAIN,
        input="ping",
        stream=True,
        context_management=[{"type": "compaction", "compact_threshold": 1}],
    )
    done = [event.item.type for event in events if event.type == "response.output_item.done"]
    assert done == ["message", "compaction"]


@described
def test_the_description_accepts_it(description: Description) -> None:  # noqa: F811
    answered = compacted(Platform(), input=SAID)
    answered["output"] = answered["output"][-1:]  # recorded: the user's messages, not described
    assert description.complaints("CompactResource", answered) == []
