"""Othello's notation: positions in OBF, moves such as 'f5', transcripts.

Errors are ValueErrors that say what is wrong and where. Any arrangement of discs is accepted: a diagram need not come
from a game.
"""

import re
from typing import Any

import numpy as np

from shogi_engine.common.text import wide_to_ascii
from shogi_engine.games.othello import types as t
from shogi_engine.games.othello.movegen import flips, mobility
from shogi_engine.games.othello.names import START as START
from shogi_engine.games.othello.position import do_move
from shogi_engine.jit import new_record
from shogi_engine.language import InputError, Message

SYMBOLS = "XO-"  # by colour, then an empty square
SIDES = ("black", "white")
FILES = "abcdefgh"
SQUARE_NAMES = tuple(f"{file}{rank}" for rank in range(1, 9) for file in FILES)
PASS_NAME = "pass"

# Variants: Edax and NBoard write '*' for black, some files have lower case or '.'.
_SYMBOL_OF = {"X": "X", "x": "X", "*": "X", "O": "O", "o": "O", "-": "-", ".": "-"}
_SQUARES = {name: square for square, name in enumerate(SQUARE_NAMES)}
_DIGITS = (str.maketrans("XO-", "100"), str.maketrans("XO-", "010"))  # by colour: its discs as binary digits
_CELLS = str.maketrans("120", SYMBOLS)  # from the digits of black's discs plus twice white's
_PASSES = (PASS_NAME, "pa", "ps", "pp", "z0", "--", "..", "@@")
# A move in a transcript, and before it its number, '2. ', and what separates it from the last one, as in '+f5-d6'; a
# judgement may follow, as in 'f5!?'.
# A '-' before another begins a pass, so that a row of them can be read in one way only, and quickly.
_NUMBER, _SEPARATOR = r"(?:\d{1,3}\s*+[.):]\s*+)?", r"(?:[,;+]|-(?!-))?+"
IN_TRANSCRIPT = rf"\s*+{_NUMBER}{_SEPARATOR}\s*+([a-h][1-8]|{'|'.join(map(re.escape, _PASSES))})[!?]*+"
_IN_TRANSCRIPT = re.compile(IN_TRANSCRIPT, re.IGNORECASE | re.ASCII)


# ---- positions ---------------------------------------------------------------------------------------------------


def parse_obf(text: str) -> Any:
    """Return the record[POSITION] of an OBF line: 64 squares from a1, b1 to h8, and the side to move; or 'startpos'.

    'X' or '*' is black, 'O' white, '-' or '.' empty. Blanks and anything after a ';' are ignored. Raises ValueError
    saying what is wrong and where.
    """
    if not isinstance(text, str):
        raise InputError("position: expected text, not {0}", type(text).__name__)
    if text.strip() == "startpos":
        text = START
    cells = "".join(text.partition(";")[0].split())
    usual = not cells[: t.SQUARES].strip(SYMBOLS)
    for place, cell in enumerate("" if usual else cells[: t.SQUARES]):
        if cell not in _SYMBOL_OF:
            raise InputError("position: {0!r} on {1} is not X, O or -", cell, SQUARE_NAMES[place])
    if len(cells) < t.SQUARES:
        raise InputError("position: expected 64 squares, not {0}", len(cells))
    side = cells[t.SQUARES :]
    if not side:
        raise InputError("position: the side to move, X or O, is missing after the 64 squares")
    if len(side) > 1:
        raise InputError("position: expected one letter, the side to move, after the 64 squares, not {0!r}", side)
    if _SYMBOL_OF.get(side, "-") == "-":
        raise InputError("position: the side to move must be X or O, not {0!r}", side)
    board = cells[: t.SQUARES] if usual else "".join(_SYMBOL_OF[cell] for cell in cells[: t.SQUARES])
    return position_of(board, SYMBOLS.index(_SYMBOL_OF[side]))


def position_of(board: str, side: int) -> Any:
    """Return the record[POSITION] of 64 characters X, O and - and the side to move, BLACK or WHITE, unchecked."""
    discs = [int("0" + board[::-1].translate(digits), 2) for digits in _DIGITS]
    pos = new_record(t.POSITION)
    pos.own, pos.opponent, pos.side = discs[side], discs[1 - side], side
    return pos


def discs_of(pos: Any) -> tuple[int, int]:
    """Return black's and white's discs as integers, bit s for square s."""
    own, opponent = int(pos.own), int(pos.opponent)
    return (own, opponent) if pos.side == t.BLACK else (opponent, own)


def format_board(pos: Any) -> str:
    """Return the 64 characters X, O and - of `pos`, a1 first."""
    return format_discs(*discs_of(pos))


def format_discs(black: int, white: int) -> str:
    """Return the 64 characters X, O and - of black's and white's discs, a1 first."""
    cells = int(f"{black:b}") + 2 * int(f"{white:b}")  # one decimal digit per square, which has at most one disc
    return f"{cells:064}"[::-1].translate(_CELLS)


def format_obf(pos: Any) -> str:
    """Return the OBF text of `pos`; the inverse of `parse_obf`."""
    return f"{format_board(pos)} {SYMBOLS[int(pos.side)]}"


# ---- moves -------------------------------------------------------------------------------------------------------


def split_move(text: str) -> int | None:
    """Return the square (0..63) of a move's text, None for a pass; raises ValueError if it is neither."""
    name = wide_to_ascii(text).strip().lower() if isinstance(text, str) else ""
    square = _SQUARES.get(name)
    if square is None and name not in _PASSES:
        raise InputError("{0!r} is neither a square, a1 to h8, nor 'pass'", text)
    return square


def places(pos: Any) -> int:
    """Return the squares where the side to move may place a disc, as an integer, bit s for square s."""
    return int(mobility(pos.own, pos.opponent))


def can_only_pass(pos: Any) -> bool:
    """Tell whether the side to move must pass: it cannot place a disc, and the other side can."""
    return places(pos) == 0 and int(mobility(pos.opponent, pos.own)) != 0


def legal_move(pos: Any, square: int | None) -> int:
    """Return the encoded move that places a disc on `square`, or the pass for None, if it is legal in `pos`.

    Raises ValueError saying why it is not.
    """
    if _why_illegal(pos, square):
        raise illegal_move(pos, square)
    return t.PASS if square is None else t.DISC_MOVE | square


def illegal_move(pos: Any, square: int | None) -> ValueError:
    """Return the error that `legal_move` raises for an illegal move: it says why the move is illegal in `pos`."""
    name = PASS_NAME if square is None else SQUARE_NAMES[square]
    return InputError("illegal move {0!r}: {1}", name, _why_illegal(pos, square))


def _why_illegal(pos: Any, square: int | None) -> str:
    """Return what is wrong with a move in `pos`, or '' if it is legal."""
    own, opponent, turn = pos.own, pos.opponent, int(pos.side)
    own_places, side, other = int(mobility(own, opponent)), SIDES[turn], SIDES[1 - turn]
    if own_places == 0 and not mobility(opponent, own):
        return Message("the game is over")
    if square is None:
        return Message("{0} can place a disc and so cannot pass", side) if own_places else ""
    for discs, whose in ((own, side), (opponent, other)):
        if int(discs) >> square & 1:
            return Message("there is already a disc of {0}", whose)
    if own_places == 0:
        return Message("{0} can only pass", side)
    return "" if own_places >> square & 1 else Message("it flips no disc of {0}", other)


def legal_moves(pos: Any) -> list[int]:
    """Return the encoded legal moves of `pos`, the lowest square first."""
    own_places = places(pos)
    if own_places:
        return [t.DISC_MOVE | square for square in range(t.SQUARES) if own_places >> square & 1]
    return [t.PASS] if can_only_pass(pos) else []


def flipped(pos: Any, move: int) -> list[int]:
    """Return the squares of the discs that an encoded legal `move` flips, the lowest first."""
    if move == t.PASS:
        return []
    discs = int(flips(pos.own, pos.opponent, t.move_square(move)))
    return [square for square in range(t.SQUARES) if discs >> square & 1]


def parse_move(pos: Any, text: str) -> int:
    """Return the encoded legal move `text` ('f5', 'pass') of `pos`; raises ValueError saying why it is not legal."""
    return legal_move(pos, split_move(text))


def format_move(pos: Any, move: int) -> str:
    """Return the text of an encoded `move`; `pos` is not needed."""
    return PASS_NAME if move == t.PASS else SQUARE_NAMES[t.move_square(move)]


# ---- transcripts -------------------------------------------------------------------------------------------------


def split_transcript(text: str) -> list[str]:
    """Split a transcript into the texts of its moves: squares and passes.

    Blanks, a comma, a sign or the number of a move, '2.', may stand between them, and '!' or '?' after them. Full-width
    letters and digits are read too.

    Raises ValueError for anything else, giving the character's position.
    """
    if not isinstance(text, str):
        raise InputError("transcript: expected text, not {0}", type(text).__name__)
    text, moves = wide_to_ascii(text), list[str]()
    place = 0
    while found := _IN_TRANSCRIPT.match(text, place):
        moves.append(found[1].lower())
        place = found.end()
    place += len(text[place:]) - len(text[place:].lstrip())
    if place < len(text):
        raise InputError(
            "transcript: move {0}, character {1}: {2!r} is neither a square, a1 to h8, nor 'pass'",
            len(moves) + 1,
            place + 1,
            text[place : place + 2],
        )
    return moves


def parse_transcript(text: str, start: Any = None) -> list[int]:
    """Return the encoded moves of a transcript ('f5d6c3...'), with the passes that it omits.

    Args:
        start: record[POSITION], where the game began; None for the starting position

    Raises:
        ValueError: a move is wrong; the message says which and why
    """
    pos = parse_obf(START) if start is None else start.copy()
    undo, moves = new_record(t.UNDO), []
    for number, name in enumerate(split_transcript(text), 1):
        square = split_move(name)
        if square is not None and can_only_pass(pos):
            do_move(pos, np.uint32(t.PASS), undo)
            moves.append(t.PASS)
        try:
            move = legal_move(pos, square)
        except ValueError as error:
            raise InputError("transcript: move {0}: {1}", number, error) from None
        do_move(pos, np.uint32(move), undo)
        moves.append(move)
    return moves
