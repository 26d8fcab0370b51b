"""The game protocol: everything that the search needs to know about a game. Each rule is a stub with a default.

A game consists of a structured dtype for its positions, another for the undo information of a move, and kernels with
the names of the stubs below. A kernel is registered for the dtype of positions:

    @provides(POSITION)
    def do_move(pos, move, undo): ...

The search calls the stub. When numba compiles the search, it resolves the call by the dtype of `pos` (or of `ctx.pos`)
and inlines the rule. If compilation is disabled, the stub finds the rule when it is called.

An evaluation (stubs.py) computes the value of a position. The stubs under "the evaluation" are first resolved by
the dtype of `ctx.evaluation`, so a game can have several evaluations. A game with only one can provide it as rules.

`pos`   record[POSITION]: a position, compact and without history; it can be written to a file unchanged.
`undo`  record[UNDO]: what `undo_move` needs in addition to the position.
`ctx`   a record with at least the fields of `context_fields`; the search's context (search/context.py) has more.
`move`  uint32; 0 is no move. The game defines the meaning of the bits.
Values are int32 from the point of view of the side to move, in the game's unit, between -VALUE_MAX and VALUE_MAX.
A win in n plies is VALUE_MATE - n.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine.common.registry import Registry
from shogi_engine.interface.extras import Extras
from shogi_engine.interface.stubs import (
    NOTHING,
    Evaluation,
    evaluation_stub,
    provides as provides,  # imported from here by a game's modules
    provides_evaluation as provides_evaluation,
    stub,
)
from shogi_engine.jit import njit
from shogi_engine.types.outcomes import TERMINATIONS as TERMINATIONS

MOVE_NONE = np.uint32(0)
VALUE_NONE = 32002  # no value
VALUE_INFINITE = 32001
VALUE_MATE = 32000  # a win in n plies is VALUE_MATE - n
MAX_PLY = 128  # deepest line of the search
VALUE_MATE_IN_MAX = VALUE_MATE - 1000  # larger and equal values are forced wins
VALUE_MAX = VALUE_MATE_IN_MAX - 1  # the largest value of an evaluation

HISTORY_SLOTS = 1 << 16  # the range of history_slot
CAPTURE_SLOTS = 1 << 16  # the range of capture_slot
CORRECTION_TABLES, CORRECTION_SLOTS = 6, 1 << 14  # the number and range of correction_slots

# How a game has ended (see `game_result`); TERMINATIONS[number] is the name.
NOT_OVER, NO_LEGAL_MOVE, REPETITION, PERPETUAL_CHECK, DECLARATION, MOVE_LIMIT, TRY = range(7)


@dataclass(frozen=True)
class Game:
    """The description of a game for the search and for Python: its dtypes, its notation, and its sizes.

    Attributes:
        position, undo: dtypes made by `jit.record_dtype`
        max_moves: the maximum number of moves that `generate_moves` writes for a valid position
        start: the notation of the starting position
        parse_position: `parse_position(text)` returns a record; raises ValueError saying what is wrong and where
        format_position: `format_position(pos)`, its inverse
        parse_move: `parse_move(pos, text)` returns a legal move as an int; raises ValueError
        format_move: `format_move(pos, move)`, its inverse
        params: the dtype of the parameters, search.parameters.SEARCH_FIELDS and the game's own; copied into contexts
        default_params: `default_params()` returns their defaults
        evaluations: a Registry of `Evaluation`s; None if the only evaluation is provided as rules
        state: the dtype of the game's record for each ply of the searched line (see `update_state`)
        thread_tables: dtype fields for tables of the game's own kernels, kept in search.history.Histories
        plies_left: `plies_left(position)` is an upper bound of the remaining plies, without moves of cost 0
        continuation_slots: the range of `continuation_slot`
        search_flags: the parts of the search that are used for this game, bits of search.context; -1 for all
        extras: optional parts that the search does not need
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
    evaluations: Registry | None = None
    state: np.dtype = NOTHING
    thread_tables: tuple[tuple, ...] = ()
    plies_left: Callable[[Any], int] | None = None
    continuation_slots: int = 0
    search_flags: int = -1
    extras: Extras = Extras()

    @functools.cached_property
    def _only_evaluation(self) -> Evaluation:
        return Evaluation("evaluation", self.position)

    def evaluation(self, name: str = "") -> Evaluation:
        """Return the evaluation called `name`, '' for the default. Raises ValueError listing the names if none is."""
        if self.evaluations is not None:
            return self.evaluations.load(name)
        if name:
            raise ValueError(f"{self.name} has one evaluation, which has no name; there is no {name!r}")
        return self._only_evaluation


def context_fields(game: Game, plies: int, game_ply: int | None = None) -> list[tuple]:
    """Return the fields of every context: a position, buffers large enough for `plies` plies, and undo records.

    Args:
        game_ply: the number of undo records; None for one per ply. The search also keeps the game's moves there.
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
    """Write the moves of ctx.pos to ctx.moves[start:] and return their number, at most Game.max_moves.

    They may be pseudo-legal (see `is_legal`). They must include every legal move exactly once, also in check. A pass is
    a move. If the game is over, there are no moves.
    """
    raise NotImplementedError


@stub
def generate_captures(ctx, start):
    """Write the moves that are not quiet, like `generate_moves`. Moves that a search does not need may be omitted."""
    return 0


@stub
def is_legal(pos, move):
    """Tell whether a move that `generate_moves` wrote for `pos` is legal."""
    return True


@njit
def list_legal(ctx, start, count):
    """Keep only the legal ones of the `count` moves in ctx.moves[start:], in their order, and return their number."""
    end = start
    for index in range(start, start + count):
        if is_legal(ctx.pos, ctx.moves[index]):
            ctx.moves[end] = ctx.moves[index]
            end += 1
    return end - start


@stub
def count_moves(ctx, start):
    """Return the number of legal moves of ctx.pos, for the last ply of perft, if possible without listing them."""
    count = 0
    for index in range(start, start + generate_moves(ctx, start)):
        if is_legal(ctx.pos, ctx.moves[index]):
            count += 1
    return count


@stub
def count_replies(ctx, start, free_pass):
    """Return the number of leaves two plies below ctx.pos, or -1; perft then makes each move.

    This is for games that can count the replies to several moves at once. ctx.moves[start:] and ctx.scores[start:] are
    free. With free_pass, a move of cost 0 is not a ply. A finished game counts as `finished_leaves`.
    """
    return -1


@stub
def do_move(pos, move, undo):
    """Make a legal `move`, and write to `undo` what `undo_move` needs."""
    raise NotImplementedError


@stub
def undo_move(pos, move, undo):
    """Take back the last `do_move(pos, move, undo)`, restoring `pos` byte for byte."""
    raise NotImplementedError


@stub
def do_null(pos, undo):
    """Make a null move: pass the turn to the other side. It is called only if `null_allowed`."""


@stub
def undo_null(pos, undo):
    """Take back `do_null`."""


@stub
def null_allowed(pos):
    """Tell whether a null move may be tried: not in check, and not if zugzwang is likely."""
    return False


@stub
def key(pos):
    """Return the position's 64-bit hash key. Equal positions must have equal keys, independent of the moves before."""
    raise NotImplementedError


@stub
def key_after(pos, move):
    """Return the `key` after `move`, for prefetching before the move is made. For 0, nothing is prefetched."""
    return np.uint64(0)


@stub
def move_cost(pos, move):
    """Return the depth in plies that `move` uses: 1, or 0 for a pass."""
    return 1


@stub
def finished_leaves(pos):
    """Return the number that perft counts for a game that ends before the requested depth: 0 in Shogi, 1 in Othello."""
    return 0


@stub
def write_cells(pos, cells):
    """Write to uint8 cells the index of each square's piece in `Extras.drawing.symbols`, then the numbers in hand."""


# ---- the evaluation ----------------------------------------------------------------------------------------------


@evaluation_stub
def evaluate(ctx):
    """Return the static evaluation of ctx.pos for the side to move.

    After `update_line(ctx)` the accumulator is in ctx.accumulators[ctx.ply].
    """
    raise NotImplementedError


@evaluation_stub
def refresh_accumulator(ctx, ply):
    """Compute ctx.accumulators[ply] for ctx.pos from scratch; ply is ctx.ply, or 0 at the root of a search."""


@evaluation_stub
def update_accumulator(ctx, ply):
    """Compute ctx.accumulators[ply] from that of ply - 1 and the move between them (see `update_line`).

    ctx.pos may be a later position of the line. Mark parts that cannot be updated incrementally as stale; `evaluate`
    refreshes them when they are needed, because ctx.pos is then the position of that ply.
    """


@evaluation_stub
def root_order_score(ctx, move):
    """Return a score for the initial order of the root moves, in any unit. It decides between moves of equal value."""
    return 0


@evaluation_stub
def probcut(ctx, depth):
    """Return (shallow, spread): the depth of a search that predicts a search of `depth` plies, and its error.

    The spread is the standard deviation of the difference of their values. If shallow is 0, there is no ProbCut.
    """
    return np.int64(0), np.int64(0)  # not literals: the search calls itself with the depth


@stub
def refresh_state(ctx, ply):
    """Compute ctx.states[ply], the game's record of a ply, for ctx.pos, like `refresh_accumulator`."""


@stub
def update_state(ctx, ply):
    """Compute ctx.states[ply] from that of ply - 1 and the move between them (see `update_states`).

    A state may also hold fields that are written elsewhere, for example by `set_check_info`.
    """


@njit
def refresh_line(ctx):
    """Make ctx.pos the root of a line: compute the accumulator and the state of ply 0, and discard the others."""
    ctx.computed_ply = ctx.state_ply = 0
    refresh_accumulator(ctx, 0)
    refresh_state(ctx, 0)


@njit
def update_line(ctx):
    """Update the accumulators from the last computed ply (ctx.computed_ply) to ctx.ply.

    The move between ply - 1 and ply is in ctx.undo[ctx.game_ply - ctx.ply + ply - 1].
    """
    while ctx.computed_ply < ctx.ply:
        ctx.computed_ply += 1
        update_accumulator(ctx, ctx.computed_ply)


@njit
def update_states(ctx):
    """Update the game's states from the last computed ply (ctx.state_ply) to ctx.ply."""
    while ctx.state_ply < ctx.ply:
        ctx.state_ply += 1
        update_state(ctx, ctx.state_ply)


@njit
def leave_ply(ctx):
    """Discard what was computed for plies after ctx.ply. It is called after a move was taken back."""
    ctx.computed_ply = min(ctx.computed_ply, ctx.ply)
    ctx.state_ply = min(ctx.state_ply, ctx.ply)


# ---- values ------------------------------------------------------------------------------------------------------


@stub
def naive_value(ctx):
    """Return a simple evaluation for the side to move, in the unit of `evaluate`: the material or disc difference."""
    return evaluate(ctx)


@stub
def terminal_value(ctx):
    """Return the value of ctx.pos, which has no legal moves. A loss is -VALUE_MATE + ctx.ply."""
    raise NotImplementedError


@stub
def game_result(ctx, move_count):
    """Return (termination, value) of a game that has reached ctx.pos, or (NOT_OVER, VALUE_NONE) if it is not over.

    The termination is one of the constants above. The value is the result for the side to move: 0 for a draw,
    +-VALUE_MATE for a win or a loss, or the score in the game's unit. It is assumed that a side that can declare a win
    does so. ctx.undo[:ctx.game_ply] are all moves of the game.
    A search calls `repetition_value` and `declaration_value` instead.

    Args:
        move_count: the number of legal moves of ctx.pos
    """
    if move_count == 0:
        return np.int64(NO_LEGAL_MOVE), np.int64(terminal_value(ctx))
    return np.int64(NOT_OVER), np.int64(VALUE_NONE)


@stub
def repetition_value(ctx):
    """Return the value of ctx.pos if the repetition rules decide it, else VALUE_NONE.

    ctx.undo[:ctx.game_ply] are the moves of the game and of the searched line, oldest first.
    """
    return VALUE_NONE


@stub
def repetition_key(pos):
    """Return a hash of what `repetition_value` compares. Positions with different hashes are not repetitions."""
    return key(pos)


@stub
def declaration_value(ctx):
    """Return the value of ctx.pos if the side to move can end the game by a declaration, else VALUE_NONE."""
    return VALUE_NONE


@stub
def endgame_solve(ctx, alpha, beta):
    """Return the value of ctx.pos, exact within the window, if an endgame solver computes it, else VALUE_NONE."""
    return VALUE_NONE


@stub
def mate_in_one(ctx, start):
    """Return a move that wins at once if one is easily found, else MOVE_NONE. It is not called if `is_in_check`.

    Args:
        start: the index from which ctx.moves is free
    """
    return MOVE_NONE


@stub
def correction_slots(ctx):
    """Return the index of ctx.pos in each of the CORRECTION_TABLES correction histories, below CORRECTION_SLOTS.

    Each is a hash of a part of the position and the side to move. All positions with the same part share a correction.
    """
    return 0, 0, 0, 0, 0, 0


@stub
def generate_quiets(ctx, start):
    """Write the quiet moves that a search needs. A game provides this and `generate_captures`, or neither."""
    return generate_moves(ctx, start)


@stub
def generate_evasions(ctx, start):
    """Write the moves that a search needs when the side to move is in check."""
    return generate_moves(ctx, start)


@stub
def is_legal_tt_move(pos, move):
    """Tell whether `move` from the table, stored for any position, is legal in `pos`; False if this is unknown."""
    return False


@stub
def is_in_check(pos):
    """Tell whether the side to move is in check, so that it can neither stand pat nor make a null move."""
    return False


# ---- ordering ----------------------------------------------------------------------------------------------------


@stub
def score_moves(ctx, start, count):
    """Write the game's ordering scores of quiet moves to ctx.scores[start:start + count]. Higher scores come first.

    |score| must be below 1 << 20. The search adds its histories.
    """
    for index in range(start, start + count):
        ctx.scores[index] = 0


@stub
def is_quiet(pos, move):
    """Tell whether `move` is quiet, which means not a capture."""
    return True


@stub
def history_slot(pos, move):
    """Return the index of a quiet `move` in the main history, below HISTORY_SLOTS."""
    return np.int64(move) & (HISTORY_SLOTS - 1)


@stub
def continuation_slot(pos, move):
    """Return the index of `move` (piece and target) in the continuation histories, below Game.continuation_slots.

    It is -1 if the game has no continuation histories.
    """
    return -1


@stub
def usual_slots(pos):
    """Return (first, end), the range of continuation slots of most quiet moves, for prefetching."""
    return np.int64(0), np.int64(0)


@stub
def capture_slot(pos, move):
    """Return the index of a `move` that is not quiet in the history of captures, below CAPTURE_SLOTS."""
    return np.int64(0)


@stub
def capture_value(ctx, move):
    """Return the immediate gain of a `move` that is not quiet: the value of the captured piece and of the promotion."""
    return np.int64(0)


@stub
def is_recapture(pos, move, last):
    """Tell whether `move` goes to the target square of the previous move, `last`."""
    return False


@stub
def set_check_info(ctx):
    """Prepare `gives_check` for the moves of ctx.pos."""


@stub
def gives_check(ctx, move):
    """Tell whether `move` gives check. Checks are not pruned like quiet moves."""
    return False


@stub
def see_ge(ctx, move, threshold):
    """Tell whether the static exchange evaluation of `move` is at least `threshold`, in the unit of `capture_value`."""
    return True


# ---- for evaluations ---------------------------------------------------------------------------------------------


@njit
def value_after(ctx, move):
    """Return `evaluate` after `move`, for the side that makes it; the move is made as in a search."""
    undo = ctx.undo[ctx.game_ply]
    do_move(ctx.pos, move, undo)
    ctx.game_ply, ctx.ply = ctx.game_ply + 1, ctx.ply + 1
    value = -evaluate(ctx)
    ctx.game_ply, ctx.ply = ctx.game_ply - 1, ctx.ply - 1
    leave_ply(ctx)
    undo_move(ctx.pos, move, undo)
    return value


# ---- texts as kernels read and write them, for hosts without Python (shogi_engine/embedded) -----------------------
#
# `text` is uint8[], UTF-8. What writes returns the end of what it has written.

MINUS, DIGIT = ord("-"), ord("0")


def words(*given: str) -> np.ndarray:
    """Return words as uint8[n, m] in UTF-8, the length of each first, for `put`."""
    data = [word.encode() for word in given]
    table = np.zeros((len(data), 1 + max(map(len, data))), dtype=np.uint8)
    for row, word in zip(table, data, strict=True):
        row[0], row[1 : 1 + len(word)] = len(word), list(word)
    return table


@njit
def put(text, end, table, row):
    """Write a word of `words`."""
    for index in range(int(table[row, 0])):
        text[end + index] = table[row, index + 1]
    return end + int(table[row, 0])


@njit
def write_number(text, end, number):
    """Write an integer."""
    if number < 0:
        text[end] = MINUS
        end, number = end + 1, -number
    unit = 1
    while number // unit >= 10:
        unit *= 10
    while unit > 0:
        text[end] = DIGIT + number // unit % 10
        end += 1
        unit //= 10
    return end


@stub
def read_position(pos, text, start, stop):
    """Read the position in text[start:stop], in its usual form, into `pos`; return 1, 0 if it is not one.

    There are two bytes more, and text[stop] is a blank or the end of a line.
    """
    return 0


@stub
def write_position(pos, text, end):
    """Write `pos` to text[end:]."""
    return end


@stub
def read_move(pos, text, start, stop):
    """Return the legal move in text[start:stop], MOVE_NONE if there is none."""
    return MOVE_NONE


@stub
def write_move(pos, move, text, end):
    """Write `move` to text[end:], as `read_move` reads it."""
    return end


@stub
def plies_left(pos):
    """Return an upper bound of the remaining plies, as Game.plies_left; 0 if there is none."""
    return 0
