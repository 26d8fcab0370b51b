"""Validation: keeps positions that break the rules away from the kernels, which rely on them.

Every refusal is a ValueError that says what is wrong and where. Kings and other pieces may be missing, as in problems
and handicaps.
"""

from collections.abc import Iterator
from enum import Flag
from typing import Any

import numpy as np

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.rules import legality
from shogi_engine.games.shogi.symbols import KIND_NAMES, PROMOTED_KINDS, SIDES, SQUARE_NAMES, list_squares
from shogi_engine.language import InputError, Message


class Status(Flag):
    """What is wrong with a position: VALID, or several of the others."""

    VALID = 0
    TOO_MANY_KINGS = legality.TOO_MANY_KINGS
    TOO_MANY_PIECES = legality.TOO_MANY_PIECES
    DEAD_PIECE = legality.DEAD_PIECE
    TWO_PAWNS = legality.TWO_PAWNS
    OPPOSITE_CHECK = legality.OPPOSITE_CHECK


def position_status(pos: Any) -> Status:
    """Return what is wrong with the board, hands and side of `pos`, and derive all its other fields."""
    return Status(int(legality.position_faults(pos)))


def validate_position(pos: Any) -> None:
    """Raise ValueError if the board, hands and side of `pos` are impossible, else derive all its other fields.

    A position is impossible if a colour has two kings, or two unpromoted pawns on a file; if there are more pieces than
    in a set, or pieces that can never move; or if the side that is not to move is in check.
    """
    for status in position_status(pos):
        raise InputError("position: {0}", next(WORDS[status](pos)))


def attacking_squares(pos: Any, square: int, colour: int) -> list[int]:
    """Return the squares of the pieces of `colour` that attack `square`."""
    return list(legality.attackers_on_board(pos, square, colour))


def _squares(pos: Any, colour: int, kind: int) -> list[int]:
    """Return the squares of the pieces of `colour` and `kind`."""
    return np.flatnonzero(pos.board == t.make_piece(colour, kind)).tolist()


def _too_many_kings(pos: Any) -> Iterator[str]:
    for colour, side in enumerate(SIDES):
        kings = _squares(pos, colour, t.KING)
        if len(kings) > 1:
            yield Message("{0} {1} kings, on {2}", len(kings), side, list_squares(kings))


def _too_many_pieces(pos: Any) -> Iterator[str]:
    for kind in range(t.PAWN, t.ROOK + 1):
        on_board = sum(
            len(_squares(pos, colour, each)) for colour in (0, 1) for each in (kind, PROMOTED_KINDS[kind]) if each
        )
        in_hand = [hand >> 8 * kind & 255 for hand in pos.hand.tolist()]
        total = on_board + sum(in_hand)
        if total > t.SET_SIZE[kind]:
            where = Message(
                "{0} on the board, {1} in black's hand, {2} in white's", on_board, in_hand[t.BLACK], in_hand[t.WHITE]
            )
            yield Message("{0} {1}s ({2}), but a set has {3}", total, KIND_NAMES[kind], where, t.SET_SIZE[kind])


def _dead_piece(pos: Any) -> Iterator[str]:
    for colour, side in enumerate(SIDES):
        for kind in (t.PAWN, t.LANCE, t.KNIGHT):
            for square in _squares(pos, colour, kind):
                if is_dead(colour, kind, square):
                    yield Message("the {0} {1} on {2} can never move", side, KIND_NAMES[kind], SQUARE_NAMES[square])


def _two_pawns(pos: Any) -> Iterator[str]:
    for colour, side in enumerate(SIDES):
        files: dict[int, int] = {}
        for square in _squares(pos, colour, t.PAWN):
            first = files.setdefault(square % 9, square)
            if first != square:
                where = Message("file {0}, on {1}", 9 - square % 9, list_squares([first, square]))
                yield Message("two unpromoted {0} pawns on {1} (nifu)", side, where)


def _opposite_check(pos: Any) -> Iterator[str]:
    side, king = int(pos.side), int(pos.king[1 - pos.side])
    where = Message("on {0} is in check from {1}", SQUARE_NAMES[king], list_squares(attacking_squares(pos, king, side)))
    yield Message("{0}'s king {1}, but {2} is to move", SIDES[1 - side], where, SIDES[side])


WORDS = {
    Status.TOO_MANY_KINGS: _too_many_kings,
    Status.TOO_MANY_PIECES: _too_many_pieces,
    Status.DEAD_PIECE: _dead_piece,
    Status.TWO_PAWNS: _two_pawns,
    Status.OPPOSITE_CHECK: _opposite_check,
}


def is_dead(colour: int, kind: int, square: int) -> bool:
    """Tell whether a piece of `kind` on `square` could never move again: pawn, lance, knight on the last ranks."""
    ahead = square // 9 if colour == t.BLACK else 8 - square // 9
    return ahead < {t.PAWN: 1, t.LANCE: 1, t.KNIGHT: 2}.get(kind, 0)
