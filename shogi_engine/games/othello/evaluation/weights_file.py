"""What the files of Othello's weights share: a line of JSON, then int16 numbers compressed with zlib, and a SHA-256.

The SHA-256 covers the numbers and a part of the header, chosen by the format.
"""

import hashlib
import json
import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.common.files import json_of

HEADER_MAX = 10_000  # bytes


def encode(header: dict[str, Any], covered: Any, numbers: np.ndarray) -> bytes:
    """Return a file.

    Args:
        covered: the part of the header that the SHA-256 covers, as JSON values
        numbers: int16
    """
    payload = zlib.compress(np.ascontiguousarray(numbers, dtype="<i2").tobytes(), 9)
    return json.dumps(header | {"sha256": _digest(covered, payload)}).encode() + b"\n" + payload


def split(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return the header of a file and the compressed numbers. Raises ValueError if it has no header, and OSError."""
    line, _, payload = path.read_bytes().partition(b"\n")
    header = json_of(line[:HEADER_MAX])
    if not isinstance(header, dict):
        raise ValueError("the header is not an object")
    return header, payload


def numbers_of(header: dict[str, Any], covered: Any, payload: bytes, shape: tuple[int, int]) -> np.ndarray:
    """Return the numbers, int16[shape]. Raises ValueError if they are damaged."""
    if header.get("sha256") != _digest(covered, payload):
        raise ValueError("the SHA-256 is wrong")
    size = 2 * math.prod(shape)
    try:
        content = zlib.decompressobj().decompress(payload, size + 1)
    except zlib.error as fault:
        raise ValueError(str(fault)) from None
    if len(content) != size:
        raise ValueError(f"there are {len(content)} bytes, not {size}")
    return np.frombuffer(content, dtype="<i2").reshape(shape).astype(np.int16)


def _digest(covered: Any, payload: bytes) -> str:
    return hashlib.sha256(json.dumps(covered).encode() + payload).hexdigest()
