"""Shogi's position: hash keys, making and unmaking moves, and deriving every field from the bare board."""

import numpy as np

from shogi_engine.common.bits import ONE, ZERO
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.bitboard import (
    BOARD,
    NEAR_KING,
    NOTHING,
    SQUARE_BITS,
    STEP_ATTACKS,
    attackers_to,
    between,
    checkers,
    in_check,
    occupied,
    pieces,
    pinned,
    pinned_pieces,
    put_checkers,
    put_pieces,
    put_pinned,
    snipers,
)
from shogi_engine.interface.game import CORRECTION_SLOTS, provides, update_states
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import Table

_random = np.random.Generator(np.random.PCG64(20170505))
SQUARE_KEYS = _random.integers(
    0, 1 << 64, size=(2, 16, t.SQUARES), dtype=np.uint64
)  # xored for each piece on the board
HAND_KEYS = _random.integers(0, 1 << 64, size=(2, 8), dtype=np.uint64)  # added for each piece in hand
SIDE_KEY = _random.integers(0, 1 << 64, dtype=np.uint64)

# [16]: all squares for the kinds that move like a gold, because they share a second bitboard.
GOLD_MASK = Table([BOARD if kind == t.GOLD or t.PROM_PAWN <= kind <= t.PROM_SILVER else 0 for kind in range(16)])


@njit
def toggle(pos, colour, kind, squares):
    """Xor `squares` into the bitboards of a colour and kind."""
    put_pieces(pos, colour, pieces(pos, colour) ^ squares)
    put_pieces(pos, colour, kind, pieces(pos, colour, kind) ^ squares)
    put_pieces(pos, colour, t.GOLD_MOVERS, pieces(pos, colour, t.GOLD_MOVERS) ^ squares & GOLD_MASK[kind])


@njit
def rebuild(pos):
    """Derive all other fields from pos.board, pos.hand and pos.side; see validation.validate_position."""
    pos.bb[:, :, :] = 0
    pos.king[:] = t.NO_SQUARE
    board_key = SIDE_KEY if pos.side else ZERO
    for square in range(t.SQUARES):
        piece = int(pos.board[square])
        if piece != 0:
            colour, kind = t.piece_colour(piece), t.piece_kind(piece)
            toggle(pos, colour, kind, SQUARE_BITS[square])
            board_key ^= SQUARE_KEYS[colour, kind, square]
            if kind == t.KING:
                pos.king[colour] = square
    pos.board_key = board_key
    hand_key = ZERO
    for colour in range(2):
        for kind in range(1, 8):
            hand_key += HAND_KEYS[colour, kind] * np.uint64(t.hand_count(pos.hand[colour], kind))
    pos.hand_key = hand_key
    compute_checkers_and_pins(pos)


@njit
def compute_checkers_and_pins(pos):
    """Set pos.checkers and pos.pinned from scratch."""
    us = int(pos.side)
    king = int(pos.king[us])
    put_checkers(pos, NOTHING if king == t.NO_SQUARE else attackers_to(pos, king, 1 - us, occupied(pos)))
    put_pinned(pos, pinned_pieces(pos, us))


@njit
def update_checkers_and_pins(pos, kind, target):
    """Set pos.checkers and pos.pinned after the other side moved a piece, now of `kind`, to `target`.

    Only the moved piece can give check in one step; sliders are searched along the lines from the king.
    """
    us = int(pos.side)
    king = int(pos.king[us])
    check = pin = NOTHING
    if king != t.NO_SQUARE:
        them = 1 - us
        if king in STEP_ATTACKS[them, kind, target]:
            check = SQUARE_BITS[target]
        occ = occupied(pos)
        for sniper in snipers(pos, king, them):
            way = between(king, sniper) & occ
            count = len(way)
            if count == 0:
                check |= SQUARE_BITS[sniper]
            elif count == 1:
                pin |= way
        pin &= pieces(pos, us)
    put_checkers(pos, check)
    put_pinned(pos, pin)


@njit
def save_state(pos, undo):
    """Save in `undo` the fields that `restore_state` restores."""
    undo.board_key, undo.hand_key = pos.board_key, pos.hand_key
    undo.hand[0], undo.hand[1] = pos.hand[0], pos.hand[1]
    put_checkers(undo, checkers(pos))
    put_pinned(undo, pinned(pos))


@njit
def restore_state(pos, undo):
    """Restore the fields that `save_state` saved in `undo`."""
    pos.board_key, pos.hand_key = undo.board_key, undo.hand_key
    pos.hand[0], pos.hand[1] = undo.hand[0], undo.hand[1]
    put_checkers(pos, checkers(undo))
    put_pinned(pos, pinned(undo))


@provides(t.POSITION)
def do_move(pos, move, undo):
    us = int(pos.side)
    them = 1 - us
    source, target, kind = t.move_from(move), t.move_to(move), t.move_kind(move)
    save_state(pos, undo)
    undo.move = move
    board_key = pos.board_key ^ SIDE_KEY
    target_bit = SQUARE_BITS[target]
    if source >= t.DROP_BASE:
        pos.hand[us] -= ONE << np.uint64(8 * kind)
        pos.hand_key -= HAND_KEYS[us, kind]
        toggle(pos, us, kind, target_bit)
        arrived = kind
    else:
        captured = t.piece_kind(pos.board[target])
        if captured != 0:
            toggle(pos, them, captured, target_bit)
            board_key ^= SQUARE_KEYS[them, captured, target]
            gained = int(t.UNPROMOTED[captured])
            pos.hand[us] += ONE << np.uint64(8 * gained)
            pos.hand_key += HAND_KEYS[us, gained]
        source_bit = SQUARE_BITS[source]
        pos.board[source] = 0
        board_key ^= SQUARE_KEYS[us, kind, source]
        if t.is_promotion(move):
            arrived = int(t.PROMOTED[kind])
            toggle(pos, us, kind, source_bit)
            toggle(pos, us, arrived, target_bit)
        else:
            arrived = kind
            toggle(pos, us, kind, source_bit ^ target_bit)
            if kind == t.KING:
                pos.king[us] = target
    pos.board[target] = t.make_piece(us, arrived)
    pos.board_key = board_key ^ SQUARE_KEYS[us, arrived, target]
    pos.side = them
    pos.ply += 1
    update_checkers_and_pins(pos, arrived, target)


@provides(t.POSITION)
def undo_move(pos, move, undo):
    us = 1 - int(pos.side)
    them = 1 - us
    source, target, kind = t.move_from(move), t.move_to(move), t.move_kind(move)
    target_bit = SQUARE_BITS[target]
    if source >= t.DROP_BASE:
        toggle(pos, us, kind, target_bit)
        pos.board[target] = 0
    else:
        source_bit = SQUARE_BITS[source]
        if t.is_promotion(move):
            toggle(pos, us, kind, source_bit)
            toggle(pos, us, int(t.PROMOTED[kind]), target_bit)
        else:
            toggle(pos, us, kind, source_bit ^ target_bit)
            if kind == t.KING:
                pos.king[us] = source
        pos.board[source] = t.make_piece(us, kind)
        captured = t.move_captured(move)
        pos.board[target] = 0
        if captured != 0:
            toggle(pos, them, captured, target_bit)
            pos.board[target] = t.make_piece(them, captured)
    pos.side = us
    pos.ply -= 1
    restore_state(pos, undo)


@provides(t.POSITION)
def do_null(pos, undo):
    save_state(pos, undo)
    undo.move = 0
    pos.board_key ^= SIDE_KEY
    pos.side = 1 - int(pos.side)
    pos.ply += 1
    compute_checkers_and_pins(pos)


@provides(t.POSITION)
def undo_null(pos, undo):
    pos.side = 1 - int(pos.side)
    pos.ply -= 1
    restore_state(pos, undo)


@njit
def mix_keys(board_key, hand_key):
    """Return the key of a position from those of its board and its hands."""
    return board_key ^ hand_key * np.uint64(0x9E3779B97F4A7C15)


@provides(t.POSITION)
def key(pos):
    return mix_keys(pos.board_key, pos.hand_key)


@njit
def board_key_after(pos, move):
    """Return pos.board_key after `move`."""
    us = int(pos.side)
    target, kind = t.move_to(move), t.move_kind(move)
    board_key = pos.board_key ^ SIDE_KEY
    if t.is_drop(move):
        return board_key ^ SQUARE_KEYS[us, kind, target]
    captured = t.move_captured(move)
    if captured != 0:
        board_key ^= SQUARE_KEYS[1 - us, captured, target]
    return board_key ^ SQUARE_KEYS[us, kind, t.move_from(move)] ^ SQUARE_KEYS[us, t.arriving_kind(move), target]


@njit
def hand_key_after(pos, move):
    """Return pos.hand_key after `move`."""
    us = int(pos.side)
    if t.is_drop(move):
        return pos.hand_key - HAND_KEYS[us, t.move_kind(move)]
    captured = t.move_captured(move)
    return pos.hand_key if captured == 0 else pos.hand_key + HAND_KEYS[us, int(t.UNPROMOTED[captured])]


@provides(t.POSITION)
def key_after(pos, move):
    return mix_keys(board_key_after(pos, move), hand_key_after(pos, move))


@provides(t.POSITION)
def is_in_check(pos):
    return in_check(pos)


@provides(t.POSITION)
def null_allowed(pos):
    return not in_check(pos)


@provides(t.POSITION)
def repetition_key(pos):
    return pos.board_key


@njit
def side_at(ctx, ply):
    """Return the side to move at `ply` of the searched line; the current position is at ctx.ply."""
    return (int(ctx.pos.side) + ctx.ply - ply) & 1


# ---- Partial keys: hashes of parts of a position, updated ply by ply, that index the correction histories
#
# In positions that share a part, the error of the evaluation tends to be the same. The parts are the pawns of both
# sides, the other pieces of each side, and everything near each king. A ply's state (game.STATE) holds their keys in
# `partial_keys`, and in `kings` the king squares that they were computed for.


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
