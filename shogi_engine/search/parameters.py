"""Every number the search was tuned with: its name, unit, default and range, one line each.

They are the first fields of each game's params record, of which every context holds a copy, so that changing one
recompiles nothing. Margins in the unit of the evaluation are set by each game; the rest is the same for all games.
Tuning (tools/tuning/spsa.py, tools/tuning/screen.py) and USI (`param.<name>`) reach them through
shogi_engine/parameters.py.

The names are the usual ones of Stockfish and YaneuraOu. Numbers marked STOCKFISH were taken over from its search
(https://github.com/official-stockfish/Stockfish, development versions of 2025 and 2026), some of them rounded, with the
formulas they stand in; the others were found by games or are this engine's own.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine.game import CORRECTION_TABLES
from shogi_engine.jit import new_record

STOCKFISH = "Stockfish"

# Units.
VALUE = "value"  # the game's unit: the game sets it, and tuning ranges by what it set
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
    """A number of the search, or an array. least, most : None if they follow from the game's default (`tunable`)."""

    name: str
    unit: str
    default: int | tuple[int, ...]
    least: int | None
    most: int | None
    step: int
    meaning: str
    source: str = ""


def _margin(name: str, meaning: str, count: int = 0, unit: str = VALUE) -> SearchParameter:
    """Return a parameter whose default each game sets itself."""
    return SearchParameter(name, unit, (0,) * count if count else 0, None, None, 0, meaning)


_P = SearchParameter

SEARCH_PARAMETERS: tuple[SearchParameter, ...] = (
    # Aspiration windows (root.py).
    _margin("aspiration_window", "half the first window around the last score"),
    _P("aspiration_min_depth", PLIES, 4, 1, 10, 1, "shallower searches have the full window"),
    _P("aspiration_growth", PERCENT, 300, 120, 600, 30, "of the last window: the next one after a fail high or low"),
    _P("aspiration_max", VALUE, 3000, 500, 10000, 500, "a wider window becomes the full one"),
    _P("easy_move_margin", NUMBER, 8, 2, 20, 1, "in windows: a move better than all others by this is easy"),
    # Step 9: forward pruning by the static evaluation.
    _margin("razor_margin", "a position so far below alpha, and ..."),
    _margin("razor_depth_margin", "... this much more by the square of the depth, goes straight to quiescence"),
    _margin("rfp_margin", "reverse futility, per ply: what a position above beta is assumed not to lose"),
    _P("rfp_improving", PLY_1024, 2048, 0, 4096, 256, "of rfp_margin, less if improving"),
    _P("rfp_opponent_worsening", SHARE_1024, 342, 0, 1024, 64, "of rfp_margin, less if the opponent is worsening"),
    _P("rfp_max_depth", PLIES, 14, 4, 20, 1, "deeper, reverse futility is not tried", STOCKFISH),
    _P("rfp_value_divisor", NUMBER, 3, 1, 8, 1, "of the surplus over beta, the part of it that is returned", STOCKFISH),
    _P("nmp_min_depth", PLIES, 2, 1, 6, 1, "shallower, no null move is tried"),
    _P("nmp_base", PLIES, 7, 2, 10, 1, "reduction of a null move, ...", STOCKFISH),
    _P("nmp_depth_divisor", NUMBER, 3, 2, 8, 1, "... one ply more for each this many plies of depth, ...", STOCKFISH),
    _margin("nmp_eval_divisor", "... and one more for each this much above beta, ..."),
    _P("nmp_eval_max", PLIES, 3, 0, 8, 1, "... at most this many"),
    _margin("probcut_selectivity", "of `probcut`'s spread: margin of a shallow search; 0: none", unit=PERCENT),
    _P("probcut_min_depth", PLIES, 3, 2, 10, 1, "shallower, ProbCut is not tried"),
    _P("iir_min_depth", PLIES, 6, 2, 12, 1, "shallower, there is no internal iterative reduction", STOCKFISH),
    # Step 12: pruning at shallow depth.
    _margin("lmp_base", "late move pruning: this plus the square of the depth many moves are searched", unit=MOVES),
    _P("lmp_depth_scale", SHARE_1024, 1024, 256, 4096, 128, "of the square of the depth", STOCKFISH),
    _P("lmp_not_improving", SHARE_1024, 512, 128, 1024, 64, "of that number, unless improving", STOCKFISH),
    _margin("futility_margin", "per ply left after reductions: what a quiet move is assumed not to win"),
    _margin("futility_base", "with this added"),
    _margin("futility_no_best", "and this, as long as no move has raised alpha"),
    _P("futility_max_depth", PLIES, 12, 4, 20, 1, "with more plies left, there is no futility pruning", STOCKFISH),
    _P("history_pruning_margin", HISTORY, 5500, 1000, 16000, 550, "per ply: quiet moves below minus this are pruned"),
    _P("history_ply", HISTORY, 3220, 500, 12000, 320, "this much history counts as one ply in pruning", STOCKFISH),
    _margin("see_capture_margin", "per ply of depth: the material that a capture may lose and still be searched"),
    _margin("see_quiet_margin", "by the square of the plies left after reductions: the same for a quiet move"),
    _margin("capture_futility_base", "what a capture is assumed to win beside its exchange, ..."),
    _margin("capture_futility_margin", "... and this for each ply left after reductions"),
    _P("capture_futility_max_depth", PLIES, 7, 2, 12, 1, "with this many plies left, none", STOCKFISH),
    # Step 13: late move reductions.
    _P("lmr_min_depth", PLIES, 2, 1, 5, 1, "shallower, nothing is reduced", STOCKFISH),
    _P("lmr_log_scale", SHARE_1024, 1024, 400, 2000, 60, "of 0.49 ln(depth) ln(move count) plies"),
    _P("lmr_base", PLY_1024, 1133, -1000, 3000, 130, "added to that", STOCKFISH),
    _P("lmr_worsening", SHARE_1024, 206, 0, 1024, 40, "more of that product, unless improving", STOCKFISH),
    _P("lmr_adjust", PLY_1024, 691, -1000, 3000, 110, "more, after pruning", STOCKFISH),
    _P("lmr_move_count", PLY_1024, 65, 0, 200, 10, "less, times the move count", STOCKFISH),
    _P("lmr_pv", PLY_1024, 3800, 0, 6000, 300, "less at principal variation nodes"),
    _P("lmr_cut_node", PLY_1024, 3600, 0, 6000, 300, "more at expected cut nodes", STOCKFISH),
    _P("lmr_cut_node_no_tt", PLY_1024, 985, -500, 3000, 200, "and this without a table move", STOCKFISH),
    _P("lmr_all_node", NUMBER, 273, 0, 800, 40, "more at all nodes: of the reduction, by this over ...", STOCKFISH),
    _P("lmr_all_node_offset", NUMBER, 260, 0, 1000, 50, "... 256 for each ply of depth and this", STOCKFISH),
    _P("lmr_history", SHARE_1024, 107, 0, 300, 12, "of the histories, in 1/1024 plies, less", STOCKFISH),
    _P("lmr_research_bonus", HISTORY, 1426, 0, 4000, 140, "to moves that beat alpha in the re-search too", STOCKFISH),
    # Histories (history.py): a bonus for the move that caused the cutoff, a malus for those before it.
    _P("main_history_square", HISTORY, 16, 0, 64, 2, "by the square of the depth, and ..."),
    _P("main_history_depth", HISTORY, 32, -100, 300, 16, "... by the depth, ..."),
    _P("main_history_max", HISTORY, 2048, 500, 8000, 200, "... at most"),
    _P("stat_bonus_scale", HISTORY, 128, 30, 400, 14, "continuation histories: by the depth, ...", STOCKFISH),
    _P("stat_bonus_offset", HISTORY, 77, -200, 400, 20, "... less this, ...", STOCKFISH),
    _P("stat_bonus_max", HISTORY, 1529, 400, 5000, 160, "... at most, ...", STOCKFISH),
    _P("stat_bonus_tt_move", HISTORY, 353, 0, 1500, 60, "... and this if it is the table's move", STOCKFISH),
    _P("stat_bonus_stat_score", SHARE_1024, 32, 0, 128, 5, "of the histories of the last move, more", STOCKFISH),
    _P("stat_bonus_share", SHARE_1024, 768, 100, 2048, 80, "of all that for the best move"),
    _P("stat_malus_scale", HISTORY, 882, 100, 2000, 90, "the malus of the others: by the depth, ...", STOCKFISH),
    _P("stat_malus_offset", HISTORY, 204, -400, 1000, 50, "... less this, ...", STOCKFISH),
    _P("stat_malus_max", HISTORY, 2122, 400, 6000, 210, "... at most; ...", STOCKFISH),
    _P("stat_malus_decay", SHARE_1024, 976, 700, 1024, 16, "... each next one this much of the last"),
    _P("continuation_weights", SHARE_1024, (1157, 648, 576), 0, 2500, 90, "1, 2 and 4 plies before", STOCKFISH),
    _P("sorted_moves", MOVES, 32, 4, 200, 8, "later ones are taken unsorted, once all are generated"),
    # Correction histories (history.py).
    _margin("correction_weights", "what an entry corrects at its maximum, by `correction_slots`", CORRECTION_TABLES),
    _margin("continuation_correction_weight", "and by the last two moves"),
    _margin("correction_skip_margin", "an evaluation this far above beta is not corrected in quiescence"),
    _P("correction_best_move", SHARE_128, 12, 2, 60, 2, "of difference times depth, with a best move", STOCKFISH),
    _P("correction_fail_low", SHARE_128, 17, 2, 60, 2, "and if the search failed low", STOCKFISH),
    _P("correction_bonus_max", NUMBER, 256, 50, 1024, 26, "the most one search teaches, of 1024", STOCKFISH),
    _P("correction_rates", SHARE_1024, (1024,) + (1536,) * (CORRECTION_TABLES - 1), 128, 4096, 128, "by table"),
    # Quiescence.
    _margin("delta_margin", "what a capture in quiescence is assumed to win beside its exchange"),
    _P("qs_evasions", MOVES, 3, 1, 20, 1, "after this many evasions, quiet ones are not searched"),
)


def _field(parameter: SearchParameter) -> tuple:
    """Return a parameter's field of a dtype."""
    if isinstance(parameter.default, tuple):
        return parameter.name, np.int32, (len(parameter.default),)
    return parameter.name, np.int32


SEARCH_FIELDS = [_field(parameter) for parameter in SEARCH_PARAMETERS]
SEARCH_RANGES = {
    parameter.name: (parameter.least, parameter.most, parameter.step)
    for parameter in SEARCH_PARAMETERS
    if parameter.least is not None and parameter.most is not None
}


def search_defaults(params: np.dtype) -> Any:
    """Return a record of a game's `params`, which begin with SEARCH_FIELDS, with the defaults; all else is zero."""
    record = new_record(params)
    for parameter in SEARCH_PARAMETERS:
        record[parameter.name] = parameter.default
    return record
