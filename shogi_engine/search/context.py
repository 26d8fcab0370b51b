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
    do_move,
    do_null,
    generate_moves,
    is_legal,
    key_after,
    repetition_value,
    reply_slot,
    trail_key,
    undo_move,
    undo_null,
)
from shogi_engine.jit import load_u64, new_record, njit, prefetch, record_dtype
from shogi_engine.search.tt import prefetch_cluster

MAX_TRAIL = 1024  # moves of the game before the root that the rules on repetition can look back on
SEEN = 1 << 12
LOOK_BACK = 4  # plies before a move that say how promising it is

# What may be switched off, to compare with the textbook or to search exactly: bits of ctx.features.
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
                *context_fields(game, MAX_PLY + 2, MAX_TRAIL + MAX_PLY + 2),
                ("params", game.params),
                ("accumulators", game.accumulator, (MAX_PLY + 2,)),
                ("computed", np.int64),  # the accumulators up to this ply are right; evaluate may raise it
                ("ply", np.int64),  # plies below the root
                ("last_null", np.int64),  # the ply the line's last null move was made at, -1 if there is none
                ("trail", np.int64),  # moves in ctx.undo: the game's, then the line's
                ("nodes", np.int64),  # positions entered
                ("node_limit", np.int64),
                ("stop_address", np.uint64),  # a uint64 that is not 0 once the search has to stop
                ("stopped", np.int64),
                ("features", np.int64),
                ("seldepth", np.int64),
                ("root_depth", np.int64),
                ("table_address", np.uint64),
                ("table_clusters", np.uint64),
                ("generation", np.uint64),
                ("key_salt", np.uint64),  # of the keys in the table
                ("root_count", np.int64),
                ("root_moves", np.uint32, (game.max_moves,)),
                ("root_scores", np.int32, (game.max_moves,)),
                ("pv", np.uint32, (MAX_PLY + 2, MAX_PLY + 2)),
                ("pv_end", np.int32, (MAX_PLY + 2,)),
                ("killers", np.uint32, (MAX_PLY + 2, 2)),
                ("statics", np.int32, (MAX_PLY + 2,)),  # by ply, corrected; VALUE_NONE in check
                ("replies", np.int32, (LOOK_BACK + MAX_PLY + 2,)),  # by LOOK_BACK + ply: reply_slot of the line's move
                ("standings", np.int32, (MAX_PLY + 2,)),  # by ply: the histories of the line's move
                ("cuts", np.uint8, (MAX_PLY + 2,)),  # by ply: a move is expected to refute what led there
                ("history", np.int16, (HISTORY_SLOTS,)),
                # What is learnt of a move by one before it, and of static values by `correction_slots` and by two moves
                # before, see ordering.py. The last reply slot, where nothing is ever learnt, stands for no move.
                ("continuation", np.int16, (game.reply_slots + 1, game.reply_slots + 1)),
                ("corrections", np.int16, (CORRECTION_TABLES, CORRECTION_SLOTS)),
                ("reply_corrections", np.int16, (game.reply_slots + 1, game.reply_slots + 1)),
                ("seen", np.uint8, (SEEN,)),  # how many positions of the line (by trail_key) fall in each slot
            ]
        )
    return _dtypes[game.name]


def new_context(game: Game) -> Any:
    """Return a context at its beginning, with the game's default parameters and no limits."""
    ctx = new_record(context_dtype(game))
    ctx.params = game.default_params()
    ctx.features = ALL_FEATURES
    ctx.node_limit = np.iinfo(np.int64).max
    ctx.replies[:] = game.reply_slots
    return ctx


def forget(ctx: Any) -> None:
    """Forget what earlier searches learnt of moves and static values."""
    fields = np.asarray(ctx)
    for name in ("killers", "history", "continuation", "corrections", "reply_corrections"):
        fields[name] = 0


@njit
def play_move(ctx, move):
    """Make one of the game's moves before the root; ctx.undo must have room for it."""
    slot = trail_key(ctx.pos) & np.uint64(SEEN - 1)
    ctx.seen[slot] = min(int(ctx.seen[slot]) + 1, 100)
    do_move(ctx.pos, move, ctx.undo[ctx.trail])
    ctx.trail += 1


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
def descend(ctx, move):
    """Make `move` in the tree; ask the CPU first for what memory will be needed then."""
    if ctx.features & TABLE:
        next_key = key_after(ctx.pos, move)
        if next_key != np.uint64(0):
            prefetch_cluster(ctx, next_key ^ ctx.key_salt)
    ctx.seen[trail_key(ctx.pos) & np.uint64(SEEN - 1)] += np.uint8(1)
    slot = max(reply_slot(ctx.pos, move), 0)
    ctx.replies[ctx.ply + LOOK_BACK] = slot
    last = int(ctx.replies[ctx.ply + LOOK_BACK - 1])
    place = last * ctx.reply_corrections.shape[1] + slot
    prefetch(np.uint64(ctx.reply_corrections.ctypes.data) + np.uint64(2 * place))
    do_move(ctx.pos, move, ctx.undo[ctx.trail])
    ctx.trail += 1
    ctx.ply += 1


@njit
def ascend(ctx, move):
    """Take back `move`, the last one made."""
    ctx.trail -= 1
    ctx.ply -= 1
    undo_move(ctx.pos, move, ctx.undo[ctx.trail])
    ctx.seen[trail_key(ctx.pos) & np.uint64(SEEN - 1)] -= np.uint8(1)
    if ctx.computed > ctx.ply:
        ctx.computed = ctx.ply


@njit
def descend_null(ctx):
    """Let the other side move."""
    ctx.seen[trail_key(ctx.pos) & np.uint64(SEEN - 1)] += np.uint8(1)
    ctx.cuts[ctx.ply + 1] = False
    ctx.replies[ctx.ply + LOOK_BACK] = ctx.continuation.shape[0] - 1
    ctx.standings[ctx.ply] = 0
    do_null(ctx.pos, ctx.undo[ctx.trail])
    ctx.last_null = ctx.ply
    ctx.trail += 1
    ctx.ply += 1


@njit
def ascend_null(ctx):
    """Take back the null move."""
    ctx.trail -= 1
    ctx.ply -= 1
    undo_null(ctx.pos, ctx.undo[ctx.trail])
    ctx.last_null = -1
    ctx.seen[trail_key(ctx.pos) & np.uint64(SEEN - 1)] -= np.uint8(1)
    if ctx.computed > ctx.ply:
        ctx.computed = ctx.ply


@njit
def repeated(ctx):
    """Return the value the rules on repetition give the position, else VALUE_NONE; seldom looks at the line."""
    if ctx.features & REPEAT == 0 or ctx.seen[trail_key(ctx.pos) & np.uint64(SEEN - 1)] == 0:
        return VALUE_NONE
    return repetition_value(ctx)


@njit
def enter(ctx):
    """Count a position entered; return True if the search has to stop."""
    ctx.nodes += 1
    if ctx.ply > ctx.seldepth:
        ctx.seldepth = ctx.ply
    ctx.pv_end[ctx.ply] = ctx.ply
    if ctx.nodes & 511 == 0 and load_u64(ctx.stop_address) != np.uint64(0) or ctx.nodes >= ctx.node_limit:
        ctx.stopped = 1
    return ctx.stopped != 0
