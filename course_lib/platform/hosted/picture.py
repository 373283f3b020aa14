"""A picture for a prompt: a symmetric mosaic in a few colours, as PNG. It shows nothing.

What it can show is that two prompts give two pictures, and the same prompt the same one. A coarse
picture of the same prompt has its colours already: that is what a stream shows on the way.
"""

import hashlib
import struct
import zlib
from colorsys import hls_to_rgb

FINEST = 32  # tiles along a side
BLOCK = 0xFFFF  # bytes, the most that one block of a zlib stream holds


def png(prompt: str, width: int, height: int, transparent: bool, tiles: int = FINEST) -> bytes:
    """The picture with `tiles` tiles in each row and column; fewer make it coarser.

    width, height   in pixels, the width a multiple of four
    """
    seed = hashlib.sha256(prompt.encode("utf-8", "replace")).digest()
    rows = []
    for y, (top, bottom) in enumerate(_edges(height, tiles)):
        line: list[int] = []
        for x, (left, right) in enumerate(_edges(width, tiles)):
            colour = _colour(seed, x * FINEST // tiles, y * FINEST // tiles)
            line += [colour] * (right - left)
        fours = zip(*(line[start::4] for start in range(4)), strict=True)
        packed = bytes(a << 6 | b << 4 | c << 2 | d for a, b, c, d in fours)
        rows.append((b"\0" + packed) * (bottom - top))
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 2, 3, 0, 0, 0))]
    parts += [(b"PLTE", _palette(seed))] + [(b"tRNS", b"\0")] * transparent
    parts += [(b"IDAT", _stored(b"".join(rows))), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _palette(seed: bytes) -> bytes:
    """Four colours of one family; the first is the background."""
    found = b""
    for number, lightness in enumerate((0.92, 0.3, 0.5, 0.7)):
        hue = (seed[0] / 256 + number * seed[1] / 2048) % 1
        found += bytes(round(255 * part) for part in hls_to_rgb(hue, lightness, 0.6))
    return found


def _colour(seed: bytes, x: int, y: int) -> int:
    """The colour of a tile: the left half is mirrored, and neighbours tend to be alike."""
    x = min(x, FINEST - 1 - x)
    a, b, c = seed[2 + x // 4 % 8], seed[10 + y // 4 % 8], seed[18 + (x + y) // 3 % 12]
    return (a * (y // 4 + 1) + b * (x // 4 + 1) + c) // 97 % 4


def _edges(length: int, tiles: int) -> list[tuple[int, int]]:
    return [(length * i // tiles, length * (i + 1) // tiles) for i in range(tiles)]


def _stored(data: bytes) -> bytes:
    """A zlib stream that compresses nothing, and so is the same with every zlib there is."""
    starts = range(0, len(data), BLOCK)
    blocks = [data[start : start + BLOCK] for start in starts]
    written = b"".join(
        struct.pack("<BHH", block is blocks[-1], len(block), len(block) ^ 0xFFFF) + block
        for block in blocks
    )
    return b"\x78\x01" + written + struct.pack(">I", zlib.adler32(data))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
