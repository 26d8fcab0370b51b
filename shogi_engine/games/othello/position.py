"""Making and unmaking Othello's moves, and the position's key."""

import numpy as np

from shogi_engine.common.bits import ONE, ZERO
from shogi_engine.games.othello.bitboard import canonical, transform
from shogi_engine.games.othello.movegen import flips
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.types import PASS, POSITION, move_square, placed_disc
from shogi_engine.interface.game import provides
from shogi_engine.jit import njit, popcount

# Odd multipliers for the key, from the digits of the golden ratio, pi, e and the square roots of 2, 3 and 5.
OWN_FACTOR = np.uint64(0x9E3779B97F4A7C15)
OPPONENT_FACTOR = np.uint64(0x243F6A8885A308D3)
MIX_FACTOR = np.uint64(0xADF85458A2BB4A9B)
TURNED_OWN_FACTOR = np.uint64(0xBB67AE8584CAA73B)
TURNED_OPPONENT_FACTOR = np.uint64(0x3C6EF372FE94F82B)
SIDE_FACTOR = np.uint64(0x6A09E667F3BCC909)
HALF = np.uint64(32)


@provides(POSITION)
def do_move(pos, move, undo):
    disc = placed_disc(move)
    flipped = ZERO if move == PASS else flips(pos.own, pos.opponent, move_square(move))
    after = pos.own ^ flipped ^ disc
    pos.own = pos.opponent ^ flipped
    pos.opponent = after
    pos.side ^= ONE
    undo.flips = flipped
    undo.disc = disc


@provides(POSITION)
def undo_move(pos, move, undo):
    flipped = undo.flips
    before = pos.opponent ^ flipped ^ placed_disc(move)
    pos.opponent = pos.own ^ flipped
    pos.own = before
    pos.side ^= ONE


@njit
def mixed_key(own, opponent, salt):
    """Return a key (uint64) of two bitboards and a number.

    A product carries bits upwards only: h8, bit 63, would stay bit 63 whatever the factor, and its two colours would be
    indistinguishable. Hence each board has two factors, one of them for the board rotated by half its bits.
    """
    mixed = own * OWN_FACTOR + (own << HALF | own >> HALF) * TURNED_OWN_FACTOR + salt
    mixed += opponent * OPPONENT_FACTOR + (opponent << HALF | opponent >> HALF) * TURNED_OPPONENT_FACTOR
    mixed = (mixed ^ mixed >> HALF) * MIX_FACTOR
    return mixed ^ mixed >> HALF


@njit
def search_key(own, opponent, side):
    """Return `key` (uint64) of a position with these bitboards and this side to move."""
    return mixed_key(own, opponent, side * SIDE_FACTOR)


@provides(POSITION)
def key(pos):
    return search_key(pos.own, pos.opponent, pos.side)


@provides(POSITION)
def repetition_key(pos):
    return pos.own  # sufficient, because no position repeats, and quicker than the key


@njit
def transform_position(pos, symmetry):
    """Rotate or mirror `pos` (record[POSITION], in-out) by a symmetry, 0..7, of `bitboard.transform`."""
    pos.own, pos.opponent = transform(pos.own, symmetry), transform(pos.opponent, symmetry)


@njit
def make_canonical(pos):
    """Replace `pos` (record[POSITION], in-out) by the one of its eight images that `bitboard.canonical` chooses."""
    pos.own, pos.opponent = canonical(pos.own, pos.opponent)


# ---- How a game of Othello ends, and what a pass costs


@njit
def final_score(own, opponent):
    """Return the discs by which `own`'s side has won a finished game, with empty squares counted for the winner."""
    mine, theirs = popcount(own), popcount(opponent)
    if mine > theirs:
        return 64 - 2 * theirs
    return 2 * mine - 64 if mine < theirs else 0


@provides(POSITION)
def terminal_value(ctx):
    return DISC * final_score(ctx.pos.own, ctx.pos.opponent)


@provides(POSITION)
def finished_leaves(pos):
    return 1


@provides(POSITION)
def move_cost(pos, move):
    return np.int64(move != PASS)
