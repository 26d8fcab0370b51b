"""Files of weights, of every evaluation that has one: read as they were written, refused with one line."""

import json
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shogi_engine.games import weights
from shogi_engine.games.othello.evaluation import network as othello_network, patterns
from shogi_engine.games.shogi.evaluation import king_piece, network as shogi_network
from tests.support.networks import random_network

SPREAD = np.arange(patterns.SPREAD_GROUPS * patterns.SPREAD_DEPTHS, dtype=np.int32)
KNOTS = np.random.default_rng(1).integers(-99, 99, (patterns.KNOTS, patterns.file_weights())).astype(np.int16)
EVALUATIONS = {"patterns": patterns, "othello": othello_network, "king-piece": king_piece, "shogi": shogi_network}
each = pytest.mark.parametrize("evaluation", EVALUATIONS.values(), ids=EVALUATIONS)


def written(evaluation):
    """Return the file of the package's weights, and the weights that are read from it."""
    if evaluation is patterns:
        content = patterns.encode(
            KNOTS, SPREAD.reshape(patterns.SPREAD_GROUPS, patterns.SPREAD_DEPTHS), {"by": "a test"}
        )
    else:
        content = evaluation.encode(evaluation.WEIGHTS.shipped)
    return content, evaluation.decode(content, Path("copy.bin"))


def edited(content, **changes):
    """Return a file with other fields in its line, and the SHA-256 that it should have."""
    line, _, payload = content.partition(b"\n")
    header = json.loads(line) | changes
    del header["sha256"]
    return json.dumps(header | {"sha256": weights._digest(header, payload)}).encode() + b"\n" + payload


@each
def test_a_file_is_read_as_it_was_written(evaluation):
    content, found = written(evaluation)
    package = evaluation.WEIGHTS.shipped
    for name, value in vars(found).items():
        if isinstance(value, np.ndarray) and evaluation is not patterns:
            assert np.array_equal(value, getattr(package, name)) and value.dtype == getattr(package, name).dtype
    assert found.source.startswith("copy.bin") and found.source in found.describe()
    if evaluation is patterns:
        assert np.array_equal(found.table, patterns.by_phase(KNOTS)) and found.made == {"by": "a test"}
        assert np.array_equal(found.spread.ravel(), SPREAD)


@each
def test_whatever_is_wrong_is_said_in_one_line(evaluation, tmp_path):
    good, _ = written(evaluation)
    arrays = json.loads(good.partition(b"\n")[0])["arrays"]
    first, (_, shape) = next(iter(arrays.items()))
    middle = len(good) // 2
    cases = {
        "not a file of weights": [
            b"", b"\n", b"garbage", b"{}\n", b"[1]\nxyz", b"\xff\0" * 5000, b"[" * 50_000, good[:40],
        ],
        "has the format 'other'": [edited(good, format="other")],
        "its SHA-256 is wrong": [
            *(good[:-1], good + b"\0", good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :]),
            good.replace(b'"layout"', b'"layers"', 1),
        ],
        "another version": [edited(good, layout="0"), edited(good, layout=None)],
        "does not say what it contains": [
            edited(good, arrays=given) for given in (None, 3, {first: "x"}, {first: [1, 2]})
        ],
        "does not say how it was made": [edited(good, made=made) for made in (None, 5, "command", ["command"])],
        "contains ": [
            *(edited(good, arrays=arrays | {first: ["int16", shape]}) for shape in ([1], [-1, 2], [1 << 40, 1 << 40])),
            *(edited(good, arrays=arrays | {first: ["int16", shape]}) for shape in ("12", [1.0, True], [[1]])),
            *(edited(good, arrays=arrays | {first: [kind, shape]}) for kind in ("(2,", "a5", "O", ">i2", [])),
            *(edited(good, arrays=given) for given in ({}, arrays | {"a\n\ud800": ["int16", [1]]})),
        ],
    }  # fmt: skip
    file = tmp_path / "w.bin"
    for words, contents in cases.items():
        for content in contents:
            file.write_bytes(content)
            with pytest.raises(ValueError, match=words) as fault:
                evaluation.WEIGHTS.load(file)
            assert str(file) in str(fault.value) and str(fault.value).isprintable()
    with pytest.raises(ValueError, match=r"none\.bin cannot be read"):
        evaluation.WEIGHTS.load(tmp_path / "none.bin")


def test_fewer_or_more_numbers_than_declared_are_refused(tmp_path):
    """Also a file of a few bytes that would become many."""
    good = king_piece.encode(king_piece.WEIGHTS.shipped)
    line, _, payload = good.partition(b"\n")
    for numbers in (zlib.decompress(payload)[:-2], zlib.decompress(payload) + b"\0\0", bytes(1 << 26)):
        with pytest.raises(ValueError, match="bytes of numbers"):
            king_piece.decode(edited(line + b"\n" + zlib.compress(numbers)), Path("w.bin"))
    with pytest.raises(ValueError, match="bytes of numbers"):
        king_piece.decode(edited(line + b"\n" + b"no zlib"), Path("w.bin"))


def test_numbers_beyond_the_range_of_the_kernels_are_refused():
    othello = othello_network.WEIGHTS.shipped
    shogi = random_network(9)
    shogi.output_weights[0, 0, 0] = 512
    cases = [
        (
            othello_network,
            replace(othello, rows=othello.rows + np.int16(othello_network.ROW_LIMIT)),
            "beyond the range",
        ),
        *((othello_network, replace(othello, unit=unit), "beyond the range") for unit in (0.0, float("nan"), 1e9)),
        (shogi_network, shogi, "output weights beyond"),
        (shogi_network, replace(random_network(9), qa=1000), "units 1000"),
        (shogi_network, random_network(9, 48), "width 48"),
        (shogi_network, random_network(9, 2 * shogi_network.WIDTH), "width"),
    ]
    for evaluation, network, words in cases:
        with pytest.raises(ValueError, match=words):
            evaluation.decode(evaluation.encode(network), Path("w.bin"))


def test_a_network_of_other_pattern_weights_is_refused(monkeypatch):
    monkeypatch.setattr(othello_network, "base", lambda: "others")
    content = othello_network.encode(othello_network.WEIGHTS.shipped)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="corrects other pattern weights"):
        othello_network.decode(content, Path("w.bin"))


@each
def test_the_package_says_how_its_weights_were_made(evaluation):
    assert weights.format_of(evaluation.WEIGHTS.package_file) == evaluation.FORMAT
    assert evaluation.WEIGHTS.package_file.stat().st_size < 4 << 20
    made = getattr(evaluation.WEIGHTS.shipped, "made", None)
    assert made is None or made["command"].startswith("shogi-engine train")


def test_other_files_have_no_format(tmp_path):
    assert weights.format_of(tmp_path / "none") == weights.format_of(Path(__file__)) == ""
