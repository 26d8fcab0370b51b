"""Patterns of pieces, and how the tables of castles and openings write them.

A pattern is a line of tokens, seen from the side that it is about: its own camp is ranks g to i, also for white.

    K8h        its king is on 8h                  R7h,7f    its rook is on one of these squares
    GS7i       a gold or a silver                 K12345    on one of these files
    p3d        a pawn of the opponent             !G5h      no gold of its own on 5h
    *B  *b     a bishop in its hand, in theirs    =8h2b+    it has made this move    ~8h2b+    they have

Of several patterns with `or` between them, one has to fit.
"""

import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shogi_engine.games.shogi.board.pieces import Move
from shogi_engine.games.shogi.records.kakinoki import handicap_name
from shogi_engine.games.shogi.types import KINDS_BY_SYMBOL, KING, SQUARE_NAMES, SQUARES_BY_NAME, make_piece
from shogi_engine.records.tree import GameRecord
from shogi_engine.types.outcomes import GameNames, Name, Standing

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


# ---- The castles, which `castles.txt` describes


@dataclass(frozen=True)
class Castle:
    """A castle: its name, and the shapes that it may have."""

    name: Name
    patterns: tuple[Pattern, ...]

    @classmethod
    def parse(cls, line: str) -> "Castle":
        """Return the castle of a line of the table."""
        name, japanese, english, pattern = (part.strip() for part in line.split("|", 3))
        return cls(Name(name, japanese, english), patterns_of(pattern))


CASTLES = tuple(map(Castle.parse, lines_of("castles.txt")))


def _by_king(colour: int) -> dict[int, list[tuple[Castle, Pattern]]]:
    """Return the castles and their shapes by the square of the king of `colour`, in the order of the table."""
    found: dict[int, list[tuple[Castle, Pattern]]] = {}
    for castle in CASTLES:
        for pattern in castle.patterns:
            for square in pattern.king[colour]:
                found.setdefault(square, []).append((castle, pattern))
    return found


_BY_KING = (_by_king(0), _by_king(1))


def castle_at(seen: View, colour: int, king: int) -> tuple[Castle, Pattern] | None:
    """Return the castle of `colour`, whose king is on `king` (-1 for none), and the shape that fits; or None."""
    for castle, pattern in _BY_KING[colour].get(king, ()):
        if pattern.fits(seen, colour):
            return castle, pattern
    return None


# ---- The openings and strategies, which `strategies.txt` describes


@dataclass(frozen=True)
class Opening:
    """An opening of a side: its name, the shapes that show it, and when they do.

    Attributes:
        until: the last ply at which it is named
        after: the openings of the side, one of which it must have already; empty for no condition
        foe: those of its opponent
        without: those that neither it nor, for `static` openings, its opponent may have
        refines: the opening whose place the name takes, ''
        both: whether it is the opponent's opening too
        second: whether it is an opening only of the side that moves second
        start: the handicap with which the game began, '' for any start
    """

    name: Name
    patterns: tuple[Pattern, ...]
    until: int
    after: frozenset[str]
    foe: frozenset[str]
    without: frozenset[str]
    static: bool
    refines: str
    both: bool
    second: bool
    start: str

    @classmethod
    def parse(cls, line: str) -> "Opening":
        """Return the opening of a line of the table."""
        name, japanese, english, pattern, until, when = (part.strip() for part in line.split("|"))
        said: dict[str, set[str]] = {}
        for word in when.split():
            key, _, value = word.partition(":")
            said.setdefault(key, set()).update(FURIBISHA if value == "furibisha" else [value])
        refines = "".join(said.get("refines", ()))
        static = "static" in said
        return cls(
            Name(name, japanese, english),
            patterns_of(pattern),
            int(until),
            after=frozenset(said.get("after", [refines] if refines else [])),
            foe=frozenset(said.get("foe", ())),
            without=frozenset(said.get("not", set()) | (FURIBISHA if static else set())),
            static=static,
            refines=refines,
            both="both" in said,
            second="second" in said,
            start="".join(said.get("from", ())),
        )

    def open_to(self, own: Collection[str], foe: Collection[str], start: str, second: bool) -> bool:
        """Tell whether a side with the openings `own` may have this one too, against those of `foe`.

        Args:
            start: the handicap with which the game began
            second: whether the side moves second
        """
        return (
            self.name.id not in own
            and (second or not self.second)
            and (not self.start or self.start == start)
            and (not self.after or not self.after.isdisjoint(own))
            and (not self.foe or not self.foe.isdisjoint(foe))
            and self.without.isdisjoint(own)
            and not (self.static and not FURIBISHA.isdisjoint(foe))
        )


def _only_static() -> frozenset[str]:
    """Return the openings that a side does not have if the opponent's rook ranges after all."""
    found: set[str] = set()
    for opening in OPENINGS:
        if (opening.static and not opening.both) or not found.isdisjoint(opening.after):
            found.add(opening.name.id)
    return frozenset(found)


FURIBISHA = frozenset({"nakabisha", "shikenbisha", "sangenbisha", "mukaibisha"})
OPENINGS = tuple(map(Opening.parse, lines_of("strategies.txt")))
ONLY_STATIC = _only_static()
NEVER_RANGING = frozenset(each.name.id for each in OPENINGS if each.without >= FURIBISHA and not each.static)
LAST_PLY = max(opening.until for opening in OPENINGS)


# ---- Finds the castles and the openings of a game, each with the ply at which it stands


NAMES = {name.id: name for name in (*(each.name for each in CASTLES), *(each.name for each in OPENINGS))}
_REFINED = {opening.name.id: opening.refines for opening in OPENINGS}


def view_of(board: Any, made: tuple[set[str], set[str]] | None = None) -> View:
    """Return what patterns see of a Board's position.

    Args:
        made: by colour, the moves made so far
    """
    squares, hands, _ = board.identity()
    return View(squares, (hands[:8], hands[8:]), made or (set(), set()))


def _castle(view: View, colour: int) -> tuple[Name, Pattern] | None:
    """Return the castle of a colour with the shape that fits, None for none."""
    found = castle_at(view, colour, view.board.find(make_piece(colour, KING)))
    return found and (found[0].name, found[1])


class _Walk:
    """What has been found in a game so far."""

    def __init__(self, start: str) -> None:
        self._start = start
        self._castles: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self._openings: tuple[dict[str, int], dict[str, int]] = ({}, {})

    def look(self, view: View, ply: int, colour: int, target: int | None) -> None:
        """Look at the position after the ply-th move, of `colour`.

        Args:
            target: the square to which a piece has moved; a castle stands when its last piece gets there. None at the
                start of a game, for any square
        """
        found = _castle(view, colour)
        if found and (target is None or target in found[1].squares[colour]):
            self._castles[colour].setdefault(found[0].id, ply)
        if ply <= LAST_PLY and target is not None:
            self._look_at_openings(view, ply, colour)

    def _look_at_openings(self, view: View, ply: int, colour: int) -> None:
        own, foe = self._openings[colour], self._openings[1 - colour]
        for opening in OPENINGS:
            if (
                ply <= opening.until
                and opening.open_to(own, foe, self._start, second=ply % 2 == 0)
                and any(pattern.fits(view, colour) for pattern in opening.patterns)
            ):
                own[opening.name.id] = ply
                if opening.both:
                    foe.setdefault(opening.name.id, ply)
                if opening.name.id in FURIBISHA:
                    _forget(foe, ONLY_STATIC, ply)
                    _forget(own, NEVER_RANGING, ply)

    def names(self) -> GameNames:
        """Return what was found, without the openings that others refine."""
        castles = [_standings(side) for side in self._castles]
        openings = [_standings(side, {_REFINED[name] for name in side}) for side in self._openings]
        return GameNames((castles[0], castles[1]), (openings[0], openings[1]))


def _forget(found: dict[str, int], names: Set[str], ply: int) -> None:
    """Forget those of some names that were found before a ply."""
    for name in [name for name in names & found.keys() if found[name] < ply]:
        del found[name]


def _standings(found: Mapping[str, int], refined: Set[str] = frozenset()) -> list[Standing]:
    return [Standing(NAMES[name], ply) for name, ply in found.items() if name not in refined]


def castles(board: Any) -> tuple[Name | None, Name | None]:
    """Return the castles of black and white in a Board's position, None for a side without one."""
    black, white = (_castle(view_of(board), colour) for colour in (0, 1))
    return black[0] if black else None, white[0] if white else None


def names_of_moves(board: Any, moves: Sequence[str], start: str = "") -> GameNames:
    """Return the castles and openings of the moves (USI) from the position on `board`, which makes them.

    Args:
        start: the name of the handicap with which the game began

    Raises:
        ValueError: a move is illegal
    """
    made: tuple[set[str], set[str]] = (set(), set())
    walk = _Walk(start)
    for colour in (0, 1):
        walk.look(view_of(board), 0, colour, None)
    for ply, usi in enumerate(moves, 1):
        colour = board.turn
        move = board.push_text(usi)
        made[colour].add(relative_move(usi, colour))
        walk.look(view_of(board, made), ply, colour, -1 if move.from_square is None else move.to_square)
    return walk.names()


def names_of_record(record: GameRecord) -> GameNames:
    """Return the castles and openings of a game's main line. Raises ValueError for an illegal move."""
    return names_of_moves(record.board(0), record.moves, handicap_name(record.start))


# ---- The castles and the openings of games, by name: 金矢倉, 美濃囲い, 四間飛車, 角換わり腰掛け銀
#
# from shogi_engine import records
#     from shogi_engine.games.shogi import openings
#     names = openings.names_of_record(records.load("game.kif")[0])
#     print([(standing.name.english, standing.ply) for standing in names.castles[0]])
#
# `castles.txt` and `strategies.txt` are tables of patterns.


__all__ = [
    "CASTLES", "GameNames", "NAMES", "Name", "OPENINGS", "Standing", "castles", "names_of_moves", "names_of_record",
]  # fmt: skip
