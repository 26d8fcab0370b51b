"""What a game offers to `shogi_engine.batch`: packed forms, policy layouts, planes and indices of its positions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

IDS = "ids"  # the layout of a Board's moves as they are


@dataclass(frozen=True)
class Packing:
    """A packed form. number : what kernels call it    size : bytes

    unpack(data) : raises ValueError, saying why, for what the kernels refuse
    """

    number: int
    size: int
    unpack: Callable[[bytes], Any]


@dataclass(frozen=True)
class Layout:
    """How moves are numbered. size : numbers there are    table() -> int32[2, codes], by side and Board's move, or -1.

    Two moves that are legal in a position have different numbers.
    """

    size: int
    table: Callable[[], np.ndarray]


@dataclass(frozen=True)
class Features:
    """What a learner sees of a position. shape, dtype : of one position's array    write(nodes, count, rows) : a kernel

    that writes rows[:count], an array of `dtype` with a row for each position.
    """

    shape: tuple[int, ...]
    dtype: Any
    write: Callable[[np.ndarray, int, np.ndarray], None]


@dataclass(frozen=True)
class BatchRules:
    """A game's part of a batch. `nodes` are records with the fields `pos` (a position, which has a `side`) and `moves`.

    code_bits : the lowest bits of a kernels' move that a Board's move has
    read_rows(packed, packing, nodes, count) -> the first row that is refused, -1 if none is
    write_rows(nodes, count, packing, packed) -> the first row that can not be written, -1 if all can
    read_texts(text, starts, nodes, count, taken) : positions in the game's notation, each with the end of a line after
        it, text[starts[row] : starts[row + 1] - 1]; taken[row] is 0 for one that Python is to read
    write_texts(nodes, count, text) -> the end : at most text_bytes each, with the end of a line
    packings, layouts, features : by name; the first packing is the default
    apply_rows(packed, packing, codes, scratch, out) -> the first row that is refused, -1 if none is : moves made
        without a look at whether they are legal; scratch : uint8[scratch]
    apply_legal(packed, packing, codes, pos, out) -> the same, but what is not legal is refused; pos : a position, used
    params : those of the game that are not its defaults here, where a position has no players
    """

    code_bits: int
    read_rows: Callable[..., int]
    write_rows: Callable[..., int]
    read_texts: Callable[..., None]
    write_texts: Callable[..., int]
    text_bytes: int
    packings: dict[str, Packing]
    layouts: dict[str, Layout]
    features: dict[str, Features]
    apply_rows: Callable[..., int] | None = None
    apply_legal: Callable[..., int] | None = None
    scratch: int = 0
    params: dict[str, int] = field(default_factory=dict)
