"""The mate search's table: what is known of a position, by board and hand, in memory of a set size.

An entry is four words: the board's key; the attacker's hand with amount and generation; the numbers; and a path or a
move. All entries of a board, whatever the hands, lie in one cluster of ENTRIES, so that a proof with few pieces in hand
answers for all richer hands, and a disproof with many for all poorer ones.

word 1: bits 0-41 packed hand, 42-47 amount (log2 of the positions searched), 48-63 generation.
word 2: bits 0-25 proof number, 26-51 disproof number, 52-63 length: of a mate found, or up to which none was found.
word 3: of a proof the move; of an unsolved entry the path on which repetition disproves it (bits 12-63), and the
        ply of the repeated position plus one (0-11).
Entries of another generation count as empty, so a table is emptied by counting on, and any memory will do for one.
"""

import numpy as np

from shogi_engine.bits import ZERO
from shogi_engine.games.shogi.mate.moves import hand_covers
from shogi_engine.jit import clz, load_u64, njit, store_u64

ENTRIES = 8
WORDS = 4
CLUSTER_BYTES = ENTRIES * WORDS * 8

INFINITE = (1 << 26) - 1  # the number of what is settled the other way
LENGTH_MAX = 4095  # more plies than any search goes: no limit
NO_PLY = 4095  # a disproof that rests on no position before it

HAND_MASK = np.uint64((1 << 42) - 1)
NUMBER_MASK = np.uint64((1 << 26) - 1)
PATH_MASK = ~np.uint64(4095)


@njit
def cluster_of(ctx, key):
    """Return the address of the cluster for a board."""
    index = (key >> np.uint64(32)) * ctx.tt_clusters >> np.uint64(32)
    return ctx.tt_address + index * np.uint64(CLUSTER_BYTES)


@njit
def look_up(ctx, key, hand, left, path):
    """Put what the table knows of a position into ctx.found; return False if it is nothing.

    key : uint64, board.   hand : packed, the attacker's.   left : plies that are left for the mate.   path : uint64.
    """
    found = ctx.found
    address = cluster_of(ctx, key)
    known = False
    for _ in range(ENTRIES):
        meta = load_u64(address + np.uint64(8))
        if meta >> np.uint64(48) != ctx.generation:
            break
        if load_u64(address) == key:
            numbers = load_u64(address + np.uint64(16))
            stored = np.int64(meta & HAND_MASK)
            proof, disproof = np.int64(numbers & NUMBER_MASK), np.int64(numbers >> np.uint64(26) & NUMBER_MASK)
            length = np.int64(numbers >> np.uint64(52))
            if proof == 0:
                if length <= left and hand_covers(hand, stored):
                    found.proof, found.disproof, found.length, found.hand = 0, INFINITE, length, stored
                    found.move = load_u64(address + np.uint64(24))
                    found.ply = NO_PLY
                    return True
            elif disproof == 0:
                if length >= left and hand_covers(stored, hand):
                    found.proof, found.disproof, found.length, found.hand = INFINITE, 0, length, stored
                    found.ply = NO_PLY
                    return True
            elif stored == hand:
                twin = load_u64(address + np.uint64(24))
                if twin != ZERO and (twin ^ path) & PATH_MASK == ZERO and length >= left:
                    found.proof, found.disproof, found.length, found.hand = INFINITE, 0, length, hand
                    found.ply = np.int64(twin & ~PATH_MASK) - 1
                    return True
                found.proof, found.disproof, found.length, found.hand = proof, disproof, left, hand
                found.ply = NO_PLY
                known = True
        address += np.uint64(WORDS * 8)
    return known


@njit
def keep(ctx, key, hand, proof, disproof, length, last, nodes):
    """Store an entry; the one of the cluster with the least work in it gives way.

    last : uint64, word 3.   nodes : how many positions were searched for it.
    An unsolved entry of the same hand is replaced, a settled one only by one of its own sort.
    """
    amount = np.uint64(63 - clz(np.uint64(nodes + 1)))
    address = cluster_of(ctx, key)
    victim = address
    least = np.uint64(64)
    for _ in range(ENTRIES):
        meta = load_u64(address + np.uint64(8))
        if meta >> np.uint64(48) != ctx.generation:
            victim = address
            break
        if load_u64(address) == key and np.int64(meta & HAND_MASK) == hand:
            numbers = load_u64(address + np.uint64(16))
            was_proof, was_disproof = numbers & NUMBER_MASK, numbers >> np.uint64(26) & NUMBER_MASK
            unsolved = was_proof != ZERO and was_disproof != ZERO
            if unsolved or (was_proof == ZERO) == (proof == 0) and (was_disproof == ZERO) == (disproof == 0):
                old = meta >> np.uint64(42) & np.uint64(63)
                if old > amount:
                    amount = old
                victim = address
                break
        worth = meta >> np.uint64(42) & np.uint64(63)
        if worth < least:
            least = worth
            victim = address
        address += np.uint64(WORDS * 8)
    store_u64(victim, key)
    store_u64(victim + np.uint64(8), np.uint64(hand) | amount << np.uint64(42) | ctx.generation << np.uint64(48))
    numbers = np.uint64(proof) | np.uint64(disproof) << np.uint64(26) | np.uint64(length) << np.uint64(52)
    store_u64(victim + np.uint64(16), numbers)
    store_u64(victim + np.uint64(24), last)
