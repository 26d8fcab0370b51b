"""A thread's search context: the record every kernel works on, and the two steps down and up the tree."""

from typing import Any

import numpy as np

from shogi_engine.game import (
    CORRECTION_SLOTS,
    CORRECTION_TABLES,
    HISTORY_SLOTS,
    MAX_PLY,
    VALUE_NONE,
    Game,
    context_fields,
    continuation_slot,
    do_move,
    do_null,
    generate_moves,
    is_legal,
    key_after,
    repetition_key,
    repetition_value,
    undo_move,
    undo_null,
)
from shogi_engine.jit import load_u64, new_record, njit, prefetch, record_dtype
from shogi_engine.search.tt import prefetch_cluster

MAX_GAME_PLY = 1024  # moves of the game before the root that the rules on repetition can look back on
REPETITION_FILTER_SIZE = 1 << 12
LOOK_BACK = 4  # plies before a move that say how promising it is

# What may be switched off, to compare with the textbook or to search exactly: bits of ctx.search_flags.
TABLE = 1  # use the transposition table
DEEPER = 2  # let entries of a greater depth cut off too
PRUNE = 4  # forward pruning: null move and what follows from a static value
REDUCE = 8  # late move reductions
QUIESCE = 32  # quiescence search at the horizon
REPEAT = 64  # the rules on repetition, and claims
FINISH = 128  # the game's own solver near its end, and wins found without a search
PROBCUT = 256  # forward pruning by shallow searches
ALL_FEATURES = TABLE | DEEPER | PRUNE | REDUCE | QUIESCE | REPEAT | FINISH | PROBCUT
EXACT = TABLE | DEEPER | REPEAT | FINISH

_dtypes: dict[str, np.dtype] = {}


def context_dtype(game: Game) -> np.dtype:
    """Return the context's dtype for `game`: the position, buffers that can not overrun, and one line's state."""
    if game.name not in _dtypes:
        _dtypes[game.name] = record_dtype(
            [
                *context_fields(game, MAX_PLY + 2, MAX_GAME_PLY + MAX_PLY + 2),
                ("params", game.params),
                ("accumulators", game.accumulator, (MAX_PLY + 2,)),
                ("computed_ply", np.int64),  # the accumulators up to this ply are right; evaluate may raise it
                ("ply", np.int64),  # plies below the root
                ("last_null", np.int64),  # the ply the line's last null move was made at, -1 if there is none
                ("game_ply", np.int64),  # moves in ctx.undo: the game's, then the line's
                ("nodes", np.int64),  # positions entered
                ("node_limit", np.int64),
                ("stop_address", np.uint64),  # a uint64 that is not 0 once the search has to stop
                ("stopped", np.int64),
                ("search_flags", np.int64),
                ("seldepth", np.int64),
                ("root_depth", np.int64),
                ("tt_address", np.uint64),
                ("tt_clusters", np.uint64),
                ("generation", np.uint64),
                ("tt_key_salt", np.uint64),  # of the keys in the table
                ("root_count", np.int64),
                ("root_moves", np.uint32, (game.max_moves,)),
                ("root_scores", np.int32, (game.max_moves,)),
                ("pv", np.uint32, (MAX_PLY + 2, MAX_PLY + 2)),
                ("pv_end", np.int32, (MAX_PLY + 2,)),
                ("killers", np.uint32, (MAX_PLY + 2, 2)),
                ("static_evals", np.int32, (MAX_PLY + 2,)),  # by ply, corrected; VALUE_NONE in check
                # By LOOK_BACK + ply: continuation_slot of the line's move.
                ("continuation_rows", np.int32, (LOOK_BACK + MAX_PLY + 2,)),
                ("stat_scores", np.int32, (MAX_PLY + 2,)),  # by ply: the histories of the line's move
                ("cut_nodes", np.uint8, (MAX_PLY + 2,)),  # by ply: a move is expected to refute what led there
                ("history", np.int16, (HISTORY_SLOTS,)),
                # What is learnt of a move by one before it, and of static values by `correction_slots` and by two moves
                # before, see ordering.py. The last reply slot, where nothing is ever learnt, stands for no move.
                ("continuation", np.int16, (game.continuation_slots + 1, game.continuation_slots + 1)),
                ("corrections", np.int16, (CORRECTION_TABLES, CORRECTION_SLOTS)),
                ("continuation_corrections", np.int16, (game.continuation_slots + 1, game.continuation_slots + 1)),
                # How many positions of the line, by repetition_key, fall in each slot.
                ("repetition_filter", np.uint8, (REPETITION_FILTER_SIZE,)),
            ]
        )
    return _dtypes[game.name]


def new_context(game: Game) -> Any:
    """Return a context at its beginning, with the game's default parameters and no limits."""
    ctx = new_record(context_dtype(game))
    ctx.params = game.default_params()
    ctx.search_flags = ALL_FEATURES
    ctx.node_limit = np.iinfo(np.int64).max
    ctx.continuation_rows[:] = game.continuation_slots
    return ctx


def forget(ctx: Any) -> None:
    """Forget what earlier searches learnt of moves and static values."""
    fields = np.asarray(ctx)
    for name in ("killers", "history", "continuation", "corrections", "continuation_corrections"):
        fields[name] = 0


@njit
def play_move(ctx, move):
    """Make one of the game's moves before the root; ctx.undo must have room for it."""
    slot = repetition_key(ctx.pos) & np.uint64(REPETITION_FILTER_SIZE - 1)
    ctx.repetition_filter[slot] = min(int(ctx.repetition_filter[slot]) + 1, 100)
    do_move(ctx.pos, move, ctx.undo[ctx.game_ply])
    ctx.game_ply += 1


@njit
def play_moves(ctx, moves):
    """Make the game's `moves` (uint32[n], legal) before the root; ctx.undo must have room for them."""
    for move in moves:
        play_move(ctx, move)


@njit
def write_legal_moves(ctx):
    """Write the legal moves of ctx.pos to ctx.moves and return how many."""
    legal = 0
    for index in range(generate_moves(ctx, 0)):
        move = ctx.moves[index]
        if is_legal(ctx.pos, move):
            ctx.moves[legal] = move
            legal += 1
    return legal


@njit
def make_move(ctx, move):
    """Make `move` in the tree; ask the CPU first for what memory will be needed then."""
    if ctx.search_flags & TABLE:
        next_key = key_after(ctx.pos, move)
        if next_key != np.uint64(0):
            prefetch_cluster(ctx, next_key ^ ctx.tt_key_salt)
    ctx.repetition_filter[repetition_key(ctx.pos) & np.uint64(REPETITION_FILTER_SIZE - 1)] += np.uint8(1)
    slot = max(continuation_slot(ctx.pos, move), 0)
    ctx.continuation_rows[ctx.ply + LOOK_BACK] = slot
    last = int(ctx.continuation_rows[ctx.ply + LOOK_BACK - 1])
    place = last * ctx.continuation_corrections.shape[1] + slot
    prefetch(np.uint64(ctx.continuation_corrections.ctypes.data) + np.uint64(2 * place))
    do_move(ctx.pos, move, ctx.undo[ctx.game_ply])
    ctx.game_ply += 1
    ctx.ply += 1


@njit
def unmake_move(ctx, move):
    """Take back `move`, the last one made."""
    ctx.game_ply -= 1
    ctx.ply -= 1
    undo_move(ctx.pos, move, ctx.undo[ctx.game_ply])
    ctx.repetition_filter[repetition_key(ctx.pos) & np.uint64(REPETITION_FILTER_SIZE - 1)] -= np.uint8(1)
    if ctx.computed_ply > ctx.ply:
        ctx.computed_ply = ctx.ply


@njit
def make_null_move(ctx):
    """Let the other side move."""
    ctx.repetition_filter[repetition_key(ctx.pos) & np.uint64(REPETITION_FILTER_SIZE - 1)] += np.uint8(1)
    ctx.cut_nodes[ctx.ply + 1] = False
    ctx.continuation_rows[ctx.ply + LOOK_BACK] = ctx.continuation.shape[0] - 1
    ctx.stat_scores[ctx.ply] = 0
    do_null(ctx.pos, ctx.undo[ctx.game_ply])
    ctx.last_null = ctx.ply
    ctx.game_ply += 1
    ctx.ply += 1


@njit
def unmake_null_move(ctx):
    """Take back the null move."""
    ctx.game_ply -= 1
    ctx.ply -= 1
    undo_null(ctx.pos, ctx.undo[ctx.game_ply])
    ctx.last_null = -1
    ctx.repetition_filter[repetition_key(ctx.pos) & np.uint64(REPETITION_FILTER_SIZE - 1)] -= np.uint8(1)
    if ctx.computed_ply > ctx.ply:
        ctx.computed_ply = ctx.ply


@njit
def repeated(ctx):
    """Return the value the rules on repetition give the position, else VALUE_NONE; seldom looks at the line."""
    slot = repetition_key(ctx.pos) & np.uint64(REPETITION_FILTER_SIZE - 1)
    if ctx.search_flags & REPEAT == 0 or ctx.repetition_filter[slot] == 0:
        return VALUE_NONE
    return repetition_value(ctx)


@njit
def count_node(ctx):
    """Count a position entered; return True if the search has to stop."""
    ctx.nodes += 1
    if ctx.ply > ctx.seldepth:
        ctx.seldepth = ctx.ply
    ctx.pv_end[ctx.ply] = ctx.ply
    if ctx.nodes & 511 == 0 and load_u64(ctx.stop_address) != np.uint64(0) or ctx.nodes >= ctx.node_limit:
        ctx.stopped = 1
    return ctx.stopped != 0
