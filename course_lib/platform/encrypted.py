"""`reasoning.encrypted_content`: opaque text a client carries for the model (contract A1, A3).

Real content is a Fernet token. Ours has the same shape, so a token of the right shape passes, one
of ours can be opened again, and one of ours that was altered is refused. It is no secret.
"""

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from itertools import cycle

from .errors import refusal

_HEADER = b"\x80" + bytes(7) + b"offline token   "  # version, time, and our mark as the IV
_SIGNATURE, _BLOCK = 32, 16  # bytes
_MASK = hashlib.sha256(_HEADER).digest()


def seal(text: str) -> str:
    """An opaque token for `text`, the same for the same text."""
    data = text.encode()
    signed = _HEADER + _masked(data + bytes(-len(data) % _BLOCK))
    return urlsafe_b64encode(signed + _sign(signed)).decode()


def opened(token: str) -> str | None:
    """The text that was sealed; None for a token that is not ours."""
    data = urlsafe_b64decode(token)
    ours = data.startswith(_HEADER)
    return _masked(data[len(_HEADER) : -_SIGNATURE]).rstrip(b"\0").decode() if ours else None


def begun(token: str) -> str:
    """What a stream shows of a token while the reasoning goes on: less than in the end."""
    return token[: len(token) // 8 * 4]


def check_sealed(token: str) -> None:
    """Refuse what cannot be a token, and a token of ours that was altered."""
    try:
        data = urlsafe_b64decode(token)
    except ValueError:
        data = b""
    shaped = data[:1] == b"\x80" and len(data) > len(_HEADER) + _SIGNATURE
    ours = data.startswith(_HEADER)
    if not shaped or (ours and data[-_SIGNATURE:] != _sign(data[:-_SIGNATURE])):
        raise refusal("sealed_text_altered", begin=token[:4], end=token[-4:])


def _masked(data: bytes) -> bytes:
    return bytes(byte ^ mask for byte, mask in zip(data, cycle(_MASK), strict=False))


def _sign(data: bytes) -> bytes:
    return hashlib.sha256(b"offline platform" + data).digest()
