"""`shogi-engine book`: an index of games is made and shown, and games are shown without one."""

import json

import pytest

from shogi_engine.__main__ import main
from shogi_engine.cli.book import tell_faults
from shogi_engine.explorer import Added

GAMES = "f5d6c3\nf5f6e6\nd3c5f6\n"


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "games"
    place.mkdir()
    (place / "a.txt").write_text(GAMES)
    (place / "b.csa").write_text("V2.2\nN+me\nN-you\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n")
    (place / "c.csa").write_text("V2.2\nPI\n+\n+7775FU\n")
    return place


def run(capsys, *words):
    """Return (exit status, stdout's lines, stderr)."""
    status = main(["book", *map(str, words)])
    said = capsys.readouterr()
    return status, said.out.splitlines(), said.err


def test_an_index_is_made_grows_and_is_shown(capsys, folder, tmp_path):
    index = tmp_path / "games.idx"
    status, lines, said = run(capsys, "othello", "index", folder, "--out", index)
    assert status == 1 and "c.csa" in said and len(said.splitlines()) == 1
    assert lines == [f"{folder}: 3 new games, 1 of another game", f"3 games in {index}"]
    (folder / "a.txt").write_text(GAMES + "f5d6c4\n")
    _, lines, _ = run(capsys, "othello", "index", folder / "a.txt", "--out", index)
    assert lines == [f"{folder / 'a.txt'}: 1 new game, 3 known before", f"4 games in {index}"]
    status, lines, _ = run(capsys, "othello", "explore", "--book", index, "--moves", "f5", "--json")
    shown = json.loads(lines[-1])
    assert status == 0 and [(row["move"], row["games"], row["score"]) for row in shown["moves"]] == [
        ("d6", 3, None), ("f6", 1, None),
    ]  # fmt: skip
    assert run(capsys, "othello", "show", "--book", index, "--moves", "f5f4")[:2] == (1, ["no game has this position"])


def test_games_are_shown_without_an_index(capsys, folder):
    for place in (folder, folder / "b.csa"):
        status, lines, _ = run(capsys, "shogi", "explore", "--book", place)
        assert status == 0 and lines[0].split() == ["move", "games", "score", "black", "draws", "white"]
        assert lines[1].split() == ["7g7f", "1", "0.0%", "0", "0", "1"]
        assert lines[-1] == f"{folder / 'b.csa'}, 1: me - you 0-1"
    _, lines, _ = run(capsys, "shogi", "show", "--book", folder, "--notation", "japanese")
    assert lines[1].startswith("▲７六歩 ")


def test_all_that_was_skipped_is_counted_and_some_of_it_told(capsys):
    for skipped, rest in ((10, []), (11, ["1 more was skipped"]), (1234, ["1224 more were skipped"])):
        added = Added()
        for number in range(skipped):
            added.fault(ValueError(f"fault {number}"))
        tell_faults(added)
        assert capsys.readouterr().err.splitlines() == [*(f"fault {number}" for number in range(10)), *rest]


def test_what_is_no_index_of_the_game_is_refused(capsys, folder, tmp_path):
    index, other = tmp_path / "games.idx", tmp_path / "other.idx"
    run(capsys, "othello", "index", folder / "a.txt", "--out", index)
    other.write_bytes(GAMES.encode() * 100)
    refused = [
        (["shogi", "show", "--book", index], f"{index} is an index of othello, not of shogi"),
        (["othello", "index", folder, "--out", other], "other.idx cannot be used: file is not a database"),
        (["othello", "index", tmp_path / "none", "--out", index], str(tmp_path / "none")),
        (["othello", "index", index, "--out", index], "would overwrite"),
    ]
    for words, reason in refused:
        assert main(["book", *map(str, words)]) == 2
        said = capsys.readouterr().err
        assert reason in said and said.count("\n") == 1
