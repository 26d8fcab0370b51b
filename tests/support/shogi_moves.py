"""The legal moves of a position as a list for Python."""

import threading
from typing import Any

import numpy as np

from shogi_engine.games.shogi.game import GAME
from shogi_engine.search.context import new_context, write_root_moves

_scratch = threading.local()


def scratch() -> Any:
    """Return this thread's context for generating moves. The caller has to set its `pos`."""
    if not hasattr(_scratch, "context"):
        _scratch.context = new_context(GAME)  # of the search's dtype, so that no kernel is compiled twice
    return _scratch.context


def legal_moves(pos: Any) -> np.ndarray:
    """Return uint32[n], the legal moves of `pos`, in the generator's order."""
    context = scratch()
    context.pos = pos
    count = write_root_moves(context)
    moves: np.ndarray = context.root_moves[:count].copy()
    return moves
