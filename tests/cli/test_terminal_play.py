"""`shogi-engine play` as a whole: games to their end through pipes, and at a terminal."""

import re
import signal
import sys

import pytest

from shogi_engine import records
from shogi_engine.jit import cache_folder
from tests.support import forks
from tests.support.processes import ROOT, environment

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
from tests.support.terminal import Terminal

CTRL_C, CTRL_D = "\x03", "\x04"


@pytest.fixture
def env(tmp_path):
    """Return an environment with the tests' kernels, in which games are kept below tmp_path/data."""
    folder = cache_folder()
    home = {"XDG_DATA_HOME": str(tmp_path / "data"), "HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    return environment(folder and folder.parent, ROOT) | home


def piped(env, arguments, lines):
    """Play with `lines` on a pipe; return what was shown. Nothing of it is coloured."""
    command = [sys.executable, "-m", "shogi_engine", "play", *arguments]
    done = forks.run(command, "".join(f"{line}\n" for line in lines), env=env)
    assert (done.returncode, done.stderr) == (0, "") and "\x1b" not in done.stdout
    return done.stdout


def kept(tmp_path, game):
    """Return the record of the only game that was kept."""
    (path,) = (tmp_path / "data" / "shogi_engine" / "games").iterdir()
    return path, records.load(path, game=game)[0]


@pytest.mark.parametrize(("game", "level", "end"), [("shogi", "10", r"wins: |a draw: "), ("othello", "1", r"discs")])
def test_a_game_to_its_end_through_a_pipe(env, tmp_path, game, level, end):
    text = piped(env, [game, "--level", level], ["go"] * 1000)
    assert re.search(end, text.splitlines()[-2]), text[-500:]
    path, record = kept(tmp_path, game)
    assert text.splitlines()[-1].startswith(f"the game is saved in {path}")
    assert record.names == ["human", f"shogi_engine level {level}"]
    declared = record.ending == "declaration"  # by the engine: the rules alone do not end such a game
    assert declared or record.board().outcome() is not None
    assert len(record.moves) > 20
    if game == "othello":
        assert record.score == record.board().outcome().score


@pytest.mark.parametrize(
    ("options", "said", "name"),
    [
        ([], "The engine plays at level 3; `level N` changes it.", "shogi_engine level 3"),
        (["--clock", "10m"], "The engine plays at level 3; `level N` changes it.", "shogi_engine level 3"),
        (["--depth", "1"], "The engine plays within these limits: depth 1.", "shogi_engine"),
        (["--level", "20"], "The engine plays at full strength; `level N` makes it weaker.", "shogi_engine"),
    ],
)
def test_without_a_level_the_engine_plays_at_the_beginners(env, tmp_path, options, said, name):
    text = piped(env, ["shogi", *options], ["7g7f", "quit"])
    assert text.splitlines()[1] == said
    path, record = kept(tmp_path, "shogi")
    assert record.names == ["human", name]


def test_the_end_of_input_keeps_the_game_and_load_goes_on(env, tmp_path):
    text = piped(env, ["shogi", "--human", "both"], ["7g7f", "3c3d"])
    path, record = kept(tmp_path, "shogi")
    assert str(path) in text and (record.moves, record.ending) == (["7g7f", "3c3d"], "interrupted")
    other = tmp_path / "other.csa"
    lines = ["undo", "8c8d", f"save {path}", f"save {other}", "quit"]
    text = piped(env, ["shogi", "--human", "both", "--load", str(path)], lines)
    assert f"{path} already exists" in text and f"saved in {other}" in text and "kept in" not in text
    assert records.load(other)[0].moves == ["7g7f", "8c8d"] and kept(tmp_path, "shogi")[1] == record


def test_a_game_at_a_terminal(env, tmp_path):
    file = tmp_path / "game.kifu"
    with Terminal(["play", "shogi", "--human", "both", "--clock", "10m+30"], env) as screen:
        screen.expect("black>")
        assert "▲ black: -   10:00" in screen.text and "v香v桂v銀v金v玉v金v銀v桂v香|一" in screen.text
        screen.type("76歩")
        screen.expect("white to move")
        assert "\x1b[1;7m" in screen.raw  # the move is marked
        screen.expect("white>")
        screen.type("P-3d")
        screen.expect("black to move")
        screen.expect("black>")
        screen.type("unod")
        screen.expect("'unod' is not a move")
        screen.type("res", key="\t")
        screen.expect("resign")
        screen.type("")
        screen.expect("white wins: black resigns")
        screen.expect("save as")
        screen.type(str(file))
        screen.expect("saved in")
        assert screen.wait() == 0
    (record,) = records.load(file)
    assert (record.moves, record.ending, record.result) == (["7g7f", "3c3d"], "resignation", "0-1")
    assert None not in record.seconds
    assert list((tmp_path / "data" / "shogi_engine" / "games").iterdir()) == []


@pytest.mark.parametrize(
    ("end", "status"),
    [(CTRL_C, 130), (CTRL_D, 0), (signal.SIGTERM, 143), ("closed", 129), (signal.SIGKILL, -9)],
    ids=["Ctrl-C", "Ctrl-D", "SIGTERM", "closed", "killed"],
)
def test_leaving_at_a_terminal_keeps_the_game(env, tmp_path, end, status):
    with Terminal(["play", "othello", "--human", "both"], env) as screen:
        screen.expect("black>")
        screen.type("f5d6c3")
        screen.expect("white>")
        assert "●" in screen.text and "\x1b[" in screen.raw
        if end == "closed":
            assert screen.hang_up() == status
        elif isinstance(end, str):
            screen.type("", key=end)
        else:
            screen.kill(end)
        if end not in ("closed", signal.SIGKILL):
            screen.expect("the game is saved in")
        assert screen.wait() == status
    assert kept(tmp_path, "othello")[1].moves == ["f5", "d6", "c3"]


def test_the_clock_ends_the_game_while_nothing_is_typed(env, tmp_path):
    with Terminal(["play", "othello", "--human", "both", "--clock", "2s"], env) as screen:
        screen.expect("black wins: white ran out of time|white wins: black ran out of time")
        screen.type("", key=CTRL_D)
        assert screen.wait() == 0
