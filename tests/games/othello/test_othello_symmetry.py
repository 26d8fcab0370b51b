"""The eight symmetries commute with mobility, flips and moves, and a position's images have one representative."""

import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shogi_engine.games.othello.bitboard import INVERSE_SYMMETRY, SYMMETRIES, canonical, transform, transform_square
from shogi_engine.games.othello.board import Board, Move
from shogi_engine.games.othello.movegen import flips, mobility
from shogi_engine.games.othello.notation import format_obf, parse_obf
from shogi_engine.games.othello.position import transform_position
from tests.support.othello_cases import POSITIONS, random_game, random_positions
from tests.support.twins.naive_othello import left_to_right, transpose

bitboards = st.integers(0, 2**64 - 1).map(np.uint64)
symmetries = st.integers(0, SYMMETRIES - 1)


def image(text, symmetry):
    """Return the position's text after a symmetry."""
    pos = parse_obf(text)
    transform_position(pos, symmetry)
    return format_obf(pos)


def test_images_of_one_square():
    for symmetry in range(SYMMETRIES):
        images = [int(transform(np.uint64(1 << square), symmetry)) for square in range(64)]
        assert images == [1 << transform_square(square, symmetry) for square in range(64)]
        assert sorted(images) == [1 << square for square in range(64)]


def test_the_eight_are_different_and_closed():
    tables = [tuple(transform_square(square, symmetry) for square in range(64)) for symmetry in range(SYMMETRIES)]
    assert len(set(tables)) == SYMMETRIES
    for first in tables:
        for second in tables:
            assert tuple(second[square] for square in first) in tables


@given(bitboards, symmetries)
def test_inverse(board, symmetry):
    assert transform(np.uint64(transform(board, symmetry)), INVERSE_SYMMETRY[symmetry]) == board


@given(POSITIONS)
def test_mirrors_of_the_twin(text):
    assert image(text, 4) == transpose(text)
    assert image(text, 2) == left_to_right(text)


@given(POSITIONS, symmetries)
def test_mobility_and_flips_commute(text, symmetry):
    pos, other = parse_obf(text), parse_obf(image(text, symmetry))
    assert mobility(other.own, other.opponent) == transform(np.uint64(mobility(pos.own, pos.opponent)), symmetry)
    for square in range(64):
        if not int(pos.own | pos.opponent) >> square & 1:
            flipped = np.uint64(flips(pos.own, pos.opponent, square))
            there = flips(other.own, other.opponent, transform_square(square, symmetry))
            assert there == transform(flipped, symmetry)


@pytest.mark.parametrize("symmetry", range(SYMMETRIES))
def test_moves_commute(symmetry):
    rng = random.Random(symmetry)
    for pos, move in random_game(rng):
        board = Board(format_obf(pos))
        other = board.transformed(symmetry)
        before = Move.from_int(move)
        after = before if before.square is None else Move(transform_square(before.square, symmetry))
        board.push(before)
        other.push(after)
        assert board.transformed(symmetry).obf() == other.obf()


def test_one_representative():
    for pos in random_positions(6, "canonical"):
        text = format_obf(pos)
        representatives = {Board(image(text, symmetry)).canonical().obf() for symmetry in range(SYMMETRIES)}
        assert len(representatives) == 1
        assert representatives.pop() in {image(text, symmetry) for symmetry in range(SYMMETRIES)}


@given(bitboards, bitboards)
def test_representative_of_any_pair(own, opponent):
    images = [(int(transform(own, s)), int(transform(opponent, s))) for s in range(SYMMETRIES)]
    assert tuple(map(int, canonical(own, opponent))) == min(images)
