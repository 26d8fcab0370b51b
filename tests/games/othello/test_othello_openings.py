"""Openings are named: lines of Robert Gatliff's catalogue, which begins with c4, by their positions."""

import re

import pytest

from shogi_engine import analysis, games
from shogi_engine.games.othello.board import Board
from shogi_engine.games.othello.openings import _names, even_opening, even_starts

# Each line of the table begins with f5 and is legal; these are turned around, so that they are no copies of it.
CATALOGUE = """
C4c3 Diagonal
C4c5 Parallel
C4e3 Perpendicular
C4c3D3c5B2 X-Square
C4c3D3c5B3 Snake
C4c3D3c5B4 Heath
C4c3D3c5B4d2D6 Heath-Bat
C4c3D3c5B5 Raccoon Dog
C4c3D3c5B6c6B5 Hamilton
C4c3D3c5D6 Cow
C4c3D3c5D6e3 Chimney
C4c3D3c5D6f4B4 Bat
C4c3D3c5D6f4F5d2B5 Aircraft
C4c3D3c5D6f4F5e6F6 Landau
C4c3D3c5F6 Buffalo
C4c3D3c5F6e3C6 Tanida Buffalo
C4e3F4c5D6f3D3 Inoue
C4e3F4c5D6f3D3c3 Iago
C4e3F4c5D6f3E6c3D3e2 Rose
C4e3F4c5D6f3E6c3D3e2B5f5B3 Murakami Variation
C4e3F4c5E6 Horse
C4e3F5b4F3 Swallow
C4e3F5e6F4 Cat
C4e3F5e6F4c5D6c6F7f3 Sakaguchi
C4e3F6b4 Bent Ganglion
C4e3F6e6F5 Tiger
C4e3F6e6F5c5C3 Stephenson
C4e3F6e6F5c5C3b4 No-Kung
C4e3F6e6F5c5C3c6 Comp'Oth
C4e3F6e6F5c5C3c6D3d2E2b3C1c2B4a3A5b5A6a4A2 F.A.T. Draw
C4e3F6e6F5c5F4g6F7g5 Central Rose-Bill
""".strip().splitlines()


def named(transcript):
    """Return the opening in English and the ply at which it stands, None for none."""
    names = games.opening_names(Board.from_transcript(transcript).record())
    assert names.castles == ([], []) and names.openings[0] == names.openings[1]
    (found,) = names.openings[0] or [None]
    return found and (found.name.english, found.ply)


def test_even_starts():
    """They are legal, of eight moves each, and lead to as many positions."""
    boards = [Board.from_transcript("".join(each)) for each in even_starts()]
    assert len(boards) == 512 == len({board.canonical().obf() for board in boards})
    assert {(len(board.move_stack), board.count(0) + board.count(1)) for board in boards} == {(8, 12)}
    assert even_opening(Board.from_transcript("".join(even_starts()[7])).record()) == even_starts()[7]
    assert even_opening(Board.from_transcript("f5d6c3d3c4f4f6f3e6").record()) == ()


@pytest.mark.parametrize("line", CATALOGUE)
def test_the_catalogue(line):
    moves, name = line.split(" ", 1)
    assert named(moves.lower()) == (name, len(moves) // 2)


def test_moves_in_another_order_and_what_has_no_name():
    assert named("f5d6c3d3c4f4f6") == named("f5d6c3f4f6d3c4") == ("Stephenson", 7)
    assert named("f5d6c4d3c3b5") == ("Tiger", 5)  # a move that leaves it
    assert named("f5") is None


def test_names_are_unique_and_ascii():
    names = list(_names().values())
    assert len(names) == len({name.id for name in names}) == len({name.japanese for name in names}) > 70
    assert all(re.fullmatch("[a-z0-9_]+", name.id) and name.english.isascii() for name in names)
    assert not any(name.japanese.isascii() for name in names)


def test_an_analysis_names_them():
    game = analysis.analyse(Board.from_transcript("f5d6c3d3c4").record(), depth=1)
    assert "black: Tiger (5)" in analysis.game_table(game).splitlines()
    assert analysis.annotated(game, "ja").headers["opening"] == "虎定石"
