"""The platform as the OpenAPI description has it, for suites of tests written from that.

Such a suite asks for fixed ids that nobody made, in requests that leave out what the API itself
wants. Here each of the ids is found wherever it is asked for: as a response, a conversation, a
file, a store. What is changed or deleted is as before the next time. What is left out is filled in.
Where the description disagrees with what was recorded, it is followed in `_as_described` alone.
"""

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from course_lib.platform import chat, conversations, files, vector_stores
from course_lib.platform.app import Platform
from course_lib.platform.engine import run_turn
from course_lib.platform.errors import Json
from course_lib.platform.files import StoredFile
from course_lib.platform.http import Reply, Request, json_reply
from course_lib.platform.state import Conversation, State, StoredResponse
from course_lib.platform.vector_stores import Attached, Batch, VectorStore
from course_lib.standin import StandIn

T = TypeVar("T")
MODEL = "gpt-5.4"


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


class DescribedPlatform(Platform):
    """A platform that has some ids, and fills in what a request leaves out."""

    def __init__(self, ids: set[str]) -> None:
        super().__init__()
        self._ids = ids
        seed(self.state, ids)

    def handle(self, request: Request) -> Reply:
        if request.query.get("limit") == "0":  # the API has pages of one and more
            del request.query["limit"]
        model = request.path.removeprefix("/v1/models/")
        if request.method == "DELETE" and model in self._ids:  # only a fine-tuned one can go
            return json_reply(200, {"id": model, "object": "model", "deleted": True})
        for path, default in DEFAULTS.items():
            if request.method == "POST" and re.fullmatch(path, request.path):
                request.body = json.dumps(default | json.loads(request.body or b"{}")).encode()
        return _as_described(super().handle(request))


_HELLO = {"role": "assistant", "content": "Hello"}
# What such requests leave out. A reply to what an assistant said, not a user, is of the SDK's own
# types: they have no room for a user's message in the output of `compact`, which returns it, and
# none in the messages of a stored completion.
DEFAULTS: Json = {
    "/v1/responses(/input_tokens)?": {"model": MODEL, "input": "Hello"},
    "/v1/responses/compact": {"model": MODEL, "input": [_HELLO]},
    "/v1/vector_stores": {"name": "Hello"},
    "/v1/vector_stores/[^/]+/file_batches": {"file_ids": ["file_id"]},
}


def _as_described(reply: Reply) -> Reply:
    """The name of a batch was recorded six times, and is another one in the description."""
    recorded, described = b'"vector_store.file_batch"', b'"vector_store.files_batch"'
    if isinstance(reply.chunks, tuple):
        reply.chunks = tuple(chunk.replace(recorded, described) for chunk in reply.chunks)
    return reply


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
        made = conversations.create(state, Request("POST", "/"), {"items": items})
        return Conversation(made | {"id": wanted}, state.conversations.pop(made["id"]).items)

    def completion(wanted: str) -> Conversation:
        asked = {"model": MODEL, "messages": [_HELLO], "store": True}
        made = chat.create(asked, state, StandIn(), None)
        stored = state.completions.pop(made.final["id"])
        return Conversation(stored.body | {"id": wanted}, stored.items)

    def file(wanted: str) -> StoredFile:
        form = {"purpose": "fine-tune", "file": {"filename": "hello.txt", "bytes": 5}}
        made = files.create(state, Request("POST", "/", files={"file": b"Hello"}), form)
        body = state.files.pop(made["id"]).body
        return StoredFile(body | {"id": wanted}, b"Hello")

    def store(wanted: str) -> VectorStore:
        made = _store({"name": "Hello"})
        made.made["id"] = wanted
        made.files = Seeded(ids, lambda each: attached(each, wanted))
        made.batches = Seeded(ids, lambda each: batch(each, made))
        return made

    def _store(body: Json) -> VectorStore:
        return state.vector_stores.pop(
            vector_stores.create(state, Request("POST", "/"), body)["id"]
        )

    def attached(wanted: str, store_id: str) -> Attached:
        made = _store({"file_ids": [wanted]}).files[wanted]
        made.made["vector_store_id"] = store_id
        return made

    def batch(wanted: str, of: VectorStore) -> Batch:
        made = {"id": wanted, "object": "vector_store.file_batch", "created_at": state.now}
        made |= {"vector_store_id": of.made["id"]}
        return Batch(made, of, [each for each in ids if each.startswith("file")])

    state.responses = Seeded(ids, response)
    state.conversations = Seeded(ids, conversation)
    state.completions = Seeded(ids, completion)
    state.files = Seeded(ids, file)
    state.vector_stores = Seeded(ids, store)
