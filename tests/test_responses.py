"""`/v1/responses` and its siblings when all goes well (contract A1, B, H and A4 to A6).

What is refused, and in which words, is in `rejections.py`; the streamed form in
`test_streams.py`.
"""

import json
import os
import subprocess
import sys
from itertools import pairwise
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import openai
import pytest
from pydantic import BaseModel

from course_lib import connect
from course_lib.platform.app import Platform
from course_lib.platform.http import Request
from course_lib.standin import Scripted, call
from course_lib.standin.prompt import Answer, Explanation, Prompt, message, refusal
from tests import ROOT
from tests.rejections import a_call, an_output, answer, function, schema, user

Json = dict[str, Any]

PLAIN = "gpt-5.4"  # does not reason unless asked to
TEXT: Json = {"type": "string"}
GET_ORDER = function(schema({"order_id": TEXT}), name="get_order")


class Listener:
    """A model that answers the same always, and keeps what it was shown."""

    def __init__(self, *said: Json, because: str = "it was said so") -> None:
        self.said, self.because = list(said) or [message("hello")], because
        self.prompts: list[Prompt] = []

    def respond(self, prompt: Prompt) -> Answer:
        self.prompts.append(prompt)
        return Answer([dict(item) for item in self.said], Explanation(self.because))


def asked(platform: Platform, **fields: Any) -> Json:
    return answer(platform, {"model": PLAIN, "input": "ping"} | fields)


def get(platform: Platform, path: str, method: str = "GET", **query: str) -> Json:
    reply = platform.handle(Request(method, f"/v1/responses/{path}", query=query))
    assert reply.status == 200
    body: Json = json.loads(b"".join(reply.chunks))
    return body


# --- What is echoed (contract A1, B)

USAGE = {
    "input_tokens": 3 + 1 + 4,
    "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "output_tokens": 1,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 9,
}
DEFAULTS: Json = {
    "object": "response",
    "status": "completed",
    "background": False,
    "billing": {"payer": "developer"},
    "error": None,
    "frequency_penalty": 0.0,
    "incomplete_details": None,
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "model": "gpt-4.1-2025-04-14",
    "moderation": None,
    "parallel_tool_calls": True,
    "presence_penalty": 0.0,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "prompt_cache_retention": "in_memory",
    "reasoning": {"context": None, "effort": None, "summary": None},
    "safety_identifier": None,
    "service_tier": "default",
    "store": True,
    "temperature": 1.0,
    "text": {"format": {"type": "text"}, "verbosity": "medium"},
    "tool_choice": "auto",
    "tools": [],
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
    "usage": USAGE,
    "user": None,
}
MADE_UP = {"id", "created_at", "completed_at", "output", "tool_usage"}


def test_a_bare_request_comes_back_with_every_default() -> None:
    response = answer(Platform(model=Listener()), {"model": "gpt-4.1", "input": "ping"})
    assert {name: response[name] for name in response if name not in MADE_UP} == DEFAULTS
    assert response["id"] == "resp_00000001"
    assert response["completed_at"] == response["created_at"] + 1
    assert response["output"] == [
        {
            "id": "msg_1",
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": "hello", "annotations": [], "logprobs": []}
            ],
        }
    ]


def test_a_field_sent_as_null_is_a_field_left_out() -> None:
    left_out = answer(Platform(model=Listener()), {"model": "gpt-4.1", "input": "ping"})
    nullable = [*ECHOED, *NOT_ECHOED, "previous_response_id", "conversation", "prompt"]
    nulls = dict.fromkeys(nullable)
    assert (
        answer(Platform(model=Listener()), {"model": "gpt-4.1", "input": "ping"} | nulls)
        == left_out
    )


# field → (what is sent, what comes back)
ECHOED: dict[str, tuple[Any, Any]] = {
    "background": (True, True),
    "frequency_penalty": (0.5, 0.5),
    "instructions": ("Be brief.", "Be brief."),
    "max_output_tokens": (16, 16),
    "max_tool_calls": (3, 3),
    "metadata": ({"lesson": "1"}, {"lesson": "1"}),
    "parallel_tool_calls": (False, False),
    "presence_penalty": (-0.5, -0.5),
    "prompt_cache_key": ("key", "key"),
    "prompt_cache_options": (
        {"mode": "implicit", "ttl": "30m"},
        {"mode": "implicit", "ttl": "30m"},
    ),
    "prompt_cache_retention": ("24h", "24h"),
    "safety_identifier": ("someone", "someone"),
    "service_tier": ("fast", "priority"),
    "store": (False, False),
    "temperature": (0, 0.0),
    "text": ({"verbosity": "low"}, {"format": {"type": "text"}, "verbosity": "low"}),
    "tool_choice": ("none", "none"),
    "top_logprobs": (2, 2),
    "top_p": (0.5, 0.5),
    "truncation": ("auto", "auto"),
    "user": ("someone", "someone"),
}
NOT_ECHOED: Json = {
    "include": ["reasoning.encrypted_content"],
    "context_management": [{"type": "compaction", "compact_threshold": 1000}],
    "moderation": {"model": "omni-moderation-latest"},
    "stream_options": {"include_obfuscation": False},
    "background_options": {"completion_window": "soonest"},
    "access_programs": {"cyber": "standard"},
}


@pytest.mark.parametrize("name", ECHOED)
def test_a_field_comes_back_as_it_is_in_force(name: str) -> None:
    sent, back = ECHOED[name]
    response = answer(Platform(model=Listener()), {"model": "gpt-4.1", "input": "ping", name: sent})
    assert response[name] == back
    assert type(response[name]) is type(back)


@pytest.mark.parametrize("name", NOT_ECHOED)
def test_a_field_is_accepted_and_not_echoed(name: str) -> None:
    response = asked(Platform(model=Listener()), **{name: NOT_ECHOED[name]})
    assert response.get(name) is None


@pytest.mark.parametrize(
    ("model", "sent", "back"),
    [
        ("gpt-5.6", {}, ("all_turns", "medium", None, "standard")),
        ("gpt-5.4", {}, ("current_turn", "none", None, "standard")),
        (
            "gpt-5",
            {"effort": "high", "summary": "auto"},
            ("current_turn", "high", "detailed", "standard"),
        ),
        (
            "gpt-5.6",
            {"mode": "pro", "summary": "concise"},
            ("all_turns", "medium", "concise", "pro"),
        ),
        ("o3", {"context": "all_turns"}, ("all_turns", "medium", None, "standard")),
    ],
)
def test_reasoning_comes_back_as_it_is_in_force(
    model: str, sent: Json, back: tuple[Any, ...]
) -> None:
    reasoning = asked(Platform(model=Listener()), model=model, reasoning=sent)["reasoning"]
    assert tuple(reasoning[name] for name in ("context", "effort", "summary", "mode")) == back


def test_a_model_that_reasons_takes_the_temperature_it_has() -> None:
    assert asked(Platform(model=Listener()), model="gpt-5.6", temperature=1)["temperature"] == 1.0


def test_a_model_that_is_told_not_to_reason_can_be_tuned() -> None:
    fields = {"reasoning": {"effort": "none"}, "temperature": 0.2, "top_p": 0.5}
    response = asked(Platform(model=Listener()), model="gpt-5.6", **fields)
    assert (response["temperature"], response["top_p"]) == (0.2, 0.5)
    assert [item["type"] for item in response["output"]] == ["message"]


@pytest.mark.parametrize(
    ("name", "snapshot"),
    [
        ("gpt-5.6", "gpt-5.6-sol"),
        ("gpt-5.4", "gpt-5.4-2026-03-05"),
        ("gpt-4o-mini", "gpt-4o-mini-2024-07-18"),
        ("gpt-5-2025-08-07", "gpt-5-2025-08-07"),
    ],
)
def test_a_model_comes_back_as_its_dated_snapshot(name: str, snapshot: str) -> None:
    assert asked(Platform(model=Listener()), model=name)["model"] == snapshot


def test_a_tool_comes_back_with_every_field() -> None:
    bare: Json = {"type": "function", "name": "now", "parameters": schema(), "strict": True}
    (tool,) = asked(Platform(model=Listener()), tools=[bare])["tools"]
    assert tool == bare | {"description": None, "output_schema": None}


def test_a_structured_format_comes_back_with_every_field() -> None:
    sent = {"type": "json_schema", "name": "order", "schema": schema({"id": TEXT})}
    response = asked(Platform(), text={"format": sent})
    assert response["text"]["format"] == sent | {"description": None, "strict": True}


@pytest.mark.parametrize(
    "include",
    [
        "file_search_call.results",
        "web_search_call.results",
        "web_search_call.action.sources",
        "message.input_image.image_url",
        "computer_call_output.output.image_url",
        "code_interpreter_call.outputs",
        "reasoning.encrypted_content",
        "message.output_text.logprobs",
    ],
)
def test_every_include_is_accepted(include: str) -> None:
    assert asked(Platform(model=Listener()), include=[include])["status"] == "completed"


def test_logprobs_are_given_for_every_token_of_the_text() -> None:
    response = asked(Platform(model=Listener(message("hello world"))), top_logprobs=1)
    (part,) = response["output"][0]["content"]
    assert [each["token"] for each in part["logprobs"]] == ["hello", " world"]
    assert part["logprobs"][0]["bytes"] == list(b"hello")
    included = asked(Platform(model=Listener()), include=["message.output_text.logprobs"])
    assert len(included["output"][0]["content"][0]["logprobs"]) == 1


# --- State: chains, references, what is stored (contract A2, H)


def test_a_chain_holds_all_that_was_said() -> None:
    listener = Listener()
    platform = Platform(model=listener)
    first = asked(platform, input="one")
    second = asked(platform, input="two", previous_response_id=first["id"])
    asked(platform, input="three", previous_response_id=second["id"])
    said = [
        item["content"] if isinstance(item["content"], str) else item["content"][0]["text"]
        for item in listener.prompts[-1].items
    ]
    assert said == ["one", "hello", "two", "hello", "three"]
    assert second["previous_response_id"] == first["id"]


def test_a_chain_can_fork() -> None:
    listener = Listener()
    platform = Platform(model=listener)
    root = asked(platform, input="one")
    for text in ("left", "right"):
        asked(platform, input=text, previous_response_id=root["id"])
    assert [len(prompt.items) for prompt in listener.prompts] == [1, 3, 3]


def test_instructions_are_not_inherited() -> None:
    listener = Listener()
    platform = Platform(model=listener)
    first = asked(platform, instructions="Talk like a pirate.")
    second = asked(platform, previous_response_id=first["id"])
    assert [prompt.instructions for prompt in listener.prompts] == ["Talk like a pirate.", None]
    assert second["instructions"] is None


def test_instructions_may_be_a_list_of_messages() -> None:
    listener = Listener()
    given = [
        {"role": "developer", "content": "Be brief."},
        {"role": "developer", "content": "Be kind."},
    ]
    response = asked(Platform(model=listener), instructions=given)
    assert listener.prompts[0].instructions == "Be brief.\nBe kind."
    assert response["instructions"] == given


def test_a_call_made_in_the_chain_is_answered_by_its_output_alone() -> None:
    platform = Platform(model=Scripted([call("get_order", {"order_id": "A-104"}), message("late")]))
    first = asked(platform, tools=[GET_ORDER])
    (made,) = first["output"]
    second = asked(
        platform,
        tools=[GET_ORDER],
        input=[an_output(made["call_id"])],
        previous_response_id=first["id"],
    )
    assert second["output"][0]["content"][0]["text"] == "late"


def test_an_output_may_be_a_list_of_parts() -> None:
    listener = Listener()
    parts = [{"type": "input_text", "text": "late"}, {"type": "input_image", "image_url": "data:"}]
    asked(Platform(model=listener), input=[a_call("call_1"), an_output("call_1", parts)])
    assert listener.prompts[0].items[-1]["output"] == parts


def test_an_item_can_be_named_instead_of_sent() -> None:
    listener = Listener()
    platform = Platform(model=listener)
    (said,) = asked(platform)["output"]
    asked(platform, input=[{"type": "item_reference", "id": said["id"]}, user("again")])
    assert listener.prompts[-1].items == [said, user("again")]


def test_what_is_not_stored_can_be_sent_back_sealed() -> None:
    platform = Platform(model=Listener())
    first = asked(platform, model="gpt-5.6", store=False, include=["reasoning.encrypted_content"])
    assert first["store"] is False
    assert first["output"][0]["encrypted_content"].startswith("gAAA")
    history = [user(), *first["output"], user("again")]
    assert asked(platform, model="gpt-5.6", input=history)["status"] == "completed"
    reply = platform.handle(Request("GET", f"/v1/responses/{first['id']}"))
    assert reply.status == 404


def test_items_without_ids_are_not_asked_for_their_reasoning() -> None:
    platform = Platform(model=Listener(call("get_order", {"order_id": "A-104"})))
    _, made = asked(platform, model="gpt-5.6", tools=[GET_ORDER])["output"]
    bare = {name: made[name] for name in ("type", "call_id", "name", "arguments")}
    history = [user(), bare, an_output(made["call_id"])]
    assert asked(platform, model="gpt-5.6", tools=[GET_ORDER], input=history)


def test_a_reasoning_item_may_come_back_without_its_id() -> None:
    """So the Agents SDK sends it with `reasoning_item_id_policy="omit"`."""
    platform = Platform(model=Listener(call("get_order", {"order_id": "A-104"})))
    thought, made = asked(platform, model="gpt-5.6", tools=[GET_ORDER])["output"]
    del thought["id"]
    history = [user(), thought, made, an_output(made["call_id"])]
    assert asked(platform, model="gpt-5.6", tools=[GET_ORDER], input=history)


def test_two_clients_have_two_states() -> None:
    here, there = connect(Scripted([message("hello")])), connect(Scripted([message("hello")]))
    made = here.responses.create(model=PLAIN, input="ping")
    assert here.responses.retrieve(made.id).output_text == "hello"
    with pytest.raises(openai.NotFoundError):
        there.responses.retrieve(made.id)


# --- Tools: what may be called


def test_tools_brought_in_by_an_item_can_be_called_by_namespace() -> None:
    brought = {"type": "additional_tools", "role": "developer", "tools": [GET_ORDER]}
    script = Scripted([call("get_order", {"order_id": "A-104"}), message("late")])
    platform = Platform(model=script)
    first = asked(platform, input=[user(), brought])
    (made,) = first["output"]
    assert made["namespace"] == "get_order"
    assert first["tools"] == []
    history = [user(), brought, made, an_output(made["call_id"])]
    assert asked(platform, input=history)["output"][0]["content"][0]["text"] == "late"


NAMED = [{"type": "function", "name": name} for name in ("b", "c")]


@pytest.mark.parametrize("mode", ["auto", "required"])
def test_allowed_tools_narrow_what_the_model_sees(mode: str) -> None:
    listener = Listener()
    choice = {"type": "allowed_tools", "mode": mode, "tools": NAMED}
    tools = [function(name=name) for name in ("a", "b", "c")]
    response = asked(Platform(model=listener), tools=tools, tool_choice=choice)
    assert [tool["name"] for tool in listener.prompts[0].tools] == ["b", "c"]
    assert listener.prompts[0].tool_choice == mode
    assert response["tool_choice"] == choice  # echoed as sent
    assert len(response["tools"]) == 3


def test_a_forced_choice_is_shown_to_the_model() -> None:
    listener = Listener()
    asked(
        Platform(model=listener),
        tools=[GET_ORDER],
        tool_choice={"type": "function", "name": "get_order"},
    )
    assert listener.prompts[0].tool_choice == {"type": "function", "name": "get_order"}


CALLS = [call("get_order", {"order_id": number}) for number in ("A-104", "A-105")]


def test_several_calls_come_in_one_turn() -> None:
    output = asked(Platform(model=Listener(*CALLS)), tools=[GET_ORDER])["output"]
    assert [item["call_id"] for item in output] == ["call_1", "call_2"]
    assert json.loads(output[1]["arguments"]) == {"order_id": "A-105"}


def test_without_parallel_calls_there_is_at_most_one() -> None:
    listener = Listener(*CALLS)
    output = asked(Platform(model=listener), tools=[GET_ORDER], parallel_tool_calls=False)["output"]
    assert [item["call_id"] for item in output] == ["call_1"]
    assert listener.prompts[0].parallel_tool_calls is False


# --- The form of the answer


def test_json_mode_answers_an_object() -> None:
    response = asked(Platform(), input="Say JSON.", text={"format": {"type": "json_object"}})
    assert isinstance(json.loads(response["output"][0]["content"][0]["text"]), dict)


NODE: Json = {
    "type": "object",
    "properties": {
        "name": TEXT,
        "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
    },
    "required": ["name", "next"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "wanted",
    [
        schema({"order_id": TEXT, "days": {"type": "integer"}, "late": {"type": "boolean"}}),
        schema({"kind": {"type": "string", "enum": ["refund", "exchange"]}}),
        schema({"steps": {"type": "array", "items": schema({"do": TEXT}), "minItems": 2}}),
        schema({"price": {"anyOf": [{"type": "number", "minimum": 1}, {"type": "null"}]}}),
        schema({"node": {"$ref": "#/$defs/Node"}}, **{"$defs": {"Node": NODE}}),
        schema({"mark": {"type": ["string", "null"]}, "fixed": {"type": "string", "const": "x"}}),
    ],
)
def test_a_structured_answer_fits_its_schema(wanted: Json) -> None:
    asks = {"format": {"type": "json_schema", "name": "answer", "schema": wanted}}
    response = asked(Platform(), input="Order A-104 is 2 days late.", text=asks)
    said = json.loads(response["output"][0]["content"][0]["text"])
    jsonschema.validate(said, wanted)


def test_the_sdk_parses_a_structured_answer() -> None:
    class Order(BaseModel):
        order_id: str
        days: int

    parsed = connect().responses.parse(
        model="gpt-5.6", input="Order A-104 is 2 days late.", text_format=Order
    )
    assert parsed.output_parsed == Order(order_id="A-104", days=2)


def test_a_refusal_is_a_part_of_its_own() -> None:
    client = connect(Scripted([refusal("I will not.")]))
    response = client.responses.create(model=PLAIN, input="ping")
    assert response.status == "completed"
    assert response.output_text == ""
    assert response.output[0].to_dict()["content"] == [
        {"type": "refusal", "refusal": "I will not."}
    ]


def test_messages_of_the_newest_models_have_a_phase() -> None:
    listener = Listener(message("I look."), *CALLS[:1])
    output = asked(Platform(model=listener), tools=[GET_ORDER])["output"]
    assert output[0]["phase"] == "commentary"
    assert asked(Platform(model=Listener()))["output"][0]["phase"] == "final_answer"
    assert "phase" not in asked(Platform(model=Listener()), model="gpt-4.1")["output"][0]


# --- Limits


def test_a_text_that_runs_out_of_tokens_is_incomplete() -> None:
    listener = Listener(message("word " * 40))
    response = asked(Platform(model=listener), max_output_tokens=16)
    assert response["status"] == "incomplete"
    assert response["incomplete_details"] == {"reason": "max_output_tokens"}
    assert response["completed_at"] is None
    (said,) = response["output"]
    assert said["status"] == "incomplete"
    assert said["content"][0]["text"] == "word" + " word" * 15
    assert response["usage"]["output_tokens"] == 16


def test_a_call_that_runs_out_of_tokens_breaks_off_in_its_arguments() -> None:
    listener = Listener(call("get_order", {"order_id": "A-104 " * 20}))
    response = asked(Platform(model=listener), tools=[GET_ORDER], max_output_tokens=16)
    (made,) = response["output"]
    assert (response["status"], made["status"]) == ("incomplete", "incomplete")
    assert made["arguments"].startswith('{"order_id":"A-104')
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(made["arguments"])
    assert response["usage"]["output_tokens"] == 16


def test_reasoning_can_use_up_all_the_tokens() -> None:
    listener = Listener(because="because " * 40)
    response = asked(
        Platform(model=listener),
        model="gpt-5.6",
        max_output_tokens=16,
        reasoning={"summary": "auto"},
    )
    assert response["status"] == "incomplete"
    (thought,) = response["output"]
    assert thought["type"] == "reasoning"
    assert thought["summary"][0]["text"] == "because" + " because" * 15
    assert response["usage"]["output_tokens"] == 16
    assert response["usage"]["output_tokens_details"] == {"reasoning_tokens": 16}


def test_an_answer_that_fits_to_the_token_is_complete() -> None:
    listener = Listener(message("word " * 15 + "word"))
    response = asked(Platform(model=listener), max_output_tokens=16)
    assert response["status"] == "completed"
    assert response["usage"]["output_tokens"] == 16


def test_truncation_drops_the_oldest_items_until_the_prompt_fits() -> None:
    listener = Listener()
    long = [user("word " * 50_000) for _ in range(3)]
    response = asked(
        Platform(model=listener), model="gpt-4o", input=[*long, user("last")], truncation="auto"
    )
    assert listener.prompts[0].items == [*long[1:], user("last")]
    assert 100_000 < response["usage"]["input_tokens"] <= 128_000


# --- Usage


def test_usage_adds_up() -> None:
    platform = Platform(model=Listener(*CALLS, because="the two orders were named"))
    usage = asked(platform, model="gpt-5.6", tools=[GET_ORDER])["usage"]
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
    reasoning = usage["output_tokens_details"]["reasoning_tokens"]
    assert 0 < reasoning < usage["output_tokens"]
    counted = answer_of_count(platform, model="gpt-5.6", input="ping", tools=[GET_ORDER])
    assert counted == usage["input_tokens"]


def answer_of_count(platform: Platform, **body: Any) -> int:
    sent = Request("POST", "/v1/responses/input_tokens", json.dumps(body).encode())
    counted: Json = json.loads(b"".join(platform.handle(sent).chunks))
    assert counted.keys() == {"object", "input_tokens"}
    assert counted["object"] == "response.input_tokens"
    tokens: int = counted["input_tokens"]
    return tokens


def test_a_chain_pays_for_its_whole_history_each_turn() -> None:
    platform = Platform(model=Listener())
    paid, last = [], None
    for _ in range(4):
        made = asked(platform, previous_response_id=last)
        paid.append(made["usage"]["input_tokens"])
        last = made["id"]
    steps = {later - earlier for earlier, later in pairwise(paid)}
    assert steps == {1 + 4 + 1 + 4 + 2}  # "hello" as an answer, and another "ping"


LONG = [user("word " * 700), user("again " * 700)]


def cached(platform: Platform, *given: Json, **fields: Any) -> int:
    usage = asked(platform, input=list(given), **fields)["usage"]
    tokens: int = usage["input_tokens_details"]["cached_tokens"]
    return tokens


def test_a_repeated_beginning_is_cached_from_1024_tokens_on() -> None:
    platform = Platform(model=Listener())
    assert cached(platform, *LONG, user("one")) == 0
    found = cached(platform, *LONG, user("two"))
    assert found >= 1024
    assert found % 128 == 0
    assert cached(platform, LONG[0], user("three")) == 0  # 700 tokens are too few


def test_a_changed_first_item_leaves_nothing_cached() -> None:
    platform = Platform(model=Listener())
    cached(platform, *LONG)
    assert cached(platform, user("A word. "), *LONG) == 0
    assert cached(platform, *reversed(LONG)) == 0
    assert cached(platform, *LONG, instructions="Be brief.") == 0
    assert cached(platform, *LONG, tools=[GET_ORDER]) == 0
    assert cached(platform, *LONG, model="gpt-4.1") == 0
    assert cached(platform, *LONG) >= 1024


# --- The siblings


def test_a_response_can_be_fetched_as_it_was() -> None:
    platform = Platform(model=Listener())
    made = asked(platform)
    assert get(platform, made["id"]) == made


def test_a_deleted_response_is_gone_with_its_items() -> None:
    client = connect(Scripted([message("hello")] * 2))
    made = client.responses.create(model=PLAIN, input="ping")
    client.responses.delete(made.id)
    for attempt in (
        lambda: client.responses.retrieve(made.id),
        lambda: client.responses.delete(made.id),
        lambda: client.responses.input_items.list(made.id),
        lambda: client.responses.create(
            model=PLAIN, input=[{"type": "item_reference", "id": made.output[0].id or ""}]
        ),
    ):
        with pytest.raises(openai.NotFoundError):
            attempt()
    with pytest.raises(openai.BadRequestError):
        client.responses.create(model=PLAIN, input="ping", previous_response_id=made.id)


def test_a_deletion_says_what_was_deleted() -> None:
    platform = Platform(model=Listener())
    made = asked(platform)
    gone = get(platform, made["id"], "DELETE")
    assert gone == {"id": made["id"], "object": "response", "deleted": True}


def test_a_background_response_can_be_cancelled() -> None:
    client = connect(Scripted([message("hello")]))
    made = client.responses.create(model=PLAIN, input="ping", background=True)
    assert client.responses.cancel(made.id).id == made.id


def texts(page: Json) -> list[str]:
    return [item["content"][0]["text"] for item in page["data"]]


def test_input_items_are_listed_newest_first_by_pages() -> None:
    platform = Platform(model=Listener())
    made = asked(platform, input=[user(str(number)) for number in range(5)])
    path = f"{made['id']}/input_items"
    page = get(platform, path, limit="2")
    assert texts(page) == ["4", "3"]
    assert page["has_more"] is True
    assert (page["first_id"], page["last_id"]) == (page["data"][0]["id"], page["data"][1]["id"])
    rest = get(platform, path, after=page["last_id"])
    assert texts(rest) == ["2", "1", "0"]
    assert rest["has_more"] is False
    assert texts(get(platform, path, order="asc", limit="1")) == ["0"]
    assert get(platform, path, after="msg_unknown")["data"] == []


def test_input_items_are_whole_items() -> None:
    platform = Platform(model=Listener())
    given = [user("ping"), a_call("call_1"), an_output("call_1")]
    made = asked(platform, input=given)
    items = get(platform, f"{made['id']}/input_items", order="asc")["data"]
    assert items[0] == {
        "type": "message",
        "id": "msg_2",
        "status": "completed",
        "role": "user",
        "content": [{"type": "input_text", "text": "ping"}],
    }
    assert [item["type"] for item in items] == ["message", "function_call", "function_call_output"]
    assert all(item["id"] for item in items)


def test_input_items_reach_back_through_the_chain() -> None:
    platform = Platform(model=Listener())
    first = asked(platform, input="one")
    second = asked(platform, input="two", previous_response_id=first["id"])
    page = get(platform, f"{second['id']}/input_items", order="asc")
    assert texts(page) == ["one", "hello", "two"]


def test_the_sdk_pages_through_input_items() -> None:
    client = connect(Scripted([message("hello")]))
    given: Any = [user(str(number)) for number in range(7)]
    made = client.responses.create(model=PLAIN, input=given)
    assert len(list(client.responses.input_items.list(made.id, limit=2))) == 7


# --- The wire


def test_every_reply_carries_the_apis_headers() -> None:
    platform = Platform(model=Listener())
    body = json.dumps({"model": PLAIN, "input": "ping"}).encode()
    replies = {
        "created": platform.handle(Request("POST", "/v1/responses", body)),
        "streamed": platform.handle(
            Request("POST", "/v1/responses", body.replace(b"}", b', "stream": true}'))
        ),
        "fetched": platform.handle(Request("GET", "/v1/responses/resp_00000001")),
        "bad": platform.handle(Request("POST", "/v1/responses", b"{}")),
        "missing": platform.handle(Request("GET", "/v1/responses/resp_x")),
    }
    for number, (name, reply) in enumerate(replies.items(), 1):
        assert reply.headers["x-request-id"] == f"req_{number}"
        assert reply.headers["openai-version"] == "2020-10-01"
        for header in ("openai-organization", "openai-project", "openai-processing-ms"):
            assert reply.headers[header]
        streamed = name == "streamed"
        expected = "text/event-stream; charset=utf-8" if streamed else "application/json"
        assert reply.headers["content-type"] == expected
        limited = "x-ratelimit-remaining-tokens" in reply.headers
        assert limited == (name in ("created", "streamed", "bad"))


def test_a_reply_may_be_nested_deeply() -> None:
    parameters: Json = {"type": "object", "properties": {}}
    for _ in range(150):
        parameters = {"type": "object", "properties": {"a": parameters}}
    tool = {"type": "function", "name": "f", "parameters": parameters, "strict": False}
    body = json.dumps({"model": "gpt-5.6", "input": "Hi.", "tools": [tool]}).encode()
    reply = Platform().handle(Request("POST", "/v1/responses", body))
    assert json.loads(b"".join(reply.chunks))["tools"][0]["parameters"] == parameters


def test_the_sdk_shows_the_request_id() -> None:
    client = connect(Scripted([message("hello")] * 2))
    first = client.responses.create(model=PLAIN, input="ping")
    second = client.responses.create(model=PLAIN, input="ping")
    assert (first._request_id, second._request_id) == ("req_1", "req_2")


TELL = """
import hashlib, json, sys
from course_lib.platform.app import Platform
from course_lib.platform.http import Request
platform, told = Platform(), hashlib.sha256()
for method, path, body in json.load(sys.stdin):
    reply = platform.handle(Request(method, path, json.dumps(body).encode() if body else b""))
    told.update(b"".join(reply.chunks) + repr(sorted(reply.headers.items())).encode())
print(told.hexdigest())
"""
REQUESTS: list[tuple[str, str, Json]] = [
    ("POST", "/v1/responses", {"model": "gpt-5.6", "input": "Why is order A-104 late?", "tools": [
        GET_ORDER, function(schema({"id": TEXT}), name="get_invoice")]}),
    ("POST", "/v1/responses", {"model": "gpt-5.6", "input": "ping", "stream": True}),
    ("POST", "/v1/responses", {"model": "gpt-5.6", "input": "ping", "strem": True}),
    ("POST", "/v1/responses", {"model": "gpt-4o", "input": "word " * 2000, "store": False}),
    ("POST", "/v1/responses", {"model": "gpt-4o", "input": "word " * 2000}),
    ("GET", "/v1/responses/resp_00000001/input_items", {}),
]  # fmt: skip


def test_the_same_requests_get_the_same_bytes_under_any_hash_seed() -> None:
    told = set()
    for seed in ("0", "1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", TELL],
            input=json.dumps(REQUESTS),
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        told.add(done.stdout)
    assert len(told) == 1
