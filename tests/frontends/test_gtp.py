"""`shogi-engine gtp` as a process."""

import random
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from shogi_engine.__main__ import main
from shogi_engine.frontends import othello
from shogi_engine.frontends.othello import Gtp, time_for_move
from shogi_engine.games.othello.board import Board
from shogi_engine.types.limits import Clock
from tests.support.console_driver import Process
from tests.support.conversation import ROOT

START = "---------------------------OX------XO--------------------------- X"
AFTER_F5 = "---------------------------OX------XXX-------------------------- O"


@pytest.fixture(scope="module")
def engine():
    with Process("gtp") as process:
        process.ask("genmove b", 300)
        yield process


@pytest.fixture(autouse=True)
def fresh(engine):
    for command in ("clear_board", "set_level 3", "kgs-time_settings none"):
        assert engine.ask(command) == "="


def test_facts_and_ids(engine):
    assert engine.ask("protocol_version") == "= 2"
    assert engine.ask("17 name") == "=17 shogi_engine"
    assert engine.ask("18 nonsense").startswith("?18 ")
    assert engine.ask("known_command genmove") == "= true" and engine.ask("known_command fly") == "= false"
    for command in engine.ask("list_commands").removeprefix("= ").split("\n"):
        assert engine.ask(f"known_command {command}") == "= true"
    assert engine.ask("boardsize 8") == "=" and engine.ask("boardsize 10") == "? unacceptable size"
    assert engine.ask("komi 6.5") == "=" and engine.ask("list_games # all") == "= Othello"


def test_games_with_passes_left_to_the_engine(engine):
    rng = random.Random(5)
    passes = games = 0
    while games < 4 or (not passes and games < 40):  # at random, and by how the engine plays, a few have none
        games += 1
        engine.ask("clear_board")
        engine.ask("set_level 1")
        board = Board()
        while board.legal_moves:
            if board.must_pass():
                passes += 1
                board.push_text("pass")
                continue
            colour = "bw"[board.turn]
            if rng.random() < 0.3:
                board.push_text(engine.ask(f"genmove {colour}").removeprefix("= "))
            else:
                move = rng.choice(list(board.legal_moves))
                assert engine.ask(f"play {colour} {move}") == "="
                board.push(move)
        score = board.outcome().score
        wanted = "0" if score == 0 else f"{'B' if score > 0 else 'W'}+{abs(score)}"
        assert engine.ask("final_score") == f"= {wanted}" == engine.ask("gogui-rules_final_result")
        assert engine.ask("genmove b") == "= PASS"
        assert engine.ask("play w PASS") == engine.ask("play b pass") == "="
        assert engine.ask("play b a1").startswith("? ")
        for _ in range(3):  # the passes change nothing, and undo takes them back first
            assert engine.ask("final_score") == f"= {wanted}"
            assert engine.ask("undo") == "="
        assert engine.ask("final_score") == f"= {wanted}" and engine.ask("undo") == "="
        assert engine.ask("final_score") == "? the game is not over"
    assert passes


def test_a_pass_that_was_not_sent_is_undone_with_the_move_after_it(engine):
    moves, after_pass = ["e6", "f6", "g6", "g7", "g8", "h8", "c4", "e3", "e2", "f8"], "c3"  # black must pass

    def rows():
        return engine.ask("gogui-rules_board")

    for number, move in enumerate(moves):
        before = rows()
        assert engine.ask(f"play {'bw'[number % 2]} {move}") == "="
    whole = rows()
    for last in (f"play w {after_pass}", "genmove w", "play w a1", "reg_genmove w"):
        assert engine.ask(last).startswith("?" if "a1" in last else "=")
        assert (rows() == whole) == (last in ("play w a1", "reg_genmove w"))
        if rows() != whole:
            assert engine.ask("undo") == "=" and rows() == whole
        assert engine.ask("undo") == "=" and rows() == before
        assert engine.ask(f"play w {moves[-1]}") == "=" and rows() == whole
    for ask in ("play b pass", f"play w {after_pass}", "undo", "undo"):  # one that was sent is undone alone
        assert engine.ask(ask) == "=" and engine.ask("gogui-rules_side_to_move") in ("= white", "= black")
    assert rows() == whole and engine.ask("undo") == "=" and rows() == before


def test_passes_that_are_sent(engine):
    board = Board.from_transcript("e6f4e3f6g5d6e7f5c5")  # white wiped out: black has the last move
    moves = [str(move) for move in board.move_stack]
    for number, move in enumerate(moves):
        assert engine.ask(f"play {'bw'[number % 2]} {move}") == "="
    assert engine.ask("gogui-rules_legal_moves") == "=" or board.legal_moves
    engine.ask("clear_board")
    assert engine.ask("play b pass").startswith("? illegal move")
    assert engine.ask("play w f5").startswith("? ")
    assert engine.ask("play b F5") == "="


def test_rules_and_undo(engine):
    assert engine.ask("gogui-rules_legal_moves") == "= D3 C4 F5 E6"
    assert engine.ask("gogui-rules_side_to_move") == "= black"
    assert engine.ask("play b f5") == "=" and engine.ask("gogui-rules_side_to_move") == "= white"
    rows = engine.ask("gogui-rules_board").split("\n")
    assert len(rows) == 9 and rows[5] == ". . . X X X . ."
    assert engine.ask("gogui-rules_board_size") == "= 8" and engine.ask("gogui-rules_game_id") == "= Othello"
    assert engine.ask("undo") == "=" and engine.ask("undo") == "? cannot undo"
    assert engine.ask("gogui-rules_final_result") == "=" and engine.ask("final_score").startswith("?")
    assert engine.ask("reg_genmove b").removeprefix("= ") in ("D3", "C4", "F5", "E6")
    assert engine.ask("gogui-rules_side_to_move") == "= black"
    assert "X 2  O 2" in engine.ask("showboard")


@pytest.mark.parametrize(
    ("settings", "left", "most"),
    [("time_settings 0 1 1", None, 1.3), ("time_settings 60 0 0", "time_left b 2 0", 0.8),
     ("time_settings 0 10 10", "time_left b 3 5", 0.9), ("kgs-time_settings byoyomi 0 1 5", None, 1.3),
     ("kgs-time_settings absolute 6", None, 1.5), ("kgs-time_settings canadian 0 8 8", None, 1.3),
     ("time_settings 5 1 1", "time_left b 0 0", 0.3), ("time_settings 0 0 0", None, 0.3)],
)  # fmt: skip
def test_clocks(engine, settings, left, most):
    engine.ask("set_level 21")
    assert engine.ask(settings) == "=" and (left is None or engine.ask(left) == "=")
    with engine.within(most):
        assert engine.ask("genmove b").startswith("= ")


class Session(Gtp):
    """A session with an engine that takes 3 s for each move; it notes the clocks it is given."""

    def __init__(self, monkeypatch):
        super().__init__(SimpleNamespace(line=lambda text: None), None)
        self.clocks, self.now = [], 0.0
        monkeypatch.setattr(othello, "time", SimpleNamespace(monotonic=lambda: self.now))

    @property
    def engine(self):
        return SimpleNamespace(board=Board, play=self.think)

    def think(self, board, limit, search):
        self.now += 3
        return SimpleNamespace(move=next(iter(board.legal_moves)))

    def limit(self, level, clock):
        self.clocks.append(clock)
        return super().limit(level, clock)


@pytest.mark.parametrize(
    ("commands", "clocks"),
    [("time_settings 60 0 0|genmove b|genmove w|genmove b|genmove w|genmove b", [(60,), (60,), (57,), (57,), (54,)]),
     ("time_settings 60 0 0|genmove b|time_left b 50 0|genmove w|genmove b|genmove w|genmove b",
      [(60,), (60,), (50,), (57,), (47,)]),
     ("time_settings 60 0 0|time_left b 9 0|genmove b|clear_board|genmove b", [(9,), (60,)]),
     ("time_settings 60 10 5|genmove b|time_left w 8 4|genmove w", [(60, 0, 2), (0, 2)]),
     ("time_settings 2 10 1|genmove b|genmove w|genmove b", [(2, 0, 10), (2, 0, 10), (0, 10)]),
     ("time_settings 2 10 1|time_left b 0 0|genmove b", [(0, 0, 10)]),
     ("kgs-time_settings byoyomi 4 10 5|genmove b|genmove w|genmove b", [(4, 10), (4, 10), (1, 10)]),
     ("time_settings 0 10 0|genmove b", [None])],
)  # fmt: skip
def test_the_clock_of_a_move(monkeypatch, commands, clocks):
    session = Session(monkeypatch)
    for command in ("clear_board", *commands.split("|")):
        name, *words = command.split()
        session._answer("", name, words)
    assert session.clocks == [each and Clock.from_seconds(*each) for each in clocks]


def test_an_increment_is_time_for_the_move_that_it_comes_before():
    plain, more = (time_for_move(Clock(10_000, increment=each), 20) for each in (0, 2000))
    assert more.soft_ms > plain.soft_ms
    assert time_for_move(Clock(300, increment=10_000), 20).hard_ms <= 300  # of which only this is there
    assert time_for_move(Clock(0, byoyomi=1000), 20).hard_ms > 500


def test_an_interrupt_ends_the_search(engine):
    engine.ask("set_level 21")
    engine.ask("play b f5")
    engine.send("genmove w")
    time.sleep(0.2)
    engine.send("# interrupt")
    assert engine.line().startswith("= ") and engine.line() == ""


@pytest.mark.parametrize(
    "wrong",
    ["fly", "play", "play b", "play x9 f5", "play b z9", "play b a1", "play w f5", "genmove", "genmove red", "komi",
     "komi x", "boardsize", "time_settings", "time_settings a b c", "time_left b x 0", "time_left b 1", "set_level 99",
     "kgs-time_settings", "kgs-time_settings absolute", "set_game Chess", "known_command", "\u00e9\u00e9"],
)  # fmt: skip
def test_one_error_for_a_wrong_line_and_the_next_works(engine, wrong):
    assert engine.ask(wrong).startswith("? ")
    assert engine.ask("reg_genmove b").startswith("= ")


def test_random_lines(engine):
    rng = random.Random(9)
    words = (*engine.ask("list_commands").removeprefix("= ").split("\n"), "b", "w", "f5", "d6", "pass", "-1", "7", "x",
             "0", "\u00e9", "12345678901234567890")  # fmt: skip
    for batch in range(20):
        lines = [" ".join(rng.choice(words) for _ in range(rng.randrange(1, 5))) for _ in range(20)]
        engine.send(*(line for line in lines if "quit" not in line))
        engine.send("kgs-time_settings none", "set_level 1", "clear_board", f"{9000 + batch} name")
        engine.until(f"={9000 + batch} shogi_engine", 60)
        engine.line()
        assert engine.ask("genmove b").startswith("= ")


def test_quit_is_answered(engine):
    with Process("gtp") as other:
        other.ask("name", 300)
        assert other.ask("5 quit") == "=5"
        assert other.ended() == (0, b"")


def test_a_script_is_answered_to_its_end(engine):
    script = "1 clear_board\n2 play b d3\n3 genmove w\n4 undo\n5 quit\n"
    command = [sys.executable, "-m", "shogi_engine", "gtp"]
    done = subprocess.run(command, input=script.encode(), capture_output=True, timeout=300, cwd=ROOT)
    answers = done.stdout.decode().split("\n\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert [answer.split(" ")[0] for answer in answers] == ["=1", "=2", "=3", "=4", "=5", ""]


def test_moves_of_the_book_if_it_is_asked_for(tmp_path):
    """Those that are at most the randomness worse than the best, with its value over NBoard."""
    lines = [f"{START}; f5:+0.2; d3:+0.1; e6:-1.0", f"{AFTER_F5}; d6:-0.2; f4:-0.4; f6:-3.0"]
    (tmp_path / "book.txt").write_text("\n".join(lines) + "\n")
    with Process("gtp", "--book", str(tmp_path / "book.txt"), "--book-randomness", "0.2") as engine:
        engine.ask("set_level 1", 300)
        seen = set()
        for _ in range(12):
            engine.ask("clear_board")
            engine.ask("play b f5")
            seen.add(engine.ask("genmove w"))
        assert seen == {"= D6", "= F4"}
        assert engine.ask("genmove b").startswith("= ")  # the book ends there
    with Process("nboard", "--book", str(tmp_path / "book.txt")) as engine:
        engine.send("nboard 2", "move f5", "go")
        assert engine.until("===", 300)[-1] == "=== D6/-0.20/0.00"


@pytest.mark.parametrize(
    "options",
    [["--book-randomness", "1"], ["--book", "/nowhere.txt"], ["--book", "--book-randomness", "-1"],
     ["--book", "--book-randomness", "x"]],
)  # fmt: skip
def test_wrong_options_of_the_book(capsys, options):
    try:
        status = main(["gtp", *options])
    except SystemExit as end:
        status = end.code
    assert status == 2 and capsys.readouterr().err.count("\n") == 1


def test_a_faulty_book_is_told_before_the_game(capsys, tmp_path):
    book = tmp_path / "book.txt"
    book.write_text(f"% a comment\n{START}; a1:+0.2\n")
    assert main(["nboard", "--book", str(book)]) == 2
    assert capsys.readouterr().err == f"shogi-engine: {book}: line 2: illegal move 'a1': it flips no disc of white\n"
