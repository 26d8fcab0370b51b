"""Two unpromoted pawns of a colour may not stand on one file."""

import pytest

from tests.support.shogi_cases import check_legality, kernel_moves, legality_cases, mirrored, naive_moves


@pytest.mark.parametrize("case", legality_cases("N"))
def test_published_case(case):
    check_legality(case)


@pytest.mark.parametrize("case", legality_cases("N"))
def test_mirrored_case(case):
    assert len(kernel_moves(mirrored(case["sfen"]))) == len(kernel_moves(case["sfen"]))
    assert set(kernel_moves(mirrored(case["sfen"]))) == set(naive_moves(mirrored(case["sfen"])))
