"""USI's notation of moves, such as '7g7f', and why a move is illegal.

A move is known to Python by its code, the CODES of a kernel's move: target | source << 7 | PROMOTION, where the source
of a drop is DROP_BASE + kind.
"""

import functools
from typing import Any

import numpy as np

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.movegen import CODES, complete_move
from shogi_engine.games.shogi.position import do_move
from shogi_engine.games.shogi.rules import attacking_squares, is_dead
from shogi_engine.jit import new_record
from shogi_engine.language import InputError, Message


def code_of_usi(text: str) -> int:
    """Return the code of a move such as '7g7f', '8h2b+' or 'P*5e'; raises ValueError if it is none in any position."""
    if not isinstance(text, str) or len(text) not in (4, 5):
        raise InputError("move {0!r}: a move has 4 characters, and '+' if it promotes", text)
    if len(text) == 4 and text[1] == "*":
        if t.KINDS_BY_SYMBOL.get(text[0], t.KING) >= t.KING:
            raise InputError("move {0!r}: {1!r} is not a piece that can be dropped (one of PLNSGBR)", text, text[0])
        return (t.DROP_BASE + t.KINDS_BY_SYMBOL[text[0]]) << 7 | _parse_square(text, 2)
    if text.endswith("+") and text[1:2] == "*":
        raise InputError("move {0!r}: a dropped piece does not promote", text)
    source, target = _parse_square(text, 0), _parse_square(text, 2)
    if len(text) == 5 and text[4] != "+":
        raise InputError("move {0!r}: only '+' can follow the squares, not {1!r}", text, text[4])
    if source == target:
        raise InputError("move {0!r}: it goes to the square it comes from", text)
    return target | source << 7 | (t.PROMOTION if len(text) == 5 else 0)


def _parse_square(text: str, start: int) -> int:
    """Return the square named by the two characters of the move `text` at `start`."""
    name = text[start : start + 2]
    if name not in t.SQUARES_BY_NAME:
        raise InputError("move {0!r}: {1!r} is not a square (1a to 9i)", text, name)
    return t.SQUARES_BY_NAME[name]


@functools.cache
def usi_of(code: int) -> str:
    """Return the USI text of a move's code; the inverse of `code_of_usi`."""
    source, target = code >> 7 & 127, code & 127
    origin = f"{t.SYMBOLS[source - t.DROP_BASE]}*" if source >= t.DROP_BASE else t.SQUARE_NAMES[source]
    return origin + t.SQUARE_NAMES[target] + ("+" if code & t.PROMOTION else "")


def format_usi(pos: Any, move: int) -> str:
    """Return the USI text of an encoded `move`; `pos` is not needed."""
    return usi_of(int(move) & CODES)


def parse_usi(pos: Any, text: str) -> int:
    """Return the legal move `text` of `pos`; raises ValueError saying why it is not legal."""
    return legal_move(pos, code_of_usi(text))


def legal_move(pos: Any, code: int) -> int:
    """Return the encoded move of a code if it is legal in `pos`; raises ValueError saying why it is not."""
    move = int(complete_move(pos, int(code)))
    if not move:
        raise illegal_move(pos, code)
    return move


def illegal_move(pos: Any, code: int) -> ValueError:
    """Return the error, saying why, that `legal_move` raises for the code of a move that is illegal in `pos`."""
    return InputError("illegal move {0!r}: {1}", usi_of(int(code)), _why_illegal(pos, int(code)))


def _why_illegal(pos: Any, code: int) -> str:
    """Return what is wrong with a move that is not legal in `pos`."""
    source, target, side = code >> 7 & 127, code & 127, int(pos.side)
    if source >= t.DROP_BASE:
        kind, captured = source - t.DROP_BASE, 0
        problem = _why_no_drop(pos, kind, target)
    else:
        kind, captured = int(pos.board[source]) & 15, int(pos.board[target]) & 15
        problem = _why_no_board_move(pos, source, target, bool(code & t.PROMOTION))
    if problem:
        return problem
    after, move = pos.copy(), code | kind << 15 | captured << 19
    do_move(after, np.uint32(move), new_record(t.UNDO))
    king = int(after.king[side])
    attackers = attacking_squares(after, king, 1 - side) if king != t.NO_SQUARE else []
    if attackers:
        where = t.SQUARE_NAMES[king], t.list_squares(attackers)
        if kind == t.KING:
            return Message("it puts the king on {0} in check from {1}", *where)
        return Message("it leaves the king on {0} in check from {1}", *where)
    return Message("a pawn drop may not mate")


def _why_no_drop(pos: Any, kind: int, target: int) -> str:
    """Return why a drop cannot be made, ignoring the own king's safety and pawn drop mate; '' if it can."""
    side, name = int(pos.side), t.KIND_NAMES[kind]
    if t.hand_count(pos.hand[side], kind) == 0:
        return Message("{0} has no {1} in hand", t.SIDES[side], name)
    if pos.board[target]:
        return Message("{0} is not empty", t.SQUARE_NAMES[target])
    if is_dead(side, kind, target):
        return Message("a {0} on {1} could never move", name, t.SQUARE_NAMES[target])
    column = range(target % 9, t.SQUARES, 9)
    pawns = [square for square in column if pos.board[square] == side << 4 | t.PAWN]
    if kind == t.PAWN and pawns:
        return Message(
            "{0} already has a pawn on file {1}, on {2} (nifu)",
            t.SIDES[side],
            9 - target % 9,
            t.SQUARE_NAMES[pawns[0]],
        )
    return ""


def _why_no_board_move(pos: Any, source: int, target: int, promotes: bool) -> str:
    """Return why a move on the board cannot be made, ignoring the own king's safety; '' if it can."""
    side = int(pos.side)
    piece, captured = int(pos.board[source]), int(pos.board[target])
    origin, goal = t.SQUARE_NAMES[source], t.SQUARE_NAMES[target]
    if not piece:
        return Message("there is no piece on {0}", origin)
    if piece >> 4 != side:
        return Message("the piece on {0} is {1}'s, but {2} is to move", origin, t.SIDES[1 - side], t.SIDES[side])
    if captured and captured >> 4 == side:
        return Message("{0}'s own piece is on {1}", t.SIDES[side], goal)
    kind = piece & 15
    name = ("promoted " if kind > t.KING else "") + t.KIND_NAMES[t.UNPROMOTED[kind]]
    if source not in attacking_squares(pos, target, side):
        return Message("the {0} on {1} does not reach {2}", name, origin, goal)
    if promotes:
        if t.PROMOTED[kind] == 0:
            return Message("a {0} cannot promote", name)
        if not any((square // 9 < 3) if side == t.BLACK else (square // 9 > 5) for square in (source, target)):
            return Message("neither {0} nor {1} is in {2}'s promotion zone", origin, goal, t.SIDES[side])
    elif is_dead(side, kind, target):
        return Message("the {0} must promote on {1}", name, goal)
    return ""
