"""What the platform keeps is bounded, and a store that reads its files holds nobody up."""

import threading
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest
from openai import NotFoundError, OpenAI

from course_lib import connect
from course_lib.platform import files, stores
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
    # Mounted by the learner; bounded by `files.create`; a number for each prefix of an id.
    assert unbounded == {"mcp_servers", "files", "_counts"}


@pytest.mark.parametrize(("limit", "most"), [("MOST_FILES", 2), ("MOST_BYTES", 10)])
def test_old_files_make_room_for_new_ones(
    limit: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, limit, most)
    client = connect()
    made = [upload(client, text, f"{text}.txt") for text in ("one..", "two..", "three")]
    assert [file.id for file in client.files.list(order="asc")] == made[1:]


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[list[int], threading.Event]]:
    """How many files each pass reads; a pass goes on when it is told to."""
    passes: list[int] = []
    go_on, read = threading.Event(), stores._read

    def slow(due: Any) -> Any:
        passes.append(len(due))
        assert go_on.wait(30)
        return read(due)

    monkeypatch.setattr(stores, "_read", slow)
    yield passes, go_on
    go_on.set()


def begun(count: int, passes: list[int]) -> tuple[OpenAI, str, list[str], threading.Thread]:
    """A store whose files are being read in a thread, which looked at it when they were due.

    Also another client of the same platform, and the ids of the files.
    """
    platform = Platform()
    client = client_of(platform)
    store = client.vector_stores.create().id
    named = [upload(client, f"File {number}.", f"{number}.txt") for number in range(count)]
    client.vector_stores.file_batches.create(store, file_ids=named)
    client.vector_stores.retrieve(store)
    thread = threading.Thread(target=lambda: client.vector_stores.retrieve(store))
    thread.start()
    while not passes:
        threading.Event().wait(0.001)
    return client_of(platform), store, named, thread


def test_a_store_reads_all_its_files_in_one_pass_and_lets_others_in(
    reading: tuple[list[int], threading.Event],
) -> None:
    passes, go_on = reading
    other, store, _, thread = begun(3, passes)
    assert other.responses.create(model="gpt-5.4", input="ping").status == "completed"
    assert other.vector_stores.retrieve(store).file_counts.in_progress == 3
    go_on.set()
    thread.join()
    assert passes == [3]
    assert other.vector_stores.retrieve(store).file_counts.completed == 3
    assert len(other.vector_stores.search(store, query="file").data) == 3


def test_what_is_taken_out_while_it_is_read_stays_out(
    reading: tuple[list[int], threading.Event],
) -> None:
    passes, go_on = reading
    other, store, named, thread = begun(2, passes)
    other.vector_stores.files.delete(named[0], vector_store_id=store)
    go_on.set()
    thread.join()
    hits = other.vector_stores.search(store, query="file").data
    assert [hit.file_id for hit in hits] == named[1:]
