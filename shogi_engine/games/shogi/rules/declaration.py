"""The entering king: declarations by points, the try rule, and the move limit."""

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.attacks import attackers_to
from shogi_engine.games.shogi.bitboard import BOARD, STEP_ATTACKS, ZONE
from shogi_engine.games.shogi.names import CSA_24, CSA_24H, CSA_27H, NO_ENTERING_KING, TRY_RULE
from shogi_engine.games.shogi.queries import bishops_and_horses, in_check, occupied, pieces, rooks_and_dragons
from shogi_engine.games.shogi.rules.results import DRAW, WIN
from shogi_engine.interface.game import VALUE_MATE, VALUE_NONE, provides
from shogi_engine.jit import njit

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
