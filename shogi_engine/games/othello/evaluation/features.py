"""The evaluation by eight handwritten features: for tests, and for the first generation of training.

The features are mobility, corners and the squares next to them, stable discs, parity and discs. Each is the count for
the side to move minus that for the other side. Its weight, in hundredths of a disc, is interpolated by the number of
empty squares between an opening and an endgame weight.
"""

from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.othello.bitboard import C_SQUARES, CORNERS, X_SQUARES, neighbours, stable_discs
from shogi_engine.games.othello.movegen import mobility
from shogi_engine.games.othello.types import POSITION
from shogi_engine.interface.game import provides_evaluation
from shogi_engine.interface.stubs import Evaluation
from shogi_engine.jit import njit, popcount

# Hundredths of a disc for each unit by which the side to move is ahead, with 60 empty squares and with none; the weight
# is interpolated between them. Fitted by least squares to the final scores of about 2500 self-play games, two and three
# plies deep from random openings. Corners and their neighbours matter early, mobility and parity late.
WEIGHTS = {
    "mobility": (15, 240),
    "potential": (70, -80),
    "corners": (2100, -100),
    "x_squares": (-2000, 50),  # only next to an empty corner, as are c_squares
    "c_squares": (95, -190),
    "stable": (120, 110),
    "discs": (-55, -10),
    "parity": (55, 145),  # an odd number of empty squares: the side to move has the last move
}


class FeatureWeights:
    """WEIGHTS in the form of an evaluation's weights."""

    def fill(self, params: Any) -> None:
        """Write them to `params`."""
        for feature, weights in WEIGHTS.items():
            params[feature] = weights

    def describe(self) -> str:
        """Return the number of features."""
        return f"{len(WEIGHTS)} features weighed by hand"


def load_weights(file: Path | None) -> FeatureWeights:
    """Return the weights. Raises ValueError if a file is given: these weights are not trained."""
    if file is not None:
        raise ValueError(f"evaluation features has no file of weights, so {file} cannot be used")
    return FeatureWeights()


EVALUATION = Evaluation(
    "features", POSITION, fields=tuple((feature, np.int32, (2,)) for feature in WEIGHTS), load_weights=load_weights
)


@njit
def weigh(weights, empties, units):
    """Return `units` times a feature's weight with `empties` empty squares, times 60."""
    return units * (np.int64(weights[0]) * empties + np.int64(weights[1]) * (60 - empties))


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    own, opponent = ctx.pos.own, ctx.pos.opponent
    weights = ctx.evaluation
    empty = ~(own | opponent)
    empties = popcount(empty)
    by_corner = neighbours(empty & CORNERS)
    x_squares, c_squares = by_corner & X_SQUARES, by_corner & C_SQUARES
    moves = popcount(mobility(own, opponent)) - popcount(mobility(opponent, own))
    potential = popcount(neighbours(opponent) & empty) - popcount(neighbours(own) & empty)
    stable = popcount(stable_discs(own, opponent)) - popcount(stable_discs(opponent, own))
    value = weigh(weights.mobility, empties, moves)
    value += weigh(weights.potential, empties, potential)
    value += weigh(weights.corners, empties, popcount(own & CORNERS) - popcount(opponent & CORNERS))
    value += weigh(weights.x_squares, empties, popcount(own & x_squares) - popcount(opponent & x_squares))
    value += weigh(weights.c_squares, empties, popcount(own & c_squares) - popcount(opponent & c_squares))
    value += weigh(weights.stable, empties, stable)
    value += weigh(weights.discs, empties, popcount(own) - popcount(opponent))
    value += weigh(weights.parity, empties, 1 if empties & 1 else -1)
    return value // 60 if value >= 0 else -(-value // 60)
