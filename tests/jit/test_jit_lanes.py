"""Traced functions against what they compute on numpy's numbers and arrays."""

import random

import numpy as np
import pytest

from shogi_engine.jit import address_of, njit
from shogi_engine.jit.lanes import (
    Table,
    bytes_of,
    join,
    largest_i32,
    leading_bits,
    load,
    load_i16,
    popcounts,
    python_of,
    store,
    store_i32,
    traced,
    where,
)

SHIFTS = np.array([1, 7, 8, 9], dtype=np.uint64)
ROWS = Table(np.arange(3, 259, dtype=np.uint64).reshape(64, 4) * np.uint64(0x9E3779B97F4A7C15))
HIGH = np.uint64(1 << 63)


@njit
def spread(number):
    return number | number << np.uint64(1)


def mix(left, right) -> int:
    """Use each operator on numbers and vectors, an int and an array on either side."""
    row = ROWS[left & 63]
    vector = (row ^ left) + (SHIFTS << 3) - (right * row) * 5
    vector = vector >> SHIFTS | row << 2 * SHIFTS | ~vector & HIGH >> SHIFTS
    vector ^= where(row & 64, vector + 1) | where(right & 1, row)
    vector ^= leading_bits(vector | 1)
    return join(vector + popcounts(vector & right)) ^ popcounts(left) ^ python_of(spread)(right) ^ (7 - left)


def write(address, number, packed) -> None:
    """Write vectors and numbers of all kinds, and read what was there."""
    store(address + 32, load(address, 4) + bytes_of(packed, 4))
    store(address + 64, load(address, 0) ^ number)
    store_i32(address + 72, bytes_of(packed) + number)
    store(address + 104, largest_i32(address + 72, 8))
    store(address + 112, load_i16(address + 2 * (number & 7)))


traced_mix, traced_write = traced(mix), traced(write)


@njit
def mix_kernel(left, right):
    return traced_mix(left, right)


@njit
def write_kernel(memory, number, packed):
    traced_write(address_of(memory), number, packed)


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_traced_function_computes_what_it_does_on_arrays():
    rng = random.Random(1)
    for _ in range(300):
        left, right = np.uint64(rng.getrandbits(64)), np.uint64(rng.getrandbits(64))
        assert mix_kernel(left, right) == mix(left, right)


def test_traced_functions_read_and_write_memory():
    rng = random.Random(2)
    for _ in range(100):
        memory = np.array([rng.getrandbits(63) for _ in range(16)], dtype=np.uint64)
        twin = memory.copy()
        number, packed = np.uint64(rng.getrandbits(30)), np.uint64(rng.getrandbits(64))
        write_kernel(memory, number, packed)
        write(twin.ctypes.data, number, packed)
        assert (memory == twin).all() and memory[13] == max(memory[9:13].view(np.uint32))
        assert memory.view(np.int64)[14] == memory.view(np.int16)[int(number) & 7]
