"""The file of the pattern weights: what configurations share, interpolation between knots."""

import numpy as np

from shogi_engine.games.othello.bitboard import transform_square
from shogi_engine.games.othello.evaluation import patterns as weights
from shogi_engine.games.othello.evaluation.patterns import (
    PATTERN_SQUARES,
    STARTS,
    pattern_squares,
)


def test_equal_configurations_share_a_weight():
    """A configuration and its image under a symmetry of the pattern are one weight of the file."""
    places = weights.file_places()
    for name in PATTERN_SQUARES:
        squares = pattern_squares(name)
        images = [[transform_square(square, symmetry) for square in squares] for symmetry in range(8)]
        orders = [[image.index(s) for s in squares] for image in images if set(image) == set(squares)]
        rng = np.random.default_rng(len(squares))
        for digits in rng.integers(0, 3, (50, len(squares))):
            numbers = {sum(3**n * int(digits[m]) for n, m in enumerate(order)) for order in orders}
            assert len({int(places[STARTS[name] + number]) for number in numbers}) == 1
    assert len(np.unique(places)) == weights.file_weights()


def test_phases_between_knots():
    knots = np.zeros((weights.KNOTS, weights.file_weights()), dtype=np.int16)
    knots[0], knots[1] = 30, 90
    table = weights.by_phase(knots)
    assert [int(table[phase, 0]) for phase in range(5)] == [30, 50, 70, 90, 60]
    assert (table == table[:, :1]).all()
