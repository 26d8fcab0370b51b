"""Why a move was bad: facts of Othello's board."""

from collections.abc import Iterator, Sequence
from typing import Any

from shogi_engine.games.othello.notation import PASS_NAME
from shogi_engine.types.fact import Fact, Kind

CORNERS = ("a1", "h1", "a8", "h8")
FEW = 3  # moves, and how many more there would be after the better move
MANY_MORE = 5  # replies than after the better move


def facts(board: Any, move: str, better: Sequence[str], replies: Sequence[str], **_mates: Any) -> Iterator[Fact]:
    """Yield facts about a bad move, the gravest first.

    Args:
        better: the best line from the position before the move
        replies: the best line from the position after it
    """
    line = (move, *replies[:1])
    spared = _discs(board, better[:1])
    if len(line) == 2 and line[1] in CORNERS and line[1] not in spared:
        yield Fact(Kind.CORNER_GIVEN, line, line[1])
    if len(line) == len(better[:2]) == 2 and PASS_NAME not in (line[1], better[1]):
        left, others = len(_discs(board, line)), len(_discs(board, better[:2]))
        if left <= FEW and others - left >= FEW:
            yield Fact(Kind.FEW_MOVES, line, number=left, other=others)
    if (given := len(_discs(board, line[:1]))) - len(spared) >= MANY_MORE:
        yield Fact(Kind.MOVES_GIVEN, line[:1], number=given, other=len(spared))


def _discs(board: Any, line: Sequence[str]) -> list[str]:
    """Return where a disc can be placed after a line."""
    for move in line:
        board.push_text(move)
    found = [str(move) for move in board.legal_moves if str(move) != PASS_NAME]
    for _ in line:
        board.pop()
    return found


def square_text(name: str, language: str) -> str:
    """Return the name of a square."""
    return name
