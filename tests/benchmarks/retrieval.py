"""What a vector store costs: a search by size of the store, adding by size of the file, memory.

    .venv/bin/python -m tests.benchmarks.retrieval

The search is timed after its query was embedded, over chunks with random vectors and words of a
usual frequency. A file is timed with its embedding, which is nearly all of it. Seconds depend on
the machine; what counts is a search under 20 ms at 10,000 chunks, and that both grow in line.
"""

import random
import statistics
import time
import tracemalloc
from itertools import islice

import numpy as np

from course_lib.platform.app import Platform
from course_lib.platform.store_search import search
from course_lib.platform.vector_stores import Attached, VectorStore
from course_lib.retrieval.embed import DIMENSIONS, embed
from course_lib.retrieval.rank import Chunk, Index
from tests.test_vector_stores import client_of

CHUNKS, ROUNDS, BATCH = (1_000, 10_000, 40_000), 15, 100
WORDS = [f"word{number}" for number in range(20_000)]
QUERY = "word1 word7 word30 word2000"
TOKENS = (1_000, 2_000, 4_000)


def texts(count: int, length: int = 80) -> list[str]:
    chance = random.Random(0)
    usual = [1 / rank for rank in range(1, len(WORDS) + 1)]  # Zipf's law
    return [" ".join(chance.choices(WORDS, usual, k=length)) for _ in range(count)]


def filled(count: int) -> tuple[Platform, float]:
    """A platform with one store of so many chunks, and the megabytes its index takes."""
    platform, said = Platform(), texts(count)
    vectors = np.random.default_rng(0).standard_normal((count, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    done = {"status": "completed", "usage_bytes": 0}
    attached = Attached({"id": "file-1", "attributes": {}}, done, 0, "a.txt", platform.state)
    made = {"id": "vs_1", "expires_after": None}
    store = VectorStore(made, platform.state, {"file-1": attached})
    chunks = [Chunk("file-1", text) for text in said]
    tracemalloc.start()
    store.index = Index()
    for first in range(0, count, BATCH):  # as files come, one after the other
        store.index.add(chunks[first : first + BATCH], vectors[first : first + BATCH])
    store.index.search([QUERY], 1)
    megabytes = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    platform.state.vector_stores["vs_1"] = store
    return platform, megabytes


def search_ms(platform: Platform) -> float:
    took = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        search(platform.state, ["vs_1"], [QUERY])
        took.append(time.perf_counter() - begun)
    return statistics.median(took) * 1000


def add_seconds(tokens: int) -> float:
    """One file of about so many tokens, attached and processed."""
    client = client_of(Platform())
    said = " ".join(islice((word for text in texts(tokens) for word in text.split()), tokens // 3))
    store = client.vector_stores.create()
    begun = time.perf_counter()
    file = (f"{tokens}.txt", said.encode())
    client.vector_stores.files.upload_and_poll(vector_store_id=store.id, file=file)
    return time.perf_counter() - begun


def main() -> None:
    embed([QUERY])
    for count in CHUNKS:
        platform, megabytes = filled(count)
        print(f"{count:6,} chunks: search {search_ms(platform):5.1f} ms, index {megabytes:5.1f} MB")
    for tokens in TOKENS:
        took = add_seconds(tokens)
        print(f"{tokens:6,} tokens: added in {took:5.2f} s, {took / tokens * 1000:5.2f} ms a token")


if __name__ == "__main__":
    main()
