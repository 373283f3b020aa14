"""Files and vector stores, through the real client: upload, attach, poll, search, expire."""

import asyncio
import contextlib
import gc
import io
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from openai import BadRequestError, NotFoundError, OpenAI

from course_lib import connect, connect_async
from course_lib.platform.app import Platform
from course_lib.platform.errors import ApiError
from course_lib.platform.faults import Fault
from course_lib.platform.http import Request, read_body
from course_lib.platform.store_search import search
from course_lib.retrieval.embed import embed
from course_lib.transport import OFFLINE, OfflineTransport
from tests.test_retrieval import MOON, QUESTION

DAY = 24 * 60 * 60


def client_of(platform: Platform) -> OpenAI:
    import httpx2

    transport = OfflineTransport(platform.handle)
    return OpenAI(**OFFLINE, http_client=httpx2.Client(transport=transport))


def upload(client: OpenAI, text: str, name: str = "notes.txt") -> str:
    return client.files.create(file=(name, text.encode()), purpose="assistants").id


def moon_store(client: OpenAI, **fields: Any) -> str:
    """A store with one file for each moon sentence, processed."""
    store = client.vector_stores.create(name="moon", **fields)
    files = [(f"moon_{number}.txt", text.encode()) for number, text in enumerate(MOON)]
    batch = client.vector_stores.file_batches.upload_and_poll(store.id, files=files)
    assert batch.status == "completed"
    assert batch.file_counts.completed == 3
    return store.id


# Files


def test_a_file_is_uploaded_from_a_path_bytes_a_tuple_and_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "Ärger mit Namen.txt"
    path.write_bytes(b"one\r\n--two\r\n\0\xff")
    client = connect()
    with path.open("rb") as opened:
        for given, name in (
            (path, path.name), (path.read_bytes(), "upload"), (opened, path.name),
            (("notes.md", path.read_bytes()), "notes.md"),
            (("a.txt", io.BytesIO(path.read_bytes()), "text/plain"), "a.txt"),
        ):  # fmt: skip
            made = client.files.create(file=given, purpose="batch")
            assert (made.filename, made.bytes, made.status) == (name, 14, "processed")
            assert client.files.content(made.id).read() == path.read_bytes()
    assert len({file.id for file in client.files.list()}) == 5


def test_what_a_form_held_is_let_go() -> None:
    """At once, not when the garbage is collected: a few uploads may be all the memory there is."""
    part = b'--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'
    ended, broken = (part + bytes(1_000_000) + end for end in (b"\r\n--x--", b"\r\n--x?"))
    headers = {"content-type": "multipart/form-data; boundary=x"}
    gc.disable()
    tracemalloc.start()
    for form in (ended, broken) * 2:
        with contextlib.suppress(ApiError):
            read_body(Request("POST", "/v1/files", form, headers))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    gc.enable()
    assert held < 1_000_000


def test_files_are_listed_by_pages_and_by_purpose() -> None:
    client = connect()
    for number in range(5):
        purpose: Any = "user_data" if number % 2 else "assistants"
        client.files.create(file=(f"{number}.txt", b"x"), purpose=purpose)
    names = [file.filename for file in client.files.list(limit=2)]
    assert names == ["4.txt", "3.txt", "2.txt", "1.txt", "0.txt"]
    assert [file.filename for file in client.files.list(purpose="user_data")] == ["3.txt", "1.txt"]


def test_a_file_expires_by_the_simulated_clock() -> None:
    platform = Platform()
    client = client_of(platform)
    made = client.files.create(
        file=("a.txt", b"x"),
        purpose="user_data",
        expires_after={"anchor": "created_at", "seconds": 3600},
    )
    batch = client.files.create(file=("b.jsonl", b"{}"), purpose="batch")
    assert made.expires_at == made.created_at + 3600
    assert batch.expires_at == batch.created_at + 30 * DAY
    platform.state.now += 3601
    with pytest.raises(NotFoundError, match="were not found"):
        client.vector_stores.create(file_ids=[made.id])
    with pytest.raises(NotFoundError, match=f"No such File object: {made.id}"):
        client.files.retrieve(made.id)
    assert [file.id for file in client.files.list()] == [batch.id]


def test_a_deleted_file_is_gone_from_its_stores_too() -> None:
    client = connect()
    store_id = moon_store(client)
    file = client.files.list().data[0]
    assert client.files.delete(file.id).deleted
    assert client.vector_stores.retrieve(store_id).file_counts.total == 2
    found = client.vector_stores.search(store_id, query=QUESTION)
    assert file.filename not in [hit.filename for hit in found]


# Stores


def test_a_file_that_is_deleted_while_it_is_read_is_in_no_store(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other requests are let in while a store reads a file."""
    client = connect()
    store, file_id = client.vector_stores.create(), upload(client, MOON[0])

    def embed_late(texts: list[str]) -> Any:
        client.files.delete(file_id)
        return embed(texts)

    monkeypatch.setattr("course_lib.retrieval.embed.embed", embed_late)
    with pytest.raises(NotFoundError, match="were not found"):
        client.vector_stores.files.create(store.id, file_id=file_id)
    assert not client.vector_stores.files.list(store.id).data


def test_a_file_is_in_progress_before_it_is_completed() -> None:
    client = connect()
    store = client.vector_stores.create(file_ids=[upload(client, MOON[0])])
    assert (store.status, store.file_counts.in_progress) == ("in_progress", 1)
    assert client.vector_stores.search(store.id, query=QUESTION).data == []
    store = client.vector_stores.retrieve(store.id)
    assert (store.status, store.file_counts.completed) == ("completed", 1)
    assert store.usage_bytes == len(MOON[0]) + 1024
    [hit] = client.vector_stores.search(store.id, query=QUESTION).data
    assert hit.content[0].text == MOON[0]


def test_the_log_keeps_what_each_poll_said() -> None:
    platform = Platform()
    client = client_of(platform)
    store = client.vector_stores.create()
    client.vector_stores.files.create_and_poll(upload(client, "x"), vector_store_id=store.id)
    said = [each.reply["status"] for each in platform.exchanges if "file-" in each.path]
    assert said == ["in_progress", "completed"]


def test_polling_ends_at_once_and_the_stuck_file_never_does() -> None:
    client = connect(faults=[Fault("stuck", after=1)])
    store = client.vector_stores.create()
    file_id = upload(client, MOON[0])
    with pytest.raises(TimeoutError, match="Timed out waiting"):
        client.vector_stores.files.create_and_poll(
            file_id, vector_store_id=store.id, max_wait_seconds=0.05
        )
    stuck = client.vector_stores.files.retrieve(file_id, vector_store_id=store.id)
    assert stuck.status == "in_progress"
    done = client.vector_stores.files.upload_and_poll(
        file=("b.txt", b"More."), vector_store_id=store.id
    )
    assert done.status == "completed"


def test_a_store_is_changed_listed_and_deleted() -> None:
    client = connect()
    first = client.vector_stores.create(name="a", metadata={"team": "x"}, description="Notes.")
    second = client.vector_stores.create()
    changed = client.vector_stores.update(first.id, name="b", metadata=None)
    assert (changed.name, changed.metadata) == ("b", {})
    assert [store.id for store in client.vector_stores.list(order="asc")] == [first.id, second.id]
    assert [store.id for store in client.vector_stores.list(before=first.id)] == [second.id]
    assert client.vector_stores.delete(first.id).deleted
    with pytest.raises(NotFoundError, match=f"No vector store found with id '{first.id}'"):
        client.vector_stores.retrieve(first.id)


def test_a_store_expires_when_it_is_not_used() -> None:
    platform = Platform()
    client = client_of(platform)
    store_id = moon_store(client, expires_after={"anchor": "last_active_at", "days": 2})
    platform.state.now += DAY
    client.vector_stores.search(store_id, query=QUESTION)
    platform.state.now += DAY + 10
    store = client.vector_stores.retrieve(store_id)
    assert store.status == "completed"
    assert store.expires_at == (store.last_active_at or 0) + 2 * DAY
    platform.state.now += DAY
    assert client.vector_stores.retrieve(store_id).status == "expired"
    with pytest.raises(BadRequestError, match="has expired"):
        client.vector_stores.search(store_id, query=QUESTION)


def test_attributes_are_set_changed_and_filtered_by() -> None:
    client = connect()
    store_id = client.vector_stores.create().id
    years = {2023: MOON[0], 2024: MOON[1], 2025: MOON[2]}
    for year, text in years.items():
        client.vector_stores.files.create_and_poll(
            upload(client, text, f"{year}.txt"),
            vector_store_id=store_id,
            attributes={"year": year, "lang": "en"},
        )
    late: Any = {"type": "gte", "key": "year", "value": 2024}
    found = client.vector_stores.search(store_id, query=QUESTION, filters=late).data
    assert [hit.filename for hit in found] == ["2024.txt", "2025.txt"]
    assert found[0].attributes == {"year": 2024, "lang": "en"}
    file = client.vector_stores.files.list(store_id, order="asc").data[0]
    changed = client.vector_stores.files.update(
        file.id, vector_store_id=store_id, attributes={"year": 2026}
    )
    assert changed.attributes == {"year": 2026}
    found = client.vector_stores.search(store_id, query=QUESTION, filters=late).data
    assert [hit.filename for hit in found] == ["2023.txt", "2024.txt", "2025.txt"]


def test_a_batch_gives_each_file_its_own_attributes_and_chunks() -> None:
    client = connect()
    store_id = client.vector_stores.create().id
    long = " ".join(f"word{number}" for number in range(300))
    given: list[Any] = [
        {"file_id": upload(client, long), "attributes": {"n": 1}},
        {
            "file_id": upload(client, long),
            "chunking_strategy": {
                "type": "static",
                "static": {"max_chunk_size_tokens": 100, "chunk_overlap_tokens": 0},
            },
        },
    ]
    batch = client.vector_stores.file_batches.create_and_poll(store_id, files=given)
    listed = client.vector_stores.file_batches.list_files(batch.id, vector_store_id=store_id)
    second, first = listed.data
    assert (first.attributes, second.attributes) == ({"n": 1}, {})
    sizes = [
        len(client.vector_stores.files.content(file.id, vector_store_id=store_id).data)
        for file in (first, second)
    ]
    assert sizes[0] < sizes[1]
    assert second.chunking_strategy
    assert second.chunking_strategy.to_dict() == given[1]["chunking_strategy"]


def test_a_cancelled_batch_stops_what_was_not_done() -> None:
    client = connect()
    store_id = client.vector_stores.create().id
    batch = client.vector_stores.file_batches.create(store_id, file_ids=[upload(client, "Text.")])
    cancelled = client.vector_stores.file_batches.cancel(batch.id, vector_store_id=store_id)
    assert (cancelled.status, cancelled.file_counts.cancelled) == ("cancelled", 1)
    again = client.vector_stores.file_batches.poll(batch.id, vector_store_id=store_id)
    assert again.status == "cancelled"
    files = client.vector_stores.files
    assert len(files.list(store_id, filter="cancelled").data) == 1
    assert files.list(store_id, filter="completed").data == []


def test_a_file_taken_out_is_found_no_more_and_attached_anew_found_once() -> None:
    client = connect()
    store_id = moon_store(client)
    first = client.vector_stores.files.list(store_id, order="asc").data[0].id
    client.vector_stores.files.delete(first, vector_store_id=store_id)
    texts = [hit.content[0].text for hit in client.vector_stores.search(store_id, query=QUESTION)]
    assert texts == MOON[1:]
    for _ in range(2):
        client.vector_stores.files.create_and_poll(first, vector_store_id=store_id)
    texts = [hit.content[0].text for hit in client.vector_stores.search(store_id, query=QUESTION)]
    assert texts == MOON
    with pytest.raises(NotFoundError, match="No file found with id 'file-9' in vector store"):
        client.vector_stores.files.retrieve("file-9", vector_store_id=store_id)


def test_the_async_client_does_the_same() -> None:
    async def found() -> list[str]:
        client = connect_async()
        store = await client.vector_stores.create()
        files = [(f"{number}.txt", text.encode()) for number, text in enumerate(MOON)]
        await client.vector_stores.file_batches.upload_and_poll(store.id, files=files)
        return [
            hit.content[0].text
            async for hit in client.vector_stores.search(store.id, query=QUESTION)
        ]

    assert asyncio.run(found()) == MOON


# Search


def scores(client: OpenAI, store_id: str, query: Any = QUESTION, **fields: Any) -> list[float]:
    return [hit.score for hit in client.vector_stores.search(store_id, query=query, **fields)]


def test_the_ranker_goes_by_meaning_by_words_or_by_both() -> None:
    client = connect()
    store_id = moon_store(client)

    def order(**given: Any) -> list[str]:
        options: Any = given
        found = client.vector_stores.search(store_id, query=QUESTION, ranking_options=options)
        return [hit.content[0].text for hit in found]

    alone = scores(client, store_id, ranking_options={"ranker": "none"})
    assert [round(score, 2) for score in alone] == [0.64, 0.6, 0.52]
    assert order() == order(ranker="auto") == order(ranker="none") == MOON
    by_words = {"embedding_weight": 0, "text_weight": 1}
    assert order(hybrid_search=by_words) == MOON[::-1]
    assert len(order(ranker="none", score_threshold=0.6)) == 2
    assert all(0 <= score <= 1 for score in scores(client, store_id))


def test_several_queries_are_one_search() -> None:
    client = connect()
    store_id = moon_store(client)
    page = client.vector_stores.search(store_id, query=["Neil Armstrong", "a delicious cake"])
    assert page.search_query == ["Neil Armstrong", "a delicious cake"]  # type: ignore[attr-defined]
    assert {hit.content[0].text for hit in page.data[:2]} == set(MOON[1:])
    best = max(scores(client, store_id, "Neil Armstrong"))
    assert page.data[0].score >= best


def test_a_rewritten_query_keeps_the_words_that_count() -> None:
    client = connect()
    store_id = moon_store(client)
    asked = "Could you please tell me who was the first man on the moon?"
    page: Any = client.vector_stores.search(store_id, query=asked, rewrite_query=True)
    assert page.search_query == ["first man moon"]
    assert page.data[0].content[0].text == MOON[1]
    page = client.vector_stores.search(store_id, query="Why?", rewrite_query=True)
    assert page.search_query == ["Why?"]


def test_as_many_results_as_asked() -> None:
    client = connect()
    store_id = client.vector_stores.create().id
    files = [(f"{number}.txt", f"Note {number} on the moon.".encode()) for number in range(60)]
    client.vector_stores.file_batches.upload_and_poll(store_id, files=files)
    assert len(scores(client, store_id)) == 10
    assert len(scores(client, store_id, max_num_results=50)) == 50


def test_one_search_over_two_stores_for_the_tool() -> None:
    platform = Platform()
    client = client_of(platform)
    ids = [moon_store(client), moon_store(client)]
    hits = search(platform.state, ids, [QUESTION], max_num_results=3)
    assert [hit["text"] for hit in hits] == [MOON[0], MOON[0], MOON[1]]
    assert [hit["filename"] for hit in hits] == ["moon_0.txt", "moon_0.txt", "moon_1.txt"]


def test_uploading_several_at_once_gives_the_same_ids_in_the_same_order() -> None:
    listed = set()
    for _ in range(5):
        client = connect()
        files = client.vector_stores.files.list(moon_store(client), order="asc")
        listed.add(tuple(file.id for file in files))
    assert len(listed) == 1


def test_the_same_file_again_is_another_file() -> None:
    client = connect()
    first, second = upload(client, "x"), upload(client, "x")
    client.files.delete(first)
    assert len({first, second, upload(client, "x")}) == 3
