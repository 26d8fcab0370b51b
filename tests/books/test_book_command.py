"""`shogi-engine book`: what its actions print and write, and what they refuse."""

import gzip
import json

import pytest

from shogi_engine.__main__ import main
from shogi_engine.games.othello.board import Board
from shogi_engine.games.shogi.book import SHIPPED, Book


def run(capsys, *words):
    """Return (exit status, stdout's lines)."""
    status = main(["book", *map(str, words)])
    return status, capsys.readouterr().out.splitlines()


def test_show_prints_what_the_shipped_books_know(capsys):
    status, lines = run(capsys, "shogi", "show", "--json")
    shown = json.loads(lines[-1])
    assert status == 0 and shown["game"] == "shogi"
    known = Book.load(SHIPPED).known(shown["position"])
    assert [(each["move"], each["value"]) for each in shown["moves"]] == [(each.move, each.value) for each in known]
    status, lines = run(capsys, "shogi", "show", "--notation", "japanese")
    assert status == 0 and all(line.startswith("▲") for line in lines[1:]) and "centipawns" in lines[0]
    status, lines = run(capsys, "othello", "show", "--moves", "f5", "--json")
    shown = json.loads(lines[-1])
    assert status == 0 and {"d6", "f6"} & {each["move"] for each in shown["moves"]}
    assert all(abs(each["value"]) < 10 for each in shown["moves"])  # discs
    status, lines = run(capsys, "othello", "show", "--position", f"{'X' * 62}O- X")
    assert (status, lines) == (1, ["this position is not in the book"])


def test_a_book_is_built_extended_exported_and_imported(capsys, tmp_path):
    path, book, lines = tmp_path / "run.jsonl", tmp_path / "book.txt", tmp_path / "lines.txt"
    lines.write_text("perpendicular: f5 d6 c5\n")
    words = ["othello", "build", path, "--depth", 1, "--set", "width=2,max_ply=6", "--out", book, "--openings", lines]
    assert run(capsys, *words, "--positions", 8)[0] == 0
    built = book.read_text()
    assert run(capsys, *words[:-2], "--positions", 8)[0] == 0 and book.read_text() == built  # the run has the lines
    game = tmp_path / "game.txt"
    game.write_text("f5f6e6d6\n")
    assert run(capsys, "othello", "extend", path, "--records", game, "--set", "plies=3", "--out", book)[0] == 0
    board = Board()
    for move in ("f5", "f6", "e6"):
        _, shown = run(capsys, "othello", "show", "--book", book, "--position", board.obf(), "--json")
        assert move in {each["move"] for each in json.loads(shown[-1])["moves"]}
        board.push_text(move)
    searched = path.read_text().count("\n")
    assert run(capsys, "othello", "extend", path, "--positions", 2)[0] == 0
    assert path.read_text().count("\n") == searched + 2
    more, merged = tmp_path / "more.txt", tmp_path / "merged.txt"
    assert run(capsys, "othello", "export", path, "--out", more)[0] == 0
    assert more.read_text().count("\n") >= book.read_text().count("\n") + 2
    status, said = run(capsys, "othello", "import", more, book, "--out", merged)
    assert status == 0 and len(said) == 3
    assert merged.read_text() == more.read_text() and not list(tmp_path.glob("*.tmp"))
    packed, unpacked = tmp_path / "packed.txt.gz", tmp_path / "unpacked.txt"
    assert run(capsys, "othello", "export", path, "--out", packed)[0] == 0
    assert gzip.decompress(packed.read_bytes()) == more.read_bytes()
    assert run(capsys, "othello", "import", packed, "--out", unpacked)[0] == 0
    assert unpacked.read_text() == more.read_text()


@pytest.mark.parametrize(
    "words",
    [[], ["shogi"], ["chess", "show"], ["shogi", "burn"], ["shogi", "show", "--book", "/nowhere.db"],
     ["shogi", "show", "--position", "x"], ["shogi", "show", "--moves", "7g7e"],
     ["othello", "show", "--notation", "kif"], ["shogi", "build"], ["shogi", "build", "/nowhere/run.jsonl"],
     ["shogi", "build", "x", "--nodes", "0"], ["shogi", "build", "x", "--nodes", "9", "--depth", "9"],
     ["shogi", "build", "x", "--set", "margin=-1"], ["shogi", "build", __file__],
     ["shogi", "build", "x", "--openings", "/nowhere.txt"], ["shogi", "extend", "/nowhere.jsonl", "--positions", "3"],
     ["shogi", "extend", __file__], ["shogi", "extend", __file__, "--positions", "3"],
     ["shogi", "export", "/nowhere.jsonl", "--out", "x"], ["shogi", "export", __file__, "--out", "x"],
     ["shogi", "import", __file__, "--out", "x"], ["othello", "import", __file__, "--out", "x"],
     ["othello", "import", "/nowhere.dat", "--out", "x"], ["othello", "import", "--out", "x"]],
)  # fmt: skip
def test_wrong_words_end_with_2_and_one_line(capsys, monkeypatch, tmp_path, words):
    monkeypatch.chdir(tmp_path)
    try:
        status = main(["book", *words])
    except SystemExit as end:
        status = end.code
    output = capsys.readouterr()
    assert status == 2 and output.out == "" and output.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
