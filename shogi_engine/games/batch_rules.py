"""A game's part of `shogi_engine.batch`: packed forms, policy layouts, planes and indices of its positions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

IDS = "ids"  # the layout whose labels are the Board's moves themselves


@dataclass(frozen=True)
class Packing:
    """A packed form.

    Attributes:
        number: its number in kernels
        size: the number of bytes
        unpack: `unpack(data)` raises ValueError with the reason for data that the kernels refuse
    """

    number: int
    size: int
    unpack: Callable[[bytes], Any]


@dataclass(frozen=True)
class Layout:
    """A labelling of moves. The legal moves of a position all have different labels.

    Attributes:
        size: the number of labels
        table: `table()` returns int32[2, codes], the label by side to move and Board's move, -1 for none
    """

    size: int
    table: Callable[[], np.ndarray]


@dataclass(frozen=True)
class Features:
    """A learner's input.

    Attributes:
        shape: the shape of one position's array
        dtype: its dtype
        write: `write(nodes, count, rows)`, a kernel that writes rows[:count], an array of `dtype` with a row for
            each position
    """

    shape: tuple[int, ...]
    dtype: Any
    write: Callable[[np.ndarray, int, np.ndarray], None]


@dataclass(frozen=True)
class BatchRules:
    """A game's part of a batch. `nodes` are records with the fields `pos` (a position, which has a `side`) and `moves`.

    Attributes:
        code_bits: the number of lowest bits of a kernel's move that are the Board's move
        read_rows: `read_rows(packed, packing, nodes, count)` returns the first row that is refused, -1 if none
        write_rows: `write_rows(nodes, count, packing, packed)` returns the first row that cannot be written, -1 if none
        read_texts: `read_texts(text, starts, nodes, count, taken)` reads positions in the game's notation, each
            followed by a line end, text[starts[row] : starts[row + 1] - 1]; taken[row] is 0 for a position that
            Python has to read
        write_texts: `write_texts(nodes, count, text)` writes at most text_bytes for each position, with its line end,
            and returns the end
        packings, layouts, features: by name; the first packing is the default
        apply_rows: `apply_rows(packed, packing, codes, scratch, out)` makes moves without checking that they are legal
            and returns the first row that is refused, -1 if none; scratch is uint8[scratch]
        apply_legal: `apply_legal(packed, packing, codes, pos, out)` does the same, but refuses illegal moves; pos is a
            position, overwritten
        params: the game's parameters that differ from their defaults in a batch
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
