"""Endgame entries of the transposition tables: two bounds of the exact score, and two moves.

Positions with many empty squares share the search's table, with salted keys (search/tt.py: lockless entries, depth,
generation, replacement). Those with up to NEAR_EMPTIES are stored in a small table of each thread, which fits the CPU's
second-level cache and has one slot for each key: these positions are numerous, and recur soon or never.
data: bits 0-7 best move + 1, 8-15 the one before, 16-23 selectivity, 32-39 lower bound + 64, 40-47 upper bound + 64,
48-55 empty squares, 56-57 set, 59-63 generation.
"""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.othello.position import mixed_key
from shogi_engine.jit import load_u64, njit, record_at
from shogi_engine.jit.vectors import ALIGNMENT, align_up
from shogi_engine.search.tt import CHECK_SHIFT, GENERATION_SHIFT, cluster_address, find_slot, probe_entry, write_entry

LOWEST, HIGHEST = -64, 64  # possible scores
NEAR_EMPTIES = 9
NEAR_BITS = 14
ENTRY_BYTES = 16
NEAR_TABLE = (("near_table", np.uint8, (ENTRY_BYTES * (1 << NEAR_BITS) + ALIGNMENT,)),)  # among the histories
SALT = np.uint64(0xB7E151628AED2A6B)
BYTE = np.uint64(255)


@njit
def ending_key(own, opponent):
    """Return the key of a position to solve; it does not depend on which colour is to move."""
    return mixed_key(own, opponent, SALT)


@njit
def lower_bound(data):
    """Return the lower bound of an entry's data."""
    return np.int64(data >> np.uint64(32) & BYTE) - 64


@njit
def upper_bound(data):
    """Return the upper bound of an entry's data."""
    return np.int64(data >> np.uint64(40) & BYTE) - 64


@njit(forceinline=True)
def entry_moves(data):
    """Return the two moves of an entry's data as square + 1, 0 for none: the best one, and the one before it."""
    return np.int64(data & BYTE), np.int64(data >> np.uint64(8) & BYTE)


@njit
def entry_square(data):
    """Return the square of an entry's best move, -1 if it has none."""
    return np.int64(data & BYTE) - 1


@njit
def entry_selectivity(data):
    """Return the selectivity of the pass that found an entry's bounds: 0 if they are proven."""
    return np.int64(data >> np.uint64(16) & BYTE)


@njit
def ending_address(ctx, key, empties):
    """Return the address of the entries for `key` (uint64), of a position with `empties` empty squares."""
    if empties > NEAR_EMPTIES:
        return cluster_address(ctx, key)
    first = align_up(np.uint64(record_at(ctx, ctx.histories).near_table.ctypes.data))
    return first + (key >> np.uint64(64 - NEAR_BITS)) * np.uint64(ENTRY_BYTES)


@njit
def probe_ending(ctx, key, empties):
    """Return the data (uint64) stored for `key`, 0 if there is none."""
    if empties > NEAR_EMPTIES:
        return probe_entry(ctx, key)[0]
    address = ending_address(ctx, key, empties)
    data = load_u64(address + np.uint64(8))
    return data if load_u64(address) ^ data == key << CHECK_SHIFT else ZERO


@njit
def store_bounds(ctx, key, empties, lower, upper, move, selectivity):
    """Store bounds of a position, combined with those stored before if they are equally certain.

    Args:
        move: square + 1 of a move that proves `lower`, or 0
        selectivity: see `entry_selectivity`; stored bounds of a less selective pass are kept
    """
    if empties > NEAR_EMPTIES:
        address, data = find_slot(ctx, key)
    else:
        address, data = ending_address(ctx, key, empties), probe_ending(ctx, key, empties)
    second = np.int64(0)
    if data != ZERO:
        before, earlier = entry_moves(data)
        known = entry_selectivity(data)
        worse = known < selectivity or known == selectivity and lower_bound(data) > lower
        if move == 0 or before != 0 and worse:  # another thread has meanwhile stored a better bound
            move, before = before, move
        second = before if before != move and before != 0 else earlier
        if known < selectivity:
            lower, upper, selectivity = lower_bound(data), upper_bound(data), known
        elif known == selectivity and lower <= upper_bound(data) and lower_bound(data) <= upper:
            lower, upper = max(lower, lower_bound(data)), min(upper, upper_bound(data))
    data = (
        np.uint64(move)
        | np.uint64(second) << np.uint64(8)
        | np.uint64(selectivity) << np.uint64(16)
        | np.uint64(lower + 64) << np.uint64(32)
        | np.uint64(upper + 64) << np.uint64(40)
        | np.uint64(empties) << np.uint64(48)
        | np.uint64(3) << np.uint64(56)
        | ctx.generation << GENERATION_SHIFT
    )
    write_entry(address, key, data, ZERO)


@njit
def store_result(ctx, key, empties, alpha, beta, best, move, selectivity):
    """Store the bounds that a search of the window (alpha, beta) proved: its value `best`, by `move` (square + 1)."""
    lower = best if best > alpha else np.int64(LOWEST)
    upper = best if best < beta else np.int64(HIGHEST)
    store_bounds(ctx, key, empties, lower, upper, move if best > alpha else np.int64(0), selectivity)
