"""Partial keys: hashes of parts of a position, updated ply by ply, that index the correction histories.

In positions that share a part, the error of the evaluation tends to be the same. The parts are the pawns of both
sides, the other pieces of each side, and everything near each king. A ply's state (game.STATE) holds their keys in
`partial_keys`, and in `kings` the king squares that they were computed for.
"""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.bitboard import NEAR_KING
from shogi_engine.games.shogi.position import SQUARE_KEYS, side_at
from shogi_engine.games.shogi.queries import occupied
from shogi_engine.interface.game import CORRECTION_SLOTS, provides, update_states
from shogi_engine.jit import njit

# Indices of partial_keys; keys by colour have black's index here and white's directly after it.
PAWN_KEY, PIECES_KEY, NEAR_KING_KEY = 0, 1, 3
PARTIAL_KEYS = 5
STALE_KEY = ZERO  # a king's NEAR_KING_KEY after the king has moved, until `refresh_near_king_keys`

STATE_FIELDS = (("partial_keys", np.uint64, (PARTIAL_KEYS,)), ("kings", np.int64, (2,)))  # for each ply of the line


@njit
def toggle_piece(state, piece, square):
    """Put `piece` on `square`, or remove it, in the partial keys of `state`."""
    colour, kind = t.piece_colour(piece), t.piece_kind(piece)
    hashed = SQUARE_KEYS[colour, kind, square]
    state.partial_keys[PAWN_KEY if kind == t.PAWN else PIECES_KEY + colour] ^= hashed
    for side in range(2):
        king = state.kings[side]
        known = king != t.NO_SQUARE and state.partial_keys[NEAR_KING_KEY + side] != STALE_KEY
        if known and square in NEAR_KING[side, king]:
            state.partial_keys[NEAR_KING_KEY + side] ^= hashed


@njit
def update_partial_keys(before, after, move, mover):
    """Derive the partial keys and kings of the state `after` from those of `before` by `move` (0: null move).

    If a king moves, its NEAR_KING_KEY becomes STALE_KEY.

    Args:
        mover: the colour that moves
    """
    for index in range(PARTIAL_KEYS):
        after.partial_keys[index] = before.partial_keys[index]
    for colour in range(2):
        after.kings[colour] = before.kings[colour]
    if move == 0:
        return
    kind, target = t.move_kind(move), t.move_to(move)
    if kind == t.KING:
        after.kings[mover] = target
        after.partial_keys[NEAR_KING_KEY + mover] = STALE_KEY
    if not t.is_drop(move):
        toggle_piece(after, t.make_piece(mover, kind), t.move_from(move))
    if t.move_captured(move) != 0:
        toggle_piece(after, t.make_piece(1 - mover, t.move_captured(move)), target)
    toggle_piece(after, t.make_piece(mover, t.arriving_kind(move)), target)


@njit
def refresh_near_king_keys(pos, state):
    """Compute the stale NEAR_KING_KEYs of `state` from `pos`."""
    for colour in range(2):
        king = state.kings[colour]
        if state.partial_keys[NEAR_KING_KEY + colour] == STALE_KEY and king != t.NO_SQUARE:
            near_key = SQUARE_KEYS[0, 0, king]
            for square in occupied(pos) & NEAR_KING[colour, king]:
                piece = pos.board[square]
                near_key ^= SQUARE_KEYS[t.piece_colour(piece), t.piece_kind(piece), square]
            state.partial_keys[NEAR_KING_KEY + colour] = near_key


@njit
def refresh_partial_keys(pos, state):
    """Compute the partial keys and kings of `state` from `pos`."""
    for index in range(PARTIAL_KEYS):
        state.partial_keys[index] = STALE_KEY
    for colour in range(2):
        state.kings[colour] = pos.king[colour]
    for square in range(t.SQUARES):
        piece = int(pos.board[square])
        if piece != 0:
            toggle_piece(state, piece, square)  # leaves the NEAR_KING_KEYs stale
    refresh_near_king_keys(pos, state)


# ---- the search's rules ------------------------------------------------------------------------------------------


@provides(t.POSITION)
def refresh_state(ctx, ply):
    refresh_partial_keys(ctx.pos, ctx.states[ply])


@provides(t.POSITION)
def update_state(ctx, ply):
    move = ctx.undo[ctx.game_ply - ctx.ply + ply - 1].move
    update_partial_keys(ctx.states[ply - 1], ctx.states[ply], move, side_at(ctx, ply - 1))


@provides(t.POSITION)
def correction_slots(ctx):
    """Slots are by each partial key and by the hands."""
    update_states(ctx)
    pos, state = ctx.pos, ctx.states[ctx.ply]
    refresh_near_king_keys(pos, state)
    keys = state.partial_keys
    side, mask = np.int64(pos.side), np.uint64(CORRECTION_SLOTS // 2 - 1)
    return (
        np.int64(keys[PAWN_KEY] & mask) << 1 | side,
        np.int64(keys[PIECES_KEY] & mask) << 1 | side,
        np.int64(keys[PIECES_KEY + 1] & mask) << 1 | side,
        np.int64(keys[NEAR_KING_KEY] & mask) << 1 | side,
        np.int64(keys[NEAR_KING_KEY + 1] & mask) << 1 | side,
        np.int64(pos.hand_key & mask) << 1 | side,
    )
