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
    DIRECTION,
    NEAR_KING,
    NOTHING,
    RAYS,
    STEP_ATTACKS,
    attacked_near_king,
    attackers_to,
    attacks_from,
    bishops_and_horses,
    checkers,
    discovered_check_candidates,
    empty_squares,
    in_check,
    is_drop_pawn_mate,
    occupied,
    pieces,
    pinned,
    promotion_zone,
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
from shogi_engine.interface import game as rules
from shogi_engine.interface.game import MOVE_NONE, do_move, provides, undo_move
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import Table, field, lowest

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
# `generate_moves` generates the evasions.


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


# ---- Moves that give check


STEPPING_KINDS = (t.PAWN, t.KNIGHT, t.SILVER, t.GOLD_MOVERS)

# A record for each ply: the squares from which each kind attacks the enemy king, and pieces that may discover a check.
STATE_FIELDS = (("check_squares", np.uint64, (16, 2)), ("discoverers", np.uint64, (2,)))


def _squares_of(table, *index):
    """Convert bitboards of a table to bool[..., 81]."""
    bits = np.unpackbits(table.halves[index].view(np.uint8), axis=-1, bitorder="little")
    return bits[..., : t.SQUARES].astype(bool)


def _check_sources(colour, kind):
    """Return, by square of the enemy king, the squares from which a piece of `kind` may give check in one step."""
    steps, gold_steps = (_squares_of(bb.STEP_ATTACKS, colour, each) for each in (kind, t.GOLD))
    zone = _squares_of(bb.ZONE, colour)[None]
    promoting = steps & (zone.T | zone)  # or a gold, for which this makes no difference
    checks = steps @ steps | promoting @ gold_steps  # bool[source, king]
    return [sum(1 << int(source) for source in np.flatnonzero(column)) for column in checks.T]


# [2, 4, 81]: by colour, index in STEPPING_KINDS and square of the enemy king, the squares from which a piece may give
# check in one step, with or without promotion.
CHECK_SOURCES = Table([[_check_sources(colour, kind) for kind in STEPPING_KINDS] for colour in range(2)])

check_squares, put_check_squares = field("check_squares")
discoverers, put_discoverers = field("discoverers")


# ---- check squares -----------------------------------------------------------------------------------------------


@njit
def mark_check_squares(pos, king, state):
    """Write to state.check_squares the squares from which a piece of the side to move would give check, by its kind.

    Args:
        king: square of the enemy king
    """
    them = 1 - int(pos.side)
    occ = occupied(pos)
    for kind in range(t.PAWN, t.DRAGON + 1):
        put_check_squares(state, kind, bb.STEP_ATTACKS[them, kind, king])
    put_check_squares(state, t.KING, bb.NOTHING)
    put_check_squares(state, t.LANCE, bb.lance_attacks(them, king, occ))
    lines = bb.bishop_attacks(king, occ)
    put_check_squares(state, t.BISHOP, lines)
    put_check_squares(state, t.HORSE, lines | bb.STEP_ATTACKS[them, t.HORSE, king])
    lines = bb.rook_attacks(king, occ)
    put_check_squares(state, t.ROOK, lines)
    put_check_squares(state, t.DRAGON, lines | bb.STEP_ATTACKS[them, t.DRAGON, king])


# ---- generation --------------------------------------------------------------------------------------------------


@njit
def write_board_checks(ctx, end, king, state):
    """Write the checks by moves on the board; return the end.

    Args:
        state: as mark_check_squares writes it
    """
    pos = ctx.pos
    us = int(pos.side)
    occ = occupied(pos)
    candidates = discovered_check_candidates(pos, king, us)
    sliders = pieces(pos, us, t.LANCE) | bishops_and_horses(pos, us) | rooks_and_dragons(pos, us)
    sources = (
        pieces(pos, us, t.PAWN) & CHECK_SOURCES[us, 0, king]
        | pieces(pos, us, t.KNIGHT) & CHECK_SOURCES[us, 1, king]
        | pieces(pos, us, t.SILVER) & CHECK_SOURCES[us, 2, king]
        | pieces(pos, us, t.GOLD_MOVERS) & CHECK_SOURCES[us, 3, king]
        | (sliders | candidates) & ~pieces(pos, us, t.KING)
    )
    own_king = int(pos.king[us])
    for source in sources:
        kind = t.piece_kind(pos.board[source])
        to = attacks_from(kind, us, source, occ) & ~pieces(pos, us)
        if source in pinned(pos):
            to &= bb.RAYS[own_king, int(bb.DIRECTION[own_king, source])]
        stay = to & check_squares(state, kind)
        promote = zone = bb.NOTHING
        promotes = t.can_promote(kind)
        if promotes:
            zone = bb.promotion_zone(us, source)
            promote = to & zone & check_squares(state, int(t.PROMOTED[kind]))
        if source in candidates:
            off = to & ~bb.RAYS[king, int(bb.DIRECTION[king, source])]
            stay |= off
            promote |= off & zone
        if promotes:
            stay &= ~zone | bb.OPTIONAL_PROMOTION[bb.LEGAL, us, kind, source]
        end = write_moves(ctx, end, kind, source, promote, stay)
    if own_king != t.NO_SQUARE and own_king in candidates:
        to = king_targets(pos) & ~bb.RAYS[king, int(bb.DIRECTION[king, own_king])]
        end = write_moves(ctx, end, t.KING, own_king, bb.NOTHING, to)
    return end


@njit
def write_drop_checks(ctx, end, state):
    """Write the drops that give check; return the end.

    Args:
        state: as mark_check_squares writes it
    """
    pos = ctx.pos
    us = int(pos.side)
    hand = pos.hand[us]
    if hand == ZERO:
        return end
    empty = empty_squares(pos)
    for kind in range(t.ROOK, t.PAWN, -1):  # a piece that gives check can move, so every such drop is legal
        if t.hand_count(hand, kind) > 0:
            end = write_drops(ctx, end, kind, check_squares(state, kind) & empty)
    if t.hand_count(hand, t.PAWN) > 0:
        drops = check_squares(state, t.PAWN) & empty
        if drops:
            end = write_drops(ctx, end, t.PAWN, pawn_drops(pos, drops))
    return end


@njit
def generate_checks(ctx, start, state, undo):
    """Write all legal moves of the side to move that give check to ctx.moves[start:] and return how many.

    The other side has a king, not in check.

    Args:
        state: out, as mark_check_squares writes it; unused if the side to move is in check
        undo: record[UNDO], scratch if the side to move is in check; all evasions are then written to ctx.moves first
    """
    pos = ctx.pos
    if in_check(pos):
        end = start
        for index in range(start, start + rules.generate_moves(ctx, start)):
            move = ctx.moves[index]
            do_move(pos, move, undo)
            gives = in_check(pos)
            undo_move(pos, move, undo)
            if gives:
                ctx.moves[end] = move
                end += 1
        return end - start
    king = int(pos.king[1 - pos.side])
    mark_check_squares(pos, king, state)
    return write_board_checks(ctx, write_drop_checks(ctx, start, state), king, state) - start


# ---- the search's rules ------------------------------------------------------------------------------------------


@provides(t.POSITION)
def set_check_info(ctx):
    pos, state = ctx.pos, ctx.states[ctx.ply]
    king = int(pos.king[1 - pos.side])
    if king == t.NO_SQUARE:
        state.check_squares[:] = ZERO
        state.discoverers[:] = ZERO
    else:
        mark_check_squares(pos, king, state)
        put_discoverers(state, discovered_check_candidates(pos, king, int(pos.side)))


@provides(t.POSITION)
def gives_check(ctx, move):
    state = ctx.states[ctx.ply]
    if t.move_to(move) in check_squares(state, t.arriving_kind(move)):
        return True
    if t.is_drop(move) or t.move_from(move) not in discoverers(state):
        return False
    king = int(ctx.pos.king[1 - ctx.pos.side])
    return bb.DIRECTION[king, t.move_from(move)] != bb.DIRECTION[king, t.move_to(move)]


# ---- A quick search for mate in one that does not generate all checks. It misses some mates but reports no false one


# [2, 16, 81]: by colour, kind and square of the enemy king, the squares next to it from which the piece attacks it.
_contact = STEP_ATTACKS.numbers[::-1].copy()
_contact[:, t.LANCE] = _contact[:, t.PAWN]
_contact[:, t.BISHOP], _contact[:, t.ROOK] = _contact[:, t.DRAGON], _contact[:, t.HORSE]
_contact[:, t.HORSE] = _contact[:, t.DRAGON] = _contact[:, t.KING]
CONTACT = Table(_contact)


@njit
def mates(ctx, move):
    """Tell whether `move`, a legal check, gives mate."""
    undo = ctx.undo[ctx.game_ply]
    do_move(ctx.pos, move, undo)
    evasions = count_evasions(ctx.pos)
    undo_move(ctx.pos, move, undo)
    return evasions == 0


@njit
def mating_drop(ctx, target, king):
    """Return a drop on the empty square `target` that mates the enemy king on `king`, next to it, or MOVE_NONE."""
    us = int(ctx.pos.side)
    hand = ctx.pos.hand[us]
    for kind in range(t.ROOK, t.PAWN, -1):
        if t.hand_count(hand, kind) > 0 and target in CONTACT[us, kind, king]:
            move = t.drop_move(kind, target)
            if mates(ctx, move):
                return move
    return MOVE_NONE


@njit
def mating_step(ctx, source, target, king):
    """Return a move from `source` to `target`, next to the enemy king on `king`, that mates it, or MOVE_NONE."""
    pos = ctx.pos
    us = int(pos.side)
    if source in pinned(pos) and target not in RAYS[pos.king[us], int(DIRECTION[pos.king[us], source])]:
        return MOVE_NONE
    kind, captured = t.piece_kind(pos.board[source]), t.piece_kind(pos.board[target])
    promotes = t.can_promote(kind) and target in promotion_zone(us, source)
    for promotion in range(int(promotes), -1, -1):
        arrived = int(t.PROMOTED[kind]) if promotion else kind
        if target in CONTACT[us, arrived, king]:
            move = t.board_move(source, target, kind, captured, promotion)
            if mates(ctx, move):
                return move
    return MOVE_NONE


@provides(t.POSITION)
def mate_in_one(ctx, start):
    """Return a mate in one by a protected piece next to the king; MOVE_NONE if none is found."""
    pos = ctx.pos
    us = int(pos.side)
    them = 1 - us
    king = int(pos.king[them])
    if king == t.NO_SQUARE:
        return MOVE_NONE
    own, enemy = pieces(pos, us), pieces(pos, them)
    if not own & NEAR_KING[them, king]:
        return MOVE_NONE
    occ = occupied(pos)
    attacked = attacked_near_king(pos, king, them, occ ^ pieces(pos, them, t.KING))
    steps = STEP_ATTACKS[them, t.KING, king]
    if len(steps & ~(enemy | attacked)) > ctx.params.mate_in_one_max_escapes:
        return MOVE_NONE
    for target in steps & attacked & ~own:
        if target not in enemy:
            move = mating_drop(ctx, target, king)
            if move != MOVE_NONE:
                return move
        sources = attackers_to(pos, target, us, occ)
        if len(sources) > 1:
            for source in sources & ~pieces(pos, us, t.KING):
                move = mating_step(ctx, source, target, king)
                if move != MOVE_NONE:
                    return move
    return MOVE_NONE
