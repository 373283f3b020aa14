"""`course serve`: the platform over HTTP and WebSocket on one port, for a client in any language.

A request is read, up to a bound, handed to `Platform.handle` in a thread of its own, and its reply
sent back. Each API key has a platform of its own, as a project has with the API: what one stores,
no other sees. It listens on this machine alone unless it is told otherwise: whoever can reach it
can use it, with any key.

Over a WebSocket (`client.responses.connect()`, contract D), a message `response.create` holds the
body of a request, and its reply is the same events as a stream's. Requests of one `stream_id` are
answered in turn, those of several at the same time. The connection remembers the latest of what was
answered on it, so that a response with `store: false` can be continued here, and only here.
"""

import asyncio
import contextlib
import errno
import json
import logging
import os
import re
import signal
import socket
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from ipaddress import ip_address
from types import FrameType
from typing import Any

import anyio.to_thread
import uvicorn
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from ..home import CourseError
from ..standin.prompt import Answer, Prompt
from .app import Platform, check_key
from .child import ENDING
from .context import as_items, history
from .errors import ApiError, Json, refusal
from .http import MAX_BODY, Request
from .state import Kept

LOOPBACK = "127.0.0.1"
AT_ONCE = 200  # requests that may run at the same time; a slow tool holds up no other client
GOODBYE = 3  # seconds that open streams get when the server stops
KEYS = 1_000  # that have a platform at a time; then the one longest unused goes
LANES, IN_FLIGHT, LIFE = 32, 16, 3600  # of a WebSocket: stream ids, requests at a time, seconds
WAITING, PARENTS = 100, 100  # messages read and not yet answered; responses remembered
STREAM_ID = re.compile(r"[A-Za-z0-9_.-]{1,256}", re.ASCII)
OF_THE_MESSAGE = ("type", "stream_id", "generate", "stream", "background")
PlatformOf = Callable[[str], Platform]  # by the header `authorization`


def serve(host: str, port: int) -> int:
    """Serve new platforms, one a key, until Ctrl-C. The first line on stdout is the base URL."""
    # NumPy's threads wait for each other in a busy loop, and clients would wait for that.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # the reply says it
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends it like Ctrl-C
    with contextlib.suppress(KeyboardInterrupt):
        listening = listen(host, port)
        print(base_url(listening), flush=True)
        print("Any key will do. Ctrl-C stops it.", file=sys.stderr, flush=True)
        if not ip_address(listening.getsockname()[0]).is_loopback:
            print("Whoever reaches it may use it, and run code in it.", file=sys.stderr, flush=True)
        make_server(one_for_each_key(), log=True).run(sockets=[listening])
    return 0


def one_for_each_key() -> PlatformOf:
    """A platform for each key, made when it is first used; nobody looks into its wire log."""
    return lru_cache(KEYS)(lambda authorization: Platform(exchanges=deque(maxlen=0)))


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one. CourseError says why there is none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host or LOOPBACK, port), family=family, backlog=AT_ONCE)
    except (OSError, TypeError, ValueError) as error:  # which of them, the name decides
        said = getattr(error, "strerror", error)
        reason = str(said).partition(" (")[0]  # the rest says the address once more
        taken = getattr(error, "errno", None) in (errno.EADDRINUSE, errno.EACCES)
        flag, without = ("port", "a free one") if taken else ("host", LOOPBACK)
        raise CourseError(
            f"The server cannot listen on {host}:{port} ({reason}). "
            f"Choose another --{flag}, or leave it out to get {without}."
        ) from None


def base_url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"


def make_server(platform_of: PlatformOf, *, log: bool = False) -> uvicorn.Server:
    """A server for the platforms of its clients; `log` writes a line an HTTP request to stderr."""
    threads = anyio.CapacityLimiter(AT_ONCE)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            return await _converse(WebSocket(scope, receive, send), platform_of)
        http = HttpRequest(scope, receive)
        body, headers = await _read(http.stream()), dict(http.headers)
        asked = Request(http.method, scope["path"], body, headers, dict(http.query_params))
        platform = platform_of(headers.get("authorization", ""))
        reply = await anyio.to_thread.run_sync(platform.handle, asked, limiter=threads)
        if log:
            path = scope["raw_path"].decode("ascii", "backslashreplace")
            sys.stderr.write(f"{http.method} {path} {reply.status}\n")
        if isinstance(reply.chunks, tuple):
            response = Response(b"".join(reply.chunks), reply.status, reply.headers)
        else:
            response = StreamingResponse(_paced(reply.chunks), reply.status, reply.headers)
        return await response(scope, receive, send)

    config = uvicorn.Config(
        answer,
        log_level="critical",
        access_log=False,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=MAX_BODY,
        timeout_graceful_shutdown=GOODBYE,
    )
    return _Server(config)


class _Server(uvicorn.Server):
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ctrl-C does not wait for what runs in a container."""
        ENDING.set()
        super().handle_exit(sig, frame)


async def _paced(chunks: Iterable[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk
        await asyncio.sleep(0)  # others take their turn, and a client that has left is noticed


async def _read(stream: AsyncIterator[bytes]) -> bytes:
    """A body, or so much of it that the platform will find it too long."""
    body = bytearray()
    async for chunk in stream:
        body += chunk
        if len(body) > MAX_BODY:
            break
    return bytes(body)


# --- The WebSocket


class _Silent:
    """The model of a warm-up (`generate: false`): it reads the prompt and says nothing."""

    def respond(self, prompt: Prompt) -> Answer:
        return Answer([])


async def _converse(websocket: WebSocket, platform_of: PlatformOf) -> None:
    """Answer one connection until its client leaves, or the hour is over."""
    key = websocket.headers.get("authorization", "")
    try:
        check_key(key)
        if websocket.url.path != "/v1/responses":
            raise refusal("no_such_address", method="GET", path=websocket.url.path)
    except ApiError as error:
        await websocket.send_denial_response(JSONResponse(error.body(), error.status))
        return
    await websocket.accept()
    await _Connection(platform_of(key), websocket).run()


class _Connection:
    """One connection: its lanes, and the items of what was answered without being stored."""

    def __init__(self, platform: Platform, websocket: WebSocket) -> None:
        self._platform, self._websocket = platform, websocket
        self._lanes: dict[str | None, asyncio.Lock] = {None: asyncio.Lock()}  # without an id: one
        self._in_flight, self._room = asyncio.Semaphore(IN_FLIGHT), asyncio.Semaphore(WAITING)
        self._parents: Kept[list[Json]] = Kept(PARENTS)  # by id: a response's items and all before

    async def run(self) -> None:
        try:
            async with asyncio.timeout(LIFE), asyncio.TaskGroup() as requests:
                while True:
                    received = await self._websocket.receive()
                    if received["type"] == "websocket.disconnect":
                        raise WebSocketDisconnect
                    await self._room.acquire()
                    # A binary message is none that can be read.
                    answer = requests.create_task(self._answer(received.get("text") or ""))
                    answer.add_done_callback(lambda _: self._room.release())
        except* WebSocketDisconnect:
            pass
        except* TimeoutError:
            await self._refuse(refusal("websocket_too_old", minutes=LIFE // 60), None)
            await self._websocket.close()

    async def _answer(self, message: str) -> None:
        stream_id = None
        try:
            event = _message(message)
            stream_id = event.get("stream_id")
            lane = self._lane(stream_id)
            if event["type"] == "response.steer":
                await self._send(_steered(event), None)
                return
            async with lane, self._in_flight:
                for told in await anyio.to_thread.run_sync(self._events, event):
                    await self._send(told, stream_id)
        except (ApiError, RecursionError) as error:  # one that could just be read, not written
            refused = error if isinstance(error, ApiError) else refusal("body_too_deep")
            await self._refuse(refused, stream_id if isinstance(stream_id, str) else None)

    def _lane(self, stream_id: Any) -> asyncio.Lock:
        """What keeps the requests of one stream in order."""
        known = isinstance(stream_id, str | None) and stream_id in self._lanes
        if not known and not (isinstance(stream_id, str) and STREAM_ID.fullmatch(stream_id)):
            raise refusal("wrong_stream_id")
        if not known and len(self._lanes) > LANES:
            raise refusal("too_many_streams", most=LANES)
        return self._lanes.setdefault(stream_id, asyncio.Lock())

    def _events(self, event: Json) -> list[Json]:
        """The events that answer one `response.create`; ApiError where the API refuses."""
        body = {name: event[name] for name in event if name not in OF_THE_MESSAGE}
        parent = body.get("previous_response_id")
        known = self._parents.get(parent) if isinstance(parent, str) else None
        if known is not None and isinstance(body.get("input"), str | list):
            # Not stored, so the platform does not know it: its items are sent instead.
            body |= {"input": known + as_items(body["input"]), "previous_response_id": None}
        platform = self._platform
        if event.get("generate") is False:
            platform = replace(platform, model=_Silent())
        content = json.dumps(body | {"stream": True}).encode()
        key = {"authorization": self._websocket.headers["authorization"]}
        reply = platform.handle(Request("POST", "/v1/responses", content, key))
        written = b"".join(reply.chunks).decode()
        if reply.status != 200:
            self._parents.pop(str(parent), None)
            error = json.loads(written)["error"]
            raise ApiError(error.pop("message"), **error, status=reply.status)
        events = [json.loads(line[6:]) for line in written.split("\n") if line[:6] == "data: "]
        for told in events:
            if known is not None and "response" in told:
                told["response"]["previous_response_id"] = parent
        response = events[-1]["response"]
        if not response["store"]:  # a later request on this connection may build on it
            earlier = history(body.get("previous_response_id"), self._platform.state)
            given = earlier + as_items(body["input"])
            self._parents[response["id"]] = given + response["output"]
        return events

    async def _refuse(self, error: ApiError, stream_id: str | None) -> None:
        await self._send({"type": "error", "status": error.status, **error.body()}, stream_id)

    async def _send(self, event: Json, stream_id: str | None) -> None:
        named = {} if stream_id is None else {"stream_id": stream_id}
        await self._websocket.send_text(json.dumps(event | named))


def _message(message: str) -> Json:
    try:
        event = json.loads(message)
    except (ValueError, RecursionError):
        event = None
    known = ("response.create", "response.steer")
    if not isinstance(event, dict) or event.get("type") not in known:
        raise refusal("wrong_websocket_message")
    return event


def _steered(event: Json) -> Json:
    """Nothing can be steered here: by the time the message comes, the response is complete."""
    return {
        "type": "response.steer.failed",
        "sequence_number": 0,
        "steer": {name: event.get(name) for name in ("previous_response_id", "input")},
        **refusal("response_already_completed").body(),
    }
