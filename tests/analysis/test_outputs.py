"""What an analysis is written as: annotated records, the page, and what the command prints."""

import json
import re
from dataclasses import replace

import pytest

from shogi_engine import records
from shogi_engine.__main__ import main
from shogi_engine.analysis import annotated, judge, page
from shogi_engine.analysis.judgement import LANGUAGES, PositionResult, words_of
from shogi_engine.analysis.report import game_table, given_words, sentences_on
from shogi_engine.records import GameRecord
from shogi_engine.types.results import Score

MOVES = ["7g7f", "3c3d", "8h5e", "2b5e"]
FINDINGS = {
    0: PositionResult("2g2f", Score(50), ("2g2f", "8c8d")),
    1: PositionResult("8c8d", Score(-40), ("8c8d",)),
    2: PositionResult("2g2f", Score(60), ("2g2f", "8c8d", "2f2e")),
    3: PositionResult("2b5e", Score(900), ("2b5e",)),
    4: PositionResult("2g2f", Score(-900), ("2g2f",)),
}


@pytest.fixture
def record():
    made = GameRecord.from_moves("shogi", MOVES, comments={1: "hello"}, ending="resignation")
    made.names = ["</script><b>one", "@DATA@"]
    made.root.next.add("8c8d", comment="quiet").add("2g2f")
    return made


def moves_of(record):
    return [(ply, [node.move for node in line]) for ply, line in record.lines()]


@pytest.mark.parametrize("name", ["kif", "ki2", "jkf", "csa", "usi"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_annotated_record_reloads_with_the_same_moves(record, name, language):
    game = judge(record, FINDINGS)
    notes = annotated(game, language)
    (again,) = records.loads(records.dumps(notes, name))
    assert again.moves == MOVES
    held = records.load_format(name).holds
    if "variations" in held:
        (main, quiet), better = moves_of(record), (3, ["2g2f", "8c8d", "2f2e"])
        assert moves_of(again) == [main, better, quiet] and "quiet" in [node.comment for node in again.nodes()]
    if "evaluations" in held:
        assert [node.evaluation for node in again.main_line[1:]] == [move.played_score for move in game.moves]
    if "comments" in held:
        assert again.comments[1].startswith("hello\n") and set(again.comments) == {1, 2, 3, 4}
        blunder = words_of(language)["blunder"]
        assert blunder in again.comments[3] and blunder not in again.comments[2]
        better = "P-2f P-8d P-2e" if language == "en" else "▲２六歩 △８四歩 ▲２五歩"
        assert better in again.comments[3]
    assert record.comments == {1: "hello"}  # it is a copy


def test_an_annotated_record_keeps_its_own_values_and_has_those_of_better_lines(record):
    record.root.next.evaluation = Score(77)
    game = judge(record, FINDINGS | {2: replace(FINDINGS[2], depth=12)})
    notes = annotated(game)
    after = [move.played_score for move in game.moves]
    assert [node.evaluation for node in notes.main_line[1:]] == [Score(77), *after[1:]]
    better = notes.main_line[2].children[-1]
    assert (better.move, better.evaluation, better.depth) == ("2g2f", Score(60), 12)


def test_passes_have_no_number():
    moves = ["d3", "c3", "e6", "d2", "d1", "e1", "b2", "c1", "pass", "d6", "c7", "f3"]
    found = {ply: PositionResult(move, Score(0), (move,)) for ply, move in enumerate(moves)}
    found[10] = PositionResult("c4", Score(2000), ("c4",))  # in place of c7
    found[12] = PositionResult("c5", Score(0), ("c5",))
    game = judge(GameRecord.from_moves("othello", moves), found)
    rows = re.findall(r"^ *(\d+) +(?:black|white) +(\S+)", game_table(game), re.M)
    placed = [move for move in moves if move != "pass"]
    assert [(int(number), move) for number, move in rows if move != "pass"] == list(enumerate(placed, 1))
    plies = data_of(page([game]))["games"][0]["plies"][1:]
    assert [(ply["number"], ply["move"]) for ply in plies if ply["move"] != "pass"] == list(enumerate(placed, 1))
    assert [ply for ply in plies if "number" not in ply] == [ply for ply in plies if ply["move"] == "pass"]
    (worst,) = (move for move in game.moves if move.move == "c7")
    assert sentences_on(game, worst)[0].startswith("10. c7")


def test_evaluations_of_othello_are_written_where_the_format_has_them():
    record = GameRecord.from_moves("othello", ["f5", "d6"])
    findings = {ply: PositionResult("x", Score.discs(value)) for ply, value in enumerate((1, -1.5, 2))}
    (again,) = records.loads(records.dumps(annotated(judge(record, findings)), "ggf"))
    assert again.moves == record.moves
    assert [node.evaluation for node in again.main_line[1:]] == [Score.discs(1.5), Score.discs(-2)]


def data_of(text):
    return json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_holds_every_ply_and_asks_no_host(record, language):
    text = page([judge(record, FINDINGS)], language)
    assert not re.search(r"https?:|//[a-z]|@import|\bsrc=|url\(", text)
    assert "default-src 'none'" in text and f'<html lang="{language}">' in text
    assert text.count("</script>") == 2 and "<b>one" not in text
    data = data_of(text)
    (game,) = data["games"]
    assert "</script><b>one" in game["names"] and "@DATA@" in game["title"]
    assert len(game["plies"]) == len(MOVES) + 1 and game["plies"][3]["verdict"] == "blunder"
    assert game["plies"][3]["given"] == {"en": "9.60 pawns", "ja": "960"}[language]
    board = record.board(0)
    for ply, at in enumerate(game["plies"]):
        if ply:
            board.push_text(MOVES[ply - 1])
        drawn = "\n".join(data["lines"][number] for number in at["board"])
        assert drawn + "\n" == board.svg().replace(' xmlns="http://www.w3.org/2000/svg"', "")
    assert [step["move"] for step in game["plies"][3]["line"]][0] == ("P-2f" if language == "en" else "▲２六歩")
    assert set(words_of("en")) == set(words_of("ja")) <= set(game["words"])


@pytest.mark.parametrize(
    ("given", "unit", "en", "ja"),
    [(1.2, "pawns", "1.20 pawns", "120"), (10.0, "discs", "10 discs", "10石"), (0.96, "discs", "1 disc", "1石")],
)
def test_what_a_move_gave_away_in_words(given, unit, en, ja):
    assert [given_words(given, unit, each, words_of(each)) for each in ("en", "ja")] == [en, ja]


def run(capsys, *arguments):
    """Return (exit status, the last line of stdout as JSON)."""
    status = main(["analyse", *map(str, arguments), "--json"])
    return status, json.loads(capsys.readouterr().out.splitlines()[-1])


def test_the_command_with_games_of_both_kinds(capsys, tmp_path, record):
    shogi, othello = tmp_path / "one.kif", tmp_path / "two.sgf"
    shogi.write_bytes(records.dumps(record, "kif", "cp932"))
    records.save(GameRecord.from_moves("othello", ["f5", "d6", "c3"]), othello)
    out = tmp_path / "out"
    out.mkdir()
    limits = ("--nodes", "2000", "--threads", "2")
    html, state = tmp_path / "all.html", tmp_path / "all.json"
    outputs = ("--out", out, "--html", html, "--save", state, "--language", "ja")
    status, values = run(capsys, shogi, othello, *limits, *outputs)
    assert status == 0 and [game["file"] for game in values["games"]] == [str(shogi), str(othello)]
    first = values["games"][0]["moves"][0]
    assert {"ply", "move", "best", "score", "loss", "pv"} <= set(first) and set(first["score"]) <= {"cp", "mate"}
    assert values["positions"] == 9 and values["seconds"] > 0 and values["games"][0]["blunders"] == [3]
    (again,) = records.load(out / "one.kif")
    assert again.moves == record.moves and moves_of(record)[1] in moves_of(again)
    assert "悪手" in (out / "one.kif").read_bytes().decode("cp932")
    assert len(data_of(html.read_text(encoding="utf-8"))["games"]) == 2
    assert json.loads(state.read_text(encoding="utf-8"))["games"] == values["games"]
    again = run(capsys, shogi, othello, *limits, *outputs)[1]
    assert again["positions"] == 0 and again["games"] == values["games"]
    assert main(["analyse", str(shogi), "--nodes", "3000", "--save", str(state)]) == 2
    assert "choose another file" in capsys.readouterr().err


def test_a_position_with_its_best_moves(capsys):
    status, values = run(capsys, "shogi", "--moves", "7g7f", "--multipv", "3", "--nodes", "3000")
    assert status == 0 and len(values["hints"]) == 3
    best = values["hints"][0]
    assert 0 < best["chance"] < 1 and best["pv"][0] == best["move"] and best["score"] == {"cp": best["cp"]}
    assert main(["analyse", "shogi", "--moves", "7g7f", "--multipv", "2", "--nodes", "3000"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_wrong_arguments(capsys, tmp_path, record):
    file = tmp_path / "game.kif"
    file.write_bytes(records.dumps(record, "kif"))
    other = tmp_path / "deeper"
    other.mkdir()
    (other / "game.kif").write_bytes(file.read_bytes())
    for wrong in (
        [], ["--moves", "7g7f"], [file, "--multipv", "2"], [file, "--level", "3"], [file, "--out", file],
        [file, "--html", tmp_path / "none" / "x.html"], [file, other / "game.kif", "--out", tmp_path / "x.kif"],
        [file, other / "game.kif", "--out", other], ["othello", file], ["shogi", "--moves", "7g7f", "--html", "x"],
    ):  # fmt: skip
        assert main(["analyse", *map(str, wrong)]) == 2, wrong
        output = capsys.readouterr()
        assert output.out == "" and output.err.count("\n") == 1, wrong
