"""The transposition table: clusters of four entries in one cache line, shared by all threads without a lock.

An entry is two words: data, and check ^ data. If a reader sees halves of two different entries, the check does not
match and the probe is a miss (Robert Hyatt's lockless hashing, https://craftychess.com/hyatt/hashing.html).
data: bits 0-31 move, 32-47 value + 32768, 48-55 depth, 56-57 bound, 58 principal variation, 59-63 generation.
check: bits 0-15 static evaluation + 32768, 16-63 the low 48 bits of the key. The high bits select the cluster.
"""

from typing import Any

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.interface.game import MOVE_NONE, VALUE_MATE_IN_MAX, VALUE_NONE
from shogi_engine.jit import load_u64, njit, prefetch, store_u64
from shogi_engine.types.limits import check_number

CLUSTER_BYTES = 64
ENTRIES = 4
GENERATIONS = 32
GENERATION_SHIFT = np.uint64(59)
PV_BIT = np.uint64(1 << 58)
BOUND_NONE, BOUND_UPPER, BOUND_LOWER, BOUND_EXACT = 0, 1, 2, 3
MAX_STORED_DEPTH = 255
UNSEARCHED = 0  # the depth of an entry with a static evaluation only; quiescence search stores 0 as well
CHECK_SHIFT = np.uint64(16)
LOW_16 = np.uint64(0xFFFF)


class TranspositionTable:
    """The memory of the table. Kernels access it by its address.

    Args:
        megabytes: the size in MB

    Raises:
        ValueError: `megabytes` is below 1
        MemoryError: the system does not have enough memory
    """

    def __init__(self, megabytes: int) -> None:
        check_number("hash_mb", megabytes, 1, whole=True)
        self.megabytes = megabytes
        self.clusters = (megabytes << 20) // CLUSTER_BYTES
        memory = np.zeros(self.clusters * (CLUSTER_BYTES // 8) + 8, dtype=np.uint64)
        offset = -memory.ctypes.data % CLUSTER_BYTES // 8
        self.words: Any = memory[offset : offset + self.clusters * (CLUSTER_BYTES // 8)]
        self.address = self.words.ctypes.data  # of the first cluster
        self.clear()

    def clear(self) -> None:
        """Clear the table. Touches all of its memory, so that no page is allocated during a search."""
        self.words.fill(0)
        self.generation = 0

    def next_generation(self) -> None:
        """Begin a new search: entries of older searches are replaced first."""
        self.generation = (self.generation + 1) % GENERATIONS

    def attach(self, ctx: Any) -> None:
        """Let the search of `ctx`, a context, use the table, in its current generation."""
        fields = np.asarray(ctx)
        fields["tt_address"], fields["tt_clusters"] = self.address, self.clusters
        fields["generation"] = self.generation

    def move(self, key: int) -> int:
        """Return the best move stored under `key` (64 bits), or 0."""
        first = ((key >> 32) * self.clusters >> 32) * (CLUSTER_BYTES // 8)
        for check, data in self.words[first : first + 2 * ENTRIES].reshape(ENTRIES, 2).tolist():
            if data and (check ^ data) >> 16 == key & (1 << 48) - 1:
                return data & 0xFFFFFFFF
        return 0

    def permille_used(self) -> int:
        """Return how many of 1000 sampled entries belong to the current search (USI's hashfull)."""
        data = self.words[1:2000:2]
        return int(np.count_nonzero((data != 0) & (data >> GENERATION_SHIFT == self.generation)) * 1000 // len(data))


@njit
def cluster_address(ctx, key):
    """Return the address of the cluster for `key` (uint64), which is selected by the upper half of the key."""
    index = (key >> np.uint64(32)) * ctx.tt_clusters >> np.uint64(32)
    return ctx.tt_address + index * np.uint64(CLUSTER_BYTES)


@njit
def prefetch_cluster(ctx, key):
    """Prefetch the cluster of `key`."""
    prefetch(cluster_address(ctx, key))


@njit
def probe_entry(ctx, key):
    """Return the (data, check) stored for `key`, both uint64; data is 0 if there is none."""
    address = cluster_address(ctx, key)
    wanted = key << CHECK_SHIFT
    for _ in range(ENTRIES):
        data = load_u64(address + np.uint64(8))
        check = load_u64(address) ^ data
        if (check ^ wanted) <= LOW_16 and data != ZERO:
            return data, check
        address += np.uint64(16)
    return ZERO, ZERO


@njit
def lookup(ctx, key, use_table):
    """Return (hit, move, value, depth, bound, static_eval, is_pv) of the entry for `key`.

    If there is no entry, or `use_table` is false: False, MOVE_NONE, VALUE_NONE, 0, BOUND_NONE, VALUE_NONE, False.
    """
    data = check = ZERO
    if use_table:
        data, check = probe_entry(ctx, key)
    if data == ZERO:
        return False, MOVE_NONE, np.int64(VALUE_NONE), np.int64(0), np.int64(BOUND_NONE), np.int64(VALUE_NONE), False
    value, depth, bound = entry_value(data, ctx.ply), entry_depth(data), entry_bound(data)
    return True, entry_move(data), value, depth, bound, entry_eval(check), entry_is_pv(data)


@njit
def entry_eval(check):
    """Return the static evaluation in an entry's check word, or VALUE_NONE."""
    return np.int64(check & LOW_16) - 32768


@njit
def entry_is_pv(data):
    """Tell whether the entry's position was once on a principal variation."""
    return data & PV_BIT != ZERO


@njit
def entry_move(data):
    """Return the move of an entry's data."""
    return np.uint32(data & np.uint64(0xFFFFFFFF))


@njit
def entry_value(data, ply):
    """Return the value of an entry's data for a node at `ply`, or VALUE_NONE.

    Stored mate values count plies from the node, not from the root.
    """
    value = np.int64(data >> np.uint64(32) & np.uint64(0xFFFF)) - 32768
    if value == VALUE_NONE:
        return value
    if value >= VALUE_MATE_IN_MAX:
        return value - ply
    if value <= -VALUE_MATE_IN_MAX:
        return value + ply
    return value


@njit
def entry_depth(data):
    """Return the depth of an entry's data."""
    return np.int64(data >> np.uint64(48) & np.uint64(255))


@njit
def entry_bound(data):
    """Return the bound of an entry's data: BOUND_NONE, BOUND_UPPER, BOUND_LOWER or BOUND_EXACT."""
    return np.int64(data >> np.uint64(56) & np.uint64(3))


@njit
def bound_holds(bound, value, other):
    """Tell whether a table `value` with `bound` decides on which side of `other` (beta, an estimate) the node lies."""
    return bound & (BOUND_LOWER if value >= other else BOUND_UPPER) != 0


@njit(forceinline=True)
def find_slot(ctx, key):
    """Return (address, data) of the entry for `key` (uint64).

    If there is none, data is 0 and the address is that of the entry to replace. Entries of older searches are replaced
    first, then the one with the lowest depth.
    """
    address = cluster_address(ctx, key)
    wanted = key << CHECK_SHIFT
    victim = address
    lowest_priority = np.int64(1 << 30)
    for _ in range(ENTRIES):
        data = load_u64(address + np.uint64(8))
        if (load_u64(address) ^ data ^ wanted) <= LOW_16:
            return address, data
        age = int(ctx.generation - (data >> GENERATION_SHIFT) & np.uint64(GENERATIONS - 1))
        priority = entry_depth(data) - 8 * age if data != ZERO else np.int64(-(1 << 20))
        if priority < lowest_priority:
            lowest_priority = priority
            victim = address
        address += np.uint64(16)
    return victim, ZERO


@njit(forceinline=True)
def write_entry(address, key, data, static_eval):
    """Write the entry of `key` with `data` (uint64) to `address`.

    Args:
        static_eval: uint64, the value + 32768, or 0
    """
    store_u64(address, (key << CHECK_SHIFT | static_eval) ^ data)
    store_u64(address + np.uint64(8), data)


@njit
def store(ctx, key, move, value, depth, bound, is_pv, static_eval):
    """Store the result of a search of `depth` at ctx.ply, replacing the entry that `find_slot` chooses.

    An entry of the same position that was searched four plies deeper is kept; only its move is replaced.

    Args:
        bound: BOUND_NONE if only the static evaluation is known
        static_eval: uncorrected, or VALUE_NONE
    """
    if value != VALUE_NONE:
        if value >= VALUE_MATE_IN_MAX:
            value += ctx.ply
        elif value <= -VALUE_MATE_IN_MAX:
            value -= ctx.ply
    depth = min(max(depth, 0), MAX_STORED_DEPTH)
    address, data = find_slot(ctx, key)
    if data != ZERO:
        if move == 0:
            move = entry_move(data)
        fresh = data >> GENERATION_SHIFT == ctx.generation
        if bound != BOUND_EXACT and fresh and depth + 2 * is_pv + 4 <= entry_depth(data):
            if move != entry_move(data):
                check = load_u64(address) ^ data
                write_entry(address, key, data & ~np.uint64(0xFFFFFFFF) | np.uint64(move), check & LOW_16)
            return
    data = (
        np.uint64(move)
        | np.uint64(value + 32768) << np.uint64(32)
        | np.uint64(depth) << np.uint64(48)
        | np.uint64(bound) << np.uint64(56)
        | (PV_BIT if is_pv else ZERO)
        | ctx.generation << GENERATION_SHIFT
    )
    write_entry(address, key, data, np.uint64(static_eval + 32768))
