"""A quick search for mate in one that does not generate all checks. It misses some mates but reports no false one."""

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.attacks import attacked_near_king, attackers_to
from shogi_engine.games.shogi.bitboard import DIRECTION, NEAR_KING, RAYS, STEP_ATTACKS, promotion_zone
from shogi_engine.games.shogi.movegen.evasions import count_evasions
from shogi_engine.games.shogi.queries import occupied, pieces, pinned
from shogi_engine.interface.game import MOVE_NONE, do_move, provides, undo_move
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import Table

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
