"""`connect()` and its kin: the real client, offline and live, and what must never leave.

The guard refuses connections beyond this machine; here, no socket at all is opened offline.
"""

import asyncio
import logging
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import agents
import openai
import pytest
from agents import Agent, Runner, Span, Trace, function_tool
from agents.tracing import TracingProcessor, get_trace_provider
from agents.tracing.processors import default_processor
from agents.tracing.provider import DefaultTraceProvider, TraceProvider
from openai.types.responses import Response

from course_lib import MODEL, connect, connect_agents, connect_async
from course_lib.home import CourseError
from course_lib.live import is_live
from course_lib.platform.app import Platform
from course_lib.platform.http import Reply, Request
from course_lib.standin import Scripted, call, message
from tests import ROOT
from tests.answers import task_01_1

TOOL: Any = {
    "type": "function",
    "name": "get_stock",
    "description": "Return how many units of an article are in stock.",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"sku": {"type": "string", "description": "Article number, e.g. TR-40"}},
        "required": ["sku"],
        "additionalProperties": False,
    },
}
STOCK = "How many units of TR-40 are in stock?"
CHAT = "Write a limerick about a lighthouse."

_opened: list[str] = []  # what sockets were asked to do while a test watched
_watching = threading.Event()


def _notice(event: str, args: tuple[object, ...]) -> None:
    if _watching.is_set() and event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        _opened.append(f"{event} {args}")


sys.addaudithook(_notice)


@pytest.fixture
def no_socket() -> Iterator[None]:
    """The test fails if it, or anything under it, opens a connection or looks a name up."""
    _opened.clear()
    _watching.set()
    yield
    _watching.clear()
    assert _opened == []


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Every request that reaches a platform, oldest first."""
    requests: list[Request] = []
    handle = Platform.handle

    def watched(platform: Platform, request: Request) -> Reply:
        requests.append(request)
        return handle(platform, request)

    monkeypatch.setattr(Platform, "handle", watched)
    return requests


def called(response: Response) -> list[tuple[str, str]]:
    return [(item.name, item.arguments) for item in response.output if item.type == "function_call"]


CALL = [("get_stock", '{"sku":"TR-40"}')]


# The four ways to ask


def test_the_sync_client_asks(no_socket: None) -> None:
    client = connect()
    assert type(client) is openai.OpenAI
    assert called(client.responses.create(model=MODEL, input=STOCK, tools=[TOOL])) == CALL


def test_the_sync_client_asks_inside_a_running_loop() -> None:
    async def cell() -> Response:
        return connect().responses.create(model=MODEL, input=STOCK, tools=[TOOL])

    assert called(asyncio.run(cell())) == CALL


def test_one_async_client_asks_in_two_loops() -> None:
    client = connect_async()
    assert type(client) is openai.AsyncOpenAI

    async def cell() -> Response:
        return await client.responses.create(model=MODEL, input=STOCK, tools=[TOOL])

    # The second loop begins when the first is closed, with whatever the client keeps of it.
    responses = [asyncio.run(cell()), asyncio.run(cell())]
    assert [called(response) for response in responses] == [CALL, CALL]
    assert responses[0].id != responses[1].id


def test_questions_asked_at_once_are_all_answered() -> None:
    client = connect_async()

    async def cell() -> list[Response]:
        questions = (f"question {n}" for n in range(20))
        asked = (client.responses.create(model=MODEL, input=each) for each in questions)
        return list(await asyncio.gather(*asked))

    ids = Counter(response.id for response in asyncio.run(cell()))
    assert len(ids) == 20


@pytest.mark.parametrize("question", [STOCK, CHAT])
def test_a_stream_adds_up_to_the_plain_response(question: str, no_socket: None) -> None:
    plain = connect().responses.create(model=MODEL, input=question, tools=[TOOL])
    request: Any = {"model": MODEL, "input": question, "tools": [TOOL]}
    events = list(connect().responses.create(**request, stream=True))
    assert [event.sequence_number for event in events] == list(range(len(events)))
    last = events[-1]
    assert last.type == "response.completed"
    assert last.response.to_dict() == plain.to_dict()
    deltas = "".join(event.delta for event in events if event.type.endswith(".delta"))
    assert deltas == "".join(arguments for _, arguments in called(plain)) + plain.output_text


def test_an_async_stream_adds_up_to_the_plain_response() -> None:
    plain = connect().responses.create(model=MODEL, input=STOCK, tools=[TOOL])

    async def cell() -> Any:
        stream = await connect_async().responses.create(
            model=MODEL, input=STOCK, tools=[TOOL], stream=True
        )
        return [event async for event in stream]

    assert asyncio.run(cell())[-1].response.to_dict() == plain.to_dict()


def test_the_sdk_puts_a_stream_together() -> None:
    with connect().responses.stream(model=MODEL, input=STOCK, tools=[TOOL]) as stream:
        assert called(stream.get_final_response()) == CALL


# It fails closed


def refused(ask: Callable[[], Any], error: type[openai.APIStatusError]) -> openai.APIStatusError:
    with pytest.raises(error) as caught:
        ask()
    return caught.value


def test_another_host_is_refused_once_and_in_one_sentence(
    no_socket: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from course_lib.transport import OfflineTransport

    tries: list[str] = []
    respond = OfflineTransport.handle_request

    def counted(transport: OfflineTransport, request: Any) -> Any:
        tries.append(request.url.host)
        return respond(transport, request)

    monkeypatch.setattr(OfflineTransport, "handle_request", counted)
    client = connect().with_options(base_url="https://llm.example/v1")
    error = refused(lambda: client.responses.create(model=MODEL, input=CHAT), openai.APIStatusError)
    assert tries == ["llm.example"]
    assert (error.status_code, error.code) == (421, "offline_host")
    assert "offline: it answers for api.openai.com and was asked for llm.example" in error.message
    assert "COURSE_LIVE=1" in error.message


@pytest.mark.parametrize(
    "address",
    ["https://api.openai.com.example/v1", "https://example@llm.example/v1", "http://127.0.0.1/v1"],
)
def test_a_host_that_looks_alike_is_refused(address: str, no_socket: None) -> None:
    client = connect().with_options(base_url=address)
    error = refused(lambda: client.models.list(), openai.APIStatusError)
    assert error.status_code == 421


def test_another_host_is_refused_to_the_async_client(no_socket: None) -> None:
    client = connect_async().with_options(base_url="https://llm.example/v1")
    _watching.clear()  # a loop's own socket pair is none of the client's
    loop = asyncio.new_event_loop()
    _watching.set()
    error = refused(
        lambda: loop.run_until_complete(client.responses.create(model=MODEL, input=CHAT)),
        openai.APIStatusError,
    )
    loop.close()
    assert error.status_code == 421


def test_an_unknown_path_is_not_found(wire: list[Request], no_socket: None) -> None:
    error = refused(lambda: connect().get("/nowhere", cast_to=object), openai.NotFoundError)
    assert "Invalid URL (GET /v1/nowhere)" in error.message
    assert [request.path for request in wire] == ["/v1/nowhere"]


def test_websockets_do_not_leave_either(no_socket: None) -> None:
    with pytest.raises(Exception, match="websockets-do-not-work-offline"):
        connect().responses.connect().enter()


def test_proxies_of_the_environment_are_not_asked(
    no_socket: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert connect().responses.create(model=MODEL, input=CHAT).status == "completed"


def test_no_key_and_no_address_of_the_environment_is_used_offline(
    wire: list[Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "my-secret")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "my-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    connect().responses.create(model=MODEL, input=CHAT)
    asyncio.run(connect_async().responses.create(model=MODEL, input=CHAT))
    assert [request.headers["authorization"] for request in wire] == ["Bearer offline"] * 2
    assert "my-secret" not in str(wire)


# Scripts


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (Scripted([message("only once")]), "The script has 1 turn(s), and this is request 2"),
        (
            Scripted([message("only once"), call("get_weather", {})]),
            "The script calls get_weather, and the request offers get_stock",
        ),
    ],
    ids=["it_runs_out", "it_calls_an_absent_tool"],
)
def test_a_script_that_cannot_go_on_says_so_once(
    script: Scripted, words: str, wire: list[Request]
) -> None:
    client = connect(script)
    assert client.responses.create(model=MODEL, input=CHAT).output_text == "only once"
    error = refused(
        lambda: client.responses.create(model=MODEL, input=CHAT, tools=[TOOL]),
        openai.InternalServerError,
    )
    assert words in error.message
    assert error.code == "offline_script"
    assert len(wire) == 2  # no retries


# Live


class Endpoint(ThreadingHTTPServer):
    """A compatible endpoint on this machine. It keeps the requests that it was sent."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.platform = Platform()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request("POST", self.path, body, headers)
        self.server.requests.append(request)
        reply = self.server.platform.handle(request)
        content = b"".join(reply.chunks)
        self.send_response(reply.status)
        for name, value in {**reply.headers, "content-length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """A test prints nothing."""


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """A live endpoint, with the environment that points at it."""
    with Endpoint() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        monkeypatch.setenv("COURSE_LIVE", "1")
        monkeypatch.setenv("OPENAI_API_KEY", "my-secret")
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        yield server
        server.shutdown()


def test_live_the_same_call_reaches_the_endpoint(endpoint: Endpoint) -> None:
    with connect() as client:
        assert called(client.responses.create(model=MODEL, input=STOCK, tools=[TOOL])) == CALL
    [request] = endpoint.requests
    assert request.path == "/v1/responses"
    assert request.headers["authorization"] == "Bearer my-secret"
    assert b"How many units" in request.body


def test_live_the_async_client_reaches_the_endpoint(endpoint: Endpoint) -> None:
    async def cell() -> Response:
        async with connect_async() as client:
            return await client.responses.create(model=MODEL, input=STOCK, tools=[TOOL])

    assert called(asyncio.run(cell())) == CALL
    assert len(endpoint.requests) == 1


def test_live_a_stream_reaches_the_endpoint(endpoint: Endpoint) -> None:
    with connect() as client:
        request: Any = {"model": MODEL, "input": STOCK, "tools": [TOOL], "stream": True}
        events = list(client.responses.create(**request))
    assert called(events[-1].response) == CALL


def test_live_a_script_stays_offline(endpoint: Endpoint) -> None:
    client = connect(Scripted([message("as written")]))
    assert client.responses.create(model=MODEL, input=CHAT).output_text == "as written"
    assert endpoint.requests == []


@pytest.mark.parametrize("key", [None, "", "  "])
@pytest.mark.parametrize("make", [connect, connect_async, connect_agents])
def test_live_without_a_key_is_told(
    make: Callable[[], Any], key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_LIVE", "1")
    if key is not None:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(CourseError, match="OPENAI_API_KEY is not") as caught:
        make()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("address", ["localhost:8000", "", "/v1"])
def test_live_an_address_that_is_none_is_told(
    address: str, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    with pytest.raises(CourseError, match="OPENAI_BASE_URL must begin with http"):
        connect()


def test_a_switch_that_says_neither_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_LIVE", "maybe")
    with pytest.raises(CourseError, match=r"COURSE_LIVE is 'maybe'\. Set it to 1"):
        connect()


@pytest.mark.parametrize("value", ["1", "yes", " True ", "on"])
def test_the_switch_is_on(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_LIVE", value)
    monkeypatch.setenv("OPENAI_API_KEY", "offline")
    assert is_live()


@pytest.mark.parametrize("value", ["", "0", "no", "OFF", "false"])
def test_the_switch_is_off(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_LIVE", value)
    assert not is_live()


def test_the_model_can_have_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Live with a model of another server, what stays offline answers for that name too."""
    monkeypatch.setenv("COURSE_MODEL", " llama-9 ")
    program = f"""
from course_lib import MODEL, check, connect
from course_lib.standin import Scripted, message

print(MODEL)
client = connect(Scripted([message("as written")]))
print(client.responses.create(model=MODEL, input="Hello").output_text)
{task_01_1.RIGHT["as_in_the_solution"]}
print(check("01.1"))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("llama-9\nas written\n01.1 Declare a tool")
    assert "8 of 8 · 3 points" in done.stdout


# The Agents SDK


class Recorder(TracingProcessor):
    """A processor of the learner's: keeps the names of what ended."""

    def __init__(self) -> None:
        self.ended: list[str] = []

    def on_trace_start(self, trace: Trace) -> None: ...

    def on_trace_end(self, trace: Trace) -> None:
        self.ended.append(trace.name)

    def on_span_start(self, span: Span[Any]) -> None: ...

    def on_span_end(self, span: Span[Any]) -> None:
        self.ended.append(span.span_data.type)

    def shutdown(self) -> None: ...

    def force_flush(self) -> None: ...


@pytest.fixture
def tracing(monkeypatch: pytest.MonkeyPatch) -> DefaultTraceProvider:
    """Tracing as it is in a fresh process: with the exporter to the vendor."""
    provider = DefaultTraceProvider()
    provider.register_processor(default_processor())
    monkeypatch.setattr("agents.tracing.setup.GLOBAL_TRACE_PROVIDER", provider)
    return provider


def processors(provider: DefaultTraceProvider) -> tuple[TracingProcessor, ...]:
    return tuple(provider._multi_processor._processors)


@function_tool
def get_stock(sku: str) -> str:
    """Return how many units of an article are in stock.

    Args:
        sku: Article number, e.g. TR-40
    """
    return f'{{"sku": "{sku}", "units": 12}}'


AGENT = Agent(name="Stock clerk", model=MODEL, tools=[get_stock])


def test_an_agent_runs_and_local_processors_see_it(
    tracing: DefaultTraceProvider, wire: list[Request], no_socket: None
) -> None:
    before, after = Recorder(), Recorder()
    agents.add_trace_processor(before)
    connect_agents()
    agents.add_trace_processor(after)
    assert processors(tracing) == (before, after)

    _watching.clear()  # a loop's own socket pair is none of the client's
    result = Runner.run_sync(AGENT, STOCK)
    assert "units 12" in result.final_output
    assert [request.path for request in wire] == ["/v1/responses"] * 2
    assert before.ended == after.ended
    assert {"Agent workflow", "agent", "function", "response"} <= set(before.ended)


def test_an_agent_runs_in_a_notebooks_loop(tracing: DefaultTraceProvider) -> None:
    async def cell() -> Any:
        connect_agents()
        return (await Runner.run(AGENT, STOCK)).final_output

    assert "units 12" in asyncio.run(cell())
    assert "units 12" in asyncio.run(cell())


def test_an_agent_streams(tracing: DefaultTraceProvider) -> None:
    async def cell() -> list[str]:
        connect_agents()
        streamed = Runner.run_streamed(AGENT, STOCK)
        return [event.type async for event in streamed.stream_events()]

    assert "run_item_stream_event" in asyncio.run(cell())


def test_connecting_again_keeps_what_is_there(tracing: DefaultTraceProvider) -> None:
    recorder = Recorder()
    agents.add_trace_processor(recorder)
    connect_agents()
    connect_agents(Scripted([message("as written")]))
    assert processors(tracing) == (recorder,)
    assert Runner.run_sync(Agent(name="Clerk", model=MODEL), CHAT).final_output == "as written"


def test_a_provider_of_the_learners_own_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(DefaultTraceProvider):
        pass

    class Foreign:
        """Not of the SDK's kind at all."""

    for provider in (Own(), Foreign()):
        monkeypatch.setattr("agents.tracing.setup.GLOBAL_TRACE_PROVIDER", provider)
        connect_agents()
        current: TraceProvider = get_trace_provider()
        assert current is provider


def test_live_at_another_server_no_trace_goes_to_the_vendor(
    tracing: DefaultTraceProvider, endpoint: Endpoint
) -> None:
    connect_agents()
    assert processors(tracing) == ()
    assert "units 12" in Runner.run_sync(AGENT, STOCK).final_output
    assert len(endpoint.requests) == 2


def test_live_at_the_vendor_traces_stay_as_the_sdk_has_them(
    tracing: DefaultTraceProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_LIVE", "1")
    monkeypatch.setenv("OPENAI_API_KEY", "my-secret")
    connect_agents()  # a client alone opens no connection
    assert processors(tracing) == (default_processor(),)


def test_a_process_ends_without_exporting_and_without_a_word_about_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "my-secret")  # with a key it would try, without it warns
    program = """
import logging, os, sys
logging.basicConfig(level=logging.DEBUG)
from agents import Agent, Runner, flush_traces
from course_lib import MODEL, connect_agents

def notice(event, args):
    if event in ("socket.connect", "socket.getaddrinfo"):
        print("left:", event, args, file=sys.stderr)

connect_agents()
agent = Agent(name="Clerk", model=MODEL)
for _ in range(2):
    print(Runner.run_sync(agent, "Hello").final_output)
    sys.addaudithook(notice)
    flush_traces()
    os.environ.pop("OPENAI_API_KEY", None)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    said = "I have no tool for that. I can only answer from what I was given.\n"
    assert done.stdout == said * 2
    log = done.stderr.lower()
    assert "export" not in log
    assert "left:" not in log
    assert "my-secret" not in log


def test_the_sdk_would_say_so_otherwise(
    tracing: DefaultTraceProvider, caplog: pytest.LogCaptureFixture
) -> None:
    """What the test above looks for does come when the exporter is still there."""
    with caplog.at_level(logging.WARNING, logger="openai.agents"):
        with agents.trace("a trace of the test"):
            pass
        tracing.force_flush()
    assert "skipping trace export" in caplog.text
