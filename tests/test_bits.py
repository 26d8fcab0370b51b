"""bits.py against Python's integers. Run once more by jit/test_jit_kernels.py with JIT off."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shogi_engine import bits
from shogi_engine.bits import MASK64, join, split

MASK128 = (1 << 128) - 1

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # JIT off: numpy's scalars wrap and say so

# All sizes, few and many bits set.
numbers = st.integers(0, MASK128) | st.sets(st.integers(0, 127), max_size=4).map(lambda s: sum(1 << n for n in s))
indices = st.integers(0, 127)
counts = st.integers(1, 63)


def edges(test):
    """Add the numbers at the halves' edges to a property of one number."""
    for number in (0, 1, 1 << 63, 1 << 64, 1 << 127, MASK64, MASK128 ^ MASK64, MASK128):
        test = example(number)(test)
    return test


def whole(halves) -> int:
    """Return the integer of a (lo, hi) that a kernel returned, whose halves must be unsigned 64-bit numbers."""
    assert all(isinstance(half, np.uint64) or 0 <= half <= MASK64 for half in halves)
    return join(*halves)


@edges
@given(numbers)
def test_split_and_join_are_inverse(number):
    lo, hi = split(number)
    assert (type(lo), type(hi)) == (np.uint64, np.uint64)
    assert join(lo, hi) == number


def test_split_refuses_what_does_not_fit():
    with pytest.raises(OverflowError):
        split(1 << 128)


@given(st.lists(numbers, min_size=1, max_size=5))
def test_split_table_holds_the_halves(table):
    halves = bits.split_table(table)
    assert halves.dtype == np.uint64 and halves.shape == (len(table), 2)
    assert [join(*row) for row in halves] == table


@pytest.mark.parametrize("index", range(128))
def test_bit(index):
    assert whole(bits.bit(index)) == 1 << index


@given(numbers, indices)
def test_test(number, index):
    assert bool(bits.test(*split(number), index)) == bool(number >> index & 1)


@edges
@given(numbers)
def test_popcount(number):
    assert bits.popcount2(*split(number)) == number.bit_count()


@given(numbers.filter(bool))
def test_lowest_and_clear_lowest(number):
    lowest = number & -number
    assert bits.lowest(*split(number)) == lowest.bit_length() - 1
    assert whole(bits.clear_lowest(*split(number))) == number ^ lowest


@given(numbers, counts)
def test_shifts(number, count):
    assert whole(bits.shift_left(*split(number), np.uint64(count))) == number << count & MASK128
    assert whole(bits.shift_right(*split(number), np.uint64(count))) == number >> count


@edges
@given(numbers)
def test_through_lowest(number):
    assert whole(bits.through_lowest(*split(number))) == (number ^ (number - 1)) & MASK128


@edges
@given(numbers)
def test_from_highest(number):
    expected = MASK128 << max(number.bit_length() - 1, 0) & MASK128  # all ones for 0 and for 1
    assert whole(bits.from_highest(*split(number))) == expected
