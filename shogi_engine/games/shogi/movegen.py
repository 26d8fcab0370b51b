"""Shogi's move generation and move counting, for legal moves.

`generate_moves` and the counting functions include all legal moves. The search's generators (`generate_captures`,
`generate_quiets`, `generate_evasions`) omit moves that decline a promotion without need; see
`bitboard.OPTIONAL_PROMOTION`.

The order is always the same: moves of the king to squares that are not attacked, moves of pieces that are not pinned,
moves of pinned pieces along their pins, and drops. All but king moves are limited by target masks, which in check
contain only the squares that stop the check. A drop must not be a second pawn on a file (nifu), a piece that could
never move, or a pawn that gives mate. Squares are numbered row by row (types.py); Black's pawns move towards smaller
numbers.
"""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi import bitboard as bb, types as t
from shogi_engine.games.shogi.bitboard import (
    NOTHING,
    attacked_near_king,
    attackers_to,
    attacks_from,
    bishops_and_horses,
    checkers,
    empty_squares,
    in_check,
    is_drop_pawn_mate,
    occupied,
    pieces,
    pinned,
    rooks_and_dragons,
)
from shogi_engine.games.shogi.types import (
    DROP_BASE,
    KING,
    KNIGHT,
    LANCE,
    PAWN,
    PROMOTED,
    PROMOTION,
    SILVER,
    SQUARES,
    hand_count,
    piece_kind,
)
from shogi_engine.interface.game import provides
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import Table, lowest

# By colour and kind in hand: the squares where it can be dropped, before the special rules for pawns (`pawn_drops`).
_without = {t.LANCE: bb.NOT_LAST, t.KNIGHT: bb.NOT_LAST_TWO}
DROP_SQUARES = Table(
    [[_without[kind][us] if kind in _without else bb.BOARD for kind in range(t.KING)] for us in (0, 1)]
)


@njit
def target_masks(pos):
    """Return the squares that pieces other than the king may move to, and the squares for drops.

    In check, these are the squares that capture the checker or interpose; in double check there are none.
    """
    us = int(pos.side)
    if not in_check(pos):
        return ~pieces(pos, us) & bb.BOARD, empty_squares(pos)  # `~` also sets the bits beyond the board's 81
    check = checkers(pos)
    if len(check) > 1:
        return bb.NOTHING, bb.NOTHING
    way = bb.between(int(pos.king[us]), lowest(check))
    return way | check, way


@njit
def king_targets(pos):
    """Return the squares that the king of the side to move may step to. There are none without a king."""
    us = int(pos.side)
    king = int(pos.king[us])
    if king == t.NO_SQUARE:
        return bb.NOTHING
    attacked = attacked_near_king(pos, king, us, occupied(pos) ^ pieces(pos, us, t.KING))
    return bb.STEP_ATTACKS[us, t.KING, king] & ~(pieces(pos, us) | attacked)


@njit
def pawn_targets(pos, pawns):
    """Return the squares in front of `pawns` of the side to move; they are nine squares further."""
    return pawns >> 9 if pos.side == t.BLACK else pawns << 9 & bb.BOARD


@njit
def pawn_drops(pos, empty):
    """Return the `empty` squares on which a pawn may be dropped."""
    us = int(pos.side)
    drops = empty & bb.NOT_LAST[us] & bb.files_without(pieces(pos, us, t.PAWN))
    king = int(pos.king[1 - us])
    if king != t.NO_SQUARE:
        square = king + 9 if us == t.BLACK else king - 9  # a pawn on it checks the enemy king
        if 0 <= square < t.SQUARES and square in drops and is_drop_pawn_mate(pos, square):
            drops &= ~bb.SQUARE_BITS[square]
    return drops


@njit
def drop_squares(pos, kind, empty):
    """Return the `empty` squares on which a piece of `kind` may be dropped."""
    return pawn_drops(pos, empty) if kind == t.PAWN else empty & DROP_SQUARES[int(pos.side), kind]


# ---- counting ----------------------------------------------------------------------------------------------------


@njit
def moves_to(us, kind, square, targets):
    """Return the number of moves of a piece on `square` to `targets`. An optional promotion counts as two moves."""
    count = len(targets)
    if t.can_promote(kind):
        count += len(targets & bb.OPTIONAL_PROMOTION[bb.LEGAL, us, kind, square])
    return count


@njit
def count_drops(pos, empty):
    """Return the number of drops on the `empty` squares."""
    hand = pos.hand[pos.side]
    count = 0
    if hand == ZERO or not empty:
        return count
    for kind in range(t.PAWN, t.KING):
        if t.hand_count(hand, kind) > 0:
            count += len(drop_squares(pos, kind, empty))
    return count


@provides(t.POSITION)
def count_moves(ctx, start):
    pos = ctx.pos
    us = int(pos.side)
    count = len(king_targets(pos))
    to, drops = target_masks(pos)
    if not to:
        return count  # double check: only the king may move
    free = ~pinned(pos)
    occ = occupied(pos)

    # All pawns at once. Whether their promotion is optional does not depend on the source square, so 0 is passed.
    count += moves_to(us, t.PAWN, 0, pawn_targets(pos, pieces(pos, us, t.PAWN) & free) & to)

    for square in (pieces(pos, us, t.KNIGHT) | pieces(pos, us, t.SILVER) | pieces(pos, us, t.GOLD_MOVERS)) & free:
        kind = t.piece_kind(pos.board[square])
        count += len(bb.STEP_ATTACKS[us, kind, square] & to) + len(bb.STEP_OPTIONAL_PROMOTION[us, kind, square] & to)

    # One loop for each kind of slider. A single loop that looks up the kind of each piece was 9 % slower.
    for square in pieces(pos, us, t.LANCE) & free:
        count += moves_to(us, t.LANCE, square, bb.lance_attacks(us, square, occ) & to)
    for square in bishops_and_horses(pos, us) & free:
        kind = t.piece_kind(pos.board[square])
        count += moves_to(us, kind, square, (bb.STEP_ATTACKS[us, kind, square] | bb.bishop_attacks(square, occ)) & to)
    for square in rooks_and_dragons(pos, us) & free:
        kind = t.piece_kind(pos.board[square])
        count += moves_to(us, kind, square, (bb.STEP_ATTACKS[us, kind, square] | bb.rook_attacks(square, occ)) & to)

    for square in pinned(pos):
        kind = t.piece_kind(pos.board[square])
        count += moves_to(us, kind, square, pinned_targets(pos, kind, square) & to)
    return count + count_drops(pos, drops)


@njit
def pinned_targets(pos, kind, square):
    """Return the squares that a pinned piece of the side to move attacks along its pin."""
    us = int(pos.side)
    king = int(pos.king[us])
    return attacks_from(kind, us, square, occupied(pos)) & bb.RAYS[king, int(bb.DIRECTION[king, square])]


# ---- generation --------------------------------------------------------------------------------------------------


@njit
def promotions(move_set, us, kind, source, targets):
    """Return two sets: the `targets` of a piece from `source` with promotion, and those without.

    Args:
        move_set: LEGAL or SEARCHED
    """
    if not t.can_promote(kind):
        return bb.NOTHING, targets
    zone = bb.promotion_zone(us, source)
    return targets & zone, targets & (~zone | bb.OPTIONAL_PROMOTION[move_set, us, kind, source])


@njit
def is_searched(us, move):
    """Tell whether the set SEARCHED contains the legal `move` of `us`: it does not decline a promotion without need."""
    kind = t.move_kind(move)
    if t.is_drop(move) or t.is_promotion(move) or not t.can_promote(kind):
        return True
    source, target = t.move_from(move), t.move_to(move)
    optional = target in bb.OPTIONAL_PROMOTION[bb.LEGAL, us, kind, source]
    return not optional or target in bb.OPTIONAL_PROMOTION[bb.SEARCHED, us, kind, source]


@njit
def write_moves(ctx, end, kind, source, promote, stay):
    """Write the moves of a piece from `source`: with promotion to `promote`, without to `stay`. Return the end."""
    pos = ctx.pos
    for target in promote:
        ctx.moves[end] = t.board_move(source, target, kind, t.piece_kind(pos.board[target]), 1)
        end += 1
    for target in stay:
        ctx.moves[end] = t.board_move(source, target, kind, t.piece_kind(pos.board[target]), 0)
        end += 1
    return end


@njit
def write_pawn_moves(ctx, end, move_set, pawns, to):
    """Write the moves to `to` of `pawns` of the side to move; return the end."""
    pos = ctx.pos
    us = int(pos.side)
    back = 9 if us == t.BLACK else -9
    zone, targets = bb.ZONE[us], pawn_targets(pos, pawns) & to
    for target in targets & zone:
        ctx.moves[end] = t.board_move(target + back, target, t.PAWN, t.piece_kind(pos.board[target]), 1)
        end += 1
    for target in targets & (~zone | bb.OPTIONAL_PROMOTION[move_set, us, t.PAWN, 0]):  # 0: the same for all squares
        ctx.moves[end] = t.board_move(target + back, target, t.PAWN, t.piece_kind(pos.board[target]), 0)
        end += 1
    return end


@njit
def write_drops(ctx, end, kind, targets):
    """Write the drops of `kind` on `targets`; return the end."""
    for target in targets:
        ctx.moves[end] = t.drop_move(kind, target)
        end += 1
    return end


@njit
def write_board_moves(ctx, end, move_set, to):
    """Write the moves to `to` of all pieces on the board except the king; return the end."""
    pos = ctx.pos
    us = int(pos.side)
    free = ~pinned(pos)
    occ = occupied(pos)
    pawns = pieces(pos, us, t.PAWN)
    end = write_pawn_moves(ctx, end, move_set, pawns & free, to)
    for square in pieces(pos, us) & free & ~(pawns | pieces(pos, us, t.KING)):
        kind = t.piece_kind(pos.board[square])
        targets = attacks_from(kind, us, square, occ) & to
        if targets:
            promote, stay = promotions(move_set, us, kind, square, targets)
            end = write_moves(ctx, end, kind, square, promote, stay)
    for square in pinned(pos):
        kind = t.piece_kind(pos.board[square])
        promote, stay = promotions(move_set, us, kind, square, pinned_targets(pos, kind, square) & to)
        end = write_moves(ctx, end, kind, square, promote, stay)
    return end


@njit
def write_all_drops(ctx, end, empty):
    """Write every legal drop on the `empty` squares; return the end."""
    pos = ctx.pos
    hand = pos.hand[pos.side]
    if hand == ZERO or not empty:
        return end
    for kind in range(t.PAWN, t.KING):
        if t.hand_count(hand, kind) > 0:
            end = write_drops(ctx, end, kind, drop_squares(pos, kind, empty))
    return end


@njit
def write_all_moves(ctx, start, move_set):
    """Write the moves of the side to move to ctx.moves[start:]; return their number.

    Args:
        move_set: LEGAL or SEARCHED
    """
    pos = ctx.pos
    end = start
    steps = king_targets(pos)
    if steps:
        end = write_moves(ctx, end, t.KING, int(pos.king[pos.side]), bb.NOTHING, steps)
    to, drops = target_masks(pos)
    if not to:
        return end - start
    end = write_board_moves(ctx, end, move_set, to)
    return write_all_drops(ctx, end, drops) - start


@provides(t.POSITION)
def generate_moves(ctx, start):
    return write_all_moves(ctx, start, bb.LEGAL)


@provides(t.POSITION)
def generate_evasions(ctx, start):
    return write_all_moves(ctx, start, bb.SEARCHED)


@provides(t.POSITION)
def generate_captures(ctx, start):
    pos = ctx.pos
    us = int(pos.side)
    enemy = pieces(pos, 1 - us)
    end = start
    king = int(pos.king[us])
    if king != t.NO_SQUARE and bb.KING_ZONE[king] & enemy:  # otherwise do not compute the attacked squares
        end = write_moves(ctx, end, t.KING, king, bb.NOTHING, king_targets(pos) & enemy)
    to, _ = target_masks(pos)
    return write_board_moves(ctx, end, bb.SEARCHED, to & enemy) - start


@provides(t.POSITION)
def generate_quiets(ctx, start):
    pos = ctx.pos
    us = int(pos.side)
    quiet = ~pieces(pos, 1 - us)
    end = start
    steps = king_targets(pos) & quiet
    if steps:
        end = write_moves(ctx, end, t.KING, int(pos.king[us]), bb.NOTHING, steps)
    to, drops = target_masks(pos)
    end = write_board_moves(ctx, end, bb.SEARCHED, to & quiet)
    return write_all_drops(ctx, end, drops) - start


@provides(t.POSITION)
def is_legal_tt_move(pos, move):
    us = int(pos.side)
    kind, target = t.move_kind(move), t.move_to(move)
    bit = bb.SQUARE_BITS[target]
    to, drops = target_masks(pos)
    if t.is_drop(move):
        if t.hand_count(pos.hand[us], kind) == 0 or not drops & bit:
            return False
        return bool(drop_squares(pos, kind, drops & bit))
    source = t.move_from(move)
    if int(pos.board[source]) != t.make_piece(us, kind) or t.piece_kind(pos.board[target]) != t.move_captured(move):
        return False
    if kind == t.KING:
        return target in king_targets(pos)
    if source in pinned(pos):
        targets = pinned_targets(pos, kind, source)
    else:
        targets = attacks_from(kind, us, source, occupied(pos))
    promote, stay = promotions(bb.LEGAL, us, kind, source, targets & to & bit)
    return bool(promote if t.is_promotion(move) else stay)


# ---- Python's moves: the 15 lowest bits of the kernels' moves (target, source, promotion), without the pieces


MOVE_BITS = 15
CODES = (1 << MOVE_BITS) - 1  # the bits that a kernels' move and a Board's Move have in common


@njit
def complete_move(pos, code):
    """Return the kernels' move of a Move's `code` (any int64), 0 if it is not legal in `pos`."""
    target, source = code & 127, code >> 7 & 127
    if code < 0 or code > CODES or target >= SQUARES:
        return np.uint32(0)
    if source >= DROP_BASE:
        kind, captured = source - DROP_BASE, 0
        if kind == 0 or kind >= KING or code & PROMOTION != 0:
            return np.uint32(0)
    else:
        kind, captured = piece_kind(pos.board[source]), piece_kind(pos.board[target])
        if kind == 0 or code & PROMOTION != 0 and PROMOTED[kind] == 0:
            return np.uint32(0)
    move = np.uint32(code | kind << 15 | captured << 19)
    return move if is_legal_tt_move(pos, move) else np.uint32(0)


# ---- Counts evasions without generating them, to recognise mates and to estimate the distance to a mate
#
# `movegen.generate_moves` generates the evasions.


@njit
def can_drop(pos, empty):
    """Return the `empty` squares on which the side to move can drop a piece."""
    hand = pos.hand[pos.side]
    if hand >> np.uint64(8 * SILVER) != ZERO:
        return empty
    drops = NOTHING
    if hand_count(hand, LANCE) > 0:
        drops = drop_squares(pos, LANCE, empty)
    elif hand_count(hand, PAWN) > 0:
        drops = drop_squares(pos, PAWN, empty)
    if hand_count(hand, KNIGHT) > 0:
        drops |= drop_squares(pos, KNIGHT, empty)
    return drops


@njit
def count_evasions(pos):
    """Return the number of evasions. The side to move must have a king and be in check.

    All drops on a square count as one evasion, and so do a move with and without promotion. The number is 0 if and
    only if it is mate.
    """
    us = int(pos.side)
    count = len(king_targets(pos))
    to, way = target_masks(pos)
    if not to:
        return count
    occ = occupied(pos)
    free = ~(pinned(pos) | pieces(pos, us, KING))  # a pinned piece cannot stop a check by another piece
    for square in to:
        count += len(attackers_to(pos, square, us, occ) & free)
    if way and pos.hand[us] != ZERO:
        count += len(can_drop(pos, way))
    return count
