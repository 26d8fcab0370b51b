"""THE GAME PROTOCOL: what a game tells the search, one stub per rule, each with its neutral default.

A game is a structured dtype for its positions, one for what a move destroys, and kernels that carry the names of the
stubs below, registered for the position dtype:

    @provides(POSITION)
    def do_move(pos, move, undo): ...

The search calls the stub; numba resolves the call by the dtype of `pos` (or of `ctx.pos`) while compiling, so a rule
is inlined as if it stood in the search. With JIT off the same stub looks the rule up when it is called.

What a position is worth is said by an evaluation (evaluation.py): the stubs under "the evaluation" are resolved by the
dtype of `ctx.evaluation` first, so that a game may have several. A game that has only one may provide it as rules.

`pos`   record[POSITION]: one position, compact, without history; it packs to a file as it is.
`undo`  record[UNDO]: what `undo_move` needs and the position no longer knows.
`ctx`   a record with at least the fields of `context_fields`; the search's own (search/context.py) has more.
`move`  uint32; 0 is no move. What the bits mean is the game's own business.
Values are int32 from the side to move's point of view, in the game's own unit, between -VALUE_MAX and VALUE_MAX;
a win in n plies is VALUE_MATE - n.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine.common.registry import Registry
from shogi_engine.interface.evaluation import NOTHING, Evaluation
from shogi_engine.interface.extras.book import OpeningBook
from shogi_engine.interface.extras.levels import LevelPlan
from shogi_engine.interface.stubs import evaluation_stub, stub
from shogi_engine.interface.stubs import provides as provides  # what a game's modules take from here
from shogi_engine.interface.stubs import provides_evaluation as provides_evaluation
from shogi_engine.jit import njit
from shogi_engine.types.score import Score
from shogi_engine.types.termination import TERMINATIONS as TERMINATIONS

MOVE_NONE = np.uint32(0)
VALUE_NONE = 32002  # no value at all
VALUE_INFINITE = 32001
VALUE_MATE = 32000  # minus the plies until the game is won
MAX_PLY = 128  # deepest line of the search
VALUE_MATE_IN_MAX = VALUE_MATE - 1000  # at least this: a forced win
VALUE_MAX = VALUE_MATE_IN_MAX - 1  # the largest value of an evaluation

HISTORY_SLOTS = 1 << 16  # history_slot's range
CAPTURE_SLOTS = 1 << 16  # capture_slot's range
STRUCTURE_SLOTS = 1 << 11  # structure_slot's range
CORRECTION_TABLES, CORRECTION_SLOTS = 6, 1 << 14  # correction_slots' number and range

BEFORE_SEARCH, BESIDE_SEARCH = "before", "beside"  # Game.solver_runs

# How a game has ended, see `game_result`; TERMINATIONS[number] says it in words.
NOT_OVER, NO_LEGAL_MOVE, REPETITION, PERPETUAL_CHECK, DECLARATION, MOVE_LIMIT, TRY = range(7)


@dataclass(frozen=True)
class Game:
    """A game as Python sees it: its dtypes, its notation, and the tables its kernels reach by address.

    position, undo : np.dtype          made by `jit.record_dtype`
    max_moves : int                    most moves `generate_moves` writes for any accepted position
    start : str                        the notation of the starting position
    parse_position(text) -> record     raises ValueError with what was wrong and where
    format_position(pos) -> str        its inverse
    parse_move(pos, text) -> int       a legal move, or ValueError
    format_move(pos, move) -> str      its inverse
    params : np.dtype, default_params  search.parameters.SEARCH_FIELDS and the game's own, copied into contexts
    score(value) -> Score              a value in the unit of the game's players, centipawns if nothing is said
    evaluations : Registry             of `Evaluation`s; None: there is one, whose kernels are rules of the position
    state : np.dtype                   what the game keeps for each ply of the line searched (see `update_state`)
    histories : tuple                  a dtype's fields: what its own kernels learn, kept among search.history.Histories
    solver(**options) -> forced_win.Solver   proves results that a search would take long to find
    solver_runs : str                  BEFORE_SEARCH, if a search then is needless (it has options threads, stop_token),
                                       or BESIDE_SEARCH, in a thread, and alone too, for a forced win: then it is a
                                       forced_win.ForcedWinSolver (with options hash_mb, memory, stop_token)
    levels : int                       weaker players there are, levels 0 to levels - 1
    level(number, position) -> levels.LevelPlan   how a player of that level searches; ValueError if there is none
    open_book(name) -> book.OpeningBook   the book called so, None for the one shipped; raises book.BookError
    budget(clock, ply, options) -> TimeBudget   the time of a move, where search.timeman.plan does not serve
    plies_left(position) -> int        an upper bound on the plies left in the game (moves of cost 0 not counted)
    continuation_slots : int           `continuation_slot`'s range
    search_flags : int                 the parts of the search that help this game, bits of search.context; -1 for all
    usual_move(move) -> int            what a person plays instead where it is no worse, 0 if that is the move
    """

    name: str
    position: np.dtype
    undo: np.dtype
    max_moves: int
    start: str
    parse_position: Callable[[str], Any]
    format_position: Callable[[Any], str]
    parse_move: Callable[[Any, str], int]
    format_move: Callable[[Any, int], str]
    params: np.dtype
    default_params: Callable[[], Any]
    score: Callable[[int], Score] = Score
    evaluations: Registry | None = None
    state: np.dtype = NOTHING
    histories: tuple[tuple, ...] = ()
    solver: Callable[..., Any] | None = None
    solver_runs: str = BEFORE_SEARCH
    levels: int = 0
    level: Callable[[int, Any], LevelPlan] | None = None
    open_book: Callable[[str | None], OpeningBook] | None = None
    budget: Callable[[Any, int, Any], Any] | None = None
    plies_left: Callable[[Any], int] | None = None
    continuation_slots: int = 0
    search_flags: int = -1
    usual_move: Callable[[int], int] | None = None

    @functools.cached_property
    def _only_evaluation(self) -> Evaluation:
        return Evaluation("evaluation", self.position)

    def evaluation(self, name: str = "") -> Evaluation:
        """Return the evaluation called `name`, '' for the default. Raises ValueError, with the names, if none is."""
        if self.evaluations is not None:
            return self.evaluations.load(name)
        if name:
            raise ValueError(f"{self.name} has one evaluation, which has no name; there is no {name!r}")
        return self._only_evaluation


def context_fields(game: Game, plies: int, game_ply: int | None = None) -> list[tuple]:
    """Return the fields every context has: a position, buffers that can not overrun in `plies` plies, undo records.

    game_ply : how many undo records, if not one a ply (the search keeps the game's moves there as well).
    """
    buffer = (plies + 1) * game.max_moves
    return [
        ("pos", game.position),
        ("moves", np.uint32, (buffer,)),
        ("scores", np.int32, (buffer,)),
        ("undo", game.undo, (game_ply or plies + 1,)),
    ]


# ---- moves -------------------------------------------------------------------------------------------------------


@stub
def generate_moves(ctx, start):
    """Write the moves of ctx.pos to ctx.moves[start:] and return how many; at most Game.max_moves.

    They may be pseudo-legal (`is_legal` tells), must hold every legal one once, and all evasions when `is_in_check`.
    A pass is a move. A finished game has none.
    """
    raise NotImplementedError


@stub
def generate_captures(ctx, start):
    """Write the moves that are not quiet (`is_quiet`), as `generate_moves` does."""
    return 0


@stub
def is_legal(pos, move):
    """Tell whether a move that `generate_moves` wrote for `pos` is legal."""
    return True


@stub
def count_moves(ctx, start):
    """Return the number of legal moves of ctx.pos, without listing them if the game can (perft's last ply)."""
    count = 0
    for index in range(start, start + generate_moves(ctx, start)):
        if is_legal(ctx.pos, ctx.moves[index]):
            count += 1
    return count


@stub
def count_replies(ctx, start, free_pass):
    """Return the leaves two plies below ctx.pos, or -1: perft then goes move by move.

    For a game that can count the answers to several moves at once; ctx.moves[start:] and ctx.scores[start:] are free.
    With free_pass a move of cost 0 is no ply. A finished game counts as `finished_leaves`.
    """
    return -1


@stub
def do_move(pos, move, undo):
    """Make a legal `move`; write to `undo` what `undo_move` will need."""
    raise NotImplementedError


@stub
def undo_move(pos, move, undo):
    """Take back the last `do_move(pos, move, undo)`: `pos` is again what it was, byte for byte."""
    raise NotImplementedError


@stub
def do_null(pos, undo):
    """Make a null move: let the other side move (only if `null_allowed`)."""


@stub
def undo_null(pos, undo):
    """Take back `do_null`."""


@stub
def null_allowed(pos):
    """Tell whether a null move may be tried here: not in check, nor where zugzwang is likely."""
    return False


@stub
def key(pos):
    """Return the position's 64-bit hash key, equal for equal positions whatever the moves before."""
    raise NotImplementedError


@stub
def key_after(pos, move):
    """Return `key` after `move`, for prefetching before it is made, or 0: prefetch nothing."""
    return np.uint64(0)


@stub
def move_cost(pos, move):
    """Return how many plies of depth `move` costs: 1, or 0 for a pass."""
    return 1


@stub
def finished_leaves(pos):
    """Return what perft counts for a game that ended before the asked depth: 0 in Shogi, 1 in Othello."""
    return 0


# ---- the evaluation ----------------------------------------------------------------------------------------------


@evaluation_stub
def evaluate(ctx):
    """Return the static evaluation of ctx.pos for the side to move.

    What is kept along the line is in ctx.accumulators[ctx.ply] after `update_line(ctx)`.
    """
    raise NotImplementedError


@evaluation_stub
def refresh_accumulator(ctx, ply):
    """Write ctx.accumulators[ply] for ctx.pos from nothing; ply is ctx.ply, or 0 at the root of a search."""


@evaluation_stub
def update_accumulator(ctx, ply):
    """Write ctx.accumulators[ply] from that of ply - 1 by the move between them (see `update_line`).

    ctx.pos may be further down the line. What can not be had by difference is marked stale here, and refreshed by
    `evaluate` where it is needed: ctx.pos is then the position of that ply.
    """


@evaluation_stub
def root_order_score(ctx, move):
    """Return a score by which the root moves are ordered at first, in any unit; it decides between equal moves."""
    return 0


@evaluation_stub
def probcut(ctx, depth):
    """Return (shallow, spread): the depth of a search that predicts one of `depth` plies, and how well it does.

    spread : the standard deviation of the difference of their values. A shallow depth of 0: no ProbCut here.
    """
    return np.int64(0), np.int64(0)  # not literals: the search calls itself with the depth


@stub
def refresh_state(ctx, ply):
    """Write what the game keeps along the line in ctx.states[ply] for ctx.pos, as `refresh_accumulator` does."""


@stub
def update_state(ctx, ply):
    """Write what the game keeps in ctx.states[ply] from that of ply - 1 by the move between them (see `update_states`).

    A state may hold more that is no part of this, such as what `set_check_info` prepares.
    """


@njit
def refresh_line(ctx):
    """Make ctx.pos the root of a line: compute the accumulator and the state of ply 0; those of other plies are not."""
    ctx.computed_ply = ctx.state_ply = 0
    refresh_accumulator(ctx, 0)
    refresh_state(ctx, 0)


@njit
def update_line(ctx):
    """Bring the accumulators up to date, from the last ply that has one (ctx.computed_ply) to ctx.ply.

    The move between ply - 1 and ply is that of ctx.undo[ctx.game_ply - ctx.ply + ply - 1].
    """
    while ctx.computed_ply < ctx.ply:
        ctx.computed_ply += 1
        update_accumulator(ctx, ctx.computed_ply)


@njit
def update_states(ctx):
    """Bring the game's states up to date, from the last ply that has one (ctx.state_ply) to ctx.ply."""
    while ctx.state_ply < ctx.ply:
        ctx.state_ply += 1
        update_state(ctx, ctx.state_ply)


@njit
def leave_ply(ctx):
    """Forget what was computed below ctx.ply, after a move was taken back."""
    ctx.computed_ply = min(ctx.computed_ply, ctx.ply)
    ctx.state_ply = min(ctx.state_ply, ctx.ply)


# ---- values ------------------------------------------------------------------------------------------------------


@stub
def naive_value(ctx):
    """Return a naive evaluation of ctx.pos for the side to move, in `evaluate`'s unit: disc or material difference."""
    return evaluate(ctx)


@stub
def terminal_value(ctx):
    """Return the value of ctx.pos, in which there is no legal move; a loss is -VALUE_MATE + ctx.ply."""
    raise NotImplementedError


@stub
def game_result(ctx, move_count):
    """Return (termination, value) of a game that has come to ctx.pos: (NOT_OVER, VALUE_NONE) if it goes on.

    ctx.undo[:ctx.game_ply] are all moves of the game.   move_count : how many legal moves ctx.pos has.
    termination : one of those above.   value : the result for the side to move, 0 for a draw, +-VALUE_MATE for a win
    or a loss, or the score in the game's own unit. A right to declare a win is taken as used.
    These are the rules of the game itself. A search looks ahead, and asks `repetition_value` and `declaration_value`.
    """
    if move_count == 0:
        return np.int64(NO_LEGAL_MOVE), np.int64(terminal_value(ctx))
    return np.int64(NOT_OVER), np.int64(VALUE_NONE)


@stub
def repetition_value(ctx):
    """Return the value of ctx.pos if the rules on repetition decide it, else VALUE_NONE.

    ctx.undo[:ctx.game_ply] are the moves of the game and of the line searched, oldest first.
    """
    return VALUE_NONE


@stub
def repetition_key(pos):
    """Return a hash of what `repetition_value` compares: positions with different ones are no repetition."""
    return key(pos)


@stub
def declaration_value(ctx):
    """Return the value of ctx.pos if the side to move can end the game by a declaration, else VALUE_NONE."""
    return VALUE_NONE


@stub
def endgame_solve(ctx, alpha, beta):
    """Return the value of ctx.pos, exact within the window, if an endgame solver takes over here, else VALUE_NONE."""
    return VALUE_NONE


@stub
def mate_in_one(ctx, start):
    """Return a move that wins at once if there is an easily found one, else MOVE_NONE; not called where `is_in_check`.

    start : where ctx.moves is free.
    """
    return MOVE_NONE


@stub
def correction_slots(ctx):
    """Return the indices, below CORRECTION_SLOTS, of ctx.pos in the CORRECTION_TABLES correction histories.

    Each is a hash of a part of the position and the side to move; all positions with that part share the correction.
    """
    return 0, 0, 0, 0, 0, 0


@stub
def generate_quiets(ctx, start):
    """Write the moves that `generate_captures` leaves out, as `generate_moves` does; a game has both or neither."""
    return generate_moves(ctx, start)


@stub
def is_legal_tt_move(pos, move):
    """Tell whether `move`, stored for any position, is legal in `pos`; False also if only a list of moves can tell."""
    return False


@stub
def is_in_check(pos):
    """Tell whether the side to move is in check: it may neither stand pat nor pass."""
    return False


# ---- ordering ----------------------------------------------------------------------------------------------------


@stub
def score_moves(ctx, start, count):
    """Write what the game knows of the order of quiet moves to ctx.scores[start:start + count], the best highest.

    |score| < 1 << 20; to this the histories are added.
    """
    for index in range(start, start + count):
        ctx.scores[index] = 0


@stub
def is_quiet(pos, move):
    """Tell whether `move` is quiet: no capture."""
    return True


@stub
def history_slot(pos, move):
    """Return the index of a quiet `move` in the main history, below HISTORY_SLOTS."""
    return np.int64(move) & (HISTORY_SLOTS - 1)


@stub
def continuation_slot(pos, move):
    """Return the index of `move` (piece and target) in the continuation histories, below the game's
    `continuation_slots`, or -1 if the game keeps none. Those of the two sides' moves are best the halves of the range.
    """
    return -1


@stub
def is_inferior(pos, move):
    """Tell whether another legal move is never worse than `move`: the search leaves it out below the root."""
    return False


@stub
def structure_slot(ctx):
    """Return the index, below STRUCTURE_SLOTS, of what changes little in ctx.pos, such as its pawns.

    How quiet moves did is remembered for each structure.
    """
    return np.int64(0)


@stub
def capture_slot(pos, move):
    """Return the index of a `move` that is not quiet in the history of captures, below CAPTURE_SLOTS."""
    return np.int64(0)


@stub
def capture_value(ctx, move):
    """Return what a `move` that is not quiet gains at once: the piece taken as it stood, and what promoting adds."""
    return np.int64(0)


@stub
def is_recapture(pos, move, last):
    """Tell whether `move` goes to the square where the move before, `last`, went."""
    return False


@stub
def set_check_info(ctx):
    """Prepare `gives_check` for the moves of ctx.pos."""


@stub
def gives_check(ctx, move):
    """Tell whether `move` gives check: it is then not pruned as a quiet move."""
    return False


@stub
def see_ge(ctx, move, threshold):
    """Tell whether the static exchange evaluation of `move` is at least `threshold`, in the unit of `capture_value`."""
    return True
