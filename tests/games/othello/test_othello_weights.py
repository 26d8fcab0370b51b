"""The file of the pattern weights: round trips, refusals, interpolation between knots."""

import json

import numpy as np
import pytest

from shogi_engine.games.othello.bitboard import transform_square
from shogi_engine.games.othello.evaluation import patterns as weights
from shogi_engine.games.othello.evaluation.patterns import (
    PATTERN_SQUARES,
    PHASES,
    SPREAD_DEPTHS,
    SPREAD_GROUPS,
    STARTS,
    pattern_squares,
)

SPREAD = np.arange(SPREAD_GROUPS * SPREAD_DEPTHS, dtype=np.int32).reshape(SPREAD_GROUPS, SPREAD_DEPTHS)


def some_knots():
    """Return random weights."""
    shape = weights.KNOTS, weights.file_weights()
    return np.random.default_rng(1).integers(-32767, 32768, shape).astype(np.int16)


def test_round_trip(tmp_path):
    path, knots = tmp_path / "w.bin", some_knots()
    path.write_bytes(weights.encode(knots, SPREAD, {"by": "a test"}))
    read, spread = weights.read(path)
    assert np.array_equal(read, knots) and np.array_equal(spread, SPREAD)


def test_what_is_shipped():
    knots, spread = weights.read(weights.SHIPPED)
    assert weights.SHIPPED.stat().st_size < 4 << 20
    assert (spread[:, 3:] > 0).all()
    assert np.count_nonzero(knots) > 100_000
    table = weights.shipped().table
    assert table.shape == (PHASES, STARTS[""]) and table.dtype == np.int16


def edited(path, **changes):
    """Change fields of the file's header."""
    line, _, payload = path.read_bytes().partition(b"\n")
    path.write_bytes(json.dumps(json.loads(line) | changes).encode() + b"\n" + payload)


def test_refusals(tmp_path):
    """One line that names the file and the fault, for whatever is wrong with it."""
    path = tmp_path / "w.bin"

    def refused(reason):
        with pytest.raises(ValueError, match=reason) as fault:
            weights.read(path)
        assert str(path) in str(fault.value) and "\n" not in str(fault.value)

    for garbage in (b"", b"\n", b"garbage", b"{}\n", b"[1]\nxyz", b"\xff\x00" * 5000):
        path.write_bytes(garbage)
        refused("not a file of Othello weights")
    path.write_bytes(weights.encode(some_knots(), SPREAD, {"by": "a test"}))
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[:-9] + b"x" + whole[-8:], whole + b"\0", whole[: whole.index(b"\n") + 1]):
        path.write_bytes(damaged)
        refused("damaged")
    path.write_bytes(whole)
    edited(path, spread=(SPREAD + 1).tolist())
    refused("damaged")
    for changes in ({"layout": "0" * 16}, {"shape": [1, 2]}, {"format": "othello-patterns-0"}):
        path.write_bytes(whole)
        edited(path, **changes)
        refused("patterns of another version")
    with pytest.raises(OSError):
        weights.read(tmp_path / "none.bin")


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
