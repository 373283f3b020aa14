"""`image_generation`: a real PNG for a prompt, always the same for the same one (contract D).

It is a mosaic and shows nothing of the prompt (`picture.py`), and it is a PNG whatever format was
asked for: the item says so. What it would cost is counted as the vendor documents it.
"""

import base64
import re
from collections.abc import Iterator
from typing import Any

from ..errors import Json, refusal
from ..rules import shape, text
from ..tokens import count_text
from .hosted_tool import Ran, hosted_tool
from .picture import FINEST, png
from .tool import Call

# Output tokens of a square picture, by quality (docs).
TOKENS = {"low": 272, "medium": 1056, "high": 4160, "xhigh": 4160, "max": 4160}
SQUARE = 1024
WIDEST, LARGEST, STEP = 3, 3840 * 2160, 16  # aspect ratio; pixels; divisor of both sides
ECHOED = {
    "background": "auto",
    "model": "gpt-image-1",
    "moderation": "auto",
    "n": 1,
    "output_compression": 100,
    "output_format": "png",
    "quality": "auto",
    "size": "auto",
}


def _size(value: Any, path: str) -> None:
    """`auto`, or WIDTHxHEIGHT within the documented limits."""
    text(value, path)
    width, height = _measures(value)
    wide = max(width, height) > WIDEST * min(width, height)
    if width % STEP or height % STEP or wide or not 0 < width * height <= LARGEST:
        raise refusal("wrong_image_size", path, size=value)


def _measures(size: str) -> tuple[int, int]:
    if size == "auto":
        return SQUARE, SQUARE
    found = re.fullmatch(r"(\d{2,4})x(\d{2,4})", size, re.ASCII)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _echo(entry: Json) -> Json:
    """With the defaults in force, as recorded; partial images only when there are some."""
    sent = {name: entry[name] for name in ECHOED if entry.get(name) is not None}
    some = {"partial_images": entry["partial_images"]} if entry.get("partial_images") else {}
    return {"type": entry["type"], **ECHOED, **sent, **some}


def _run(call: Call) -> Ran:
    prompt, declared = str(call.arguments.get("prompt") or ""), call.declared
    width, height = _measures(declared["size"])
    quality = "high" if declared["quality"] == "auto" else declared["quality"]
    background = "transparent" if declared["background"] == "transparent" else "opaque"
    picture = png(prompt, width, height, background == "transparent")
    item = {
        "action": "generate",
        "background": background,
        "output_format": "png",
        "quality": quality,
        "result": base64.b64encode(picture).decode(),
        "revised_prompt": prompt,
        "size": f"{width}x{height}",
    }
    reads = {"status": "completed", "revised_prompt": prompt, "size": item["size"]}
    drawn, said = TOKENS[quality] * width * height // SQUARE**2, count_text(prompt)
    counted = {
        "input_tokens": said,
        "input_tokens_details": {"image_tokens": 0, "text_tokens": said},
        "output_tokens": drawn,
        "output_tokens_details": {"image_tokens": drawn, "text_tokens": 0},
        "total_tokens": said + drawn,
    }
    return Ran(item, reads, billed={"image_gen": counted})


def _partial_images(item: Json, response: Json) -> Iterator[tuple[str, Json]]:
    """The picture as it becomes finer, as often as the entry asks for."""
    wanted = max(tool.get("partial_images", 0) for tool in [{}, *response["tools"]])
    shown = {name: item[name] for name in ("background", "output_format", "quality", "size")}
    for index in range(wanted):
        width, height = _measures(item["size"])
        transparent = item["background"] == "transparent"
        tiles = FINEST >> (wanted - index)
        partial = png(item["revised_prompt"], width, height, transparent, tiles)
        encoded = base64.b64encode(partial).decode()
        told = {"partial_image_index": index, "partial_image_b64": encoded}
        yield ".partial_image", told | shown


IMAGE_GENERATION = hosted_tool(
    name="image_generation",
    item="image_generation_call",
    prefix="ig",
    about="Generate an image from a description of it.",
    parameters={
        "type": "object",
        "properties": {"prompt": {"type": "string", "description": "What the image shows."}},
        "required": ["prompt"],
    },
    entry=shape("ImageGeneration", Size=_size),
    echo=_echo,
    run=_run,
    stages=("in_progress", "generating", _partial_images, "completed"),
    begun={"result": None},
    fleeting=("action", "background", "output_format", "quality", "revised_prompt", "size"),
    unread=("result",),
)
