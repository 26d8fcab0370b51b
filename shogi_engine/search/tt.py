"""The transposition table: clusters of four entries in one cache line, shared by all threads without a lock.

An entry is two words, data and key ^ data. A reader that meets half of one entry and half of another finds that the
key does not fit and takes it for a miss (Robert Hyatt's lockless hashing, https://craftychess.com/hyatt/hashing.html).
data: bits 0-31 move, 32-47 value + 32768, 48-55 depth, 56-57 bound, 58-63 generation.
"""

from typing import Any

import numpy as np

from shogi_engine.bits import ZERO
from shogi_engine.game import VALUE_MATE_IN_MAX
from shogi_engine.jit import load_u64, njit, prefetch, store_u64

CLUSTER_BYTES = 64
ENTRIES = 4
GENERATIONS = 64
BOUND_UPPER, BOUND_LOWER, BOUND_EXACT = 1, 2, 3
MAX_STORED_DEPTH = 255


class TranspositionTable:
    """The table's memory, reached from kernels by its address.

    megabytes : its size.   Raises ValueError below 1, MemoryError if there is not that much.
    """

    def __init__(self, megabytes: int) -> None:
        if megabytes < 1:
            raise ValueError(f"a transposition table needs at least 1 MB, not {megabytes}")
        self.megabytes = megabytes
        self.clusters = (megabytes << 20) // CLUSTER_BYTES
        memory = np.zeros(self.clusters * (CLUSTER_BYTES // 8) + 8, dtype=np.uint64)
        offset = -memory.ctypes.data % CLUSTER_BYTES // 8
        self.words: Any = memory[offset : offset + self.clusters * (CLUSTER_BYTES // 8)]
        self.clear()

    def clear(self) -> None:
        """Forget everything. Touches all of the memory, so that no page is first allocated during a search."""
        self.words.fill(0)
        self.generation = 0

    def next_generation(self) -> None:
        """Begin a new search: entries of older ones are replaced first."""
        self.generation = (self.generation + 1) % GENERATIONS

    @property
    def address(self) -> int:
        """The first cluster's address."""
        return self.words.ctypes.data

    def move(self, key: int) -> int:
        """Return the best move stored under `key` (64 bits), 0 if there is none."""
        first = ((key >> 32) * self.clusters >> 32) * (CLUSTER_BYTES // 8)
        for check, data in self.words[first : first + 2 * ENTRIES].reshape(ENTRIES, 2).tolist():
            if check ^ data == key and data:
                return data & 0xFFFFFFFF
        return 0

    def permille_used(self) -> int:
        """Return how many of 1000 sampled entries belong to the present search (USI's hashfull)."""
        data = self.words[1:2000:2]
        return int(np.count_nonzero((data != 0) & (data >> np.uint64(58) == self.generation)) * 1000 // len(data))


@njit
def cluster_address(ctx, key):
    """Return the address of the cluster for `key` (uint64): its upper half scaled to the number of clusters."""
    index = (key >> np.uint64(32)) * ctx.tt_clusters >> np.uint64(32)
    return ctx.tt_address + index * np.uint64(CLUSTER_BYTES)


@njit
def prefetch_cluster(ctx, key):
    """Prefetch the cluster of `key`."""
    prefetch(cluster_address(ctx, key))


@njit
def probe(ctx, key):
    """Return the data (uint64) stored for `key`, 0 if there is none."""
    address = cluster_address(ctx, key)
    for _ in range(ENTRIES):
        data = load_u64(address + np.uint64(8))
        if load_u64(address) ^ data == key and data != ZERO:
            return data
        address += np.uint64(16)
    return ZERO


@njit
def entry_move(data):
    """Return the move of an entry's data."""
    return np.uint32(data & np.uint64(0xFFFFFFFF))


@njit
def entry_value(data, ply):
    """Return the value of an entry's data for a node at `ply`: stored mates count plies from the node, not the root."""
    value = int(data >> np.uint64(32) & np.uint64(0xFFFF)) - 32768
    if value >= VALUE_MATE_IN_MAX:
        return value - ply
    if value <= -VALUE_MATE_IN_MAX:
        return value + ply
    return value


@njit
def entry_depth(data):
    """Return the depth of an entry's data."""
    return int(data >> np.uint64(48) & np.uint64(255))


@njit
def entry_bound(data):
    """Return the bound of an entry's data: BOUND_UPPER, BOUND_LOWER or BOUND_EXACT."""
    return int(data >> np.uint64(56) & np.uint64(3))


@njit
def entry_settles(data, alpha, beta, ply):
    """Tell whether an entry's value and bound are enough for the window (alpha, beta) at `ply`."""
    value, bound = entry_value(data, ply), entry_bound(data)
    return bound == BOUND_EXACT or bound == BOUND_LOWER and value >= beta or bound == BOUND_UPPER and value <= alpha


@njit(forceinline=True)
def find_slot(ctx, key):
    """Return (address, data) of the entry of `key` (uint64); data is 0 if there is none yet.

    The address is then that of the entry to replace: the cluster's shallowest, older ones first.
    """
    address = cluster_address(ctx, key)
    victim = address
    lowest_priority = np.int64(1 << 30)
    for _ in range(ENTRIES):
        data = load_u64(address + np.uint64(8))
        if load_u64(address) ^ data == key:
            return address, data
        age = int(ctx.generation - (data >> np.uint64(58)) & np.uint64(GENERATIONS - 1))
        priority = entry_depth(data) - 8 * age if data != ZERO else np.int64(-(1 << 20))
        if priority < lowest_priority:
            lowest_priority = priority
            victim = address
        address += np.uint64(16)
    return victim, ZERO


@njit(forceinline=True)
def write_entry(address, key, data):
    """Write the entry of `key` with `data` (uint64) to `address`."""
    store_u64(address, key ^ data)
    store_u64(address + np.uint64(8), data)


@njit
def store(ctx, key, move, value, depth, bound, ply):
    """Store the result of a search of `depth`; it replaces the cluster's shallowest entry, older ones first."""
    if value >= VALUE_MATE_IN_MAX:
        value += ply
    elif value <= -VALUE_MATE_IN_MAX:
        value -= ply
    depth = min(max(depth, 0), MAX_STORED_DEPTH)
    address, data = find_slot(ctx, key)
    if data != ZERO:
        fresh = data >> np.uint64(58) == ctx.generation
        if bound != BOUND_EXACT and fresh and entry_depth(data) > depth + 3:
            return
        if move == 0:
            move = entry_move(data)
    data = (
        np.uint64(move)
        | np.uint64(value + 32768) << np.uint64(32)
        | np.uint64(depth) << np.uint64(48)
        | np.uint64(bound) << np.uint64(56)
        | ctx.generation << np.uint64(58)
    )
    write_entry(address, key, data)
