"""Patterns of pieces, and how the tables of castles and openings write them.

A pattern is a line of tokens, seen from the side that it is about: its own camp is ranks g to i, also for white.

    K8h        its king is on 8h                  R7h,7f    its rook is on one of these squares
    GS7i       a gold or a silver                 K12345    on one of these files
    p3d        a pawn of the opponent             !G5h      no gold of its own on 5h
    *B  *b     a bishop in its hand, in theirs    =8h2b+    it has made this move    ~8h2b+    they have

Of several patterns with `or` between them, one has to fit.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shogi_engine.games.shogi.board.moves import Move
from shogi_engine.games.shogi.symbols import KINDS_BY_SYMBOL, SQUARE_NAMES, SQUARES_BY_NAME

_TOKEN = re.compile(r"(!?)([A-Za-z]+)((?:[1-9][a-i],?)+|[1-9]+)")
_HAND = re.compile(r"(!?)\*([A-Za-z])")
_LAST = len(SQUARE_NAMES) - 1


@dataclass
class View:
    """What patterns look at in a game.

    Attributes:
        board: the piece on each of the 81 squares as a position holds it, 0 for none
        hands: by colour, the number of pieces by kind
        made: by colour, the moves made so far, each as the side that made it sees it
    """

    board: bytes
    hands: tuple[bytes, bytes]
    made: tuple[set[str], set[str]]


@dataclass(frozen=True)
class _Squares:
    """Pieces that stand on one of some squares, for each colour that the pattern is about."""

    pieces: tuple[frozenset[int], frozenset[int]]
    squares: tuple[tuple[int, ...], tuple[int, ...]]
    wanted: bool

    def fits(self, seen: View, colour: int) -> bool:
        pieces, board = self.pieces[colour], seen.board
        return any(board[square] in pieces for square in self.squares[colour]) is self.wanted


@dataclass(frozen=True)
class _Hand:
    """A kind of piece in the hand of the side (`other` 0) or of its opponent (1)."""

    kind: int
    other: int
    wanted: bool

    def fits(self, seen: View, colour: int) -> bool:
        return (seen.hands[colour ^ self.other][self.kind] > 0) is self.wanted


@dataclass(frozen=True)
class _Made:
    """A move made by the side (`other` 0) or by its opponent (1)."""

    move: str
    other: int

    def fits(self, seen: View, colour: int) -> bool:
        return self.move in seen.made[colour ^ self.other]


@dataclass(frozen=True)
class Pattern:
    """A pattern without alternatives.

    Attributes:
        king: by colour, the squares on which its king may stand; empty if the pattern does not say
        squares: by colour, the squares on which it wants pieces of its own
    """

    tokens: tuple[_Squares | _Hand | _Made, ...]
    king: tuple[tuple[int, ...], tuple[int, ...]]
    squares: tuple[frozenset[int], frozenset[int]]

    def fits(self, seen: View, colour: int) -> bool:
        """Tell whether the pattern is there for a colour."""
        return all(token.fits(seen, colour) for token in self.tokens)


def lines_of(file: str) -> list[str]:
    """Return the lines of a table of this folder, without empty ones and comments."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and line[0] != "#"]


def patterns_of(text: str) -> tuple[Pattern, ...]:
    """Return the alternatives of a pattern."""
    return tuple(_pattern(each.split()) for each in text.split(" or "))


def relative_move(usi: str, colour: int) -> str:
    """Return a move in USI as the side of `colour` sees it: 2b8h+ of white is 8h2b+."""
    return Move.from_usi(usi).rotate().usi() if colour else usi


def _pattern(words: Sequence[str]) -> Pattern:
    tokens = tuple(map(_token, words))
    king: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    own: tuple[set[int], set[int]] = (set(), set())
    for word, token in zip(words, tokens, strict=True):
        if isinstance(token, _Squares) and word[0].isupper():
            king = token.squares if word[0] == "K" else king
            for colour in (0, 1):
                own[colour].update(token.squares[colour])
    return Pattern(tokens, king, (frozenset(own[0]), frozenset(own[1])))


def _token(word: str) -> _Squares | _Hand | _Made:
    if word[0] in "=~":
        return _Made(word[1:], int(word[0] == "~"))
    if found := _HAND.fullmatch(word):
        return _Hand(KINDS_BY_SYMBOL[found[2].upper()], int(found[2].islower()), not found[1])
    found = _TOKEN.fullmatch(word)
    assert found is not None, word
    kinds, other = [KINDS_BY_SYMBOL[letter.upper()] for letter in found[2]], int(found[2].islower())
    black = tuple(_squares(found[3]))
    own, theirs = (frozenset(kind | colour << 4 for kind in kinds) for colour in (other, 1 - other))
    return _Squares((own, theirs), (black, tuple(_LAST - square for square in black)), not found[1])


def _squares(text: str) -> list[int]:
    """Return the squares of '8h,7i', or those of the files '78'."""
    if text.isdecimal():
        return [square for square, name in enumerate(SQUARE_NAMES) if name[0] in text]
    return [SQUARES_BY_NAME[name] for name in text.split(",")]
