"""Facts of Shogi's board about what a line leads to: threats, forks, promotions, the king's neighbours, open lines.

Every line begins with the position in which the bad move was made, on a Board that is unchanged on return. Two lines
are compared after the same number of moves.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.board.moves import Move
from shogi_engine.games.shogi.material import WORTH, after, balance, captures, exchange, exchange_by
from shogi_engine.games.shogi.symbols import SQUARE_NAMES, SYMBOLS
from shogi_engine.types.fact import Fact, Kind

LEAST = 350  # what must be lost or won: a silver for a lance is 360, two pawns are 360
ATTACKED = 2  # squares next to a king: a difference of which something is said
REACHED = 5  # squares: the same
SLIDERS = (t.BISHOP, t.ROOK, t.HORSE, t.DRAGON)
PROMOTED = (t.PROM_PAWN, t.PROM_LANCE, t.PROM_KNIGHT, t.HORSE, t.DRAGON)  # a silver gains little by it
DEFENDERS = (t.SILVER, t.GOLD, t.PROM_PAWN, t.PROM_LANCE, t.PROM_KNIGHT, t.PROM_SILVER)


def forks(board: Any, line: Sequence[Move], better: Sequence[Move]) -> Iterator[Fact]:
    """Yield facts if the best reply forks pieces, or the better move would have."""
    replies = min(len(line), len(better)) > 1
    if replies and (forked := _forked(board, line[:2])) and not _forked(board, better[:2]):
        yield _fact(Kind.FORK_ALLOWED, line[:2], better, lost=forked)
    if (forked := _forked(board, better[:1])) and not _forked(board, line[:1]):
        yield _fact(Kind.FORK_MISSED, better[:1], line, won=forked)


def promotions(board: Any, line: Sequence[Move], better: Sequence[Move]) -> Iterator[Fact]:
    """Yield facts if the opponent promotes a piece safely in the line alone, or the other side in the better line."""
    for kind, lines, first in ((Kind.PROMOTION_ALLOWED, (line, better), 1), (Kind.PROMOTION_MISSED, (better, line), 0)):
        plies = _promoting(board, lines[0], first)
        if 0 < plies <= len(lines[1]) and not _promoting(board, lines[1][:plies], first):
            square = lines[0][plies - 1].to_square
            with after(board, lines[0][:plies]):
                piece = {"lost" if first else "won": (SYMBOLS[board.piece_type_at(square)],)}
            yield _fact(kind, lines[0][:plies], lines[1], SQUARE_NAMES[square], **piece)


def threats(board: Any, line: Sequence[Move], better: Sequence[Move]) -> Iterator[Fact]:
    """Yield facts if the best reply threatens to win a piece, or the better move would have."""
    if min(len(line), len(better)) > 1 and (found := _threat(board, line[:2], better[:2])):
        yield _fact(Kind.CAPTURE_THREATENED, line[:2], better, SQUARE_NAMES[found[0]], lost=(found[1],))
    if found := _threat(board, better[:1], line[:1]):
        yield _fact(Kind.CAPTURE_THREAT_MISSED, better[:1], line, SQUARE_NAMES[found[0]], won=(found[1],))


def kings(board: Any, line: Sequence[Move], better: Sequence[Move]) -> Iterator[Fact]:
    """Yield facts if more squares next to the king are attacked than in the better line, or fewer next to the other."""
    side, plies = board.turn, min(len(line), len(better))
    number, other = (_attacked(board, each[:plies], side) for each in (line, better))
    if number - other >= ATTACKED:
        yield _fact(Kind.KING_ATTACKED, line[:plies], better, number=number, other=other)
    number, other = (_attacked(board, each[:plies], 1 - side) for each in (line, better))
    if other - number >= ATTACKED:
        yield _fact(Kind.KING_ATTACK_MISSED, line[:plies], better, number=number, other=other)


def shapes(board: Any, line: Sequence[Move], better: Sequence[Move]) -> Iterator[Fact]:
    """Yield facts if the move leaves fewer defenders next to the king, or its line fewer squares for sliding pieces."""
    side, plies = board.turn, min(len(line), len(better))
    number, other = (_defenders(board, each[:1], side) for each in (line, better))
    if number < other:
        yield _fact(Kind.FEW_DEFENDERS, line[:1], better, number=number, other=other)
    number, other = (_reached(board, each[:plies], side) for each in (line, better))
    if other - number >= REACHED:
        yield _fact(Kind.LINES_CLOSED, line[:plies], better, number=number, other=other)


def _fact(kind: Kind, line: Sequence[Move], compared: Sequence[Move], square: str = "", **details: Any) -> Fact:
    """Return a fact about a line, which is compared with as much of another."""
    moves, instead = (tuple(move.usi() for move in each[: len(line)]) for each in (line, compared))
    return Fact(kind, moves, square, instead=instead, **details)


# ---- the board ---------------------------------------------------------------------------------------------------


def _forked(board: Any, line: Sequence[Move]) -> tuple[str, ...]:
    """Return what the last move of a line forks: the king, and pieces that are unprotected or worth much more.

    () unless there are two, and for a piece that can be captured.
    """
    with after(board, line):
        square = line[-1].to_square
        if captures(board, square):
            return ()
        worth, side, found = WORTH[board.piece_type_at(square)], board.turn, []
        for target in board.attacks(square):
            kind = board.piece_type_at(target)
            free = WORTH[kind] >= LEAST and not board.attackers(side, target)
            if kind and board.color_at(target) == side and (kind == t.KING or WORTH[kind] - worth >= LEAST or free):
                found.append(kind)
    found.sort(key=lambda kind: (kind == t.KING, WORTH[kind]), reverse=True)
    return tuple(SYMBOLS[kind] for kind in found) if len(found) > 1 else ()


def _promoting(board: Any, line: Sequence[Move], first: int) -> int:
    """Return the number of moves up to the first safe promotion by the side that makes the move `first`, 0 for none."""
    for plies in range(first + 1, len(line) + 1, 2):
        if line[plies - 1].promotion:
            with after(board, line[:plies]):
                square = line[plies - 1].to_square
                if board.piece_type_at(square) in PROMOTED and not captures(board, square):
                    return plies
    return 0


def _threat(board: Any, line: Sequence[Move], other: Sequence[Move]) -> tuple[int, str] | None:
    """Return the square and the symbol of the best piece that is threatened after a line, and not after the other."""
    found, spared = _threatened(board, line), _threatened(board, other)
    new = [square for square in found if square not in spared]
    if not new:
        return None
    square = max(new, key=lambda square: found[square])
    with after(board, line):
        return square, SYMBOLS[board.piece_type_at(square)]


def _threatened(board: Any, line: Sequence[Move]) -> dict[int, int]:
    """Return where the side that ended a line could capture with profit if the other passed, and how much it would win.

    The piece that moved last threatens nothing if it can be captured with profit. In check no side can pass, so there
    are no threats.
    """
    with after(board, line):
        if board.is_check():
            return {}
        moved = line[-1].to_square
        hangs = exchange(board, moved)[0] > 0
        with after(board, [Move.null()]):
            moves = (move for move in captures(board) if not (hangs and move.from_square == moved))
            gains = ((move.to_square, balance(board, exchange_by(board, move)).worth) for move in moves)
            return {square: gain for square, gain in sorted(gains, key=lambda each: each[1]) if gain >= LEAST}


def _attacked(board: Any, line: Sequence[Move], side: int) -> int:
    """Return how many squares next to the king of a side the other side attacks after a line."""
    with after(board, line):
        return sum(board.is_attacked_by(1 - side, square) for square in _next_to_king(board, side))


def _defenders(board: Any, line: Sequence[Move], side: int) -> int:
    """Return how many golds, silvers and pieces that move so a side has next to its king after a line."""
    with after(board, line):
        near = [square for square in _next_to_king(board, side) if board.color_at(square) == side]
        return sum(board.piece_type_at(square) in DEFENDERS for square in near)


def _next_to_king(board: Any, side: int) -> Sequence[int]:
    king = board.king_squares[side]
    return [] if king is None else list(board.attacks(king))


def _reached(board: Any, line: Sequence[Move], side: int) -> int:
    """Return how many squares the rooks and bishops of a side attack after a line, those of own pieces not counted."""
    with after(board, line):
        own = [square for square in range(t.SQUARES) if board.color_at(square) == side]
        sliders = [square for square in own if board.piece_type_at(square) in SLIDERS]
        return sum(target not in own for square in sliders for target in board.attacks(square))
