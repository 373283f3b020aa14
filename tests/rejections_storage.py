"""The rejection table, its half about embeddings, files and vector stores (sections E and F).

Its rows are those of `rejections.py`, and say in the same way how their words are known.
"""

from typing import Any

from tests.rejections import INFERRED, RECORDED, REPORTED, UNVERIFIED, Row, reported

SMALL = "text-embedding-3-small"
INPUT = (
    "'$.input' is invalid. Please check the API reference: "
    "https://platform.openai.com/docs/api-reference."
)


def embedding(
    name: str,
    source: str,
    message: str,
    param: str | None = None,
    code: str | None = None,
    *,
    status: int = 400,
    type: str = "invalid_request_error",
    **body: Any,
) -> Row:
    """A request for embeddings with these fields; one that is `...` is left out."""
    asked = {"model": SMALL, "input": "ping"} | body
    sent = {key: value for key, value in asked.items() if value is not ...}
    path = "/v1/embeddings"
    return Row(
        f"embedding {name}", "F", source, sent, message, param, code, status, type, path=path
    )


def too_long(tokens: int) -> str:
    return (
        f"This model's maximum context length is 8192 tokens, however you requested {tokens} "
        f"tokens ({tokens} in your prompt; 0 for the completion). Please reduce your prompt; or "
        "completion length."
    )


EMBEDDINGS = [
    embedding("of an unknown model", RECORDED,
              "The model `text-embedding-4` does not exist or you do not have access to it.",
              None, "model_not_found", status=404, model="text-embedding-4"),
    embedding("of a model that writes", reported("infiniflow/ragflow#1835"),
              "You are not allowed to generate embeddings from this model", status=403,
              model="gpt-5.4"),
    embedding("without model", INFERRED, "Missing required parameter: 'model'.", "model",
              "missing_required_parameter", model=...),
    embedding("without input", INFERRED, "Missing required parameter: 'input'.", "input",
              "missing_required_parameter", input=...),
    embedding("of an unknown field", INFERRED, "Unknown parameter: 'texts'.", "texts",
              "unknown_parameter", texts=[]),
    embedding("of model 5", INFERRED,
              "Invalid type for 'model': expected a string, but got an integer instead.", "model",
              "invalid_type", model=5),
    *(embedding(f"of {name}", REPORTED, INPUT, input=value) for name, value in {
        "nothing": "", "no text": [], "an empty one of two": ["a", ""], "a number": 5,
        "numbers and text": [1, "a"], "an object": {}, "null": None, "true": [True],
        "2,049 texts": ["a"] * 2049, "no tokens": [[]]}.items()),
    embedding("of 8,193 tokens", REPORTED, too_long(8193), input=[1] * 8193),
    embedding("of 8,193 tokens in one of two", REPORTED, too_long(8193),
              input=["a", " moon" * 8193]),
    embedding("of 300,001 tokens", reported("OpenDataBox/CrackSQL#27"),
              "Requested 302848 tokens, max 300000 tokens per request", None,
              "max_tokens_per_request", type="max_tokens_per_request",
              input=[[1] * 8_192] * 36 + [[1] * 7_936]),
    embedding("of a token that is none", UNVERIFIED,
              "The input has a token that o200k_base does not know.", None, UNVERIFIED,
              input=[[300_000]]),
    embedding("of dimensions an old model has not", reported("SciPhi-AI/R2R#768"),
              "This model does not support specifying dimensions.",
              model="text-embedding-ada-002", dimensions=512),
    embedding("of 1,537 dimensions", INFERRED,
              "Invalid 'dimensions': integer above maximum value. Expected a value <= 1536, but "
              "got 1537 instead.", "dimensions", "integer_above_max_value", dimensions=1537),
    embedding("of no dimensions", INFERRED,
              "Invalid 'dimensions': integer below minimum value. Expected a value >= 1, but got "
              "0 instead.", "dimensions", "integer_below_min_value", dimensions=0),
    embedding("in an unknown encoding", INFERRED,
              "Invalid value: 'hex'. Supported values are: 'float' and 'base64'.",
              "encoding_format", "invalid_value", encoding_format="hex"),
]  # fmt: skip

STORAGE: list[Row] = [*EMBEDDINGS]
