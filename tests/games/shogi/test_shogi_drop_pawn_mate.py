"""A dropped pawn may not mate: pinned defenders, blocked lines, every file."""

import pytest

from tests.support.shogi_cases import check_legality, kernel_moves, legality_cases, mirrored, naive_moves
from tests.support.twins.naive_shogi import State


@pytest.mark.parametrize("case", legality_cases("U"))
def test_published_case(case):
    check_legality(case)


@pytest.mark.parametrize("case", legality_cases("U"))
def test_mirrored_case(case):
    assert len(kernel_moves(mirrored(case["sfen"]))) == len(kernel_moves(case["sfen"]))
    assert set(kernel_moves(mirrored(case["sfen"]))) == set(naive_moves(mirrored(case["sfen"])))


@pytest.mark.parametrize("colour", "bw")
@pytest.mark.parametrize("pinned", [True, False])
@pytest.mark.parametrize("file", range(1, 10))
def test_every_file(file, pinned, colour):
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
