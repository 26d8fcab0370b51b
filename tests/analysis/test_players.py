"""What several games say of their players: counted anew by hand, in text, page and JSON."""

import json
from dataclasses import replace

import pytest

from shogi_engine import analysis, records
from shogi_engine.__main__ import main
from shogi_engine.analysis.judgement import PositionResult, judge
from shogi_engine.analysis.report import accuracy_of, player_lines
from shogi_engine.records import GameRecord
from shogi_engine.types.results import Score
from tests.support.judged_games import stored

NAMES = [["one", "two"], ["two", "one"], ["one", "one <b>&</b>"]]


@pytest.fixture(scope="module")
def games():
    found = []
    for game, names in zip(stored(), NAMES, strict=True):
        record = replace(game.record, names=names)
        record.ending = "resignation"
        found.append(replace(game, record=record))
    return found


def test_the_counts_are_those_of_the_players_own_moves(games):
    found = {each.name: each for each in analysis.players(games)}
    assert list(found) == ["one", "two", "one <b>&</b>"]
    for name, player in found.items():
        mine = [
            (game, move)
            for game in games
            for move in game.moves
            if game.record.names[("black", "white").index(move.side)] == name
        ]
        assert player.games == sum(name in game.record.names for game in games)
        for verdict, count in player.verdicts.items():
            assert count == len([move for _, move in mine if move.verdict == verdict])
        bad = [(game, move) for game, move in mine if move.verdict in ("blunder", "mistake") or move.missed_mate]
        assert sum(player.kinds.values()) == len(bad)
        assert player.kinds["mate"] >= len([move for _, move in bad if move.missed_mate])
        won = [game.record.result == "1-0" if game.record.names[0] == name else game.record.result == "0-1"
               for game in games if name in game.record.names]  # fmt: skip
        assert player.results == (sum(won), 0, len(won) - sum(won))
        lesson = player.lesson
        game = games[lesson.game]
        assert (game, lesson.move) in bad and lesson.move.ply in game.why
        others = [move for game, move in bad if move.ply in game.why and move.verdict == "blunder"]
        assert lesson.move.loss == max(move.loss for move in others)


def test_accuracy_is_lichess_curve():
    def moves(*losses):
        made = judge(
            GameRecord.from_moves("shogi", ["7g7f"]),
            {0: PositionResult("7g7f", Score(0)), 1: PositionResult("", Score(0))},
        )
        return [replace(made.moves[0], loss=loss) for loss in losses]

    assert accuracy_of([]) is None and accuracy_of(moves(0.0)) == pytest.approx(1, abs=1e-5)
    # of the curve: 10 % lost is 63.58 %, 30 % is 24.77 %, all is nothing
    assert accuracy_of(moves(0.1)) == pytest.approx(0.6358, abs=1e-4)
    assert accuracy_of(moves(0.3, 1.0)) == pytest.approx(0.2477 / 2, abs=1e-4)


def test_without_names_there_are_no_players(games):
    nameless = [replace(game, record=replace(game.record, names=["", ""])) for game in games]
    assert analysis.players(nameless) == [] and analysis.player_table(nameless) == ""
    assert 'id="players"' not in analysis.page(nameless) and 'id="players"' not in analysis.page(games[:1])


def test_a_player_on_both_sides_has_played_one_game(games):
    alone = replace(games[0], record=replace(games[0].record, names=["one", "one"]))
    (player,) = analysis.players([alone])
    assert player.games == 1 and sum(player.results) == 2
    assert sum(player.verdicts.values()) == sum(bool(move.verdict) for move in alone.moves)


@pytest.mark.parametrize(("language", "head"), [("en", "accuracy"), ("ja", "正確さ")])
def test_text_and_page_say_the_same(games, language, head):
    text, page = analysis.player_table(games, language), analysis.page(games, language)
    one, two, other = analysis.players(games)
    assert head in text.splitlines()[0] and head in page
    assert text.splitlines()[1].split()[:3] == ["one", "3", str(one.results[0])]
    for player in (one, two):
        for line in player_lines(player, games, language):
            assert f"  {line}" in text.splitlines()
            assert line.replace("&", "&amp;").replace(">", "&gt;") in page
    assert "one <b>" not in page and "one &lt;b&gt;" in page  # also in the data, as \\u003c
    assert all(line not in text for line in player_lines(other, games, language))  # one game: only its row
    assert f'data-game="{one.lesson.game}" data-ply="{one.lesson.move.ply}"' in page


def test_the_command_has_players_in_json_and_text(capsys, tmp_path):
    files = [tmp_path / f"{number}.kif" for number in range(2)]
    for file, names in zip(files, (["one", "two"], ["three", "one"]), strict=True):
        game = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "8h5e", "2b5e"], ending="resignation")
        game.names = names
        records.save([game], file)
    command = ["analyse", *map(str, files), "--nodes", "300", "--threads", "1"]
    assert main([*command, "--json"]) == 0
    values = json.loads(capsys.readouterr().out.splitlines()[-1])
    one = values["players"][0]
    assert (one["name"], one["games"], one["wins"], one["losses"]) == ("one", 2, 1, 1)
    assert 0 < one["accuracy"] < 1 and one["verdicts"]["blunder"] == 1
    assert (one["lesson"]["game"], one["lesson"]["ply"], one["lesson"]["move"]) == (0, 3, "8h5e")
    assert [each["name"] for each in values["players"][1:]] == ["three", "two"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "best lesson, game 1: 3. B-5e" in out and out.splitlines()[-1].startswith("10 positions in ")
