"""Shogi's margins, piece values and rules: a record copied into contexts, so that tuning recompiles nothing."""

from typing import Any

import numpy as np

from shogi_engine.games.shogi.names import CSA_27
from shogi_engine.games.shogi.types import KINDS
from shogi_engine.jit import record_dtype
from shogi_engine.search.parameters import SEARCH_FIELDS, search_defaults

PARAMS = record_dtype(
    [
        *SEARCH_FIELDS,
        ("mate_in_one_max_escapes", np.int32),  # escapes of a king beyond which `mate_in_one` does not look
        ("values", np.int32, (16,)),  # centipawns by kind on the board; the king counts nothing
        ("entering_king_rule", np.int32),  # names.ENTERING_KING_RULES' index
        ("max_moves", np.int32),  # the game is drawn after so many moves, by an SFEN's move number; 0 for never
        ("draw_value", np.int32, (2,)),  # by colour: what a draw is worth when it is to move
    ]
)

# By kind: none, P L N S G B R K +P +L +N +S +B +R. The usual material values of Shogi programs (pawn 90).
VALUES = (0, 90, 315, 405, 495, 540, 855, 990, 0, 540, 540, 540, 540, 945, 1395)


def default_params() -> Any:
    """Return the parameters that play best."""
    params = search_defaults(PARAMS)
    params.values[:KINDS] = VALUES
    params.aspiration_window = 30
    params.rfp_margin = 150
    # From here to see_quiet_margin, but for delta_margin, much as in Stockfish (see search/parameters.py).
    params.razor_margin, params.razor_depth_margin = 500, 300
    params.futility_margin, params.futility_base, params.futility_no_best = 120, 42, 150
    params.delta_margin = 250
    params.capture_futility_base, params.capture_futility_margin = 218, 223
    params.see_capture_margin, params.see_quiet_margin = 167, 25
    params.nmp_eval_divisor = 200
    params.lmp_base = 4
    params.correction_weights = 95, 95, 95, 67, 67, 67
    params.continuation_correction_weight, params.correction_skip_margin = 95, 200
    params.mate_in_one_max_escapes = 2
    params.entering_king_rule = CSA_27
    return params
