"""The kernels that a Board calls; each takes the address of the Board's memory."""

from typing import Any

from shogi_engine.games.shogi.board import kernels, text_kernels
from shogi_engine.jit import Entries

ENTRIES: Any = Entries(
    [
        *(kernels.push, kernels.pop, kernels.list_moves, kernels.count_legal_moves),
        *(kernels.is_legal_code, kernels.check_given, kernels.position_key, kernels.ending),
    ],
    patient=[text_kernels.convert],
)
