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

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi.attacks import attacked_near_king, attacks_from, is_drop_pawn_mate
from shogi_engine.games.shogi.bitboard import (
    BOARD,
    DIRECTION,
    KING_ZONE,
    LEGAL,
    NOT_LAST,
    NOT_LAST_TWO,
    NOTHING,
    OPTIONAL_PROMOTION,
    RAYS,
    SEARCHED,
    SQUARE_BITS,
    STEP_ATTACKS,
    STEP_OPTIONAL_PROMOTION,
    ZONE,
    between,
    bishop_attacks,
    files_without,
    lance_attacks,
    rook_attacks,
)
from shogi_engine.games.shogi.queries import (
    bishops_and_horses,
    checkers,
    empty_squares,
    in_check,
    occupied,
    pieces,
    pinned,
    rooks_and_dragons,
)
from shogi_engine.games.shogi.types import (
    BLACK,
    GOLD_MOVERS,
    KING,
    KNIGHT,
    LANCE,
    NO_SQUARE,
    PAWN,
    POSITION,
    SILVER,
    SQUARES,
    board_move,
    can_promote,
    drop_move,
    hand_count,
    is_drop,
    is_promotion,
    make_piece,
    move_captured,
    move_from,
    move_kind,
    move_to,
    piece_kind,
)
from shogi_engine.interface.game import provides
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import Table, lowest

# By colour and kind in hand: the squares where it can be dropped, before the special rules for pawns (`pawn_drops`).
_without = {LANCE: NOT_LAST, KNIGHT: NOT_LAST_TWO}
DROP_SQUARES = Table([[_without[kind][us] if kind in _without else BOARD for kind in range(KING)] for us in (0, 1)])


@njit
def target_masks(pos):
    """Return the squares that pieces other than the king may move to, and the squares for drops.

    In check, these are the squares that capture the checker or interpose; in double check there are none.
    """
    us = int(pos.side)
    if not in_check(pos):
        return ~pieces(pos, us) & BOARD, empty_squares(pos)  # `~` also sets the bits beyond the board's 81
    check = checkers(pos)
    if len(check) > 1:
        return NOTHING, NOTHING
    way = between(int(pos.king[us]), lowest(check))
    return way | check, way


@njit
def king_targets(pos):
    """Return the squares that the king of the side to move may step to. There are none without a king."""
    us = int(pos.side)
    king = int(pos.king[us])
    if king == NO_SQUARE:
        return NOTHING
    attacked = attacked_near_king(pos, king, us, occupied(pos) ^ pieces(pos, us, KING))
    return STEP_ATTACKS[us, KING, king] & ~(pieces(pos, us) | attacked)


@njit
def pawn_targets(pos, pawns):
    """Return the squares in front of `pawns` of the side to move; they are nine squares further."""
    return pawns >> 9 if pos.side == BLACK else pawns << 9 & BOARD


@njit
def pawn_drops(pos, empty):
    """Return the `empty` squares on which a pawn may be dropped."""
    us = int(pos.side)
    drops = empty & NOT_LAST[us] & files_without(pieces(pos, us, PAWN))
    king = int(pos.king[1 - us])
    if king != NO_SQUARE:
        square = king + 9 if us == BLACK else king - 9  # a pawn on it checks the enemy king
        if 0 <= square < SQUARES and square in drops and is_drop_pawn_mate(pos, square):
            drops &= ~SQUARE_BITS[square]
    return drops


@njit
def drop_squares(pos, kind, empty):
    """Return the `empty` squares on which a piece of `kind` may be dropped."""
    return pawn_drops(pos, empty) if kind == PAWN else empty & DROP_SQUARES[int(pos.side), kind]


# ---- counting ----------------------------------------------------------------------------------------------------


@njit
def moves_to(us, kind, square, targets):
    """Return the number of moves of a piece on `square` to `targets`. An optional promotion counts as two moves."""
    count = len(targets)
    if can_promote(kind):
        count += len(targets & OPTIONAL_PROMOTION[LEGAL, us, kind, square])
    return count


@njit
def count_drops(pos, empty):
    """Return the number of drops on the `empty` squares."""
    hand = pos.hand[pos.side]
    count = 0
    if hand == ZERO or not empty:
        return count
    for kind in range(PAWN, KING):
        if hand_count(hand, kind) > 0:
            count += len(drop_squares(pos, kind, empty))
    return count


@provides(POSITION)
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
    count += moves_to(us, PAWN, 0, pawn_targets(pos, pieces(pos, us, PAWN) & free) & to)

    for square in (pieces(pos, us, KNIGHT) | pieces(pos, us, SILVER) | pieces(pos, us, GOLD_MOVERS)) & free:
        kind = piece_kind(pos.board[square])
        count += len(STEP_ATTACKS[us, kind, square] & to) + len(STEP_OPTIONAL_PROMOTION[us, kind, square] & to)

    # One loop for each kind of slider. A single loop that looks up the kind of each piece was 9 % slower.
    for square in pieces(pos, us, LANCE) & free:
        count += moves_to(us, LANCE, square, lance_attacks(us, square, occ) & to)
    for square in bishops_and_horses(pos, us) & free:
        kind = piece_kind(pos.board[square])
        count += moves_to(us, kind, square, (STEP_ATTACKS[us, kind, square] | bishop_attacks(square, occ)) & to)
    for square in rooks_and_dragons(pos, us) & free:
        kind = piece_kind(pos.board[square])
        count += moves_to(us, kind, square, (STEP_ATTACKS[us, kind, square] | rook_attacks(square, occ)) & to)

    for square in pinned(pos):
        kind = piece_kind(pos.board[square])
        count += moves_to(us, kind, square, pinned_targets(pos, kind, square) & to)
    return count + count_drops(pos, drops)


@njit
def pinned_targets(pos, kind, square):
    """Return the squares that a pinned piece of the side to move attacks along its pin."""
    us = int(pos.side)
    king = int(pos.king[us])
    return attacks_from(kind, us, square, occupied(pos)) & RAYS[king, int(DIRECTION[king, square])]


# ---- generation --------------------------------------------------------------------------------------------------


@njit
def promotions(move_set, us, kind, source, targets):
    """Return two sets: the `targets` of a piece from `source` with promotion, and those without.

    Args:
        move_set: LEGAL or SEARCHED
    """
    if not can_promote(kind):
        return NOTHING, targets
    zone = ZONE[us]
    if source in zone:
        zone = BOARD
    return targets & zone, targets & (~zone | OPTIONAL_PROMOTION[move_set, us, kind, source])


@njit
def is_searched(us, move):
    """Tell whether the set SEARCHED contains the legal `move` of `us`: it does not decline a promotion without need."""
    kind = move_kind(move)
    if is_drop(move) or is_promotion(move) or not can_promote(kind):
        return True
    source, target = move_from(move), move_to(move)
    optional = target in OPTIONAL_PROMOTION[LEGAL, us, kind, source]
    return not optional or target in OPTIONAL_PROMOTION[SEARCHED, us, kind, source]


@njit
def write_moves(ctx, end, kind, source, promote, stay):
    """Write the moves of a piece from `source`: with promotion to `promote`, without to `stay`. Return the end."""
    pos = ctx.pos
    for target in promote:
        ctx.moves[end] = board_move(source, target, kind, piece_kind(pos.board[target]), 1)
        end += 1
    for target in stay:
        ctx.moves[end] = board_move(source, target, kind, piece_kind(pos.board[target]), 0)
        end += 1
    return end


@njit
def write_pawn_moves(ctx, end, move_set, pawns, to):
    """Write the moves to `to` of `pawns` of the side to move; return the end."""
    pos = ctx.pos
    us = int(pos.side)
    back = 9 if us == BLACK else -9
    zone, targets = ZONE[us], pawn_targets(pos, pawns) & to
    for target in targets & zone:
        ctx.moves[end] = board_move(target + back, target, PAWN, piece_kind(pos.board[target]), 1)
        end += 1
    for target in targets & (~zone | OPTIONAL_PROMOTION[move_set, us, PAWN, 0]):  # 0: the same for all squares
        ctx.moves[end] = board_move(target + back, target, PAWN, piece_kind(pos.board[target]), 0)
        end += 1
    return end


@njit
def write_drops(ctx, end, kind, targets):
    """Write the drops of `kind` on `targets`; return the end."""
    for target in targets:
        ctx.moves[end] = drop_move(kind, target)
        end += 1
    return end


@njit
def write_board_moves(ctx, end, move_set, to):
    """Write the moves to `to` of all pieces on the board except the king; return the end."""
    pos = ctx.pos
    us = int(pos.side)
    free = ~pinned(pos)
    occ = occupied(pos)
    pawns = pieces(pos, us, PAWN)
    end = write_pawn_moves(ctx, end, move_set, pawns & free, to)
    for square in pieces(pos, us) & free & ~(pawns | pieces(pos, us, KING)):
        kind = piece_kind(pos.board[square])
        promote, stay = promotions(move_set, us, kind, square, attacks_from(kind, us, square, occ) & to)
        end = write_moves(ctx, end, kind, square, promote, stay)
    for square in pinned(pos):
        kind = piece_kind(pos.board[square])
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
    for kind in range(PAWN, KING):
        if hand_count(hand, kind) > 0:
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
        end = write_moves(ctx, end, KING, int(pos.king[pos.side]), NOTHING, steps)
    to, drops = target_masks(pos)
    if not to:
        return end - start
    end = write_board_moves(ctx, end, move_set, to)
    return write_all_drops(ctx, end, drops) - start


@provides(POSITION)
def generate_moves(ctx, start):
    return write_all_moves(ctx, start, LEGAL)


@provides(POSITION)
def generate_evasions(ctx, start):
    return write_all_moves(ctx, start, SEARCHED)


@provides(POSITION)
def generate_captures(ctx, start):
    pos = ctx.pos
    us = int(pos.side)
    enemy = pieces(pos, 1 - us)
    end = start
    king = int(pos.king[us])
    if king != NO_SQUARE and KING_ZONE[king] & enemy:  # otherwise do not compute the attacked squares
        end = write_moves(ctx, end, KING, king, NOTHING, king_targets(pos) & enemy)
    to, _ = target_masks(pos)
    return write_board_moves(ctx, end, SEARCHED, to & enemy) - start


@provides(POSITION)
def generate_quiets(ctx, start):
    pos = ctx.pos
    us = int(pos.side)
    quiet = ~pieces(pos, 1 - us)
    end = start
    steps = king_targets(pos) & quiet
    if steps:
        end = write_moves(ctx, end, KING, int(pos.king[us]), NOTHING, steps)
    to, drops = target_masks(pos)
    end = write_board_moves(ctx, end, SEARCHED, to & quiet)
    return write_all_drops(ctx, end, drops) - start


@provides(POSITION)
def is_legal_tt_move(pos, move):
    us = int(pos.side)
    kind, target = move_kind(move), move_to(move)
    bit = SQUARE_BITS[target]
    to, drops = target_masks(pos)
    if is_drop(move):
        if hand_count(pos.hand[us], kind) == 0 or not drops & bit:
            return False
        return bool(drop_squares(pos, kind, drops & bit))
    source = move_from(move)
    if int(pos.board[source]) != make_piece(us, kind) or piece_kind(pos.board[target]) != move_captured(move):
        return False
    if kind == KING:
        return target in king_targets(pos)
    if source in pinned(pos):
        targets = pinned_targets(pos, kind, source)
    else:
        targets = attacks_from(kind, us, source, occupied(pos))
    promote, stay = promotions(LEGAL, us, kind, source, targets & to & bit)
    return bool(promote if is_promotion(move) else stay)
