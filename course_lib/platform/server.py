"""`course serve`: the platform over HTTP and WebSocket on one port, for a client in any language.

A request is read, up to a bound, handed to `Platform.handle` in a thread of its own, and its reply
sent back; the WebSocket form of Responses is in `websocket.py`. Each API key has a platform of its
own, as a project has with the API: what one stores, no other sees. It listens on this machine alone
unless it is told otherwise: whoever can reach it can use it, with any key.
"""

import asyncio
import contextlib
import errno
import logging
import os
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from functools import lru_cache
from ipaddress import ip_address
from types import FrameType

import anyio.to_thread
import uvicorn
from starlette.requests import Request as HttpRequest
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from ..home import CourseError
from .app import Platform
from .child import ENDING
from .http import MAX_BODY, Request
from .websocket import converse

LOOPBACK = "127.0.0.1"
AT_ONCE = 200  # requests that may run at the same time; a slow tool holds up no other client
GOODBYE = 3  # seconds that open streams get when the server stops
KEYS = 1_000  # that have a platform at a time; then the one longest unused goes
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
        return socket.create_server((host, port), family=family, backlog=AT_ONCE)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]  # the rest says the address once more
        taken = error.errno in (errno.EADDRINUSE, errno.EACCES)
        flag, without = ("port", "a free one") if taken else ("host", LOOPBACK)
        raise CourseError(
            f"The server cannot listen on {host}:{port} ({reason}). "
            f"Choose another --{flag}, or leave it out to get {without}."
        ) from None


def base_url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"


def make_server(platform_of: PlatformOf, *, log: bool = False) -> uvicorn.Server:
    """A server for the platforms of its clients; `log` writes one line a request to stderr."""
    threads = anyio.CapacityLimiter(AT_ONCE)

    def told(what: str, begun: float) -> None:
        if log:
            spent = (time.perf_counter() - begun) * 1000
            sys.stderr.write(f"{what} {spent:.0f} ms\n")  # in one piece: several threads write

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            return await converse(WebSocket(scope, receive, send), platform_of, told)
        begun, http = time.perf_counter(), HttpRequest(scope, receive)
        body, headers = await _read(http.stream()), dict(http.headers)
        asked = Request(http.method, scope["path"], body, headers, dict(http.query_params))
        platform = platform_of(headers.get("authorization", ""))
        reply = await anyio.to_thread.run_sync(platform.handle, asked, limiter=threads)
        path = scope["raw_path"].decode("ascii", "backslashreplace")
        told(f"{http.method} {path} {reply.status}", begun)
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
