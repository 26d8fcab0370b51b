"""Lines of moves checked against a board."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Move = TypeVar("Move")


def legal_line(texts: Iterable[str], board: Any, parse: Callable[[str], Move]) -> tuple[Move, ...]:
    """Return the moves of a line from the position on `board`, up to the first illegal move.

    Args:
        board: is unchanged on return
        parse: returns the board's move of a text; raises ValueError
    """
    moves: list[Move] = []
    for text in texts:
        try:
            move = parse(text)
            board.push(move)
        except ValueError:
            break
        moves.append(move)
    for _ in moves:
        board.pop()
    return tuple(moves)
