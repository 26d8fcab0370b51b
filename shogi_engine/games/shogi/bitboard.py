"""Shogi's precomputed bitboards: rays, one-step attacks, zones, files; all built here from rows and columns.

A row is 0 (rank a) to 8 (rank i), a column 0 (file 9) to 8 (file 1); square = 9 * row + column.
"""

import numpy as np

from shogi_engine.bits import ONE, from_highest, split, split_table, through_lowest
from shogi_engine.games.shogi.types import (
    BISHOP,
    BLACK,
    DRAGON,
    GOLD,
    GOLD_MOVERS,
    HORSE,
    KING,
    KNIGHT,
    LANCE,
    PAWN,
    PROM_KNIGHT,
    PROM_LANCE,
    PROM_PAWN,
    PROM_SILVER,
    ROOK,
    SILVER,
    SQUARES,
)
from shogi_engine.jit import njit

# Directions as (rows down, columns right). The first four lead to lower squares, the last four to higher ones, and
# (direction + 4) % 8 is the opposite.
DIRECTIONS = ((-1, 0), (-1, 1), (-1, -1), (0, -1), (1, 0), (1, -1), (1, 1), (0, 1))
NORTH, NORTH_EAST, NORTH_WEST, WEST, SOUTH, SOUTH_WEST, SOUTH_EAST, EAST = range(8)

ORTHOGONAL = ((-1, 0), (0, -1), (1, 0), (0, 1))
DIAGONAL = ((-1, 1), (-1, -1), (1, -1), (1, 1))
GOLD_STEPS = (*ORTHOGONAL, (-1, -1), (-1, 1))
STEPS = {  # black's one-step moves; horse and dragon slide as well
    PAWN: ((-1, 0),),
    KNIGHT: ((-2, -1), (-2, 1)),
    SILVER: (*DIAGONAL, (-1, 0)),
    GOLD: GOLD_STEPS,
    KING: (*ORTHOGONAL, *DIAGONAL),
    PROM_PAWN: GOLD_STEPS,
    PROM_LANCE: GOLD_STEPS,
    PROM_KNIGHT: GOLD_STEPS,
    PROM_SILVER: GOLD_STEPS,
    HORSE: ORTHOGONAL,
    DRAGON: DIAGONAL,
    GOLD_MOVERS: GOLD_STEPS,
}


def _bits(squares: list[int]) -> int:
    """Return the 128-bit number with the bits `squares`."""
    return sum(1 << square for square in squares)


def _step(square: int, down: int, right: int) -> list[int]:
    """Return [the square `down` rows and `right` columns away], or [] if that is off the board."""
    row, column = square // 9 + down, square % 9 + right
    return [9 * row + column] if 0 <= row < 9 and 0 <= column < 9 else []


def _ray(square: int, down: int, right: int) -> list[int]:
    """Return all squares from (but without) `square` to the edge."""
    squares: list[int] = []
    while further := _step(squares[-1] if squares else square, down, right):
        squares += further
    return squares


def _rows(rows: list[int]) -> int:
    """Return the bits of whole rows."""
    return _bits([9 * row + column for row in rows for column in range(9)])


def _own_rows(colour: int, rows: list[int]) -> int:
    """Return the bits of rows counted from the far side of the board as `colour` sees it."""
    return _rows(rows if colour == BLACK else [8 - row for row in rows])


def _steps(colour: int, kind: int) -> list[int]:
    """Return for each square the squares that a piece attacks in one step."""
    turn = 1 if colour == BLACK else -1
    moves = [(turn * down, turn * right) for down, right in STEPS.get(kind, ())]
    return [_bits([target for step in moves for target in _step(square, *step)]) for square in range(SQUARES)]


def _optional_promotion(colour: int, kind: int) -> list[int]:
    """Return by square of origin the squares where a piece may promote but need not."""
    zone = _own_rows(colour, [0, 1, 2])
    if kind in (PAWN, LANCE):
        return [_own_rows(colour, [1, 2])] * SQUARES
    if kind == KNIGHT:
        return [_own_rows(colour, [2])] * SQUARES
    if kind in (SILVER, BISHOP, ROOK):
        return [_rows(list(range(9))) if zone >> square & 1 else zone for square in range(SQUARES)]
    return [0] * SQUARES


def _pairs(tables: list) -> np.ndarray:
    """Return nested lists of 128-bit numbers as uint64[..., 2]."""
    if isinstance(tables[0], int):
        return split_table(tables)
    return np.array([_pairs(table) for table in tables])


BOARD_LO, BOARD_HI = split((1 << SQUARES) - 1)

# uint64[81, 8, 2]: the squares from a square to the edge in each direction.
RAYS = _pairs([[_bits(_ray(square, *step)) for step in DIRECTIONS] for square in range(SQUARES)])

# uint64[81, 2]: rook and bishop moves on an empty board.
ROOK_LINES = RAYS[:, NORTH] | RAYS[:, WEST] | RAYS[:, SOUTH] | RAYS[:, EAST]
BISHOP_LINES = RAYS[:, NORTH_EAST] | RAYS[:, NORTH_WEST] | RAYS[:, SOUTH_WEST] | RAYS[:, SOUTH_EAST]

# uint64[2, 16, 81, 2]: by colour, kind and square, what is attacked in one step; 0 for lance, bishop and rook.
STEP_ATTACKS = _pairs([[_steps(colour, kind) for kind in range(16)] for colour in (0, 1)])

# uint64[2, 8, 81, 2]: by colour, kind and square of origin, where promotion is optional.
OPTIONAL_PROMOTION = _pairs([[_optional_promotion(colour, kind) for kind in range(8)] for colour in (0, 1)])

# uint64[2, 16, 81, 2]: STEP_ATTACKS where promotion is optional (two moves to one square).
STEP_OPTIONAL_PROMOTION = STEP_ATTACKS.copy()
STEP_OPTIONAL_PROMOTION[:, :8] &= OPTIONAL_PROMOTION
STEP_OPTIONAL_PROMOTION[:, 8:] = 0

# uint64[2, 2]: a colour's promotion zone, and without its last one and last two rows (drops of pawn, lance, knight).
ZONE = _pairs([_own_rows(colour, [0, 1, 2]) for colour in (0, 1)])
NOT_LAST = _pairs([_own_rows(colour, list(range(1, 9))) for colour in (0, 1)])
NOT_LAST_TWO = _pairs([_own_rows(colour, list(range(2, 9))) for colour in (0, 1)])

# uint64[81, 2]: the king's steps and its square.
KING_ZONE = STEP_ATTACKS[0, KING] | split_table([1 << square for square in range(SQUARES)])

# uint64[2, 81, 2]: by colour and king square, from where enemy pieces attack a square of the king's zone in one step.
NEAR_KING = _pairs(
    [
        [
            _bits(
                [
                    source
                    for source in range(SQUARES)
                    if abs(source // 9 - king // 9) <= 2
                    and abs(source % 9 - king % 9) <= 2
                    or abs(source % 9 - king % 9) <= 2
                    and source // 9 - king // 9 == (-3 if colour == BLACK else 3)
                ]
            )
            for king in range(SQUARES)
        ]
        for colour in (0, 1)
    ]
)

# uint8[81, 81]: the direction that leads from one square to another, 8 if none does.
DIRECTION = np.full((SQUARES, SQUARES), 8, dtype=np.uint8)
for _square in range(SQUARES):
    for _direction, _way in enumerate(DIRECTIONS):
        DIRECTION[_square, _ray(_square, *_way)] = _direction

# uint64[81, 2]: one bit.
SQUARE_BITS = split_table([1 << square for square in range(SQUARES)])

COLUMNS_LO = np.uint64(sum(1 << 9 * row for row in range(8)))  # times a row of nine bits: that row on every row


@njit
def ray_down(square, direction, occ_lo, occ_hi):
    """Return the attacks of a slider on `square` in one of the first four directions, towards lower squares."""
    ray_lo, ray_hi = RAYS[square, direction, 0], RAYS[square, direction, 1]
    lo, hi = from_highest(ray_lo & occ_lo, ray_hi & occ_hi)
    return ray_lo & lo, ray_hi & hi


@njit
def ray_up(square, direction, occ_lo, occ_hi):
    """Return the attacks of a slider on `square` in one of the last four directions, towards higher squares."""
    ray_lo, ray_hi = RAYS[square, direction, 0], RAYS[square, direction, 1]
    lo, hi = through_lowest(ray_lo & occ_lo, ray_hi & occ_hi)
    return ray_lo & lo, ray_hi & hi


@njit
def lance_attacks(colour, square, occ_lo, occ_hi):
    """Return what a lance of `colour` on `square` attacks when (occ_lo, occ_hi) is occupied."""
    if colour == BLACK:
        return ray_down(square, NORTH, occ_lo, occ_hi)
    return ray_up(square, SOUTH, occ_lo, occ_hi)


@njit
def bishop_attacks(square, occ_lo, occ_hi):
    """Return what a bishop on `square` attacks when (occ_lo, occ_hi) is occupied."""
    a_lo, a_hi = ray_down(square, NORTH_EAST, occ_lo, occ_hi)
    b_lo, b_hi = ray_down(square, NORTH_WEST, occ_lo, occ_hi)
    c_lo, c_hi = ray_up(square, SOUTH_WEST, occ_lo, occ_hi)
    d_lo, d_hi = ray_up(square, SOUTH_EAST, occ_lo, occ_hi)
    return a_lo | b_lo | c_lo | d_lo, a_hi | b_hi | c_hi | d_hi


@njit
def rook_attacks(square, occ_lo, occ_hi):
    """Return what a rook on `square` attacks when (occ_lo, occ_hi) is occupied."""
    a_lo, a_hi = ray_down(square, NORTH, occ_lo, occ_hi)
    b_lo, b_hi = ray_down(square, WEST, occ_lo, occ_hi)
    c_lo, c_hi = ray_up(square, SOUTH, occ_lo, occ_hi)
    d_lo, d_hi = ray_up(square, EAST, occ_lo, occ_hi)
    return a_lo | b_lo | c_lo | d_lo, a_hi | b_hi | c_hi | d_hi


@njit
def between(first, second):
    """Return the squares strictly between two squares of one line; none if they share no line."""
    direction = int(DIRECTION[first, second])
    if direction == 8:
        return np.uint64(0), np.uint64(0)
    lo = RAYS[first, direction, 0] & RAYS[second, direction ^ 4, 0]
    hi = RAYS[first, direction, 1] & RAYS[second, direction ^ 4, 1]
    return lo, hi


@njit
def files_without(lo, hi):
    """Return all squares of the files that (lo, hi), a colour's pawns, does not touch."""
    rows = lo | lo >> np.uint64(36)  # row r of 0-3 now holds row r + 4 too, row 3 of row 7 its first column only
    rows |= rows >> np.uint64(18)
    rows |= rows >> np.uint64(9)
    rows |= hi << ONE | hi >> np.uint64(8)  # the rest of row 7, and row 8
    free = ~rows & np.uint64(0x1FF)
    return free * COLUMNS_LO, (free >> ONE | free << np.uint64(8)) & BOARD_HI
