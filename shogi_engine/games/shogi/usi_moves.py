"""USI's notation: moves such as '7g7f', and the argument of the `position` command."""

from typing import Any

import numpy as np

from shogi_engine.games.shogi import types
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.movegen import is_legal_tt_move
from shogi_engine.games.shogi.position import do_move
from shogi_engine.games.shogi.rules import attacking_squares, is_dead
from shogi_engine.jit import new_record
from shogi_engine.language import InputError, Message


def split_usi(text: str) -> tuple[int, int, bool]:
    """Return (source, target, promotion) of a move such as '7g7f', '8h2b+' or 'P*5e'.

    The source of a drop is DROP_BASE + kind. Raises ValueError if it is not a move in any position.
    """
    if not isinstance(text, str) or len(text) not in (4, 5):
        raise InputError("move {0!r}: a move has 4 characters, and '+' if it promotes", text)
    if len(text) == 4 and text[1] == "*":
        if types.KINDS_BY_SYMBOL.get(text[0], t.KING) >= t.KING:
            raise InputError("move {0!r}: {1!r} is not a piece that can be dropped (one of PLNSGBR)", text, text[0])
        return t.DROP_BASE + types.KINDS_BY_SYMBOL[text[0]], _parse_square(text, 2), False
    if text.endswith("+") and text[1:2] == "*":
        raise InputError("move {0!r}: a dropped piece does not promote", text)
    source, target = _parse_square(text, 0), _parse_square(text, 2)
    if len(text) == 5 and text[4] != "+":
        raise InputError("move {0!r}: only '+' can follow the squares, not {1!r}", text, text[4])
    if source == target:
        raise InputError("move {0!r}: it goes to the square it comes from", text)
    return source, target, len(text) == 5


def _parse_square(text: str, start: int) -> int:
    """Return the square named by the two characters of the move `text` at `start`."""
    name = text[start : start + 2]
    if name not in types.SQUARES_BY_NAME:
        raise InputError("move {0!r}: {1!r} is not a square (1a to 9i)", text, name)
    return types.SQUARES_BY_NAME[name]


def usi_of(source: int, target: int, promotion: bool) -> str:
    """Return the USI text of a move; the inverse of `split_usi`."""
    origin = f"{types.SYMBOLS[source - t.DROP_BASE]}*" if source >= t.DROP_BASE else types.SQUARE_NAMES[source]
    return origin + types.SQUARE_NAMES[target] + ("+" if promotion else "")


def format_usi(pos: Any, move: int) -> str:
    """Return the USI text of an encoded `move`; `pos` is not needed."""
    return usi_of(t.move_from(move), t.move_to(move), t.is_promotion(move))


def parse_usi(pos: Any, text: str) -> int:
    """Return the legal move `text` of `pos`; raises ValueError saying why it is not legal."""
    return legal_move(pos, *split_usi(text))


def legal_move(pos: Any, source: int, target: int, promotion: bool) -> int:
    """Return the encoded move from `source` (DROP_BASE + kind for a drop) to `target` if it is legal in `pos`.

    Raises ValueError saying why it is not.
    """
    if source >= t.DROP_BASE:
        kind = source - t.DROP_BASE
        move = int(t.drop_move(kind, target))
    else:
        board = pos.board
        kind, captured = t.piece_kind(board[source]), t.piece_kind(board[target])
        move = int(t.board_move(source, target, kind, captured, int(promotion)))
    if kind == 0 or promotion and types.PROMOTED_KINDS[kind] == 0 or not is_legal_tt_move(pos, np.uint32(move)):
        raise illegal_move(pos, source, target, promotion)
    return move


def illegal_move(pos: Any, source: int, target: int, promotion: bool) -> ValueError:
    """Return the error, saying why, that `legal_move` raises for a move that is illegal in `pos`."""
    if source >= t.DROP_BASE:
        move = int(t.drop_move(source - t.DROP_BASE, target))
    else:
        kind, captured = t.piece_kind(pos.board[source]), t.piece_kind(pos.board[target])
        move = int(t.board_move(source, target, kind, captured, int(promotion)))
    return InputError("illegal move {0!r}: {1}", usi_of(source, target, promotion), _why_illegal(pos, move))


def _why_illegal(pos: Any, move: int) -> str:
    """Return what is wrong with a move that is not legal in `pos`."""
    side = int(pos.side)
    problem = _why_no_drop(pos, move) if t.move_from(move) >= t.DROP_BASE else _why_no_board_move(pos, move)
    if problem:
        return problem
    after = pos.copy()
    do_move(after, np.uint32(move), new_record(t.UNDO))
    king = int(after.king[side])
    attackers = attacking_squares(after, king, 1 - side) if king != t.NO_SQUARE else []
    if attackers:
        where = types.SQUARE_NAMES[king], types.list_squares(attackers)
        if t.move_kind(move) == t.KING:
            return Message("it puts the king on {0} in check from {1}", *where)
        return Message("it leaves the king on {0} in check from {1}", *where)
    return Message("a pawn drop may not mate")


def _why_no_drop(pos: Any, move: int) -> str:
    """Return why a drop cannot be made, ignoring the own king's safety and pawn drop mate; '' if it can."""
    side, kind, target = int(pos.side), t.move_kind(move), t.move_to(move)
    name = types.KIND_NAMES[kind]
    if t.hand_count(pos.hand[side], kind) == 0:
        return Message("{0} has no {1} in hand", types.SIDES[side], name)
    if pos.board[target]:
        return Message("{0} is not empty", types.SQUARE_NAMES[target])
    if is_dead(side, kind, target):
        return Message("a {0} on {1} could never move", name, types.SQUARE_NAMES[target])
    column = range(target % 9, t.SQUARES, 9)
    pawns = [square for square in column if pos.board[square] == t.make_piece(side, t.PAWN)]
    if kind == t.PAWN and pawns:
        return Message(
            "{0} already has a pawn on file {1}, on {2} (nifu)",
            types.SIDES[side],
            9 - target % 9,
            types.SQUARE_NAMES[pawns[0]],
        )
    return ""


def _why_no_board_move(pos: Any, move: int) -> str:
    """Return why a move on the board cannot be made, ignoring the own king's safety; '' if it can."""
    side, source, target = int(pos.side), t.move_from(move), t.move_to(move)
    piece, captured = int(pos.board[source]), int(pos.board[target])
    origin, goal = types.SQUARE_NAMES[source], types.SQUARE_NAMES[target]
    if not piece:
        return Message("there is no piece on {0}", origin)
    if t.piece_colour(piece) != side:
        return Message(
            "the piece on {0} is {1}'s, but {2} is to move", origin, types.SIDES[1 - side], types.SIDES[side]
        )
    if captured and t.piece_colour(captured) == side:
        return Message("{0}'s own piece is on {1}", types.SIDES[side], goal)
    kind = t.piece_kind(piece)
    name = ("promoted " if kind > t.KING else "") + types.KIND_NAMES[t.UNPROMOTED[kind]]
    if source not in attacking_squares(pos, target, side):
        return Message("the {0} on {1} does not reach {2}", name, origin, goal)
    if t.is_promotion(move):
        if t.PROMOTED[kind] == 0:
            return Message("a {0} cannot promote", name)
        if not any((square // 9 < 3) if side == t.BLACK else (square // 9 > 5) for square in (source, target)):
            return Message("neither {0} nor {1} is in {2}'s promotion zone", origin, goal, types.SIDES[side])
    elif is_dead(side, kind, target):
        return Message("the {0} must promote on {1}", name, goal)
    return ""
