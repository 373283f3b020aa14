"""The embeddings endpoint, through the real client."""

import asyncio
import base64
import struct

import numpy as np
import pytest
from openai import BadRequestError, NotFoundError

from course_lib import connect, connect_async
from course_lib.platform.embeddings import resize
from course_lib.platform.tokens import count_text, encoding
from course_lib.retrieval.embed import embed
from tests.test_retrieval import MOON, QUESTION

SMALL, LARGE, ADA = "text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002"


@pytest.mark.parametrize(("model", "size"), [(SMALL, 1536), (LARGE, 3072), (ADA, 1536)])
def test_every_size_keeps_the_cosines_of_the_small_model(model: str, size: int) -> None:
    made = connect().embeddings.create(model=model, input=[QUESTION, *MOON])
    vectors = np.array([each.embedding for each in made.data])
    assert vectors.shape == (4, size)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    own = embed([QUESTION, *MOON])
    assert np.allclose(vectors @ vectors.T, own @ own.T, atol=1e-6)
    assert [each.index for each in made.data] == [0, 1, 2, 3]
    assert (
        made.usage.prompt_tokens
        == made.usage.total_tokens
        == sum(map(count_text, [QUESTION, *MOON]))
    )


def test_a_shorter_vector_is_the_start_of_the_long_one_at_length_1() -> None:
    client = connect()
    long = np.array(client.embeddings.create(model=SMALL, input=QUESTION).data[0].embedding)
    for size in (1, 256, 384, 1000, 1536):
        made = client.embeddings.create(model=SMALL, input=QUESTION, dimensions=size)
        short = long[:size] / np.linalg.norm(long[:size])
        assert np.allclose(made.data[0].embedding, short, atol=1e-6)
    assert resize(embed([QUESTION]), 384) == pytest.approx(embed([QUESTION]), abs=1e-6)


def test_base64_and_floats_are_the_same_numbers() -> None:
    client = connect()
    plain = client.embeddings.create(model=SMALL, input=QUESTION, encoding_format="float")
    packed = client.embeddings.create(model=SMALL, input=QUESTION, encoding_format="base64")
    content = base64.b64decode(packed.data[0].embedding)  # type: ignore[arg-type]
    assert list(struct.unpack("<1536f", content)) == plain.data[0].embedding


def test_tokens_are_read_as_the_text_they_stand_for() -> None:
    client, tokens = connect(), encoding().encode(QUESTION)
    by_text = client.embeddings.create(model=SMALL, input=QUESTION)
    for given in (tokens, [tokens]):
        by_tokens = client.embeddings.create(model=SMALL, input=given)
        assert by_tokens.data == by_text.data
        assert by_tokens.usage == by_text.usage


def test_the_async_client_embeds_too() -> None:
    made = asyncio.run(connect_async().embeddings.create(model=LARGE, input=[QUESTION] * 2))
    assert made.data[0].embedding == made.data[1].embedding


def test_a_learner_reads_why_an_input_is_refused() -> None:
    client = connect()
    with pytest.raises(BadRequestError, match=r"'\$\.input' is invalid"):
        client.embeddings.create(model=SMALL, input="")
    with pytest.raises(NotFoundError, match="`text-embedding-4` does not exist"):
        client.embeddings.create(model="text-embedding-4", input="x")
    with pytest.raises(BadRequestError, match="however you requested 8193 tokens"):
        client.embeddings.create(model=SMALL, input=" moon" * 8193)
