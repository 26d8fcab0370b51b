"""Othello's levels, 0 (a beginner) to 30: how deep a player searches, how selectively, and when it solves the rest."""

from dataclasses import dataclass
from typing import Any

from shogi_engine.games.othello.params import SELECTIVITY
from shogi_engine.levels import LevelPlan

LEVELS = 31
QUICK = 21  # levels above it may take minutes a move
SELECTIVE_PLIES = 2  # that a selective level looks farther than its number: it takes less time still
FULL_WIDTH = 5  # levels above it search the middle game selectively
BEGINNER_MOVES = 3  # how many moves level 0 looks at


@dataclass(frozen=True)
class Level:
    """depth : plies of the middle game, searched with `selectivity` (0: with full width).

    exact : the game is solved from that many empty squares.   selective : from that many it is searched to its end,
    selectively.   moves : how many legal moves, selected by chance, are looked at; 0 for all.
    """

    depth: int
    selectivity: int
    exact: int
    selective: int
    moves: int


def _level(number: int) -> Level:
    """Return what a level means: about as deep as its number, and to the end from twice that, as far as that is quick."""
    if number <= 10:
        exact = 2 * number
    else:
        exact = 20 + (number - 10) * 2 // 5 if number <= QUICK else 24 + (number - QUICK) * 2 // 3
    selective = exact if number <= 7 else exact + 2 + (min(number, QUICK) - 8) // 3
    moves = BEGINNER_MOVES if number == 0 else 0
    if number > FULL_WIDTH:
        return Level(number + SELECTIVE_PLIES, SELECTIVITY, exact, selective, moves)
    return Level(max(number, 1), 0, exact, selective, moves)


TABLE = tuple(_level(number) for number in range(LEVELS))


def empties(position: Any) -> int:
    """Return the number of empty squares of record[POSITION]."""
    return 64 - (int(position.own) | int(position.opponent)).bit_count()


def plies_left(position: Any) -> int:
    """Return a depth that reaches the end of any game from here: one more sees that the last move was one."""
    return empties(position) + 1


def plan(number: int, position: Any) -> LevelPlan:
    """Return how a player of level `number` searches `position`.

    Raises ValueError if there is no such level.
    """
    if not 0 <= number < LEVELS:
        raise ValueError(f"levels are 0 to {LEVELS - 1}, not {number}")
    level = TABLE[number]
    left = empties(position)
    if left <= level.exact:
        return LevelPlan(plies_left(position), selectivity=0, exact=True)
    if left <= level.selective:
        return LevelPlan(plies_left(position), selectivity=level.selectivity)
    return LevelPlan(level.depth, selectivity=level.selectivity, moves=level.moves)
