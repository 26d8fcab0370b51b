"""SFEN: positions as text. Errors are ValueErrors that say what is wrong and where."""

import functools
from typing import Any

import numpy as np

from shogi_engine.games.shogi.names import START as START
from shogi_engine.games.shogi.rules import validate_position
from shogi_engine.games.shogi.types import (
    BLACK,
    HAND_ORDER,
    KIND_NAMES,
    KINDS_BY_SYMBOL,
    KING,
    POSITION,
    RANKS,
    ROOK,
    SET_SIZE,
    UNDO,
    WHITE,
    hand_count,
    make_piece,
    piece_symbol,
)
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
    pos = new_record(POSITION)
    _parse_board(pos, fields[0])
    if fields[1] not in ("b", "w"):
        raise InputError("sfen: the side to move must be 'b' or 'w', not {0!r}", fields[1])
    pos.side = WHITE if fields[1] == "w" else BLACK
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
    from shogi_engine.games.shogi.usi_moves import parse_usi

    undo = new_record(UNDO)
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
    for rank, row in zip(RANKS, rows, strict=True):
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
            if letter == "0" or letter.upper() not in KINDS_BY_SYMBOL:
                raise InputError("{0} has {1!r}, which is neither a piece nor a number of empty squares", where, letter)
            if promoted + letter.upper() not in KINDS_BY_SYMBOL:
                raise InputError(
                    "{0} has '+{1}': a {2} cannot promote", where, letter, KIND_NAMES[KINDS_BY_SYMBOL[letter.upper()]]
                )
            if column < 9:
                colour = WHITE if letter.islower() else BLACK
                pos.board[9 * RANKS.index(rank) + column] = make_piece(
                    colour, KINDS_BY_SYMBOL[promoted + letter.upper()]
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
    counts = [[0] * (ROOK + 1), [0] * (ROOK + 1)]
    number = ""
    for letter in text:
        if letter in "0123456789":
            if number + letter == "0":
                raise InputError("{0}: a count begins with 0", where)
            number += letter
            continue
        kind = KINDS_BY_SYMBOL.get(letter.upper(), 0)
        if kind == KING:
            raise InputError("{0}: a king cannot be in hand", where)
        if kind == 0:
            raise InputError("{0} has {1!r}, which is not a piece", where, letter)
        colour = WHITE if letter.islower() else BLACK
        if counts[colour][kind]:
            raise InputError("{0} has {1!r} twice", where, letter)
        counts[colour][kind] = int(number[:9] or 1)
        if counts[colour][kind] > SET_SIZE[kind]:
            raise InputError("{0}: {1} {2}s, but a set has {3}", where, number, KIND_NAMES[kind], SET_SIZE[kind])
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
                text += (str(empty) if empty else "") + piece_symbol(piece)
                empty = 0
            else:
                empty += 1
        rows.append(text + (str(empty) if empty else ""))
    hands = ""
    for colour in (BLACK, WHITE):
        for kind in HAND_ORDER:
            count = hand_count(pos.hand[colour], kind)
            if count:
                hands += (str(count) if count > 1 else "") + piece_symbol(make_piece(colour, kind))
    return f"{'/'.join(rows)} {'bw'[pos.side]} {hands or '-'} {int(pos.ply) + 1}"
