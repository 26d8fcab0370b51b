"""USI's texts: positions as SFEN, and moves such as '7g7f'. Errors are ValueErrors that say what is wrong and where.

A move is known to Python by its code, the CODES of a kernel's move: target | source << 7 | PROMOTION, where the source
of a drop is DROP_BASE + kind.
"""

import functools
from typing import Any

import numpy as np

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.movegen import CODES, complete_move
from shogi_engine.games.shogi.names import START as START
from shogi_engine.games.shogi.position import do_move
from shogi_engine.games.shogi.rules import attacking_squares, is_dead, validate_position
from shogi_engine.jit import new_record
from shogi_engine.language import InputError, Message

MAX_MOVE_NUMBER = 30000


def parse_sfen(text: str) -> Any:
    """Return the record[POSITION] of an SFEN with three or four fields, of 'startpos', or of a USI `position` command.

    The words 'position' and 'sfen' may be missing, and the fields may be joined by '_', as in addresses of web pages.
    Moves after the word 'moves' are played. Hands are read in any order; a missing move number, and 0, which some
    programs write, are 1. Raises ValueError, which says what is wrong and where, for bad notation and for positions
    that `validate_position` refuses.
    """
    if not isinstance(text, str):
        raise InputError("position: expected text, not {0}", type(text).__name__)
    for place, letter in enumerate(text, 1):
        if not (letter.isascii() and letter.isprintable()) and not letter.isspace():
            raise InputError("sfen: character {0} is {1!r}, which cannot occur in an SFEN", place, letter)
    start, moves = split_usi_position(text.replace("_", " "))
    fields = (START if start == "startpos" else start).split()
    if len(fields) not in (3, 4):
        raise InputError(
            "sfen: there are 3 or 4 fields (board, side, hands, move number), not {0}: {1!r}", len(fields), text
        )
    pos = new_record(t.POSITION)
    _parse_board(pos, fields[0])
    if fields[1] not in ("b", "w"):
        raise InputError("sfen: the side to move must be 'b' or 'w', not {0!r}", fields[1])
    pos.side = t.WHITE if fields[1] == "w" else t.BLACK
    _parse_hands(pos, fields[2])
    number = fields[3] if len(fields) == 4 else "1"
    if not number.isdigit() or len(number) > 9 or int(number) > MAX_MOVE_NUMBER:
        raise InputError("sfen: the move number must be 1 to {0}, not {1!r}", MAX_MOVE_NUMBER, number)
    pos.ply = max(int(number) - 1, 0)
    validate_position(pos)
    return _played(pos, moves) if moves else pos


def split_usi_position(text: str) -> tuple[str, list[str]]:
    """Return (the SFEN or 'startpos', the moves' texts) of USI's `position` command.

    The form is 'startpos' or 'sfen <sfen>', then optionally 'moves' and any number of moves. The words 'position' and
    'sfen' may be missing. Raises ValueError for another form; SFEN and moves are not checked.
    """
    words = text.split()
    if words[:1] == ["position"]:
        words = words[1:]
    split = words.index("moves") if "moves" in words else len(words)
    start, moves = words[:split], words[split + 1 :]
    if not start:
        raise InputError("position: 'startpos' or an sfen is missing")
    if start[0] == "startpos" and len(start) > 1:
        raise InputError("position: only 'moves' may follow 'startpos', not {0!r}", start[1])
    return " ".join(start[1:] if start[0] == "sfen" else start), moves


def _played(pos: Any, moves: list[str]) -> Any:
    """Return `pos` after moves in USI. Raises ValueError for an illegal move."""
    from shogi_engine.games.shogi.position import do_move
    from shogi_engine.games.shogi.sfen import parse_usi

    undo = new_record(t.UNDO)
    for number, move in enumerate(moves, 1):
        try:
            do_move(pos, np.uint32(parse_usi(pos, move)), undo)
        except ValueError as fault:
            raise InputError("position: move {0} of {1}: {2}", number, len(moves), fault) from None
    return pos


@functools.cache
def starting_position() -> Any:
    """Return the record[POSITION] of the start of a game. The caller must copy it before changing it."""
    return parse_sfen(START)


def _parse_board(pos: Any, text: str) -> None:
    """Read an SFEN's board field into pos.board."""
    rows = text.split("/")
    if len(rows) != 9:
        raise InputError("sfen: the board has 9 ranks separated by '/', not {0}: {1!r}", len(rows), text)
    for rank, row in zip(t.RANKS, rows, strict=True):
        where = Message("sfen: rank {0} ({1!r})", rank, row)
        column, promoted = 0, ""
        for letter in row:
            if letter == "+":
                if promoted:
                    raise InputError("{0} has '++'", where)
                promoted = "+"
                continue
            if letter in "123456789":
                if promoted:
                    raise InputError("{0} has '+' before the number {1}", where, letter)
                column += int(letter)
                continue
            if letter == "0" or letter.upper() not in t.KINDS_BY_SYMBOL:
                raise InputError("{0} has {1!r}, which is neither a piece nor a number of empty squares", where, letter)
            if promoted + letter.upper() not in t.KINDS_BY_SYMBOL:
                raise InputError(
                    "{0} has '+{1}': a {2} cannot promote",
                    where,
                    letter,
                    t.KIND_NAMES[t.KINDS_BY_SYMBOL[letter.upper()]],
                )
            if column < 9:
                colour = t.WHITE if letter.islower() else t.BLACK
                pos.board[9 * t.RANKS.index(rank) + column] = t.make_piece(
                    colour, t.KINDS_BY_SYMBOL[promoted + letter.upper()]
                )
            column, promoted = column + 1, ""
        if promoted:
            raise InputError("{0} ends with '+'", where)
        if column != 9:
            raise InputError("{0} is {1} squares wide, not 9", where, column)


def _parse_hands(pos: Any, text: str) -> None:
    """Read an SFEN's hands field into pos.hand."""
    if text == "-":
        return
    where = Message("sfen: hands {0!r}", text)
    counts = [[0] * (t.ROOK + 1), [0] * (t.ROOK + 1)]
    number = ""
    for letter in text:
        if letter in "0123456789":
            if number + letter == "0":
                raise InputError("{0}: a count begins with 0", where)
            number += letter
            continue
        kind = t.KINDS_BY_SYMBOL.get(letter.upper(), 0)
        if kind == t.KING:
            raise InputError("{0}: a king cannot be in hand", where)
        if kind == 0:
            raise InputError("{0} has {1!r}, which is not a piece", where, letter)
        colour = t.WHITE if letter.islower() else t.BLACK
        if counts[colour][kind]:
            raise InputError("{0} has {1!r} twice", where, letter)
        counts[colour][kind] = int(number[:9] or 1)
        if counts[colour][kind] > t.SET_SIZE[kind]:
            raise InputError("{0}: {1} {2}s, but a set has {3}", where, number, t.KIND_NAMES[kind], t.SET_SIZE[kind])
        number = ""
    if number:
        raise InputError("{0} ends with the number {1} but no piece", where, number)
    for colour, hand in enumerate(counts):
        pos.hand[colour] = sum(count << 8 * kind for kind, count in enumerate(hand))


def format_sfen(pos: Any) -> str:
    """Return the SFEN of `pos`, four fields, hands in the usual order."""
    rows = []
    for row in pos.board.reshape(9, 9).tolist():
        text, empty = "", 0
        for piece in row:
            if piece:
                text += (str(empty) if empty else "") + t.piece_symbol(piece)
                empty = 0
            else:
                empty += 1
        rows.append(text + (str(empty) if empty else ""))
    hands = ""
    for colour in (t.BLACK, t.WHITE):
        for kind in t.HAND_ORDER:
            count = t.hand_count(pos.hand[colour], kind)
            if count:
                hands += (str(count) if count > 1 else "") + t.piece_symbol(t.make_piece(colour, kind))
    return f"{'/'.join(rows)} {'bw'[pos.side]} {hands or '-'} {int(pos.ply) + 1}"


# ---- moves, and why a move is illegal


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
            "{0} already has a pawn on file {1}, on {2} (nifu)", t.SIDES[side], 9 - target % 9, t.SQUARE_NAMES[pawns[0]]
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
