"""Ids that are there without having been made, for suites of tests that ask for fixed ones.

`course serve --ids resp_123,conv_123` answers for each of them wherever it is asked for: as a
response, a conversation, a file, a store. What is changed or deleted is as before the next time.
"""

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from ..standin import StandIn
from . import chat, conversations, files, vector_stores
from .app import Platform
from .engine import run_turn
from .errors import Json
from .http import Reply, Request
from .state import Conversation, State, StoredResponse
from .stores import Attached, Batch, StoredFile, VectorStore

T = TypeVar("T")
MODEL = "gpt-5.4"
_ANY = Request("POST", "/")


class Seeded(dict[str, T]):
    """A dictionary in which some keys are always found; their values are made when needed."""

    def __init__(self, keys: set[str], make: Callable[[str], T]) -> None:
        super().__init__()
        self._keys, self._make = keys, make

    def __missing__(self, key: str) -> T:
        if key not in self._keys:
            raise KeyError(key)
        return self._make(key)

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or key in self._keys

    def __delitem__(self, key: str) -> None:
        self.pop(key, None)

    def get(self, key: str, default: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            return default


class SeededPlatform(Platform):
    """A platform that has some ids, and fills in what such suites leave out.

    They are written from the OpenAPI description, in which a request needs neither a model nor an
    input and a page may hold nothing. The API itself, and so the platform, asks for all three.
    """

    def __init__(self, ids: set[str]) -> None:
        super().__init__()
        seed(self.state, ids)

    def handle(self, request: Request) -> Reply:
        if request.query.get("limit") == "0":
            del request.query["limit"]
        if request.method == "POST" and re.fullmatch(_ASKING, request.path):
            sent = json.loads(request.body or b"{}")
            request.body = json.dumps({"model": MODEL, "input": "Hello"} | sent).encode()
        return super().handle(request)


_ASKING = "/v1/responses(/compact|/input_tokens)?"


def seed(state: State, ids: set[str]) -> None:
    """Let `state` have these ids, whatever they are asked for as."""

    def response(wanted: str) -> StoredResponse:
        asked: Json = {"model": MODEL, "input": "Hello", "background": True}
        stored = run_turn(asked, state, StandIn())
        del state.responses[stored.body["id"]]
        stored.body["id"], stored.streamed = wanted, True
        return stored

    def conversation(wanted: str) -> Conversation:
        items = [{"id": each, "role": "user", "content": "Hello"} for each in ids if "msg" in each]
        made = conversations.create(state, _ANY, {"items": items})
        return Conversation(made | {"id": wanted}, state.conversations.pop(made["id"]).items)

    def completion(wanted: str) -> tuple[Json, list[Json]]:
        asked = {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}], "store": True}
        made = chat.create(asked, state, StandIn(), None)
        body, messages = state.completions.pop(made.final["id"])
        return body | {"id": wanted}, messages

    def file(wanted: str) -> StoredFile:
        form = {"purpose": "fine-tune", "file": {"filename": "hello.txt", "bytes": 5}}
        made = files.create(state, Request("POST", "/", files={"file": b"Hello"}), form)
        body = state.files.pop(made["id"]).body
        return StoredFile(body | {"id": wanted}, b"Hello")

    def store(wanted: str) -> VectorStore:
        made = _store({"name": "Hello"})
        made.body["id"] = wanted
        made.files = Seeded(ids, lambda each: attached(each, wanted))
        made.batches = Seeded(ids, lambda each: batch(each, wanted))
        return made

    def _store(body: Json) -> VectorStore:
        return state.vector_stores.pop(vector_stores.create(state, _ANY, body)["id"])

    def attached(wanted: str, store_id: str) -> Attached:
        made = _store({"file_ids": [wanted]}).files[wanted]
        made.body["vector_store_id"] = store_id
        return made

    def batch(wanted: str, store_id: str) -> Batch:
        made = {"id": wanted, "object": "vector_store.file_batch", "created_at": state.now}
        made |= {"vector_store_id": store_id, "status": "in_progress", "file_counts": {}}
        return Batch(made, [each for each in ids if each.startswith("file")])

    state.responses = Seeded(ids, response)
    state.conversations = Seeded(ids, conversation)
    state.completions = Seeded(ids, completion)
    state.files = Seeded(ids, file)
    state.vector_stores = Seeded(ids, store)
