"""Othello's margins and move ordering weights: a record that is copied into contexts; tuning recompiles nothing."""

from typing import Any

import numpy as np

from shogi_engine.games.othello.names import DISC
from shogi_engine.jit import record_dtype
from shogi_engine.search.parameters import SEARCH_FIELDS, search_defaults

PARAMS = record_dtype(
    [
        *SEARCH_FIELDS,
        # score_moves (ordering.py); they outweigh the search's histories
        ("order_value_depth", np.int32),  # with at least this many plies left the evaluation is used
        ("order_value", np.int32),  # per hundredth of a disc of the evaluation after the move
        ("order_mobility", np.int32),  # per weighted reply left to the opponent
        ("order_potential", np.int32),  # per empty square next to the mover's discs
        ("order_parity", np.int32),  # a disc move in a quadrant with an odd number of empty squares
        ("order_squares", np.int32, (64,)),  # by square
    ]
)

MULTI_PROBCUT_MARGIN = 100  # percent of a spread

# The search's margins, in hundredths of a disc. Values change little from move to move, hence the window of one disc.
MARGINS = {
    "multi_probcut_margin": MULTI_PROBCUT_MARGIN,
    "aspiration_window": 2 * DISC,
    "aspiration_square": 1000000,
    "aspiration_growth": 300,
    "score_noise": 2 * DISC,
}

# The values of order_squares for the triangle a1, b1, b2, c1 ... d4; the rest follow by symmetry.
TRIANGLE = {(0, 0): 40, (0, 1): -12, (1, 1): -25, (0, 2): 4, (1, 2): -6, (2, 2): 2, (0, 3): 2, (1, 3): -4}


def square_bonus(square: int) -> int:
    """Return TRIANGLE's value for a square, by symmetry."""
    file, rank = min(square % 8, 7 - square % 8), min(square // 8, 7 - square // 8)
    return TRIANGLE.get((min(file, rank), max(file, rank)), 0)


def default_params() -> Any:
    """Return the tuned parameters."""
    params = search_defaults(PARAMS)
    for name, value in MARGINS.items():
        setattr(params, name, value)
    params.order_value_depth = 5
    params.order_value = 128
    params.order_mobility = 1024
    params.order_potential = 256
    params.order_parity = 192
    params.order_squares = [128 * square_bonus(square) for square in range(64)]
    return params
