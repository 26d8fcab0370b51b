"""What pieces are worth: against an evaluation by hand, whose weights are known, and as a table."""

import re

from shogi_engine.games.shogi.names import piece_worths, worth_table

WORTHS = {"p": 90, "+p": 420, "r": 990, "b": 855, "g": 540}
SFEN = "4k4/9/9/4p4/9/4+P4/9/4R4/4K4 w 2Bg3p 7"


def value_of(sfen):
    """Return the material for the side to move, pieces in hand at 10 more. Raises ValueError without a rook."""
    board, side, hands, number = sfen.split()
    rows = [re.findall(r"\+?[A-Za-z]|\d", row) for row in board.split("/")]
    assert number == "7" and all(sum(int(each) if each.isdigit() else 1 for each in row) == 9 for row in rows)
    if "R" not in board:
        raise ValueError("no rook")
    total = 0
    for piece in re.findall(r"\+?[A-Za-z]", board):
        total += WORTHS.get(piece.lower(), 0) * (1 if piece.isupper() else -1)
    for count, piece in re.findall(r"(\d*)([A-Za-z])", hands):
        total += int(count or 1) * (WORTHS[piece.lower()] + 10) * (1 if piece.isupper() else -1)
    return total if side == "b" else -total


def test_each_piece_is_left_out_in_turn():
    found = list(piece_worths(SFEN, value_of))
    assert found == [
        ("5d", "p", 90), ("5f", "+P", 420), ("5h", "R", None), ("hand", "B", 865), ("hand", "g", 550),
        ("hand", "p", 100),
    ]  # fmt: skip


def test_the_last_piece_of_a_hand():
    assert list(piece_worths("4k4/9/9/9/9/9/9/4R4/4K4 b 2p 7", value_of))[1:] == [("hand", "p", 100)]
    assert list(piece_worths("4k4/9/9/9/9/9/9/4R4/4K4 b p 7", value_of))[1:] == [("hand", "p", 100)]


def test_the_table():
    lines = worth_table(SFEN, value_of)
    assert len(lines) == 11 and lines[0].split() == list("987654321") and lines[-1] == "in hand: B 865, g 550, p 100"
    assert [line[-1] for line in lines[1:10]] == list("abcdefghi")
    assert lines[4].split() == [".", ".", ".", ".", "p", "90", ".", ".", ".", ".", "d"]
    assert lines[6].split()[4:6] == ["+P", "420"] and lines[8].split()[4:6] == ["R", "?"]
    assert not any("hand" in line for line in worth_table("4k4/9/9/9/9/9/9/4R4/4K4 b - 7", value_of))
