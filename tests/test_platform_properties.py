"""Properties of the platform for any input: what streams is what is answered, and nothing breaks.

Two kinds: random answers of a scripted model, told as a stream and at once, are the same; and
whatever is sent, the reply is a response or an error in the API's envelope, never a fault of our
own and never an exception.
"""

import json
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course_lib.platform.app import Platform
from course_lib.platform.context import CONTENT_TYPES, ITEM_TYPES, ROLES
from course_lib.platform.contract import KNOWN
from course_lib.platform.http import Request
from course_lib.standin import Scripted, call
from course_lib.standin.prompt import message, refusal
from tests.rejections import a_call, an_output, function, schema, user
from tests.test_streams import Reader, parsed

Json = dict[str, Any]

bounded = settings(
    derandomize=True, deadline=None, max_examples=150, suppress_health_check=list(HealthCheck)
)


def send(
    platform: Platform, body: bytes, path: str = "/v1/responses", method: str = "POST"
) -> bytes:
    """Send and check that the reply is civil: an answer, or a refusal in the API's envelope."""
    reply = platform.handle(Request(method, path, body))
    content = b"".join(reply.chunks)
    assert reply.headers["x-request-id"]
    for value in reply.headers.values():
        value.encode("latin-1")
        assert "\n" not in value and len(value) < 2000
    if reply.status == 200:
        if reply.headers["content-type"].startswith("text/event-stream"):
            Reader(parsed(content)).response()
        else:
            json.loads(content, parse_constant=refuse)
        return content
    assert 400 <= reply.status < 500, content[:300]
    error = json.loads(content, parse_constant=refuse)["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["message"] and isinstance(error["message"], str)
    assert error["code"] != "offline_fault"
    return content


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


# --- What streams is what is answered

texts = st.text(max_size=60) | st.text(st.characters(), max_size=20)
arguments = st.dictionaries(
    st.sampled_from(["a", "b", "naïve 🙂"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | texts,
        lambda inside: (
            st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside, max_size=3)
        ),
        max_leaves=5,
    ),
    max_size=3,
)
answers = st.lists(
    texts.map(message) | texts.map(refusal) | arguments.map(lambda given: call("f", given)),
    min_size=1,
    max_size=4,
)
wishes = st.fixed_dictionaries(
    {"model": st.sampled_from(["gpt-5.6", "gpt-5.4", "gpt-4.1", "o3"])},
    optional={
        "max_output_tokens": st.integers(16, 40),
        "parallel_tool_calls": st.booleans(),
        "store": st.booleans(),
        "include": st.just(["reasoning.encrypted_content"]),
        "stream_options": st.fixed_dictionaries({"include_obfuscation": st.booleans()}),
    },
)


@bounded
@given(answers, wishes, st.booleans())
def test_the_stream_tells_the_plain_response(said: list[Json], wish: Json, summary: bool) -> None:
    body: Json = {"input": "ping", "tools": [function(name="f")]} | wish
    if summary and wish["model"] in ("gpt-5.6", "o3"):
        body["reasoning"] = {"summary": "auto"}
    at_once, told = (
        send(Platform(model=Scripted([said])), json.dumps(body | {"stream": stream}).encode())
        for stream in (False, True)
    )
    plain = json.loads(at_once)
    assert Reader(parsed(told)).response() == plain
    usage = plain["usage"]
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
    if "max_output_tokens" in body:
        assert usage["output_tokens"] <= body["max_output_tokens"]
    # What came out can go in again: the next turn of the same conversation is accepted.
    answered = [an_output(each["call_id"]) for each in plain["output"] if "call_id" in each]
    if plain["status"] == "completed":
        history = [user(), *plain["output"], *answered, user("again")]
        again = Platform(model=Scripted([said, message("done")]))
        send(again, json.dumps(body).encode())
        content = send(again, json.dumps(body | {"input": history}).encode())
        assert json.loads(content)["error"] is None, content


# --- Whatever is sent

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, -1, 10**30, -(10**300), 1e308, -0.0]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.sampled_from(["", "auto", "\x00\x1f\n", "é🙂", "x" * 300, "resp_00000001", "msg_1", "fc_1"]),
)
keys = st.sampled_from(
    "type role content text id call_id name arguments output summary tools parameters "
    "properties required items enum anyOf $ref strict format schema".split()
) | st.text(max_size=4)
anything = st.recursive(
    scalars,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(keys, inside, max_size=4),
    max_leaves=10,
)
parts = st.one_of(
    st.builds(
        lambda kind, more: {"type": kind, "text": "x"} | more,
        st.sampled_from(CONTENT_TYPES),
        st.dictionaries(st.sampled_from(["text", "file_url", "file_data", "image_url"]), scalars),
    ),
    anything,
)
items = st.one_of(
    st.builds(
        lambda role, content, more: {"role": role, "content": content} | more,
        st.sampled_from(ROLES),
        st.text(max_size=9) | st.lists(parts, max_size=2),
        st.dictionaries(keys, anything, max_size=1),
    ),
    st.builds(
        lambda kind, more: {"type": kind, "call_id": "call_1"} | more,
        st.sampled_from(ITEM_TYPES),
        st.dictionaries(keys, anything, max_size=5),
    ),
    st.sampled_from([a_call("call_1"), an_output("call_1"), user(), {"type": "reasoning"}]),
    anything,
)
# Schemas as people write them, odd and mostly valid: the stand-in has to answer to them.
values = st.lists(scalars, max_size=3)
odd = st.fixed_dictionaries(
    {},
    optional={
        "enum": values,
        "const": anything,
        "default": anything,
        "description": st.sampled_from(["", "The order, e.g. A-104", "e.g.", "such as ("]),
        "pattern": st.sampled_from(["^[A-Z]-\\d+$", "(", "*", ""]),
        "minimum": st.sampled_from([0, -1, 10**20, 0.5]),
        "minItems": st.sampled_from([0, 2, -1, 10**9]),
        "format": st.text(max_size=5),
        "title": anything,
        "oneOf": anything,
    },
)
simple = st.one_of(
    st.booleans(),
    st.builds(
        lambda kind, more: {"type": kind} | more,
        st.sampled_from(
            [*"string integer number boolean null array object".split(), ["string", "null"]]
        ),
        odd,
    ),
    odd,
    st.sampled_from(["#", "#/$defs/D", "#/$defs/Nobody", "http://x", "", "#/properties/a"]).map(
        lambda target: {"$ref": target}
    ),
)


def an_object(members: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return st.builds(
        lambda properties, required, more: (
            {"type": "object", "properties": properties} | required | more
        ),
        st.dictionaries(st.sampled_from(["order_id", "items", "$ref", "a"]), members, max_size=3),
        st.sampled_from([{}, {"required": ["order_id"]}, {"required": ["a", "nobody"]}]),
        st.sampled_from([{}, {"additionalProperties": True}, {"$defs": {"D": {"$ref": "#"}}}]),
    )


below = st.recursive(
    simple,
    lambda inside: (
        an_object(inside)
        | st.builds(lambda each: {"type": "array", "items": each}, inside)
        | st.lists(inside, max_size=2).map(lambda options: {"anyOf": options})
    ),
    max_leaves=5,
)
schemas = an_object(below)
functions = st.builds(
    lambda name, parameters, more: (
        {"type": "function", "name": name, "parameters": parameters} | more
    ),
    st.sampled_from(["get_order", "f", "find_late_orders"]),
    schemas,
    st.fixed_dictionaries(
        {},
        optional={
            "strict": st.sampled_from([None, False]),
            "description": st.none() | st.text(max_size=20),
            "output_schema": st.none() | schemas,
        },
    ),
)
# Items of every kind, odd and mostly valid: calls and outputs in pairs, hosted items as they are.
hosted = sorted(set(ITEM_TYPES) - {"message", "function_call", "function_call_output", "reasoning"})
passing = st.one_of(
    st.builds(
        lambda role, text: [{"role": role, "content": text}], st.sampled_from(ROLES), st.text()
    ),
    st.lists(st.sampled_from([{"type": "input_text", "text": "x"}, {"type": "input_image"}])).map(
        lambda content: [{"role": "user", "content": content}]
    ),
    st.builds(
        lambda kind, more: [{"type": kind} | more],
        st.sampled_from(
            [each for each in hosted if each not in ("item_reference", "additional_tools")]
        ),
        st.dictionaries(st.sampled_from(["role", "action", "tools", "summary", "name"]), anything),
    ),
    st.builds(
        lambda number, name, written, output: [
            a_call(f"call_{number}", name) | {"arguments": written},
            an_output(f"call_{number}", output),
        ],
        st.integers(0, 10**6),
        st.sampled_from(["get_order", "nobody"]),
        st.sampled_from(["{}", "[]", "", "{", "null", '{"order_id": 1}', "NaN"]),
        st.text(max_size=9) | anything.map(json.dumps),
    ),
    st.just([{"type": "reasoning", "summary": []}]),
)
histories: st.SearchStrategy[list[Json]] = st.lists(passing, min_size=1, max_size=5).map(
    lambda turns: [item for turn in turns for item in turn]
)
FIELDS: dict[str, st.SearchStrategy[Any]] = dict.fromkeys(KNOWN, anything) | {
    "input": st.lists(items, max_size=4) | anything,
    "instructions": st.text(max_size=9) | st.lists(items, max_size=2) | anything,
    "tools": st.lists(functions, max_size=3) | anything,
    "tool_choice": st.sampled_from(["auto", "none", "required"]) | anything,
    "text": st.builds(
        lambda schema: {
            "format": {"type": "json_schema", "name": "a", "schema": schema, "strict": False}
        },
        schemas,
    )
    | anything,
    "include": st.lists(st.sampled_from(["reasoning.encrypted_content"]) | anything, max_size=2),
    "metadata": st.dictionaries(keys, scalars, max_size=3) | anything,
    "stream": st.booleans() | anything,
}
VALID: Json = {"model": "gpt-5.4", "input": "Where is order A-104?"}
changes = st.fixed_dictionaries({}, optional=FIELDS)


def settled() -> Platform:
    """A platform with a past: resp_00000001, msg_1, rs_1."""
    platform = Platform()
    send(platform, json.dumps({"model": "gpt-5.6", "input": "ping"}).encode())
    return platform


@bounded
@given(
    st.dictionaries(st.sampled_from(list(KNOWN)), st.none(), max_size=3).flatmap(
        lambda chosen: st.fixed_dictionaries({name: FIELDS[name] for name in chosen})
    )
)
def test_a_body_with_a_few_wild_fields_gets_a_civil_reply(changed: Json) -> None:
    send(settled(), json.dumps(VALID | changed).encode())


accepted: dict[str, list[bool]] = {}


def note(kind: str, content: bytes) -> None:
    """Remember whether a request was accepted: properties of refusals alone prove little."""
    accepted.setdefault(kind, []).append(b'"error":{' not in content)


@bounded
@given(histories, st.booleans())
def test_an_odd_history_gets_a_civil_reply(history: list[Any], stream: bool) -> None:
    body = VALID | {"input": history, "stream": stream, "tools": [function(name="get_order")]}
    note("history", send(settled(), json.dumps(body).encode()))


@bounded
@given(functions, st.sampled_from(["auto", "required"]), st.sampled_from(["A-104", "", "Ada, 7"]))
def test_an_odd_tool_gets_a_civil_reply(tool: Json, choice: str, text: str) -> None:
    body = VALID | {"tools": [tool], "tool_choice": choice, "input": f"Get order {text}."}
    note("tool", send(settled(), json.dumps(body).encode()))


@bounded
@given(schemas, st.sampled_from(["Order A-104 is 7 days late.", ""]))
def test_an_odd_output_schema_gets_a_civil_reply(wanted: Json, text: str) -> None:
    asked = {"type": "json_schema", "name": "a", "schema": wanted, "strict": False}
    body = VALID | {"text": {"format": asked}, "input": [user(text)]}
    note("schema", send(settled(), json.dumps(body).encode()))


def test_the_odd_requests_are_mostly_accepted() -> None:
    for test in (
        test_an_odd_history_gets_a_civil_reply,
        test_an_odd_tool_gets_a_civil_reply,
        test_an_odd_output_schema_gets_a_civil_reply,
    ):
        test()
    for kind, passed in accepted.items():
        print(f"{kind}: {sum(passed)} of {len(passed)} accepted")
        assert sum(passed) / len(passed) > 0.4, kind


@bounded
@given(st.lists(items, max_size=4), st.booleans())
def test_a_wild_history_gets_a_civil_reply(history: list[Any], stream: bool) -> None:
    send(settled(), json.dumps(VALID | {"input": history, "stream": stream}).encode())


@bounded
@given(
    st.lists(functions | anything, min_size=1, max_size=3), st.sampled_from(["auto", "required"])
)
def test_wild_tools_get_a_civil_reply(tools: list[Any], choice: str) -> None:
    body = VALID | {"tools": tools, "tool_choice": choice}
    send(settled(), json.dumps(body).encode())


HOSTED_TOOLS: list[Json] = [
    {"type": "web_search", "filters": {"allowed_domains": ["a.example"]}},
    {"type": "web_search_preview", "user_location": {"type": "approximate", "city": "Utrecht"}},
    {"type": "file_search", "vector_store_ids": ["vs_1"], "ranking_options": {"ranker": "auto"}},
    {"type": "code_interpreter", "container": {"type": "auto", "file_ids": []}},
    {"type": "image_generation", "size": "1024x1024", "partial_images": 1},
]


@bounded
@given(
    st.sampled_from(HOSTED_TOOLS),
    st.dictionaries(
        st.sampled_from(
            "filters container size quality vector_store_ids max_num_results ranking_options "
            "user_location search_context_size partial_images".split()
        ),
        anything,
        max_size=2,
    ),
    st.sampled_from(["auto", "required"]) | anything,
    st.text(max_size=40) | st.sampled_from(["Open http://[::1 now", "What is 2 + 2?", "Draw it."]),
)
def test_a_wild_hosted_tool_gets_a_civil_reply(
    tool: Json, more: Json, choice: Any, said: str
) -> None:
    body = VALID | {"tools": [tool | more], "tool_choice": choice, "input": said or "x"}
    send(settled(), json.dumps(body).encode())


@bounded
@given(below | anything)
def test_a_wild_output_schema_gets_a_civil_reply(wanted: Any) -> None:
    asked = {"type": "json_schema", "name": "a", "schema": wanted, "strict": False}
    send(settled(), json.dumps(VALID | {"text": {"format": asked}}).encode())


@bounded
@given(anything)
def test_any_json_gets_a_civil_reply(body: Any) -> None:
    send(settled(), json.dumps(body).encode())


@bounded
@given(st.binary(max_size=60))
def test_any_bytes_get_a_civil_reply(body: bytes) -> None:
    send(settled(), body)


@bounded
@given(
    st.sampled_from(["GET", "POST", "DELETE", "PUT", ""]),
    st.text(max_size=12)
    | st.sampled_from(["resp_00000001", "resp_00000001/input_items", "/cancel"]),
)
def test_any_address_gets_a_civil_reply(method: str, path: str) -> None:
    send(settled(), b"{}", f"/v1/responses/{path}", method)


@bounded
@given(
    st.dictionaries(
        st.sampled_from(["limit", "order", "after", "include"]), st.text(max_size=6), max_size=3
    )
)
def test_any_page_gets_a_civil_reply(query: dict[str, str]) -> None:
    path = "/v1/responses/resp_00000001/input_items"
    reply = settled().handle(Request("GET", path, query=query))
    assert reply.status in (200, 400)
    json.loads(b"".join(reply.chunks))


def wrong() -> list[Any]:
    """A value of every type, and some that are hard to hold."""
    return [
        *(None, True, 0, 1.5, "", "x", [], {}, [[]], [{}], {"a": {}}, [None]),
        *(10**400, -1, 1e308, "\x00", "\ufffe", "🙂", [1, "a", None], {"": ""}, {"type": None}),
    ]


@pytest.mark.parametrize("name", KNOWN)
def test_a_value_of_any_type_in_any_field_gets_a_civil_reply(name: str) -> None:
    for value in wrong():
        send(settled(), json.dumps(VALID | {name: value}).encode())


ITEMS: dict[str, Json] = {
    "question": user(),
    "answer": {"role": "assistant", "content": "hello"},
    "call": a_call("call_1"),
    "output": an_output("call_1"),
    "reasoning": {"type": "reasoning", "summary": []},
    "tools": {"type": "additional_tools", "role": "developer", "tools": [function()]},
    "reference": {"type": "item_reference", "id": "msg_1"},
    "hosted": {"type": "agent_message", "role": "user", "content": []},
    "hosted output": {"type": "custom_tool_call_output", "call_id": "call_9", "output": ""},
}
IN_ITEMS = (
    "type role content id status call_id name arguments namespace caller output summary "
    "encrypted_content tools phase"
).split()


@pytest.mark.parametrize("kind", ITEMS)
def test_a_value_of_any_type_in_any_item_gets_a_civil_reply(kind: str) -> None:
    for name in IN_ITEMS:
        for value in wrong():
            given = [user(), ITEMS[kind] | {name: value}, a_call("call_2"), an_output("call_2")]
            send(settled(), json.dumps(VALID | {"input": given}).encode())
            json_mode = {"input": given, "text": {"format": {"type": "json_object"}}}
            send(Platform(), json.dumps(VALID | json_mode).encode())


@pytest.mark.parametrize("kind", [*CONTENT_TYPES, "reasoning_text"])
def test_a_value_of_any_type_in_any_part_gets_a_civil_reply(kind: str) -> None:
    for name in ("type", "text", "refusal", "file_url", "file_data", "image_url", "annotations"):
        for value in wrong():
            part = {"type": kind, "text": "x", name: value}
            for item in ("question", "answer", "hosted", "reasoning"):
                given = [ITEMS[item] | {"content": [part]}, user()]
                send(settled(), json.dumps(VALID | {"input": given}).encode())
            given = [a_call("call_1"), an_output("call_1", [part])]
            send(settled(), json.dumps(VALID | {"input": given}).encode())


BIG = 1_000_000


@pytest.mark.parametrize("letters", ["x", " ", "word ", "\x00", "🙂", '"\\'])
def test_a_megabyte_of_text_gets_a_civil_reply(letters: str) -> None:
    text = letters * (BIG // len(letters))
    send(Platform(), json.dumps(VALID | {"input": text}).encode())
    send(Platform(), json.dumps(VALID | {"input": [a_call("c"), an_output("c", text)]}).encode())


@pytest.mark.parametrize(
    "name", ["model", "instructions", "previous_response_id", "prompt_cache_key"]
)
def test_a_megabyte_in_a_field_gets_a_civil_reply(name: str) -> None:
    send(Platform(), json.dumps(VALID | {name: "y" * BIG}).encode())


def test_a_megabyte_of_a_name_gets_a_civil_reply() -> None:
    long = "n" * BIG
    send(Platform(), json.dumps(VALID | {long: 1}).encode())
    send(Platform(), json.dumps(VALID | {"metadata": {long: "v"}}).encode())
    send(Platform(), json.dumps(VALID | {"tools": [function(name=long)]}).encode())
    send(Platform(), json.dumps(VALID | {"input": [a_call(long)]}).encode())
    send(
        Platform(),
        json.dumps(VALID | {"tools": [function(schema({long: {"type": "string"}}))]}).encode(),
    )


@pytest.mark.parametrize("depth", [100, 400, 900, 3000, 100_000])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'{"a":', b"}"),
        (b"[", b"]"),
        (b'{"type":"object","properties":{"a":', b"}}"),
        (b'{"type":"array","items":', b"}"),
        (b'{"anyOf":[', b"]}"),
    ],
)
def test_any_depth_gets_a_civil_reply(depth: int, before: bytes, after: bytes) -> None:
    nested = before * depth + b"{}" + after * depth
    places = [
        b'{"model":"gpt-5.4","input":%s}',
        b'{"model":"gpt-5.4","input":"x","metadata":%s}',
        b'{"model":"gpt-5.4","input":"x","prompt":{"id":"a","variables":%s}}',
        b'{"model":"gpt-5.4","input":"x","tools":[{"type":"function","name":"f","parameters":%s}]}',
        b'{"model":"gpt-5.4","input":"x","tools":[{"type":"function","name":"f","output_schema":%s}]}',
        b'{"model":"gpt-5.4","input":[{"type":"agent_message","content":[%s]}]}',
    ]
    for place in places:
        send(Platform(), place % nested)


@pytest.mark.parametrize("constant", [b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1e999"])
@pytest.mark.parametrize("name", [name.encode() for name in KNOWN])
def test_a_number_that_is_none_is_not_json(name: bytes, constant: bytes) -> None:
    content = send(
        Platform(), b'{"model":"gpt-5.4","input":"x",%s:%s}' % (b'"' + name + b'"', constant)
    )
    assert b"We could not parse the JSON body" in content


# --- A long conversation


def work(platform: Platform, body: Json, counted: bool) -> tuple[int, Json]:
    """How many function calls the platform makes for a request, if asked, and the response."""
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    request = Request("POST", "/v1/responses", json.dumps(body).encode())
    sys.setprofile(count if counted else None)
    try:
        reply = platform.handle(request)
    finally:
        sys.setprofile(None)
    response: Json = json.loads(b"".join(reply.chunks))
    assert response["error"] is None, response
    return calls, response


def turns(chained: bool, *measured: int) -> list[tuple[int, int]]:
    """A tool-using conversation: (function calls, input tokens) of each turn that is measured."""
    until = max(measured)
    script = Scripted([call("get_order", {"order_id": "A-104"}), message("It is late.")] * until)
    platform, found = Platform(model=script), []
    body: Json = {"model": "gpt-5.4", "tools": [function(name="get_order")]}
    history: list[Json] = []
    last = None

    def send_on(new: Json, counted: bool) -> tuple[int, Json]:
        nonlocal last
        history.append(new)
        given = {"input": [new], "previous_response_id": last} if chained else {"input": history}
        calls, response = work(platform, body | given, counted)
        history.append(response["output"][0])
        last = response["id"]
        return calls, response

    for turn in range(1, until + 1):
        _, asking = send_on(user("Where is A-104?"), counted=False)
        answer = an_output(asking["output"][0]["call_id"], "late")
        calls, response = send_on(answer, counted=turn in measured)
        if turn in measured:
            found.append((calls, response["usage"]["input_tokens"]))
    return found


@pytest.mark.parametrize("chained", [False, True], ids=["sent again", "by previous_response_id"])
def test_the_work_of_a_turn_grows_no_faster_than_its_tokens(chained: bool) -> None:
    (few, short), (many, long) = turns(chained, 50, 200)
    print(f"turn 50: {few} calls for {short} tokens; turn 200: {many} calls for {long} tokens")
    assert long > 3 * short
    assert many / few <= 1.05 * long / short
