"""Faults on demand, seen through the real client: its own retries and its own exceptions.

Contract A6 (bodies and headers of a 429), A7 (what the SDK retries) and C (a failure in
mid-stream).
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx2
import openai
import pytest
from openai import AsyncOpenAI, OpenAI

from course_lib import connect, connect_async
from course_lib.platform.app import Platform
from course_lib.platform.faults import Fault
from course_lib.standin import Scripted
from course_lib.standin.prompt import Answer, Prompt, message
from course_lib.transport import OfflineTransport

ASK: dict[str, Any] = {"model": "gpt-5.6", "input": "ping"}
LONG = "one two three four five six seven eight nine ten"


def client_over(platform: Platform, **options: Any) -> OpenAI:
    http_client = httpx2.Client(transport=OfflineTransport(platform.handle))
    return OpenAI(api_key="x", http_client=http_client, **options)


def async_client_over(platform: Platform, **options: Any) -> AsyncOpenAI:
    http_client = httpx2.AsyncClient(transport=OfflineTransport(platform.handle))
    return AsyncOpenAI(api_key="x", http_client=http_client, **options)


def platform(*faults: Fault) -> Platform:
    return Platform(model=Scripted([message(LONG)] * 9), faults=list(faults))


def statuses(platform: Platform) -> list[int]:
    return [exchange.status for exchange in platform.exchanges]


# --- Before any reply


def test_a_rate_limit_is_retried_after_the_wait_it_asks_for() -> None:
    busy = platform(Fault("rate_limit", times=2, retry_ms=1))
    assert client_over(busy).responses.create(**ASK).output_text == LONG
    assert statuses(busy) == [429, 429, 200]


def test_a_rate_limit_is_retried_under_await() -> None:
    busy = platform(Fault("rate_limit", times=2, retry_ms=1))
    response = asyncio.run(async_client_over(busy).responses.create(**ASK))
    assert response.output_text == LONG
    assert statuses(busy) == [429, 429, 200]


def test_a_rate_limit_that_lasts_is_raised_after_three_attempts() -> None:
    busy = platform(Fault("rate_limit", times=3, retry_ms=1))
    with pytest.raises(openai.RateLimitError) as raised:
        client_over(busy).responses.create(**ASK)
    assert statuses(busy) == [429, 429, 429]
    assert (raised.value.code, raised.value.type) == ("rate_limit_exceeded", "tokens")
    assert "Rate limit reached for gpt-5.6 in organization" in raised.value.message


def test_a_rate_limit_says_in_headers_when_to_come_back() -> None:
    busy = platform(Fault("rate_limit", retry_ms=45_175))
    with pytest.raises(openai.RateLimitError) as raised:
        client_over(busy, max_retries=0).responses.create(**ASK)
    told = raised.value.response.headers
    assert told["retry-after"] == "46"
    assert told["retry-after-ms"] == "45175"
    assert told["x-ratelimit-remaining-tokens"] == "0"
    assert told["x-ratelimit-reset-tokens"] == "45.175s"
    kinds = ("limit", "remaining", "reset")
    for name in [f"x-ratelimit-{kind}-{what}" for kind in kinds for what in ("requests", "tokens")]:
        assert name in told


def test_a_used_up_quota_is_retried_too_and_then_raised() -> None:
    # The SDK cannot tell it from a rate limit; `retry-after` is not sent, so it waits by itself.
    empty = platform(Fault("quota", times=3))
    with pytest.raises(openai.RateLimitError) as raised:
        client_over(empty, max_retries=1).responses.create(**ASK)
    assert statuses(empty) == [429, 429]
    assert (raised.value.code, raised.value.type) == ("insufficient_quota", "insufficient_quota")


def test_a_server_error_is_retried_and_then_raised() -> None:
    broken = platform(Fault("server_error", times=9))
    with pytest.raises(openai.InternalServerError) as raised:
        client_over(broken, max_retries=1).responses.create(**ASK)
    assert statuses(broken) == [500, 500]
    assert raised.value.status_code == 500
    assert raised.value.code == "server_error"


@pytest.mark.parametrize(
    ("kind", "exception"),
    [("timeout", openai.APITimeoutError), ("connection", openai.APIConnectionError)],
)
def test_no_reply_is_the_clients_own_exception(kind: Any, exception: type[Exception]) -> None:
    dead = platform(Fault(kind, times=2))
    with pytest.raises(exception) as raised:
        client_over(dead, max_retries=0).responses.create(**ASK)
    assert type(raised.value) is exception
    with pytest.raises(exception):
        asyncio.run(async_client_over(dead, max_retries=0).responses.create(**ASK))
    assert statuses(dead) == [0, 0]


def test_a_lost_connection_is_retried() -> None:
    shaky = platform(Fault("connection"))
    assert client_over(shaky, max_retries=1).responses.create(**ASK).output_text == LONG
    assert statuses(shaky) == [0, 200]


class Broken:
    """A model with a fault of its own."""

    def respond(self, prompt: Prompt) -> Answer:
        raise KeyError("colour")


def test_a_fault_of_the_course_says_so_at_once() -> None:
    """Neither the learner's code nor the network is to blame, so nothing is tried again."""
    faulty = Platform(model=Broken())
    with pytest.raises(openai.InternalServerError) as raised:
        client_over(faulty).responses.create(**ASK)
    assert statuses(faulty) == [500]
    assert raised.value.code == "offline_fault"
    assert "KeyError: 'colour'" in raised.value.message


def test_a_script_that_has_run_out_says_so_at_once() -> None:
    over = Platform(model=Scripted([message("hello")]))
    client = client_over(over)
    client.responses.create(**ASK)
    with pytest.raises(openai.InternalServerError) as raised:
        client.responses.create(**ASK)
    assert statuses(over) == [200, 500]
    assert raised.value.code == "offline_script"


# --- In mid-stream


def collected(client: OpenAI) -> tuple[str, list[str]]:
    """What a learner has on the screen when the stream ends, however it ends."""
    text, types = "", []
    for event in client.responses.create(**ASK, stream=True):
        types.append(event.type)
        if event.type == "response.output_text.delta":
            text += event.delta
    return text, types


def test_a_severed_stream_raises() -> None:
    cut = platform(Fault("severed", events=6))
    client = client_over(cut)
    text = ""
    with pytest.raises(openai.APIConnectionError) as raised:
        for event in client.responses.create(**ASK, stream=True):
            text += event.delta if event.type == "response.output_text.delta" else ""
    assert LONG.startswith(text) and text != LONG
    assert isinstance(raised.value.__cause__, httpx2.RemoteProtocolError)
    assert client.responses.create(**ASK).output_text == LONG  # and the client lives on
    assert statuses(cut) == [200, 200]  # a stream that began is not tried again


def test_a_severed_stream_raises_under_await() -> None:
    async def read() -> None:
        client = async_client_over(platform(Fault("severed", events=6)))
        async for _ in await client.responses.create(**ASK, stream=True):
            pass

    with pytest.raises(openai.APIConnectionError):
        asyncio.run(read())


def test_a_stream_that_ends_early_goes_unnoticed_by_the_loop() -> None:
    text, types = collected(client_over(platform(Fault("cut_off", events=7))))
    assert len(types) == 7
    assert "response.completed" not in types
    assert text and LONG.startswith(text) and text != LONG


def test_a_stream_that_ends_early_has_no_final_response() -> None:
    client = client_over(platform(Fault("cut_off", events=7)))
    with client.responses.stream(**ASK) as stream, pytest.raises(RuntimeError):
        stream.get_final_response()


def test_a_failure_in_the_stream_is_raised_as_the_api_words_it() -> None:
    client = client_over(platform(Fault("failed", events=5)))
    with pytest.raises(openai.APIError) as raised:
        collected(client)
    assert raised.value.code == "server_error"
    assert raised.value.message.startswith("The server had an error")


def test_a_stream_that_fails_tells_of_the_error_and_of_the_failed_response() -> None:
    client = client_over(platform(Fault("failed", events=2)))
    with client.responses.with_streaming_response.create(**ASK, stream=True) as raw:
        events = [line for line in raw.iter_lines() if line.startswith("event:")]
    assert events == [
        "event: response.created",
        "event: response.in_progress",
        "event: error",
        "event: response.failed",
    ]


# --- Which requests are struck


def struck(faults: Sequence[Fault], streamed: Sequence[bool]) -> list[str]:
    """For each request whether it came through, or what kept it."""
    client = client_over(platform(*faults), max_retries=0)
    seen = []
    for stream in streamed:
        try:
            if stream:
                collected(client)
            else:
                client.responses.create(**ASK)
            seen.append("")
        except openai.APIError as error:
            seen.append(type(error).__name__)
    return seen


def test_a_fault_lets_some_through_strikes_and_is_over() -> None:
    faults = [Fault("server_error", after=1, times=2)]
    error = "InternalServerError"
    assert struck(faults, [False] * 5) == ["", error, error, "", ""]


def test_a_stream_fault_waits_for_a_stream() -> None:
    faults = [Fault("severed", after=1)]
    assert struck(faults, [False, True, False, True, True]) == [
        *["", "", ""],
        "APIConnectionError",
        "",
    ]


def test_two_faults_come_one_after_the_other() -> None:
    faults = [Fault("rate_limit", times=1), Fault("server_error", after=1)]
    assert struck(faults, [False] * 3) == ["RateLimitError", "InternalServerError", ""]


def test_a_fault_disturbs_no_other_client() -> None:
    faults = [Fault("server_error", times=9)]
    struck_client = connect(Scripted([message("hello")]), faults)
    quiet = connect(Scripted([message("hello")]))
    assert quiet.responses.create(**ASK).output_text == "hello"
    with pytest.raises(openai.InternalServerError):
        struck_client.with_options(max_retries=0).responses.create(**ASK)
    assert quiet.responses.retrieve("resp_00000001").output_text == "hello"


def test_a_failed_response_is_remembered_as_failed() -> None:
    played = platform(Fault("failed"))
    client = client_over(played)
    with pytest.raises(openai.APIError):
        collected(client)
    found = client.responses.retrieve("resp_00000001")
    assert (found.status, found.output, found.usage) == ("failed", [], None)
    assert found.error and found.error.code == "server_error"
    assert "msg_1" not in played.state.items


def test_a_struck_request_leaves_no_trace_in_the_state() -> None:
    # The script has one turn: if the struck request had played it, the next would fail.
    client = connect(Scripted([message("hello")]), [Fault("rate_limit", retry_ms=1)])
    response = client.responses.create(**ASK)
    assert response.id == "resp_00000001"
    assert response.output_text == "hello"


def test_the_async_client_takes_faults_too() -> None:
    client = connect_async(Scripted([message("hello")]), [Fault("connection")])
    with pytest.raises(openai.APIConnectionError):
        asyncio.run(client.with_options(max_retries=0).responses.create(**ASK))
