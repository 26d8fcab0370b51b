"""Histories: what the search learns about quiet moves and about static evaluations while it runs.

* Butterfly-style main history of quiet moves, by `history_slot`.
* Continuation histories: how a quiet move did after the moves 1, 2 and 4 plies before it
  (https://www.chessprogramming.org/History_Heuristic#Continuation_History).
* Correction histories: by how much searches disagreed with the static evaluation, by parts of the position
  (`correction_slots`) and by the last two moves (https://www.chessprogramming.org/Static_Evaluation_Correction_History).

All are int16 tables with the usual gravity update. The formulas and most numbers follow Stockfish
(https://github.com/official-stockfish/Stockfish); search/parameters.py marks the numbers that are its own.
"""

from typing import Any

import numpy as np

from shogi_engine.game import (
    CORRECTION_SLOTS,
    CORRECTION_TABLES,
    HISTORY_SLOTS,
    MOVE_NONE,
    Game,
    continuation_slot,
    correction_slots,
    history_slot,
    is_in_check,
    is_legal_tt_move,
    is_quiet,
)
from shogi_engine.jit import njit, python_record_at, record_at, record_dtype

LOOK_BACK = 4  # plies before a move that its continuation histories look at
HISTORY_MAX = 16384
CONTINUATION_MAX = 30000
CORRECTION_MAX = 1024

_dtypes: dict[str, np.dtype] = {}
_scratch: dict[str, "Histories"] = {}


def histories_dtype(game: Game) -> np.dtype:
    """Return the dtype of `game`'s history tables.

    The last row and column of the continuation tables stand for "no move": nothing is ever stored there.
    """
    if game.name not in _dtypes:
        moves = game.continuation_slots + 1
        _dtypes[game.name] = record_dtype(
            [
                ("main", np.int16, (HISTORY_SLOTS,)),
                ("continuation", np.int16, (moves, moves)),  # [continuation_slot of the earlier move, of this one]
                ("corrections", np.int16, (CORRECTION_TABLES, CORRECTION_SLOTS)),
                ("continuation_corrections", np.int16, (moves, moves)),  # [move before last, last move]
                *game.histories,  # its own kernels'
            ]
        )
    return _dtypes[game.name]


class Histories:
    """The memory of one thread's history tables; contexts know its address only, so it must outlive them."""

    def __init__(self, game: Game) -> None:
        self._memory = np.zeros(1, dtype=histories_dtype(game))  # large and zeroed: pages are real once written to
        self.tables: Any = self._memory.view(np.recarray)[0]

    @property
    def address(self) -> int:
        """Where the tables lie."""
        return self._memory.ctypes.data

    def clear(self) -> None:
        """Forget everything."""
        for name in self._memory.dtype.names:
            self._memory[name] = 0


def scratch_histories(game: Game) -> Histories:
    """Return the tables shared by all contexts that were given none of their own, so that no address is ever 0.

    Listing moves or evaluating never touches them; their memory is real only once somebody searches in such a context.
    """
    if game.name not in _scratch:
        _scratch[game.name] = Histories(game)
    return _scratch[game.name]


def forget(ctx: Any) -> None:
    """Clear the killers and the histories that `ctx` uses."""
    np.asarray(ctx)["killers"] = 0
    tables = python_record_at(ctx, ctx.histories)
    for name in tables.dtype.names:
        tables[name] = 0


# ---- reading -----------------------------------------------------------------------------------------------------


@njit
def move_history(ctx, move):
    """Return the main history of a quiet `move`, within +-HISTORY_MAX."""
    return int(record_at(ctx, ctx.histories).main[history_slot(ctx.pos, move)])


@njit
def continuation_row(ctx, ply, plies):
    """Return the continuation slot of the move made `plies` before the one at `ply`."""
    return int(ctx.continuation_rows[LOOK_BACK + ply - plies])


@njit
def no_move_row(ctx):
    """Return the continuation row that stands for "no move": before the root, and after a null move."""
    return record_at(ctx, ctx.histories).continuation.shape[0] - 1


@njit
def continuation_score(ctx, move):
    """Return the continuation history of a quiet `move` after the last two moves, within +-2 CONTINUATION_MAX."""
    slot = continuation_slot(ctx.pos, move)
    if slot < 0:
        return 0
    tables = record_at(ctx, ctx.histories)
    last, before_last = continuation_row(ctx, ctx.ply, 1), continuation_row(ctx, ctx.ply, 2)
    return int(tables.continuation[last, slot]) + int(tables.continuation[before_last, slot])


@njit
def correct_static_eval(ctx, value):
    """Return the static evaluation `value` of ctx.pos, corrected by the correction histories."""
    tables = record_at(ctx, ctx.histories)
    slots = correction_slots(ctx)
    total = 0
    for table in range(CORRECTION_TABLES):
        total += int(ctx.params.correction_weights[table]) * int(tables.corrections[table, slots[table]])
    if ctx.ply > 0:
        row, last = continuation_row(ctx, ctx.ply, 2), continuation_row(ctx, ctx.ply, 1)
        weight = int(ctx.params.continuation_correction_weight)
        total += weight * int(tables.continuation_corrections[row, last])
    return value + total // CORRECTION_MAX


# ---- updates -----------------------------------------------------------------------------------------------------


@njit
def gravity(value, bonus, limit):
    """Return the history entry `value` updated by `bonus`; the closer it is to +-limit, the less it moves."""
    bonus = min(max(bonus, -limit), limit)
    return np.int16(value + bonus - value * abs(bonus) // limit)


@njit
def update_main_history(ctx, move, bonus):
    """Update the main history of a quiet `move` by `bonus`."""
    tables = record_at(ctx, ctx.histories)
    slot = int(history_slot(ctx.pos, move))
    tables.main[slot] = gravity(int(tables.main[slot]), bonus, HISTORY_MAX)


@njit
def update_continuation_histories(ctx, ply, slot, bonus, in_check):
    """Update the continuation histories of the move with `slot` at `ply` by weighted shares of `bonus`."""
    if slot < 0:
        return
    tables = record_at(ctx, ctx.histories)
    for place in range(3):
        plies = 1 << place
        row = continuation_row(ctx, ply, plies)
        if row == no_move_row(ctx) or in_check and plies > 2:
            continue
        share = bonus * int(ctx.params.continuation_weights[place]) // 1024
        tables.continuation[row, slot] = gravity(int(tables.continuation[row, slot]), share, CONTINUATION_MAX)


@njit
def update_quiet_stats(ctx, start, index, depth):
    """Reward the quiet move ctx.moves[index] that caused a cutoff; punish the quiet moves searched before it."""
    move = ctx.moves[index]
    params = ctx.params
    bonus = depth * depth * int(params.main_history_square) + depth * int(params.main_history_depth)
    bonus = min(bonus, int(params.main_history_max))
    if ctx.killers[ctx.ply, 0] != move:
        ctx.killers[ctx.ply, 1] = ctx.killers[ctx.ply, 0]
        ctx.killers[ctx.ply, 0] = move
    update_main_history(ctx, move, bonus)
    for other in range(start, index):
        if is_quiet(ctx.pos, ctx.moves[other]):
            update_main_history(ctx, ctx.moves[other], -bonus)


@njit
def stat_bonus(params, depth):
    """Return the history bonus of a cutoff at `depth`."""
    return min(int(params.stat_bonus_scale) * depth - int(params.stat_bonus_offset), int(params.stat_bonus_max))


@njit
def update_tt_move_stats(ctx, tt_move, depth):
    """Reward a quiet move of the transposition table whose entry caused a cutoff."""
    if tt_move != MOVE_NONE and is_legal_tt_move(ctx.pos, tt_move) and is_quiet(ctx.pos, tt_move):
        bonus = stat_bonus(ctx.params, depth)
        update_main_history(ctx, tt_move, bonus)
        slot = continuation_slot(ctx.pos, tt_move)
        update_continuation_histories(ctx, ctx.ply, slot, bonus, is_in_check(ctx.pos))


@njit
def update_continuation_stats(ctx, start, end, best_move, depth, tt_move):
    """Update the continuation histories of ctx.moves[start:end]: up for the quiet `best_move`, down for other quiets.

    The bonus grows with the histories of the opponent's last move: refuting a move that looked good says more.
    """
    params = ctx.params
    in_check = is_in_check(ctx.pos)
    bonus = stat_bonus(params, depth) + (int(params.stat_bonus_tt_move) if best_move == tt_move else 0)
    if ctx.ply > 0:
        bonus += int(ctx.stat_scores[ctx.ply - 1]) * int(params.stat_bonus_stat_score) // 1024
    malus = min(int(params.stat_malus_scale) * depth - int(params.stat_malus_offset), int(params.stat_malus_max))
    bonus = bonus * int(params.stat_bonus_share) // 1024
    update_continuation_histories(ctx, ctx.ply, continuation_slot(ctx.pos, best_move), bonus, in_check)
    for other in range(start, end):
        move = ctx.moves[other]
        if move != best_move and is_quiet(ctx.pos, move):
            update_continuation_histories(ctx, ctx.ply, continuation_slot(ctx.pos, move), -malus, in_check)
            malus = malus * int(params.stat_malus_decay) // 1024


@njit
def update_correction_histories(ctx, difference, depth, has_best_move):
    """Learn that a search of `depth` plies disagreed with the corrected static evaluation by `difference`.

    has_best_move : the search raised alpha; otherwise it failed low.
    """
    params = ctx.params
    limit = int(params.correction_bonus_max)
    rate = int(params.correction_best_move) if has_best_move else int(params.correction_fail_low)
    step = min(max(difference * depth * rate // 128, -limit), limit)
    tables = record_at(ctx, ctx.histories)
    slots = correction_slots(ctx)
    for table in range(CORRECTION_TABLES):
        slot, bonus = slots[table], step * int(params.correction_rates[table]) // 1024
        tables.corrections[table, slot] = gravity(int(tables.corrections[table, slot]), bonus, CORRECTION_MAX)
    row, last = continuation_row(ctx, ctx.ply, 2), continuation_row(ctx, ctx.ply, 1)
    if row != no_move_row(ctx) and last != no_move_row(ctx):
        known = int(tables.continuation_corrections[row, last])
        tables.continuation_corrections[row, last] = gravity(known, step, CORRECTION_MAX)
