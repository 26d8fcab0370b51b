"""Every tunable number of the search: its name, unit, default and range, one line each.

They are the first fields of each game's params record. Every context holds a copy, so changing one recompiles
nothing. Each game sets the margins in the unit of its evaluation; the other numbers are the same for all games.
An evaluation may set any of them differently (`Evaluation.search_parameters`).
Tuning (tools/tuning/spsa.py, tools/tuning/screen.py) and USI (`param.<name>`) access them through
shogi_engine/engine/parameters.py.

The names are the usual ones of Stockfish and YaneuraOu. Numbers marked STOCKFISH come from its search
(https://github.com/official-stockfish/Stockfish, development versions of 2025 and 2026) with the formulas around
them; some are rounded. The others were found by playing games or are this engine's own.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine.interface.evaluation import Evaluation
from shogi_engine.interface.game import CORRECTION_TABLES, Game
from shogi_engine.jit import new_record

STOCKFISH = "Stockfish"

# Units.
VALUE = "value"  # the game's unit; the game sets the default, by which the tuning range is scaled
PERCENT = "percent"
MOVES = "moves"
PLIES = "plies"
PLY_1024 = "1/1024 ply"
SHARE_1024 = "1/1024"
SHARE_128 = "1/128"
HISTORY = "history"  # the unit of history.py
NUMBER = "number"


@dataclass(frozen=True)
class SearchParameter:
    """A number of the search, or an array.

    Attributes:
        least, most: the range for tuning; None if it follows from the game's default (see `tunable`)
    """

    name: str
    unit: str
    default: int | tuple[int, ...]
    least: int | None
    most: int | None
    step: int
    meaning: str
    source: str = ""


def _margin(name: str, meaning: str, count: int = 0, unit: str = VALUE) -> SearchParameter:
    """Return a parameter whose default is set by each game."""
    return SearchParameter(name, unit, (0,) * count if count else 0, None, None, 0, meaning)


_P = SearchParameter

SEARCH_PARAMETERS: tuple[SearchParameter, ...] = (
    # Aspiration windows (root.py).
    _margin("aspiration_window", "half the first window around the average score of the best move, ..."),
    _P("aspiration_square", NUMBER, 9000, 1000, 1000000, 900, "... and its mean square over this", STOCKFISH),
    _P("aspiration_growth", PERCENT, 133, 110, 600, 15, "of the last window: the next one", STOCKFISH),
    _P("aspiration_max", VALUE, 3000, 500, 10000, 500, "a wider window becomes the full one"),
    _margin("score_noise", "a smaller change of the score says nothing to the time management"),
    _P("easy_move_margin", NUMBER, 8, 2, 20, 1, "in score_noise: a move better than all others by this is easy"),
    # Step 8: adjusting the depth to the outcome of the last reduction.
    _P(
        "hindsight_reduction",
        PLIES,
        3,
        1,
        6,
        1,
        "after this reduction a ply more, unless worse for the opponent",
        STOCKFISH,
    ),
    _margin("hindsight_margin", "after a reduction of 2: the sum of both static values that takes a ply off"),
    # Step 9: forward pruning by the static evaluation.
    _margin("razor_margin", "a position so far below alpha, and ..."),
    _margin("razor_depth_margin", "... this much more by the square of the depth, goes straight to quiescence"),
    _margin("rfp_margin", "reverse futility, per ply: what a position above beta is assumed not to lose, ..."),
    _margin("rfp_no_tt", "... less this without a table entry"),
    _P("rfp_improving", SHARE_1024, 2686, 0, 4096, 256, "of rfp_margin, less if improving", STOCKFISH),
    _P("rfp_opponent_worsening", SHARE_1024, 362, 0, 1024, 64, "of it, less if the opponent is worsening", STOCKFISH),
    _P("rfp_correction", SHARE_1024, 743, 0, 2048, 100, "of the correction of the static evaluation, more", STOCKFISH),
    _P("rfp_max_depth", PLIES, 14, 4, 20, 1, "deeper, reverse futility is not tried", STOCKFISH),
    _margin("nmp_margin", "the static evaluation may be this much below beta at depth 0 for a null move ..."),
    _margin("nmp_depth_margin", "... and this much more per ply"),
    _margin("nmp_improving", "... and this if improving"),
    _P("nmp_base", PLIES, 7, 2, 10, 1, "reduction of a null move, ...", STOCKFISH),
    _P("nmp_depth_divisor", NUMBER, 3, 2, 8, 1, "... one ply more for each this many plies of depth", STOCKFISH),
    _P("nmp_verify_depth", PLIES, 16, 8, 30, 1, "from this depth on its result is verified", STOCKFISH),
    _P("iir_min_depth", PLIES, 6, 2, 12, 1, "shallower, there is no internal iterative reduction", STOCKFISH),
    # Step 10: ProbCut by captures (Shogi), Multi-ProbCut by shallow searches (Othello).
    _margin("probcut_margin", "a capture that beats beta by this in a search 4 plies less deep cuts off; 0: never"),
    _margin("probcut_improving", "of that, less if improving"),
    _P("probcut_min_depth", PLIES, 3, 2, 10, 1, "shallower, ProbCut is not tried", STOCKFISH),
    _margin("small_probcut_margin", "a bound of the table above beta by this, 4 plies less deep, cuts off; 0: never"),
    _margin("probcut_selectivity", "of `probcut`'s spread: margin of a shallow search; 0: none", unit=PERCENT),
    # Step 12: pruning at shallow depth.
    _margin("lmp_base", "late move pruning: this plus the square of the depth many moves are searched", unit=MOVES),
    _P("lmp_depth_scale", SHARE_1024, 1024, 256, 4096, 128, "of the square of the depth", STOCKFISH),
    _P("lmp_not_improving", SHARE_1024, 512, 128, 1024, 64, "of that number, unless improving", STOCKFISH),
    _margin("futility_margin", "per ply left after reductions: what a quiet move is assumed not to win"),
    _margin("futility_base", "with this added"),
    _margin("futility_no_best", "and this, as long as no move has raised alpha"),
    _margin("futility_above", "and this if the static evaluation is above alpha"),
    _P("futility_max_depth", PLIES, 12, 4, 20, 1, "with more plies left, there is no futility pruning", STOCKFISH),
    _P(
        "history_pruning_margin", HISTORY, 4097, 1000, 16000, 410, "per ply: quiet moves below minus this go", STOCKFISH
    ),
    _P("history_main_share", SHARE_1024, 2272, 0, 6000, 230, "of the main history, added to the others", STOCKFISH),
    _P("history_ply", HISTORY, 3220, 500, 12000, 320, "this much history counts as one ply in pruning", STOCKFISH),
    _margin("see_capture_margin", "per ply of depth: the material that a capture may lose and still be searched"),
    _margin("see_quiet_margin", "by the square of the plies left after reductions: the same for a quiet move"),
    _P(
        "see_capture_history", SHARE_1024, 34, 0, 200, 5, "of a capture's history, added to what it may lose", STOCKFISH
    ),
    _margin("capture_futility_base", "what a capture is assumed to win beside the piece, ..."),
    _margin("capture_futility_margin", "... and this for each ply left after reductions, ..."),
    _P("capture_futility_history", SHARE_1024, 131, 0, 500, 14, "... and this share of its history", STOCKFISH),
    _P("capture_futility_max_depth", PLIES, 7, 2, 12, 1, "with this many plies left, none", STOCKFISH),
    # Step 13: singular extensions.
    _P("singular_min_depth", PLIES, 6, 3, 30, 1, "shallower, no table move is tried for singularity", STOCKFISH),
    _P("singular_tt_depth", PLIES, 3, 1, 6, 1, "its entry may be this much less deep", STOCKFISH),
    _margin("singular_margin", "per 55 plies: how far below the table's value all other moves have to stay, ..."),
    _margin("singular_marked", "... and this more on marked nodes"),
    _margin("double_margin", "two plies if they stay below by this more; ..."),
    _margin("double_pv", "... plus this at PV nodes, ..."),
    _margin("double_quiet", "... less this if the table's move is quiet"),
    _margin("triple_margin", "three plies if they stay below by this more; ..."),
    _margin("triple_pv", "... plus this at PV nodes, ..."),
    _margin("triple_quiet", "... less this if the table's move is quiet, ..."),
    _margin("triple_marked", "... plus this on marked nodes"),
    _P("singular_correction", SHARE_1024, 637, 0, 2048, 64, "of the correction, off both margins", STOCKFISH),
    _P("singular_trust", SHARE_1024, 8, 0, 64, 2, "of the trust in table moves, off the double margin", STOCKFISH),
    _margin("singular_deep", "off both margins, deeper than the iteration"),
    _P("negative_extension", PLIES, 3, 0, 4, 1, "less if not singular, and the table's value is above beta", STOCKFISH),
    _P("negative_extension_cut", PLIES, 2, 0, 4, 1, "less if not singular at cut nodes", STOCKFISH),
    # Step 14: late move reductions.
    _P("lmr_log_scale", PLY_1024, 466, 200, 1000, 30, "times ln(depth) ln(move count)", STOCKFISH),
    _P("lmr_base", PLY_1024, 1133, -1000, 3000, 130, "added to that", STOCKFISH),
    _P("lmr_worsening", SHARE_1024, 412, 0, 1024, 40, "more of that product, unless improving", STOCKFISH),
    _P("lmr_window", PLY_1024, 585, 0, 2000, 60, "less, times the window over that of the root", STOCKFISH),
    _P("lmr_marked_pruning", PLY_1024, 1013, 0, 3000, 100, "more on marked nodes, for pruning", STOCKFISH),
    _P("lmr_marked", PLY_1024, 2819, 0, 6000, 280, "less on marked nodes, ...", STOCKFISH),
    _P("lmr_marked_pv", PLY_1024, 973, 0, 3000, 100, "... this more at PV nodes, ...", STOCKFISH),
    _P("lmr_marked_value", PLY_1024, 905, 0, 3000, 90, "... this if the table's value is above alpha, ...", STOCKFISH),
    _P("lmr_marked_depth", PLY_1024, 935, 0, 3000, 90, "... this if it is deep enough, ...", STOCKFISH),
    _P("lmr_marked_cut", PLY_1024, 959, 0, 3000, 90, "... and this at cut nodes then", STOCKFISH),
    _P("lmr_adjust", PLY_1024, 691, -1000, 3000, 110, "more, after pruning", STOCKFISH),
    _P("lmr_move_count", PLY_1024, 65, 0, 200, 10, "less, times the move count", STOCKFISH),
    _P("lmr_correction", PLY_1024, 5, 0, 20, 1, "less, times the correction", STOCKFISH),
    _P("lmr_cut_node", PLY_1024, 3611, 0, 6000, 300, "more at expected cut nodes", STOCKFISH),
    _P("lmr_cut_node_no_tt", PLY_1024, 985, -500, 3000, 200, "and this without a table move", STOCKFISH),
    _P("lmr_tt_capture", PLY_1024, 1054, 0, 3000, 105, "more if the table's move is a capture", STOCKFISH),
    _P(
        "lmr_cutoffs",
        PLY_1024,
        (251, 1124, 1042),
        0,
        3000,
        100,
        "after 2 and 3 cutoffs a ply below; all nodes",
        STOCKFISH,
    ),
    _P("lmr_tt_move", PLY_1024, 2239, 0, 6000, 220, "less for the table's move", STOCKFISH),
    _P("lmr_all_node", NUMBER, 273, 0, 800, 40, "more at all nodes: of the reduction, by this over ...", STOCKFISH),
    _P("lmr_all_node_offset", NUMBER, 260, 0, 1000, 50, "... 256 for each ply of depth and this", STOCKFISH),
    _P("lmr_history", SHARE_1024, 107, 0, 300, 12, "of the histories, in 1/1024 plies, less", STOCKFISH),
    _P("lmr_capture_value", SHARE_128, 863, 0, 2000, 86, "of what a capture takes, as its history", STOCKFISH),
    _P("lmr_longest", PLIES, 2, 0, 3, 1, "how much longer than unreduced a search may become", STOCKFISH),
    _P("lmr_research_bonus", HISTORY, 1426, 0, 4000, 140, "to moves that beat alpha in the reduced search", STOCKFISH),
    _margin("lmr_deeper", "a move better than the best by this is searched again a ply deeper"),
    _margin("lmr_shallower", "one not better than it by this a ply less deep"),
    _P("scout_no_tt", PLY_1024, 1057, 0, 3000, 105, "without reduction: more without a table move; ...", STOCKFISH),
    _P(
        "scout_reduction",
        PLY_1024,
        (4628, 5772),
        1000,
        20000,
        460,
        "... a ply less above the first, two the second",
        STOCKFISH,
    ),
    _P("raised_alpha", PLIES, 2, 0, 4, 1, "less for the other moves after alpha was raised", STOCKFISH),
    # Histories (history.py): a bonus for the move that caused the cutoff, a malus for the moves searched before it.
    _P(
        "eval_history",
        SHARE_128,
        1280,
        0,
        4000,
        128,
        "of a quiet move's change of the static evaluation, main",
        STOCKFISH,
    ),
    _P(
        "eval_history_range",
        VALUE,
        (-214, 171, 60),
        -500,
        500,
        20,
        "least and most of that change; what is added",
        STOCKFISH,
    ),
    _P("stat_bonus_scale", HISTORY, 128, 30, 400, 14, "by the depth, ...", STOCKFISH),
    _P("stat_bonus_offset", HISTORY, 77, -200, 400, 20, "... less this, ...", STOCKFISH),
    _P("stat_bonus_max", HISTORY, 1529, 400, 5000, 160, "... at most, ...", STOCKFISH),
    _P("stat_bonus_tt_move", HISTORY, 353, 0, 1500, 60, "... and this if it is the table's move", STOCKFISH),
    _P("stat_bonus_stat_score", SHARE_1024, 32, 0, 128, 5, "of the histories of the last move, more", STOCKFISH),
    _P("stat_malus_scale", HISTORY, 882, 100, 2000, 90, "the malus of the others: by the depth, ...", STOCKFISH),
    _P("stat_malus_offset", HISTORY, 204, -400, 1000, 50, "... less this, ...", STOCKFISH),
    _P("stat_malus_max", HISTORY, 2122, 400, 6000, 210, "... at most", STOCKFISH),
    _P("quiet_bonus", SHARE_1024, 806, 100, 2048, 80, "of the bonus for quiet moves", STOCKFISH),
    _P("quiet_malus", SHARE_1024, 1113, 100, 2048, 110, "of the malus for quiet moves, ...", STOCKFISH),
    _P("quiet_malus_decay", SHARE_1024, 977, 700, 1024, 16, "... each next one this much of the last", STOCKFISH),
    _P("capture_bonus", SHARE_1024, 1286, 100, 3000, 130, "of the bonus for captures", STOCKFISH),
    _P("capture_malus", SHARE_1024, 1559, 100, 4000, 160, "of the malus for captures", STOCKFISH),
    _P("early_move_malus", SHARE_1024, 616, 0, 2048, 60, "of the malus for a refuted first move", STOCKFISH),
    _P("low_ply_share", SHARE_1024, 761, 0, 2048, 76, "of a bonus near the root", STOCKFISH),
    _P("continuation_share", SHARE_1024, 955, 0, 2048, 95, "of a bonus in the continuation histories", STOCKFISH),
    _P(
        "continuation_weights",
        SHARE_1024,
        (1157, 648, 288, 576, 140, 441),
        0,
        2500,
        90,
        "1 to 6 plies before",
        STOCKFISH,
    ),
    _P("continuation_extra", HISTORY, 88, 0, 300, 9, "added to the first of them", STOCKFISH),
    _P("tt_cut_bonus", HISTORY, (130, 71, 1043), 0, 3000, 100, "a table's cutoff: by depth, less, at most", STOCKFISH),
    _P("tt_cut_malus", HISTORY, 2142, 0, 5000, 210, "of an early move that the table refutes", STOCKFISH),
    _P("fail_low_base", NUMBER, -232, -600, 400, 23, "bonus for the move before a fail low: a share of ...", STOCKFISH),
    _P("fail_low_stat", NUMBER, 108, 20, 400, 11, "... less its histories over this, ...", STOCKFISH),
    _P("fail_low_depth", NUMBER, (59, 454), 0, 1000, 45, "... and by depth, at most, ...", STOCKFISH),
    _P("fail_low_late", NUMBER, 169, 0, 600, 17, "... and this if it came late, ...", STOCKFISH),
    _P(
        "fail_low_eval",
        NUMBER,
        (145, 110, 154, 73),
        0,
        600,
        15,
        "... if far below this static value, or that",
        STOCKFISH,
    ),
    _P("fail_low_bonus", HISTORY, (135, 80, 1400), 0, 4000, 14, "... of this: by depth, less, at most", STOCKFISH),
    _P(
        "fail_low_shares",
        NUMBER,
        (221, 118),
        0,
        1200,
        22,
        "of it, in 1/16384: continuation, main",
        STOCKFISH,
    ),
    _P("fail_low_capture", HISTORY, 1018, 0, 3000, 100, "and for a capture before a fail low", STOCKFISH),
    _P("tt_trust", HISTORY, (805, 787), 0, 3000, 80, "when the table's move was best, or not", STOCKFISH),
    _P(
        "tt_trust_multicut",
        HISTORY,
        (424, 107, 3375),
        0,
        6000,
        40,
        "off at a multicut: base, by depth, at most",
        STOCKFISH,
    ),
    # Move ordering (movepick.py).
    _P("order_capture", NUMBER, 7, 1, 20, 1, "times what a capture takes", STOCKFISH),
    _P(
        "good_capture_see", NUMBER, 18, 6, 100, 2, "a capture may lose its score over this and still be good", STOCKFISH
    ),
    _P("order_main", NUMBER, 2, 0, 6, 1, "times the main history", STOCKFISH),
    _P("order_check", HISTORY, 16384, 0, 40000, 1600, "for a quiet check ...", STOCKFISH),
    _margin("order_check_see", "... that loses no more than this"),
    _P("order_low_ply", NUMBER, 8, 0, 20, 1, "times the history near the root, over 1 + ply", STOCKFISH),
    _P("bad_quiet", HISTORY, 14000, 2000, 40000, 1400, "quiets below minus this come after bad captures", STOCKFISH),
    _P("sorted_moves", MOVES, 32, 4, 200, 8, "later ones are taken unsorted, once all are generated"),
    # Correction histories (history.py).
    _margin("correction_weights", "what an entry corrects at its maximum, by `correction_slots`", CORRECTION_TABLES),
    _margin("continuation_correction_weight", "and by the last two moves"),
    _P("correction_best_move", SHARE_128, 12, 2, 60, 2, "of difference times depth, with a best move", STOCKFISH),
    _P("correction_fail_low", SHARE_128, 17, 2, 60, 2, "and if the search failed low", STOCKFISH),
    _P("correction_bonus_max", NUMBER, 256, 50, 1024, 26, "the most one search teaches, of 1024", STOCKFISH),
    _P("correction_rates", SHARE_1024, (1024,) + (1536,) * (CORRECTION_TABLES - 1), 128, 4096, 128, "by table"),
    # Quiescence.
    _margin("qs_futility", "what a capture in quiescence is assumed to win beside the piece"),
    _margin("qs_see_margin", "the material that a capture in quiescence may lose"),
    _P("qs_moves", MOVES, 2, 1, 20, 1, "after this many, only checks and recaptures", STOCKFISH),
)


def _field(parameter: SearchParameter) -> tuple:
    """Return the dtype field of a parameter."""
    if isinstance(parameter.default, tuple):
        return parameter.name, np.int64, (len(parameter.default),)
    return parameter.name, np.int64


SEARCH_FIELDS = [_field(parameter) for parameter in SEARCH_PARAMETERS]
SEARCH_RANGES = {
    parameter.name: (parameter.least, parameter.most, parameter.step)
    for parameter in SEARCH_PARAMETERS
    if parameter.least is not None and parameter.most is not None
}


def search_defaults(params: np.dtype) -> Any:
    """Return a record of a game's `params` (which begin with SEARCH_FIELDS) with their defaults; all else is zero."""
    record = new_record(params)
    for parameter in SEARCH_PARAMETERS:
        record[parameter.name] = parameter.default
    return record


def params_for(game: Game, evaluation: Evaluation) -> Any:
    """Return the game's default parameters with the evaluation's own numbers. Raises ValueError for an unknown name."""
    params = game.default_params()
    for name, value in evaluation.search_parameters.items():
        if name not in params.dtype.names:
            raise ValueError(f"evaluation {evaluation.name}: there is no parameter {name!r}")
        params[name] = value
    return params


def follow_evaluation(params: Any, before: Any, after: Any) -> None:
    """Change the `params` that are as in `before` to those of `after`: both are from `params_for`; others were set."""
    for name in params.dtype.names:
        if np.array_equal(params[name], before[name]):
            params[name] = after[name]
