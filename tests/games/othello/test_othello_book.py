"""The opening book: lines, the eight images of a position, refusals, and what is shipped."""

import gzip

import pytest

from shogi_engine.games.othello import GAME, book
from shogi_engine.games.othello.bitboard import transform, transform_square
from shogi_engine.games.othello.book import canonical_key
from shogi_engine.games.othello.endgame.solver import after
from shogi_engine.games.othello.notation import format_obf, legal_moves, parse_obf
from shogi_engine.games.othello.types import DISC_MOVE, move_square
from tests.support.games.tictactoe import GAME as TIC_TAC_TOE
from tests.support.text_engine import TextEngine

LINE = "------------------O-OX----XOOX---XXXOX----XOOO------------------ X; c2:+0.4; f2:-1.2"


def test_round_trip():
    position, moves = book.parse_line(LINE)
    assert [value for _, value in moves] == [40, -120]
    assert book.format_line(position, moves) == LINE


def test_images(tmp_path):
    """The book knows the eight images of each of its positions, and the image of each move."""
    path = tmp_path / "book.txt"
    path.write_text("% a comment\n\n" + LINE + "\n")
    read = book.read(path)
    position, moves = book.parse_line(LINE)
    for symmetry in range(8):
        image = position.copy()
        image.own, image.opponent = transform(position.own, symmetry), transform(position.opponent, symmetry)
        found = {move_square(move): value for move, value in read.moves(image)}
        assert found == {transform_square(move_square(move), symmetry): value for move, value in moves}
        assert {move for move, _ in read.moves(image)} <= set(legal_moves(image))
    assert read.moves(parse_obf(GAME.start)) == []


@pytest.mark.parametrize(
    "line", ["garbage", LINE.replace("c2", "a1"), LINE.replace("+0.4", "much"), LINE.replace(":", " "), LINE + "; x"]
)
def test_refusals(tmp_path, line):
    path = tmp_path / "book.txt"
    path.write_text("% a comment\n" + line + "\n")
    with pytest.raises(ValueError, match="line 2") as fault:
        book.read(path)
    assert "\n" not in str(fault.value)


def test_lines_as_written_and_lines_by_hand_are_the_same(tmp_path, monkeypatch):
    """Many lines at once and one at a time; of those as they are written no move is made before it is looked up."""
    position, moves = book.parse_line(LINE)
    spaced = LINE.replace("O", "o").replace("; ", " ;  ").replace("+0.4", "0.4")
    for symmetry in range(8):
        image = position.copy()
        image.own, image.opponent = transform(position.own, symmetry), transform(position.opponent, symmetry)
        turned = [(DISC_MOVE | transform_square(move_square(move), symmetry), value) for move, value in moves]
        path = tmp_path / f"{symmetry}.txt"
        path.write_text(f"% a comment\n{book.format_line(image, turned)}\n")
        assert book.read(path).moves(position) == moves
    (tmp_path / "spaced.txt").write_text(spaced + "\n")
    assert book.read(tmp_path / "spaced.txt").moves(position) == moves
    monkeypatch.setattr(book, "_split_moves", lambda fields: pytest.fail("a move was made"))
    assert len(book.read(book.SHIPPED)) > 100


def test_lines_of_one_position_add_their_moves(tmp_path):
    """Also a line of another image, and one with a comment in another encoding; a move has its first value."""
    path, start = tmp_path / "again.txt", GAME.start
    after_f5, after_d3 = (format_obf(after(parse_obf(start), legal)) for legal in legal_moves(parse_obf(start))[2::-2])
    lines = [f"{start}; c4:+0.3; c4:-1.0", f"{start}; d3:+0.1; c4:+0.9", f"{start};f5:-2; % 表"]
    lines += [f"{after_f5}; f6:+1.0", f"{after_d3}; e3:-1.0", f"{after_d3}; c3:+7.0"]
    path.write_bytes("\n".join(lines).encode("cp932"))
    read = book.read(path)
    assert [(each.move, each.value) for each in read.known(start)] == [("c4", 30), ("d3", 10), ("f5", -200)]
    assert [(each.move, each.value) for each in read.known(after_f5)] == [("f6", 100), ("f4", -100)]


@pytest.mark.parametrize("text", ["", "% a comment\n"])
def test_a_book_without_positions_is_none(tmp_path, text):
    (tmp_path / "none.txt").write_text(text)
    with pytest.raises(ValueError, match="no position"):
        book.read(tmp_path / "none.txt")


def test_packed_books(tmp_path):
    packed = gzip.compress(f"% a comment\n{LINE}\n".encode())
    path = tmp_path / "book.txt.gz"
    path.write_bytes(packed)
    position, moves = book.parse_line(LINE)
    assert book.read(path).moves(position) == moves
    for damaged in (packed[:-12], b"text", packed[:12] + b"?" + packed[13:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="damaged"):
            book.read(path)


def test_passes_are_moves(tmp_path):
    line = "-XOOOOOO" + "-" * 56 + " X; pass:-2.0"
    assert book.format_line(*book.parse_line(line)) == line
    (tmp_path / "book.txt").write_text(line + "\n")
    read = book.read(tmp_path / "book.txt")
    assert [(each.move, each.value) for each in read.known(line.partition(";")[0])] == [("pass", -200)]


def test_what_is_shipped():
    shipped = book.read(book.SHIPPED)
    assert len(shipped.entries) >= 50_000 and book.SHIPPED.stat().st_size < 3 << 20
    assert sum(map(len, shipped.entries.values())) > 2.5 * len(shipped.entries)
    assert all(moves and moves == sorted(moves, key=lambda each: -each[1]) for moves in shipped.entries.values())


@pytest.mark.parametrize(("loss", "plies"), [(0, 16), (100, 10), (200, 10), (300, 9), (400, 7)])
def test_the_shipped_book_answers_moves_that_are_not_the_best(loss, plies):
    """One side plays a best move of the book, the other any that is worth so much less, in hundredths of a disc."""
    shipped, start = book.shipped(), parse_obf(GAME.start)
    for answering in (0, 1):
        positions = {canonical_key(start)[0]: start}
        for ply in range(plies):
            reached = {}
            for position in positions.values():
                moves = shipped.moves(position)
                assert moves, (ply, format_obf(position))
                least = moves[0][1] - (0 if ply % 2 == answering else loss)
                for move, value in moves:
                    if value >= least:
                        child = after(position, move)
                        reached[canonical_key(child)[0]] = child
            positions = reached


def test_book_moves_in_the_engine():
    with TextEngine("othello", hash_mb=1) as engine:
        first = engine.book_move()
        assert first in engine.legal_moves()
        engine.set_position(moves=[first])
        assert engine.book_move() in engine.legal_moves()
        engine.set_position("--OOO-----XOXX----XXOX-----XXO---OOXXXXX--OX-XX---XXO----------- X")
        assert engine.book_move() == ""
    with TextEngine(TIC_TAC_TOE, hash_mb=1) as engine:
        assert engine.book_move() == ""
