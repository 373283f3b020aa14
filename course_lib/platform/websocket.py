"""Responses over a WebSocket: `client.responses.connect()` (contract D, "WebSocket").

A message `response.create` holds the body of a request, and its reply is the same events as a
stream's. Requests of one `stream_id` are answered in turn, those of several at the same time. The
connection remembers the latest of what was answered on it, so that a response with `store: false`
can be continued here, and only here.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import anyio.to_thread
from starlette.responses import JSONResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from ..standin.prompt import Answer, Prompt
from .app import Platform, check_key
from .context import as_items, history
from .errors import ApiError, Json, refusal
from .http import Request

LANES, IN_FLIGHT, LIFE = 32, 16, 3600  # stream ids, requests at a time, seconds
WAITING, PARENTS = 100, 100  # messages read and not yet answered; responses remembered
STREAM_ID = re.compile(r"[A-Za-z0-9_.-]{1,256}", re.ASCII)
Log = Callable[[str, float], None]


class _Silent:
    """The model of a warm-up (`generate: false`): it reads the prompt and says nothing."""

    def respond(self, prompt: Prompt) -> Answer:
        return Answer([])


def responses_over(platform_of: Callable[[str], Platform], log: Log) -> Callable[[WebSocket], Any]:
    """The endpoint of the WebSocket; each connection is one `_Connection`."""

    async def endpoint(websocket: WebSocket) -> None:
        key = websocket.headers.get("authorization", "")
        try:
            check_key(key)
        except ApiError as error:
            await websocket.send_denial_response(JSONResponse(error.body(), error.status))
            return
        await websocket.accept()
        await _Connection(platform_of(key), websocket, log).run()

    return endpoint


class _Connection:
    """One connection: its lanes, and the items of what was answered without being stored."""

    def __init__(self, platform: Platform, websocket: WebSocket, log: Log) -> None:
        self._platform, self._websocket, self._log = platform, websocket, log
        self._lanes: dict[str | None, asyncio.Lock] = {}
        self._in_flight, self._room = asyncio.Semaphore(IN_FLIGHT), asyncio.Semaphore(WAITING)
        self._parents: dict[str, list[Json]] = {}  # id of a response → its items and all before
        self._key = {"authorization": websocket.headers["authorization"]}

    async def run(self) -> None:
        """Answer until the client leaves, or the hour is over."""
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
            event = _read(message)
            stream_id = event.get("stream_id")
            lane = self._lane(stream_id)
            if event["type"] == "response.steer":
                await self._send(_steered(event), None)
                return
            async with lane, self._in_flight:
                for told in await anyio.to_thread.run_sync(self._events, event):
                    await self._send(told, stream_id)
        except ApiError as error:
            await self._refuse(error, stream_id if isinstance(stream_id, str) else None)

    def _lane(self, stream_id: Any) -> asyncio.Lock:
        """What keeps the requests of one stream in order. Without an id they are one stream."""
        if stream_id is not None and not (
            isinstance(stream_id, str) and STREAM_ID.fullmatch(stream_id)
        ):
            raise refusal("wrong_stream_id")
        if stream_id not in self._lanes and len(self._lanes) - (None in self._lanes) >= LANES:
            raise refusal("too_many_streams", most=LANES)
        return self._lanes.setdefault(stream_id, asyncio.Lock())

    def _events(self, event: Json) -> list[Json]:
        """The events that answer one `response.create`; ApiError where the API refuses."""
        begun = time.perf_counter()
        body = {name: event[name] for name in event if name not in _OF_THE_MESSAGE}
        parent = body.get("previous_response_id")
        known = self._parents.get(parent) if isinstance(parent, str) else None
        if known is not None and isinstance(body.get("input"), str | list):
            # Not stored, so the platform does not know it: its items are sent instead.
            body |= {"input": known + as_items(body["input"]), "previous_response_id": None}
        content = json.dumps(body | {"stream": True}).encode()
        silent = event.get("generate") is False
        platform = replace(self._platform, model=_Silent()) if silent else self._platform
        reply = platform.handle(Request("POST", "/v1/responses", content, self._key))
        self._log(f"WebSocket response.create {reply.status}", begun)
        written = b"".join(reply.chunks).decode()
        if reply.status != 200:
            self._parents.pop(str(parent), None)
            error = json.loads(written)["error"]
            raise ApiError(**error, status=reply.status)
        events = [json.loads(line[6:]) for line in written.split("\n") if line[:6] == "data: "]
        for told in events:
            if known is not None and "response" in told:
                told["response"]["previous_response_id"] = parent
        self._remember(body, events[-1]["response"])
        return events

    def _remember(self, body: Json, response: Json) -> None:
        """Keep what a later request on this connection may build on, if the platform does not."""
        if not response["store"]:
            earlier = history(body.get("previous_response_id"), self._platform.state)
            given = earlier + as_items(body["input"])
            self._parents[response["id"]] = given + response["output"]
            for oldest in list(self._parents)[:-PARENTS]:
                del self._parents[oldest]

    async def _refuse(self, error: ApiError, stream_id: str | None) -> None:
        told = {"type": "error", "status": error.status, **error.body()}
        await self._send(told, stream_id)

    async def _send(self, event: Json, stream_id: str | None) -> None:
        if stream_id is not None:
            event = event | {"stream_id": stream_id}
        await self._websocket.send_text(json.dumps(event))


_OF_THE_MESSAGE = ("type", "stream_id", "generate", "stream", "background")


def _read(message: str) -> Json:
    try:
        event = json.loads(message)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict) or event.get("type") not in _TYPES:
        raise refusal("wrong_websocket_message")
    return event


_TYPES = ("response.create", "response.steer")


def _steered(event: Json) -> Json:
    """Nothing can be steered here: by the time the message comes, the response is complete."""
    return {
        "type": "response.steer.failed",
        "sequence_number": 0,
        "steer": {name: event.get(name) for name in ("previous_response_id", "input")},
        "error": {
            "type": "invalid_request_error",
            "code": "response_already_completed",
            "message": "The response completed and is no longer accepting steering input.",
        },
    }
