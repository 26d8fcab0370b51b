"""Openings and castles in an analysis: JSON, text, page and records; and how they have scored."""

import json

import pytest

from shogi_engine import analysis, records
from shogi_engine.__main__ import main
from shogi_engine.analysis import judge
from shogi_engine.analysis.judgement import PositionResult
from shogi_engine.analysis.report import PlayerSummary, Scored, player_lines, player_rows
from shogi_engine.records import GameRecord
from shogi_engine.types.results import Score

# A fourth file rook with a half Mino against a boat castle.
LINE = "7g7f 3c3d 6g6f 8c8d 2h6h 7a6b 5i4h 5a4b 4h3h 4b3b 3h2h 5c5d 3i3h 6a5b 7i7h 9c9d"
MOVES = LINE.split()


def made(names=("one", "two"), ending="resignation", moves=MOVES):
    record = GameRecord.from_moves("shogi", moves, ending=ending)
    record.names = list(names)
    return record


def judged(record):
    return judge(record, {ply: PositionResult(move, Score(0)) for ply, move in enumerate([*record.moves, ""])})


def test_the_json_names_openings_and_castles():
    values = json.loads(json.dumps(judged(made()).values()))
    assert values["openings"] == {"black": ["shikenbisha"], "white": []}
    assert values["castles"] == {"black": ["kata_mino"], "white": ["funagakoi"]}
    assert values["castles_at"] == {"black": {"kata_mino": 13}, "white": {"funagakoi": 14}}


@pytest.mark.parametrize(
    ("language", "rows"),
    [
        ("en", ["black: Fourth File Rook (5), Half Mino (13)", "white: Boat Castle (14)"]),
        ("ja", ["先手: 四間飛車 (5), 片美濃 (13)", "後手: 舟囲い (14)"]),
    ],
)
def test_the_text_and_the_page_name_them(language, rows):
    game = judged(made())
    assert all(row in analysis.game_table(game, language).splitlines() for row in rows)
    for row in rows:
        assert json.dumps(row)[1:-1] in (text := analysis.page([game], language)) or row in text


@pytest.mark.parametrize(("name", "line"), [("kif", "戦型：四間飛車"), ("csa", "$OPENING:四間飛車")])
def test_records_name_the_opening_unless_they_did(name, line):
    assert line in records.dumps(analysis.annotated(judged(made()), "ja"), name, "utf-8").decode()
    named = made()
    named.headers["opening"] = "mine"
    assert analysis.annotated(judged(named), "ja").headers["opening"] == "mine"
    assert "opening" not in analysis.annotated(judged(made(moves=["7g7f"])), "ja").headers


def test_scores_of_the_player_who_is_in_all_games():
    games = [
        judged(made(("one", "two"))),  # white resigned: 16 moves, black to move
        judged(made(("three", "one"), ending="repetition")),
        judged(made(("one", "two"), moves=MOVES[:15])),
        judged(made(("one", "two"), ending="interrupted")),
    ]
    assert [game.record.result for game in games] == ["0-1", "1/2-1/2", "1-0", "*"]
    assert analysis.player_of(games) == "one" and analysis.player_of(games[:1]) == ""
    rows = {row.name.id: row.values() for row in analysis.scored(games[::-1], "one")}
    assert rows["shikenbisha"] == {"id": "shikenbisha", "wins": 1, "draws": 0, "losses": 1, "score": 0.5}
    assert rows["funagakoi"]["draws"] == 1 and rows["funagakoi"]["score"] == 0.5 and len(rows) == 3
    both = {row.name.id: row.counts for row in analysis.scored(games)}
    assert both == {"shikenbisha": [1, 1, 1], "kata_mino": [1, 1, 1], "funagakoi": [1, 1, 1]}
    shown = [" ".join(line.split()) for line in analysis.score_table([*games[:2], games[0]]).splitlines()]
    assert shown[:2] == ["one", "name games won drawn lost score"]
    assert shown[2:] == ["Half Mino 2 0 0 2 0%", "Fourth File Rook 2 0 0 2 0%", "Boat Castle 1 0 1 0 50%"]
    text = analysis.score_table(games, "ja").splitlines()
    assert text[0] == "one" and text[1].split()[0] == "名前" and "四間飛車" in analysis.score_table(games, "ja")
    assert analysis.score_table([games[3]]) == ""
    assert analysis.player_of([judged(made(("", ""))), judged(made(("", "")))]) == ""


def test_the_figures_of_a_player_in_words():
    (named,) = judged(made()).names.openings[0]
    verdicts, kinds = {"blunder": 4, "mistake": 5, "inaccuracy": 6}, {"mate": 2, "piece": 0, "move": 8}
    player = PlayerSummary("one", 7, (3, 1, 2), 0.876, verdicts, kinds, [Scored(named.name, [3, 1, 2])], None)
    assert player_rows([player])[1] == ["one", "7", "3", "1", "2", "88%", "4", "5", "6"]
    said = ["kinds of mistakes: missed mate 2, other 8", "score (games): Fourth File Rook 58% (6)"]
    assert player_lines(player, []) == said


def test_the_command_prints_the_scores_of_several_games(capsys, tmp_path):
    files = [tmp_path / f"{number}.kif" for number in range(2)]
    for file in files:
        file.write_bytes(records.dumps(made(), "kif"))
    assert main(["analyse", *map(str, files), "--nodes", "100", "--threads", "1"]) == 0
    printed = capsys.readouterr().out
    assert "Half Mino" in printed and "won" in printed
    assert main(["analyse", *map(str, files), "--nodes", "100", "--threads", "1", "--json"]) == 0
    scores = json.loads(capsys.readouterr().out.splitlines()[-1])["scores"]
    assert (
        scores["player"] == ""
        and {"id": "kata_mino", "wins": 0, "draws": 0, "losses": 2, "score": 0.0} in scores["rows"]
    )
