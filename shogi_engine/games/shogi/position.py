"""Shogi's position: hash keys, making and unmaking moves, and deriving every field from the bare board."""

import numpy as np

from shogi_engine.common.bits import ONE, ZERO
from shogi_engine.games.shogi.attacks import attackers_to, pinned_pieces, snipers
from shogi_engine.games.shogi.bitboard import BOARD, NOTHING, SQUARE_BITS, STEP_ATTACKS, between
from shogi_engine.games.shogi.queries import (
    checkers,
    in_check,
    occupied,
    pieces,
    pinned,
    put_checkers,
    put_pieces,
    put_pinned,
)
from shogi_engine.games.shogi.types import (
    DROP_BASE,
    GOLD,
    GOLD_MOVERS,
    KING,
    NO_SQUARE,
    POSITION,
    PROM_PAWN,
    PROM_SILVER,
    PROMOTED,
    SQUARES,
    UNPROMOTED,
    arriving_kind,
    hand_count,
    is_drop,
    is_promotion,
    make_piece,
    move_captured,
    move_from,
    move_kind,
    move_to,
    piece_colour,
    piece_kind,
)
from shogi_engine.interface.game import provides
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import Table

_random = np.random.Generator(np.random.PCG64(20170505))
SQUARE_KEYS = _random.integers(0, 1 << 64, size=(2, 16, SQUARES), dtype=np.uint64)  # xored for each piece on the board
HAND_KEYS = _random.integers(0, 1 << 64, size=(2, 8), dtype=np.uint64)  # added for each piece in hand
SIDE_KEY = _random.integers(0, 1 << 64, dtype=np.uint64)

# [16]: all squares for the kinds that move like a gold, because they share a second bitboard.
GOLD_MASK = Table([BOARD if kind == GOLD or PROM_PAWN <= kind <= PROM_SILVER else 0 for kind in range(16)])


@njit
def toggle(pos, colour, kind, squares):
    """Xor `squares` into the bitboards of a colour and kind."""
    put_pieces(pos, colour, pieces(pos, colour) ^ squares)
    put_pieces(pos, colour, kind, pieces(pos, colour, kind) ^ squares)
    put_pieces(pos, colour, GOLD_MOVERS, pieces(pos, colour, GOLD_MOVERS) ^ squares & GOLD_MASK[kind])


@njit
def rebuild(pos):
    """Derive all other fields from pos.board, pos.hand and pos.side; see validation.validate_position."""
    pos.bb[:, :, :] = 0
    pos.king[:] = NO_SQUARE
    board_key = SIDE_KEY if pos.side else ZERO
    for square in range(SQUARES):
        piece = int(pos.board[square])
        if piece != 0:
            colour, kind = piece_colour(piece), piece_kind(piece)
            toggle(pos, colour, kind, SQUARE_BITS[square])
            board_key ^= SQUARE_KEYS[colour, kind, square]
            if kind == KING:
                pos.king[colour] = square
    pos.board_key = board_key
    hand_key = ZERO
    for colour in range(2):
        for kind in range(1, 8):
            hand_key += HAND_KEYS[colour, kind] * np.uint64(hand_count(pos.hand[colour], kind))
    pos.hand_key = hand_key
    compute_checkers_and_pins(pos)


@njit
def compute_checkers_and_pins(pos):
    """Set pos.checkers and pos.pinned from scratch."""
    us = int(pos.side)
    king = int(pos.king[us])
    put_checkers(pos, NOTHING if king == NO_SQUARE else attackers_to(pos, king, 1 - us, occupied(pos)))
    put_pinned(pos, pinned_pieces(pos, us))


@njit
def update_checkers_and_pins(pos, kind, target):
    """Set pos.checkers and pos.pinned after the other side moved a piece, now of `kind`, to `target`.

    Only the moved piece can give check in one step; sliders are searched along the lines from the king.
    """
    us = int(pos.side)
    king = int(pos.king[us])
    check = pin = NOTHING
    if king != NO_SQUARE:
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


@provides(POSITION)
def do_move(pos, move, undo):
    us = int(pos.side)
    them = 1 - us
    source, target, kind = move_from(move), move_to(move), move_kind(move)
    save_state(pos, undo)
    undo.move = move
    board_key = pos.board_key ^ SIDE_KEY
    target_bit = SQUARE_BITS[target]
    if source >= DROP_BASE:
        pos.hand[us] -= ONE << np.uint64(8 * kind)
        pos.hand_key -= HAND_KEYS[us, kind]
        toggle(pos, us, kind, target_bit)
        arrived = kind
    else:
        captured = piece_kind(pos.board[target])
        if captured != 0:
            toggle(pos, them, captured, target_bit)
            board_key ^= SQUARE_KEYS[them, captured, target]
            gained = int(UNPROMOTED[captured])
            pos.hand[us] += ONE << np.uint64(8 * gained)
            pos.hand_key += HAND_KEYS[us, gained]
        source_bit = SQUARE_BITS[source]
        pos.board[source] = 0
        board_key ^= SQUARE_KEYS[us, kind, source]
        if is_promotion(move):
            arrived = int(PROMOTED[kind])
            toggle(pos, us, kind, source_bit)
            toggle(pos, us, arrived, target_bit)
        else:
            arrived = kind
            toggle(pos, us, kind, source_bit ^ target_bit)
            if kind == KING:
                pos.king[us] = target
    pos.board[target] = make_piece(us, arrived)
    pos.board_key = board_key ^ SQUARE_KEYS[us, arrived, target]
    pos.side = them
    pos.ply += 1
    update_checkers_and_pins(pos, arrived, target)


@provides(POSITION)
def undo_move(pos, move, undo):
    us = 1 - int(pos.side)
    them = 1 - us
    source, target, kind = move_from(move), move_to(move), move_kind(move)
    target_bit = SQUARE_BITS[target]
    if source >= DROP_BASE:
        toggle(pos, us, kind, target_bit)
        pos.board[target] = 0
    else:
        source_bit = SQUARE_BITS[source]
        if is_promotion(move):
            toggle(pos, us, kind, source_bit)
            toggle(pos, us, int(PROMOTED[kind]), target_bit)
        else:
            toggle(pos, us, kind, source_bit ^ target_bit)
            if kind == KING:
                pos.king[us] = source
        pos.board[source] = make_piece(us, kind)
        captured = move_captured(move)
        pos.board[target] = 0
        if captured != 0:
            toggle(pos, them, captured, target_bit)
            pos.board[target] = make_piece(them, captured)
    pos.side = us
    pos.ply -= 1
    restore_state(pos, undo)


@provides(POSITION)
def do_null(pos, undo):
    save_state(pos, undo)
    undo.move = 0
    pos.board_key ^= SIDE_KEY
    pos.side = 1 - int(pos.side)
    pos.ply += 1
    compute_checkers_and_pins(pos)


@provides(POSITION)
def undo_null(pos, undo):
    pos.side = 1 - int(pos.side)
    pos.ply -= 1
    restore_state(pos, undo)


@njit
def mix_keys(board_key, hand_key):
    """Return the key of a position from those of its board and its hands."""
    return board_key ^ hand_key * np.uint64(0x9E3779B97F4A7C15)


@provides(POSITION)
def key(pos):
    return mix_keys(pos.board_key, pos.hand_key)


@njit
def board_key_after(pos, move):
    """Return pos.board_key after `move`."""
    us = int(pos.side)
    target, kind = move_to(move), move_kind(move)
    board_key = pos.board_key ^ SIDE_KEY
    if is_drop(move):
        return board_key ^ SQUARE_KEYS[us, kind, target]
    captured = move_captured(move)
    if captured != 0:
        board_key ^= SQUARE_KEYS[1 - us, captured, target]
    return board_key ^ SQUARE_KEYS[us, kind, move_from(move)] ^ SQUARE_KEYS[us, arriving_kind(move), target]


@njit
def hand_key_after(pos, move):
    """Return pos.hand_key after `move`."""
    us = int(pos.side)
    if is_drop(move):
        return pos.hand_key - HAND_KEYS[us, move_kind(move)]
    captured = move_captured(move)
    return pos.hand_key if captured == 0 else pos.hand_key + HAND_KEYS[us, int(UNPROMOTED[captured])]


@provides(POSITION)
def key_after(pos, move):
    return mix_keys(board_key_after(pos, move), hand_key_after(pos, move))


@provides(POSITION)
def is_in_check(pos):
    return in_check(pos)


@provides(POSITION)
def null_allowed(pos):
    return not in_check(pos)


@provides(POSITION)
def repetition_key(pos):
    return pos.board_key


@njit
def side_at(ctx, ply):
    """Return the side to move at `ply` of the searched line; the current position is at ctx.ply."""
    return (int(ctx.pos.side) + ctx.ply - ply) & 1
