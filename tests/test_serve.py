"""`course serve`: the platform over HTTP and WebSocket, for clients in other processes."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from agents import Agent, function_tool, responses_websocket_session
from openai import OpenAI

from course_lib.home import CourseError
from course_lib.platform import container_run
from course_lib.platform.app import Platform
from course_lib.platform.http import MAX_BODY
from course_lib.platform.server import LANES, listen
from course_lib.standin.prompt import Answer, Prompt, call, message
from tests import ROOT
from tests.benchmarks.clients import all_clients
from tests.judges.described import DescribedPlatform
from tests.loopback import served
from tests.test_responses import Listener

Json = dict[str, Any]
PLAIN = "gpt-5.4"
DIRECT: Any = {"proxy": None}  # a proxy of the environment does not reach this machine


@pytest.fixture
def model() -> Listener:
    return Listener(message("hello there"))


@pytest.fixture
def address(model: Listener) -> Iterator[str]:
    with served(Platform(model=model)) as url:
        yield url


MADE: list[OpenAI] = []


def client(url: str, key: str = "x") -> OpenAI:
    made = OpenAI(
        base_url=url, api_key=key, max_retries=0, http_client=httpx2.Client(trust_env=False)
    )
    MADE.append(made)
    return made


@pytest.fixture(autouse=True)
def clients_are_closed() -> Iterator[None]:
    """A socket left open fails whatever test runs when it is collected."""
    yield
    while MADE:
        MADE.pop().close()


@pytest.fixture
def connection(address: str) -> Iterator[Any]:
    connecting = client(address).responses.connect(websocket_connection_options=DIRECT)
    with connecting as connection:
        yield connection


def reply(connection: Any, **asked: Any) -> list[Any]:
    """Ask over the WebSocket; the events up to the one that ends the answer."""
    connection.response.create(**{"model": PLAIN, "input": "ping"} | asked)
    return until_ended(connection)


def until_ended(connection: Any) -> list[Any]:
    told = []
    for event in connection:
        told.append(event)
        if event.type in ("response.completed", "error", "response.steer.failed"):
            break
    return told


# --- HTTP


def test_a_client_asks_over_http(address: str) -> None:
    ask = client(address).responses
    assert ask.create(model=PLAIN, input="ping").output_text == "hello there"
    events = list(ask.create(model=PLAIN, input="ping", stream=True))
    assert events[-1].type == "response.completed"


def test_the_wire_is_the_platforms_own(address: str) -> None:
    refused = httpx2.get(
        f"{address}/nothing", headers={"authorization": "Bearer x"}, trust_env=False
    )
    assert refused.status_code == 404
    assert refused.headers["x-request-id"].startswith("req_")
    assert refused.json()["error"]["message"] == "Invalid URL (GET /v1/nothing)"


def test_a_request_without_a_key_is_refused(address: str) -> None:
    assert httpx2.post(f"{address}/responses", trust_env=False).status_code == 401


def test_a_body_is_read_no_further_than_the_bound(address: str) -> None:
    large = b" " * (MAX_BODY + 1)
    headers = {"authorization": "Bearer x"}
    refused = httpx2.post(f"{address}/responses", content=large, headers=headers, trust_env=False)
    assert refused.status_code == 413


@pytest.fixture
def begun_and_done(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, ...]]:
    """Code in a container begins, and goes on until it is told that it is done."""
    begun, done = threading.Event(), threading.Event()

    def slow(kind: str, code: str, own: Path, until: float) -> container_run.Ended:
        begun.set()
        assert done.wait(30)
        return container_run.Ended("42", "", 0, "")

    monkeypatch.setattr(container_run, "execute", slow)
    yield begun, done
    done.set()


class Computing:
    """Runs code once, if it may, and then says hello."""

    def respond(self, prompt: Prompt) -> Answer:
        fresh = prompt.tools and all("type" not in item for item in prompt.items)
        return Answer([call("code_interpreter", {"code": "42"}) if fresh else message("hello")])


def computed(url: str, answers: list[str], **fields: Any) -> threading.Thread:
    """A client that waits for code, in a thread of its own."""
    tools: Any = [{"type": "code_interpreter", "container": {"type": "auto"}}]

    def ask() -> None:
        with client(url) as own:
            made = own.responses.create(model=PLAIN, input="ping", tools=tools, **fields)
        answers.append(made.output_text)

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def test_code_that_runs_holds_up_no_other_client(begun_and_done: Any) -> None:
    begun, done = begun_and_done
    answers: list[str] = []
    with served(Platform(model=Computing())) as url, client(url) as other:
        waiting = computed(url, answers)
        assert begun.wait(30)
        assert other.responses.create(model=PLAIN, input="ping").output_text == "hello"
        assert answers == []
        done.set()
        waiting.join()
        assert answers == ["hello"]


def test_what_is_deleted_while_code_runs_does_not_spoil_the_answer(begun_and_done: Any) -> None:
    begun, done = begun_and_done
    answers: list[str] = []
    with served(Platform(model=Computing())) as url, client(url) as other:
        conversation = other.conversations.create().id
        waiting = computed(url, answers, conversation=conversation)
        assert begun.wait(30)
        other.conversations.delete(conversation)
        other.containers.delete("cntr_1")
        done.set()
        waiting.join()
        assert answers == ["hello"]


def test_many_clients_at_once_each_get_their_own() -> None:
    with served() as url:
        mistakes, times = asyncio.run(all_clients(url, 12, lambda number: number < 3))
    assert (mistakes, len(times)) == ([], 12 * 3 * 4)
    with served(Platform()) as url:  # one state for all of them is seen
        assert asyncio.run(all_clients(url, 2, lambda number: number < 2))[0]


def test_each_key_has_a_state_of_its_own() -> None:
    with served() as url, client(url, "one") as one, client(url, "two") as two:
        made = one.responses.create(model=PLAIN, input="ping", instructions="one")
        assert one.responses.retrieve(made.id).instructions == "one"
        with pytest.raises(openai.NotFoundError):
            two.responses.retrieve(made.id)
        asked = two.responses.create(model=PLAIN, input="ping", instructions="two")
        assert asked.id == made.id  # so far the same was asked of each
        with client(url, "one") as again:
            assert again.responses.retrieve(made.id).instructions == "one"


class Novelist:
    """Writes so much that a stream of it fills every buffer on the way."""

    def respond(self, prompt: Prompt) -> Answer:
        return Answer([message("word " * 20_000)])


def test_a_client_that_leaves_a_stream_is_let_go(caplog: pytest.LogCaptureFixture) -> None:
    with served(Platform(model=Novelist())) as url, client(url) as ask:
        with ask.responses.create(model=PLAIN, input="ping", stream=True) as stream:
            assert next(stream).type == "response.created"
        assert ask.models.list().data
    assert caplog.records == []


# --- WebSocket


def test_the_events_are_those_of_a_stream(address: str, connection: Any) -> None:
    over_socket = [event.type for event in reply(connection)]
    streamed = client(address).responses.create(model=PLAIN, input="ping", stream=True)
    assert over_socket == [event.type for event in streamed]


def test_a_stream_id_comes_back_with_every_event(connection: Any) -> None:
    assert {event.stream_id for event in reply(connection, stream_id="a")} == {"a"}


def test_what_is_not_stored_can_be_continued_on_its_connection_only(
    address: str, connection: Any, model: Listener
) -> None:
    first = reply(connection, store=False)[-1].response
    second = reply(connection, store=False, previous_response_id=first.id)[-1].response
    assert second.previous_response_id == first.id
    third = reply(connection, input="last", previous_response_id=second.id)[-1].response
    assert third.previous_response_id == second.id
    assert len(model.prompts[-1].items) == 5
    with client(address).responses.connect(websocket_connection_options=DIRECT) as other:
        (error,) = reply(other, previous_response_id=first.id)
    assert (error.status, error.error.code) == (400, "previous_response_not_found")


def test_a_failed_continuation_forgets_its_parent(connection: Any) -> None:
    first = reply(connection, store=False)[-1].response
    (refused,) = reply(connection, previous_response_id=first.id, temperature=9)
    assert refused.error.param == "temperature"
    (gone,) = reply(connection, previous_response_id=first.id)
    assert gone.error.code == "previous_response_not_found"


def test_a_warm_up_says_nothing_and_can_be_continued(connection: Any, model: Listener) -> None:
    warm = reply(connection, model="gpt-5.6", input="context", generate=False)[-1].response
    assert (warm.output, warm.usage.output_tokens) == ([], 0)
    assert model.prompts == []
    asked = reply(connection, model="gpt-5.6", previous_response_id=warm.id)[-1].response
    assert asked.usage.input_tokens > warm.usage.input_tokens


def test_nothing_can_be_steered_once_it_is_done(connection: Any) -> None:
    done = reply(connection)[-1].response
    connection.send({"type": "response.steer", "previous_response_id": done.id, "input": "wait"})
    (failed,) = until_ended(connection)
    assert failed.error.code == "response_already_completed"
    assert failed.steer.input == "wait"
    connection.send_raw('{"type": "response.steer", "input": "\\ud800"}')  # half of a pair
    (failed,) = until_ended(connection)
    assert failed.error.code == "response_already_completed"


REFUSED = {
    "an empty stream id": (
        {"stream_id": ""},
        "invalid_stream_id",
        "The 'stream_id' field must be a non-empty string with at most 256 characters and may only "
        "contain letters, numbers, underscores, hyphens, and periods.",
    ),
    "a strange stream id": ({"stream_id": "a b"}, "invalid_stream_id", "The 'stream_id' field"),
    "no such parent": (
        {"previous_response_id": "resp_abc"},
        "previous_response_not_found",
        "Previous response with id 'resp_abc' not found.",
    ),
    "a wrong field": ({"truncation": "x"}, "invalid_value", "Invalid value: 'x'."),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_is_an_event_and_the_connection_goes_on(case: str, connection: Any) -> None:
    asked, code, text = REFUSED[case]
    (error,) = reply(connection, **asked)
    assert (error.type, error.status, error.error.code) == ("error", 400, code)
    assert error.error.message.startswith(text)
    assert reply(connection)[-1].type == "response.completed"


def test_a_message_that_is_none_is_refused(connection: Any) -> None:
    for wrong in ("[", "[]", "", b"\xff", '{"type": "response.cancel"}'):
        connection.send_raw(wrong)
        (error,) = until_ended(connection)
        assert error.error.message.startswith("A message must be a JSON object of type")
        assert error.error.code == "offline_unverified"


def test_a_message_of_any_depth_is_answered(connection: Any) -> None:
    for depth in range(sys.getrecursionlimit() - 80, sys.getrecursionlimit()):
        connection.send_raw(f'{{"type": "response.steer", "input": {"[" * depth}{"]" * depth}}}')
        assert b"error" in connection.recv_bytes()
    assert reply(connection)[-1].type == "response.completed"


def test_a_connection_has_room_for_so_many_streams(connection: Any) -> None:
    for number in range(LANES):
        assert reply(connection, stream_id=str(number))[-1].type == "response.completed"
    (error,) = reply(connection, stream_id="one too many")[-1:]
    assert error.error.code == "invalid_stream_id"
    (error,) = reply(connection, stream_id="one_too_many")
    assert error.error.code == "websocket_stream_limit_reached"
    assert reply(connection, stream_id="0")[-1].type == "response.completed"


def test_a_connection_without_a_key_is_refused(address: str) -> None:
    with pytest.raises(Exception, match="401"):  # noqa: SIM117
        with client(address, "YOUR_KEY").responses.connect(websocket_connection_options=DIRECT):
            pass


def test_a_connection_to_another_address_is_refused(address: str) -> None:
    elsewhere = f"{address}/elsewhere"
    with pytest.raises(Exception, match="404"):  # noqa: SIM117
        with client(elsewhere).responses.connect(websocket_connection_options=DIRECT):
            pass


def test_the_agents_sdk_holds_a_session_over_a_websocket(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
    ):
        monkeypatch.delenv(name, raising=False)

    @function_tool
    def get_stock(sku: str) -> str:
        """Return how many units of an article are in stock.

        Args:
            sku: Article number, e.g. TR-40
        """
        return f'{{"sku": "{sku}", "units": 12}}'

    async def run(url: str) -> str:
        agent = Agent(name="Stock clerk", model="gpt-5.6", tools=[get_stock])
        async with responses_websocket_session(
            api_key="x", base_url=url, websocket_base_url=url.replace("http", "ws")
        ) as session:
            answered = await session.run(agent, "How many units of TR-40 are in stock?")
            return str(answered.final_output)

    with served(Platform()) as url:
        assert "units 12" in asyncio.run(run(url))


# --- The command


def started(*options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "course_lib", "serve", *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True)


def test_the_first_line_is_the_address_and_ctrl_c_ends_it() -> None:
    server = started()
    assert server.stdout
    url = server.stdout.readline().strip()
    assert url.startswith("http://127.0.0.1:")
    assert client(url).responses.create(model=PLAIN, input="Hello").output_text
    with pytest.raises(openai.NotFoundError):
        client(url).models.retrieve("gpt-9")
    form = {"authorization": "Bearer x", "content-type": "multipart/form-data"}
    httpx2.post(f"{url}/files", content=b"no form", headers=form, trust_env=False)
    server.send_signal(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)
    printed, logged = server.communicate(timeout=30)
    assert printed == ""
    note, *requests = logged.splitlines()
    assert note == "Any key will do. Ctrl-C stops it."
    assert [line.split()[:3] for line in requests] == [
        ["POST", "/v1/responses", "200"],
        ["GET", "/v1/models/gpt-9", "404"],
        ["POST", "/v1/files", "400"],
    ]
    assert sys.platform == "win32" or server.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there, a process is not asked to end")
def test_it_ends_when_it_is_asked_to() -> None:
    server = started()
    assert server.stdout and server.stdout.readline()
    server.terminate()
    printed, told = server.communicate(timeout=30)
    assert (printed, server.returncode) == ("", 0)
    assert told in ("", "Any key will do. Ctrl-C stops it.\n")  # if it came so far


def test_a_port_that_is_taken_is_told_in_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        printed, told = started("--port", str(port)).communicate(timeout=30)
    assert printed == ""
    assert told.startswith(f"The server cannot listen on 127.0.0.1:{port} (")
    assert told.endswith("Choose another --port, or leave it out to get a free one.\n")


@pytest.mark.parametrize("host", ["300.1.1.1", "a..b", "\udcff"])
def test_a_host_that_is_none_is_told_in_one_sentence(host: str) -> None:
    with pytest.raises(CourseError) as told:
        listen(host, 0)
    said = str(told.value)
    assert said.startswith(f"The server cannot listen on {host}:0 (")
    assert said.endswith("Choose another --host, or leave it out to get 127.0.0.1.")
    with listen("", 0) as left_out:
        assert left_out.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--prot", "1"], "unrecognized arguments: --prot 1. See `"),
        (["--port", "0"], "argument --port: '0' is no port, which is a number from 1 to 65535"),
    ],
)
def test_a_wrong_flag_is_told_in_one_sentence(options: list[str], told: str) -> None:
    server = started(*options)
    _, said = server.communicate(timeout=30)
    assert said.startswith(told) and said.count("\n") == 1
    assert server.returncode == 2


# --- The judges


def test_a_described_platform_has_its_ids_and_fills_in_the_rest() -> None:
    ids = {"resp_1", "conv_1", "msg_1", "file_1", "vs_1", "vsfb_1", "completion_1"}
    with served(DescribedPlatform(ids)) as url:
        ask = client(url)
        assert ask.responses.retrieve("resp_1").status == "completed"
        assert ask.responses.input_items.list("resp_1", limit=0).data  # as many as there are
        for _ in range(2):  # what is deleted is there again
            assert ask.conversations.delete("conv_1").deleted
            assert ask.conversations.items.retrieve("msg_1", conversation_id="conv_1")
            assert ask.files.delete("file_1").deleted
            assert ask.vector_stores.files.retrieve("file_1", vector_store_id="vs_1").id == "file_1"
            assert ask.vector_stores.file_batches.retrieve("vsfb_1", vector_store_id="vs_1").id
            assert ask.chat.completions.retrieve("completion_1").choices
        asked = httpx2.post(
            f"{url}/responses", headers={"authorization": "Bearer x"}, json={}, trust_env=False
        )
        assert json.loads(asked.content)["status"] == "completed"
        with pytest.raises(openai.NotFoundError):
            ask.responses.retrieve("resp_2")
