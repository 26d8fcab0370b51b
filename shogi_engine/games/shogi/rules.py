"""How a game of Shogi ends: no legal move, repetition and perpetual check, the entering king.

The exact rules, for a whole game, are `occurrence`, `repetition` and `declaration`; what the search makes of them is
`repetition_value` and `declaration_value`.
"""

import numpy as np

from shogi_engine.bits import ZERO, popcount2
from shogi_engine.bits import test as test_bit
from shogi_engine.game import VALUE_MATE, VALUE_MAX, VALUE_NONE, provides
from shogi_engine.games.shogi.attacks import attackers_to
from shogi_engine.games.shogi.bitboard import STEP_ATTACKS, ZONE
from shogi_engine.games.shogi.params import CSA_24, CSA_24H, CSA_27H, NO_ENTERING_KING, TRY_RULE
from shogi_engine.games.shogi.types import (
    BISHOP,
    BLACK,
    DRAGON,
    HORSE,
    KING,
    NO_SQUARE,
    POSITION,
    ROOK,
    WHITE,
    hand_count,
)
from shogi_engine.jit import njit

# A perpetual check that a line of the search has begun (less than the fourth occurrence yet), and a board that came
# back with more pieces in hand: won in all likelihood, but not a proven distance from the end.
VALUE_PERPETUAL = VALUE_MAX
VALUE_SUPERIOR = VALUE_MAX - 1000

DRAW, LOSS, WIN = 1, 2, 3  # how a rule settles the game for the side to move; 0: it does not

SET_POINTS = 54  # all pieces but the kings, as entering-king rules count them
TRY_SQUARES = np.array([4, 76], dtype=np.int64)  # by colour, where the enemy's king began: 5a and 5i
HIGH_BITS = np.uint64(0x8080808080808080)


# ---- repetition --------------------------------------------------------------------------------------------------


@njit
def same_hands(pos, undo):
    """Tell whether both hands of `pos` are those that `undo` remembers."""
    return pos.hand[0] == undo.hand[0] and pos.hand[1] == undo.hand[1]


@njit
def occurrence(pos, undo, game_ply, number):
    """Return the index of the `number`-th occurrence of `pos`, counted backwards from itself (1), or -1.

    undo : record[UNDO][>= game_ply], in; undo[i] remembers the position before move i; `pos` comes after all of them.
    A position is its board, both hands and whose turn it is.
    """
    left = number - 1
    index = game_ply
    while left > 0 and index >= 4:
        # No position comes back in less than four moves. After an occurrence the next one is as far away.
        index -= 4
        while index >= 0 and not (undo[index].board_key == pos.board_key and same_hands(pos, undo[index])):
            index -= 2
        if index >= 0:
            left -= 1
    return index if left == 0 else -1


@njit
def perpetual(pos, undo, first, game_ply):
    """Return who gave check with every move from position `first` to `pos`, at `game_ply`, which repeats it.

    LOSS if only the side to move did, WIN if only the other one, else DRAW.
    """
    ours = theirs = True
    for index in range(first + 1, game_ply, 2):  # the other side, to move, is in check
        if undo[index].checkers[0] | undo[index].checkers[1] == ZERO:
            ours = False
            break
    if pos.checkers[0] | pos.checkers[1] == ZERO:
        theirs = False
    else:
        for index in range(first + 2, game_ply, 2):
            if undo[index].checkers[0] | undo[index].checkers[1] == ZERO:
                theirs = False
                break
    if ours == theirs:
        return DRAW
    return LOSS if ours else WIN


@njit
def repetition(pos, undo, game_ply):
    """Return how the fourth occurrence of `pos` settles the game for the side to move; 0 if it is not the fourth.

    undo : record[UNDO][>= game_ply], in, as for `occurrence`.
    Drawn, unless every move of one side since the first of the four was a check: that side has lost.
    """
    first = occurrence(pos, undo, game_ply, 4)
    return perpetual(pos, undo, first, game_ply) if first >= 0 else 0


@njit
def has_null(undo, first, game_ply):
    """Tell whether a null move is among the moves `first` up to `game_ply`: then nothing was repeated."""
    index = first
    while index < game_ply and undo[index].move != 0:
        index += 1
    return index < game_ply


@njit
def covers(hand, other):
    """Tell whether `hand` holds at least as many pieces of each kind as `other` (uint64 both)."""
    return ((hand | HIGH_BITS) - other) & HIGH_BITS == HIGH_BITS


@njit
def repeated_value(ctx, nearest):
    """Return the value of ctx.pos, last seen at index `nearest`, or VALUE_NONE if the game may well go on."""
    root = ctx.game_ply - ctx.ply
    first = occurrence(ctx.pos, ctx.undo, ctx.game_ply, 4)
    over = first >= 0
    if not over:
        first = occurrence(ctx.pos, ctx.undo, ctx.game_ply, 3)
        if first < 0:
            first = nearest
            if nearest < root:
                return VALUE_NONE
    verdict = perpetual(ctx.pos, ctx.undo, first, ctx.game_ply)
    if verdict == DRAW:
        return ctx.params.draw_value[ctx.pos.side]
    value = (VALUE_MATE if over else VALUE_PERPETUAL) - ctx.ply
    return value if verdict == WIN else -value


@provides(POSITION)
def repetition_value(ctx):
    # A position that came once in the line searched, from the root on, or twice before, is taken for settled: whoever
    # may repeat once may do it again. Only the fourth occurrence is the game's end, and only it has a mate's value.
    # The same board with more in hand is good for who has it, with less it is bad; as in other engines, this looks
    # at the line searched only. There is no limit to how far back it looks.
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
            if covers(hand, before):
                return VALUE_SUPERIOR - ctx.ply
            if covers(before, hand):
                return ctx.ply - VALUE_SUPERIOR
    return VALUE_NONE


# ---- entering king -----------------------------------------------------------------------------------------------


@njit
def hand_points(hand):
    """Return the points of a hand (uint64): bishops and rooks five each, the others one."""
    points = 0
    for kind in range(1, 8):
        points += hand_count(hand, kind) * (5 if kind in (BISHOP, ROOK) else 1)
    return points


@njit
def board_points(pos, colour, lo, hi):
    """Return (points, pieces) of a colour's pieces, without its king, on the squares (lo, hi)."""
    bb = pos.bb[colour]
    pieces = popcount2((bb[0, 0] ^ bb[KING, 0]) & lo, (bb[0, 1] ^ bb[KING, 1]) & hi)
    big_lo = bb[BISHOP, 0] | bb[ROOK, 0] | bb[HORSE, 0] | bb[DRAGON, 0]
    big_hi = bb[BISHOP, 1] | bb[ROOK, 1] | bb[HORSE, 1] | bb[DRAGON, 1]
    return pieces + 4 * popcount2(big_lo & lo, big_hi & hi), pieces


@njit
def missing_points(pos):
    """Return the points of the pieces that a handicap or a composed position leaves out."""
    everywhere = ~ZERO
    points = SET_POINTS
    for colour in range(2):
        points -= board_points(pos, colour, everywhere, everywhere)[0] + hand_points(pos.hand[colour])
    return points


@njit
def can_try(pos):
    """Tell whether the side to move's king may step to where the enemy's king began."""
    us = int(pos.side)
    king, goal = int(pos.king[us]), int(TRY_SQUARES[us])
    if king == NO_SQUARE or not test_bit(STEP_ATTACKS[us, KING, king, 0], STEP_ATTACKS[us, KING, king, 1], goal):
        return False
    if test_bit(pos.bb[us, 0, 0], pos.bb[us, 0, 1], goal):
        return False
    occ_lo = (pos.bb[0, 0, 0] | pos.bb[1, 0, 0]) ^ pos.bb[us, KING, 0]
    occ_hi = (pos.bb[0, 0, 1] | pos.bb[1, 0, 1]) ^ pos.bb[us, KING, 1]
    lo, hi = attackers_to(pos, goal, 1 - us, occ_lo, occ_hi)
    return lo | hi == ZERO


@njit
def declaration(pos, rule):
    """Return WIN or DRAW if the side to move may end the game so by the entering-king `rule` (params), else 0.

    Points: its king in the enemy's three rows, not in check, ten more of its pieces there; they and its hand count
    five for bishop, rook, horse and dragon, one for the others. 27-point rule: black wins with 28, white with 27.
    24-point rule: 31 win, 24 draw. Try rule: WIN if the king may step to where the enemy's began, which wins.
    Source: CSA protocol; YaneuraOu's EnteringKingRule for handicaps (points of missing pieces are white's).
    """
    us = int(pos.side)
    king = int(pos.king[us])
    if rule == TRY_RULE:
        return WIN if can_try(pos) else 0
    if rule == NO_ENTERING_KING or king == NO_SQUARE or not test_bit(ZONE[us, 0], ZONE[us, 1], king):
        return 0
    points, pieces = board_points(pos, us, ZONE[us, 0], ZONE[us, 1])
    if pieces < 10 or pos.checkers[0] | pos.checkers[1] != ZERO:
        return 0
    points += hand_points(pos.hand[us])
    if us == WHITE and rule in (CSA_24H, CSA_27H):
        points += missing_points(pos)
    if rule in (CSA_24, CSA_24H):
        if points >= 31:
            return WIN
        return DRAW if points >= 24 else 0
    return WIN if points >= (28 if us == BLACK else 27) else 0


@njit
def has_tried(pos):
    """Tell whether the side that has just moved has its king where the enemy's began: the try rule's end."""
    them = 1 - int(pos.side)
    return int(pos.king[them]) == TRY_SQUARES[them]


@njit
def has_run_out(ctx):
    """Tell whether the game is drawn by its number of moves (params.max_moves); one in check may still be mated."""
    limit = ctx.params.max_moves
    return limit > 0 and int(ctx.pos.ply) >= limit and ctx.pos.checkers[0] | ctx.pos.checkers[1] == ZERO


@provides(POSITION)
def declaration_value(ctx):
    # A declaration takes the place of a move, so it wins in one ply. A right to a draw is no value: nobody need use it.
    rule = ctx.params.entering_king_rule
    if rule == TRY_RULE:
        if has_tried(ctx.pos):
            return -VALUE_MATE + ctx.ply
    elif declaration(ctx.pos, rule) == WIN:
        return VALUE_MATE - ctx.ply - 1
    return ctx.params.draw_value[ctx.pos.side] if has_run_out(ctx) else VALUE_NONE


# ---- no legal move -----------------------------------------------------------------------------------------------


@provides(POSITION)
def terminal_value(ctx):
    return -VALUE_MATE + ctx.ply  # in check or not
