"""The kernels that a Board calls; each takes the address of the Board's memory."""

from typing import Any

from shogi_engine.games.othello.board import kernels
from shogi_engine.jit import Entries

ENTRIES: Any = Entries(
    [
        *(kernels.push, kernels.pop, kernels.list_moves, kernels.count_legal_moves),
        *(kernels.is_legal_move, kernels.position_key),
    ],
    patient=[],
)
