"""Opening books: the format, the look-up, the choice, and what the engine does with them; the one that is shipped."""

import random
from collections import Counter

import pytest
import shogi

from shogi_engine.__main__ import main
from shogi_engine.games.shogi import book as shogi_book
from shogi_engine.games.shogi.book import (
    SHIPPED,
    Book,
    BookError,
    BookMove,
    flipped_key,
    flipped_move,
    located,
    open_book,
    position_key,
)
from shogi_engine.interface import extras as any_book
from tests.support.usi_driver import FAKE, Process
from tests.support.usi_fake import FakeEngine
from usi.loop import BOOK_PAUSE, Loop
from usi.options import OPTIONS
from usi.protocol import UsiOutput

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
AFTER_7G7F = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"
TEXT = f"""#YANEURAOU-DB2016 1.00
// a comment
sfen {START}
7g7f 3c3d 50 12 3
2g2f none 45 11 1
9g9f
# another
sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 7
2g2f 8c8d -10 9
"""


def choose(known, legal, rng, *, best=16, margin=30):
    """Choose among the known moves that are legal, as Engine.book does."""
    return any_book.choose([each for each in known if each.move in legal], rng, best=best, margin=margin)


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "my book.db"
    path.write_text(TEXT)
    return path


def test_a_file_is_read_as_it_stands(book):
    loaded = Book.load(book)
    assert loaded.known(START) == [
        BookMove("7g7f", "3c3d", 50, 12, 3),
        BookMove("2g2f", "", 45, 11, 1),
        BookMove("9g9f"),
    ]
    assert len(loaded.positions) == 2
    assert loaded.known("4k4/9/9/9/9/9/9/9/4K4 b P 1") == []


def test_what_is_written_is_read_again(book, tmp_path):
    loaded, other = Book.load(book), tmp_path / "other.db"
    other.write_text(loaded.text())
    assert Book.load(other).positions == loaded.positions
    assert other.read_text().startswith("#YANEURAOU-DB2016 1.00\nsfen ")


def test_the_move_number_and_the_order_of_hands_do_not_matter():
    assert position_key("4k4/9/9/9/9/9/9/9/4K4 b pRB2P 1") == position_key("4k4/9/9/9/9/9/9/9/4K4 b RB2Pp 77")
    assert position_key("4k4/9/9/9/9/9/9/9/4K4 b - 1") != position_key("4k4/9/9/9/9/9/9/9/4K4 w - 1")
    for text in ("", "startpos", "4k4/9 b - 1", "4k4/9/9/9/9/9/9/9/4K4 x - 1"):
        with pytest.raises(ValueError, match="no sfen"):
            position_key(text)


def test_a_position_turned_around_has_its_moves_turned_around(book):
    loaded = Book.load(book)
    assert loaded.known(AFTER_7G7F) == [BookMove("8c8d", "2g2f", -10, 9)]
    assert loaded.known(AFTER_7G7F, flipped=False) == []


def test_turning_is_its_own_inverse_and_agrees_with_another_program():
    rng, board = random.Random(3), shogi.Board()
    for _ in range(120):
        move = rng.choice(list(board.legal_moves))
        key, text = position_key(board.sfen()), move.usi()
        assert flipped_key(flipped_key(key)) == key and flipped_move(flipped_move(text)) == text
        other = shogi.Board(f"{flipped_key(key)} 1")
        assert {flipped_move(each.usi()) for each in board.legal_moves} == {each.usi() for each in other.legal_moves}
        board.push(move)
        if board.is_game_over():
            break


@pytest.mark.parametrize(
    ("lines", "wanted", "ply"),
    [
        ([f"sfen {START}", "7g7f none 10 1 1", f"sfen {START[:-1]}3", "2g2f none 20 1 1"], ["7g7f"], False),
        ([f"sfen {START}", "7g7f none 10 9 1", "7g7f none 30 2 5", "2g2f none 20 9 1"], ["2g2f", "7g7f"], True),
        ([f"sfen {START}", "7g7f none 10 9 1", f"SFEN {AFTER_7G7F}", "9g9f none 99 9 1"], ["7g7f"], True),
        ([f"sfen {START}", "7g7f none 10 9 1", f"position sfen {AFTER_7G7F}", "9g9f none 99 9 1"], ["7g7f"], True),
        ([f"sfen {START}", "7g7f none 10 9 1", "position startpos moves 7g7f", "9g9f"], ["7g7f"], True),
        ([f"sfen {START}", "7g7f none 10 9 1", AFTER_7G7F, "9g9f none 99 9 1"], ["7g7f"], True),
        ([f"sfen\t{START}", "7g7f none 10 9 1"], ["7g7f"], True),
        (["# 表", f"sfen {START}", "7g7f none 10 9 1 // ソ"], ["7g7f"], True),
    ],
)
def test_a_move_belongs_to_its_position_and_ply_and_is_there_once(tmp_path, lines, wanted, ply):
    path = tmp_path / "odd.db"
    path.write_bytes("\n".join(lines).encode("cp932"))
    assert [each.move for each in Book.load(path).known(START, any_ply=ply)] == wanted


def test_depths_and_counts_below_zero_are_none(tmp_path):
    path = tmp_path / "below.db"
    path.write_text(f"sfen {START}\n7g7f none 10 -1 -1\n")
    known = Book.load(path).known(START)
    assert choose(known, ["7g7f"], random.Random(1)) == BookMove("7g7f", "", 10)


def test_the_choice_goes_by_value_and_count(book):
    loaded, rng = Book.load(book), random.Random(1)
    legal = ["7g7f", "2g2f", "9g9f"]
    seen = Counter(choose(loaded.known(START), legal, rng).move for _ in range(400))
    assert set(seen) == {"7g7f", "2g2f"}  # 9g9f is worth 50 less
    assert 250 < seen["7g7f"] < 350  # three times as often
    assert {choose(loaded.known(START), legal, rng, best=1).move for _ in range(20)} == {"7g7f"}
    assert {choose(loaded.known(START), legal, rng, margin=0).move for _ in range(20)} == {"7g7f"}
    assert choose(loaded.known(START), ["9g9f"], rng).move == "9g9f"
    assert choose(loaded.known(START), [], rng) is None
    assert choose(loaded.known(AFTER_7G7F), legal, rng) is None  # 8c8d is not said to be legal


def test_moves_that_were_never_played_are_taken_if_none_was():
    rng, legal = random.Random(1), ["7g7f", "2g2f", "9g9f"]
    known = [BookMove("9g9f", "", 20, 5, 0), BookMove("7g7f", "", 10, 5, 3), BookMove("2g2f", "", 10, 5, 1)]
    assert {choose(known, legal, rng).move for _ in range(60)} == {"7g7f", "2g2f"}
    assert {choose(known, legal, rng, margin=5).move for _ in range(20)} == {"9g9f"}
    assert {choose(known, ["9g9f"], rng).move for _ in range(20)} == {"9g9f"}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "no position"),
        (b"#YANEURAOU-DB2016 1.00\n", "no position"),
        (b"7g7f none 0 0 0\n", "line 1"),
        (b"sfen lnsgkg b - 1\n", "line 1: no sfen"),
        (b"\xff\xfea\xd8\x81", "not a text file"),
        (None, "No such file"),
    ],
)
def test_a_broken_book_says_what_is_wrong(tmp_path, content, fault):
    path = tmp_path / "broken.db"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BookError, match=fault) as failure:
        Book.load(path)
    assert "\n" not in str(failure.value)


def test_loading_makes_no_moves_of_a_usual_file(book, tmp_path, monkeypatch):
    """A book of a million positions is looked up a few dozen times: its moves are read then."""
    usual = tmp_path / "usual.db"
    usual.write_text(Book.load(book).text())
    made = []
    monkeypatch.setattr(shogi_book, "BookMove", lambda *words: made.append(words) or BookMove(*words))
    loaded = Book.load(usual)
    assert made == [] and len(loaded) == 2
    assert len(loaded.known(START)) == len(made) == 3
    made.clear()
    assert Book.load(SHIPPED).known(START) and 0 < len(made) < 20


def test_files_that_are_not_as_usual_are_read_as_well(book, tmp_path, monkeypatch):
    """End of lines, blanks, comments, hands in any order, a position twice; however a file is cut into blocks."""
    bare, other = "4k4/9/9/9/9/9/9/9/4K4 b", tmp_path / "other.db"
    text = TEXT + f"sfen {bare} p2RB 5\n5i5h none 7 8 9\n\n   \n  sfen {bare} 2RBp\n5i4h none 3 2 1\n// the end\n"
    other.write_bytes(("\ufeff" + text).replace("\n", "\r\n").encode())
    whole = Book.load(other).positions
    assert len(whole) == 3 and [each.move for each in Book.load(other).known(f"{bare} pB2R 1")] == ["5i5h", "5i4h"]
    for number, known in ((5, ["5i5h"]), (1, ["5i4h"]), (2, [])):  # those that the file has for it
        found = Book.load(other).known(f"{bare} 2RBp {number}", any_ply=False)
        assert [each.move for each in found] == known
    for size in (1, 7, 64, 100):
        monkeypatch.setattr(shogi_book, "BLOCK", size)
        assert Book.load(other).positions == whole
        broken = tmp_path / "broken.db"
        broken.write_text(TEXT + "sfen x b - 1\n2g2f none 9 9 9\n" + TEXT.replace("- 7", "- 8"))
        found = Book.load(broken)
        assert len(found) == 2 and found.notes == ["line 10: no sfen: 'sfen x b - 1'"]
        assert Counter(each.move for each in found.positions[position_key(START)]) == {"7g7f": 2, "2g2f": 2, "9g9f": 2}


FIELDS = [
    ("7g7f none none none 5", BookMove("7g7f", count=5)),  # as ShogiHome writes
    ("7g7f 3c3d 30 none 5", BookMove("7g7f", "3c3d", 30, 0, 5)),
    ("7g7f 3c3d 30 32 // 53.1%", BookMove("7g7f", "3c3d", 30, 32)),
    ("7g7f 3c3d 12.5 32 1", BookMove("7g7f", "3c3d", None, 32, 1)),
    ("7g7f 3c3d -30 32 many", BookMove("7g7f", "3c3d", -30, 32)),
    ("7g7f # 1 2 3", BookMove("7g7f")),
    ("7g7f 3c3d +5 5 5 5 5", BookMove("7g7f", "3c3d", 5, 5, 5)),
    ("7g7f none 1" + 5000 * "0" + " 2 3", BookMove("7g7f", "", None, 2, 3)),
]


@pytest.mark.parametrize(("line", "move"), FIELDS)
def test_a_field_that_is_no_whole_number_gives_nothing(tmp_path, line, move):
    path = tmp_path / "book.db"
    path.write_text(f"#YANEURAOU-DB2016 1.00\nsfen {START} // 53.1%\n{line}\n2g2f 8c8d 30 10 3\n")
    book = Book.load(path)
    assert sorted(book.known(START), key=lambda each: each.move) == [BookMove("2g2f", "8c8d", 30, 10, 3), move]
    assert not book.notes and len(book) == 1
    path.write_text(book.text())
    assert set(Book.load(path).known(START)) == {BookMove("2g2f", "8c8d", 30, 10, 3), move}


def test_a_line_that_means_nothing_costs_only_itself(tmp_path, capsys):
    path = tmp_path / "book.db"
    path.write_text(f"#YANEURAOU-DB2016 1.00\nsfen {START}\n7z7f none 1 2 3\nresign\n2g2f 8c8d none 10 3\n")
    assert Book.load(path).known(START) == [BookMove("2g2f", "8c8d", None, 10, 3)]
    assert main(["book", "shogi", "show", "--book", str(path)]) == 0
    told = capsys.readouterr()
    notes = ["line 3: no move: '7z7f none 1 2 3'", "line 4: no move: 'resign'"]
    assert told.err.splitlines() == [f"{path}: {note}" for note in notes]
    assert told.out.splitlines()[1] == "2g2f       depth 10  then 8c8d"
    with Process(FAKE, FAKE_DEPTH="3") as engine:
        engine.ready(*use(path))
        assert next(line for line in engine.seen if line.startswith("info string book")) == (
            f"info string book: line 3: no move: '7z7f none 1 2 3'; BookFile {path}"
        )
        assert answer(engine, "startpos", "go movetime 50")[-1] == "bestmove 2g2f ponder 8c8d"


def use(path):
    return ["setoption name USI_OwnBook value true", f"setoption name BookFile value {path}"]


def answer(engine, position, go):
    engine.send(f"position {position}", go)
    return engine.until("bestmove")


def test_the_engine_plays_from_its_book_by_the_clock_and_thinks_otherwise(book):
    with Process(FAKE, FAKE_DEPTH="3") as engine:
        engine.ready(*use(book), "setoption name BookMoves value 1")
        for go in ("go btime 1000 wtime 1000 byoyomi 100", "go movetime 100", "go btime 0 wtime 0 binc 9 winc 9"):
            lines = answer(engine, "startpos", go)
            assert lines[-1] == "bestmove 7g7f ponder 3c3d"
            assert any("score cp 50" in line and line.endswith("pv 7g7f 3c3d") for line in lines)
        assert answer(engine, "startpos moves 7g7f", "go movetime 50")[-1] == "bestmove 8c8d ponder 2g2f"
        for go in ("go depth 2", "go nodes 100", "go movetime 50 searchmoves 1g1f"):
            assert not any("book" in line for line in answer(engine, "startpos", go))
        assert not any("book" in line for line in answer(engine, "startpos moves 7g7f 9c9d", "go movetime 50"))


def test_an_answer_from_the_book_comes_after_a_moment(book, monkeypatch):
    """An adapter for XBoard loses one that comes at once."""
    slept, written = [], []
    monkeypatch.setattr("usi.loop.time.sleep", slept.append)
    script = [*use(book), "position startpos", "go btime 1000 wtime 1000 byoyomi 100"]
    front_end = Loop(UsiOutput(written.append, lambda: None), load=FakeEngine, leave=lambda status: None)
    front_end.run(line.encode() for line in script)
    assert slept[-1] == BOOK_PAUSE and b"".join(written).splitlines()[-1].startswith(b"bestmove ")


def test_a_book_position_shows_as_many_lines_as_asked_for(book):
    with Process(FAKE, FAKE_DEPTH="3") as engine:
        engine.ready(*use(book), "setoption name BookMoves value 1", "setoption name MultiPV value 4")
        lines = [line for line in answer(engine, "startpos", "go movetime 100") if line.startswith("info depth")]
        known = Book.load(book).known(START)
        assert len(lines) == len(known) == 3
        for place, (line, move) in enumerate(zip(lines, known, strict=True), 1):
            assert f" multipv {place} score cp {move.worth} " in line and f" pv {move.move}" in line
        engine.send("setoption name MultiPV value 2")
        assert sum(" multipv " in line for line in answer(engine, "startpos", "go movetime 100")) == 2


def test_a_beginner_plays_no_book(book):
    with Process(FAKE, FAKE_DEPTH="3") as engine:
        engine.ready(*use(book))
        for level, known in ((0, False), (3, False), (4, True), (20, True)):
            engine.send(f"setoption name SkillLevel value {level}")
            assert any("book" in line for line in answer(engine, "startpos", "go movetime 50")) == known


def test_the_book_is_left_aside_as_often_as_asked(book):
    with Process(FAKE, FAKE_DEPTH="3") as engine:
        engine.ready(*use(book), "setoption name BookIgnoreRate value 100")
        assert not any("book" in line for line in answer(engine, "startpos", "go movetime 50"))
        engine.send("setoption name BookIgnoreRate value 50")
        found = [any("book" in line for line in answer(engine, "startpos", "go movetime 1")) for _ in range(30)]
        assert 3 < sum(found) < 27


def test_the_move_number_counts_if_it_is_not_ignored(book):
    there = "sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -"
    assert Book.load(book).known(f"{there.removeprefix('sfen ')} 7", any_ply=False)
    assert not Book.load(book).known(f"{there.removeprefix('sfen ')} 8", any_ply=False)
    with Process(FAKE, FAKE_DEPTH="3") as engine:
        engine.ready(*use(book), "setoption name IgnoreBookPly value false")
        for number, known in ((7, True), (9, False)):
            lines = answer(engine, f"{there} {number}", "go movetime 50")
            assert any("book move" in line for line in lines) == known


def test_a_book_move_found_while_pondering_waits(book):
    with Process(FAKE) as engine:
        engine.ready(*use(book), "setoption name BookMoves value 1")
        engine.send("position startpos", "go ponder btime 1000 wtime 1000 byoyomi 100")
        assert not any(line.startswith("bestmove") for line in engine.silent(0.3))
        engine.send("ponderhit")
        assert engine.until("bestmove")[-1] == "bestmove 7g7f ponder 3c3d"


def test_the_shipped_book_is_used_unless_told_otherwise(book):
    with Process(FAKE, FAKE_DEPTH="3", FAKE_BOOK="1") as engine:
        engine.send("usi", "isready")
        engine.until("readyok")
        assert any("book move" in line for line in answer(engine, "startpos", "go movetime 50"))
    off, analysis = "setoption name USI_OwnBook value false", "setoption name ConsiderationMode value true"
    for options in (use("no_book"), [*use(book), off], [*use(book), analysis]):
        with Process(FAKE, FAKE_DEPTH="3") as engine:
            engine.ready(*options)
            assert not any("book" in line for line in answer(engine, "startpos", "go movetime 50"))


def test_a_book_that_can_not_be_read_is_reported_once_and_play_goes_on(tmp_path):
    with Process(FAKE, FAKE_DEPTH="3") as engine:
        engine.ready(*use(tmp_path / "missing.db"))
        assert sum("no book: No such file" in line for line in engine.seen) == 1
        assert answer(engine, "startpos", "go movetime 50")[-1].startswith("bestmove ")
        assert sum("no book: No such file" in line for line in engine.seen) == 1


def test_parameters_are_set_by_options_nobody_sees():
    with Process(FAKE, FAKE_DEPTH="3") as engine:
        engine.ready("setoption name param.futility_margin value 77")
        assert not any("param" in line for line in engine.seen)
        assert any("score cp 77" in line for line in answer(engine, "startpos", "go depth 1"))
        engine.send("setoption name param.nothing value 1", "isready")
        assert any("there is no parameter" in line for line in engine.until("readyok"))


def test_usi_and_the_other_front_ends_allow_the_same_loss():
    (option,) = (each for each in OPTIONS if each.name == "BookEvalDiff")
    assert option.default == Book.margin


def test_the_shipped_book_is_found_and_every_move_in_it_is_legal():
    assert located("book.db") == SHIPPED and open_book("book.db") is open_book(None)
    shipped = Book.load(SHIPPED)
    assert 300 <= len(shipped) <= 30_000
    assert SHIPPED.stat().st_size < 4 << 20
    assert shipped.known(START)
    positions = list(shipped.positions.items())
    for key, moves in positions[:: max(len(positions) // 1500, 1)]:  # the other program takes a while
        board = shogi.Board(f"{key} 1")
        legal = {move.usi() for move in board.legal_moves}
        assert moves and len({each.move for each in moves}) == len(moves)
        for each in moves:
            assert each.move in legal and abs(each.value) < 3000  # some answer a blunder on a given line


def test_the_shipped_book_opens_as_strong_players_do():
    rng, board = random.Random(7), shogi.Board()
    first = Counter(chosen(board, rng) for _ in range(200))
    assert set(first) <= {"7g7f", "2g2f", "5g5f"} and first["7g7f"] > 100
    for move in first:
        board = shogi.Board()
        board.push_usi(move)
        assert {chosen(board, rng) for _ in range(50)} <= {"3c3d", "8c8d", "5c5d"}


def chosen(board, rng):
    """Return a move of the shipped book, of those that python-shogi finds legal."""
    return choose(shogi_book.shipped().known(board.sfen()), [move.usi() for move in board.legal_moves], rng).move
