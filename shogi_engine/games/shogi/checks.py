"""Moves that give check: check squares, generation, and queries of the search."""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi import bitboard as bb, types as t
from shogi_engine.games.shogi.bitboard import (
    DIRECTION,
    NEAR_KING,
    RAYS,
    STEP_ATTACKS,
    attacked_near_king,
    attackers_to,
    attacks_from,
    bishops_and_horses,
    discovered_check_candidates,
    empty_squares,
    in_check,
    occupied,
    pieces,
    pinned,
    promotion_zone,
    rooks_and_dragons,
)
from shogi_engine.games.shogi.movegen import count_evasions, king_targets, pawn_drops, write_drops, write_moves
from shogi_engine.interface.game import MOVE_NONE, do_move, generate_moves, provides, undo_move
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import Table, field

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
        for index in range(start, start + generate_moves(ctx, start)):
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
