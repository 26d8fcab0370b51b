"""Python's moves: the 15 lowest bits of the kernels' moves (target, source, promotion), without the pieces."""

import numpy as np

from shogi_engine.games.shogi.movegen.generator import is_legal_tt_move
from shogi_engine.games.shogi.types import DROP_BASE, KING, PROMOTED, PROMOTION, SQUARES, piece_kind
from shogi_engine.jit import njit

MOVE_BITS = 15
CODES = (1 << MOVE_BITS) - 1  # the bits that a kernels' move and a Board's Move have in common


@njit
def complete_move(pos, code):
    """Return the kernels' move of a Move's `code` (any int64), 0 if it is not legal in `pos`."""
    target, source = code & 127, code >> 7 & 127
    if code < 0 or code > CODES or target >= SQUARES:
        return np.uint32(0)
    if source >= DROP_BASE:
        kind, captured = source - DROP_BASE, 0
        if kind == 0 or kind >= KING or code & PROMOTION != 0:
            return np.uint32(0)
    else:
        kind, captured = piece_kind(pos.board[source]), piece_kind(pos.board[target])
        if kind == 0 or code & PROMOTION != 0 and PROMOTED[kind] == 0:
            return np.uint32(0)
    move = np.uint32(code | kind << 15 | captured << 19)
    return move if is_legal_tt_move(pos, move) else np.uint32(0)
