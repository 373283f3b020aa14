"""`/v1/chat/completions` under the real client: the older protocol over the same engine."""

import asyncio
import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import openai
import pytest
from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool
from openai import OpenAI
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel

from course_lib import connect, connect_agents
from course_lib.platform.app import Platform
from course_lib.platform.chat import FIELDS
from course_lib.platform.faults import Fault
from course_lib.platform.http import Request
from course_lib.platform.tokens import count_text
from course_lib.standin import Scripted, call
from course_lib.standin.prompt import message, refusal
from course_lib.transport import OFFLINE
from tests.rejections import schema, user
from tests.rejections_protocols import CALLED, CHAT, NESTED, made, result, said
from tests.test_hosted import Watched
from tests.test_platform_properties import wrong
from tests.test_responses import Listener
from tests.test_streams import Description, described, description  # noqa: F401

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
GET_ORDER: Any = {
    "type": "function",
    "function": {
        "name": "get_order",
        "description": "Look up one order by its number.",
        "parameters": schema({"order_id": TEXT}),
        "strict": True,
    },
}
ORDER = call("get_order", {"order_id": "A-104"})
HELLO: Any = [user("hello")]


def client(*turns: Any, faults: Any = ()) -> OpenAI:
    return connect(Scripted(list(turns)), faults=faults)


# --- The answer


def test_a_text_comes_back_as_a_completion() -> None:
    completion = made(Platform(model=Listener(message("hi"))), CHAT, said())
    assert completion == {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": completion["created"],
        "model": "gpt-4o-2024-08-06",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "hi",
                    "refusal": None,
                    "annotations": [],
                },
                "finish_reason": "stop",
                "logprobs": None,
            }
        ],
        "usage": completion["usage"],
        "service_tier": "default",
        "system_fingerprint": "fp_offline",
    }
    usage = completion["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_a_model_that_reasons_tells_no_probabilities_and_counts_its_reasoning() -> None:
    model = Listener(message("hi"), because="a long reason for a short word")
    completion = made(Platform(model=model), CHAT, said(model="gpt-5-mini"))
    assert "logprobs" not in completion["choices"][0]
    details = completion["usage"]["completion_tokens_details"]
    assert details["reasoning_tokens"] == count_text("a long reason for a short word")


def test_the_stand_in_calls_a_nested_tool_and_answers_from_its_result() -> None:
    ask: Any = connect().chat.completions
    messages: list[Any] = [user("Where is order A-104?")]
    first = ask.create(model="gpt-5.6", messages=messages, tools=[GET_ORDER])
    (choice,) = first.choices
    assert choice.finish_reason == "tool_calls"
    (made_call,) = choice.message.tool_calls
    assert json.loads(made_call.function.arguments) == {"order_id": "A-104"}

    content = '{"order_id": "A-104", "status": "delayed"}'
    messages += [
        choice.message,
        {"role": "tool", "tool_call_id": made_call.id, "content": content},
    ]
    second = ask.create(model="gpt-5.6", messages=messages, tools=[GET_ORDER])
    assert second.choices[0].finish_reason == "stop"
    assert "delayed" in second.choices[0].message.content


def test_the_model_sees_what_it_would_see_over_responses() -> None:
    model = Listener()
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    text = {"type": "text", "text": "look"}
    body = said(
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [text, image]},
        CALLED,
        result("call_1"),
        tools=[NESTED],
        tool_choice={"type": "function", "function": {"name": "f"}},
        parallel_tool_calls=False,
    )
    made(Platform(model=model), CHAT, body)
    (prompt,) = model.prompts
    link = {"type": "input_image", "image_url": "https://example.com/a.png"}
    assert prompt.items == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "input_text", "text": "look"}, link]},
        {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "ok"},
    ]
    assert prompt.tool_choice == {"type": "function", "name": "f"}
    assert not prompt.parallel_tool_calls
    assert [(tool["name"], tool["strict"]) for tool in prompt.tools] == [("f", False)]


def test_allowed_tools_narrow_what_the_model_sees() -> None:
    model = Listener()
    other = {"type": "function", "function": {"name": "g"}}
    listed = {"mode": "auto", "tools": [{"type": "function", "function": {"name": "g"}}]}
    choice = {"type": "allowed_tools", "allowed_tools": listed}
    made(Platform(model=model), CHAT, said(tools=[NESTED, other], tool_choice=choice))
    (prompt,) = model.prompts
    assert [tool["name"] for tool in prompt.tools] == ["g"]
    assert prompt.tool_choice == "auto"


def test_several_calls_come_in_one_message() -> None:
    completion = client([ORDER, ORDER]).chat.completions.create(
        model="gpt-4o", messages=HELLO, tools=[GET_ORDER]
    )
    calls = completion.choices[0].message.tool_calls or []
    assert [each.id for each in calls] == ["call_1", "call_2"]


def test_a_strict_format_is_parsed_by_the_sdk() -> None:
    class Order(BaseModel):
        order_id: str
        late: bool

    completion = connect().chat.completions.parse(
        model="gpt-5.6", messages=[{"role": "user", "content": "Read A-104"}], response_format=Order
    )
    assert isinstance(completion.choices[0].message.parsed, Order)


def test_json_mode_answers_an_object() -> None:
    answered = connect().chat.completions.create(
        model="gpt-5.6",
        messages=[{"role": "user", "content": "Greet me in JSON"}],
        response_format={"type": "json_object"},
    )
    assert isinstance(json.loads(answered.choices[0].message.content or ""), dict)


def test_several_choices_share_one_prompt() -> None:
    one = made(Platform(model=Listener()), CHAT, said())["usage"]
    three = made(Platform(model=Listener()), CHAT, said(n=3))
    assert [choice["index"] for choice in three["choices"]] == [0, 1, 2]
    assert three["usage"]["prompt_tokens"] == one["prompt_tokens"]
    assert three["usage"]["completion_tokens"] == 3 * one["completion_tokens"]


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_an_answer_that_is_too_long_is_cut(name: str) -> None:
    platform = Platform(model=Listener(message("one two three four five")))
    (choice,) = made(platform, CHAT, said(**{name: 2}))["choices"]
    assert choice["message"]["content"] == "one two"
    assert choice["finish_reason"] == "length"


def test_reasoning_can_use_up_all_the_tokens() -> None:
    platform = Platform(model=Listener(because="so many words for this"))
    body = said(model="gpt-5-mini", max_completion_tokens=2)
    (choice,) = made(platform, CHAT, body)["choices"]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("", "length")


@pytest.mark.parametrize("stop", ["three", ["five", "three"]])
def test_an_answer_ends_before_the_first_stop(stop: Any) -> None:
    platform = Platform(model=Listener(message("one two three four five")))
    (choice,) = made(platform, CHAT, said(stop=stop))["choices"]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("one two ", "stop")


def test_a_refusal_is_a_field_of_its_own() -> None:
    answered = client(refusal("No.")).chat.completions.create(model="gpt-4o", messages=HELLO)
    assert (answered.choices[0].message.refusal, answered.choices[0].message.content) == (
        "No.",
        None,
    )


# --- The stream


def chunks(*turns: Any, **asked: Any) -> list[ChatCompletionChunk]:
    fields: Any = {"model": "gpt-4o", "messages": HELLO, "stream": True} | asked
    return list(client(*turns).chat.completions.create(**fields))


def test_a_stream_adds_up_to_the_plain_completion() -> None:
    turn = [message("Let me see."), ORDER, ORDER]
    asked: Any = {"model": "gpt-4o", "messages": HELLO, "tools": [GET_ORDER]}
    plain = client(turn).chat.completions.create(**asked)
    with client(turn).chat.completions.stream(
        **asked, stream_options={"include_usage": True}
    ) as stream:
        final = stream.get_final_completion()
    told = final.to_dict()
    for choice in told["choices"]:  # type: ignore[attr-defined]
        for name in ("parsed", "audio", "function_call"):  # the SDK's own
            choice["message"].pop(name, None)
        for each in choice["message"]["tool_calls"]:
            each["function"].pop("parsed_arguments", None)
            each.pop("index", None)
        choice["message"] |= {"annotations": []}  # no chunk can tell of none
    assert told == plain.to_dict()


def test_the_usage_comes_last_and_only_if_asked_for() -> None:
    quiet = chunks(message("hi"))
    assert all("usage" not in chunk.to_dict() for chunk in quiet)
    *_, last = chunks(message("hi"), stream_options={"include_usage": True})
    assert last.choices == []
    assert last.usage and last.usage.total_tokens > 0


def test_a_call_is_told_in_this_order() -> None:
    told = [chunk.choices[0] for chunk in chunks(ORDER, tools=[GET_ORDER])]
    first, named, *deltas, last = told
    assert (first.delta.role, first.delta.content) == ("assistant", None)
    (start,) = named.delta.tool_calls or []
    assert (start.id, start.function and start.function.name) == ("call_1", "get_order")
    pieces = [each for choice in deltas for each in choice.delta.tool_calls or []]
    assert all(piece.id is None for piece in pieces)
    written = "".join(piece.function.arguments or "" for piece in pieces if piece.function)
    assert json.loads(written) == {"order_id": "A-104"}
    assert last.finish_reason == "tool_calls"


def test_a_probability_comes_with_its_token() -> None:
    told = chunks(message("one two"), logprobs=True)
    shown = [chunk.choices[0].logprobs for chunk in told]
    tokens = [each.content[0].token for each in shown if each and each.content]
    assert tokens == ["one", " two"]


def test_a_failure_in_the_stream_is_raised() -> None:
    stream = client(message("one two three four"), faults=[Fault("failed")]).chat.completions
    with pytest.raises(openai.APIError, match="had an error while processing"):
        list(stream.create(model="gpt-4o", messages=HELLO, stream=True))


# --- Anything


@pytest.mark.parametrize("name", FIELDS)
def test_a_value_of_any_type_in_any_field_gets_a_civil_reply(name: str) -> None:
    platform = Platform(model=Listener())
    for value in wrong():
        civil(platform, CHAT, said(tools=[NESTED]) | {name: value})


MESSAGES: dict[str, Json] = {
    "user": user(),
    "call": CALLED,
    "result": result("call_1"),
    "parts": {"role": "user", "content": [{"type": "text", "text": "x"}]},
}


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_value_of_any_type_in_any_message_gets_a_civil_reply(kind: str) -> None:
    platform = Platform(model=Listener())
    for name in ("role", "content", "tool_calls", "tool_call_id", "refusal", "name"):
        for value in wrong():
            civil(platform, CHAT, said(user(), CALLED, MESSAGES[kind] | {name: value}))
            civil(platform, CHAT, said({"role": "user", "content": [{"type": name, name: value}]}))
    odd: list[Json] = [{"id": 1}, {"function": {}}, {"type": None}, {"function": {"name": []}}]
    for inner in odd:
        calls = [CALLED["tool_calls"][0] | inner]
        civil(platform, CHAT, said(user(), {"role": "assistant", "tool_calls": calls}))


@pytest.mark.parametrize(
    "path",
    ["/v1/conversations", "/v1/conversations/conv_1/items", "/v1/responses/compact", f"{CHAT}/x"],
)
def test_a_value_of_any_type_beside_chat_gets_a_civil_reply(path: str) -> None:
    platform = Platform(model=Listener())
    made(platform, "/v1/conversations", {})
    for name in ("items", "metadata", "model", "input", "instructions", "previous_response_id"):
        for value in wrong():
            civil(platform, path, {name: value})
            civil(platform, path, {"model": "gpt-4o", "input": "x", name: [value]})


def civil(platform: Platform, path: str, body: Json) -> None:
    """Whatever is sent, the platform answers it, or refuses it in the API's form."""
    reply = platform.handle(Request("POST", path, json.dumps(body).encode()))
    content = b"".join(reply.chunks)
    assert reply.status < 500, (body, content)


def test_each_choice_is_made_from_the_same_prompt() -> None:
    model = Watched(message("One."), message("Two."))
    made(Platform(model=model), CHAT, said(n=2))
    assert model.prompts[0].items == model.prompts[1].items


# --- Stored completions


def test_a_stored_completion_is_found_changed_and_deleted() -> None:
    ask = client(message("hi"), message("ho")).chat.completions
    ask.create(model="gpt-4o", messages=HELLO)
    kept = ask.create(model="gpt-4o", messages=HELLO, store=True, metadata={"topic": "a"})
    assert [each.id for each in ask.list()] == [kept.id]
    assert ask.update(kept.id, metadata={"topic": "b"}).to_dict()["metadata"] == {"topic": "b"}
    assert ask.retrieve(kept.id).choices == kept.choices
    (asked,) = ask.messages.list(kept.id)
    assert (asked.content, asked.to_dict()["role"]) == ("hello", "user")
    assert ask.delete(kept.id).deleted
    with pytest.raises(openai.NotFoundError):
        ask.retrieve(kept.id)


# --- Other judges


CASES: list[Json] = [
    said(),
    said(model="gpt-5-mini", n=2),
    said(user("Where is order A-104?"), tools=[GET_ORDER], tool_choice="required"),
    said(logprobs=True),
]


@pytest.mark.parametrize("body", CASES, ids=lambda body: "_".join(body)[:40])
def test_the_sdk_accepts_every_reply_strictly(body: Json) -> None:
    strict = connect()
    strict = OpenAI(**OFFLINE, http_client=strict._client, _strict_response_validation=True)
    assert isinstance(strict.chat.completions.create(**body), ChatCompletion)
    for chunk in strict.chat.completions.create(
        **body, stream=True, stream_options={"include_usage": True}
    ):
        assert isinstance(chunk, ChatCompletionChunk)


@described
@pytest.mark.parametrize("body", CASES, ids=lambda body: "_".join(body)[:40])
def test_the_description_accepts_every_reply(body: Json, description: Description) -> None:  # noqa: F811
    completion = made(Platform(), CHAT, body)
    assert description.complaints("CreateChatCompletionResponse", completion) == []
    asked: Any = body | {"stream": True}
    for chunk in connect().chat.completions.create(**asked):
        assert description.complaints("CreateChatCompletionStreamResponse", chunk.to_dict()) == []


@function_tool
def get_stock(sku: str) -> str:
    """Return how many units of an article are in stock.

    Args:
        sku: Article number, e.g. TR-40
    """
    return f'{{"sku": "{sku}", "units": 12}}'


@pytest.mark.parametrize("streamed", [False, True])
def test_an_agent_runs_over_chat_completions(streamed: bool) -> None:
    model = OpenAIChatCompletionsModel("gpt-5.6", connect_agents())
    agent = Agent(name="Stock clerk", model=model, tools=[get_stock])

    async def run() -> str:
        question = "How many units of TR-40 are in stock?"
        if not streamed:
            return str((await Runner.run(agent, question)).final_output)
        running = Runner.run_streamed(agent, question)
        async for _ in running.stream_events():
            pass
        return str(running.final_output)

    assert "units 12" in asyncio.run(run())


def test_a_strict_call_fits_its_schema() -> None:
    body = said(user("Where is order A-104?"), tools=[GET_ORDER], tool_choice="required")
    (choice,) = made(Platform(), CHAT, body)["choices"]
    (each,) = choice["message"]["tool_calls"]
    arguments = json.loads(each["function"]["arguments"])
    jsonschema.validate(arguments, GET_ORDER["function"]["parameters"])


def test_a_type_inside_the_function_is_none_of_the_tool() -> None:
    odd = {"type": "function", "function": GET_ORDER["function"] | {"type": "zzz"}}
    body = said(user("Where is order A-104?"), tools=[odd], tool_choice="required")
    (choice,) = made(Platform(), CHAT, body)["choices"]
    assert choice["message"]["tool_calls"][0]["function"]["name"] == "get_order"
