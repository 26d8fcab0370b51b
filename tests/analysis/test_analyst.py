"""Games examined by the engine: missed mates, blunders, runs that were ended."""

import json

import pytest

from shogi_engine import analysis
from shogi_engine.analysis.judgement import plies_to_examine
from shogi_engine.records import GameRecord
from tests.support.text_engine import TextEngine
from tools import generate

# A mate in 3 by 5c5d+; black makes a quiet move instead.
MATE = "9/3S2+R1l/p1p1R3p/2Pkpp3/1p2PPppP/9/1P1S1SPP1/L2B5/BN1GKG1NL b 2GS2NL3P 87"
MISSED = ["1e1d", "9c9d"]
BLUNDER = ["7g7f", "3c3d", "8h5e", "2b5e"]  # a bishop for nothing
NODES = 10_000


@pytest.fixture(scope="module")
def missed():
    return analysis.analyse(GameRecord.from_moves("shogi", MISSED, start=MATE), nodes=NODES)


@pytest.fixture(scope="module")
def blunder():
    return analysis.analyse(GameRecord.from_moves("shogi", BLUNDER), nodes=NODES)


def test_a_missed_mate_is_named_with_its_line(missed):
    first = missed.moves[0]
    assert [(move.ply, move.missed_mate) for move in missed.missed_mates] == [(1, 3)]
    assert first.pv == ("5c5d+", "6d7e", "9i6f") and str(first.score) == "mate 3" and first.exact


def test_a_mate_that_is_played_is_not_missed():
    line = ["5c5d+", "6d7e", "9i6f"]
    game = analysis.analyse(GameRecord.from_moves("shogi", line, start=MATE), nodes=NODES)
    assert game.missed_mates == [] and [move.loss for move in game.moves] == [0, 0, 0] and game.final == 1
    # Nor is one that is played another way: every reply to that check is mated too.
    with TextEngine("shogi", hash_mb=16) as engine:
        engine.set_position(MATE)
        others = [moves[0] for moves in engine.find_mate(nodes=1_000_000, every=True).solutions]
    other = next(move for move in others if move != "5c5d+")
    game = analysis.analyse(GameRecord.from_moves("shogi", [other], start=MATE), nodes=NODES)
    assert game.missed_mates == [] and game.moves[0].loss == 0 and game.moves[0].played_score.mate


def test_a_blunder_is_named_with_the_better_line(blunder):
    assert [move.ply for move in blunder.blunders] == [3]
    move = blunder.moves[2]
    assert move.given > 5 and move.best != "8h5e" and move.pv[0] == move.best
    assert blunder.moves[3].loss == 0 and blunder.final < 0.3 and blunder.unit == "pawns"


def test_the_help_names_the_limits_of_games():
    shogi, othello = analysis.limits_for("shogi", {}), analysis.limits_for("othello", {})
    assert f"default nodes={shogi['nodes']}, Othello level={othello['level']};" in generate.command_line()


def test_limits_are_checked():
    record = GameRecord.from_moves("shogi", BLUNDER)
    for limits in ({"level": 5}, {"plies": 5}):
        with pytest.raises(ValueError, match="level|plies"):
            analysis.analyse(record, **limits)
    with pytest.raises(ValueError, match="move 2"):
        analysis.analyse(GameRecord.from_moves("shogi", ["7g7f", "7g7f"]), nodes=10)


def test_progress_and_threads(blunder):
    seen = []
    game = analysis.analyse(
        GameRecord.from_moves("shogi", BLUNDER), nodes=NODES, threads=2, progress=lambda *done: seen.append(done)
    )
    assert seen == [(number, 5) for number in range(1, 6)] and game.moves == blunder.moves


class KilledError(Exception):
    """In place of a signal."""


def test_an_analysis_that_was_killed_goes_on_and_ends_the_same(tmp_path):
    records = [GameRecord.from_moves("shogi", BLUNDER), GameRecord.from_moves("shogi", MISSED, start=MATE)]
    limits = {"nodes": NODES}
    whole = sum(len(plies_to_examine(record)) for record in records)

    def run(path, dies_after):
        saved = analysis.SavedAnalysis(path, records, limits)
        analyst = analysis.Analyst(2, 16, limits)

        def keep(key, found):
            saved.add(key, found)
            if analyst.positions == dies_after:
                raise KilledError

        games = analyst.run(records, saved.known, keep)
        saved.finish([game.values() for game in games])
        return analyst.positions

    unkilled, killed = tmp_path / "unkilled.json", tmp_path / "killed.json"
    assert run(unkilled, 0) == whole
    with pytest.raises(KilledError):
        run(killed, 1)  # the first finding is written at once
    assert len(analysis.SavedAnalysis(killed, records, limits).known) == 1
    assert run(killed, 0) == whole - 1
    assert killed.read_bytes() == unkilled.read_bytes() and list(tmp_path.glob("*.tmp")) == []
    assert run(killed, 0) == 0


def test_a_file_of_something_else_is_not_overwritten(tmp_path):
    file = tmp_path / "notes.json"
    for text in ("{}", "[1]", "notes", json.dumps({"version": 1, "settings": {}, "findings": {}})):
        file.write_text(text)
        with pytest.raises(ValueError, match="analysis"):
            analysis.SavedAnalysis(file, [], {"nodes": 1})
        assert file.read_text() == text
