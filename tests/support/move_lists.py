"""The legal moves of a search context for tests that go through many positions."""

from typing import Any

import numpy as np

from shogi_engine.search.context import write_root_moves


def legal_moves(ctx: Any) -> list[np.uint32]:
    """Return the legal moves of ctx.pos in the generator's order, by one call: to ask of each move takes far longer."""
    return list(ctx.root_moves[: write_root_moves(ctx)])
