"""Bitboards in kernels against Python's integers. Run once more by test_jit_kernels.py with JIT off."""

import numpy as np
from hypothesis import example, given, strategies as st

from shogi_engine.jit import new_record, njit, record_dtype
from shogi_engine.jit.bitboards import Bitboard, Table, field, from_halves, from_highest, lowest, through_lowest

MASK = (1 << 128) - 1
MASK64 = (1 << 64) - 1

# All sizes, few and many squares.
numbers = st.integers(0, MASK) | st.sets(st.integers(0, 127), max_size=4).map(lambda s: sum(1 << n for n in s))
squares = st.integers(0, 127)


def edges(test):
    """Add the numbers at the halves' edges to a property of one bitboard."""
    for number in (0, 1, 1 << 63, 1 << 64, 1 << 127, MASK64, MASK ^ MASK64, MASK):
        test = example(number)(test)
    return test


@njit
def pairs(one, other):
    one_then = one
    one_then &= other
    joined = one
    joined |= other
    parted = one
    parted ^= other
    return one & other, one | other, one ^ other, one_then, joined, parted, one == other, one != other


@njit
def alone(board):
    return ~board, len(board), bool(board), not board, through_lowest(board), from_highest(board), board.lo, board.hi


@njit
def shifted(board, count):
    return board << count, board >> count, count in board


@njit
def first(board):
    return lowest(board)


@njit
def listed(board, found):
    count = 0
    for square in board:
        found[count] = square
        count += 1
    return count


@given(numbers, numbers)
def test_operators_of_two(one, other):
    wanted = one & other, one | other, one ^ other
    assert tuple(pairs(Bitboard(one), Bitboard(other))) == (*wanted, *wanted, one == other, one != other)


@edges
@given(numbers)
def test_operators_of_one(number):
    through = (number ^ (number - 1)) & MASK
    upwards = MASK << max(number.bit_length() - 1, 0) & MASK
    wanted = number ^ MASK, number.bit_count(), number != 0, number == 0, through, upwards
    assert tuple(alone(Bitboard(number))) == (*wanted, number & MASK64, number >> 64)


@given(numbers, squares)
def test_shifts_and_membership(number, count):
    wanted = number << count & MASK, number >> count, bool(number >> count & 1)
    assert tuple(shifted(Bitboard(number), count)) == wanted


@edges
@given(numbers)
def test_iteration_is_from_the_lowest_square_up(number):
    wanted = [square for square in range(128) if number >> square & 1]
    found = np.zeros(128, dtype=np.int64)
    count = listed(Bitboard(number), found)
    assert found[:count].tolist() == wanted == list(Bitboard(number))
    if number:
        assert first(Bitboard(number)) == wanted[0]


@given(numbers)
def test_a_bitboard_comes_back_as_one(number):
    board = from_halves(number & MASK64, number >> 64)
    assert board == number and isinstance(board, Bitboard) and isinstance(~board & board, Bitboard)
    assert all(isinstance(each, Bitboard) for each in pairs(board, board)[:6])


VALUES = [[1 << row * 9 + column | 1 << 127 for column in range(3)] for row in range(4)]
TABLE = Table(VALUES)


@njit
def looked_up(row, column):
    return TABLE[row, column]


def test_tables():
    assert TABLE.shape == (4, 3) and TABLE.halves.dtype == np.uint64
    for row in range(4):
        for column in range(3):
            assert looked_up(row, column) == TABLE[row, column] == VALUES[row][column]


RECORD = record_dtype([("before", np.uint8), ("boards", np.uint64, (2, 3, 2)), ("single", np.uint64, (2,))])
boards, put_boards = field("boards")
single, put_single = field("single")


@njit
def swap(record, colour, kind):
    board = boards(record, colour, kind)
    put_boards(record, colour, kind, single(record))
    put_single(record, board)
    return boards(record, colour)


@given(numbers, numbers, st.integers(0, 1), st.integers(0, 2))
def test_fields_of_records(one, other, colour, kind):
    record = new_record(RECORD)
    put_boards(record, colour, kind, Bitboard(one))
    put_single(record, Bitboard(other))
    found = swap(record, colour, kind)
    assert (boards(record, colour, kind), single(record)) == (other, one)
    assert found == boards(record, colour, 0)
    assert record.boards[colour, kind].tolist() == [other & MASK64, other >> 64]
