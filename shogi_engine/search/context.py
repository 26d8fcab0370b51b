"""A thread's search context: the record that all kernels of the search use, its root, and making moves in the tree."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import CORRECTION_TABLES, MAX_PLY, MOVE_NONE, VALUE_NONE, Game, root_order_score
from shogi_engine.interface.stubs import Evaluation, Evaluator
from shogi_engine.jit import load_stop, new_record, njit, points_to, prefetch, record_at, record_dtype
from shogi_engine.search import history
from shogi_engine.search.tt import prefetch_cluster

MAX_GAME_PLY = 1024  # the most moves before the root that are kept for the repetition rules
REPETITION_FILTER_SIZE = 1 << 12
HUGE_PAGE = 2 << 20

# Bits of ctx.search_flags: parts of the search that can be switched off, to compare it with textbook searches or to
# search exactly.
USE_TT = 1  # the transposition table
USE_DEEPER_ENTRIES = 2  # entries searched deeper than the node may cut off too
USE_PRUNING = 4  # forward pruning: null move, futility and everything else based on the static evaluation
USE_REDUCTIONS = 8  # late move reductions, internal iterative reductions, singular extensions
USE_QUIESCENCE = 32  # quiescence search at depth 0
USE_REPETITION = 64  # the repetition rules and declarations
USE_SOLVERS = 128  # the game's own endgame solver, and wins found without a search
USE_MULTI_PROBCUT = 256  # forward pruning by shallow searches and the spread of their errors
EXACT = USE_TT | USE_DEEPER_ENTRIES | USE_REPETITION | USE_SOLVERS
ALL_FLAGS = EXACT | USE_PRUNING | USE_REDUCTIONS | USE_QUIESCENCE | USE_MULTI_PROBCUT

# The move picker of a node, see movepick.py.
PICKER = record_dtype(
    [
        ("tt_move", np.uint32),
        ("stage", np.int64),
        ("start", np.int64),  # the node's moves are ctx.moves[start:end], ...
        ("index", np.int64),  # ... the last one returned is at `index`
        ("end", np.int64),
        ("skip_quiets", np.int64),
    ]
)

# The information that a node shares with the plies above and below it; Stockfish's Stack.
FRAME = record_dtype(
    [
        ("static_eval", np.int64),  # see step 8 of the search; VALUE_NONE if there is none
        ("in_check", np.int64),
        ("tt_hit", np.int64),
        ("tt_pv", np.int64),  # whether the node is or was on or near a principal variation, by the table
        ("follow_pv", np.int64),  # whether it is on the principal variation of the last iteration
        ("excluded", np.uint32),  # the move excluded in a singular search, else MOVE_NONE
        ("correction_slots", np.int64, (CORRECTION_TABLES,)),  # see history.prepare_corrections
        ("depth", np.int64),  # search depth of the node in plies
        ("move_count", np.int64),  # number of the move made here
        ("cutoffs", np.int64),  # beta cutoffs of the node's moves, reset two plies above
        # About the move made here:
        ("move", np.uint32),  # MOVE_NONE for a null move
        ("quiet", np.int64),
        ("history_slot", np.int64),  # in the main history, or of a capture in the capture history
        ("piece_target", np.int64),  # its continuation_slot: the moved piece and its target
        ("continuation_row", np.int64),  # in the continuation histories, for the moves that follow
        ("reduction", np.int64),  # plies
        ("stat_score", np.int64),  # sum of its histories
    ]
)
SEARCHED_MOVES = 32  # the most moves of a node that are remembered for its histories

# The aspiration window of an iteration, see root_search.open_window: `depth` is searched next, at most `iteration`.
WINDOW = record_dtype(
    [
        ("alpha", np.int64),
        ("beta", np.int64),
        ("delta", np.int64),
        ("iteration", np.int64),
        ("depth", np.int64),
        ("failed", np.int64),
    ]
)

# Node types. The root and the nodes of the principal variation have an open window. Of the others, a cut node is
# expected to have a move that reaches beta; at an all node no move is expected to raise alpha.
ROOT, PV, CUT, ALL = range(4)

_dtypes: dict[tuple, np.dtype] = {}  # by everything that a dtype depends on


def context_dtype(game: Game, evaluation: Evaluation) -> np.dtype:
    """Return the context's dtype for `game` and one of its evaluations; kernels are compiled for this pair.

    It holds the position, buffers that cannot overflow, and the state of one line. Raises ValueError for a game that
    differs from another one only in its histories.
    """
    histories = history.histories_dtype(game)
    layout = game.position, game.undo, game.max_moves, game.params, game.state, histories, evaluation
    if layout not in _dtypes:
        dtype = record_dtype(
            [
                # A node and its singular search both list moves.
                *rules.context_fields(game, 2 * (MAX_PLY + 2), MAX_GAME_PLY + MAX_PLY + 2),
                ("params", game.params),
                ("evaluation", evaluation.params),
                ("evaluation_cache", evaluation.cache),
                # By ply: the states of evaluation and game along the line. They are valid up to computed_ply
                # (game.update_line) and state_ply (game.update_states).
                ("accumulators", evaluation.accumulator, (MAX_PLY + 2,)),
                ("states", game.state, (MAX_PLY + 2,)),
                ("computed_ply", np.int64),
                ("state_ply", np.int64),
                ("ply", np.int64),  # plies below the root
                ("null_min_ply", np.int64),  # no null move above this ply while one is being verified
                ("game_ply", np.int64),  # moves in ctx.undo: the game's, then the line's
                ("nodes", np.int64),  # positions entered
                ("node_limit", np.int64),
                ("stop_address", np.uint64),  # of a uint64 that becomes nonzero when the search has to stop
                ("stopped", np.int64),
                ("search_flags", np.int64),
                ("seldepth", np.int64),
                ("thread", np.int64),  # number of this thread's context; helper threads search slightly differently
                ("tt_address", np.uint64),
                ("tt_clusters", np.uint64),
                ("generation", np.uint64),
                ("tt_key_salt", np.uint64),  # xored with the keys in the transposition table
                ("root_first", np.int64),  # root moves before this one are not searched (MultiPV)
                ("root_count", np.int64),
                ("root_moves", np.uint32, (game.max_moves,)),
                ("root_scores", np.int32, (game.max_moves,)),  # the values of the lines found, see `search_root`
                ("root_averages", np.int64, (game.max_moves,)),  # mean value of each root move, VALUE_NONE at first
                ("root_squares", np.int64, (game.max_moves,)),  # mean of value * abs(value), initialised likewise
                ("root_nodes", np.int64, (game.max_moves,)),  # searched below each root move
                ("root_depth", np.int64),
                ("window", WINDOW),
                ("pv", np.uint32, (MAX_PLY + 2, MAX_PLY + 2)),
                ("pv_end", np.int32, (MAX_PLY + 2,)),
                ("last_pv", np.uint32, (MAX_PLY + 2,)),  # the last iteration's principal variation
                ("last_pv_end", np.int64),
                ("pickers", PICKER, (2, MAX_PLY + 2)),  # [1]: the singular search at that ply
                ("frames", FRAME, (history.BEFORE_ROOT + MAX_PLY + 2,)),
                ("searched", np.uint32, (2, MAX_PLY + 2, SEARCHED_MOVES)),  # likewise
                ("histories", np.uint64),  # the address of history.Histories
                # The number of positions on the line in each slot, by repetition_key.
                ("repetition_filter", np.uint8, (REPETITION_FILTER_SIZE,)),
            ]
        )
        points_to(dtype, histories)
        _dtypes[layout] = dtype
    return _dtypes[layout]


def _record_in_huge_page(dtype: np.dtype) -> Any:
    """Return a zeroed record at the start of a huge page if the system has them, which makes Shogi 2 % faster.

    NumPy requests huge pages for arrays of 4 MB or more. Untouched pages take no memory.
    """
    memory = np.zeros(max(dtype.itemsize + HUGE_PAGE, 2 * HUGE_PAGE), dtype=np.uint8)
    start = -memory.ctypes.data % HUGE_PAGE
    return memory[start : start + dtype.itemsize].view(dtype).view(np.recarray)[0]


def new_context(game: Game, histories: history.Histories | None = None, evaluator: Evaluator | None = None) -> Any:
    """Return a context at the start of a game, with the game's default parameters and no limits.

    Args:
        histories: the history tables, which the caller must keep alive. Without them the context is small, shares
            `scratch_histories`, and is only for the rules, the evaluation and the textbook searches.
        evaluator: the evaluation, which the caller must keep alive; None for the game's default evaluation with the
            package's weights
    """
    evaluator = evaluator or game.evaluation().load()
    dtype = context_dtype(game, evaluator.evaluation)
    ctx = _record_in_huge_page(dtype) if histories else new_record(dtype)
    ctx.params = game.default_params()
    ctx.evaluation = evaluator.params
    ctx.search_flags = ALL_FLAGS
    ctx.node_limit = np.iinfo(np.int64).max
    no_move = new_record(FRAME)
    no_move.static_eval, no_move.continuation_row = VALUE_NONE, history.continuation_rows(game) - 1
    no_move.piece_target = game.continuation_slots
    np.asarray(ctx)["frames"] = no_move
    ctx.histories = (histories or history.scratch_histories(game)).address
    return ctx


def copy_position(game: Game, position: Any) -> Any:
    """Return a copy of a position record that owns its memory."""
    copy = new_record(game.position)
    np.asarray(copy)[...] = position
    return copy


# ---- the root ----------------------------------------------------------------------------------------------------


def set_root(ctx: Any, position: Any, moves: Sequence[int] | np.ndarray = ()) -> None:
    """Make the position after `moves` (encoded, legal) from `position` (record[game.position]) the root of `ctx`.

    The moves count for repetition; ctx.undo keeps at most the last MAX_GAME_PLY. Set the parameters and call
    `refresh_line` or `start_search` before `evaluate` or a search.
    """
    fields = np.asarray(ctx)  # attributes of a record are ten times slower
    fields["pos"] = position
    replay_game(ctx, np.array(moves, dtype=np.uint32))  # also without moves, so that warmup compiles it


@njit
def begin_game(ctx):
    """Make ctx.pos the start of a game, without earlier moves."""
    ctx.game_ply = ctx.ply = ctx.computed_ply = ctx.state_ply = 0
    ctx.repetition_filter[:] = 0


@njit
def forget_line(ctx):
    """Clear the frames left by an earlier search's line, and the histories near the root."""
    none = ctx.frames[0]
    for index in range(history.BEFORE_ROOT, ctx.frames.shape[0]):
        frame = ctx.frames[index]
        frame.static_eval = VALUE_NONE
        frame.continuation_row, frame.piece_target = none.continuation_row, none.piece_target
        frame.in_check = frame.tt_hit = frame.tt_pv = frame.follow_pv = frame.move_count = frame.cutoffs = 0
        frame.reduction = frame.stat_score = frame.quiet = 0
        frame.move = frame.excluded = MOVE_NONE
    history.clear_low_ply_history(ctx)


@njit
def start_search(ctx):
    """Prepare a search of the root: reset the counters and the root moves' values, compute the root's accumulator."""
    ctx.ply = ctx.nodes = ctx.seldepth = ctx.stopped = ctx.null_min_ply = ctx.last_pv_end = 0
    ctx.pv_end[0] = 0
    forget_line(ctx)
    for index in range(ctx.root_count):
        ctx.root_averages[index] = ctx.root_squares[index] = VALUE_NONE
        ctx.root_nodes[index] = 0
    rules.refresh_line(ctx)


@njit
def static_value(ctx):
    """Return the static value of the root for the side to move; ctx.params and ctx.evaluation must be set."""
    rules.refresh_line(ctx)
    return rules.evaluate(ctx)


@njit
def play_move(ctx, move):
    """Make one of the game's moves before the root; ctx.undo must have space for it."""
    slot = rules.repetition_key(ctx.pos) & np.uint64(REPETITION_FILTER_SIZE - 1)
    ctx.repetition_filter[slot] = min(int(ctx.repetition_filter[slot]) + 1, 100)
    rules.do_move(ctx.pos, move, ctx.undo[ctx.game_ply])
    ctx.game_ply += 1


@njit
def replay_game(ctx, moves):
    """Make ctx.pos the start of a game, then make its `moves` (uint32[n], legal) before the root.

    If the game is longer, ctx.undo keeps only the last MAX_GAME_PLY moves.
    """
    begin_game(ctx)
    for index in range(len(moves)):
        if (len(moves) - index) % MAX_GAME_PLY == 0:
            ctx.game_ply = 0
        play_move(ctx, moves[index])


@njit
def generate_searched_moves(ctx, start):
    """Write the moves that the search considers to ctx.moves[start:]: those of `generate_moves` but needless ones."""
    if rules.is_in_check(ctx.pos):
        return rules.generate_evasions(ctx, start)
    count = rules.generate_captures(ctx, start)
    return count + rules.generate_quiets(ctx, start + count)


@njit
def write_root_moves(ctx):
    """Write the legal moves of ctx.pos to ctx.root_moves, set ctx.root_count and return it; ctx.moves is free."""
    return take_root_moves(ctx, rules.generate_moves(ctx, 0))


@njit
def take_root_moves(ctx, count):
    """Make the legal ones of ctx.moves[:count] the root moves, and return their number."""
    ctx.root_count = rules.list_legal(ctx, 0, count)
    for index in range(ctx.root_count):
        ctx.root_moves[index] = ctx.moves[index]
    return ctx.root_count


# ---- the tree ----------------------------------------------------------------------------------------------------


@njit
def enter_repetition_filter(ctx):
    """Add ctx.pos to the positions of the line, before a move is made."""
    ctx.repetition_filter[rules.repetition_key(ctx.pos) & np.uint64(REPETITION_FILTER_SIZE - 1)] += np.uint8(1)


@njit
def leave_repetition_filter(ctx):
    """Remove ctx.pos from the positions of the line, after a move was taken back."""
    ctx.repetition_filter[rules.repetition_key(ctx.pos) & np.uint64(REPETITION_FILTER_SIZE - 1)] -= np.uint8(1)


@njit
def prefetch_child(ctx, move):
    """Prefetch the table's cluster for the position after `move`, before it is known whether the move is pruned."""
    if ctx.search_flags & USE_TT:
        next_key = rules.key_after(ctx.pos, move)
        if next_key != np.uint64(0):
            prefetch_cluster(ctx, next_key ^ ctx.tt_key_salt)


@njit
def make_move(ctx, move):
    """Make `move` in the tree and prefetch its continuation correction.

    Call `prefetch_child` some time before. frame.in_check must already be set for the current node.
    """
    enter_repetition_filter(ctx)
    frame = ctx.frames[history.BEFORE_ROOT + ctx.ply]
    frame.move = move
    frame.quiet = rules.is_quiet(ctx.pos, move)
    frame.history_slot = rules.history_slot(ctx.pos, move) if frame.quiet else rules.capture_slot(ctx.pos, move)
    slot = max(rules.continuation_slot(ctx.pos, move), 0)
    frame.piece_target = slot
    frame.continuation_row = history.continuation_row(ctx, slot, frame.in_check, frame.quiet)
    tables = record_at(ctx, ctx.histories)
    corrections = record_at(tables, tables.shared).continuation_corrections
    place = ctx.frames[history.BEFORE_ROOT + ctx.ply - 1].piece_target * corrections.shape[1] + slot
    prefetch(np.uint64(corrections.ctypes.data) + np.uint64(2 * place))
    rules.do_move(ctx.pos, move, ctx.undo[ctx.game_ply])
    ctx.game_ply += 1
    ctx.ply += 1


@njit
def unmake_move(ctx, move):
    """Take back `move`, the last one made."""
    ctx.game_ply -= 1
    ctx.ply -= 1
    rules.undo_move(ctx.pos, move, ctx.undo[ctx.game_ply])
    leave_repetition_filter(ctx)
    rules.leave_ply(ctx)


@njit
def make_null_move(ctx):
    """Pass the turn to the other side, and prefetch its table entry."""
    enter_repetition_filter(ctx)
    frame, none = ctx.frames[history.BEFORE_ROOT + ctx.ply], ctx.frames[0]
    frame.move = MOVE_NONE
    frame.continuation_row, frame.piece_target = none.continuation_row, none.piece_target
    frame.quiet = frame.stat_score = 0
    rules.do_null(ctx.pos, ctx.undo[ctx.game_ply])
    if ctx.search_flags & USE_TT:
        prefetch_cluster(ctx, rules.key(ctx.pos) ^ ctx.tt_key_salt)
    ctx.game_ply += 1
    ctx.ply += 1


@njit
def unmake_null_move(ctx):
    """Take back the null move."""
    ctx.game_ply -= 1
    ctx.ply -= 1
    rules.undo_null(ctx.pos, ctx.undo[ctx.game_ply])
    leave_repetition_filter(ctx)
    rules.leave_ply(ctx)


@njit
def repetition_in_tree(ctx):
    """Return the value that the repetition rules give ctx.pos, or VALUE_NONE.

    Most positions have never occurred before; the filter detects this without searching the line.
    """
    slot = rules.repetition_key(ctx.pos) & np.uint64(REPETITION_FILTER_SIZE - 1)
    if ctx.search_flags & USE_REPETITION == 0 or ctx.repetition_filter[slot] == 0:
        return VALUE_NONE
    return rules.repetition_value(ctx)


@njit
def enter_node(ctx):
    """Begin a node with an empty principal variation; return True if the search has to stop."""
    if ctx.ply > ctx.seldepth:
        ctx.seldepth = ctx.ply
    ctx.pv_end[ctx.ply] = ctx.ply
    if ctx.nodes & 511 == 0 and load_stop(ctx.stop_address) != np.uint64(0) or ctx.nodes >= ctx.node_limit:
        ctx.stopped = 1
    return ctx.stopped != 0


@njit
def prepare_node(ctx):
    """Do work that nodes need while their table entry is being fetched from memory. In check there is no correction."""
    if ctx.search_flags & USE_PRUNING and not rules.is_in_check(ctx.pos):
        history.prepare_corrections(ctx)
    rules.update_line(ctx)


@njit
def node_state(ctx):
    """Return what another search of the same ply would overwrite at this node; give it to `restore_node` afterwards.

    Such searches verify a null move, exclude a move (singular extensions), or are shallower (Multi-ProbCut).
    """
    here = ctx.frames[history.BEFORE_ROOT + ctx.ply]
    of_search = here.excluded, here.depth, here.tt_hit, here.tt_pv, here.static_eval
    return of_search, (here.move_count, here.stat_score, ctx.pv_end[ctx.ply])


@njit
def restore_node(ctx, state):
    """Restore what `node_state` returned, after another search of the same ply."""
    here = ctx.frames[history.BEFORE_ROOT + ctx.ply]
    here.excluded, here.depth, here.tt_hit, here.tt_pv, here.static_eval = state[0]
    here.move_count, here.stat_score, ctx.pv_end[ctx.ply] = state[1]


@njit
def update_pv(ctx, move):
    """Set the node's principal variation to `move` followed by the child's principal variation."""
    ply = ctx.ply
    ctx.pv[ply, ply] = move
    end = int(ctx.pv_end[ply + 1])
    for index in range(ply + 1, end):
        ctx.pv[ply, index] = ctx.pv[ply + 1, index]
    ctx.pv_end[ply] = max(end, ply + 1)


@njit
def follows_last_pv(ctx):
    """Tell whether the line from the root to ctx.pos is the start of the last iteration's principal variation."""
    if ctx.ply == 0:
        return True
    last = ctx.frames[history.BEFORE_ROOT + ctx.ply - 1]
    return last.follow_pv and ctx.ply <= ctx.last_pv_end and last.move == ctx.last_pv[ctx.ply - 1]


# ---- The root moves during a search: their order and their values


@njit
def note_root_move(ctx, place, value, nodes):
    """Record the value of the root move at ctx.root_first + place, for which `nodes` positions were searched."""
    index = ctx.root_first + place
    ctx.root_nodes[index] += nodes
    square = value * abs(value)
    if ctx.root_averages[index] == VALUE_NONE:
        ctx.root_averages[index], ctx.root_squares[index] = value, square
    else:
        ctx.root_averages[index] = (value + ctx.root_averages[index]) // 2
        ctx.root_squares[index] = (square + ctx.root_squares[index]) // 2


@njit
def move_up(ctx, index, place):
    """Move the root move at `index`, with all that is known about it, up to `place`. The others keep their order."""
    move, score = ctx.root_moves[index], ctx.root_scores[index]
    average, square, nodes = ctx.root_averages[index], ctx.root_squares[index], ctx.root_nodes[index]
    while index > place:
        ctx.root_moves[index], ctx.root_scores[index] = ctx.root_moves[index - 1], ctx.root_scores[index - 1]
        ctx.root_averages[index], ctx.root_squares[index] = ctx.root_averages[index - 1], ctx.root_squares[index - 1]
        ctx.root_nodes[index] = ctx.root_nodes[index - 1]
        index -= 1
    ctx.root_moves[place], ctx.root_scores[place] = move, score
    ctx.root_averages[place], ctx.root_squares[place], ctx.root_nodes[place] = average, square, nodes


@njit
def sort_root_moves(ctx, count):
    """Sort the first `count` root moves by their scores, the best first, stably."""
    for index in range(1, count):
        place = index
        while place > 0 and ctx.root_scores[place - 1] < ctx.root_scores[index]:
            place -= 1
        move_up(ctx, index, place)


@njit
def bring_to_front(ctx, place, value):
    """Move the root move at ctx.root_first + place, with its `value`, to ctx.root_first. The others keep their order.

    The best move is then at the front even if the search is stopped.
    """
    move_up(ctx, ctx.root_first + place, ctx.root_first)
    ctx.root_scores[ctx.root_first] = value


@njit
def prepare_root(ctx):
    """Start a search of ctx.pos and sort its root moves by `root_order_score`, stably.

    If ctx.root_count is 0, the root moves become all moves that the search considers. Among moves of equal value, the
    first one is played.
    """
    if ctx.root_count == 0:
        take_root_moves(ctx, generate_searched_moves(ctx, 0))
    start_search(ctx)
    for index in range(int(ctx.root_count)):
        ctx.root_scores[index] = root_order_score(ctx, ctx.root_moves[index])
    sort_root_moves(ctx, int(ctx.root_count))
