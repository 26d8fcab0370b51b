"""The patterns of Othello's evaluation: their squares, their instances on the board, and the layout of their weights.

A pattern is a list of at most ten squares. Their contents form a number in base 3 (0 empty, 1 a disc of the side to
move, 2 the other side's; the first square counts 1, the next 3 ...). The images of a pattern under the board's
symmetries are its instances, which share its weights. A few counts (mobility, empty squares next to discs, odd
quadrants) are further features, with a weight for each number. Each phase of the game, two discs long, has its own
weights.

Sources: Michael Buro, "Experiments with Multi-ProbCut and a New High-Quality Evaluation Function for Othello" (1997),
for the idea. The choice of patterns is similar to that of Edax (https://github.com/abulmo/edax-reversi) and Egaroucid
(https://www.egaroucid.nyanyan.dev).
"""

import numpy as np

from shogi_engine.games.othello.bitboard import SYMMETRIES, transform_square

PHASES = 31  # of two discs each: 4 and 5 discs, 6 and 7, ... 64
PHASE_OF_DISCS = np.maximum(np.arange(65) - 4, 0) // 2  # by the number of discs

PATTERN_SQUARES = {
    "edge_2x": "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
    "edge_block": "a1 c1 d1 e1 f1 h1 c2 d2 e2 f2",
    "corner_2x5": "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2",
    "corner_3x3": "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    "corner_angle": "a1 b1 c1 d1 e1 a2 a3 a4 a5 b2",
    "corner_triangle": "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4",
    "rank_2": "a2 b2 c2 d2 e2 f2 g2 h2",
    "rank_3": "a3 b3 c3 d3 e3 f3 g3 h3",
    "rank_4": "a4 b4 c4 d4 e4 f4 g4 h4",
    "diagonal_8": "a1 b2 c3 d4 e5 f6 g7 h8",
    "diagonal_7": "b1 c2 d3 e4 f5 g6 h7",
    "diagonal_6": "c1 d2 e3 f4 g5 h6",
    "diagonal_5": "d1 e2 f3 g4 h5",
    "diagonal_4": "e1 f2 g3 h4",
}
COUNTS = ("own_moves", "opponent_moves", "own_frontier", "opponent_frontier", "odd_quadrants")  # further features
COUNT_SIZE = 64  # weights for each count


def pattern_squares(name: str) -> list[int]:
    """Return the squares of a pattern as numbers."""
    return ["abcdefgh".index(square[0]) + 8 * (int(square[1]) - 1) for square in PATTERN_SQUARES[name].split()]


def images(squares: list[int]) -> list[list[int]]:
    """Return the images of a pattern that are distinct sets of squares, the pattern itself first."""
    found: dict[frozenset[int], list[int]] = {}
    for symmetry in range(SYMMETRIES):
        image = [transform_square(square, symmetry) for square in squares]
        found.setdefault(frozenset(image), image)
    return list(found.values())


INSTANCE_SQUARES = [(name, image) for name in PATTERN_SQUARES for image in images(pattern_squares(name))]
INSTANCES = len(INSTANCE_SQUARES)
SLOTS = 64  # numbers in an accumulator: a power of two for vector instructions; those beyond INSTANCES are 0

# The spread of `probcut` is stored by group of phases and by depth; the last depth is also used for all greater ones.
SPREAD_GROUPS, SPREAD_PHASES, SPREAD_DEPTHS = 8, 4, 16


def _pattern_starts() -> dict[str, int]:
    """Return the offset of each feature's weights within a phase; under the key "", the number of all its weights."""
    starts, end = {}, 0
    for name in PATTERN_SQUARES:
        starts[name] = end
        end += 3 ** len(pattern_squares(name))
    for name in COUNTS:
        starts[name] = end
        end += COUNT_SIZE
    return starts | {"": end}


STARTS = _pattern_starts()
PHASE_WEIGHTS = STARTS[""]
COUNTS_START = STARTS[COUNTS[0]]


def _rows() -> np.ndarray:
    """Return uint16[64, SLOTS]: what a disc on a square adds to each instance's number, 0 if outside it."""
    rows = np.zeros((64, SLOTS), dtype=np.uint16)
    for instance, (_, squares) in enumerate(INSTANCE_SQUARES):
        for place, square in enumerate(squares):
            rows[square, instance] = 3**place
    return rows


ROWS = _rows()
INSTANCE_STARTS = np.array([STARTS[name] for name, _ in INSTANCE_SQUARES] + [0] * (SLOTS - INSTANCES), dtype=np.int64)
