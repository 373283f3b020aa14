"""`image_generation`: a real PNG for a prompt, always the same for the same one (contract D).

It is a symmetric mosaic and shows nothing of the prompt, and it is a PNG whatever format was asked
for: the item says so. What it would cost is counted as the vendor documents it.
"""

import base64
import hashlib
import re
import struct
import zlib
from colorsys import hls_to_rgb
from typing import Any

from ..errors import Json, refusal
from ..rules import OWN, shape, text
from ..tokens import count_text
from .tool import Call, Ran, Told, hosted_tool, with_defaults

# Output tokens of a square picture, by quality (docs).
TOKENS = {"low": 272, "medium": 1056, "high": 4160, "xhigh": 4160, "max": 4160}
SQUARE = 1024
WIDEST, LARGEST, STEP = 3, 3840 * 2160, 16  # aspect ratio; pixels; divisor of both sides
FINEST = 16  # tiles along a side


def _size(value: Any, path: str) -> None:
    """`auto`, or WIDTHxHEIGHT within the documented limits."""
    text(value, path)
    width, height = _measures(value)
    wide = max(width, height) > WIDEST * min(width, height)
    if width % STEP or height % STEP or wide or not 0 < width * height <= LARGEST:
        raise refusal("wrong_image_size", path, size=value)


OWN["Size"] = _size


def _measures(size: str) -> tuple[int, int]:
    if size == "auto":
        return SQUARE, SQUARE
    found = re.fullmatch(r"(\d{2,4})x(\d{2,4})", size, re.ASCII)
    return (int(found[1]), int(found[2])) if found else (0, 0)


_shown = with_defaults(
    {
        "background": "auto",
        "model": "gpt-image-1",
        "moderation": "auto",
        "n": 1,
        "output_compression": 100,
        "output_format": "png",
        "quality": "auto",
        "size": "auto",
    }
)


def _echo(entry: Json) -> Json:
    """With the defaults in force, as recorded; partial images only when there are some."""
    some = {"partial_images": entry["partial_images"]} if entry.get("partial_images") else {}
    return _shown(entry) | some


def _run(call: Call) -> Ran:
    prompt, declared = str(call.arguments.get("prompt") or ""), call.declared
    width, height = _measures(declared["size"])
    item = {
        "action": "generate",
        "background": "transparent" if declared["background"] == "transparent" else "opaque",
        "output_format": "png",
        "quality": "high" if declared["quality"] == "auto" else declared["quality"],
        "revised_prompt": prompt,
        "size": f"{width}x{height}",
    }
    reads = {"status": "completed", "revised_prompt": prompt, "size": item["size"]}
    drawn, said = TOKENS[item["quality"]] * width * height // SQUARE**2, count_text(prompt)
    counted = {
        "input_tokens": said,
        "input_tokens_details": {"text_tokens": said},
        "output_tokens": drawn,
        "output_tokens_details": {"image_tokens": drawn},
        "total_tokens": said + drawn,
    }
    return Ran(item | {"result": _picture(item, FINEST)}, reads, billed={"image_gen": counted})


def _partial_images(item: Json, response: Json) -> Told:
    """The picture as it becomes finer, as often as the entry asks for."""
    wanted = max(tool.get("partial_images", 0) for tool in [{}, *response["tools"]])
    shown = {name: item[name] for name in ("background", "output_format", "quality", "size")}
    for index in range(wanted):
        partial = _picture(item, FINEST >> (wanted - index))
        told = {"partial_image_index": index, "partial_image_b64": partial}
        yield "image_generation_call.partial_image", told | shown


def _picture(item: Json, tiles: int) -> str:
    """The PNG, in base64, with `tiles` tiles in each row and column; fewer make it coarser.

    A tile has one of four colours, and a pixel two bits: `0x55 * n` is four pixels of colour n.
    """
    digest = hashlib.sha256(item["revised_prompt"].encode("utf-8", "replace")).digest()
    width, height = _measures(item["size"])

    def line(y: int) -> bytes:
        columns = [min(x, FINEST - 1 - x) for x in range(0, FINEST, FINEST // tiles)]
        colours = [digest[2 * y + x // 4] >> x % 4 * 2 & 3 for x in columns]
        return b"\0" + bytes(0x55 * colours[4 * x * tiles // width] for x in range(width // 4))

    lines = [line(y) for y in range(0, FINEST, FINEST // tiles)]
    rows = b"".join(lines[y * tiles // height] for y in range(height))
    tones = (hls_to_rgb(digest[0] / 256, light, 0.6) for light in (0.92, 0.3, 0.5, 0.7))
    transparent = item["background"] == "transparent"
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 2, 3, 0, 0, 0)),
            _chunk(b"PLTE", bytes(round(255 * part) for tone in tones for part in tone)),
            _chunk(b"tRNS", b"\0") if transparent else b"",  # the first colour is the background
            _chunk(b"IDAT", _deflated(rows, back=len(lines[0]))),
            _chunk(b"IEND", b""),
        )
    )
    return base64.b64encode(png).decode()


def _deflated(data: bytes, back: int) -> bytes:
    """A zlib stream, the same on every machine, which no library for it promises.

    Bytes stand as they are, or are copied from `back` bytes before (RFC 1951, fixed codes).
    """
    high = (back - 1).bit_length() - 2  # the bits of a distance that follow its code
    code, rest = 2 * high + (back - 1 >> high), (back - 1) & (1 << high) - 1
    distance = f"{code:05b}" + f"{rest:0{high}b}"[::-1]
    bits, at = ["110"], 0  # the only block, with the fixed codes
    while at < len(data):
        for length, copy in ((258, "11000101"), (3, "0000001")):
            wanted = data[at : at + length]
            if at >= back and len(wanted) == length and data.startswith(wanted, at - back):
                bits.append(copy + distance)
                break
        else:
            length, byte = 1, data[at]
            bits.append(f"{0x30 + byte:08b}" if byte < 144 else f"{0x100 + byte:09b}")
        at += length
    stream = "".join((*bits, "0" * 7))[::-1]  # ends with the code for the end; lowest bit first
    packed = int(stream, 2).to_bytes((len(stream) + 7) // 8, "little")
    return b"\x78\x01" + packed + struct.pack(">I", zlib.adler32(data))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


IMAGE_GENERATION = hosted_tool(
    "image_generation",
    prefix="ig",
    entry=shape("ImageGeneration"),
    echo=_echo,
    run=_run,
    stages=("in_progress", "generating", _partial_images, "completed"),
    begun={"result": None},
    fleeting=("action", "background", "output_format", "quality", "revised_prompt", "size"),
    unread=("result",),
)
