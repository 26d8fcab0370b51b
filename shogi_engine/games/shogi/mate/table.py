"""The mate search's transposition table: results by board and attacker's hand, in memory of a fixed size.

An entry is four words: the board's key; the attacker's hand with amount and generation; the numbers; and a path or a
move. All entries of a board, whatever the hands, lie in one cluster of ENTRIES, so that a proof is also found for
hands with more pieces, and a disproof for hands with fewer.

word 1: bits 0-41 packed hand, 42-47 amount (log2 of the positions searched), 48-55 zero, 56-63 generation, XORed with
        the last byte of word 0.
word 2: bits 0-25 proof number, 26-51 disproof number, 52-63 length: of a proof the plies to mate, else the plies
        within which no mate was found.
word 3: of a proof the mating move; of an unsolved entry ("twin" in Kishimoto and Mueller's paper) the key of the path
        on which a repetition disproves it (bits 12-63), and the ply of the repeated position plus one (0-11).
Entries of another generation count as empty: a new generation empties the table, and its memory need not be zeroed.
"""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi.mate.hands import PACKED_GUARDS
from shogi_engine.games.shogi.types import hand_covers
from shogi_engine.jit import clz, load_u64, njit, store_u64

ENTRIES = 8
WORDS = 4
CLUSTER_BYTES = ENTRIES * WORDS * 8

INFINITE = (1 << 26) - 1  # the proof number of a disproof, and the disproof number of a proof
LENGTH_MAX = 4095  # no limit, as no search is deeper
NO_PLY = 4095  # for a disproof that depends on no repetition

HAND_MASK = np.uint64((1 << 42) - 1)
NUMBER_MASK = np.uint64((1 << 26) - 1)
PLY_MASK = np.uint64(4095)
PATH_MASK = ~(np.uint64(255 << 48) | PLY_MASK)
GENERATION_SHIFT = np.uint64(56)
GENERATIONS = 255  # 1 to 255, so that zeroed memory is empty


@njit
def cluster_address(ctx, key):
    """Return the address of the cluster for a board's key."""
    index = (key >> np.uint64(32)) * ctx.tt_clusters >> np.uint64(32)
    return ctx.tt_address + index * np.uint64(CLUSTER_BYTES)


@njit
def is_current(ctx, board_key, meta):
    """Tell whether words 0 and 1 are those of an entry of this generation."""
    return (meta ^ board_key << GENERATION_SHIFT) >> GENERATION_SHIFT == ctx.generation


@njit
def clear_generation(ctx):
    """Zero the entries of this generation, so that they mean nothing to another user of the memory.

    Of what that user stored, only what looks like an entry is lost as well: one cluster's first in 256.
    """
    for cluster in range(ctx.tt_clusters):
        address = ctx.tt_address + np.uint64(cluster) * np.uint64(CLUSTER_BYTES)
        for _ in range(ENTRIES):
            if not is_current(ctx, load_u64(address), load_u64(address + np.uint64(8))):
                break
            for _ in range(WORDS):
                store_u64(address, ZERO)
                address += np.uint64(8)


@njit
def probe(ctx, key, hand, left, path_key):
    """Write the entry of a position to ctx.found; return False if there is none.

    Args:
        key: uint64, of the board
        hand: the attacker's packed hand
        left: plies left for the mate
        path_key: uint64
    """
    found = ctx.found
    address = cluster_address(ctx, key)
    found_unsolved = False
    for _ in range(ENTRIES):
        board_key, meta = load_u64(address), load_u64(address + np.uint64(8))
        if not is_current(ctx, board_key, meta):
            break
        if board_key == key:
            numbers = load_u64(address + np.uint64(16))
            stored = np.int64(meta & HAND_MASK)
            proof, disproof = np.int64(numbers & NUMBER_MASK), np.int64(numbers >> np.uint64(26) & NUMBER_MASK)
            length = np.int64(numbers >> np.uint64(52))
            if proof == 0:
                if length <= left and hand_covers(hand, stored, PACKED_GUARDS):
                    found.proof, found.disproof, found.length, found.hand = 0, INFINITE, length, stored
                    found.move = load_u64(address + np.uint64(24))
                    found.ply = NO_PLY
                    return True
            elif disproof == 0:
                if length >= left and hand_covers(stored, hand, PACKED_GUARDS):
                    found.proof, found.disproof, found.length, found.hand = INFINITE, 0, length, stored
                    found.ply = NO_PLY
                    return True
            elif stored == hand:
                twin = load_u64(address + np.uint64(24))
                if twin != ZERO and (twin ^ path_key) & PATH_MASK == ZERO and length >= left:
                    found.proof, found.disproof, found.length, found.hand = INFINITE, 0, length, hand
                    found.ply = np.int64(twin & PLY_MASK) - 1
                    return True
                found.proof, found.disproof, found.length, found.hand = proof, disproof, left, hand
                found.ply = NO_PLY
                found_unsolved = True
        address += np.uint64(WORDS * 8)
    return found_unsolved


@njit
def store(ctx, key, hand, proof, disproof, length, last, nodes):
    """Store an entry in its cluster, replacing the entry with the smallest amount.

    An unsolved entry for the same hand is overwritten; a proof only by a proof, and a disproof only by a disproof.

    Args:
        last: uint64, word 3
        nodes: the number of positions searched for it, from which its amount is derived
    """
    amount = np.uint64(63 - clz(np.uint64(nodes + 1)))
    address = cluster_address(ctx, key)
    victim = address
    least = np.uint64(64)
    for _ in range(ENTRIES):
        board_key, meta = load_u64(address), load_u64(address + np.uint64(8))
        if not is_current(ctx, board_key, meta):
            victim = address
            break
        if board_key == key and np.int64(meta & HAND_MASK) == hand:
            numbers = load_u64(address + np.uint64(16))
            was_proof, was_disproof = numbers & NUMBER_MASK, numbers >> np.uint64(26) & NUMBER_MASK
            unsolved = was_proof != ZERO and was_disproof != ZERO
            if unsolved or (was_proof == ZERO) == (proof == 0) and (was_disproof == ZERO) == (disproof == 0):
                old = meta >> np.uint64(42) & np.uint64(63)
                if old > amount:
                    amount = old
                victim = address
                break
        stored_amount = meta >> np.uint64(42) & np.uint64(63)
        if stored_amount < least:
            least = stored_amount
            victim = address
        address += np.uint64(WORDS * 8)
    store_u64(victim, key)
    generation = (ctx.generation ^ key) << GENERATION_SHIFT
    store_u64(victim + np.uint64(8), np.uint64(hand) | amount << np.uint64(42) | generation)
    numbers = np.uint64(proof) | np.uint64(disproof) << np.uint64(26) | np.uint64(length) << np.uint64(52)
    store_u64(victim + np.uint64(16), numbers)
    store_u64(victim + np.uint64(24), last)
