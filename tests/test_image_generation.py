"""Image generation: a real PNG, always the same, what a stream shows of it, and what it costs."""

import base64
import struct
import zlib
from typing import Any

import pytest

from course_lib.platform.app import Platform
from tests.rejections import answer
from tests.test_hosted import events, kinds

Json = dict[str, Any]
OTTER = "Generate an image of an otter."


def tool(**fields: Any) -> Json:
    return {"type": "image_generation", **fields}


def asked(**fields: Any) -> Json:
    return answer(Platform(), {"model": "gpt-5.4", "input": OTTER, "tools": [tool()]} | fields)


def picture(**fields: Any) -> Json:
    item: Json = asked(tools=[tool(**fields)])["output"][0]
    return item


def decoded(encoded: str) -> tuple[int, int, bytes]:
    """Width, height, and the rows, from a PNG whose checksums are all right."""
    data = base64.b64decode(encoded)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, parts = 8, {}
    while place < len(data):
        (length,) = struct.unpack_from(">I", data, place)
        name, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        assert struct.unpack_from(">I", data, place + 8 + length) == (zlib.crc32(name + body),)
        parts[name], place = body, place + 12 + length
    width, height = struct.unpack_from(">II", parts[b"IHDR"])
    rows = zlib.decompress(parts[b"IDAT"])
    assert len(rows) == height * (1 + width // 4)
    return width, height, rows


def test_the_result_is_a_png_of_the_size_that_the_item_tells() -> None:
    for size in ("1024x1024", "1536x1024", "1024x1536", "1536x864"):
        item = picture(size=size)
        width, height, _ = decoded(item["result"])
        assert f"{width}x{height}" == item["size"] == size


def test_the_same_prompt_gives_the_same_picture_and_another_one_another() -> None:
    other = asked(input="Draw a lighthouse.")["output"][0]
    assert picture()["result"] == picture()["result"] != other["result"]
    assert other["revised_prompt"] == "Draw a lighthouse."


def test_the_item_tells_what_was_decided_and_the_entry_what_was_asked() -> None:
    response = asked(tools=[tool(quality="low", output_format="webp")])
    (item, said) = response["output"]
    told = {name: item[name] for name in ("action", "background", "output_format", "quality")}
    assert told == {
        "action": "generate",
        "background": "opaque",
        "output_format": "png",  # whatever was asked for: that is what it is
        "quality": "low",
    }
    assert said["content"][0]["text"] == ""  # as recorded: the picture is the answer
    assert response["tools"] == [
        {
            "type": "image_generation",
            "background": "auto",
            "model": "gpt-image-1",
            "moderation": "auto",
            "n": 1,
            "output_compression": 100,
            "output_format": "webp",
            "quality": "low",
            "size": "auto",
        }
    ]


def test_a_transparent_background_is_one() -> None:
    assert b"tRNS" in base64.b64decode(picture(background="transparent")["result"])
    assert b"tRNS" not in base64.b64decode(picture()["result"])


@pytest.mark.parametrize(("quality", "size", "tokens"), [
    ("low", "1024x1024", 272), ("medium", "1024x1024", 1056), ("high", "1024x1536", 6240),
])  # fmt: skip
def test_it_costs_what_is_documented(quality: str, size: str, tokens: int) -> None:
    response = asked(tools=[tool(quality=quality, size=size)])
    used = response["tool_usage"]["image_gen"]
    assert used["output_tokens"] == used["output_tokens_details"]["image_tokens"] == tokens
    assert used["total_tokens"] == used["input_tokens"] + tokens
    assert response["usage"]["input_tokens"] < 500  # the picture itself is not read as text


@pytest.mark.parametrize("partial", [0, 1, 3])
def test_a_stream_shows_the_picture_becoming_finer(partial: int) -> None:
    told = events(Platform(), input=OTTER, tools=[tool(partial_images=partial)])
    names = [event["type"].removeprefix("response.image_generation_call.") for event in told]
    assert names[3 : 6 + partial] == [
        "in_progress",
        "generating",
        *["partial_image"] * partial,
        "completed",
    ]
    assert told[2]["item"]["result"] is None
    seen = [event["partial_image_b64"] for event in told if "partial_image_b64" in event]
    final = next(e["item"] for e in told if e["type"] == "response.output_item.done")["result"]
    assert len({*seen, final}) == partial + 1
    assert [decoded(each)[:2] for each in seen] == [(1024, 1024)] * partial


def test_no_picture_without_a_wish_for_one() -> None:
    assert kinds(asked(input="Tell me a two-sentence story about an otter.")) == ["message"]
