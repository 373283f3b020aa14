"""Streams: the grammar of contract C, and whether everybody who knows the API accepts them.

Three judges look at each event and each reply: the grammar below, written from the table of
contract C; the SDK's own types, strictly; and the vendor's OpenAPI description, where it lies
beside the checkout (`../shared/contract`), else that part is skipped.
"""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import jsonschema  # type: ignore[import-untyped]
import pytest
import yaml  # type: ignore[import-untyped]
from openai import AsyncOpenAI, OpenAI
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

from course_lib import connect
from course_lib.platform.app import Platform
from course_lib.platform.faults import Fault
from course_lib.platform.http import Request
from course_lib.standin import Scripted, call
from course_lib.standin.prompt import Answer, Explanation, Prompt, message, refusal
from course_lib.transport import OfflineTransport
from tests import ROOT
from tests.rejections import ROWS, function, schema

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
GET_ORDER = function(schema({"order_id": TEXT}), name="get_order")
CALL = call("get_order", {"order_id": "A-104"})


class Thinker:
    """A model with a long reason for what it says."""

    def respond(self, prompt: Prompt) -> Answer:
        return Answer([message("hello")], Explanation("because " * 20))


class Case:
    """One request, and the model that answers it."""

    def __init__(self, *said: Json, model: str = "gpt-5.4", thinker: bool = False, **fields: Any):
        self.said, self.thinker = list(said), thinker
        self.body: Json = {"model": model, "input": "Why is order A-104 late?"} | fields

    def platform(self, *faults: Fault) -> Platform:
        script = Scripted([self.said or message("hello")] * 3)
        return Platform(model=Thinker() if self.thinker else script, faults=list(faults))


LINE = "It is late because the carrier lost it, and “sorry” is all 🙂 we can say."
SUMMARY = {"summary": "auto"}
CASES = {
    "text": Case(message(LINE)),
    "empty text": Case(message("")),
    "call": Case(CALL, tools=[GET_ORDER]),
    "text and calls": Case(message("I look."), CALL, CALL, tools=[GET_ORDER]),
    "refusal": Case(refusal("I will not do that.")),
    "reasoning": Case(message(LINE), model="gpt-5.6"),
    "reasoning and call": Case(CALL, model="gpt-5.6", tools=[GET_ORDER]),
    "reasoning with summary": Case(message(LINE), model="gpt-5.6", reasoning=SUMMARY),
    "sealed reasoning": Case(message(LINE), model="gpt-5.6", store=False),
    "logprobs": Case(message(LINE), top_logprobs=1),
    "no phases": Case(message(LINE), model="gpt-4.1"),
    "structured": Case(
        message('{"days":2}'),
        text={"format": {"type": "json_schema", "name": "a", "schema": schema({"days": TEXT})}},
    ),
    "incomplete text": Case(message("word " * 30), max_output_tokens=16),
    "incomplete call": Case(
        call("get_order", {"order_id": "A-104 " * 20}), tools=[GET_ORDER], max_output_tokens=16
    ),
    "incomplete reasoning": Case(
        thinker=True, model="gpt-5.6", max_output_tokens=16, reasoning=SUMMARY
    ),
    "all the fields": Case(
        message("hello"),
        instructions="Be brief.",
        metadata={"lesson": "2"},
        max_output_tokens=99,
        prompt_cache_key="key",
        safety_identifier="someone",
        service_tier="flex",
        tools=[GET_ORDER],
        tool_choice="none",
        truncation="auto",
    ),
}
each_case = pytest.mark.parametrize("name", CASES)


def send(platform: Platform, body: Json) -> bytes:
    reply = platform.handle(Request("POST", "/v1/responses", json.dumps(body).encode()))
    assert reply.status == 200
    return b"".join(reply.chunks)


def plain(case: Case) -> Json:
    response: Json = json.loads(send(case.platform(), case.body))
    return response


def parsed(stream: bytes) -> list[Json]:
    """The events of a stream; each is `event: TYPE`, `data: JSON`, and an empty line."""
    events = []
    for block in stream.decode().removesuffix("\n\n").split("\n\n"):
        name, data = block.split("\n")
        event: Json = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        events.append(event)
    return events


def streamed(case: Case, *faults: Fault, **fields: Any) -> list[Json]:
    return parsed(send(case.platform(*faults), case.body | {"stream": True} | fields))


# --- The grammar (contract C)


class Reader:
    """Reads a stream event by event, and says where it leaves the grammar."""

    def __init__(self, events: list[Json]) -> None:
        self.events, self.at = events, 0

    def take(self, kind: str, **holds: Any) -> Json:
        """The next event, which must be of this kind and hold these values."""
        event = self.events[self.at]
        assert event["type"] == f"response.{kind}", (self.at, event["type"], kind)
        assert event["sequence_number"] == self.at
        for name, value in holds.items():
            assert event[name] == value, (self.at, name)
        self.at += 1
        return event

    def deltas(self, kind: str, **holds: Any) -> list[Json]:
        found = []
        while self.events[self.at]["type"] == f"response.{kind}":
            found.append(self.take(kind, **holds))
        return found

    def response(self) -> Json:
        created = self.take("created")["response"]
        begun = self.take("in_progress")["response"]
        assert created == begun
        assert (begun["status"], begun["output"], begun["usage"]) == ("in_progress", [], None)
        assert begun["service_tier"] == "auto"
        output: list[Json] = []
        while self.events[self.at]["type"] == "response.output_item.added":
            output.append(self.item(len(output)))
        kind = self.events[self.at]["type"].removeprefix("response.")
        assert kind in ("completed", "incomplete", "failed")
        final: Json = self.take(kind)["response"]
        assert self.at == len(self.events)
        assert final["status"] == kind
        assert final["output"] == output
        assert (final["usage"] is None) == (kind == "failed")
        return final

    def item(self, index: int) -> Json:
        added = self.take("output_item.added", output_index=index)["item"]
        read = {
            "message": self.message,
            "function_call": self.function_call,
            "reasoning": self.reasoning,
        }[added["type"]]
        built = read(added, {"item_id": added["id"], "output_index": index})
        done: Json = self.take("output_item.done", output_index=index)["item"]
        assert done | built == done
        assert added["id"] == done["id"]
        return done

    def message(self, added: Json, place: Json) -> Json:
        assert (added["status"], added["content"]) == ("in_progress", [])
        parts: list[Json] = []
        while self.events[self.at]["type"] == "response.content_part.added":
            here = place | {"content_index": len(parts)}
            begun = self.take("content_part.added", **here)["part"]
            key = "refusal" if begun["type"] == "refusal" else "text"
            assert begun[key] == ""
            kind = "refusal" if key == "refusal" else "output_text"
            deltas = self.deltas(f"{kind}.delta", **here)
            whole = "".join(each["delta"] for each in deltas)
            done = self.take(f"{kind}.done", **here, **{key: whole})
            part = self.take("content_part.done", **here)["part"]
            assert part[key] == whole
            if kind == "output_text":
                logprobs = [one for each in deltas for one in each["logprobs"]]
                assert part["logprobs"] == done["logprobs"] == logprobs
            parts.append(part)
        return {"content": parts}

    def function_call(self, added: Json, place: Json) -> Json:
        assert (added["status"], added["arguments"]) == ("in_progress", "")
        deltas = self.deltas("function_call_arguments.delta", **place)
        whole = "".join(each["delta"] for each in deltas)
        self.take("function_call_arguments.done", **place, arguments=whole)
        return {"arguments": whole, "call_id": added["call_id"], "name": added["name"]}

    def reasoning(self, added: Json, place: Json) -> Json:
        assert added["summary"] == []
        parts: list[Json] = []
        while self.events[self.at]["type"] == "response.reasoning_summary_part.added":
            here = place | {"summary_index": len(parts)}
            self.take("reasoning_summary_part.added", **here)
            deltas = self.deltas("reasoning_summary_text.delta", **here)
            whole = "".join(each["delta"] for each in deltas)
            self.take("reasoning_summary_text.done", **here, text=whole)
            part = self.take("reasoning_summary_part.done", **here)["part"]
            assert part == {"type": "summary_text", "text": whole}
            parts.append(part)
        return {"summary": parts}


@each_case
def test_a_stream_follows_the_grammar_and_ends_in_the_plain_response(name: str) -> None:
    case = CASES[name]
    assert Reader(streamed(case)).response() == plain(case)


def test_the_cases_are_of_every_kind() -> None:
    kinds = {event["type"] for case in CASES.values() for event in streamed(case)}
    for kind in ("output_text", "refusal", "function_call_arguments", "reasoning_summary_text"):
        assert {f"response.{kind}.delta", f"response.{kind}.done"} <= kinds
    assert {"response.completed", "response.incomplete"} <= kinds


def test_a_message_is_told_in_this_order() -> None:
    """Spelled out once, so that the grammar above cannot be wrong together with the platform."""
    assert [event["type"] for event in streamed(Case(message("hello world")))] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]


def test_a_call_is_told_in_this_order() -> None:
    events = streamed(Case(call("get_order", {}), tools=[GET_ORDER]))
    assert [event["type"] for event in events] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert events[4]["name"] == "get_order"


def test_reasoning_without_a_summary_says_nothing_in_between() -> None:
    kinds = [event["type"] for event in streamed(CASES["reasoning"])]
    assert kinds[2:4] == ["response.output_item.added", "response.output_item.done"]


def test_sealed_content_is_shorter_while_the_reasoning_goes_on() -> None:
    events = streamed(CASES["sealed reasoning"])
    added, done = (event["item"]["encrypted_content"] for event in events[2:4])
    assert 0 < len(added) < len(done)


def test_a_text_comes_in_pieces_a_learner_can_watch() -> None:
    deltas = [each["delta"] for each in streamed(CASES["text"]) if each["type"].endswith("delta")]
    assert len(deltas) > 10
    assert max(map(len, deltas)) <= 12


def test_deltas_are_padded_so_that_their_length_tells_nothing() -> None:
    for event in streamed(CASES["text and calls"]):
        assert ("obfuscation" in event) == event["type"].endswith(".delta")
        if "obfuscation" in event:
            assert (len(event["delta"]) + len(event["obfuscation"])) % 16 == 0


def test_padding_can_be_turned_off() -> None:
    off = streamed(CASES["text"], stream_options={"include_obfuscation": False})
    on = streamed(CASES["text"])
    assert not any("obfuscation" in event for event in off)
    assert off == [{k: v for k, v in event.items() if k != "obfuscation"} for event in on]


def test_logprobs_come_with_their_delta() -> None:
    for event in streamed(CASES["logprobs"]):
        if event["type"] == "response.output_text.delta":
            assert [each["token"] for each in event["logprobs"]] == [event["delta"]]


def test_a_failure_comes_as_an_error_and_a_failed_response() -> None:
    *before, error, failed = streamed(CASES["text"], Fault("failed", events=2))
    assert [event["type"] for event in before] == ["response.created", "response.in_progress"]
    assert (error["type"], error["sequence_number"]) == ("error", 2)
    assert error["error"].keys() == {"type", "code", "message", "param"}
    assert (failed["type"], failed["sequence_number"]) == ("response.failed", 3)
    response = failed["response"]
    assert (response["status"], response["usage"]) == ("failed", None)
    assert response["error"] == {"code": "server_error", "message": error["error"]["message"]}


# --- The SDK


def client_over(case: Case) -> OpenAI:
    http_client = httpx2.Client(transport=OfflineTransport(case.platform().handle))
    return OpenAI(api_key="x", http_client=http_client, _strict_response_validation=True)


def async_client_over(case: Case) -> AsyncOpenAI:
    transport = OfflineTransport(case.platform().handle)
    return AsyncOpenAI(
        api_key="x",
        http_client=httpx2.AsyncClient(transport=transport),
        _strict_response_validation=True,
    )


@each_case
def test_the_sdk_accepts_every_reply_strictly(name: str) -> None:
    case, create = CASES[name], client_over(CASES[name]).responses.create
    response: Any = create(**case.body)
    assert response.to_dict() == plain(case)
    events: Any = create(**case.body, stream=True)
    assert [event.to_dict() for event in events][-1]["type"] == f"response.{response.status}"


ADAPTER: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)


@each_case
def test_the_sdks_types_accept_every_event(name: str) -> None:
    for event in streamed(CASES[name]):
        ADAPTER.validate_python(event, strict=True)


@each_case
def test_the_sdks_own_accumulation_is_the_plain_response(name: str) -> None:
    case = CASES[name]
    body = {name: value for name, value in case.body.items() if name != "text"}
    expected = plain(Case(*case.said, thinker=case.thinker, **body))
    with client_over(case).responses.stream(**body) as stream:
        kinds = [event.type for event in stream]
        if expected["status"] == "completed":
            final = stream.get_final_response()
            assert final.output_text == "".join(
                part.get("text", "")
                for item in expected["output"]
                for part in item.get("content") or []
            )
            assert final.id == expected["id"]
            assert final.usage is not None
            assert final.usage.to_dict() == expected["usage"]
    assert kinds[-1] == f"response.{expected['status']}"


def test_the_async_client_reads_the_same_events() -> None:
    case = CASES["text and calls"]

    async def read() -> list[Json]:
        create: Any = async_client_over(case).responses.create
        return [event.to_dict() async for event in await create(**case.body, stream=True)]

    assert asyncio.run(read()) == streamed(case)


def test_the_async_stream_helper_gives_the_final_response() -> None:
    case = CASES["text"]

    async def read() -> tuple[str, str]:
        deltas = ""
        async with async_client_over(case).responses.stream(**case.body) as stream:
            async for event in stream:
                deltas += event.delta if event.type == "response.output_text.delta" else ""
            return deltas, (await stream.get_final_response()).output_text

    assert asyncio.run(read()) == (LINE, LINE)


def test_the_raw_stream_can_be_read_line_by_line() -> None:
    case = CASES["text"]
    create: Any = client_over(case).responses.with_streaming_response.create
    with create(**case.body, stream=True) as raw:
        assert raw.headers["content-type"] == "text/event-stream; charset=utf-8"
        lines = list(raw.iter_lines())
    assert parsed(("\n".join(lines) + "\n").encode()) == streamed(case)


def until_three_deltas(events: Iterator[Any]) -> str:
    text, seen = "", 0
    for event in events:
        if event.type == "response.output_text.delta":
            text, seen = text + event.delta, seen + 1
        if seen == 3:
            break
    return text


def test_stopping_in_mid_stream_leaves_a_part_of_the_text() -> None:
    case = CASES["text"]
    client = client_over(case)
    create: Any = client.responses.create
    stream = create(**case.body, stream=True)
    text = until_three_deltas(stream)
    stream.close()
    assert text and LINE.startswith(text) and text != LINE
    again: Any = create(**case.body)
    assert again.output_text == LINE
    with client.responses.stream(**case.body) as helper:
        assert LINE.startswith(until_three_deltas(iter(helper)))
    # What the model said was said, whether somebody listened or not.
    assert client.responses.retrieve("resp_00000001").output_text == LINE


def test_stopping_in_mid_stream_under_await() -> None:
    case = CASES["text"]

    async def stop() -> str:
        client = async_client_over(case)
        create: Any = client.responses.create
        stream = await create(**case.body, stream=True)
        async for event in stream:
            if event.type == "response.output_text.delta":
                break
        await stream.close()
        text: str = (await create(**case.body)).output_text
        return text

    assert asyncio.run(stop()) == LINE


def test_a_stream_is_told_by_nothing_but_what_the_model_said() -> None:
    """Two streams read in turns do not get in each other's way."""
    client = connect(Scripted([message("one two three"), message("four five six")]))
    first = client.responses.create(model="gpt-5.4", input="a", stream=True)
    second = client.responses.create(model="gpt-5.4", input="b", stream=True)
    said = {1: "", 2: ""}
    for one, two in zip(first, second, strict=True):
        for number, event in ((1, one), (2, two)):
            if event.type == "response.output_text.delta":
                said[number] += event.delta
    assert said == {1: "one two three", 2: "four five six"}


# --- The vendor's description

OPENAPI = ROOT.parent / "shared" / "contract" / "openapi.yml"
described = pytest.mark.skipif(not OPENAPI.exists(), reason="no OpenAPI description here")

# Where the description is stricter than the API that was recorded: the place, and what it says.
# (The error event is not looked at: recorded ones nest what the description puts beside the type.)
KNOWN_EXCEPTIONS = [
    ("user", "None is not of type 'string'"),  # recorded: null when it was not sent
    ("usage", "None is not of type 'object'"),  # recorded: null until the response is finished
    ("text.format", "'description': None"),  # recorded: null when the format has none
    ("", "'logprobs' is a required property"),  # recorded: left out by models that reason
    ("system_fingerprint", "None is not of type 'string'"),  # and this is null
]


def as_json_schema(node: Any) -> Any:
    """OpenAPI 3.1 is JSON Schema, but for `nullable`, which is left over from 3.0."""
    if isinstance(node, list):
        return [as_json_schema(each) for each in node]
    if not isinstance(node, dict):
        return node
    plain_node = {name: as_json_schema(each) for name, each in node.items() if name != "nullable"}
    return {"anyOf": [plain_node, {"type": "null"}]} if node.get("nullable") is True else plain_node


class Description:
    """The schemas of the description by name."""

    def __init__(self) -> None:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        document = yaml.load(OPENAPI.read_text(encoding="utf-8"), Loader=loader)
        self.components = {"schemas": as_json_schema(document["components"]["schemas"])}

    def complaints(self, name: str, value: Any) -> list[str]:
        """What the description says against a value, but for the known exceptions."""
        root = {"$ref": f"#/components/schemas/{name}", "components": self.components}
        found = []
        for error in jsonschema.Draft202012Validator(root).iter_errors(value):
            where = ".".join(map(str, error.absolute_path))
            if not any(
                where.endswith(path) and text in error.message for path, text in KNOWN_EXCEPTIONS
            ):
                found.append(f"{where}: {error.message}")
        return found


@pytest.fixture(scope="module")
def description() -> Description:
    return Description()


@described
@each_case
def test_the_description_accepts_every_reply(name: str, description: Description) -> None:
    assert description.complaints("Response", plain(CASES[name])) == []


EVENT_SCHEMAS = {
    "response.created": "ResponseCreatedEvent",
    "response.in_progress": "ResponseInProgressEvent",
    "response.output_item.added": "ResponseOutputItemAddedEvent",
    "response.output_item.done": "ResponseOutputItemDoneEvent",
    "response.content_part.added": "ResponseContentPartAddedEvent",
    "response.content_part.done": "ResponseContentPartDoneEvent",
    "response.output_text.delta": "ResponseTextDeltaEvent",
    "response.output_text.done": "ResponseTextDoneEvent",
    "response.refusal.delta": "ResponseRefusalDeltaEvent",
    "response.refusal.done": "ResponseRefusalDoneEvent",
    "response.function_call_arguments.delta": "ResponseFunctionCallArgumentsDeltaEvent",
    "response.function_call_arguments.done": "ResponseFunctionCallArgumentsDoneEvent",
    "response.reasoning_summary_part.added": "ResponseReasoningSummaryPartAddedEvent",
    "response.reasoning_summary_part.done": "ResponseReasoningSummaryPartDoneEvent",
    "response.reasoning_summary_text.delta": "ResponseReasoningSummaryTextDeltaEvent",
    "response.reasoning_summary_text.done": "ResponseReasoningSummaryTextDoneEvent",
    "response.completed": "ResponseCompletedEvent",
    "response.incomplete": "ResponseIncompleteEvent",
    "response.failed": "ResponseFailedEvent",
}


@described
@each_case
def test_the_description_accepts_every_event(name: str, description: Description) -> None:
    seen = set()
    for event in streamed(CASES[name]):
        # One delta is like another: the first and the last of a kind will do.
        if event["type"] in seen and event["type"].endswith(".delta"):
            continue
        seen.add(event["type"])
        assert description.complaints(EVENT_SCHEMAS[event["type"]], event) == []


@described
def test_the_description_accepts_a_failed_response(description: Description) -> None:
    *_, failed = streamed(CASES["text"], Fault("failed"))
    assert description.complaints("ResponseFailedEvent", failed) == []


@described
def test_the_description_accepts_the_siblings_and_the_errors(description: Description) -> None:
    case = CASES["text and calls"]
    platform = case.platform()
    made = json.loads(send(platform, case.body))
    path = f"/v1/responses/{made['id']}"

    def get(request: Request) -> Json:
        body: Json = json.loads(b"".join(platform.handle(request).chunks))
        return body

    items = get(Request("GET", f"{path}/input_items"))
    assert description.complaints("ResponseItemList", items) == []
    body = json.dumps(case.body).encode()
    tokens = get(Request("POST", "/v1/responses/input_tokens", body))
    assert description.complaints("TokenCountsResource", tokens) == []
    for row in ROWS:
        assert description.complaints("ErrorResponse", row.body()) == []


@described
def test_the_description_can_refuse(description: Description) -> None:
    """A judge that accepts everything is none."""
    response = plain(CASES["text"])
    assert description.complaints("Response", response | {"status": "done"})
    del response["tools"]
    assert description.complaints("Response", response)
    (delta,) = [
        e for e in streamed(Case(message("a"))) if e["type"] == "response.output_text.delta"
    ]
    assert description.complaints("ResponseTextDeltaEvent", delta | {"delta": 1})
