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
        ("max_moves", np.int32),  # the game is drawn after this many moves, by an SFEN's move number; 0 for never
        ("draw_value", np.int32, (2,)),  # by colour: what a draw is worth when it is to move
    ]
)

# By kind: none, P L N S G B R K +P +L +N +S +B +R. The usual material values of Shogi programs (pawn 90).
VALUES = (0, 90, 315, 405, 495, 540, 855, 990, 0, 540, 540, 540, 540, 945, 1395)

# Numbers that all games have a default for, as games of Shogi moved them (docs/tuning-log.md).
TUNED = {
    "rfp_opponent_worsening": 349,
    "lmr_base": 1186,
    "lmr_adjust": 715,
    "lmr_cut_node": 3549,
    "lmr_pv": 3724,
    "lmr_history": 102,
    "lmr_log_scale": 1018,
    "lmr_worsening": 217,
    "history_pruning_margin": 5621,
    "history_ply": 3255,
    "stat_bonus_scale": 126,
    "stat_bonus_max": 1451,
    "stat_malus_scale": 884,
    "stat_malus_max": 2121,
    "main_history_max": 2082,
    "correction_best_move": 11,
    "easy_move_margin": 5,  # 150 centipawns, of which 600 are odds to win of e : 1; not by games
}


def default_params() -> Any:
    """Return the parameters that play best."""
    params = search_defaults(PARAMS)
    params.values[:KINDS] = VALUES
    params.aspiration_window = 30
    params.rfp_margin = 147
    # From here to see_quiet_margin, but for delta_margin, near Stockfish's (see search/parameters.py).
    params.razor_margin, params.razor_depth_margin = 505, 295
    params.futility_margin, params.futility_base, params.futility_no_best = 119, 42, 146
    params.delta_margin = 249
    params.capture_futility_base, params.capture_futility_margin = 210, 221
    params.see_capture_margin, params.see_quiet_margin = 173, 25
    params.nmp_eval_divisor = 200
    params.lmp_base = 4
    params.correction_weights = 95, 95, 95, 67, 67, 67
    params.continuation_correction_weight, params.correction_skip_margin = 97, 200
    for name, value in TUNED.items():
        setattr(params, name, value)
    params.mate_in_one_max_escapes = 2
    params.entering_king_rule = CSA_27
    return params
