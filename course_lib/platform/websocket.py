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
from .state import Kept

LANES, IN_FLIGHT, LIFE = 32, 16, 3600  # stream ids, requests at a time, seconds
WAITING, PARENTS = 100, 100  # messages read and not yet answered; responses remembered
STREAM_ID = re.compile(r"[A-Za-z0-9_.-]{1,256}", re.ASCII)
OF_THE_MESSAGE = ("type", "stream_id", "generate", "stream", "background")
Log = Callable[[str, float], None]


class _Silent:
    """The model of a warm-up (`generate: false`): it reads the prompt and says nothing."""

    def respond(self, prompt: Prompt) -> Answer:
        return Answer([])


async def converse(websocket: WebSocket, platform_of: Callable[[str], Platform], log: Log) -> None:
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
    await _Connection(platform_of(key), websocket, log).run()


class _Connection:
    """One connection: its lanes, and the items of what was answered without being stored."""

    def __init__(self, platform: Platform, websocket: WebSocket, log: Log) -> None:
        self._platform, self._websocket, self._log = platform, websocket, log
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
        """What keeps the requests of one stream in order."""
        known = isinstance(stream_id, str | None) and stream_id in self._lanes
        if not known and not (isinstance(stream_id, str) and STREAM_ID.fullmatch(stream_id)):
            raise refusal("wrong_stream_id")
        if not known and len(self._lanes) > LANES:
            raise refusal("too_many_streams", most=LANES)
        return self._lanes.setdefault(stream_id, asyncio.Lock())

    def _events(self, event: Json) -> list[Json]:
        """The events that answer one `response.create`; ApiError where the API refuses."""
        begun = time.perf_counter()
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
        self._log(f"WebSocket response.create {reply.status}", begun)
        written = b"".join(reply.chunks).decode()
        if reply.status != 200:
            self._parents.pop(str(parent), None)
            raise ApiError(**json.loads(written)["error"], status=reply.status)
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


def _read(message: str) -> Json:
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
        "error": {
            "type": "invalid_request_error",
            "code": "response_already_completed",
            "message": "The response completed and is no longer accepting steering input.",
        },
    }
