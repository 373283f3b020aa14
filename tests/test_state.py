"""What the platform keeps is bounded, and a store that reads its files holds nobody up."""

import threading
from dataclasses import fields
from typing import Any

import pytest
from openai import NotFoundError

from course_lib import connect
from course_lib.platform import files, vector_stores
from course_lib.platform.app import Platform
from course_lib.platform.state import Kept, StoredResponse
from tests.test_vector_stores import client_of, upload


def test_the_oldest_entry_makes_room_for_a_new_one() -> None:
    kept = Kept[int](2)
    kept["a"], kept["b"], kept["a"] = 1, 2, 3
    assert kept == {"a": 3, "b": 2}
    kept["c"] = 4
    assert list(kept) == ["b", "c"]
    kept |= {"d": 5, "e": 6}
    assert list(kept) == ["d", "e"]


def test_a_forgotten_response_is_refused_like_a_deleted_one() -> None:
    platform = Platform()
    platform.state.responses = Kept[StoredResponse](2)
    client = client_of(platform)
    first, *_, last = [client.responses.create(model="gpt-5.4", input="ping") for _ in range(3)]
    assert client.responses.retrieve(last.id).output_text == last.output_text
    with pytest.raises(NotFoundError, match=f"Response with id '{first.id}' not found"):
        client.responses.retrieve(first.id)


def test_all_that_is_kept_between_requests_is_bounded() -> None:
    state = Platform().state
    own = {each.name: getattr(state, each.name) for each in fields(state)}
    unbounded = {n for n, v in own.items() if isinstance(v, dict) and not isinstance(v, Kept)}
    # Mounted by the learner; a number for each prefix of an id.
    assert unbounded == {"mcp_servers", "_counts"}


def test_old_files_make_room_for_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    client = connect()
    made = [upload(client, text, f"{text}.txt") for text in ("one..", "two..", "three")]
    assert [file.id for file in client.files.list(order="asc")] == made[1:]


def test_while_a_store_reads_others_are_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on, read = threading.Event(), threading.Event(), vector_stores._read

    def slow(*given: Any) -> Any:
        begun.set()
        assert go_on.wait(30)
        return read(*given)

    monkeypatch.setattr(vector_stores, "_read", slow)
    platform = Platform()
    client, other = client_of(platform), client_of(platform)
    store = client.vector_stores.create().id
    named = [upload(client, f"File {number}.", f"{number}.txt") for number in range(3)]
    attach = client.vector_stores.file_batches.create_and_poll
    thread = threading.Thread(target=lambda: attach(store, file_ids=named))
    thread.start()
    assert begun.wait(30)
    assert other.responses.create(model="gpt-5.4", input="ping").status == "completed"
    assert other.vector_stores.retrieve(store).file_counts.total == 0
    go_on.set()
    thread.join()
    assert other.vector_stores.retrieve(store).file_counts.completed == 3
    assert len(other.vector_stores.search(store, query="file").data) == 3
