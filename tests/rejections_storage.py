"""The rejection table, its half about embeddings, files and vector stores (sections E and F).

Its rows are those of `rejections.py`, and say in the same way how their words are known.
"""

import json
from collections.abc import Callable
from typing import Any

from course_lib.platform.app import Platform
from course_lib.platform.http import WITH_KEY, Request
from tests.rejections import (
    INFERRED,
    RECORDED,
    REPORTED,
    UNVERIFIED,
    Body,
    Json,
    Row,
    reported,
)

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

STORE, FILES = "/v1/vector_stores", "/v1/files"
STORE_ID = "vs_1"
FORM = "multipart/form-data; boundary=XX"


def form(filename: str | None = "a.txt", **given: str) -> bytes:
    """An upload as the client sends it."""
    sent = [f'form-data; name="{name}"\r\n\r\n{value}' for name, value in given.items()]
    if filename is not None:
        sent.append(f'form-data; name="file"; filename="{filename}"\r\n\r\nping')
    parts = "".join(f"--XX\r\nContent-Disposition: {part}\r\n" for part in sent)
    return f"{parts}--XX--\r\n".encode()


def send(platform: Platform, path: str, body: Json | bytes) -> Json:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    form = FORM if isinstance(body, bytes) else "application/json"
    headers = WITH_KEY | {"content-type": form}
    reply = platform.handle(Request("POST", path, raw, headers))
    made: Json = json.loads(b"".join(reply.chunks))
    return made


def id_of(filename: str) -> str:
    """The id that the file of `in_a_store` gets: it comes from its name and content."""
    return str(send(Platform(), FILES, form(filename, purpose="assistants"))["id"])


FILE_ID = id_of("a.txt")


def in_a_store(body: Json, filename: str = "a.txt") -> Callable[[Platform], Json]:
    """The body, once there is a file, and a store without it."""

    def prepared(platform: Platform) -> Json:
        send(platform, FILES, form(filename, purpose="assistants"))
        send(platform, STORE, {"expires_after": {"anchor": "last_active_at", "days": 1}})
        return body

    return prepared


def expired(body: Json) -> Callable[[Platform], Json]:
    def prepared(platform: Platform) -> Json:
        in_a_store(body)(platform)
        platform.state.now += 2 * 24 * 60 * 60
        return body

    return prepared


def uploading(
    name: str,
    source: str,
    body: bytes,
    message: str,
    param: str | None = None,
    code: str | None = None,
) -> Row:
    name = f"upload {name}"
    return Row(name, "E", source, body, message, param, code, path=FILES, form=FORM)


def storing(
    name: str,
    source: str,
    path: str,
    body: Body,
    message: str,
    param: str | None = None,
    code: str | None = None,
    status: int = 400,
    method: str = "POST",
) -> Row:
    name = f"{method} {path.replace(STORE, 'store')} {name}"
    return Row(name, "E", source, body, message, param, code, status, path=path, method=method)


def searching(
    name: str, source: str, message: str, param: str | None, code: str, **fields: Any
) -> Row:
    body = in_a_store({"query": "x"} | fields)
    return storing(name, source, f"{STORE}/{STORE_ID}/search", body, message, param, code)


def filtering(
    name: str, source: str, wanted: Any, message: str, param: str | None, code: str
) -> Row:
    return searching(f"by {name}", source, message, param, code, filters=wanted)


def static(size: Any, overlap: Any) -> Json:
    sizes = {"max_chunk_size_tokens": size, "chunk_overlap_tokens": overlap}
    return {"file_ids": [FILE_ID], "chunking_strategy": {"type": "static", "static": sizes}}


def nested(depth: int) -> Json:
    inner: Json = {"type": "eq", "key": "a", "value": 1}
    for _ in range(depth):
        inner = {"type": "and", "filters": [inner]}
    return inner


UPLOADS = [
    uploading("without purpose", reported("openai/openai-python#65"), form(),
              "'purpose' is a required property"),
    uploading("without file", INFERRED, form(None, purpose="batch"),
              "'file' is a required property"),
    uploading("for another purpose", reported("irudnyts/openai#66"), form(purpose="answers"),
              "'answers' is not one of ['fine-tune', 'assistants', 'batch', 'user_data', "
              "'responses', 'vision', 'evals'] - 'purpose'"),
    uploading("of a text", UNVERIFIED, form(None, purpose="batch", file="ping"),
              "Expected 'file' to be a file.", None, UNVERIFIED),
    uploading("that expires after a number of a thousand digits", INFERRED,
              form(purpose="batch", **{"expires_after[anchor]": "created_at",
                                       "expires_after[seconds]": "9" * 5000}),
              "Invalid type for 'expires_after.seconds': expected an integer, but got a string "
              "instead.", "expires_after.seconds", "invalid_type"),
    uploading("in no form", UNVERIFIED, b"not a form",
              "The multipart form of your request could not be read.", None, UNVERIFIED),
    uploading("that expires after a minute", INFERRED,
              form(purpose="batch", **{"expires_after[anchor]": "created_at",
                                       "expires_after[seconds]": "60"}),
              "Invalid 'expires_after.seconds': integer below minimum value. Expected a value >= "
              "3600, but got 60 instead.", "expires_after.seconds", "integer_below_min_value"),
    uploading("that expires from another time on", INFERRED,
              form(purpose="batch", **{"expires_after[anchor]": "now",
                                       "expires_after[seconds]": "3600"}),
              "Invalid value: 'now'. Supported values are: 'created_at'.", "expires_after.anchor",
              "invalid_value"),
    Row("a file that is not there", "E", REPORTED, {}, "No such File object: file-abc123", "id",
        status=404, method="GET", path=f"{FILES}/file-abc123"),
    Row("deleting a file that is not there", "E", REPORTED, {},
        "No such File object: file-abc123", "id", status=404, method="DELETE",
        path=f"{FILES}/file-abc123"),
    Row("reading back what was uploaded for an assistant", "E",
        reported("community.openai.com/t/1357013"), in_a_store({}),
        "Not allowed to download files of purpose: assistants", method="GET",
        path=f"{FILES}/{FILE_ID}/content"),
]  # fmt: skip

UNSUPPORTED = (
    "are not supported for retrieval. See "
    "https://platform.openai.com/docs/assistants/tools/file-search/supported-files"
)
STORES = [
    storing("that is not there", REPORTED, f"{STORE}/vs_9", {},
            "No vector store found with id 'vs_9'.", status=404, method="GET"),
    storing("with a field unknown", INFERRED, STORE, {"names": "x"},
            "Unknown parameter: 'names'. Did you mean 'name'?", "names", "unknown_parameter"),
    storing("with name 5", INFERRED, STORE, {"name": 5},
            "Invalid type for 'name': expected a string, but got an integer instead.", "name",
            "invalid_type"),
    storing("for 366 days", INFERRED, STORE,
            {"expires_after": {"anchor": "last_active_at", "days": 366}},
            "Invalid 'expires_after.days': integer above maximum value. Expected a value <= 365, "
            "but got 366 instead.", "expires_after.days", "integer_above_max_value"),
    storing("of 501 files", INFERRED, STORE, {"file_ids": [FILE_ID] * 501},
            "Invalid 'file_ids': array too long. Expected an array with maximum length 500, but "
            "got an array with length 501 instead.", "file_ids", "array_above_max_length"),
    storing("of an absent file", reported("Azure/azure-sdk-for-net#47121"), STORE,
            {"file_ids": ["file-8", "file-9"]}, "Files [file-8, file-9] were not found",
            status=404),
    storing("of a table", reported("RageAgainstThePixel/OpenAI-DotNet#454"), STORE,
            in_a_store({"file_ids": [id_of("a.CSV")]}, "a.CSV"),
            f"Files with extensions [.csv] {UNSUPPORTED}", "file_ids", "unsupported_file"),
    storing("a picture", reported("stdapi-ai/stdapi.ai#275"), f"{STORE}/{STORE_ID}/files",
            in_a_store({"file_id": id_of("a.png")}, "a.png"),
            f"Files with extensions [.png] {UNSUPPORTED}", "file_ids", "unsupported_file"),
    storing("a file without ending", INFERRED, f"{STORE}/{STORE_ID}/files",
            in_a_store({"file_id": id_of("upload")}, "upload"),
            f"Files with extensions [none] {UNSUPPORTED}", "file_ids", "unsupported_file"),
    storing("no file", INFERRED, f"{STORE}/{STORE_ID}/files", in_a_store({}),
            "Missing required parameter: 'file_id'.", "file_id", "missing_required_parameter"),
    storing("a file that is not in it", reported("mkdev-me/terraform-provider-openai#35"),
            f"{STORE}/{STORE_ID}/files/{FILE_ID}", in_a_store({}),
            f"No file found with id '{FILE_ID}' in vector store 'vs_1'.", status=404, method="GET"),
    storing("files of an unknown status", INFERRED, f"{STORE}/{STORE_ID}/files?filter=done",
            in_a_store({}), "Invalid value: 'done'. Supported values are: 'in_progress', "
            "'completed', 'failed', and 'cancelled'.", "filter", "invalid_value", method="GET"),
    storing("into an expired one", UNVERIFIED, f"{STORE}/{STORE_ID}/files",
            expired({"file_id": FILE_ID}), "The vector store 'vs_1' has expired.", None,
            UNVERIFIED),
    storing("in chunks of 99", INFERRED, STORE, in_a_store(static(99, 0)),
            "Invalid 'chunking_strategy.static.max_chunk_size_tokens': integer below minimum "
            "value. Expected a value >= 100, but got 99 instead.",
            "chunking_strategy.static.max_chunk_size_tokens", "integer_below_min_value"),
    storing("in chunks of 4,097", INFERRED, STORE, in_a_store(static(4097, 0)),
            "Invalid 'chunking_strategy.static.max_chunk_size_tokens': integer above maximum "
            "value. Expected a value <= 4096, but got 4097 instead.",
            "chunking_strategy.static.max_chunk_size_tokens", "integer_above_max_value"),
    storing("in chunks that overlap by more than half", UNVERIFIED, STORE,
            in_a_store(static(200, 101)),
            "Invalid 'chunking_strategy.static.chunk_overlap_tokens': 101 is more than half of "
            "max_chunk_size_tokens, which is 200.",
            "chunking_strategy.static.chunk_overlap_tokens", UNVERIFIED),
    storing("in chunks of another kind", INFERRED, STORE, {"chunking_strategy": {"type": "page"}},
            "Invalid value: 'page'. Supported values are: 'auto' and 'static'.",
            "chunking_strategy.type", "invalid_value"),
    storing("with an attribute that is a list", INFERRED, f"{STORE}/{STORE_ID}/files",
            in_a_store({"file_id": FILE_ID, "attributes": {"a": [1]}}),
            "Invalid type for 'attributes.a': expected one of a string, number, or boolean, but "
            "got an array instead.", "attributes.a", "invalid_type"),
    storing("with 17 attributes", INFERRED, f"{STORE}/{STORE_ID}/files",
            in_a_store({"file_id": FILE_ID, "attributes": {f"k{i}": i for i in range(17)}}),
            "Invalid 'attributes': too many properties. Expected an object with at most 16 "
            "properties, but got an object with 17 properties instead.", "attributes",
            "object_above_max_properties"),
    storing("with an attribute of 513 characters", INFERRED, f"{STORE}/{STORE_ID}/files",
            in_a_store({"file_id": FILE_ID, "attributes": {"a": "x" * 513}}),
            "Invalid 'attributes.a': string too long. Expected a string with maximum length 512, "
            "but got a string with length 513 instead.", "attributes.a", "string_above_max_length"),
    storing("of nothing", UNVERIFIED, f"{STORE}/{STORE_ID}/file_batches", in_a_store({}),
            "Exactly one of 'file_ids' and 'files' must be given.", None, UNVERIFIED),
    storing("that is not there", UNVERIFIED, f"{STORE}/{STORE_ID}/file_batches/vsfb_9",
            in_a_store({}), "No file batch found with id 'vsfb_9' in vector store 'vs_1'.", None,
            UNVERIFIED, 404, "GET"),
    searching("for nothing", UNVERIFIED, "Invalid 'query': a query must not be empty.", "query",
              UNVERIFIED, query=""),
    searching("for a number", INFERRED, "Invalid type for 'query': expected one of a string or "
              "array of strings, but got an integer instead.", "query", "invalid_type", query=5),
    searching("for 51 results", INFERRED, "Invalid 'max_num_results': integer above maximum "
              "value. Expected a value <= 50, but got 51 instead.", "max_num_results",
              "integer_above_max_value", max_num_results=51),
    searching("for no result", INFERRED, "Invalid 'max_num_results': integer below minimum "
              "value. Expected a value >= 1, but got 0 instead.", "max_num_results",
              "integer_below_min_value", max_num_results=0),
    searching("above 1.5", INFERRED, "Invalid 'ranking_options.score_threshold': decimal above "
              "maximum value. Expected a value <= 1, but got 1.5 instead.",
              "ranking_options.score_threshold", "decimal_above_max_value",
              ranking_options={"score_threshold": 1.5}),
    searching("by an unknown ranker", INFERRED, "Invalid value: 'best'. Supported values are: "
              "'none', 'auto', and 'default-2024-11-15'.", "ranking_options.ranker",
              "invalid_value", ranking_options={"ranker": "best"}),
    searching("by too much weight", INFERRED, "Invalid "
              "'ranking_options.hybrid_search.text_weight': decimal above maximum value. Expected "
              "a value <= 1000000, but got 1000001 instead.",
              "ranking_options.hybrid_search.text_weight", "decimal_above_max_value",
              ranking_options={"hybrid_search": {"embedding_weight": 1, "text_weight": 1_000_001}}),
    searching("by no weight", UNVERIFIED, "Invalid 'ranking_options.hybrid_search': one of the "
              "weights must be above 0.", "ranking_options.hybrid_search", UNVERIFIED,
              ranking_options={"hybrid_search": {"embedding_weight": 0, "text_weight": 0}}),
    filtering("an unknown comparison", INFERRED, {"type": "like", "key": "a", "value": "x"},
              "Invalid value: 'like'. Supported values are: 'eq', 'ne', 'gt', 'gte', 'lt', 'lte', "
              "'in', 'nin', 'and', and 'or'.", "filters.type", "invalid_value"),
    filtering("no value", INFERRED, {"type": "eq", "key": "a"},
              "Missing required parameter: 'filters.value'.", "filters.value",
              "missing_required_parameter"),
    filtering("in a text", INFERRED, {"type": "in", "key": "a", "value": "x"},
              "Invalid type for 'filters.value': expected an array, but got a string instead.",
              "filters.value", "invalid_type"),
    filtering("a list", INFERRED, {"type": "and", "filters": [{"type": "eq", "key": "a",
                                                               "value": [1]}]},
              "Invalid type for 'filters.filters[0].value': expected one of a string, number, or "
              "boolean, but got an array instead.", "filters.filters[0].value", "invalid_type"),
    filtering("400 levels", UNVERIFIED, nested(400),
              "The request is nested too deeply to be read.", None, UNVERIFIED),
]  # fmt: skip

STORAGE: list[Row] = [*EMBEDDINGS, *UPLOADS, *STORES]
