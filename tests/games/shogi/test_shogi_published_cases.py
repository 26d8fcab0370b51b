"""Published cases of legality: dead pieces, two pawns on a file, pawn drops that mate, checks, pins, missing kings."""

import pytest

from tests.support.shogi_cases import check_legality, kernel_moves, legality_cases, mirrored, naive_moves
from tests.support.twins.naive_shogi import State

# D: no piece may stand where it cannot move. N: two pawns. U: a dropped pawn may not mate. K: checks and pins.
cases = pytest.mark.parametrize("case", [case for letter in "DNUK" for case in legality_cases(letter)])


@cases
def test_published_case(case):
    check_legality(case)


@cases
def test_mirrored_case(case):
    assert len(kernel_moves(mirrored(case["sfen"]))) == len(kernel_moves(case["sfen"]))
    assert set(kernel_moves(mirrored(case["sfen"]))) == set(naive_moves(mirrored(case["sfen"])))


@pytest.mark.parametrize("colour", "bw")
@pytest.mark.parametrize("pinned", [True, False])
@pytest.mark.parametrize("file", range(1, 10))
def test_a_dropped_pawn_mates_on_no_file(file, pinned, colour):
    """A king on its last rank between golds, or a lance at the edge; if rooks pin the golds, the pawn may not drop."""
    state = State(board={(file, 1): ("w", "K"), (file, 3): ("b", "G"), (5, 9): ("b", "K")})
    state.hands["b"]["P"] = 1
    for step in (-1, 1):
        beside, behind = file + step, file + 2 * step
        if 1 <= behind <= 9:
            state.board[beside, 1] = ("w", "G")
            if pinned:
                state.board[behind, 1] = ("b", "R")
        elif 1 <= beside <= 9:
            state.board[beside, 1] = ("w", "L")
    sfen = state.sfen() if colour == "b" else mirrored(state.sfen())
    drop = f"P*{file}b" if colour == "b" else f"P*{10 - file}h"
    assert (drop in kernel_moves(sfen)) == (not pinned)
    assert set(kernel_moves(sfen)) == set(naive_moves(sfen))
