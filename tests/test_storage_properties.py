"""Whatever is sent to files, vector stores and embeddings, the reply is civil."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course_lib.platform.app import Platform
from course_lib.platform.http import WITH_KEY, Request
from tests.rejections_storage import FILE_ID, FORM, form, in_a_store
from tests.test_platform_properties import anything, scalars, send

STORE = "/v1/vector_stores/vs_1"
# Each address that takes a body, and its fields.
PATHS = {
    "/v1/embeddings": "model input dimensions encoding_format",
    "/v1/files": "",
    "/v1/vector_stores": "name file_ids metadata expires_after chunking_strategy",
    STORE: "name metadata expires_after",
    f"{STORE}/files": "file_id attributes chunking_strategy",
    f"{STORE}/files/{FILE_ID}": "attributes",
    f"{STORE}/file_batches": "file_ids files attributes chunking_strategy",
    f"{STORE}/file_batches/vsfb_1/cancel": "",
    f"{STORE}/search": "query rewrite_query max_num_results filters ranking_options",
}
weights = st.sampled_from([0, 5e-324, 0.5, 1, 10**6, 1e308, 10**400])
# What a request of this kind has, right or nearly so, so that what is wrong stands deep inside.
NEARLY: dict[str, Any] = {
    "model": st.just("text-embedding-3-small"),
    "input": st.lists(st.text(max_size=5) | st.lists(st.integers(0, 300_000), max_size=3)),
    "dimensions": st.integers(-1, 2000),
    "encoding_format": st.sampled_from(["float", "base64"]),
    "name": st.text(max_size=5),
    "file_id": st.sampled_from([FILE_ID, "file-x"]),
    "file_ids": st.lists(st.sampled_from([FILE_ID, "file-x"]), max_size=3),
    "files": st.lists(st.fixed_dictionaries({"file_id": st.just(FILE_ID)}), max_size=3),
    "metadata": st.dictionaries(st.text(max_size=3), scalars, max_size=3),
    "attributes": st.dictionaries(st.text(max_size=3), scalars, max_size=3),
    "expires_after": st.fixed_dictionaries(
        {"anchor": st.just("last_active_at"), "days": st.integers(0, 400)}
    ),
    "chunking_strategy": st.fixed_dictionaries(
        {"type": st.sampled_from(["auto", "static"])},
        optional={
            "static": st.fixed_dictionaries(
                {
                    "max_chunk_size_tokens": st.integers(90, 4100),
                    "chunk_overlap_tokens": st.integers(-1, 2100),
                }
            )
        },
    ),
    "query": st.text(max_size=5) | st.lists(st.text(max_size=5), max_size=3),
    "rewrite_query": st.booleans(),
    "max_num_results": st.integers(0, 60),
    "filters": st.fixed_dictionaries(
        {
            "type": st.sampled_from(["eq", "gt", "in", "and", "or"]),
            "key": st.sampled_from("ab"),
            "value": scalars | st.lists(scalars, max_size=2),
        },
        optional={"filters": st.lists(anything, max_size=2)},
    ),
    "ranking_options": st.fixed_dictionaries(
        {},
        optional={
            "ranker": st.sampled_from(["none", "auto"]),
            "score_threshold": st.floats(0, 1.1),
            "hybrid_search": st.fixed_dictionaries(
                {"embedding_weight": weights, "text_weight": weights}
            ),
        },
    ),
}


def bodies(path: str) -> Any:
    """Bodies for an address: mostly its own fields, mostly well formed."""
    own = PATHS[path].split()
    well = st.fixed_dictionaries({name: NEARLY[name] for name in own[:1]},
                                 optional={name: NEARLY[name] for name in own[1:]})  # fmt: skip
    ill = st.dictionaries(st.sampled_from([*own, "x"]), anything, max_size=3)
    return st.tuples(st.just(path), well | well | ill)


bounded = settings(
    derandomize=True, deadline=None, max_examples=200, suppress_health_check=list(HealthCheck)
)


@bounded
@given(st.lists(st.sampled_from(list(PATHS)).flatmap(bodies), min_size=1, max_size=4))
def test_any_body_gets_a_civil_reply(requests: list[tuple[str, Any]]) -> None:
    platform = Platform()
    in_a_store({})(platform)
    send(platform, json.dumps({"file_id": FILE_ID}).encode(), f"{STORE}/files")
    for _ in range(2):
        send(platform, b"", STORE, "GET")  # by now the file can be found
    for path, body in requests:
        send(platform, json.dumps(body).encode(), path)
    for path in ("/v1/files", "/v1/vector_stores", "/v1/vector_stores/vs_1/files"):
        send(platform, b"", path, "GET")


@bounded
@given(st.binary(max_size=60), st.sampled_from([FORM, "multipart/form-data", f"{FORM}\n;é="]))
def test_any_form_gets_a_civil_reply(content: bytes, kind: str) -> None:
    for body in (content, form(purpose="batch") + content, form(content.hex(), purpose="batch")):
        for cut in (body, body[: len(body) // 2], body.replace(b"ping", content)):
            reply = Platform().handle(
                Request("POST", "/v1/files", cut, WITH_KEY | {"content-type": kind})
            )
            made = json.loads(b"".join(reply.chunks))
            assert reply.status in (200, 400), made
            assert reply.status == 200 or made["error"]["code"] != "offline_fault"


def test_a_form_may_name_its_file_again() -> None:
    sent, end = form(purpose="batch"), b"--XX--\r\n"
    begin = b'--XX\r\nContent-Disposition: form-data; name="file'
    also = begin + b'[filename]"; filename="y.txt"\r\n\r\nx\r\n'
    for member in (b"", b"[filename]", b"[bytes]"):
        again = begin + member + b'"\r\n\r\nx\r\n'
        reply = Platform().handle(
            Request(
                "POST",
                "/v1/files",
                sent.removesuffix(end) + again + also + end,
                WITH_KEY | {"content-type": FORM},
            )
        )
        made = json.loads(b"".join(reply.chunks))
        assert (made["filename"], made["bytes"]) == ("a.txt", 4)
