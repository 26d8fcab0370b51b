"""Shogi's notation, SFEN and USI, and the door: nothing gets to the kernels that the rules can not hold.

Every refusal is a ValueError that says what is wrong and where. A missing king and missing pieces are no fault:
problems and handicaps have them.
"""

from collections.abc import Iterator
from enum import Flag
from typing import Any

import numpy as np

from shogi_engine.bits import join
from shogi_engine.games.shogi.attacks import attackers_to
from shogi_engine.games.shogi.movegen import is_legal_tt_move
from shogi_engine.games.shogi.position import do_move, rebuild
from shogi_engine.games.shogi.types import (
    BLACK,
    DROP_BASE,
    KING,
    KNIGHT,
    LANCE,
    NO_SQUARE,
    PAWN,
    POSITION,
    PROMOTED,
    ROOK,
    SET_SIZE,
    SQUARES,
    UNDO,
    UNPROMOTED,
    WHITE,
    board_move,
    drop_move,
    hand_count,
    is_promotion,
    move_from,
    move_kind,
    move_to,
)
from shogi_engine.jit import new_record

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
SYMBOLS = ("", "P", "L", "N", "S", "G", "B", "R", "K", "+P", "+L", "+N", "+S", "+B", "+R")  # by kind, black's
KIND_NAMES = ("", "pawn", "lance", "knight", "silver", "gold", "bishop", "rook", "king")
SIDES = ("black", "white")
RANKS = "abcdefghi"
SQUARE_NAMES = tuple(f"{file}{rank}" for rank in RANKS for file in range(9, 0, -1))
HAND_ORDER = (7, 6, 5, 4, 3, 2, 1)  # rook first, as SFEN writes hands
MAX_MOVE_NUMBER = 30000

PROMOTED_KINDS = PROMOTED.tolist()  # by kind, for Python: 0 if it does not promote

_KINDS = {symbol: kind for kind, symbol in enumerate(SYMBOLS) if symbol}
_SQUARES = {name: square for square, name in enumerate(SQUARE_NAMES)}


# ---- SFEN --------------------------------------------------------------------------------------------------------


def parse_sfen(text: str) -> Any:
    """Return the record[POSITION] of an SFEN with three or four fields, or of 'startpos'.

    Hands are read in any order; a missing move number is 1. Raises ValueError naming what is wrong and where, for bad
    notation and for what `check_position` refuses.
    """
    for place, letter in enumerate(text, 1):
        if not (letter.isascii() and letter.isprintable()) and not letter.isspace():
            raise ValueError(f"sfen: character {place} is {letter!r}, which no SFEN has")
    fields = (START if text.strip() == "startpos" else text).split()
    if len(fields) not in (3, 4):
        raise ValueError(f"sfen: 3 or 4 fields wanted (board, side, hands, move number), not {len(fields)}: {text!r}")
    pos = new_record(POSITION)
    _parse_board(pos, fields[0])
    if fields[1] not in ("b", "w"):
        raise ValueError(f"sfen: the side to move is 'b' or 'w', not {fields[1]!r}")
    pos.side = WHITE if fields[1] == "w" else BLACK
    _parse_hands(pos, fields[2])
    number = fields[3] if len(fields) == 4 else "1"
    if not number.isdigit() or len(number) > 9 or not 1 <= int(number) <= MAX_MOVE_NUMBER:
        raise ValueError(f"sfen: the move number is between 1 and {MAX_MOVE_NUMBER}, not {number!r}")
    pos.ply = int(number) - 1
    check_position(pos)
    return pos


def _parse_board(pos: Any, text: str) -> None:
    """Read an SFEN's board field into pos.board."""
    rows = text.split("/")
    if len(rows) != 9:
        raise ValueError(f"sfen: the board has 9 ranks separated by '/', not {len(rows)}: {text!r}")
    for rank, row in zip(RANKS, rows, strict=True):
        where = f"sfen: rank {rank} ({row!r})"
        column, promoted = 0, ""
        for letter in row:
            if letter == "+":
                if promoted:
                    raise ValueError(f"{where} has '++'")
                promoted = "+"
                continue
            if letter in "123456789":
                if promoted:
                    raise ValueError(f"{where} has '+' before the number {letter}")
                column += int(letter)
                continue
            if letter == "0" or letter.upper() not in _KINDS:
                raise ValueError(f"{where} has {letter!r}, which is neither a piece nor a number of empty squares")
            if promoted + letter.upper() not in _KINDS:
                raise ValueError(f"{where} has '+{letter}': a {KIND_NAMES[_KINDS[letter.upper()]]} can not promote")
            if column < 9:
                colour = WHITE if letter.islower() else BLACK
                pos.board[9 * RANKS.index(rank) + column] = colour << 4 | _KINDS[promoted + letter.upper()]
            column, promoted = column + 1, ""
        if promoted:
            raise ValueError(f"{where} ends with '+'")
        if column != 9:
            raise ValueError(f"{where} is {column} squares wide, not 9")


def _parse_hands(pos: Any, text: str) -> None:
    """Read an SFEN's hands field into pos.hand."""
    if text == "-":
        return
    where = f"sfen: hands {text!r}"
    counts = [[0] * (ROOK + 1), [0] * (ROOK + 1)]
    number = ""
    for letter in text:
        if letter in "0123456789":
            if number + letter == "0":
                raise ValueError(f"{where}: a count begins with 0")
            number += letter
            continue
        kind = _KINDS.get(letter.upper(), 0)
        if kind == KING:
            raise ValueError(f"{where}: a king can not be in hand")
        if kind == 0:
            raise ValueError(f"{where} has {letter!r}, which is no piece")
        colour = WHITE if letter.islower() else BLACK
        if counts[colour][kind]:
            raise ValueError(f"{where} has {letter!r} twice")
        counts[colour][kind] = int(number[:9] or 1)
        if counts[colour][kind] > SET_SIZE[kind]:
            raise ValueError(f"{where}: {number} {KIND_NAMES[kind]}s, the set has {SET_SIZE[kind]}")
        number = ""
    if number:
        raise ValueError(f"{where} ends with the number {number} and no piece")
    for colour, hand in enumerate(counts):
        pos.hand[colour] = sum(count << 8 * kind for kind, count in enumerate(hand))


def is_dead(colour: int, kind: int, square: int) -> bool:
    """Tell whether a piece of `kind` on `square` could never move again: pawn, lance, knight on the last ranks."""
    ahead = square // 9 if colour == BLACK else 8 - square // 9
    return ahead < {PAWN: 1, LANCE: 1, KNIGHT: 2}.get(kind, 0)


class Status(Flag):
    """What is wrong with a position: VALID, or several of the others."""

    VALID = 0
    TOO_MANY_KINGS = 1
    TOO_MANY_PIECES = 2
    DEAD_PIECE = 4
    TWO_PAWNS = 8
    OPPOSITE_CHECK = 16


def check_position(pos: Any) -> None:
    """Let a position in: derive all of `pos` from its board, hand, side and ply, or raise ValueError.

    Refused: two kings of a colour, more pieces than the set, two unpromoted pawns of a colour on a file, pieces that
    can never move, and a side in check that is not to move.
    """
    for _, problem in position_faults(pos):
        raise ValueError(f"position: {problem}")


def position_faults(pos: Any) -> Iterator[tuple[Status, str]]:
    """Yield all that is wrong with the board, hand and side of `pos`, and derive the rest of it on the way."""
    squares: dict[int, list[int]] = {}
    for square, piece in enumerate(pos.board.tolist()):
        if piece:
            squares.setdefault(piece, []).append(square)
    for colour, side in enumerate(SIDES):
        kings = squares.get(colour << 4 | KING, [])
        if len(kings) > 1:
            yield Status.TOO_MANY_KINGS, f"{len(kings)} {side} kings, on {_list_squares(kings)}"
    hands = pos.hand.tolist()
    for kind in range(PAWN, ROOK + 1):
        kinds = (kind, PROMOTED_KINDS[kind])
        on_board = sum(len(found) for piece, found in squares.items() if piece & 15 in kinds)
        in_hand = [hand >> 8 * kind & 255 for hand in hands]
        total = on_board + sum(in_hand)
        if total > SET_SIZE[kind]:
            where = f"{on_board} on the board, {in_hand[BLACK]} in black's hand, {in_hand[WHITE]} in white's"
            yield Status.TOO_MANY_PIECES, f"{total} {KIND_NAMES[kind]}s ({where}), the set has {SET_SIZE[kind]}"
    for colour, side in enumerate(SIDES):
        for kind in (PAWN, LANCE, KNIGHT):
            for square in squares.get(colour << 4 | kind, []):
                if is_dead(colour, kind, square):
                    problem = f"the {side} {KIND_NAMES[kind]} on {SQUARE_NAMES[square]} can never move"
                    yield Status.DEAD_PIECE, problem
        files: dict[int, int] = {}
        for square in squares.get(colour << 4 | PAWN, []):
            first = files.setdefault(square % 9, square)
            if first != square:
                where = f"file {9 - square % 9}, on {_list_squares([first, square])}"
                yield Status.TWO_PAWNS, f"two unpromoted {side} pawns on {where} (nifu)"
    rebuild(pos)
    waiting = 1 - int(pos.side)
    king = int(pos.king[waiting])
    if king != NO_SQUARE:
        checkers = _attackers(pos, king, 1 - waiting)
        if checkers:
            where = f"on {SQUARE_NAMES[king]} is in check from {_list_squares(checkers)}"
            yield Status.OPPOSITE_CHECK, f"{SIDES[waiting]}'s king {where}, but {SIDES[1 - waiting]} is to move"


def _list_squares(squares: list[int]) -> str:
    """Return e.g. '5a and 5i'."""
    return " and ".join(SQUARE_NAMES[square] for square in squares)


def _attackers(pos: Any, square: int, colour: int) -> list[int]:
    """Return the squares from which `colour` attacks `square`."""
    occupied = pos.bb[0, 0] | pos.bb[1, 0]
    lo, hi = attackers_to(pos, square, colour, occupied[0], occupied[1])
    found = join(lo, hi)
    return [origin for origin in range(SQUARES) if found >> origin & 1] if found else []


def piece_symbol(piece: int) -> str:
    """Return the SFEN symbol of a board's byte (colour << 4 | kind), '' for 0."""
    symbol = SYMBOLS[piece & 15]
    return symbol.lower() if piece >> 4 else symbol


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
                hands += (str(count) if count > 1 else "") + piece_symbol(colour << 4 | kind)
    return f"{'/'.join(rows)} {'bw'[pos.side]} {hands or '-'} {int(pos.ply) + 1}"


# ---- USI moves ---------------------------------------------------------------------------------------------------


def split_usi(text: str) -> tuple[int, int, bool]:
    """Return (source, target, promotion) of a move such as '7g7f', '8h2b+' or 'P*5e'; source is 81 + kind for a drop.

    Raises ValueError if it is no move in any position.
    """
    if len(text) == 4 and text[1] == "*":
        if _KINDS.get(text[0], KING) >= KING:
            raise ValueError(f"move {text!r}: {text[0]!r} is no piece that can be dropped (one of PLNSGBR)")
        return DROP_BASE + _KINDS[text[0]], _parse_square(text, 2), False
    if text.endswith("+") and text[1:2] == "*":
        raise ValueError(f"move {text!r}: a dropped piece does not promote")
    if len(text) not in (4, 5):
        raise ValueError(f"move {text!r}: a move has 4 characters, and '+' if it promotes")
    source, target = _parse_square(text, 0), _parse_square(text, 2)
    if len(text) == 5 and text[4] != "+":
        raise ValueError(f"move {text!r}: after the squares only '+' may stand, not {text[4]!r}")
    if source == target:
        raise ValueError(f"move {text!r}: it goes to the square it comes from")
    return source, target, len(text) == 5


def _parse_square(text: str, start: int) -> int:
    """Return the square named by the two characters of the move `text` at `start`."""
    name = text[start : start + 2]
    if name not in _SQUARES:
        raise ValueError(f"move {text!r}: {name!r} is no square (1a to 9i)")
    return _SQUARES[name]


def usi_of(source: int, target: int, promotion: bool) -> str:
    """Return the USI text of a move; the inverse of `split_usi`."""
    origin = f"{SYMBOLS[source - DROP_BASE]}*" if source >= DROP_BASE else SQUARE_NAMES[source]
    return origin + SQUARE_NAMES[target] + ("+" if promotion else "")


def format_usi(pos: Any, move: int) -> str:
    """Return the USI text of an encoded `move`; `pos` is not needed."""
    return usi_of(move_from(move), move_to(move), is_promotion(move))


def parse_usi(pos: Any, text: str) -> int:
    """Return the encoded legal move `text` of `pos`; raises ValueError saying why it is none."""
    return legal_move(pos, *split_usi(text))


def legal_move(pos: Any, source: int, target: int, promotion: bool) -> int:
    """Return the encoded move from `source` (81 + kind for a drop) to `target` if it is legal in `pos`.

    Raises ValueError saying why it is not.
    """
    if source >= DROP_BASE:
        kind = source - DROP_BASE
        move = int(drop_move(kind, target))
    else:
        kind, captured = int(pos.board[source]) & 15, int(pos.board[target]) & 15
        move = int(board_move(source, target, kind, captured, int(promotion)))
    if kind == 0 or promotion and PROMOTED_KINDS[kind] == 0 or not is_legal_tt_move(pos, np.uint32(move)):
        raise ValueError(f"illegal move {usi_of(source, target, promotion)!r}: {_why_illegal(pos, move)}")
    return move


def _why_illegal(pos: Any, move: int) -> str:
    """Return what is wrong with a move that is not among the legal ones of `pos`."""
    side = int(pos.side)
    problem = _why_no_drop(pos, move) if move_from(move) >= DROP_BASE else _why_no_board_move(pos, move)
    if problem:
        return problem
    after = pos.copy()
    do_move(after, np.uint32(move), new_record(UNDO))
    king = int(after.king[side])
    attackers = _attackers(after, king, 1 - side) if king != NO_SQUARE else []
    if attackers:
        how = "leaves" if move_kind(move) != KING else "puts"
        return f"it {how} the king on {SQUARE_NAMES[king]} in check from {_list_squares(attackers)}"
    return "a pawn drop may not mate"


def _why_no_drop(pos: Any, move: int) -> str:
    """Return why a drop can not be made, own king's safety and drop-pawn mate aside; '' if it can."""
    side, kind, target = int(pos.side), move_kind(move), move_to(move)
    name = KIND_NAMES[kind]
    if hand_count(pos.hand[side], kind) == 0:
        return f"{SIDES[side]} has no {name} in hand"
    if pos.board[target]:
        return f"{SQUARE_NAMES[target]} is not empty"
    if is_dead(side, kind, target):
        return f"a {name} on {SQUARE_NAMES[target]} could never move"
    column = range(target % 9, SQUARES, 9)
    pawns = [square for square in column if pos.board[square] == side << 4 | PAWN]
    if kind == PAWN and pawns:
        return f"{SIDES[side]} has a pawn on file {9 - target % 9} already, on {SQUARE_NAMES[pawns[0]]} (nifu)"
    return ""


def _why_no_board_move(pos: Any, move: int) -> str:
    """Return why a move on the board can not be made, own king's safety aside; '' if it can."""
    side, source, target = int(pos.side), move_from(move), move_to(move)
    piece, captured = int(pos.board[source]), int(pos.board[target])
    origin, goal = SQUARE_NAMES[source], SQUARE_NAMES[target]
    if not piece:
        return f"there is no piece on {origin}"
    if piece >> 4 != side:
        return f"the piece on {origin} is {SIDES[1 - side]}'s, and {SIDES[side]} is to move"
    if captured and captured >> 4 == side:
        return f"{SIDES[side]}'s own piece stands on {goal}"
    kind = piece & 15
    name = ("promoted " if kind > KING else "") + KIND_NAMES[UNPROMOTED[kind]]
    if source not in _attackers(pos, target, side):
        return f"the {name} on {origin} does not reach {goal}"
    if is_promotion(move):
        if PROMOTED[kind] == 0:
            return f"a {name} can not promote"
        if not any((square // 9 < 3) if side == BLACK else (square // 9 > 5) for square in (source, target)):
            return f"neither {origin} nor {goal} is in {SIDES[side]}'s promotion zone"
    elif is_dead(side, kind, target):
        return f"the {name} must promote on {goal}"
    return ""


# ---- USI position ------------------------------------------------------------------------------------------------


def parse_usi_position(text: str) -> tuple[Any, list[int]]:
    """Return (the position the game began with, its encoded moves) of the argument of USI's `position`.

    'startpos' or 'sfen <sfen>', then nothing, or 'moves' and any number of moves. The word 'sfen' may be missing.
    Raises ValueError; for a move it says which of the list it is.
    """
    words = text.split()
    split = words.index("moves") if "moves" in words else len(words)
    start, moves = words[:split], words[split + 1 :]
    if not start:
        raise ValueError("position: 'startpos' or an sfen is missing")
    if start[0] == "startpos" and len(start) > 1:
        raise ValueError(f"position: 'moves' is wanted after 'startpos', not {start[1]!r}")
    pos = parse_sfen(" ".join(start[1:] if start[0] == "sfen" else start))
    current, undo, encoded = pos.copy(), new_record(UNDO), []
    for number, usi in enumerate(moves, 1):
        try:
            move = parse_usi(current, usi)
        except ValueError as error:
            raise ValueError(f"position: move {number} of {len(moves)}: {error}") from None
        do_move(current, np.uint32(move), undo)
        encoded.append(move)
    return pos, encoded
