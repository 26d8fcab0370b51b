"""The tools that fit Shogi's evaluation: features are the engine's, slopes are true, runs continue."""

import subprocess
import sys

import numpy as np
import pytest
from processes import ROOT, environment

from shogi_engine.games.shogi.evaluation import king_piece_weights as king_piece
from shogi_engine.games.shogi.evaluation.king_piece_weights import FEATURES, SAFETIES, UNIT
from shogi_engine.games.shogi.game import GAME
from shogi_engine.games.shogi.notation.sfen import START, parse_sfen
from shogi_engine.interface.evaluation import Evaluator
from shogi_engine.interface.game import evaluate, refresh_line
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.search.context import new_context
from tools.tuning import tune
from tools.tuning.tune_kernels import PIECES, cross_entropy, later_results, safety_index, write_features

SFENS = (
    START,
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPPPLP/2G2K1pr/LN4G1b w BGSLPnp 62",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
)
pytestmark = pytest.mark.slow  # the kernels of the tools are compiled


def rows():
    """Return the arrays of SFENS as `collect` writes them: features, kings, safeties, sides."""
    features = np.zeros((len(SFENS), PIECES), dtype=np.uint16)
    kings, safeties = np.zeros((len(SFENS), 2), dtype=np.uint8), np.zeros((len(SFENS), 2), dtype=np.uint16)
    sides = np.zeros(len(SFENS), dtype=np.int8)
    for row, sfen in enumerate(SFENS):
        pos = parse_sfen(sfen)
        write_features(pos, features[row])
        kings[row] = pos.king[0], 80 - int(pos.king[1])
        safeties[row] = safety_index(pos, 0), safety_index(pos, 1)
        sides[row] = -1 if pos.side else 1
    return features, kings, safeties, sides


def test_what_is_fitted_is_what_the_engine_evaluates():
    rng = np.random.default_rng(1)
    parts = tune.make_parts(dict(zip(tune.PARTS, tune.WIDTHS, strict=True)))
    for part in parts:
        part.values = part.values + rng.normal(0, 20, part.count)
    cells, swap = tune.compose(parts), tune.swapped()
    assert np.array_equal(swap[swap], np.arange(FEATURES))
    weights = tune.export(parts, 30)
    features, kings, safeties, sides = rows()
    ctx = new_context(GAME, evaluator=Evaluator(GAME.evaluation("king-piece"), weights))
    table, safety = cells[: 81 * FEATURES].reshape(81, FEATURES), cells[81 * FEATURES :]
    for row, sfen in enumerate(SFENS):
        value = table[kings[row, 0], features[row]].sum() - table[kings[row, 1], swap[features[row]]].sum()
        value += safety[safeties[row, 0]] - safety[safeties[row, 1]]
        ctx.pos = parse_sfen(sfen)
        refresh_line(ctx)
        assert abs(evaluate(ctx) - (sides[row] * value + 30)) < 80 / UNIT, sfen


def test_slopes_are_those_of_the_loss():
    rng = np.random.default_rng(2)
    cells = rng.normal(0, 30, tune.CELLS).astype(np.float32)
    targets = rng.random(len(SFENS)).astype(np.float32)
    arrays = (tune.swapped(), *rows(), targets, np.arange(len(SFENS)), 600.0)
    slopes, none = np.zeros(tune.CELLS, dtype=np.float32), np.zeros(0, dtype=np.float32)
    loss = cross_entropy(cells, *arrays, slopes)
    assert loss == cross_entropy(cells, *arrays, none)
    touched = np.flatnonzero(slopes)
    assert 100 < len(touched) < 400 and {tune.TEMPO_CELL} <= set(touched.tolist())
    for cell in rng.choice(touched, 25, replace=False):
        moved = cells.copy()
        moved[cell] += 8
        after = cross_entropy(moved, *arrays, none)
        moved[cell] -= 16
        assert (after - cross_entropy(moved, *arrays, none)) / 16 == pytest.approx(slopes[cell], rel=0.02, abs=2e-6)


def test_later_results():
    expected = np.zeros(4)
    later_results(np.array([32002, 0, 0, 0], dtype=np.int16), 1.0, 0.5, 600.0, expected)
    assert expected.tolist() == [0.5625, 0.5625, 0.625, 0.75]
    later_results(np.array([600, -600, 600], dtype=np.int16), 0.0, 0.0, 600.0, expected[:3])
    assert np.allclose(expected[:3], 1 / (1 + np.exp(-1)))  # each is what the search found for black


@pytest.mark.skipif(JIT_DISABLED, reason="takes minutes without JIT")
def test_runs_are_seeded_and_go_on(tmp_path):
    env = environment(tmp_path)

    def run(*command) -> str:
        words = [sys.executable, "-m", *map(str, command)]
        return subprocess.run(words, env=env, cwd=ROOT, check=True, capture_output=True, text=True, timeout=600).stdout

    prior = tmp_path / "prior.npz"
    run("tools.tuning.tune", prior, "--prior")
    play = "--games", 100, "--nodes", 50, "--weights", prior
    for folder in ("one", "two"):
        run("tools.training.selfplay", tmp_path / folder, *play, "--seed", 3)
    first, again = (np.load(tmp_path / folder / "piece-3-0000.npz") for folder in ("one", "two"))
    assert all(np.array_equal(first[name], again[name]) for name in ("moves", "values", "lengths", "results"))
    made = (tmp_path / "one" / "piece-3-0000.npz").stat().st_mtime_ns
    run("tools.training.selfplay", tmp_path / "one", *play, "--seed", 3)
    assert (tmp_path / "one" / "piece-3-0000.npz").stat().st_mtime_ns == made
    fit = "--data", tmp_path / "one", "--epochs", 2
    out = tmp_path / "out.npz"
    printed = run("tools.tuning.tune", out, *fit)
    assert "100 games" in printed and "epoch 2" in printed
    weights = king_piece.load(out)
    assert weights.table.any() and len(weights.table[king_piece.SAFETY, :SAFETIES].nonzero()[0]) > 50
    assert "epoch" not in run("tools.tuning.tune", out, *fit)  # it was complete
    assert np.array_equal(king_piece.load(out).table, weights.table)
    fitted = f"engine:evaluation=king-piece,weights={out}"
    limits = "--games", 4, "--limit", "nodes=50"
    match = run("shogi_engine", "match", fitted, "engine:evaluation=material", *limits)
    assert match.startswith("4 games") and "Elo" in match and f"first ({fitted})" in match
