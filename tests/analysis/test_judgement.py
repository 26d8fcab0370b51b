"""What a move is called, by what was found before and after it."""

import json
import re

import pytest

from shogi_engine.analysis import judgement, page
from shogi_engine.analysis.judgement import PositionResult, after_move, amount, judge, verdict
from shogi_engine.analysis.report import annotated, game_table, sparkline
from shogi_engine.records import GameRecord
from shogi_engine.types.results import Score

parse = Score.parse


def test_chances():
    assert parse("cp 0").chance() == parse("discs 0").chance() == 0.5
    assert (
        parse("cp 600").chance() == pytest.approx(0.7311, abs=1e-4)
        and parse("cp 600").chance() + parse("cp -600").chance() == 1
    )
    assert parse("discs 5").chance() == parse("cp 600").chance()
    assert [parse(f"mate {plies}").chance() for plies in ("3", "0", "-4", "-0")] == [1, 1, 0, 0]
    assert amount(parse("cp 150"), "cp") == 1.5 and amount(parse("discs -2.5"), "discs") == -2.5
    assert (
        amount(parse("cp 9000"), "cp") == amount(parse("mate 3"), "cp") == 30
        and amount(parse("mate -2"), "discs") == -64
    )


def test_values_from_the_other_side():
    scores = map(parse, ("cp 20", "discs -1.5", "mate 5", "mate -4", "mate 1", "mate +"))
    assert [str(after_move(score)) for score in scores] == [
        "cp 20", "discs -1.5", "mate 4", "mate -3", "mate 0", "mate +",
    ]  # fmt: skip
    assert [str(-parse(score)) for score in ("cp 20", "mate 3", "mate -4")] == ["cp -20", "mate -3", "mate 4"]


def test_verdicts_begin_at_their_thresholds():
    assert [verdict(loss) for loss in (0, 0.049, 0.05, 0.099, 0.1, 0.149, 0.15, 1)] == [
        "", "", "inaccuracy", "inaccuracy", "mistake", "mistake", "blunder", "blunder",
    ]  # fmt: skip


def judged(findings, moves=("7g7f", "3c3d"), game="shogi"):
    return judge(GameRecord.from_moves(game, list(moves)), dict(enumerate(findings)))


def test_a_move_loses_what_the_next_position_says():
    game = judged(
        [
            PositionResult("2g2f", parse("cp 100"), ("2g2f",)),
            PositionResult("3c3d", parse("cp 500")),
            PositionResult("2g2f", parse("cp -500")),
        ]
    )
    first, second = game.moves
    assert (first.side, str(first.played_score), first.given) == ("black", "cp -500", 6)
    assert (
        first.loss == pytest.approx(parse("cp 100").chance() - parse("cp -500").chance(), abs=1e-6)
        and first.verdict == "blunder"
    )
    assert (second.side, second.loss, second.verdict) == ("white", 0, "")
    assert game.chances == pytest.approx(
        [parse("cp 100").chance(), parse("cp -500").chance(), parse("cp -500").chance()]
    )
    assert game.blunders == [first] and game.mean_loss("white") == 0


def test_the_best_move_loses_nothing_and_no_loss_is_negative():
    same = judged(
        [
            PositionResult("7g7f", parse("cp 100")),
            PositionResult("8c8d", parse("cp 300")),
            PositionResult("2g2f", parse("cp 400")),
        ]
    )
    assert [move.loss for move in same.moves] == [0, same.moves[1].loss] and same.moves[1].verdict == "blunder"
    better = judged(
        [
            PositionResult("2g2f", parse("cp 100")),
            PositionResult("8c8d", parse("cp -300")),
            PositionResult("2g2f", parse("cp -400")),
        ]
    )
    assert [(move.loss, move.given) for move in better.moves] == [(0, 0), (0, 0)]


def test_a_mate_let_go_is_missed_and_one_that_takes_longer_is_not():
    after = [PositionResult("8c8d", parse("cp -2500")), PositionResult("2g2f", parse("cp 2500"))]
    missed = judged([PositionResult("2g2f", parse("mate 3"), ("2g2f", "3c3d", "2f2e"), mate=3), *after])
    assert [(move.missed_mate, move.verdict) for move in missed.missed_mates] == [(3, "")]
    assert missed.values()["missed_mates"][0] == {
        "ply": 1, "move": "7g7f", "length": 3, "line": ["2g2f", "3c3d", "2f2e"],
    }  # fmt: skip
    assert "missed a mate in 3" in game_table(missed)
    slower = judged([PositionResult("2g2f", parse("mate 3"), ("2g2f",), mate=3, played_mate=5), *after])
    assert slower.missed_mates == [] and slower.moves[0].loss == 0 and str(slower.moves[0].played_score) == "mate 4"


# White mates in five plies, the first move quiet; black's searches end a ply too early to see all of it.
MATE = ["cp -900", "mate 5", "mate -4", "mate 3", "mate -2", "mate 1", "mate -0"]


def test_value_and_chance_of_a_move_come_from_one_search_in_text_record_and_json():
    findings = [
        PositionResult("7g7f", parse("cp 100")),
        PositionResult("8c8d", parse("cp 300")),
        PositionResult("2g2f", parse("cp 40")),
    ]
    game, loss = judged(findings), Score(300).chance() - Score(-40).chance()
    table, (start, *plies) = game_table(game).split("\n"), page_data(game)["plies"]
    rest = [["7g7f"], ["8c8d", f"{loss:.0%}", "3.40", "?"]]
    for move, said, shown, words in zip(game.moves, ("-3.00", "+0.40"), plies, rest, strict=True):
        after = Score(round(100 * float(said)))
        assert move.black_played_score == after and move.black_after == after.chance()
        assert f"{said} (black's winning chance {after.chance():.0%})" in annotated(game).comments[move.ply]
        assert table[move.ply].split() == [str(move.ply), move.side, move.move, said, f"{after.chance():.0%}", *words]
        assert (shown["score"], shown["black"]) == (said, after.chance())
    assert start["black"] == Score(100).chance() and {"given": "3.40 pawns", "best": "-3.00"}.items() <= shown.items()
    assert shown["loss"] == pytest.approx(loss, abs=1e-6)
    assert [move.black_after for move in game.moves] == game.chances[1:] and game.values()["final"] == after.chance()
    assert table[4].endswith(f" {after.chance():.0%}")


def test_mates_are_counted_from_the_position_after_the_move_as_shogihome_counts_them():
    moves = ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e", "8d8e"]  # not the moves of a mate: only the values matter
    best = [*moves, ""]
    game = judged([PositionResult(move, parse(score)) for move, score in zip(best, MATE, strict=True)], moves)
    assert [str(move.played_score) for move in game.moves] == [
        "mate -5", "mate 4", "mate -3", "mate 2", "mate -1", "mate 0",
    ]  # fmt: skip
    lengths = [":5手", ":4手", ":3手", ":2手", ":1手", ""]
    comments = annotated(game).comments
    for ply, length in enumerate(lengths, 1):
        assert f"#詰み=後手勝ち{length}" in comments[ply].split("\n")
    words = ["mated in 5", "mated in 4", "mated in 3", "mated in 2", "mated in 1", "mated"]
    lines = game_table(game).split("\n")
    plies = page_data(game)["plies"]
    for ply, word in enumerate(words, 1):
        assert f" {word} " in f"{lines[ply]} " and comments[ply].startswith(word) and plies[ply]["score"] == word
    assert [move.values()["played_score"]["mate"] for move in game.moves] == [-5, 4, -3, 2, -1, 0]
    assert [str(node.evaluation) for node in annotated(game).main_line[1:3]] == ["mate -5", "mate 4"]


def page_data(game):
    text = page([game])
    (data,) = json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])[
        "games"
    ]
    return data


def test_passes_are_no_moves_and_turn_the_value():
    moves = ["f5", "pass", "d6"]  # not played here: only the values matter
    record = GameRecord.from_moves("othello", moves)
    assert judgement.plies_to_examine(record) == [0, 2, 3]
    game = judge(
        record,
        {
            0: PositionResult("f5", parse("discs 2")),
            2: PositionResult("c3", parse("discs 4")),
            3: PositionResult("", parse("discs 6")),
        },
    )
    assert [(move.ply, move.side) for move in game.moves] == [(1, "black"), (3, "black")]
    assert str(game.moves[1].played_score) == "discs -6" and game.moves[1].given == 10


def test_a_sparkline_has_a_bar_for_each_chance():
    assert sparkline([0, 0.5, 1]) == "▁▅█"
