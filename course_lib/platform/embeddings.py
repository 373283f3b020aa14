"""The endpoint of `/v1/embeddings` (contract F).

The vectors are those of the small model in `retrieval/embed.py`, which have 384 numbers. The
API's models have 1,536 or 3,072, and code written for them counts on it. So the 384 are repeated
until the length is right, and the whole is scaled to length 1. Nothing is invented that way:
every cosine between two texts is exactly that of the small model, in each of the sizes. A shorter
vector (`dimensions`) is the beginning of the long one, scaled again, as the API does it.

Tokens are those of o200k_base, the tokenizer the course carries. The API's embedding models count
with cl100k_base: their numbers are a few percent off, and their token ids are not understood here.
"""

import base64
from typing import TYPE_CHECKING, Any

from .errors import Json, refusal
from .http import Request
from .models import DIMENSIONS, MODELS
from .rules import rule
from .state import State
from .tokens import count_text, encoding

if TYPE_CHECKING:
    from ..retrieval.weights import Array

OLD = "text-embedding-ada-002"  # answers with its version, and takes no dimensions
TOKENS, INPUTS, TOKENS_IN_ALL = 8_192, 2_048, 300_000


def create(state: State, request: Request, body: Json) -> Json:
    """One vector for each input: a text, or its tokens."""
    model, size = body["model"], _size(body)
    texts, tokens = _texts(body["input"], allow_empty=model == OLD)
    from ..retrieval.embed import embed

    with state.set_aside():
        vectors = resize(embed(texts), size)
    packed = body.get("encoding_format") == "base64"
    return {
        "object": "list",
        "data": [
            {
                "object": "embedding",
                "index": index,
                "embedding": _packed(vector) if packed else vector.tolist(),
            }
            for index, vector in enumerate(vectors)
        ],
        "model": f"{OLD}-v2" if model == OLD else model,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def resize(vectors: "Array", size: int) -> "Array":
    """Vectors of `size` numbers and length 1, made of shorter ones repeated, or of their start."""
    import numpy as np

    longer = np.tile(vectors, -(-size // vectors.shape[1]))[:, :size]
    resized: Array = longer / np.linalg.norm(longer, axis=1, keepdims=True)
    return resized


def _size(body: Json) -> int:
    model, asked = body["model"], body.get("dimensions")
    if model in MODELS:
        raise refusal("embeddings_not_allowed")
    if model not in DIMENSIONS:
        raise refusal("no_access_to_model", name=model, known=", ".join(MODELS))
    if asked and model == OLD:
        raise refusal("no_dimensions")
    rule(f"integer ..{DIMENSIONS[model]} | null")(asked, "dimensions")
    return asked or DIMENSIONS[model]


def _texts(given: Any, allow_empty: bool) -> tuple[list[str], int]:
    """The input as texts, and how many tokens they are."""
    inputs = [given] if isinstance(given, str) or _is_tokens(given) else given
    if not isinstance(inputs, list) or not 1 <= len(inputs) <= INPUTS:
        raise refusal("wrong_embedding_input")
    if not all(
        _is_tokens(each) or (isinstance(each, str) and (each or allow_empty)) for each in inputs
    ):
        raise refusal("wrong_embedding_input")
    counts = [max(1, count_text(each)) if isinstance(each, str) else len(each) for each in inputs]
    if max(counts) > TOKENS:
        raise refusal("embedding_too_long", most=TOKENS, tokens=max(counts))
    if sum(counts) > TOKENS_IN_ALL:
        raise refusal("too_many_embeddings", most=TOKENS_IN_ALL, tokens=sum(counts))
    try:
        texts = [each if isinstance(each, str) else encoding().decode(each) for each in inputs]
    except (KeyError, OverflowError):
        raise refusal("unknown_token") from None
    return texts, sum(counts)


def _is_tokens(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(type(each) is int for each in value)


def _packed(vector: "Array") -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()
