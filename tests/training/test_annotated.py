"""Annotated values: ranks and cells by naive counts; searches like the engine's, damaged files, report, tool."""

import json

import numpy as np
import pytest
import shogi

from shogi_engine.batch import Batch
from shogi_engine.batch.games import PSV, open_records
from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.sfen import START
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.training import pipeline
from shogi_engine.training.recipe import load
from shogi_engine.training.shogi.games import CELLS, Annotated, compared, logistic_fit, rank_correlation, ranks
from shogi_engine.training.shogi.recipe import DataOptions
from shogi_engine.training.shogi.trainer import TrainOptions
from tests.support.text_engine import TextEngine
from tests.support.training_data import data_folder
from tools.measure import annotated_values

SHOGI, PACKED = load("shogi"), Batch("shogi", "psfen")
searches = pytest.mark.skipif(JIT_DISABLED, reason="searches of thousands of nodes")


def records(count):
    """Return the first records of the tools' file."""
    return open_records(annotated_values.FILE, "psv")[:count]


def test_the_correlation_is_spearmans():
    # The example of en.wikipedia.org/wiki/Spearman's_rank_correlation_coefficient.
    points = np.array([106, 100, 86, 101, 99, 103, 97, 113, 112, 110])
    hours = np.array([7, 27, 2, 50, 28, 29, 20, 12, 6, 17])
    assert rank_correlation(points, hours) == pytest.approx(-29 / 165)
    assert rank_correlation(points, points**3) == pytest.approx(1)
    assert rank_correlation(points, np.ones(10)) == rank_correlation(points[:1], hours[:1]) == 0
    values = np.random.default_rng(3).integers(-5, 6, 200)
    naive = [(values < value).sum() + ((values == value).sum() - 1) / 2 for value in values]
    assert ranks(values).tolist() == naive


def test_cells_are_of_what_stands_and_is_held():
    annotated, start = Annotated(records(200)), shogi.Board()
    for number, sfen in enumerate(PACKED.texts(annotated.records["sfen"])):
        board = shogi.Board(sfen)
        assert annotated.held[number] == sum(sum(hand.values()) for hand in board.pieces_in_hand)
        same = [board.piece_at(square) == start.piece_at(square) is not None for square in shogi.SQUARES]
        assert annotated.home[number] == sum(same)
    found = annotated.correlations(np.asarray(annotated.records["score"]))
    assert list(found) == [cell[0] for cell in CELLS]
    counts = [count for count, _ in found.values()]
    assert counts[0] == sum(counts[1:4]) == sum(counts[4:]) == 200
    assert all(value == pytest.approx(1) for count, value in found.values() if count > 1)


def test_the_logistic_fit_is_that_of_the_results():
    random = np.random.default_rng(4)
    values = np.round(random.normal(0, 400, 40_000))
    won = (random.random(len(values)) < 1 / (1 + np.exp(-values / 250))).astype(float)
    scale, loss = logistic_fit(values, won)
    assert scale == pytest.approx(250, rel=0.05)
    losses = []
    for tried in (scale * 0.95, scale, scale * 1.05):
        chances = 1 / (1 + np.exp(-values / tried))
        losses.append(-(won * np.log(chances) + (1 - won) * np.log(1 - chances)).mean())
    assert losses[1] == pytest.approx(loss) and losses[1] == min(losses)
    kinds, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    assert logistic_fit(kinds, np.bincount(places, won), counts) == pytest.approx((scale, loss))
    assert logistic_fit(values, np.full(len(values), 0.5))[1] == pytest.approx(np.log(2))
    assert logistic_fit(values, won[::-1].copy())[1] == pytest.approx(np.log(2), abs=1e-3)  # they say nothing


def test_results_are_compared_by_cell_and_draws_left_out():
    annotated = Annotated(records(300).copy())
    annotated.records["game_result"][::3] = 0
    values = 5 * annotated.records["game_result"].astype(int)
    found = annotated.log_losses(values + np.where(np.arange(300) % 10 == 1, -2 * values, 0))
    assert list(found) == [cell[0] for cell in CELLS]
    share = (np.arange(300) % 10 == 1)[np.arange(300) % 3 > 0].mean()
    assert found["all"][0] == pytest.approx(-(share * np.log(share) + (1 - share) * np.log(1 - share)))
    assert found["all"][1] == pytest.approx(5 / np.log((1 - share) / share))


def test_what_is_no_position_is_named():
    broken = np.zeros(3, PSV)
    broken[:2] = records(2)
    with pytest.raises(ValueError, match="annotated positions: record 3: "):
        _ = Annotated(broken).positions


@searches
def test_searches_are_those_of_the_engine():
    annotated, evaluator = Annotated(records(30)), SHOGI.named_evaluator("network")
    values, agreed = annotated.searched(evaluator, 2000)
    again, _ = Annotated(records(30)[::-1]).searched(evaluator, 2000)
    assert np.array_equal(values, again[::-1])  # none depends on those before it
    shallow, found = annotated.searched(evaluator)[0], []
    with TextEngine("shogi", hash_mb=1) as engine:
        engine.set_evaluation("network")
        for number, sfen in enumerate(PACKED.texts(annotated.records["sfen"])):
            engine.new_game()
            engine.set_position(sfen)
            result = engine.search(depth=1)
            found.append(result.lines[0].value == shallow[number])
    assert np.mean(found) > 0.9  # a depth that is not finished may better a value
    assert 0 < agreed.mean() < 1


@searches
def test_the_network_ranks_better_than_material():
    rows = compared(SHOGI.named_evaluator("network"), SHOGI.named_evaluator("material"), records(400))
    assert [row["positions"] for row in rows] == [cell[0] for cell in CELLS]
    assert rows[0]["number"] == 400
    assert rows[0]["rank correlation"] > rows[0]["before"] + 0.05 > 0.2


@searches
def test_a_report_compares_with_the_labeller(tmp_path):
    (tmp_path / "gen0").mkdir()
    (tmp_path / "gen0" / "data").symlink_to(data_folder())
    options = TrainOptions(width=32, epochs=1, batch=512, held_out=0.1)
    plan = pipeline.Plan(tmp_path, DataOptions(), options, annotated=records(40))
    pipeline.run(plan, stages=("train", "report"))
    rows = json.loads(plan.file(0, "report.json").read_text())["by values noted"]
    assert rows[0]["number"] == 40 and {"rank correlation", "before"} <= set(rows[0])
    assert "pieces in hand" in plan.file(0, "report.html").read_text()


@searches
def test_the_tool_says_what_it_found(capsys):
    assert annotated_values.main(["--count", "20", "--weights", "material"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 * len(CELLS)
    assert lines[0].startswith("network: rank correlation ") and lines[len(CELLS)].startswith("material: rank ")


@searches
def test_positions_come_from_psv_jsonl_and_games(tmp_path, capsys):
    every = records(40)
    sfens, moves = PACKED.texts(every["sfen"]), PACKED.relabel(every["sfen"], every["move"], "yaneuraou", "ids")
    rows = []
    for sfen, move, row in zip(sfens, moves, every, strict=True):
        turn = int(sfen.split()[1] == "w")
        result = {0: 0, 1: 1, -1: 2}[int(row["game_result"]) * (-1 if turn else 1)]
        text = GAME.format_move(GAME.parse_position(sfen), int(move))
        rows.append({"sfen": sfen, "bestmove": text, "turn": turn, "gameResult": result, "eval": int(row["score"])})
    file = tmp_path / "positions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = annotated_values.records_of(file, None)
    for name in ("sfen", "score", "move", "game_result"):
        assert np.array_equal(found[name], every[name]), name
    own = annotated_values.records_of(data_folder(), 100)
    assert len(own) == 100 and set(own["game_result"].tolist()) <= {-1, 0, 1}
    annotated = Annotated(own)
    assert rank_correlation(annotated.static(SHOGI.named_evaluator("king-piece")), own["score"]) > 0.5
    assert annotated_values.main(["--count", "100", "--static", "--positions", str(data_folder())]) == 0
    assert "log loss 0." in capsys.readouterr().out


def test_the_positions_of_the_tools_are_floodgates():
    every = records(None)
    assert len(every) == 2000 and np.abs(every["score"].astype(int)).max() < 3000
    assert set(every["game_result"].tolist()) == {-1, 1}
    labels = PACKED.relabel(every["sfen"], every["move"], "yaneuraou", "ids")
    assert (labels >= 0).all()  # legal, or there would be an error
    assert START not in PACKED.texts(every["sfen"])
