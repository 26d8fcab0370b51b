"""Histories: statistics about moves and static evaluations that the search collects and uses while it runs.

* The main history of quiet moves, by `history_slot`. Near the root there is also one for each ply.
* The capture history, by `capture_slot`.
* The continuation histories of quiet moves, by each of the moves 1 to 6 plies before, with separate rows for check
  evasions and captures (https://www.chessprogramming.org/History_Heuristic#Continuation_History).
* The trust in the table's moves: how often they were best.
* The correction histories: how far searches differed from the static evaluation, by parts of the position
  (`correction_slots`) and by the last two moves
  (https://www.chessprogramming.org/Static_Evaluation_Correction_History).

The threads of a search share the continuation and correction histories (`SharedHistories`): they are large, and all
threads need what one of them has learned. They write them without locks, because a lost update does no harm.

All are int16 tables with the usual gravity update. The formulas and most numbers follow Stockfish
(https://github.com/official-stockfish/Stockfish); search/parameters.py marks these numbers.
"""

from typing import Any

import numpy as np

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import (
    CAPTURE_SLOTS,
    CORRECTION_SLOTS,
    CORRECTION_TABLES,
    HISTORY_SLOTS,
    MOVE_NONE,
    VALUE_MAX,
    VALUE_NONE,
    Game,
)
from shogi_engine.jit import njit, points_to, prefetch, record_at, record_dtype

BEFORE_ROOT = 7  # ctx.frames[BEFORE_ROOT + ply]; the frames before the root's mean "no move"
LOW_PLIES = 5
LOW_PLY_CHANGES = 4096  # changes of `low_ply` that are listed; after more, the whole table is cleared
CACHE_LINE = 64  # bytes
CONTINUATIONS = 6  # number of earlier plies with a continuation history
MAIN_MAX = 7183
CAPTURE_MAX = 10692
CONTINUATION_MAX = 30000
CORRECTION_MAX = 1024
TRUST_MAX = 8192

# The initial values of the tables; all others start at zero.
LOW_PLY_START = 98
START_VALUES = {"low_ply": LOW_PLY_START, "captures": -678, "continuation": -523, "continuation_corrections": 6}

_dtypes: dict[tuple, np.dtype] = {}  # by the properties of a game that they depend on
_scratch: dict[np.dtype, "Histories"] = {}


def continuation_rows(game: Game) -> int:
    """Return the number of rows of the continuation histories; the last one means "no move" and is never written."""
    return 4 * game.continuation_slots + 1


def shared_dtype(game: Game) -> np.dtype:
    """Return the dtype of the history tables of `game` that threads share."""
    layout = (game.continuation_slots,)
    if layout not in _dtypes:
        moves = game.continuation_slots + 1
        _dtypes[layout] = record_dtype(
            [
                ("continuation", np.int16, (continuation_rows(game), moves)),  # [continuation_row, continuation_slot]
                ("corrections", np.int16, (CORRECTION_TABLES, CORRECTION_SLOTS)),
                ("continuation_corrections", np.int16, (moves, moves)),  # [move before last, last move]
            ]
        )
    return _dtypes[layout]


def histories_dtype(game: Game) -> np.dtype:
    """Return the dtype of a thread's history tables."""
    layout = game.continuation_slots, game.thread_tables
    if layout not in _dtypes:
        dtype = record_dtype(
            [
                ("shared", np.uint64),  # the address of SharedHistories, ...
                # ... whose layout depends on the game. So must this one's (see points_to); the field takes no memory.
                ("layout", np.int16, (0, game.continuation_slots + 1)),
                ("main", np.int16, (HISTORY_SLOTS,)),
                ("low_ply", np.int16, (LOW_PLIES, HISTORY_SLOTS)),
                ("low_ply_changes", np.int64),  # since the last clearing, ...
                ("low_ply_changed", np.int32, (LOW_PLY_CHANGES,)),  # ... and the first entries changed, as flat indices
                ("captures", np.int16, (CAPTURE_SLOTS,)),
                ("tt_trust", np.int64),
                *game.thread_tables,
            ]
        )
        points_to(dtype, shared_dtype(game))
        _dtypes[layout] = dtype
    return _dtypes[layout]


def _start(tables: Any) -> None:
    """Set history tables to their initial values."""
    for name in tables.dtype.names:
        if name not in ("shared", "layout"):
            tables[name] = START_VALUES.get(name, 0)


class _Tables:
    """The memory of history tables.

    Args:
        scratch: the tables are only for contexts that do not search; they are never written and take no memory
    """

    def __init__(self, dtype: np.dtype, scratch: bool) -> None:
        self._memory = np.zeros(1, dtype=dtype)  # zeroed: pages are allocated when first written
        self.tables: Any = self._memory.view(np.recarray)[0]
        if not scratch:
            self.clear()

    @property
    def address(self) -> int:
        """The address of the tables."""
        return self._memory.ctypes.data

    def clear(self) -> None:
        """Reset everything to the initial values."""
        _start(self._memory)


class SharedHistories(_Tables):
    """The memory of the history tables that the threads of a search share."""

    def __init__(self, game: Game, scratch: bool = False) -> None:
        super().__init__(shared_dtype(game), scratch)


class Histories(_Tables):
    """The memory of one thread's history tables. Contexts hold only its address, so it must outlive them.

    Args:
        shared: the tables that the thread shares with others; None for its own
    """

    def __init__(self, game: Game, shared: SharedHistories | None = None, scratch: bool = False) -> None:
        super().__init__(histories_dtype(game), scratch)
        self.shared = shared or SharedHistories(game, scratch)
        self.tables.shared = self.shared.address


def scratch_histories(game: Game) -> Histories:
    """Return the tables shared by all contexts without tables of their own, so that no address is ever 0."""
    dtype = histories_dtype(game)
    if dtype not in _scratch:
        _scratch[dtype] = Histories(game, scratch=True)
    return _scratch[dtype]


def forget(ctx: Any) -> None:
    """Reset the histories that `ctx` uses."""
    tables = record_at(ctx, ctx.histories)
    _start(tables)
    _start(record_at(tables, tables.shared))


START_CAPTURES, START_CONTINUATION = START_VALUES["captures"], START_VALUES["continuation"]
START_CORRECTIONS = START_VALUES["continuation_corrections"]


@njit
def start_zeroed(ctx):
    """Set the histories that `ctx` uses, whose memory is all zeros, to their initial values."""
    tables = record_at(ctx, ctx.histories)
    shared = record_at(tables, tables.shared)
    tables.low_ply[:] = LOW_PLY_START
    tables.captures[:] = START_CAPTURES
    shared.continuation[:] = START_CONTINUATION
    shared.continuation_corrections[:] = START_CORRECTIONS


@njit
def clear_low_ply_history(ctx):
    """Clear the history of moves near the root. After a short search this resets only what has changed."""
    tables = record_at(ctx, ctx.histories)
    low_ply = tables.low_ply
    if tables.low_ply_changes <= LOW_PLY_CHANGES:
        for change in range(tables.low_ply_changes):
            entry = int(tables.low_ply_changed[change])
            low_ply[entry // HISTORY_SLOTS, entry % HISTORY_SLOTS] = LOW_PLY_START
    else:
        for ply in range(LOW_PLIES):
            for slot in range(HISTORY_SLOTS):
                low_ply[ply, slot] = LOW_PLY_START
    tables.low_ply_changes = 0


@njit
def learn_low_ply(ctx, slot, bonus):
    """Add `bonus` to the history near the root of the move with this `history_slot`, at ctx.ply < LOW_PLIES."""
    tables = record_at(ctx, ctx.histories)
    known = int(tables.low_ply[ctx.ply, slot])
    if known == LOW_PLY_START:
        if tables.low_ply_changes < LOW_PLY_CHANGES:
            tables.low_ply_changed[tables.low_ply_changes] = ctx.ply * HISTORY_SLOTS + slot
        tables.low_ply_changes += 1
    tables.low_ply[ctx.ply, slot] = gravity(known, bonus, MAIN_MAX)


# ---- reading -----------------------------------------------------------------------------------------------------


@njit
def main_history(ctx, move):
    """Return the main history of a quiet `move`, within +-MAIN_MAX."""
    return int(record_at(ctx, ctx.histories).main[rules.history_slot(ctx.pos, move)])


@njit
def capture_history(ctx, move):
    """Return the capture history of `move`, within +-CAPTURE_MAX."""
    return int(record_at(ctx, ctx.histories).captures[rules.capture_slot(ctx.pos, move)])


@njit
def continuation_row(ctx, slot, in_check, quiet):
    """Return the row of the continuation histories for the moves that follow a move.

    Args:
        slot: the move's `continuation_slot`
        in_check, quiet: whether the move was a check evasion, and whether it was quiet
    """
    tables = record_at(ctx, ctx.histories)
    moves = record_at(tables, tables.shared).continuation.shape[1] - 1
    return ((2 if in_check else 0) + (0 if quiet else 1)) * moves + slot


@njit
def continuation_score(ctx, move):
    """Return the continuation history of a quiet `move` after the last two moves, within +-2 CONTINUATION_MAX."""
    slot = rules.continuation_slot(ctx.pos, move)
    if slot < 0:
        return 0
    tables = record_at(ctx, ctx.histories)
    continuation = record_at(tables, tables.shared).continuation
    last, before = ctx.frames[BEFORE_ROOT + ctx.ply - 1], ctx.frames[BEFORE_ROOT + ctx.ply - 2]
    return int(continuation[last.continuation_row, slot]) + int(continuation[before.continuation_row, slot])


@njit
def prefetch_quiet_histories(ctx):
    """Prefetch the entries of the last move's row that quiet moves are likely to read (`usual_slots`).

    The rows of earlier moves are mostly in the cache, because neighbouring nodes read them too.
    """
    tables = record_at(ctx, ctx.histories)
    continuation = record_at(tables, tables.shared).continuation
    row = ctx.frames[BEFORE_ROOT + ctx.ply - 1].continuation_row * continuation.shape[1]
    first, end = rules.usual_slots(ctx.pos)
    address = np.uint64(continuation.ctypes.data) + np.uint64(2 * (row + first))
    for place in range(0, 2 * (end - first), CACHE_LINE):
        prefetch(address + np.uint64(place))


@njit
def prepare_corrections(ctx):
    """Store the node's correction slots in its frame and prefetch the entries that `static_correction` reads."""
    tables = record_at(ctx, ctx.histories)
    here = ctx.frames[BEFORE_ROOT + ctx.ply]
    slots = rules.correction_slots(ctx)
    first = np.uint64(record_at(tables, tables.shared).corrections.ctypes.data)
    for table in range(CORRECTION_TABLES):
        here.correction_slots[table] = slots[table]
        prefetch(first + np.uint64(2 * (table * CORRECTION_SLOTS + slots[table])))


@njit
def static_correction(ctx):
    """Return the correction histories' adjustment of the static evaluation, after `prepare_corrections`."""
    tables = record_at(ctx, ctx.histories)
    shared = record_at(tables, tables.shared)
    slots = ctx.frames[BEFORE_ROOT + ctx.ply].correction_slots
    total = 0
    for table in range(CORRECTION_TABLES):
        total += ctx.params.correction_weights[table] * int(shared.corrections[table, slots[table]])
    if ctx.ply > 0:
        before, last = ctx.frames[BEFORE_ROOT + ctx.ply - 2], ctx.frames[BEFORE_ROOT + ctx.ply - 1]
        learnt = shared.continuation_corrections[before.piece_target, last.piece_target]
        total += ctx.params.continuation_correction_weight * int(learnt)
    return total // CORRECTION_MAX


@njit
def corrected(static_eval, correction):
    """Return a static evaluation plus its correction, limited to +-VALUE_MAX."""
    return min(max(static_eval + correction, -VALUE_MAX), VALUE_MAX)


# ---- updates -----------------------------------------------------------------------------------------------------


@njit
def gravity(value, bonus, limit):
    """Return the history entry `value` updated by `bonus`; the closer to +-limit, the smaller the change.

    The division rounds down, where Stockfish's rounds towards zero: entries below zero rise by at most 1 more.
    """
    bonus = min(max(bonus, -limit), limit)
    return np.int16(value + bonus - value * abs(bonus) // limit)


@njit
def learn_main(ctx, slot, bonus):
    """Add `bonus` to the main history of `slot`."""
    main = record_at(ctx, ctx.histories).main
    main[slot] = gravity(int(main[slot]), bonus, MAIN_MAX)


@njit
def learn_capture(ctx, slot, bonus):
    """Add `bonus` to the history of the capture with `slot`."""
    captures = record_at(ctx, ctx.histories).captures
    captures[slot] = gravity(int(captures[slot]), bonus, CAPTURE_MAX)


@njit
def learn_trust(ctx, was_best):
    """Raise the trust in the table's moves if the table's move was the best move of a node; otherwise lower it."""
    tables = record_at(ctx, ctx.histories)
    bonus = ctx.params.tt_trust[0] if was_best else -ctx.params.tt_trust[1]
    tables.tt_trust = gravity(int(tables.tt_trust), bonus, TRUST_MAX)


@njit
def learn_from_multicut(ctx, depth):
    """Lower the trust in the table's moves, because other moves were as good at a node of `depth`."""
    tables, malus = record_at(ctx, ctx.histories), ctx.params.tt_trust_multicut
    tables.tt_trust = gravity(int(tables.tt_trust), -min(malus[0] + malus[1] * depth, malus[2]), TRUST_MAX)


@njit
def tt_trust(ctx):
    """Return the trust in the table's moves, within +-TRUST_MAX."""
    return record_at(ctx, ctx.histories).tt_trust


@njit
def learn_continuations(ctx, ply, piece_target, bonus):
    """Add weighted shares of `bonus` to the continuation histories of the move at `ply` with this `piece_target`."""
    tables = record_at(ctx, ctx.histories)
    continuation = record_at(tables, tables.shared).continuation
    here = BEFORE_ROOT + ply
    last = 2 if ctx.frames[here].in_check else CONTINUATIONS  # an evasion depends only on the last two moves
    for plies in range(1, last + 1):
        frame = ctx.frames[here - plies]
        if frame.move == MOVE_NONE:
            continue
        share = bonus * ctx.params.continuation_weights[plies - 1] // 1024
        if plies == 1:
            share += ctx.params.continuation_extra
        known = int(continuation[frame.continuation_row, piece_target])
        continuation[frame.continuation_row, piece_target] = gravity(known, share, CONTINUATION_MAX)


@njit
def learn_quiet(ctx, move, bonus):
    """Add shares of `bonus` to all histories of a quiet `move` of ctx.pos."""
    params = ctx.params
    slot, piece_target = rules.history_slot(ctx.pos, move), rules.continuation_slot(ctx.pos, move)
    learn_main(ctx, slot, bonus)
    if ctx.ply < LOW_PLIES:
        learn_low_ply(ctx, slot, bonus * params.low_ply_share // 1024)
    if piece_target >= 0:
        learn_continuations(ctx, ctx.ply, piece_target, bonus * params.continuation_share // 1024)


@njit
def learn_last_continuations(ctx, bonus):
    """Add `bonus` to the continuation histories of the last move, if there is one."""
    last = ctx.frames[BEFORE_ROOT + ctx.ply - 1]
    if last.move != MOVE_NONE:
        learn_continuations(ctx, ctx.ply - 1, last.piece_target, bonus)


@njit
def learn_from_table_cut(ctx, tt_move, tt_quiet, depth):
    """Learn from a table entry that caused a beta cutoff: reward its move if quiet, penalise an early last move."""
    params = ctx.params
    if tt_quiet:
        bonus = params.tt_cut_bonus[0] * depth - params.tt_cut_bonus[1]
        learn_quiet(ctx, tt_move, min(bonus, params.tt_cut_bonus[2]))
    last = ctx.frames[BEFORE_ROOT + ctx.ply - 1]
    if last.move_count <= 4 and last.quiet:
        learn_last_continuations(ctx, -params.tt_cut_malus)


@njit
def learn_from_static_eval(ctx):
    """Learn how the last quiet move changed the static evaluation, from the point of view of the side that made it."""
    here = ctx.frames[BEFORE_ROOT + ctx.ply]
    last = ctx.frames[BEFORE_ROOT + ctx.ply - 1]
    if last.move == MOVE_NONE or not last.quiet or last.in_check or last.static_eval == VALUE_NONE:
        return
    limits = ctx.params.eval_history_range
    change = min(max(-(last.static_eval + here.static_eval), limits[0]), limits[1]) + limits[2]
    learn_main(ctx, last.history_slot, change * ctx.params.eval_history // 128)


@njit
def learn_from_best_move(ctx, best_move, searched, depth, tt_move):
    """Reward the best move, which raised alpha or caused a cutoff; penalise the other moves that were searched.

    The bonus grows with the histories of the opponent's last move, because refuting a promising move is worth more.

    Args:
        searched: the other moves, uint32[n]
    """
    params = ctx.params
    last = ctx.frames[BEFORE_ROOT + ctx.ply - 1]
    bonus = min(params.stat_bonus_scale * depth - params.stat_bonus_offset, params.stat_bonus_max)
    if best_move == tt_move:
        bonus += params.stat_bonus_tt_move
    bonus += last.stat_score * params.stat_bonus_stat_score // 1024
    malus = min(params.stat_malus_scale * depth - params.stat_malus_offset, params.stat_malus_max)
    quiet_best = rules.is_quiet(ctx.pos, best_move)
    if quiet_best:
        learn_quiet(ctx, best_move, bonus * params.quiet_bonus // 1024)
    else:
        learn_capture(ctx, rules.capture_slot(ctx.pos, best_move), bonus * params.capture_bonus // 1024)
    if last.move_count == 1 + last.tt_hit and last.quiet:
        learn_last_continuations(ctx, -malus * params.early_move_malus // 1024)
    quiet_malus = malus * params.quiet_malus // 1024
    for move in searched:
        if not rules.is_quiet(ctx.pos, move):
            learn_capture(ctx, rules.capture_slot(ctx.pos, move), -malus * params.capture_malus // 1024)
        elif quiet_best:
            quiet_malus = quiet_malus * params.quiet_malus_decay // 1024
            learn_quiet(ctx, move, -quiet_malus)


@njit
def learn_from_fail_low(ctx, best_value, depth):
    """Reward the last move because no reply raised alpha. The bonus is larger if the move had bad histories."""
    params = ctx.params
    here = ctx.frames[BEFORE_ROOT + ctx.ply]
    last = ctx.frames[BEFORE_ROOT + ctx.ply - 1]
    if last.move == MOVE_NONE:
        return
    if not last.quiet:
        learn_capture(ctx, last.history_slot, params.fail_low_capture)
        return
    scale = params.fail_low_base - last.stat_score // params.fail_low_stat
    scale += min(params.fail_low_depth[0] * depth, params.fail_low_depth[1])
    if last.move_count > 8:
        scale += params.fail_low_late
    if not here.in_check and best_value <= here.static_eval - params.fail_low_eval[1]:
        scale += params.fail_low_eval[0]
    if not last.in_check and best_value <= -last.static_eval - params.fail_low_eval[3]:
        scale += params.fail_low_eval[2]
    bonus = min(params.fail_low_bonus[0] * depth - params.fail_low_bonus[1], params.fail_low_bonus[2])
    bonus *= max(scale, 0)
    learn_last_continuations(ctx, bonus * params.fail_low_shares[0] // 16384)
    learn_main(ctx, last.history_slot, bonus * params.fail_low_shares[1] // 16384)


@njit
def learn_correction(ctx, difference, depth, has_best_move):
    """Learn that a search of `depth` plies differed from the corrected static evaluation by `difference`.

    Call `prepare_corrections` at the node first.

    Args:
        has_best_move: whether the search raised alpha; otherwise it failed low
    """
    params = ctx.params
    limit = params.correction_bonus_max
    rate = params.correction_best_move if has_best_move else params.correction_fail_low
    step = min(max(difference * depth * rate // 128, -limit), limit)
    tables = record_at(ctx, ctx.histories)
    shared = record_at(tables, tables.shared)
    slots = ctx.frames[BEFORE_ROOT + ctx.ply].correction_slots
    for table in range(CORRECTION_TABLES):
        slot, bonus = slots[table], step * params.correction_rates[table] // 1024
        shared.corrections[table, slot] = gravity(int(shared.corrections[table, slot]), bonus, CORRECTION_MAX)
    before, last = ctx.frames[BEFORE_ROOT + ctx.ply - 2], ctx.frames[BEFORE_ROOT + ctx.ply - 1]
    if before.move != MOVE_NONE and last.move != MOVE_NONE:
        known = int(shared.continuation_corrections[before.piece_target, last.piece_target])
        shared.continuation_corrections[before.piece_target, last.piece_target] = gravity(known, step, CORRECTION_MAX)
