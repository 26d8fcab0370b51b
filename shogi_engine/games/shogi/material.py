"""Exchanges by legal moves alone, with the moves: slower than `see`, but right about pins, checks and promotions."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from shogi_engine.games.shogi.params import VALUES
from shogi_engine.games.shogi.symbols import SYMBOLS
from shogi_engine.games.shogi.types import PROMOTED, UNPROMOTED

# By kind, in centipawns: what a capture changes, off the board and into the hand, as `see.exchange_value` has it.
WORTH = tuple(value + VALUES[int(UNPROMOTED[kind])] for kind, value in enumerate(VALUES))
BY_SYMBOL = dict(zip(SYMBOLS, WORTH, strict=True))


@contextmanager
def after(board: Any, moves: Iterable[Any]) -> Iterator[None]:
    """Have made legal moves on a Board inside the `with` block."""
    made = 0
    try:
        for move in moves:
            board.push(move)
            made += 1
        yield
    finally:
        for _ in range(made):
            board.pop()


def captured(board: Any, move: Any) -> int:
    """Return the kind of piece that a legal move captures, 0 for none."""
    return 0 if move.from_square is None else int(board.piece_type_at(move.to_square))


def _gain(board: Any, move: Any) -> int:
    """Return what a capture gains at once: the piece, and the worth of its own promotion."""
    kind = board.piece_type_at(move.from_square)
    promoted = VALUES[int(PROMOTED[kind])] - VALUES[kind] if move.promotion else 0
    return WORTH[captured(board, move)] + promoted


def captures(board: Any, square: int | None = None) -> list[Any]:
    """Return the legal captures, optionally only those on a square."""
    moves = (move for move in board.legal_moves if square in (None, move.to_square))
    return [move for move in moves if captured(board, move)]


def exchange(board: Any, square: int) -> tuple[int, tuple[Any, ...]]:
    """Return what the side to move gains by captures on `square`, at least 0, and the best captures of both sides."""
    best, line = 0, ()
    for move in sorted(captures(board, square), key=lambda move: WORTH[board.piece_type_at(move.from_square)]):
        gain = _gain(board, move)
        if gain <= best:  # no reply makes it better
            continue
        with after(board, [move]):
            lost, replies = exchange(board, square)
        if gain - lost > best:
            best, line = gain - lost, (move, *replies)
    return best, line


def exchange_by(board: Any, capture: Any) -> tuple[Any, ...]:
    """Return the exchange that begins with a legal capture: the capture, and the best captures of both sides."""
    with after(board, [capture]):
        _, replies = exchange(board, capture.to_square)
    return (capture, *replies)


@dataclass(frozen=True)
class Balance:
    """The pieces that the side which begins a line wins and loses in it, by their symbols, in order.

    A piece that was promoted in the line counts as what it was before.
    """

    won: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def worth(self) -> int:
        """What the side has gained, in the unit of WORTH; promotions do not count."""
        return sum(BY_SYMBOL[each] for each in self.won) - sum(BY_SYMBOL[each] for each in self.lost)


def balance(board: Any, moves: Sequence[Any]) -> Balance:
    """Return what the side to move wins and loses in a line of legal moves."""
    taken: tuple[list[str], list[str]] = ([], [])
    before: dict[int, int] = {}  # by square, the kinds of the pieces that have been promoted in the line
    for number, move in enumerate(moves):
        if kind := captured(board, move):
            taken[number % 2].append(SYMBOLS[before.pop(move.to_square, kind)])
        if move.promotion or move.from_square in before:
            before[move.to_square] = before.pop(move.from_square, board.piece_type_at(move.from_square))
        board.push(move)
    for _ in moves:
        board.pop()
    return Balance(tuple(taken[0]), tuple(taken[1]))


def is_quiet(board: Any, least: int) -> bool:
    """Tell whether the side to move is not in check and no exchange wins it `least`."""
    if board.is_check():
        return False
    return all(exchange(board, square)[0] < least for square in {move.to_square for move in captures(board)})
