"""The tunable parameters of the search, with their names, units, defaults and ranges.

They are the first fields of each game's params record. Every context has a copy, so changing a parameter does not
recompile anything. Each game sets the margins in the unit of its evaluation; the other numbers are the same for all
games. An evaluation can override any of them (`Evaluation.search_parameters`).
Tuning (tools/tuning/spsa.py, tools/tuning/screen.py) and USI (`param.<name>`) access them through
shogi_engine/engine/parameters.py.

The names are the usual ones of Stockfish and YaneuraOu. The numbers come from Stockfish's search
(https://github.com/official-stockfish/Stockfish, development versions of 2025 and 2026) with the formulas around
them; some are rounded. The margins and those marked OWN were found by playing games or are this engine's own.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine.interface.game import CORRECTION_TABLES, Game
from shogi_engine.interface.stubs import Evaluation
from shogi_engine.jit import new_record

STOCKFISH, OWN = "Stockfish", ""

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
    """A parameter of the search: a number or an array of numbers.

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
    source: str = STOCKFISH


def _margin(name: str, meaning: str, count: int = 0, unit: str = VALUE) -> SearchParameter:
    """Return a parameter whose default is set by each game."""
    return SearchParameter(name, unit, (0,) * count if count else 0, None, None, 0, meaning, OWN)


_P = SearchParameter

SEARCH_PARAMETERS: tuple[SearchParameter, ...] = (
    # Aspiration windows (alphabeta.py).
    _margin("aspiration_window", "half the width of the first window, before aspiration_square's term"),
    _P("aspiration_square", NUMBER, 9000, 1000, 1000000, 900, "added: mean squared score over this"),
    _P("aspiration_growth", PERCENT, 133, 110, 600, 15, "growth of the half-width after each failure"),
    _P("aspiration_max", VALUE, 3000, 500, 10000, 500, "above this half-width the full window is searched", OWN),
    _margin("score_noise", "time management ignores smaller changes of the score"),
    # Step 8: adjusting the depth to the outcome of the last reduction.
    _P("hindsight_reduction", PLIES, 3, 1, 6, 1,
       "least reduction after which a node is searched a ply deeper, unless the opponent is worsening"),
    _margin("hindsight_margin", "sum of both static values above which a reduced node is searched a ply less deep"),
    # Step 9: forward pruning by the static evaluation.
    _margin("razor_margin", "razoring: how far below alpha the estimate must be, at depth 0"),
    _margin("razor_depth_margin", "razoring: added to that, times the square of the depth"),
    _margin("rfp_margin", "reverse futility: how far above beta the estimate must be, per ply"),
    _margin("rfp_no_tt", "subtracted from rfp_margin without a table entry"),
    _P("rfp_improving", SHARE_1024, 2686, 0, 4096, 256, "share subtracted if improving"),
    _P("rfp_opponent_worsening", SHARE_1024, 362, 0, 1024, 64, "share subtracted if opponent is worsening"),
    _P("rfp_correction", SHARE_1024, 743, 0, 2048, 100, "share of the correction added"),
    _P("rfp_max_depth", PLIES, 14, 4, 20, 1, "greatest depth for reverse futility"),
    _margin("nmp_margin", "null move: how far the static evaluation may be below beta, at depth 0"),
    _margin("nmp_depth_margin", "null move: added to that, per ply"),
    _margin("nmp_improving", "null move: added to that if improving"),
    _P("nmp_base", PLIES, 7, 2, 10, 1, "reduction of a null move"),
    _P("nmp_depth_divisor", NUMBER, 3, 2, 8, 1, "depth over this is added to that reduction"),
    _P("nmp_verify_depth", PLIES, 16, 8, 30, 1, "least depth at which null moves are verified"),
    _P("iir_min_depth", PLIES, 6, 2, 12, 1, "least depth for internal iterative reductions"),
    # Step 10: ProbCut by captures (Shogi), Multi-ProbCut by shallow searches (Othello).
    _margin("probcut_margin", "how far above beta a shallower search of a capture must be to cut; 0 for no ProbCut"),
    _margin("probcut_improving", "subtracted from that if improving"),
    _P("probcut_min_depth", PLIES, 3, 2, 10, 1, "least depth for ProbCut"),
    _margin("small_probcut_margin", "how far above beta a table bound 4 plies shallower must be to cut; 0 for never"),
    _margin("multi_probcut_margin", "margin of Multi-ProbCut, share of `probcut`'s spread; 0 for none", unit=PERCENT),
    # Step 12: pruning at shallow depth.
    _margin("lmp_base", "late move pruning: moves searched at depth 0", unit=MOVES),
    _P("lmp_depth_scale", SHARE_1024, 1024, 256, 4096, 128, "moves added, times the square of the depth"),
    _P("lmp_not_improving", SHARE_1024, 512, 128, 1024, 64, "share of these searched if not improving"),
    _margin("futility_margin", "quiet moves: assumed gain per remaining ply after reductions"),
    _margin("futility_base", "quiet moves: assumed gain without remaining plies"),
    _margin("futility_no_best", "added to it while no move has raised alpha"),
    _margin("futility_above", "added to it if the static evaluation is above alpha"),
    _P("futility_max_depth", PLIES, 12, 4, 20, 1, "most remaining plies for futility pruning"),
    _P("history_pruning_margin", HISTORY, 4097, 1000, 16000, 410, "quiet moves below minus this are pruned, per ply"),
    _P("history_main_share", SHARE_1024, 2272, 0, 6000, 230, "share of the main history added to it"),
    _P("history_ply", HISTORY, 3220, 500, 12000, 320, "amount of history that counts as one ply in pruning"),
    _margin("see_capture_margin", "material that a capture may lose, per ply of depth"),
    _margin("see_quiet_margin", "material that a quiet move may lose, times the square of the remaining plies"),
    _P("see_capture_history", SHARE_1024, 34, 0, 200, 5, "share of the capture history added to that"),
    _margin("capture_futility_base", "captures: assumed gain in addition to the captured piece"),
    _margin("capture_futility_margin", "captures: added to that, per remaining ply after reductions"),
    _P("capture_futility_history", SHARE_1024, 131, 0, 500, 14, "share of the capture history added"),
    _P("capture_futility_max_depth", PLIES, 7, 2, 12, 1, "first number of remaining plies without it"),
    # Step 13: singular extensions.
    _P("singular_min_depth", PLIES, 6, 3, 30, 1, "least depth for singular extensions"),
    _P("singular_tt_depth", PLIES, 3, 1, 6, 1, "how much shallower than the node the table's entry may be"),
    _margin("singular_margin", "how far below the table's value all other moves must be, per 55 plies"),
    _margin("singular_tt_pv", "added to that at tt_pv nodes that are not PV nodes"),
    _margin("double_margin", "further distance for an extension of two plies"),
    _margin("double_pv", "added to double_margin at PV nodes"),
    _margin("double_quiet", "subtracted from double_margin if the table's move is quiet"),
    _margin("triple_margin", "further distance for an extension of three plies"),
    _margin("triple_pv", "added to triple_margin at PV nodes"),
    _margin("triple_quiet", "subtracted from triple_margin if the table's move is quiet"),
    _margin("triple_tt_pv", "added to triple_margin at tt_pv nodes"),
    _P("singular_correction", SHARE_1024, 637, 0, 2048, 64, "share of the correction subtracted from both"),
    _P("singular_trust", SHARE_1024, 8, 0, 64, 2, "share of the trust in table moves, off double_margin"),
    _margin("singular_deep", "subtracted from both margins at plies beyond the iteration's depth"),
    _P("negative_extension", PLIES, 3, 0, 4, 1, "plies less if not singular, table value at least beta"),
    _P("negative_extension_cut", PLIES, 2, 0, 4, 1, "plies less if not singular, other cut nodes"),
    # Step 14: late move reductions.
    _P("lmr_log_scale", PLY_1024, 466, 200, 1000, 30, "factor of ln(depth) ln(move count)"),
    _P("lmr_base", PLY_1024, 1133, -1000, 3000, 130, "added to that product"),
    _P("lmr_worsening", SHARE_1024, 412, 0, 1024, 40, "share of that product added if not improving"),
    _P("lmr_window", PLY_1024, 585, 0, 2000, 60, "subtracted, times the window over that at the root"),
    _P("lmr_tt_pv_pruning", PLY_1024, 1013, 0, 3000, 100, "added at tt_pv nodes, before pruning"),
    _P("lmr_tt_pv", PLY_1024, 2819, 0, 6000, 280, "subtracted at tt_pv nodes"),
    _P("lmr_tt_pv_open", PLY_1024, 973, 0, 3000, 100, "also subtracted at PV nodes"),
    _P("lmr_tt_pv_value", PLY_1024, 905, 0, 3000, 90, "also subtracted if the table value is above alpha"),
    _P("lmr_tt_pv_depth", PLY_1024, 935, 0, 3000, 90, "also subtracted if the table entry is deep enough"),
    _P("lmr_tt_pv_cut", PLY_1024, 959, 0, 3000, 90, "also subtracted then at cut nodes"),
    _P("lmr_adjust", PLY_1024, 691, -1000, 3000, 110, "added after pruning"),
    _P("lmr_move_count", PLY_1024, 65, 0, 200, 10, "subtracted, times the move count"),
    _P("lmr_correction", PLY_1024, 5, 0, 20, 1, "subtracted, times the correction"),
    _P("lmr_cut_node", PLY_1024, 3611, 0, 6000, 300, "added at cut nodes"),
    _P("lmr_cut_node_no_tt", PLY_1024, 985, -500, 3000, 200, "also added at cut nodes without a table move"),
    _P("lmr_tt_capture", PLY_1024, 1054, 0, 3000, 105, "added if the table's move is a capture"),
    _P("lmr_cutoffs", PLY_1024, (251, 1124, 1042), 0, 3000, 100,
       "added after 2 cutoffs at the next ply; after 3; after 2 at all nodes"),
    _P("lmr_tt_move", PLY_1024, 2239, 0, 6000, 220, "subtracted for the table's move"),
    _P("lmr_all_node", NUMBER, 273, 0, 800, 40, "at all nodes: reduction added, times this over ..."),
    _P("lmr_all_node_offset", NUMBER, 260, 0, 1000, 50, "... 256 per ply of depth plus this"),
    _P("lmr_history", SHARE_1024, 107, 0, 300, 12, "subtracted, times the histories, in 1/1024 plies"),
    _P("lmr_capture_value", SHARE_128, 863, 0, 2000, 86, "share of a captured piece counted as history"),
    _P("lmr_longest", PLIES, 2, 0, 3, 1, "most plies by which a negative reduction extends the search"),
    _P("lmr_research_bonus", HISTORY, 1426, 0, 4000, 140, "bonus for beating alpha in the reduced search"),
    _margin("lmr_deeper", "search again a ply deeper if better than the best move by more than this"),
    _margin("lmr_shallower", "search again a ply less deep if not better by at least this"),
    _P("scout_no_tt", PLY_1024, 1057, 0, 3000, 105, "unreduced moves: added without a table move"),
    _P("scout_reduction", PLY_1024, (4628, 5772), 1000, 20000, 460,
       "unreduced moves: a ply less above the first, two above the second"),
    _P("raised_alpha", PLIES, 2, 0, 4, 1, "plies less for the remaining moves after one has raised alpha"),
    # Histories (history.py): a bonus for the move that caused the cutoff, a malus for the moves searched before it.
    _P("eval_history", SHARE_128, 1280, 0, 4000, 128,
       "share of a quiet move's effect on the static evaluation, in the main history"),
    _P("eval_history_range", VALUE, (-214, 171, 60), -500, 500, 20, "least and greatest effect; added to it"),
    _P("stat_bonus_scale", HISTORY, 128, 30, 400, 14, "bonus of the best move: per ply of depth"),
    _P("stat_bonus_offset", HISTORY, 77, -200, 400, 20, "bonus of the best move: subtracted"),
    _P("stat_bonus_max", HISTORY, 1529, 400, 5000, 160, "bonus of the best move: most"),
    _P("stat_bonus_tt_move", HISTORY, 353, 0, 1500, 60, "best move: added if it is the table's move"),
    _P("stat_bonus_stat_score", SHARE_1024, 32, 0, 128, 5, "share of the last move's histories added"),
    _P("stat_malus_scale", HISTORY, 882, 100, 2000, 90, "malus of the other moves: per ply of depth"),
    _P("stat_malus_offset", HISTORY, 204, -400, 1000, 50, "malus of the other moves: subtracted"),
    _P("stat_malus_max", HISTORY, 2122, 400, 6000, 210, "malus of the other moves: most"),
    _P("quiet_bonus", SHARE_1024, 806, 100, 2048, 80, "share of the bonus for quiet moves"),
    _P("quiet_malus", SHARE_1024, 1113, 100, 2048, 110, "share of the malus for quiet moves"),
    _P("quiet_malus_decay", SHARE_1024, 977, 700, 1024, 16, "factor from one quiet malus to the next"),
    _P("capture_bonus", SHARE_1024, 1286, 100, 3000, 130, "share of the bonus for captures"),
    _P("capture_malus", SHARE_1024, 1559, 100, 4000, 160, "share of the malus for captures"),
    _P("early_move_malus", SHARE_1024, 616, 0, 2048, 60, "share of the malus for a last move tried first"),
    _P("low_ply_share", SHARE_1024, 761, 0, 2048, 76, "share of a bonus in the history near the root"),
    _P("continuation_share", SHARE_1024, 955, 0, 2048, 95, "share of a bonus in the continuation histories"),
    _P("continuation_weights", SHARE_1024, (1157, 648, 288, 576, 140, 441), 0, 2500, 90,
       "weights of the moves 1 to 6 plies before"),
    _P("continuation_extra", HISTORY, 88, 0, 300, 9, "added for the move 1 ply before"),
    _P("tt_cut_bonus", HISTORY, (130, 71, 1043), 0, 3000, 100, "table move that cuts: per ply, less, most"),
    _P("tt_cut_malus", HISTORY, 2142, 0, 5000, 210, "malus of an early last move that the table refutes"),
    _P("fail_low_base", NUMBER, -232, -600, 400, 23, "scale of a fail low's bonus for the last move"),
    _P("fail_low_stat", NUMBER, 108, 20, 400, 11, "histories over this, subtracted from the scale"),
    _P("fail_low_depth", NUMBER, (59, 454), 0, 1000, 45, "added to the scale: per ply of depth, most"),
    _P("fail_low_late", NUMBER, 169, 0, 600, 17, "added to the scale if the move was late"),
    _P("fail_low_eval", NUMBER, (145, 110, 154, 73), 0, 600, 15,
       "added to the scale if the value is this far below a static value: own, opponent's"),
    _P("fail_low_bonus", HISTORY, (135, 80, 1400), 0, 4000, 14, "times the scale: per ply, less, most"),
    _P("fail_low_shares", NUMBER, (221, 118), 0, 1200, 22,
       "shares of the product in 1/16384: continuation, main history"),
    _P("fail_low_capture", HISTORY, 1018, 0, 3000, 100, "bonus of a last move that is a capture"),
    _P("tt_trust", HISTORY, (805, 787), 0, 3000, 80, "added if the table's move was best; else subtracted"),
    _P("tt_trust_multicut", HISTORY, (424, 107, 3375), 0, 6000, 40,
       "subtracted at a multicut: base, per ply of depth, most"),
    # Move ordering (movepick.py).
    _P("order_capture", NUMBER, 7, 1, 20, 1, "factor of the captured piece's value"),
    _P("good_capture_see", NUMBER, 18, 6, 100, 2, "a good capture loses at most its score over this"),
    _P("order_main", NUMBER, 2, 0, 6, 1, "factor of the main history"),
    _P("order_check", HISTORY, 16384, 0, 40000, 1600, "added for quiet checks"),
    _margin("order_check_see", "material that such a check may lose"),
    _P("order_low_ply", NUMBER, 8, 0, 20, 1, "factor of the history near the root, divided by 1 + ply"),
    _P("bad_quiet", HISTORY, 14000, 2000, 40000, 1400, "quiet moves below minus this follow bad captures"),
    _P("sorted_moves", MOVES, 32, 4, 200, 8, "number of moves that are sorted once all have been generated", OWN),
    # Correction histories (history.py).
    _margin("correction_weights", "largest correction, for each of `correction_slots`", CORRECTION_TABLES),
    _margin("continuation_correction_weight", "largest correction by the last two moves"),
    _P("correction_best_move", SHARE_128, 12, 2, 60, 2, "share of difference times depth, with a best move"),
    _P("correction_fail_low", SHARE_128, 17, 2, 60, 2, "share of difference times depth, after a fail low"),
    _P("correction_bonus_max", NUMBER, 256, 50, 1024, 26, "largest change of an entry; its maximum is 1024"),
    _P("correction_rates", SHARE_1024, (1024,) + (1536,) * (CORRECTION_TABLES - 1), 128, 4096, 128,
       "share by table", OWN),
    # Quiescence.
    _margin("qs_futility", "assumed gain of a capture in addition to the captured piece"),
    _margin("qs_see_margin", "material that a capture may lose"),
    _P("qs_moves", MOVES, 2, 1, 20, 1, "after this many moves, only checks and recaptures are searched"),
)  # fmt: skip


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
    """Return a record of a game's `params` with the defaults of SEARCH_FIELDS; all other fields are zero."""
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
    """Change `params` from the defaults of one evaluation to those of another; values that were set by hand stay.

    Args:
        before, after: the defaults, as returned by `params_for`
    """
    for name in params.dtype.names:
        if np.array_equal(params[name], before[name]):
            params[name] = after[name]
