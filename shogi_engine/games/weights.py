"""Files of weights: a line of JSON, then numbers compressed with zlib. All evaluations with a file of our own use it.

The line has the name of the format, a digest of the layout that the weights are for, each array's dtype and shape, what
the format adds (how the weights were made), and a SHA-256 of the rest of the line and of the compressed arrays.
"""

import functools
import hashlib
import json
import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from shogi_engine.common.files import json_of

HEADER_MAX = 20_000  # bytes
SIZE_MAX = 1 << 28  # bytes of the arrays

# By array: its dtype and its shape, where None is any length.
Shapes = Mapping[str, tuple[DTypeLike, tuple[int | None, ...]]]
Decoded = TypeVar("Decoded")


@dataclass(frozen=True)
class WeightsFile:
    """The contents of a file.

    Attributes:
        header: what the format added to the line; `made`, how the weights were made, is {} if it added none
        arrays: by name
        source: the file's name and the first digits of its SHA-256
    """

    header: dict[str, Any]
    arrays: dict[str, np.ndarray]
    source: str

    def fill(self, params: Any) -> None:
        """Write the arrays to the fields of the same names: an evaluation with few weights needs no addresses."""
        for name, array in self.arrays.items():
            params[name] = array

    def describe(self) -> str:
        """Return the source."""
        return self.source


def layout_of(*parts: Any) -> str:
    """Return a digest of what decides the meaning of the numbers."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def encode(format: str, layout: str, header: Mapping[str, Any], numbers: Mapping[str, ArrayLike]) -> bytes:
    """Return a file."""
    arrays = {name: np.asarray(array) for name, array in numbers.items()}
    little = {name: array.astype(array.dtype.newbyteorder("<")) for name, array in arrays.items()}
    line = {"format": format, "layout": layout} | dict(header)
    line["arrays"] = {name: [array.dtype.name, list(array.shape)] for name, array in arrays.items()}
    payload = zlib.compress(b"".join(array.tobytes() for array in little.values()), 9)
    return json.dumps(line | {"sha256": _digest(line, payload)}).encode() + b"\n" + payload


def decode(content: bytes, file: Path, format: str, layout: str, shapes: Shapes) -> WeightsFile:
    """Return the contents of a file. Raises ValueError with one line saying what is wrong with `file`."""
    line, _, payload = content.partition(b"\n")
    try:
        header = json_of(line[:HEADER_MAX])
        found, digest = header["format"], header.pop("sha256")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise refusal(file, "is not a file of weights") from None
    if found != format:
        raise refusal(file, f"has the format {found!r}, not {format!r}")
    if digest != _digest(header, payload):
        raise refusal(file, "is damaged: its SHA-256 is wrong")
    if header.get("layout") != layout:
        raise refusal(file, "is for another version of this evaluation; train a new one")
    if not isinstance(header.setdefault("made", {}), dict):
        raise refusal(file, "does not say how it was made")
    try:
        declared = {name: (kind, tuple(shape)) for name, (kind, shape) in header["arrays"].items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise refusal(file, "does not say what it contains") from None
    expected = {name: (np.dtype(kind).name, shape) for name, (kind, shape) in shapes.items()}
    if declared.keys() != expected.keys() or not all(_fits(*declared[name], *expected[name]) for name in expected):
        raise refusal(file, f"contains {declared}, not {expected}")
    size = sum(np.dtype(kind).itemsize * math.prod(shape) for kind, shape in declared.values())
    numbers = _decompressed(payload, size)
    if numbers is None:
        raise refusal(file, f"does not contain {size} bytes of numbers")
    arrays, place = {}, 0
    for name, (kind, shape) in declared.items():
        array = np.frombuffer(numbers, np.dtype(kind).newbyteorder("<"), math.prod(shape), place)
        arrays[name], place = array.astype(kind).reshape(shape), place + array.nbytes
    return WeightsFile(header, arrays, f"{file.name} {digest[:8]}")


def read(file: Path) -> bytes:
    """Return the content of a file. Raises ValueError if it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as fault:
        raise refusal(file, f"cannot be read ({fault.strerror})") from None


def header_of(file: Path) -> dict[str, Any]:
    """Return the line of a file, {} if it is no such file or cannot be read."""
    try:
        with file.open("rb") as stream:
            return dict(json_of(stream.readline(HEADER_MAX)))
    except (OSError, ValueError, TypeError):
        return {}


def format_of(file: Path) -> str:
    """Return the name of a file's format, '' if it is no such file or cannot be read."""
    return str(header_of(file).get("format", ""))


def refusal(file: Path, what: str) -> ValueError:
    """Return the error that says what is wrong with a file of weights."""
    return ValueError(f"evaluation weights: {file} {what}")


@dataclass(frozen=True)
class PackagedWeights(Generic[Decoded]):
    """An evaluation's weights: those of the package, and those of other files.

    Attributes:
        package_file: the one of the package
        decode: `decode(content, file)` returns the weights of a file's content; raises ValueError
    """

    package_file: Path
    decode: Callable[[bytes, Path], Decoded]

    def load(self, file: Path) -> Decoded:
        """Return the weights of `file`. Raises ValueError with one line saying what is wrong with it."""
        return self.decode(read(file), file)

    @functools.cached_property
    def shipped(self) -> Decoded:
        """Those of the package. They stay in memory, as contexts hold their addresses."""
        return self.load(self.package_file)

    def of(self, file: Path | None) -> Decoded:
        """Return the weights of `file`, those of the package for None. Raises ValueError as `load` does."""
        return self.shipped if file is None else self.load(file)


def _digest(line: Mapping[str, Any], payload: bytes) -> str:
    return hashlib.sha256(json.dumps(line, sort_keys=True).encode() + payload).hexdigest()


def _fits(found_kind: Any, found_shape: tuple[Any, ...], kind: str, shape: tuple[int | None, ...]) -> bool:
    """Tell whether an array is declared as it is expected."""
    return (found_kind, len(found_shape)) == (kind, len(shape)) and all(
        type(found) is int and 0 < found <= SIZE_MAX and expected in (None, found)
        for found, expected in zip(found_shape, shape, strict=True)
    )


def _decompressed(payload: bytes, size: int) -> bytes | None:
    """Return the numbers; None if there are not `size` bytes of them."""
    try:
        content = zlib.decompressobj().decompress(payload, size + 1) if size <= SIZE_MAX else b""
    except zlib.error:
        return None
    return content if len(content) == size else None
