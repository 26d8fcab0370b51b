"""Shogi's margins and values: a record copied into each search context, so that tuning recompiles nothing."""

from typing import Any

import numpy as np

from shogi_engine.games.shogi.types import KINDS
from shogi_engine.jit import new_record, record_dtype

PARAMS = record_dtype(
    [
        ("values", np.int32, (16,)),  # centipawns by kind on the board; the king counts nothing
        ("aspiration", np.int32),  # half the first window around the last score
        ("futility", np.int32),  # per ply: what one ply is trusted not to lose
        ("null_step", np.int32),  # each such surplus over beta searches a null move one ply less deep
        ("entering_king_rule", np.int32),  # rules.ENTERING_KING_RULES' index
    ]
)

# By kind: none, P L N S G B R K +P +L +N +S +B +R. The usual material values of Shogi programs (pawn 90).
VALUES = (0, 90, 315, 405, 495, 540, 855, 990, 0, 540, 540, 540, 540, 945, 1395)


def default_params() -> Any:
    """Return the parameters that play best."""
    params = new_record(PARAMS)
    params.values[:KINDS] = VALUES
    params.aspiration = 30
    params.futility = 120
    params.null_step = 200
    params.entering_king_rule = 0
    return params
