"""Why a move was bad: facts of Othello's board along the lines of the search.

Every line begins with the position in which the bad move was made, on a Board that is unchanged on return. Two lines
are compared after the same number of moves.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from shogi_engine.games.othello import bitboard
from shogi_engine.games.othello.names import CORNERS
from shogi_engine.games.othello.notation import PASS_NAME, split_move
from shogi_engine.types.outcomes import Fact, Kind

FEWEST = 3  # the difference of two counts of which something is said
RATIO = 4 / 3  # and of two numbers of moves
LATE = 20  # empty squares: from here on it counts who plays last in a region
EDGES = int(bitboard.FILE_A | bitboard.FILE_H | bitboard.RANK_1 | bitboard.RANK_8)
ALL = 2**64 - 1


@dataclass(frozen=True)
class DiscPosition:
    """A position of a line: the discs of the side of the bad move, those of the other side, and the next moves."""

    mine: int
    theirs: int
    moves: tuple[str, ...]

    @cached_property
    def empty(self) -> int:
        """The empty squares."""
        return ~(self.mine | self.theirs) & ALL

    @property
    def frontier(self) -> int:
        """The number of discs of the side of the bad move that touch an empty square."""
        return (self.mine & _around(self.empty)).bit_count()

    def stable(self, own: bool) -> int:
        """Return how many discs of a side are known to be stable."""
        sides = (self.mine, self.theirs) if own else (self.theirs, self.mine)
        return int(bitboard.stable_discs(*map(np.uint64, sides))).bit_count()

    def region(self, name: str) -> int:
        """Return the number of empty squares that are connected with an empty square, itself included."""
        before, region = 0, _bit(name)
        while region != before:
            before, region = region, (region | _around(region)) & self.empty
        return region.bit_count()


class Lines(NamedTuple):
    """The line of the move played and the better line, equally long, and the positions after 0, 1, ... moves."""

    played: tuple[str, ...]
    better: tuple[str, ...]
    after: list[DiscPosition]
    spared: list[DiscPosition]

    def fact(self, kind: Kind, plies: int, **details: Any) -> Fact:
        """Return a fact about the position after some moves of the line of the move played."""
        return Fact(kind, self.played[:plies], instead=self.better[:plies], **details)

    def missed(self, kind: Kind, plies: int, **details: Any) -> Fact:
        """Return a fact about the position after some moves of the better line."""
        return Fact(kind, self.better[:plies], instead=self.played[:plies], **details)


def facts(board: Any, move: str, better: Sequence[str], replies: Sequence[str], **_mates: Any) -> Iterator[Fact]:
    """Yield facts about a bad move, the gravest first.

    Args:
        better: the best line from the position before the move
        replies: the best line from the position after it
    """
    plies = min(len(better), 1 + len(replies))
    played, best = (move, *replies)[:plies], tuple(better[:plies])
    lines = Lines(played, best, _positions(board, played), _positions(board, best))
    yield from _corner_lost(lines, replies[:1])
    yield from _pass_forced(lines)
    yield from _corner_missed(lines)
    yield from _pass_missed(lines)
    yield from _near_corner(lines, "X", int(bitboard.X_SQUARES))
    yield from _stable(lines)
    yield from _moves(lines)
    yield from _near_corner(lines, "C", int(bitboard.C_SQUARES))
    yield from _regions(lines)
    yield from _edges(lines)
    yield from _discs(lines)


def _corner_lost(lines: Lines, reply: Sequence[str]) -> Iterator[Fact]:
    """Yield a fact if the reply takes a corner that the better move leaves closed, or its line more corners."""
    if reply and reply[0] in CORNERS and reply[0] not in lines.spared[1].moves:
        yield Fact(Kind.CORNER_GIVEN, (lines.played[0], reply[0]), reply[0], instead=lines.better[:1])
        return
    for plies in range(2, len(lines.played) + 1, 2):
        corner = lines.played[plies - 1]
        if corner in CORNERS and _corners(lines.played[:plies]) < min(0, _corners(lines.better[:plies])):
            yield lines.fact(Kind.CORNER_LOST, plies, square=corner)
            return


def _corner_missed(lines: Lines) -> Iterator[Fact]:
    """Yield a fact if the better line takes more corners than the line of the move played."""
    for plies in range(1, len(lines.better) + 1, 2):
        corner = lines.better[plies - 1]
        if corner in CORNERS and _corners(lines.better[:plies]) > max(0, _corners(lines.played[:plies])):
            yield lines.missed(Kind.CORNER_MISSED, plies, square=corner)
            return


def _corners(line: Sequence[str]) -> int:
    """Return how many more corners the side to move takes in a line than the other side."""
    return sum((-1) ** number for number, move in enumerate(line) if move in CORNERS)


def _pass_forced(lines: Lines) -> Iterator[Fact]:
    """Yield a fact if the side of the bad move must pass in its line, and not in the better line."""
    if (number := _first_pass(lines.played[::2])) and not _first_pass(lines.better[::2]):
        yield lines.fact(Kind.PASS_FORCED, 2 * number)


def _pass_missed(lines: Lines) -> Iterator[Fact]:
    """Yield a fact if the opponent must pass in the better line, and not in that of the move played."""
    if (number := _first_pass(lines.better[1::2])) is not None and _first_pass(lines.played[1::2]) is None:
        yield lines.missed(Kind.PASS_MISSED, 2 * number + 1)


def _first_pass(moves: Sequence[str]) -> int | None:
    """Return the index of the first pass, None for none."""
    return moves.index(PASS_NAME) if PASS_NAME in moves else None


def _near_corner(lines: Lines, name: str, squares: int) -> Iterator[Fact]:
    """Yield a fact if the move is on one of `squares`, next to an empty corner, and the better move is not."""
    near = [_empty_corner(lines.after[0], line[0], squares) for line in (lines.played, lines.better)]
    if near[0] and not near[1]:
        yield lines.fact(Kind.NEAR_CORNER, 1, square=near[0], name=name)


def _empty_corner(position: DiscPosition, move: str, squares: int) -> str:
    """Return the empty corner next to a move on one of `squares`, '' for none."""
    corners = _around(_bit(move) & squares) & position.empty
    return next((name for name in CORNERS if corners & _bit(name)), "")


def _stable(lines: Lines) -> Iterator[Fact]:
    """Yield a fact if at the end of the lines more discs of the opponent are stable, or fewer of the other side."""
    plies = len(lines.played)
    for kind, own in ((Kind.STABLE_GIVEN, False), (Kind.STABLE_MISSED, True)):
        number, other = lines.after[-1].stable(own), lines.spared[-1].stable(own)
        if (other - number if own else number - other) >= FEWEST:
            yield lines.fact(kind, plies, number=number, other=other)


def _moves(lines: Lines) -> Iterator[Fact]:
    """Yield a fact if the opponent has more moves than in the better line, and if this side has fewer."""
    kinds = [Kind.MOVES_GIVEN, Kind.FEW_MOVES]
    for plies in range(1, len(lines.played) + 1):
        if PASS_NAME in (lines.played[plies - 1], lines.better[plies - 1]):
            return
        kind = Kind.MOVES_GIVEN if plies % 2 else Kind.FEW_MOVES
        number, other = len(lines.after[plies].moves), len(lines.spared[plies].moves)
        low, high = (other, number) if plies % 2 else (number, other)
        if kind in kinds and high - low >= FEWEST and high >= low * RATIO:
            kinds.remove(kind)
            yield lines.fact(kind, plies, number=number, other=other)


def _regions(lines: Lines) -> Iterator[Fact]:
    """Yield a fact if late in the game only the better move is in a region with an odd number of empty squares."""
    before = lines.after[0]
    number, other = before.region(lines.played[0]), before.region(lines.better[0])
    if before.empty.bit_count() <= LATE and number % 2 < other % 2:
        yield lines.fact(Kind.EVEN_REGION, 1, number=number, other=other)


def _edges(lines: Lines) -> Iterator[Fact]:
    """Yield a fact if at the end of the lines more discs of the opponent are on the edges."""
    number, other = ((each[-1].theirs & EDGES).bit_count() for each in (lines.after, lines.spared))
    if number - other >= FEWEST:
        yield lines.fact(Kind.EDGES_GIVEN, len(lines.played), number=number, other=other)


def _discs(lines: Lines) -> Iterator[Fact]:
    """Yield a fact if the move makes a longer frontier than the better move, or flips more discs."""
    before, after, spared = lines.after[0], lines.after[1], lines.spared[1]
    if before.empty.bit_count() <= LATE:
        return
    if after.frontier - spared.frontier >= FEWEST:
        yield lines.fact(Kind.FRONTIER, 1, number=after.frontier, other=spared.frontier)
    number, other = ((before.theirs & each.mine).bit_count() for each in (after, spared))
    if number - other >= FEWEST:
        yield lines.fact(Kind.DISCS_FLIPPED, 1, number=number, other=other)


# ---- the board ---------------------------------------------------------------------------------------------------


def _positions(board: Any, line: Sequence[str]) -> list[DiscPosition]:
    """Return the positions after 0, 1, ... of the moves of a line."""
    side, found = board.turn, []
    for number in range(len(line) + 1):
        if number:
            board.push_text(line[number - 1])
        moves = tuple(str(move) for move in board.legal_moves if str(move) != PASS_NAME)
        found.append(DiscPosition(board.discs(side), board.discs(1 - side), moves))
    for _ in line:
        board.pop()
    return found


def _bit(name: str) -> int:
    """Return the bitboard of a square, none for a pass."""
    square = split_move(name)
    return 0 if square is None else 1 << square


def _around(squares: int) -> int:
    return int(bitboard.neighbours(np.uint64(squares)))


def square_text(name: str, language: str) -> str:
    """Return the name of a square."""
    return name


def name_text(identifier: str, language: str) -> str:
    """Return the name of a kind of square: X or C."""
    return identifier
