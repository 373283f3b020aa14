"""Retrieval by itself: the embedder against its reference, chunks, ranking; no API."""

import os
import re
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.home import CourseError
from course_lib.platform.tokens import count_text, starts
from course_lib.retrieval import weights
from course_lib.retrieval.chunk import chunk
from course_lib.retrieval.embed import LONGEST, embed
from course_lib.retrieval.rank import MEANING, Chunk, Index, words
from course_lib.retrieval.wordpiece import pieces, vocabulary
from tests import ROOT

QUESTION = "When did we go to the moon?"
MOON = [
    "The first lunar landing occurred in July of 1969.",
    "The first man on the moon was Neil Armstrong.",
    "When I ate the moon cake, it was delicious.",
]
# As onnxruntime 1.32 computes them from the same file: the first six numbers of each vector.
REFERENCE = {
    QUESTION: [0.05163, 0.04592, 0.01896, 0.06799, -0.04126, -0.02386],
    "Straße, 12 €: naïve café — 你好 unaffable": [
        0.07073, 0.06406, -0.01238, 0.03256, 0.02965, -0.00008,
    ],
    "word " * LONGEST: [-0.00482, -0.09832, -0.03899, 0.05111, -0.04268, 0.02193],
}  # fmt: skip


def paraphrases() -> list[list[str]]:
    """Forty documents, each with a question that shares as good as no word with it."""
    lines = (ROOT / "tests" / "paraphrases.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]


def indexed(texts: list[str]) -> Index:
    index = Index()
    index.add([Chunk("", text) for text in texts], embed(texts))
    return index


def rank(query: str, texts: list[str], meaning: float = MEANING) -> list[tuple[float, str]]:
    """All the texts with their scores, best first."""
    found = indexed(texts).search([query], len(texts), meaning)
    return [(score, chunk.text) for score, chunk in found]


def test_the_vectors_are_those_of_the_reference() -> None:
    vectors = embed(list(REFERENCE))
    assert np.abs(vectors[:, :6] - np.array(list(REFERENCE.values()))).max() < 5e-4
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)


def test_texts_embedded_together_alone_and_again_are_the_same() -> None:
    together = embed([QUESTION, *MOON, QUESTION])
    assert np.allclose(together[0], embed([QUESTION])[0], atol=1e-6)
    assert (together[0] == together[4]).all()
    assert embed([]).shape == (0, 384)


def test_a_long_text_is_read_to_its_end() -> None:
    long = "The cat sat on the mat. " * 60
    assert len(pieces(long)) > LONGEST
    vectors = embed([long, long + MOON[0], long + MOON[0] * 40])
    question = embed([QUESTION])[0]
    near = vectors @ question
    assert near[0] < near[1] < near[2]


def test_the_moon_sentences_are_in_the_order_of_their_meaning() -> None:
    assert [round(score, 2) for score, _ in rank(QUESTION, MOON, meaning=1)] == [0.64, 0.6, 0.52]
    assert [text for _, text in rank(QUESTION, MOON)] == MOON
    assert [text for _, text in rank(QUESTION, MOON, meaning=0)] == MOON[::-1]


@pytest.mark.parametrize("meaning", [1.0, 0.8])
def test_paraphrased_questions_find_their_document(meaning: float) -> None:
    documents = [document for document, _ in paraphrases()]
    questions = [question for _, question in paraphrases()]
    index = indexed(documents)
    found = [index.search([question], 1, meaning)[0][1].text for question in questions]
    right = sum(text == document for text, document in zip(found, documents, strict=True))
    print(f"recall@1 {right}/{len(documents)} with meaning {meaning}")
    assert len(documents) == 40
    assert right / len(documents) >= 0.95


def test_scores_depend_neither_on_threads_nor_on_the_hash_seed() -> None:
    code = (
        "from tests.test_retrieval import *\n"
        "texts = [text for pair in paraphrases() for text in pair]\n"
        "print([rank(text, texts) for text in texts[:10]])"
    )
    printed = set()
    for threads, seed in (("1", "0"), ("2", "1"), ("2", "2")):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
        environment = os.environ | dict.fromkeys(names, threads) | {"PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        printed.add(done.stdout)
    assert len(printed) == 1


def test_words_are_cut_into_the_pieces_of_the_vocabulary() -> None:
    names = {number: piece for piece, number in vocabulary().items()}
    cut = [names[number] for number in pieces("Unaffable CAFÉ, X_1 你" + " " + "x" * 101)]
    assert cut == ["una", "##ffa", "##ble", "cafe", ",", "x", "_", "1", "[UNK]", "[UNK]"]


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "SHA256", "0" * 64)
    with pytest.raises(CourseError, match=r"python3 start\.py"):
        weights.model_file()


@given(text=st.text(max_size=400), size=st.integers(1, 60))
@settings(max_examples=150, deadline=None)
def test_chunks_without_overlap_are_the_text(text: str, size: int) -> None:
    text = text.encode("utf-8", "replace").decode()
    chunks = chunk(text, starts(text), size, 0)
    assert "".join("".join(chunks).split()) == "".join(text.split())
    assert len(chunks) <= -(-len(starts(text)) // size)


def test_each_chunk_begins_with_the_end_of_the_one_before() -> None:
    text = " ".join(f"word{number}" for number in range(500))
    begins = [found.start() for found in re.finditer(r"\S+", text)]
    chunks = [piece.split() for piece in chunk(text, begins, 100, 30)]
    assert [len(piece) for piece in chunks] == [100] * 6 + [80]
    assert all(one[-30:] == other[:30] for one, other in pairwise(chunks))
    by_tokens = chunk(text, starts(text), 200, 100)
    assert all(count_text(piece) <= 200 for piece in by_tokens)


def test_an_overlap_as_large_as_the_chunk_is_refused() -> None:
    with pytest.raises(ValueError, match="less than the size"):
        chunk("a b", [0, 1], 2, 2)


def test_words_find_what_means_nothing() -> None:
    texts = [f"Order A-{number} was sent on Monday." for number in range(100, 140)]
    assert rank("Where is A-117?", texts)[0][1] == texts[17]
    assert words("Where is the A-117 of Ms. Ünal?") == ["117", "ms", "ünal"]


def test_equal_scores_keep_the_order_in_which_chunks_came() -> None:
    index = Index()
    index.add([Chunk(str(row), "the same") for row in range(300)], embed(["the same"] * 300))
    found = index.search(["the same"], 300)
    assert [chunk.source for _, chunk in found] == [str(row) for row in range(300)]
    assert 0 <= found[-1][0] == found[0][0] <= 1


def test_a_search_looks_at_some_sources_or_finds_what_was_left_in() -> None:
    index = Index()
    index.add([Chunk(f"{row % 3}", text) for row, text in enumerate(MOON * 2)], embed(MOON * 2))
    some = index.search([QUESTION], 9, sources={"0", "2"})
    assert [chunk for _, chunk in some] == [Chunk(n, MOON[int(n)]) for n in "0022"]
    rest = index.without("1")
    assert rest.search([QUESTION], 9) == rest.search([QUESTION], 9, sources={"0", "2"})
    assert [chunk for _, chunk in rest.search([QUESTION], 9)] == [chunk for _, chunk in some]
    assert index.search([QUESTION], 2, sources=()) == []


def test_an_empty_index_finds_nothing() -> None:
    assert Index().search(["anything"], 10) == []
