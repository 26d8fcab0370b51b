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
from shogi_engine.games.shogi.bitboard import between, checkers
from shogi_engine.games.shogi.types import MAX_MOVES, PAWN, POSITION, ROOK, SQUARES, UNDO, hand_count, hand_covers
from shogi_engine.jit import clz, load_stop, load_u64, njit, record_dtype, store_u64
from shogi_engine.jit.bitboards import lowest

# ---- The mate search's context: the path from the root, the children of its positions, and the search's limits


MAX_PLIES = 2000
BUFFER_SIZE = 1 << 15  # moves of all plies together
REPETITION_FILTER_SIZE = 1 << 12

ATTACKER_KEYS = np.array([0x9AE16A3B2F90404F, 0xC949D7C7509E6557], dtype=np.uint64)  # by the attacker's colour

# The table's result for a position, as `table.probe` reads and the search stores it.
RESULT = record_dtype(
    [
        ("proof", np.int64),  # proof number
        ("disproof", np.int64),  # disproof number
        ("length", np.int64),  # of a proof, the plies to mate; else, the plies within which no mate was found
        ("hand", np.int64),  # proof hand, disproof hand, or the attacker's hand if neither is known
        ("ply", np.int64),  # the ply of the repeated position on which a disproof depends, or NO_PLY
        ("move", np.uint64),
    ]
)

# A position on the path. phi and delta are Nagai's: at an OR node (the attacker to move) the proof and the disproof
# number, at an AND node (the defender to move) the other way round.
FRAME = record_dtype(
    [
        ("key", np.uint64),
        ("path_key", np.uint64),
        ("hand", np.int64),  # the attacker's hand
        ("first", np.int64),  # index of its first move in ctx.moves and ctx.children
        ("count", np.int64),
        ("best", np.int64),  # index of the child that is searched
        ("phi", np.int64),
        ("delta", np.int64),
        ("others", np.int64),  # the number of its unsolved children except the hardest
        ("phi_threshold", np.int64),
        ("delta_threshold", np.int64),
        ("nodes_before", np.int64),  # ctx.nodes when the search entered this position
    ]
)

# The position after a move, with its own phi and delta: the move succeeds if delta is 0 and fails if phi is 0.
CHILD = record_dtype(
    [
        ("delta", np.int32),
        ("phi", np.int32),
        ("hand", np.int64),  # as in RESULT
        ("key", np.uint64),
        ("attacker_hand", np.int64),
        ("length", np.int32),
        ("ply", np.int32),
        ("superseded_by", np.int32),  # index of the move that has to fail before this one is considered, or -1
        ("move", np.uint32),  # the mating move of a proof in the table, for `lengths.tighten_mate_length`
    ]
)

MATE_SEARCH = record_dtype(
    [
        ("pos", POSITION),
        ("moves", np.uint32, (BUFFER_SIZE,)),
        ("children", CHILD, (BUFFER_SIZE,)),
        ("frames", FRAME, (MAX_PLIES + 1,)),
        ("undo", UNDO, (MAX_PLIES + 2,)),
        ("found", RESULT),
        ("check_squares", np.uint64, (16, 2)),
        ("last_drop", np.int32, (SQUARES,)),
        (
            "repetition_filter",
            np.uint8,
            (REPETITION_FILTER_SIZE,),
        ),  # by slot, the number of positions of the path that hash to it
        ("ply", np.int64),
        ("attacker", np.int64),
        ("limit", np.int64),  # the longest mate to look for, in plies; LENGTH_MAX for no limit
        ("nodes", np.int64),  # moves made
        ("node_limit", np.int64),
        ("steps", np.int64),
        ("stop_address", np.uint64),  # of a uint64 that becomes nonzero to stop the search
        ("tt_address", np.uint64),
        ("tt_clusters", np.uint64),
        ("generation", np.uint64),
    ]
)


@njit
def has_room(ctx, start):
    """Tell whether two more plies fit on the stack, with their moves from `start` on in the buffers."""
    return ctx.ply + 2 < MAX_PLIES and start + 2 * MAX_MOVES < BUFFER_SIZE


@njit
def should_stop(ctx):
    """Tell whether the node limit or another thread ends the search."""
    ctx.steps += 1
    return ctx.nodes >= ctx.node_limit or ctx.steps & 127 == 0 and load_stop(ctx.stop_address) != np.uint64(0)


# ---- Packed hands: fast comparison, and the proof and disproof hands that the df-pn search derives from them
#
# A proof hand is the smallest attacker's hand with which a proof holds; a disproof hand is the largest hand with which
# a disproof holds.
# Source: Ayumu Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002.


# A packed hand is an int64 with six bits for each kind, the pawn lowest. The sixth bit is always 0: it takes the borrow
# of a subtraction, which compares all kinds at once.
HAND_WIDTH = 6
HAND_UNITS = np.array([0] + [1 << HAND_WIDTH * kind for kind in range(7)] + [0], dtype=np.int64)
HAND_FIELDS = np.array([0] + [31 << HAND_WIDTH * kind for kind in range(7)] + [0], dtype=np.int64)
PACKED_GUARDS = sum(32 << HAND_WIDTH * kind for kind in range(7))


@njit
def packed_hand(hand):
    """Return a hand of a position (uint64) packed."""
    packed = 0
    for kind in range(PAWN, ROOK + 1):
        packed |= hand_count(hand, kind) << HAND_WIDTH * (kind - 1)
    return packed


@njit
def larger_kinds(hand, other):
    """Return a mask of the kinds of which a packed hand has at least as many as another."""
    guards = ((hand | PACKED_GUARDS) - other) & PACKED_GUARDS
    return guards - (guards >> HAND_WIDTH - 1)


@njit
def hand_union(hand, other):
    """Return the packed hand with the larger count of each kind of two packed hands."""
    larger = larger_kinds(hand, other)
    return hand & larger | other & ~larger


@njit
def hand_intersection(hand, other):
    """Return the packed hand with the smaller count of each kind of two packed hands."""
    larger = larger_kinds(hand, other)
    return other & larger | hand & ~larger


@njit
def hand_without(hand, kind):
    """Return a packed hand with one piece of `kind` fewer; unchanged if it has none."""
    return hand - HAND_UNITS[kind] if hand & HAND_FIELDS[kind] != 0 else hand


@njit
def kinds_held(hand):
    """Return a mask of the kinds in a packed hand."""
    fields = 0
    for kind in range(PAWN, ROOK + 1):
        if hand & HAND_FIELDS[kind] != 0:
            fields |= HAND_FIELDS[kind]
    return fields


@njit
def can_interpose(pos):
    """Tell whether there are squares between the checked king of the side to move and its only checker."""
    check = checkers(pos)
    return len(check) == 1 and bool(between(int(pos.king[pos.side]), lowest(check)))


@njit
def withheld_hand(pos):
    """Return, as a packed hand, the attacker's pieces of kinds that the defender, in check, does not have in hand.

    Return 0 if no drop could interpose. Without these pieces in the attacker's hand, the defender might have one and
    interpose it; so a mate's proof hand must contain them.
    """
    if not can_interpose(pos):
        return 0
    hand = packed_hand(pos.hand[1 - pos.side])
    return hand & ~kinds_held(packed_hand(pos.hand[pos.side]))


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
