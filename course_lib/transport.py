"""The wire under the real client: httpx2 requests go to a platform instead of a socket.

`OfflineTransport` serves the sync and the async client alike. It takes the function that
answers, so the same class speaks to a platform in this process or to one at the other end of a
pipe (`grading`). It fails closed: a request for any other host is answered with one clear
error, and nothing is ever sent anywhere.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any

import httpx2
from openai import AsyncOpenAI, OpenAI

from .platform.errors import ApiError
from .platform.faults import NetworkFault
from .platform.http import Reply, Request, json_reply

API_HOST = "api.openai.com"

# Given outright, so that the environment's key and address stay unused. WebSockets do not go
# through the transport: an address that is none makes them fail before any socket is opened.
OFFLINE: dict[str, Any] = {
    "api_key": "offline",
    "base_url": f"https://{API_HOST}/v1",
    "websocket_base_url": "offline://websockets-do-not-work-offline",
}
# What the client library raises for each fault when it comes from a real network.
_EXCEPTIONS: dict[str, type[httpx2.TransportError]] = {
    "timeout": httpx2.ReadTimeout,
    "connection": httpx2.ConnectError,
    "severed": httpx2.RemoteProtocolError,
}


def offline_client(answer: Callable[[Request], Reply]) -> OpenAI:
    """The real client, whose requests go to `answer`."""
    return OpenAI(**OFFLINE, http_client=httpx2.Client(transport=OfflineTransport(answer)))


def offline_async_client(answer: Callable[[Request], Reply]) -> AsyncOpenAI:
    """The same for `await`."""
    http_client = httpx2.AsyncClient(transport=OfflineTransport(answer))
    return AsyncOpenAI(**OFFLINE, http_client=http_client)


class OfflineTransport(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """Hands each request to `answer`, and its reply to the client."""

    def __init__(self, answer: Callable[[Request], Reply]) -> None:
        self.answer = answer

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._respond(request, request.read())

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._respond(request, await request.aread())

    def _respond(self, request: httpx2.Request, body: bytes) -> httpx2.Response:
        url = request.url
        if url.host == API_HOST:
            headers, query = dict(request.headers), dict(url.params)
            try:
                reply = self.answer(Request(request.method, url.path, body, headers, query))
            except NetworkFault as fault:
                raise _exception(fault) from None
        else:
            reply = _wrong_host(url.host)
        # A fresh Response for each call: the client closes and caches what it is given.
        return httpx2.Response(
            reply.status, headers=reply.headers, stream=_Body(reply.chunks), request=request
        )


class _Body(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A body both clients can read: under `AsyncOpenAI` a sync-only stream fails an assertion."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._chunks
        except NetworkFault as fault:
            raise _exception(fault) from None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk


def _exception(fault: NetworkFault) -> httpx2.TransportError:
    return _EXCEPTIONS[fault.kind](f"simulated: {fault.kind}")


def _wrong_host(host: str) -> Reply:
    # 421 "misdirected request": not retried by the SDK, and not a status of the API's own.
    message = (
        f"This client is offline: it answers for {API_HOST} and was asked for {host}. "
        "Leave base_url out, or set COURSE_LIVE=1 to reach a real endpoint."
    )
    return json_reply(421, ApiError(message, code="offline_host").body())
