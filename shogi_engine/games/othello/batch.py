"""Othello's part of `shogi_engine.batch`: positions in 17 bytes, squares as labels, three planes."""

import numpy as np

from shogi_engine.games.batch import IDS, BatchRules, Features, Layout, Packing
from shogi_engine.games.othello.batch_kernels import (
    TEXT_BYTES,
    read_rows,
    read_texts,
    write_planes,
    write_rows,
    write_texts,
)
from shogi_engine.games.othello.board import PACKED_BYTES, Board
from shogi_engine.games.othello.types import DISC_MOVE, PASS, SQUARES

CODE_BITS = 8
CODES = 1 << CODE_BITS


def _labels(passing: int) -> np.ndarray:
    """Return the table of labels: 0 to 63 for the squares, `passing` for the pass."""
    table = np.full((2, CODES), -1, dtype=np.int32)
    table[:, DISC_MOVE : DISC_MOVE + SQUARES] = np.arange(SQUARES)
    table[:, PASS] = passing
    return table


RULES = BatchRules(
    code_bits=CODE_BITS,
    read_rows=read_rows,
    write_rows=write_rows,
    read_texts=read_texts,
    write_texts=write_texts,
    text_bytes=TEXT_BYTES,
    packings={"packed": Packing(0, PACKED_BYTES, Board.from_packed)},
    layouts={
        IDS: Layout(PASS + 1, lambda: np.tile(np.arange(CODES, dtype=np.int32), (2, 1))),
        "squares+pass": Layout(SQUARES + 1, lambda: _labels(SQUARES)),
        "squares": Layout(SQUARES, lambda: _labels(-1)),
    },
    features={"planes": Features((3, 8, 8), np.uint8, write_planes)},
)
