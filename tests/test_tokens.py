"""Token counts: held to recorded `usage`, made without a network, safe for any text.

The recordings lie beside the checkout, in `../shared/replay`; without them that part is skipped.
"""

import json
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.platform.app import Platform
from course_lib.platform.http import Request
from course_lib.platform.models import MODELS
from course_lib.platform.tokens import count_text, cut, item_part, pieces, sayable
from course_lib.retrieval.wordpiece import pieces as word_pieces
from course_lib.standin import Scripted
from course_lib.standin.prompt import call, message
from tests import ROOT

CORPUS = ROOT.parent / "shared" / "replay" / "corpus.jsonl"
recordings = pytest.mark.skipif(not CORPUS.exists(), reason="no recordings on this machine")
Json = dict[str, Any]

APRIL_2025 = 1_743_465_600  # in its first month the API put 18 tokens in front of a prompt
COUNTED = ("model", "input", "instructions", "tools", "reasoning", "text", "tool_choice")


def exchanges() -> Iterator[tuple[Json, int]]:
    """Recorded requests that stand for themselves, each with the input tokens it was told of."""
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        recorded = json.loads(line)
        body, reply = recorded["request"], recorded["response"]
        if (recorded["path"], recorded["status"]) != ("/v1/responses", 200):
            continue
        if isinstance(reply, list):
            told = [each["data"] for each in reply if isinstance(each.get("data"), dict)]
            reply = next(each["response"] for each in reversed(told) if "response" in each)
        alone = not any(body.get(name) for name in ("previous_response_id", "conversation"))
        if alone and reply["usage"] and reply["created_at"] >= APRIL_2025:
            yield body, reply["usage"]["input_tokens"]


def parts_of_text(body: Json) -> bool:
    """Whether the input is messages of text and nothing else."""
    given = body["input"]
    return isinstance(given, str) or all(
        item.get("type", "message") == "message"
        and (
            isinstance(item["content"], str)
            or all(part["type"] in ("input_text", "output_text") for part in item["content"])
        )
        for item in given
    )


def plain(body: Json) -> bool:
    """A prompt that is all in the request, and that nobody has changed since."""
    asked = (body.get("text") or {}).get("format") or {"type": "text"}
    pro = (body.get("reasoning") or {}).get("mode") == "pro"  # another machine, another prompt
    anonymised = "user@example.com" in json.dumps(body)
    return parts_of_text(body) and asked["type"] == "text" and not pro and not anonymised


def flat(tool: Json) -> bool:
    """A function whose parameters are single values."""
    values = ("string", "number", "integer", "boolean")
    properties = (tool.get("parameters") or {}).get("properties") or {}
    return tool["type"] == "function" and all(
        each.get("type") in values for each in properties.values()
    )


def counted(body: Json) -> int:
    sent = json.dumps({name: body[name] for name in COUNTED if name in body}).encode()
    reply = Platform().handle(Request("POST", "/v1/responses/input_tokens", sent))
    tokens: int = json.loads(b"".join(reply.chunks))["input_tokens"]
    return tokens


@recordings
def test_messages_are_counted_exactly() -> None:
    chosen = [(body, told) for body, told in exchanges() if plain(body) and not body.get("tools")]
    exact = sum(counted(body) == told for body, told in chosen)
    print(f"{exact} of {len(chosen)} requests of messages are counted exactly")
    assert len(chosen) >= 50
    assert exact / len(chosen) >= 0.95


@recordings
def test_flat_functions_are_counted_within_a_few_tokens() -> None:
    chosen = [
        (body, told)
        for body, told in exchanges()
        if plain(body) and body.get("tools") and all(map(flat, body["tools"]))
    ]
    near = sum(abs(counted(body) - told) <= 6 for body, told in chosen)
    print(f"{near} of {len(chosen)} requests with flat functions are counted within 6 tokens")
    assert len(chosen) >= 35
    assert near / len(chosen) >= 0.75


@recordings
def test_the_schema_of_a_structured_output_counts() -> None:
    chosen = [
        (body, told)
        for body, told in exchanges()
        if ((body.get("text") or {}).get("format") or {}).get("type") == "json_schema"
    ]
    assert chosen
    for body, told in chosen:
        assert abs(counted(body) - told) <= 6


def test_an_answer_costs_as_input_what_it_says_and_its_frame() -> None:
    said = {"role": "assistant", "content": "hello world"}
    asked = {"role": "user", "content": "hello world"}
    assert item_part(asked, MODELS["gpt-5.6"])[1] == 2 + 4
    assert item_part(said, MODELS["gpt-5.6"])[1] == 2 + 4 + 2
    assert item_part(said, MODELS["gpt-4.1"])[1] == 2 + 4


def test_a_marker_of_the_tokenizer_is_plain_text() -> None:
    assert count_text("<|endoftext|>") > 1
    assert "".join(pieces("a<|endoftext|>b")) == "a<|endoftext|>b"


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_the_pieces_are_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text
    assert len(pieces(text)) <= count_text(text)
    assert cut(text, count_text(text)) == text


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.text(st.characters(), max_size=40), st.integers(0, 12))
def test_any_text_can_be_cut_and_said(text: str, tokens: int) -> None:
    said = sayable(text)
    said.encode()
    assert sayable(said) == said
    kept = cut(said, tokens)
    assert said.startswith(kept)
    # A character of several tokens is kept whole or not at all.
    assert count_text(kept) <= max(tokens, 0) + 3
    assert "".join(pieces(text)) == said


def test_a_character_of_several_tokens_is_not_torn() -> None:
    family = "\U0001f468‍\U0001f469‍\U0001f467‍\U0001f466"
    assert count_text(family) > len(pieces(family))
    for tokens in range(count_text(family) + 1):
        kept = cut(family, tokens)
        assert family.startswith(kept)
        assert count_text(kept) <= tokens


@pytest.mark.parametrize("said", [message("half \ud800 a pair"), call("f", {"a": "\udfff"})])
def test_half_a_surrogate_pair_from_a_model_becomes_a_mark(said: Json) -> None:
    tool = {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}
    body = {"model": "gpt-5.4", "input": "ping", "tools": [tool], "stream": False}
    reply = Platform(model=Scripted([said])).handle(
        Request("POST", "/v1/responses", json.dumps(body).encode())
    )
    text = b"".join(reply.chunks).decode()
    assert reply.status == 200
    assert "�" in text


def test_half_a_surrogate_pair_inside_a_tools_json_does_no_harm() -> None:
    # The output is a string of JSON; what it holds comes alive when the model reads it.
    body = {
        "model": "gpt-5.4",
        "input": [
            {"role": "user", "content": "Read the file."},
            {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_1", "output": '{"t": "\\ud800"}'},
        ],
    }
    reply = Platform().handle(Request("POST", "/v1/responses", json.dumps(body).encode()))
    assert reply.status == 200
    assert "�" in b"".join(reply.chunks).decode()


def test_neither_a_long_text_nor_a_long_word_is_kept() -> None:
    """A server runs for days; what it counted once and forgot must not stay."""
    count_text("hi")
    word_pieces("hi")  # the tables of both are read once, and do stay
    tracemalloc.start()
    for number in range(10):
        count_text(f"{number} " + "word " * 50_000)
        word_pieces(f"{number}" + "x" * 20_000)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 100_000


AT_ONCE = """
import sys, threading
sys.setswitchinterval(1e-6)
from course_lib.platform.tokens import count_text
failed = []
threading.excepthook = failed.append
for each in (threads := [threading.Thread(target=count_text, args=("hi",)) for _ in range(20)]):
    each.start()
for each in threads:
    each.join()
print(len(failed))
"""


def test_threads_may_count_first_at_the_same_time() -> None:
    """The loading sets the environment for a moment, which all threads share."""
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "0\n"


COUNT = "from course_lib.platform.tokens import count_text; print(count_text('hello world'))"


@pytest.mark.parametrize("cache", ["", "/nonexistent/cache", "broken"])
def test_the_users_own_tokenizer_cache_does_not_matter(
    cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guard of the run fails it if a download is tried."""
    if cache == "broken":
        (tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790").write_text("no ranks")
        cache = str(tmp_path)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", cache)
    show = f"{COUNT}; import os; print(os.environ['TIKTOKEN_CACHE_DIR'])"
    done = subprocess.run(
        [sys.executable, "-c", show], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"2\n{cache}\n"
