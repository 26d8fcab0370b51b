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
        ("mate_in_one_max_escapes", np.int32),  # `mate_in_one` gives up if the king has more escapes than this
        ("values", np.int32, (16,)),  # centipawns by kind on the board; 0 for the king
        ("entering_king_rule", np.int32),  # names.ENTERING_KING_RULES' index
        ("max_moves", np.int32),  # the game is drawn after this many moves, by an SFEN's move number; 0 for never
        ("draw_value", np.int32, (2,)),  # by colour: the value of a draw when this colour is to move
    ]
)

# By kind: none, P L N S G B R K +P +L +N +S +B +R. The usual material values of Shogi programs (pawn 90).
VALUES = (0, 90, 315, 405, 495, 540, 855, 990, 0, 540, 540, 540, 540, 945, 1395)

# The search's margins, in centipawns. Most are Stockfish's or YaneuraOu's (see search/parameters.py), whose pawn is
# worth 90 as well.
MARGINS = {
    "aspiration_window": 5,
    "score_noise": 30,
    "hindsight_margin": 173,
    "razor_margin": 502,
    "razor_depth_margin": 306,
    "rfp_margin": 76,
    "rfp_no_tt": 21,
    "nmp_margin": -378,
    "nmp_depth_margin": 16,
    "nmp_improving": 53,
    "probcut_margin": 224,
    "probcut_improving": 61,
    "small_probcut_margin": 416,
    "lmp_base": 3,
    "futility_margin": 120,
    "futility_base": 42,
    "futility_no_best": 151,
    "futility_above": 86,
    "see_capture_margin": 167,
    "see_quiet_margin": 25,
    "capture_futility_base": 218,
    "capture_futility_margin": 223,
    "singular_margin": 60,
    "singular_tt_pv": 66,
    "double_margin": -4,
    "double_pv": 212,
    "double_quiet": 182,
    "triple_margin": 73,
    "triple_pv": 320,
    "triple_quiet": 218,
    "triple_tt_pv": 92,
    "singular_deep": 44,
    "lmr_deeper": 48,
    "lmr_shallower": 9,
    "order_check_see": 75,
    "continuation_correction_weight": 97,
    "qs_futility": 328,
    "qs_see_margin": 73,
}


def default_params() -> Any:
    """Return the parameters that play best."""
    params = search_defaults(PARAMS)
    params.values[:KINDS] = VALUES
    params.correction_weights = 95, 95, 95, 67, 67, 67
    for name, value in MARGINS.items():
        setattr(params, name, value)
    params.mate_in_one_max_escapes = 2
    params.entering_king_rule = CSA_27
    return params
