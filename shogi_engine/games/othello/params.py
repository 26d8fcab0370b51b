"""Othello's margins and move ordering weights: a record that is copied into contexts; tuning recompiles nothing."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine.games.othello.names import DISC, MAX_LEVEL, QUICK_LEVEL
from shogi_engine.games.othello.types import SQUARES
from shogi_engine.interface.extras import LevelPlan
from shogi_engine.jit import njit, popcount, record_dtype
from shogi_engine.language import InputError
from shogi_engine.search.parameters import SEARCH_FIELDS, search_defaults

PARAMS = record_dtype(
    [
        *SEARCH_FIELDS,
        # score_moves (ordering.py); they outweigh the search's histories
        ("order_value_depth", np.int32),  # with at least this many plies left the evaluation is used
        ("order_value", np.int32),  # per hundredth of a disc of the evaluation after the move
        ("order_mobility", np.int32),  # per weighted reply left to the opponent
        ("order_potential", np.int32),  # per empty square next to the mover's discs
        ("order_parity", np.int32),  # a disc move in a quadrant with an odd number of empty squares
        ("order_squares", np.int32, (64,)),  # by square
    ]
)

MULTI_PROBCUT_MARGIN = 100  # percent of a spread

# The search's margins, in hundredths of a disc. Values change little from move to move, hence the window of one disc.
MARGINS = {
    "multi_probcut_margin": MULTI_PROBCUT_MARGIN,
    "aspiration_window": 2 * DISC,
    "aspiration_square": 1000000,
    "aspiration_growth": 300,
    "score_noise": 2 * DISC,
}

# The values of order_squares for the triangle a1, b1, b2, c1 ... d4; the rest follow by symmetry.
TRIANGLE = {(0, 0): 40, (0, 1): -12, (1, 1): -25, (0, 2): 4, (1, 2): -6, (2, 2): 2, (0, 3): 2, (1, 3): -4}


def square_bonus(square: int) -> int:
    """Return TRIANGLE's value for a square, by symmetry."""
    file, rank = min(square % 8, 7 - square % 8), min(square // 8, 7 - square // 8)
    return TRIANGLE.get((min(file, rank), max(file, rank)), 0)


def default_params() -> Any:
    """Return the tuned parameters."""
    params = search_defaults(PARAMS)
    for name, value in MARGINS.items():
        setattr(params, name, value)
    params.order_value_depth = 5
    params.order_value = 128
    params.order_mobility = 1024
    params.order_potential = 256
    params.order_parity = 192
    params.order_squares = [128 * square_bonus(square) for square in range(64)]
    return params


# ---- Othello's levels, 0 (a beginner) to 30: how deeply and selectively a level searches, and when it solves games


LEVELS = MAX_LEVEL + 1
FULL_WIDTH = 5  # higher levels search the middle game selectively, to SELECTIVE_DEPTH
SELECTIVE_DEPTH = {6: 8, 15: 23, QUICK_LEVEL: 28, MAX_LEVEL: 36}  # plies, at some levels
EXACT = {0: 0, 10: 20, 15: 24, QUICK_LEVEL: 26, MAX_LEVEL: 32}  # empty squares, at some levels
# From level LONG on, the solver starts with up to four more empty squares, but selectively. These are the selectivities
# (endgame.deep_search.MARGINS) allowed for one more square, two more ...; each takes about as long as an exact score
# with no more squares.
LONG, SELECTIVITIES = 8, (1, 2, 3, 3)
# A selective search of 8 plies ends after MOST_NODES positions; each further ply multiplies this limit by NODES_GROWTH.
# The limit is more than twice what 99 of 100 positions need. It is needed for positions in which a side has hardly
# any discs left: nothing is pruned there, and 28 plies would take minutes.
MOST_NODES, NODES_GROWTH = 50_000, 1.44
CAREFUL = 150  # multi_probcut_margin of searches to the end without the solver, as for lists of moves
BEGINNER_MOVES = 3  # the number of moves that level 0 considers


@dataclass(frozen=True)
class Level:
    """How a level plays.

    Attributes:
        depth: the depth in plies in the middle game, searched with `multi_probcut_margin` (0: full width)
        exact: with at most this many empty squares, the game is solved
        selective: with at most this many empty squares, the game is searched to its end selectively
        moves: the number of legal moves, chosen at random, that are searched; 0 for all
        nodes: about how many positions a search of the middle game visits at most, None for no limit
    """

    depth: int
    multi_probcut_margin: int
    exact: int
    selective: int
    moves: int
    nodes: int | None = None


def _level(number: int) -> Level:
    """Return the settings of a level; they grow from level to level as time allows."""
    exact = _between(number, EXACT)
    selective = exact if number < LONG else exact + len(SELECTIVITIES)
    moves = BEGINNER_MOVES if number == 0 else 0
    if number > FULL_WIDTH:
        depth = _between(number, SELECTIVE_DEPTH)
        nodes = round(MOST_NODES * NODES_GROWTH ** (depth - 8))
        return Level(depth, MULTI_PROBCUT_MARGIN, exact, selective, moves, nodes)
    return Level(max(number, 1), 0, exact, selective, moves)


def _between(number: int, points: dict[int, int]) -> int:
    """Interpolate `points` linearly at `number`, rounded down."""
    return int(np.interp(number, list(points), list(points.values())))


TABLE = tuple(_level(number) for number in range(LEVELS))


@njit(tiny=True)  # type: ignore[untyped-decorator]
def empty_squares(position: Any) -> int:
    """Return the number of empty squares of record[POSITION]."""
    return SQUARES - popcount(position.own | position.opponent)  # type: ignore[no-any-return]


@njit(tiny=True)  # type: ignore[untyped-decorator]
def plies_left(position: Any) -> int:
    """Return a depth in plies that reaches the end of any game, plus one ply to see that the game has ended."""
    return empty_squares(position) + 1  # type: ignore[no-any-return]


def plan(number: int, position: Any) -> LevelPlan:
    """Return how a player of level `number` searches `position`.

    Raises ValueError if there is no such level.
    """
    if not 0 <= number < LEVELS:
        raise InputError("the level must be 0 to {0}, not {1}", MAX_LEVEL, number)
    level = TABLE[number]
    left = empty_squares(position)
    if left <= level.exact:
        return LevelPlan(plies_left(position), multi_probcut_margin=0, selectivity=0)
    if left <= level.selective:
        return LevelPlan(
            plies_left(position), multi_probcut_margin=CAREFUL, selectivity=SELECTIVITIES[left - level.exact - 1]
        )
    return LevelPlan(level.depth, level.nodes, level.multi_probcut_margin, level.moves)
