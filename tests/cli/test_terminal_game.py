"""What the terminal board shows, takes and refuses: every defect a new user met, without a terminal."""

import argparse
import io
import os
import re

import pytest

from shogi_engine import records
from shogi_engine.__main__ import main
from shogi_engine.cli.common import time_control
from shogi_engine.cli.play import TerminalGame
from shogi_engine.cli.progress import Preparation
from shogi_engine.cli.terminal import KANJI, BoardStyle, default_pieces, draw, plain
from shogi_engine.engine import Engine
from shogi_engine.games.othello.board import Board as OthelloBoard
from shogi_engine.games.shogi.board import Board as ShogiBoard
from shogi_engine.games.shogi.records.kakinoki import HANDICAPS, WESTERN, handicap
from shogi_engine.play.clock import GameClock, TimeUp
from shogi_engine.play.game import Game, Terms
from shogi_engine.play.words import level_limit, timed_limit
from shogi_engine.records import GameRecord
from shogi_engine.types.limits import Clock, Limit, TimeBudget
from tests.support.typed_lines import typed


@pytest.fixture(autouse=True)
def data_folder(tmp_path, monkeypatch):
    """Keep games below tmp_path; return the folder."""
    monkeypatch.setattr("shogi_engine.records.files.data_folder", lambda: tmp_path / "data")
    return tmp_path / "data" / "games"


class Now:
    """A clock's clock. seconds : what it shows"""

    seconds = 0.0

    def __call__(self):
        return self.seconds


def played(game, lines, people=frozenset({0, 1}), position="", **settings):
    """Play with `lines` typed; return (what was shown, the match)."""
    shown = []
    with Engine(game, hash_mb=1) as engine:
        begun = Game.begin(game, position, clock=settings.pop("clock", None))
        match = TerminalGame(engine, begun, set(people), Limit(depth=1), typed(lines), shown.append, **settings)
        match.play()
        return "\n".join(shown), match


# ---- the coach


def test_a_coach_says_why_a_blunder_was_one_and_offers_it_back():
    position = "position startpos moves 7g7f 3c3d"
    text, match = played("shogi", ["8h5e", "y", "8h5e", "n"], {0}, position, coach=True)
    assert text.count("Blunder") == 2 and "leaves a bishop on 5e to be captured for nothing" in text
    assert text.count("engine: ") == 1 and match.game.moves == ["8h5e", "2b5e"]


# ---- what is typed


def test_help_names_what_the_game_has():
    for game, declares in (("shogi", True), ("othello", False)):
        text, _ = played(game, ["help"])
        assert ("entering-king" in text) == declares and "save FILE" in text
        assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("move", ["7六歩", "76FU", "2726FU", "P-7f", "７六歩", "7g7f", "▲７六歩", "76歩"])
def test_every_notation_is_taken(move):
    text, match = played("shogi", [move])
    assert len(match.game.moves) == 1 and "no move" not in text


@pytest.mark.parametrize(
    ("game", "line", "moves"),
    [
        ("othello", "f5d6c3", ["f5", "d6", "c3"]), ("othello", "f5 d6 c3", ["f5", "d6", "c3"]),
        ("shogi", "７六歩 3c3d", ["7g7f", "3c3d"]),
    ],
)  # fmt: skip
def test_a_transcript_can_be_pasted(game, line, moves):
    text, match = played(game, [line])
    assert match.game.moves == moves and "help" not in text


def test_a_wrong_transcript_makes_no_move():
    text, match = played("othello", ["f5d6a1"])
    assert match.game.moves == [] and "move 3: illegal move 'a1'" in text


def test_levels_go_to_the_top_in_both_games():
    for game, strongest in (("shogi", 20), ("othello", 30)):
        with Engine(game, hash_mb=1) as engine:
            assert level_limit(engine, 3) == Limit(level=3)
            assert level_limit(engine, strongest) == (Limit() if game == "shogi" else Limit(level=30))
            for wrong in (-1, strongest + 1):
                with pytest.raises(ValueError, match=f"level must be 0 to {strongest}, not {wrong}"):
                    level_limit(engine, wrong)
    text, match = played("shogi", ["level", "level 3", "level 21", "level x", "level 20"], {0})
    assert match.limit == Limit()
    lines = text.splitlines()[-5:]
    assert lines[0] == "The engine plays within these limits: depth 1."
    assert lines[1].startswith("The engine plays at level 3;")
    assert lines[4].startswith("The engine plays at full strength;")
    assert "level must be 0 to 20" in lines[2] and "must be a number" in lines[3]


def test_the_end_says_who_won_and_why():
    text, match = played("shogi", ["7g7f", "resign", "2g2f"])
    assert text.endswith("black wins: white resigns") and match.record().result == "1-0"
    text, match = played("shogi", ["G*5b"], position="4k4/9/4P4/9/9/9/9/9/4K4 b G 1")
    assert text.endswith("black wins: mate") and match.record().ending == "mate" and match.record().result == "1-0"
    text, match = played("shogi", ["2h3h", "8b7b", "3h2h", "7b8b"] * 3)
    assert match.record().ending == "repetition" and match.record().result == "1/2-1/2"
    text, match = played("shogi", ["declare", "resign"])
    assert "the conditions for declaring a win are not met" in text
    text, match = played("shogi", ["declare"], position="+R+R2K2+B+B/+P+P+P3+P+P+P/9/9/9/9/9/9/4k4 b 2P 1")
    assert text.endswith("black wins: declaration") and match.record().result == "1-0"
    text, match = played("othello", ["resign"])
    assert text.endswith("white wins: black resigns") and match.record().result == "0-1"


def test_load_alone_lists_the_games_kept_here(data_folder):
    data_folder.mkdir(parents=True)
    for number, moves in enumerate((["2g2f"], ["7g7f", "3c3d"])):
        path = data_folder / f"shogi-20260101-00000{number}.kifu"
        records.save(GameRecord.from_moves("shogi", moves), path)
        os.utime(path, (number, number))
    text, match = played("shogi", ["load", "load 3", "load 2"])
    assert "  1  shogi-20260101-000001  2 moves" in text and "  2  shogi-20260101-000000  1 move" in text
    assert "there is no saved game number 3" in text and match.game.moves == ["2g2f"]


def test_load_says_what_was_passed_over(tmp_path):
    file = tmp_path / "a.kifu"
    file.write_text("1 ７六歩(77)\n# memo\n2 ３四歩(33)\n", encoding="utf-8")
    text, match = played("shogi", [f"load {file}"])
    assert "line 2: the remark '# memo' is passed over" in text and match.game.moves == ["7g7f", "3c3d"]


def test_save_load_and_what_is_not_overwritten(tmp_path):
    kif, other = tmp_path / "a game.kif", tmp_path / "notes.kif"
    other.write_text("mine")
    lines = [
        "7g7f", f"save {kif}", "3c3d", f"save '{kif}'", f"save {other}", "save", "save x.pgn", f"load {other}",
        "load",
    ]  # fmt: skip
    text, match = played("shogi", lines)
    assert text.count(f"saved in {kif}") == 2 and other.read_text() == "mine" and not match.is_unsaved()
    for said in ("already exists", "save under which name", "x.pgn is none of the formats", "load which file"):
        assert said in text
    (record,) = records.load(kif)
    assert record.moves == ["7g7f", "3c3d"] and record.names == ["human", "human"] and record.ending == "interrupted"
    text, match = played("shogi", [f"load {kif}", "undo", "8c8d"])
    assert match.game.moves == ["7g7f", "8c8d"] and match.is_unsaved()
    assert not played("shogi", [f"load {kif}"])[1].is_unsaved()
    mated = tmp_path / "mated.kif"
    records.save(GameRecord.from_moves("shogi", ["G*5b"], start="4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), mated)
    text, match = played("shogi", [f"load {mated}"])
    assert text.endswith("black wins: mate") and not match.is_unsaved()
    sgf = tmp_path / "o.sgf"
    played("othello", ["f5", "d6", f"save {sgf}"])
    assert played("othello", [f"load {sgf}"])[1].game.moves == ["f5", "d6"]
    assert (
        "expected one of" in played("othello", [f"load {kif}"])[0]
        or "is a format of" in played("othello", [f"load {kif}"])[0]
    )


def test_the_game_is_written_after_each_move(data_folder):
    states = []

    def look(line):
        states.append(
            [(path.name, load.moves, load.ending) for path in data_folder.glob("*") for load in records.load(path)]
        )
        return line

    lines = ["7g7f", "3c3d", "undo", "8c8d", "resign"]
    text, match = played("shogi", map(look, lines))
    assert states[0] == [] and len({name for found in states for name, *_ in found}) == 1  # one file
    made = [(moves, ending) for found in states[1:] for _, moves, ending in found]
    assert made == [(moves, "interrupted") for moves in (["7g7f"], ["7g7f", "3c3d"], ["7g7f"], ["7g7f", "8c8d"])]
    (record,) = records.load(match.file.path)
    assert (record.moves, record.ending, record.result) == (["7g7f", "8c8d"], "resignation", "0-1")


def test_a_full_disk_is_reported_once_and_the_game_continues(data_folder, monkeypatch):
    data_folder.parent.mkdir(parents=True)
    data_folder.write_text("a file, not a folder")
    text, match = played("shogi", ["7g7f", "3c3d"])
    assert text.count("the game could not be saved: ") == 1 and match.game.moves == ["7g7f", "3c3d"]
    data_folder.unlink()
    match.keep()
    assert records.load(match.file.path)[0].moves == ["7g7f", "3c3d"] and match.fault == ""


def test_another_game_is_loaded_and_the_first_stays(data_folder, tmp_path):
    file = tmp_path / "other.kif"
    records.save(GameRecord.from_moves("shogi", ["2g2f"], comments={1: "a comment"}), file)
    text, match = played("shogi", ["7g7f", f"load {file}", "8c8d"])
    kept = sorted(records.load(path)[0].moves for path in data_folder.iterdir())
    assert kept == [["2g2f", "8c8d"], ["7g7f"]] and match.record().comments == {1: "a comment"}
    assert records.load(file)[0].moves == ["2g2f"]


def test_undo_takes_a_pair_back_and_never_half_of_one():
    text, match = played("shogi", ["undo", "7g7f", "undo", "flip", "go"], {0})
    assert "no move to take back" in text and len(match.game.moves) == 2  # `go` played both
    assert len(match.record().seconds) == len(match.game.moves)


# ---- handicaps and what does not go together


def test_handicaps_by_name():
    assert handicap("2-piece") == handicap("二枚落ち") == handicap("2 pieces") == HANDICAPS["二枚落ち"]
    assert {HANDICAPS[name] for name in WESTERN.values()} == set(HANDICAPS.values())
    with pytest.raises(ValueError, match="rook-lance"):
        handicap("queen")


@pytest.mark.parametrize(
    "arguments",
    [["shogi", "--handicap", "queen"], ["othello", "--handicap", "2-piece"], ["shogi", "--clock", "x"],
     ["shogi", "--clock", "0"], ["shogi", "--level", "21"], ["othello", "--level", "31"],
     ["shogi", "--handicap", "rook", "--load", "x.kif"], ["shogi", "--load", "/nowhere.kif"],
     ["shogi", "--pieces", "x"], ["shogi", "--xot"], ["othello", "--xot", "--moves", "f5"]],
)  # fmt: skip
def test_wrong_arguments_are_one_line(capsys, arguments):
    try:
        status = main(["play", *arguments])
    except SystemExit as end:
        status = end.code
    output = capsys.readouterr()
    assert (status, output.out, output.err.count("\n")) == (2, "", 1)


# ---- clocks


def test_time_controls():
    for same in ("10m+30", "10+30", "10:00+30s", "600s+0:30", "600000ms+30000ms", "10分+30秒", "10分＋30秒"):
        assert time_control(same) == Clock.from_seconds(600, 30)
    assert time_control("5") == Clock.from_seconds(300) and time_control("1:30:00") == Clock.from_seconds(5400)
    assert time_control("5m+0+10") == Clock(300_000, 0, 10_000) and time_control("1h") == Clock.from_seconds(3600)
    for wrong in ("", "x", "1+2+3+4", "0", "0+0", "-5", "1.5", "101h", "60000", "10+5000", "５"):
        with pytest.raises(argparse.ArgumentTypeError, match=r"^(expected MAIN|a clock must have)"):
            time_control(wrong)


def test_a_clock_counts_main_time_byoyomi_and_increment():
    now = Now()
    clock = GameClock(Clock.from_seconds(60, 10, 5), now)
    assert (clock.text(0), clock.left(), clock.for_search(0).time) == ("1:00", None, 60000)
    clock.start(0)
    now.seconds = 20.5
    clock.start(0)  # the same turn
    assert (clock.text(0), clock.text(1), clock.left()) == ("0:40", "1:00", 49.5)
    assert clock.stop() == 20.5 and clock.text(0) == "0:45"
    clock.start(0)
    now.seconds += 50
    assert clock.text(0) == "byoyomi 0:05" and clock.left() > 0
    now.seconds += 5
    assert clock.left() <= 0
    clock.stop()
    clock.reset()
    assert clock.text(0) == "1:00"
    free = GameClock(None, now)
    free.start(1)
    now.seconds += 7
    assert (free.text(1), free.left(), free.for_search(1), free.stop()) == ("", None, None, 7)


def test_time_is_obeyed_shown_and_written():
    now = Now()
    clock = GameClock(Clock.from_seconds(10), now)

    def late(prompt):
        now.seconds += 4
        return "7g7f" if now.seconds < 5 else "3c3d"

    with Engine("shogi", hash_mb=1) as engine:
        shown = []
        game = Game.begin("shogi", clock=clock, terms=Terms(1))
        match = TerminalGame(engine, game, {0, 1}, Limit(), late, shown.append)
        match.play()
        assert match.record().seconds == [4.0] and "black: -   0:06" in "\n".join(shown)
    text, match = played("shogi", [TimeUp], clock=GameClock(Clock.from_seconds(1), iter(range(0, 100, 5)).__next__))
    assert text.endswith("white wins: black ran out of time") and match.record().ending == "time"
    assert match.record().result == "0-1"


def test_the_engine_never_uses_more_than_its_clock():
    clock = GameClock(Clock.from_seconds(2))
    with Engine("shogi", hash_mb=1) as engine:
        game = Game.begin("shogi", moves=["7g7f"], clock=clock)
        limit = timed_limit(engine, Limit(level=3), game)
        assert limit.level == 3 and 0 < limit.budget.soft_ms <= limit.budget.hard_ms < 2000
        assert timed_limit(engine, Limit(time=0.001), game).budget == TimeBudget.exactly(1)


# ---- what is drawn


def moved(board, *moves):
    for move in moves:
        board.push_text(move)
    return board


def test_a_shogi_board_in_kanji_and_letters():
    board = moved(ShogiBoard(), "7g7f", "3c3d", "8h2b+")
    text = plain(draw("shogi", board, BoardStyle(KANJI, clocks=("9:58", "byoyomi 0:30"))))
    assert text.splitlines()[:3] == ["△ white: -   byoyomi 0:30", "  ９ ８ ７ ６ ５ ４ ３ ２ １", f"+{'-' * 27}+"]
    assert "|v香v桂v銀v金v玉v金v銀v桂v香|一" in text and "| ・v飛 ・ ・ ・ ・ ・ 馬 ・|二" in text
    assert "▲ black: 角   9:58" in text and text.endswith("white to move")
    letters = plain(draw("shogi", board, BoardStyle()))
    assert "  .  r  .  .  .  .  .*+B  . b" in letters and "white: -" in letters
    turned = plain(draw("shogi", board, BoardStyle(KANJI, flipped=True))).splitlines()
    assert turned[0] == "▲ black: 角" and turned[1] == "  １ ２ ３ ４ ５ ６ ７ ８ ９"
    assert (
        turned[3] == "|v香v桂v銀v金v玉v金v銀v桂v香|九" and turned[-3] == f"+{'-' * 27}+" and turned[-2] == "△ white: -"
    )
    check = ShogiBoard("4k4/9/9/9/4R4/9/9/9/4K4 w - 1")
    lines = draw("shogi", check, BoardStyle(KANJI, colours=True))
    assert ("v玉", "bold white on red") in lines[3] and lines[-1][0][0] == "white to move, in check"
    assert "." in plain(
        draw("shogi", ShogiBoard("9/9/9/9/4k4/9/9/9/9 b G 1"), BoardStyle())
    )  # a problem without a king


def test_the_last_move_is_marked():
    shogi = draw("shogi", moved(ShogiBoard(), "7g7f"), BoardStyle(KANJI, colours=True))
    assert [text for line in shogi for text, style in line if "reverse" in style] == [" 歩"]
    othello = draw("othello", moved(OthelloBoard(), "f5"), BoardStyle(KANJI, colours=True))
    assert [text for line in othello for text, style in line if "reverse" in style] == ["● "]
    assert "X*" in plain(draw("othello", moved(OthelloBoard(), "f5"), BoardStyle()))


def test_an_othello_board():
    text = plain(draw("othello", OthelloBoard(), BoardStyle(clocks=("1:00", "0:59"))))
    assert text.splitlines()[0] == "  a b c d e f g h" and "4 - - - O X - - - 4" in text
    assert text.endswith("X 2 (1:00)  O 2 (0:59)  black (X) to move")
    turned = plain(draw("othello", moved(OthelloBoard(), "f5"), BoardStyle(KANJI, flipped=True))).splitlines()
    assert turned[0] == "  ⓗ ⓖ ⓕ ⓔ ⓓ ⓒ ⓑ ⓐ" and turned[1].startswith("8 ") and "○" in turned[5]
    record = GameRecord.from_moves("othello", ["f5"])
    assert "white (○) to move" in plain(draw("othello", record.board(), BoardStyle(KANJI)))


class Output:
    def __init__(self, encoding, terminal):
        self.encoding, self.isatty = encoding, lambda: terminal


def test_kanji_only_where_they_can_be_read():
    assert default_pieces(Output("utf-8", True)) == KANJI == default_pieces(Output("cp932", True))
    for encoding, terminal in (("utf-8", False), ("latin-1", True), ("ascii", True), (None, True)):
        assert default_pieces(Output(encoding, terminal)) == "western"


def test_a_game_from_a_random_even_opening(monkeypatch, capsys):
    """Eight discs more than at the start are on the board, and black is to move again."""
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    monkeypatch.setattr(Preparation, "is_busy", lambda self: False)  # the process would be left while it compiles
    assert main(["play", "othello", "--xot", "--human", "both", "--pieces", "western", "--hash", "1"]) == 0
    discs = re.search(r"X (\d+)  O (\d+)  black \(X\) to move", capsys.readouterr().out)
    assert discs and int(discs[1]) + int(discs[2]) == 12
