"""How a game of Shogi ends: checkmate, repetition and perpetual check, the entering king, the move limit.

`game_result`, `occurrence`, `repetition` and `declaration` are the exact rules for a whole game. The search uses
`repetition_value` and `declaration_value`.
"""

from collections.abc import Iterator
from enum import Flag
from typing import Any

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.bitboard import (
    BOARD,
    NOT_LAST,
    NOT_LAST_TWO,
    STEP_ATTACKS,
    ZONE,
    attackers_to,
    bishops_and_horses,
    files_without,
    in_check,
    occupied,
    pieces,
    rooks_and_dragons,
)
from shogi_engine.games.shogi.names import CSA_24, CSA_24H, CSA_27H, NO_ENTERING_KING, TRY_RULE
from shogi_engine.games.shogi.position import compute_checkers_and_pins, rebuild
from shogi_engine.games.shogi.types import (
    HAND_GUARDS,
    KIND_NAMES,
    POSITION,
    PROMOTED_KINDS,
    SIDES,
    SQUARE_NAMES,
    hand_covers,
    list_squares,
)
from shogi_engine.interface import game as rules
from shogi_engine.interface.game import (
    DECLARATION,
    MOVE_LIMIT,
    NO_LEGAL_MOVE,
    NOT_OVER,
    PERPETUAL_CHECK,
    REPETITION,
    TRY,
    VALUE_MATE,
    VALUE_MAX,
    VALUE_NONE,
    provides,
)
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import from_halves
from shogi_engine.language import InputError, Message

# ---- Results of the rules for the side to move, and their values in the search


DRAW, LOSS, WIN = 1, 2, 3  # the result by a rule for the side to move; 0: the game continues

# For a perpetual check in the searched line, before the fourth occurrence, and for a repeated board with more pieces in
# hand: both are almost certain wins, but the distance to the end is not proven.
VALUE_PERPETUAL = VALUE_MAX
VALUE_SUPERIOR = VALUE_MAX - 1000
VALUE_LIMIT = VALUE_SUPERIOR - 1000  # evaluations stay below the values of repetitions, which are more certain


@provides(POSITION)
def terminal_value(ctx):
    return -VALUE_MATE + ctx.ply  # a side without a legal move has lost, in check or not


# ---- The entering king: declarations by points, the try rule, and the move limit


SET_POINTS = 54  # the points of all pieces except kings, by the entering-king rules
TRY_SQUARE = 4  # 5a, the starting square of the enemy king as black sees the board


@njit
def hand_points(hand):
    """Return the points of a hand (uint64): bishops and rooks five each, the others one."""
    points = 0
    for kind in range(1, 8):
        points += t.hand_count(hand, kind) * (5 if kind in (t.BISHOP, t.ROOK) else 1)
    return points


@njit
def board_points(pos, colour, squares):
    """Return (points, pieces) of a colour's pieces, without its king, on `squares`."""
    count = len((pieces(pos, colour) ^ pieces(pos, colour, t.KING)) & squares)
    return count + 4 * len((bishops_and_horses(pos, colour) | rooks_and_dragons(pos, colour)) & squares), count


@njit
def missing_points(pos):
    """Return the points of the pieces that are missing, in a handicap game or a composed position."""
    points = SET_POINTS
    for colour in range(2):
        points -= board_points(pos, colour, BOARD)[0] + hand_points(pos.hand[colour])
    return points


@njit
def can_try(pos):
    """Tell whether the king of the side to move may step to the enemy king's starting square."""
    us = int(pos.side)
    king, goal = int(pos.king[us]), t.relative_square(us, TRY_SQUARE)
    if king == t.NO_SQUARE or goal not in STEP_ATTACKS[us, t.KING, king] & ~pieces(pos, us):
        return False
    return not attackers_to(pos, goal, 1 - us, occupied(pos) ^ pieces(pos, us, t.KING))


@njit
def declaration(pos, rule):
    """Return WIN or DRAW if the side to move may declare it by the entering-king `rule` (see params), else 0.

    Its king must stand in the promotion zone, not in check, with at least ten more of its pieces there. These pieces
    and those in hand give points: bishop, rook, horse and dragon five, the others one. 27-point rule: black wins with
    28 points, white with 27. 24-point rule: 31 points win, 24 draw. Try rule: WIN if the king may step to the enemy
    king's starting square.
    Source: CSA protocol; YaneuraOu's EnteringKingRule for handicaps (points of missing pieces are white's).
    """
    us = int(pos.side)
    king = int(pos.king[us])
    if rule == TRY_RULE:
        return WIN if can_try(pos) else 0
    if rule == NO_ENTERING_KING or king == t.NO_SQUARE or king not in ZONE[us]:
        return 0
    points, count = board_points(pos, us, ZONE[us])
    if count < 10 or in_check(pos):
        return 0
    points += hand_points(pos.hand[us])
    if us == t.WHITE and rule in (CSA_24H, CSA_27H):
        points += missing_points(pos)
    if rule in (CSA_24, CSA_24H):
        if points >= 31:
            return WIN
        return DRAW if points >= 24 else 0
    return WIN if points >= (28 if us == t.BLACK else 27) else 0


@njit
def has_tried(pos):
    """Tell whether the side that has just moved has won by the try rule: its king is on the enemy's starting square."""
    them = 1 - int(pos.side)
    return int(pos.king[them]) == t.relative_square(them, TRY_SQUARE)


@njit
def reached_move_limit(ctx):
    """Tell whether the move limit (params.max_moves) draws the game; a side in check may still be mated."""
    limit = ctx.params.max_moves
    return limit > 0 and int(ctx.pos.ply) >= limit and not in_check(ctx.pos)


@provides(t.POSITION)
def declaration_value(ctx):
    # A declaration replaces a move, so it wins in one ply. Declaring a draw is optional, so it has no value here.
    rule = ctx.params.entering_king_rule
    if rule == TRY_RULE:
        if has_tried(ctx.pos):
            return -VALUE_MATE + ctx.ply
    elif declaration(ctx.pos, rule) == WIN:
        return VALUE_MATE - ctx.ply - 1
    return ctx.params.draw_value[ctx.pos.side] if reached_move_limit(ctx) else VALUE_NONE


# ---- Repetition (sennichite), perpetual check, and the same board with more or fewer pieces in hand


@njit
def same_hands(pos, undo):
    """Tell whether both hands of `pos` are those saved in `undo`."""
    return pos.hand[0] == undo.hand[0] and pos.hand[1] == undo.hand[1]


@njit
def occurrence(pos, undo, game_ply, number):
    """Return the index of the `number`-th occurrence of `pos`, counting backwards from the current one (1), or -1.

    Args:
        undo: record[UNDO][>= game_ply], in, of the moves that led to `pos`; undo[i] describes the position before
            move i. Positions are equal if board, both hands and side to move are equal.
    """
    left = number - 1
    index = game_ply
    while left > 0 and index >= 4:
        # A repetition takes at least four plies.
        index -= 4
        while index >= 0 and not (undo[index].board_key == pos.board_key and same_hands(pos, undo[index])):
            index -= 2
        if index >= 0:
            left -= 1
    return index if left == 0 else -1


@njit
def perpetual(pos, undo, first, game_ply):
    """Return the result if `pos`, at `game_ply`, repeats the position before move `first`.

    LOSS if only the side to move gave check with every move in between (perpetual check), WIN if only the other side
    did, else DRAW.
    """
    ours = theirs = True
    for index in range(first + 1, game_ply, 2):  # the positions with the other side to move: is it in check?
        if not in_check(undo[index]):
            ours = False
            break
    if not in_check(pos):
        theirs = False
    else:
        for index in range(first + 2, game_ply, 2):
            if not in_check(undo[index]):
                theirs = False
                break
    if ours == theirs:
        return DRAW
    return LOSS if ours else WIN


@njit
def repetition(pos, undo, game_ply):
    """Return how the fourth occurrence of `pos` settles the game for the side to move; 0 if it is not the fourth.

    A draw, unless one side gave check with every move since the first of the four: that side loses.

    Args:
        undo: record[UNDO][>= game_ply], in, as for `occurrence`
    """
    first = occurrence(pos, undo, game_ply, 4)
    return perpetual(pos, undo, first, game_ply) if first >= 0 else 0


@njit
def has_null(undo, first, game_ply):
    """Tell whether there is a null move between `first` and `game_ply`; then no position counts as repeated."""
    index = first
    while index < game_ply and undo[index].move != 0:
        index += 1
    return index < game_ply


@njit
def repeated_value(ctx, nearest):
    """Return the value of ctx.pos, whose last occurrence is `nearest`; VALUE_NONE if this is no repetition yet."""
    root = ctx.game_ply - ctx.ply
    first = occurrence(ctx.pos, ctx.undo, ctx.game_ply, 4)
    over = first >= 0
    if not over:
        first = occurrence(ctx.pos, ctx.undo, ctx.game_ply, 3)
        if first < 0:
            first = nearest
            if nearest < root:
                return VALUE_NONE
    result = perpetual(ctx.pos, ctx.undo, first, ctx.game_ply)
    if result == DRAW:
        return ctx.params.draw_value[ctx.pos.side]
    value = (VALUE_MATE if over else VALUE_PERPETUAL) - ctx.ply
    return value if result == WIN else -value


@provides(POSITION)
def repetition_value(ctx):
    # A position that occurred once since the root, or twice before it, counts as settled: a side that can repeat once
    # can repeat again. Only the fourth occurrence ends the game, and only it has a mate value.
    # The same board with more in hand is superior, with less in hand inferior. As in other engines, this counts only
    # occurrences since the root. All of them are compared.
    game_ply = ctx.game_ply
    board_key = ctx.pos.board_key
    for index in range(game_ply - 4, -1, -2):
        if ctx.undo[index].board_key != board_key:
            continue
        if has_null(ctx.undo, index, game_ply):
            break
        if same_hands(ctx.pos, ctx.undo[index]):
            return repeated_value(ctx, index)
        if index >= game_ply - ctx.ply:
            hand, before = ctx.pos.hand[ctx.pos.side], ctx.undo[index].hand[ctx.pos.side]
            if hand_covers(hand, before, HAND_GUARDS):
                return VALUE_SUPERIOR - ctx.ply
            if hand_covers(before, hand, HAND_GUARDS):
                return ctx.ply - VALUE_SUPERIOR
    return VALUE_NONE


# ---- `game_result`: how a whole game of Shogi ends, for programs that play games
#
# The search uses the other modules of this package, which end a game at an earlier repetition and may give a draw a
# value.


@rules.provides(POSITION)
def game_result(ctx, move_count):
    # In the order of `Board.outcome`; then a player's declaration, and a tournament's move limit.
    rule = ctx.params.entering_king_rule
    if rule == TRY_RULE and has_tried(ctx.pos):
        return np.int64(TRY), np.int64(-VALUE_MATE)
    if move_count == 0:
        return np.int64(NO_LEGAL_MOVE), np.int64(-VALUE_MATE)
    verdict = repetition(ctx.pos, ctx.undo, ctx.game_ply)
    if verdict == DRAW:
        return np.int64(REPETITION), np.int64(0)
    if verdict != 0:
        return np.int64(PERPETUAL_CHECK), np.int64(VALUE_MATE if verdict == WIN else -VALUE_MATE)
    if rule != TRY_RULE and declaration(ctx.pos, rule) == WIN:
        return np.int64(DECLARATION), np.int64(VALUE_MATE)
    if reached_move_limit(ctx):
        return np.int64(MOVE_LIMIT), np.int64(0)
    return np.int64(NOT_OVER), np.int64(VALUE_NONE)


# ---- Finds violations of the rules in a position, in kernels; others put them into words


# The faults of a position, one bit each.
TOO_MANY_KINGS, TOO_MANY_PIECES, DEAD_PIECE, TWO_PAWNS, OPPOSITE_CHECK = (1 << bit for bit in range(5))
WHOLE_SET = np.uint64(sum(t.SET_SIZE[kind] << 8 * kind for kind in range(t.PAWN, t.KING)))

# By piece: 1 in the byte of its unpromoted kind; 0 for a king.
FULL_HAND = sum(255 << 8 * kind for kind in range(t.PAWN, t.KING))
ONE_OF = np.array([1 << 8 * int(t.UNPROMOTED[piece & 15]) & FULL_HAND for piece in range(32)], dtype=np.uint64)


@njit
def faults_of(pos, counts):
    """Return the faults of `pos`, a sum of the bits above, 0 if it is valid; set checkers and pins.

    All other fields must be set already.

    Args:
        counts: uint64, the number of pieces of each kind, one byte each
    """
    faults = 0 if t.hand_covers(WHOLE_SET, counts, t.HAND_GUARDS) else TOO_MANY_PIECES
    for colour in range(2):
        if len(pieces(pos, colour, t.KING)) > 1:
            faults |= TOO_MANY_KINGS
        stuck = (pieces(pos, colour, t.PAWN) | pieces(pos, colour, t.LANCE)) & ~NOT_LAST[colour]
        stuck |= pieces(pos, colour, t.KNIGHT) & ~NOT_LAST_TWO[colour]
        pawns = pieces(pos, colour, t.PAWN)
        if stuck:
            faults |= DEAD_PIECE
        if len(files_without(pawns)) != t.SQUARES - 9 * len(pawns):
            faults |= TWO_PAWNS
    us = int(pos.side)
    king = int(pos.king[1 - us])
    if king != t.NO_SQUARE and attackers_to(pos, king, us, occupied(pos)):
        faults |= OPPOSITE_CHECK
    compute_checkers_and_pins(pos)
    return faults


@njit
def position_faults(pos):
    """Return the faults of the board, hands and side of `pos`, as `faults_of`, and derive all its other fields."""
    rebuild(pos)
    for hand in pos.hand:  # the counts below fit into their bytes only if no hand exceeds a set
        if hand & t.HAND_GUARDS or not t.hand_covers(WHOLE_SET, hand, t.HAND_GUARDS):
            return TOO_MANY_PIECES | faults_of(pos, ZERO)
    counts = pos.hand[0] + pos.hand[1]
    for square in occupied(pos):
        counts += ONE_OF[pos.board[square]]
    return faults_of(pos, counts)


@njit
def attackers_on_board(pos, square, colour):
    """Return the pieces of `colour` that attack `square`, as the two halves of a bitboard."""
    attackers = attackers_to(pos, square, colour, occupied(pos))
    return attackers.lo, attackers.hi


# ---- Validation: keeps positions that break the rules away from the kernels, which rely on them
#
# Every refusal is a ValueError that says what is wrong and where. Kings and other pieces may be missing, as in problems
# and handicaps.


class Status(Flag):
    """What is wrong with a position: VALID, or several of the others."""

    VALID = 0
    TOO_MANY_KINGS = TOO_MANY_KINGS
    TOO_MANY_PIECES = TOO_MANY_PIECES
    DEAD_PIECE = DEAD_PIECE
    TWO_PAWNS = TWO_PAWNS
    OPPOSITE_CHECK = OPPOSITE_CHECK


def position_status(pos: Any) -> Status:
    """Return what is wrong with the board, hands and side of `pos`, and derive all its other fields."""
    return Status(int(position_faults(pos)))


def validate_position(pos: Any) -> None:
    """Raise ValueError if the board, hands and side of `pos` are impossible, else derive all its other fields.

    A position is impossible if a colour has two kings, or two unpromoted pawns on a file; if there are more pieces than
    in a set, or pieces that can never move; or if the side that is not to move is in check.
    """
    for status in position_status(pos):
        raise InputError("position: {0}", next(WORDS[status](pos)))


def attacking_squares(pos: Any, square: int, colour: int) -> list[int]:
    """Return the squares of the pieces of `colour` that attack `square`."""
    return list(from_halves(*attackers_on_board(pos, square, colour)))


def _squares(pos: Any, colour: int, kind: int) -> list[int]:
    """Return the squares of the pieces of `colour` and `kind`."""
    return np.flatnonzero(pos.board == t.make_piece(colour, kind)).tolist()


def _too_many_kings(pos: Any) -> Iterator[str]:
    for colour, side in enumerate(SIDES):
        kings = _squares(pos, colour, t.KING)
        if len(kings) > 1:
            yield Message("{0} {1} kings, on {2}", len(kings), side, list_squares(kings))


def _too_many_pieces(pos: Any) -> Iterator[str]:
    for kind in range(t.PAWN, t.ROOK + 1):
        on_board = sum(
            len(_squares(pos, colour, each)) for colour in (0, 1) for each in (kind, PROMOTED_KINDS[kind]) if each
        )
        in_hand = [hand >> 8 * kind & 255 for hand in pos.hand.tolist()]
        total = on_board + sum(in_hand)
        if total > t.SET_SIZE[kind]:
            where = Message(
                "{0} on the board, {1} in black's hand, {2} in white's", on_board, in_hand[t.BLACK], in_hand[t.WHITE]
            )
            yield Message("{0} {1}s ({2}), but a set has {3}", total, KIND_NAMES[kind], where, t.SET_SIZE[kind])


def _dead_piece(pos: Any) -> Iterator[str]:
    for colour, side in enumerate(SIDES):
        for kind in (t.PAWN, t.LANCE, t.KNIGHT):
            for square in _squares(pos, colour, kind):
                if is_dead(colour, kind, square):
                    yield Message("the {0} {1} on {2} can never move", side, KIND_NAMES[kind], SQUARE_NAMES[square])


def _two_pawns(pos: Any) -> Iterator[str]:
    for colour, side in enumerate(SIDES):
        files: dict[int, int] = {}
        for square in _squares(pos, colour, t.PAWN):
            first = files.setdefault(square % 9, square)
            if first != square:
                where = Message("file {0}, on {1}", 9 - square % 9, list_squares([first, square]))
                yield Message("two unpromoted {0} pawns on {1} (nifu)", side, where)


def _opposite_check(pos: Any) -> Iterator[str]:
    side, king = int(pos.side), int(pos.king[1 - pos.side])
    where = Message("on {0} is in check from {1}", SQUARE_NAMES[king], list_squares(attacking_squares(pos, king, side)))
    yield Message("{0}'s king {1}, but {2} is to move", SIDES[1 - side], where, SIDES[side])


WORDS = {
    Status.TOO_MANY_KINGS: _too_many_kings,
    Status.TOO_MANY_PIECES: _too_many_pieces,
    Status.DEAD_PIECE: _dead_piece,
    Status.TWO_PAWNS: _two_pawns,
    Status.OPPOSITE_CHECK: _opposite_check,
}


def is_dead(colour: int, kind: int, square: int) -> bool:
    """Tell whether a piece of `kind` on `square` could never move again: pawn, lance, knight on the last ranks."""
    ahead = square // 9 if colour == t.BLACK else 8 - square // 9
    return ahead < {t.PAWN: 1, t.LANCE: 1, t.KNIGHT: 2}.get(kind, 0)
