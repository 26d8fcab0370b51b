"""`shogi-engine mate` with files: SFEN, KIF and BOD in; Japanese, pieces left over, alternatives and KIF out."""

import gzip
import io
import json
import shutil
import zipfile

import pytest

from shogi_engine import records
from shogi_engine.__main__ import main
from shogi_engine.games.othello.endgame.solver import Solver
from shogi_engine.games.shogi.mate.solver import MateSolver
from shogi_engine.records import GameRecord

ONE = "4k4/9/4P4/9/9/9/9/9/9 b BG2rb3g4s4n4l17p 1"  # G*5b mates; the bishop is left over
TWO = "7nk/9/7GP/9/9/9/9/9/9 b 2r2b3g4s3n4l17p 1"  # 2c1b, 1c1b, 1c1b+
NONE = "4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1"


def solved(capsys, *arguments):
    """Return (exit status, stdout)."""
    status = main(["mate", *arguments])
    return status, capsys.readouterr().out


def rows(capsys, *arguments):
    """Return the JSON of a run that ends well."""
    status, text = solved(capsys, *arguments, "--json")
    assert status == 0 and text.count("\n") == 1
    return json.loads(text)


def packed(files, folder):
    """Return the first file compressed, and in an archive and a folder."""
    compressed, archive, below = folder / "many.sfen.gz", folder / "many.zip", folder / "below"
    compressed.write_bytes(gzip.compress(files[0].read_bytes()))
    with zipfile.ZipFile(archive, "w") as members:
        members.write(files[0])
    below.mkdir()
    shutil.copy(files[-1], below)
    return [compressed, archive, below]


def test_files_of_every_kind(capsys, tmp_path, monkeypatch):
    problems = [GameRecord("shogi", ONE), GameRecord("shogi", NONE)]
    sfens = tmp_path / "many.sfen"
    sfens.write_text(f"# two problems\n{ONE}\n{NONE}\n")
    files = [sfens]
    for ending in ("bod", "kif", "kifu"):
        files.append(tmp_path / f"many.{ending}")
        records.save(problems, files[-1])
    files += packed(files, tmp_path)
    for file in files:
        told = rows(capsys, str(file))
        assert (told["mates"], told["nomates"], told["timeouts"]) == (1, 1, 0), file
        assert [row["length"] for row in told["results"]] == [1, 0]
        assert told["results"][0]["moves"] == ["G*5b"] and told["results"][0]["left_over"] == "B"
        assert told["results"][0]["sfen"] == ONE and "left_over" not in told["results"][1]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(files[1].read_bytes())))
    assert rows(capsys, "-")["mates"] == 1


def test_a_record_with_an_answer_and_a_game(capsys, tmp_path):
    answer = GameRecord.from_moves("shogi", ["G*5b"], start=ONE)
    game = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "8h2b+"])
    file = tmp_path / "both.kif"
    records.save([answer, game], file)
    told = rows(capsys, str(file))["results"]
    assert told[0]["sfen"] == ONE and told[1]["sfen"] == game.board().sfen()


def test_what_is_no_record_is_one_line(capsys, tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("milk, bread\n")
    assert main(["mate", str(file)]) == 2
    output = capsys.readouterr()
    assert output.out == "" and output.err.count("\n") == 1 and "expected one of" in output.err


def test_answers_in_three_notations(capsys, tmp_path):
    status, text = solved(capsys, ONE, "--notation", "japanese")
    assert status == 0 and "  1. ▲５二金" in text and "持駒余り：角" in text and " ・ ・ ・ ・v玉" in text
    status, text = solved(capsys, ONE, "--notation", "western", "--diagram")
    assert "  1. G*5b" in text and "left over in hand: B" in text and "v玉" in text
    status, text = solved(capsys, ONE)
    assert "  1. G*5b" in text and "玉" not in text
    file = tmp_path / "one.sfen"
    file.write_text(ONE)
    status, text = solved(capsys, str(file), "--notation", "japanese")
    assert text.startswith(f"1. {ONE}\n\n1手詰") and "詰み1題、不詰0題" in text and "v玉" not in text
    assert "v玉" in solved(capsys, str(file), "--diagram")[1]
    status, text = solved(capsys, "7nk/9/7GP/9/9/9/9/9/9 b - 1", "--notation", "japanese")
    assert "持駒余り：なし" in text


def test_alternatives_and_kif(capsys, tmp_path):
    kif = tmp_path / "answers.kif"
    told = rows(capsys, TWO, "--shortest", "--all", "--out", str(kif))
    first = [told["moves"][0], *(line[0] for line in told["solutions"][1:])]
    assert told["length"] == 1 and told["shortest"] and sorted(first) == ["1c1b", "1c1b+", "2c1b"]
    (record,) = records.load(kif)
    assert record.start == TWO and record.ending == "mate" and record.result == "1-0"
    assert sorted(node.move for node in record.root.children) == ["1c1b", "1c1b+", "2c1b"]
    assert "mate in 1, the shortest" in record.root.comment
    assert rows(capsys, TWO, "--tsume", "--all")["solutions"] == told["solutions"]
    sfens = tmp_path / "many.sfen"
    sfens.write_text(f"{ONE}\n{NONE}\n")
    rows(capsys, str(sfens), "--out", str(kif))
    assert [each.ending for each in records.load(kif)] == ["mate", "no mate"]


def test_what_composers_ask(capsys, tmp_path):
    status, text = solved(capsys, "7nk/9/7GP/9/9/9/9/9/9 b 2r2b3g4s3n4l17p 1", "--check")
    assert status == 0 and text.count("which is tolerated") == 2 and text.endswith("no flaw\n")
    (row,) = json.loads(solved(capsys, ONE, "--check", "--json")[1])["results"]
    assert row["flaws"] == [{"flaw": "left over"}]
    # 3 plies, in which seven other first moves mate too, in any number of moves.
    status, text = solved(capsys, "8k/9/6+Rs1/9/9/9/9/9/9 b BSrb4g2s4n4l18p 1", "--check", "--language", "ja")
    assert status == 1 and "余詰: 1手目" in text
    assert solved(capsys, NONE, "--check", "--language", "ja") == (1, "不詰\n")
    long = tmp_path / "long.kif"
    records.save(GameRecord.from_moves("shogi", ["G*4b", "5a6a"], start=ONE), long)
    status, text = solved(capsys, str(long), "--check")
    assert status == 1 and "a mate in 1, shorter than the solution given" in text
    assert "早詰: 1手で詰み" in solved(capsys, str(long), "--check", "--language", "ja")[1]
    assert solved(capsys, NONE, "--check") == (1, "no mate by checks\n")


@pytest.mark.parametrize(
    ("sfen", "flaw"),
    [
        ("9/8k/6G1r/7+n1/9/9/9/9/9 b P3Sr2b3gs3n4l17p 1", "S*3b"),
        ("7k1/4+L4/9/5B2g/9/9/9/9/9 b P2S2rb3g2s4n3l17p 1", "S*2c"),
    ],
)
def test_another_solution_at_a_later_move(capsys, sfen, flaw):
    """Only the second check has an alternative; a piece in hand is not needed."""
    (row,) = json.loads(solved(capsys, sfen, "--check", "--json")[1])["results"]
    assert row["length"] == 5 and row["unproven"] == []
    others = [each for each in row["flaws"] if each["flaw"] == "other solution"]
    assert [(each["ply"], each["move"]) for each in others] == [(3, flaw)]
    assert {"flaw": "left over"} in row["flaws"]
    assert f"flaw: at move 3, {flaw} also mates" in solved(capsys, sfen, "--check")[1]
    assert "余詰: 3手目" in solved(capsys, sfen, "--check", "--language", "ja")[1]


def test_what_is_compiled_is_no_part_of_a_problems_time(capsys, monkeypatch):
    called = []

    def noting(name, work):
        return lambda *arguments, **named: (called.append(name), work(*arguments, **named))[1]

    for kind in (MateSolver, Solver):
        for name in {"warmup", "solve", "tsume"} & set(dir(kind)):
            monkeypatch.setattr(kind, name, noting(name, getattr(kind, name)))
    for words in (["mate", ONE], ["solve", "--check", ONE], ["solve", "othello", "X" * 64 + " O"]):
        called.clear()
        assert main(words) in (0, 1) and called[0] == "warmup" and len(called) > 1, words
