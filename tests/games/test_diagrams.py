"""Diagrams as in books: read back, they are the positions of the oracles. PNG."""

import random
import sys
import xml.etree.ElementTree as ElementTree
import zlib

import pytest

from shogi_engine.games.othello.board import Board as OthelloBoard
from shogi_engine.games.shogi.board import BLACK, Board, Piece
from shogi_engine.games.shogi.board.drawing import SETS, printed_shape
from shogi_engine.games.svg import BOOK, png
from tests.support.printed import othello_position, shogi_position

shogi = pytest.importorskip("shogi", reason="python-shogi is not installed")
GREYS = {"#000", "#fff", "#ccc", "#221a10", "none"}


def random_games(seed, make, count=12):
    rng = random.Random(seed)
    for _ in range(count):
        board = make()
        for _ in range(rng.randrange(1, 60 if make is OthelloBoard else 160)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        yield board


def test_a_printed_shogi_diagram_read_back_is_the_position():
    for board in random_games(5, Board):
        oracle = shogi.Board()
        for move in board.move_stack:
            oracle.push_usi(str(move))
        assert shogi_position(board.svg(style=BOOK)) == tuple(oracle.sfen().split()[:3])


def test_a_printed_othello_diagram_read_back_is_the_position():
    for board in random_games(6, OthelloBoard):
        cells, side = othello_position(board.svg(style=BOOK))
        assert f"{cells} {side}" == board.obf().rstrip(";")
        marked = [each for each in ElementTree.fromstring(board.svg(style=BOOK)).iter() if each.get("r") == "5"]
        assert len(marked) == (str(board.move_stack[-1]) != "pass")


def inks(svg):
    """Return the colours of a picture."""
    root = ElementTree.fromstring(svg)
    return {each.get(name) for each in root.iter() for name in ("fill", "stroke") if each.get(name)}


@pytest.mark.parametrize("pieces", SETS)
def test_a_printed_diagram_is_black_and_white(pieces):
    for board in random_games(7, Board, 4):
        assert inks(board.svg(style=BOOK, pieces=pieces)) <= GREYS
        assert "#f3d5a0" in inks(board.svg(pieces=pieces))
    for board in random_games(8, OthelloBoard, 4):
        assert inks(board.svg(style=BOOK)) <= GREYS and "#2f7d4f" in inks(board.svg())


def test_the_last_move_of_a_printed_diagram_is_grey():
    board = Board()
    assert "#ccc" not in board.svg(style=BOOK)
    board.push_usi("7g7f")
    (square,) = (each for each in ElementTree.fromstring(board.svg(style=BOOK)).iter() if each.get("fill") == "#ccc")
    assert (square.get("x"), square.get("y")) == ("194", "274")  # 7f alone, not 7g


def test_printed_pieces_of_a_set_differ():
    for pieces in SETS:
        assert len({printed_shape(Piece(kind, BLACK), pieces) for kind in range(1, 15)}) == 14


def pixels(data):
    """Return the width, the height, and the rows of an RGBA image without their filters."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, found = 8, b""
    while at < len(data):
        size, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
        found += body if kind == b"IDAT" else b""
        at += size + 12
    return width, height, zlib.decompress(found)


def test_a_png_has_the_size_that_is_asked_for():
    pytest.importorskip("resvg_py")
    for board in (Board(), OthelloBoard()):
        picture = board.svg(style=BOOK)
        _, _, width, height = map(int, ElementTree.fromstring(picture).get("viewBox").split())
        for zoom in (1, 2):
            drawn = pixels(png(picture, zoom))
            assert drawn[:2] == (zoom * width, zoom * height) and len(set(drawn[2])) > 20


def test_without_the_package_png_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ValueError, match="pip install resvg-py"):
        png(Board().svg())
