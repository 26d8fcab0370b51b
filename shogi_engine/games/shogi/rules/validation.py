"""Validation: positions that break the rules on which kernels rely never reach them.

Every refusal is a ValueError that says what is wrong and where. Kings and other pieces may be missing, as in problems
and handicaps.
"""

from collections.abc import Iterator
from enum import Flag
from typing import Any

from shogi_engine.games.shogi.attacks import attackers_to
from shogi_engine.games.shogi.notation.symbols import KIND_NAMES, PROMOTED_KINDS, SIDES, SQUARE_NAMES, list_squares
from shogi_engine.games.shogi.position import rebuild
from shogi_engine.games.shogi.queries import occupied
from shogi_engine.games.shogi.types import (
    BLACK,
    KING,
    KNIGHT,
    LANCE,
    NO_SQUARE,
    PAWN,
    ROOK,
    SET_SIZE,
    WHITE,
    make_piece,
    piece_kind,
)


class Status(Flag):
    """What is wrong with a position: VALID, or several of the others."""

    VALID = 0
    TOO_MANY_KINGS = 1
    TOO_MANY_PIECES = 2
    DEAD_PIECE = 4
    TWO_PAWNS = 8
    OPPOSITE_CHECK = 16


def validate_position(pos: Any) -> None:
    """Raise ValueError if the board, hands and side of `pos` are impossible, else derive all its other fields.

    A position is impossible if a colour has two kings, or two unpromoted pawns on a file; if there are more pieces than
    in a set, or pieces that can never move; or if the side that is not to move is in check.
    """
    for _, problem in position_faults(pos):
        raise ValueError(f"position: {problem}")


def position_faults(pos: Any) -> Iterator[tuple[Status, str]]:
    """Yield every fault of the board, hands and side of `pos`; the other fields are derived before the last test."""
    squares: dict[int, list[int]] = {}
    for square, piece in enumerate(pos.board.tolist()):
        if piece:
            squares.setdefault(piece, []).append(square)
    for colour, side in enumerate(SIDES):
        kings = squares.get(make_piece(colour, KING), [])
        if len(kings) > 1:
            yield Status.TOO_MANY_KINGS, f"{len(kings)} {side} kings, on {list_squares(kings)}"
    hands = pos.hand.tolist()
    for kind in range(PAWN, ROOK + 1):
        kinds = (kind, PROMOTED_KINDS[kind])
        on_board = sum(len(found) for piece, found in squares.items() if piece_kind(piece) in kinds)
        in_hand = [hand >> 8 * kind & 255 for hand in hands]
        total = on_board + sum(in_hand)
        if total > SET_SIZE[kind]:
            where = f"{on_board} on the board, {in_hand[BLACK]} in black's hand, {in_hand[WHITE]} in white's"
            yield Status.TOO_MANY_PIECES, f"{total} {KIND_NAMES[kind]}s ({where}), but a set has {SET_SIZE[kind]}"
    for colour, side in enumerate(SIDES):
        for kind in (PAWN, LANCE, KNIGHT):
            for square in squares.get(make_piece(colour, kind), []):
                if is_dead(colour, kind, square):
                    problem = f"the {side} {KIND_NAMES[kind]} on {SQUARE_NAMES[square]} can never move"
                    yield Status.DEAD_PIECE, problem
        files: dict[int, int] = {}
        for square in squares.get(make_piece(colour, PAWN), []):
            first = files.setdefault(square % 9, square)
            if first != square:
                where = f"file {9 - square % 9}, on {list_squares([first, square])}"
                yield Status.TWO_PAWNS, f"two unpromoted {side} pawns on {where} (nifu)"
    rebuild(pos)
    waiting = 1 - int(pos.side)
    king = int(pos.king[waiting])
    if king != NO_SQUARE:
        checkers = attacking_squares(pos, king, 1 - waiting)
        if checkers:
            where = f"on {SQUARE_NAMES[king]} is in check from {list_squares(checkers)}"
            yield Status.OPPOSITE_CHECK, f"{SIDES[waiting]}'s king {where}, but {SIDES[1 - waiting]} is to move"


def attacking_squares(pos: Any, square: int, colour: int) -> list[int]:
    """Return the squares of the pieces of `colour` that attack `square`."""
    return list(attackers_to(pos, square, colour, occupied(pos)))


def is_dead(colour: int, kind: int, square: int) -> bool:
    """Tell whether a piece of `kind` on `square` could never move again: pawn, lance, knight on the last ranks."""
    ahead = square // 9 if colour == BLACK else 8 - square // 9
    return ahead < {PAWN: 1, LANCE: 1, KNIGHT: 2}.get(kind, 0)
