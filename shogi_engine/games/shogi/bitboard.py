"""Shogi's precomputed bitboards: rays, one-step attacks, zones, files; all built here from rows and columns.

A row is 0 (rank a) to 8 (rank i), a column 0 (file 9) to 8 (file 1); square = 9 * row + column.
"""

import numpy as np

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.types import BISHOP, DRAGON, HORSE, ROOK
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import Bitboard, Table, field, from_halves, from_highest, through_lowest

# Directions as (rows down, columns right). The first four lead to lower squares, the last four to higher ones, and
# (direction + 4) % 8 is the opposite.
DIRECTIONS = ((-1, 0), (-1, 1), (-1, -1), (0, -1), (1, 0), (1, -1), (1, 1), (0, 1))
NORTH, NORTH_EAST, NORTH_WEST, WEST, SOUTH, SOUTH_WEST, SOUTH_EAST, EAST = range(8)

ORTHOGONAL = ((-1, 0), (0, -1), (1, 0), (0, 1))
DIAGONAL = ((-1, 1), (-1, -1), (1, -1), (1, 1))
GOLD_STEPS = (*ORTHOGONAL, (-1, -1), (-1, 1))
STEPS = {  # black's one-step moves; horse and dragon slide as well
    t.PAWN: ((-1, 0),),
    t.KNIGHT: ((-2, -1), (-2, 1)),
    t.SILVER: (*DIAGONAL, (-1, 0)),
    t.GOLD: GOLD_STEPS,
    t.KING: (*ORTHOGONAL, *DIAGONAL),
    t.PROM_PAWN: GOLD_STEPS,
    t.PROM_LANCE: GOLD_STEPS,
    t.PROM_KNIGHT: GOLD_STEPS,
    t.PROM_SILVER: GOLD_STEPS,
    t.HORSE: ORTHOGONAL,
    t.DRAGON: DIAGONAL,
    t.GOLD_MOVERS: GOLD_STEPS,
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
    return _rows(rows if colour == t.BLACK else [8 - row for row in rows])


def _steps(colour: int, kind: int) -> list[int]:
    """Return for each square the squares that a piece attacks in one step."""
    turn = 1 if colour == t.BLACK else -1
    moves = [(turn * down, turn * right) for down, right in STEPS.get(kind, ())]
    return [_bits([target for step in moves for target in _step(square, *step)]) for square in range(t.SQUARES)]


def _optional_promotion(colour: int, kind: int) -> list[int]:
    """Return by square of origin the squares where a piece may promote but need not."""
    zone = _own_rows(colour, [0, 1, 2])
    if kind in (t.PAWN, t.LANCE):
        return [_own_rows(colour, [1, 2])] * t.SQUARES
    if kind == t.KNIGHT:
        return [_own_rows(colour, [2])] * t.SQUARES
    if kind in (t.SILVER, t.BISHOP, t.ROOK):
        return [_rows(list(range(9))) if zone >> square & 1 else zone for square in range(t.SQUARES)]
    return [0] * t.SQUARES


def _worth_declining(colour: int, kind: int, optional: list[int]) -> list[int]:
    """Return, by source square, the squares where the search considers both promoting and not promoting.

    Args:
        optional: by source square, the squares where the rules allow both
    """
    if kind in (t.PAWN, t.BISHOP, t.ROOK):
        return [0] * t.SQUARES
    return [bits & ~_own_rows(colour, [1]) for bits in optional] if kind == t.LANCE else optional


BOARD = Bitboard((1 << t.SQUARES) - 1)
FIRST_ROW = Bitboard(0x1FF)
NOTHING = Bitboard(0)

# [81, 8]: the squares from a square to the edge in each direction.
RAYS = Table([[_bits(_ray(square, *step)) for step in DIRECTIONS] for square in range(t.SQUARES)])

# [81]: rook and bishop moves on an empty board.
_rays = RAYS.numbers
ROOK_LINES = Table(_rays[:, NORTH] | _rays[:, WEST] | _rays[:, SOUTH] | _rays[:, EAST])
BISHOP_LINES = Table(_rays[:, NORTH_EAST] | _rays[:, NORTH_WEST] | _rays[:, SOUTH_WEST] | _rays[:, SOUTH_EAST])

# [81]: one square.
SQUARE_BITS = Table([1 << square for square in range(t.SQUARES)])

# [2, 16, 81]: by colour, kind and square, the squares attacked in one step; none for lance, bishop and rook.
STEP_ATTACKS = Table([[_steps(colour, kind) for kind in range(16)] for colour in (0, 1)])

# Two sets of moves: all legal moves, and those that the search considers. The search always promotes pawns, bishops and
# rooks, and lances on the second-last rank, because the promoted piece attacks all that the unpromoted one would.
# Declining is better only where a pawn drop would be an illegal mate; the mate solver considers these moves. YaneuraOu
# has the same two sets (https://github.com/yaneurao/YaneuraOu, movegen.cpp).
LEGAL, SEARCHED = 0, 1

# [2, 2, 8, 81]: by set of moves, colour, kind and square of origin, where one may promote or not.
_optional = [[_optional_promotion(colour, kind) for kind in range(8)] for colour in (0, 1)]
OPTIONAL_PROMOTION = Table(
    [_optional, [[_worth_declining(colour, kind, _optional[colour][kind]) for kind in range(8)] for colour in (0, 1)]]
)

# [2, 16, 81]: STEP_ATTACKS where promotion is optional (two legal moves to one square).
_steps_twice = np.zeros((2, 16, t.SQUARES), dtype=object)
_steps_twice[:, :8] = STEP_ATTACKS.numbers[:, :8] & OPTIONAL_PROMOTION.numbers[LEGAL]
STEP_OPTIONAL_PROMOTION = Table(_steps_twice)

# [2]: a colour's promotion zone, and the board without its last one and last two rows (drops of pawn, lance, knight).
ZONE = Table([_own_rows(colour, [0, 1, 2]) for colour in (0, 1)])
NOT_LAST = Table([_own_rows(colour, list(range(1, 9))) for colour in (0, 1)])
NOT_LAST_TWO = Table([_own_rows(colour, list(range(2, 9))) for colour in (0, 1)])

# [81]: the king's steps and its square.
KING_ZONE = Table(STEP_ATTACKS.numbers[0, t.KING] | SQUARE_BITS.numbers)


def _near_king(colour: int, king: int) -> int:
    """Return the squares from which enemy pieces attack the zone of `colour`'s king in one step."""
    ahead = -3 if colour == t.BLACK else 3  # rows from the king to knights that attack its zone
    return _bits(
        [
            source
            for source in range(t.SQUARES)
            if abs(source % 9 - king % 9) <= 2
            and (abs(source // 9 - king // 9) <= 2 or source // 9 - king // 9 == ahead)
        ]
    )


# [2, 81]: by colour and king square.
NEAR_KING = Table([[_near_king(colour, king) for king in range(t.SQUARES)] for colour in (0, 1)])

# uint8[81, 81]: the direction that leads from one square to another, 8 if none does.
DIRECTION = np.full((t.SQUARES, t.SQUARES), 8, dtype=np.uint8)
for _square in range(t.SQUARES):
    for _direction, _way in enumerate(DIRECTIONS):
        DIRECTION[_square, _ray(_square, *_way)] = _direction


@njit
def ray_down(square, direction, occ):
    """Return the attacks of a slider on `square` in one of the first four directions, towards lower squares."""
    ray = RAYS[square, direction]
    return ray & from_highest(ray & occ)


@njit
def ray_up(square, direction, occ):
    """Return the attacks of a slider on `square` in one of the last four directions, towards higher squares."""
    ray = RAYS[square, direction]
    return ray & through_lowest(ray & occ)


@njit
def lance_attacks(colour, square, occ):
    """Return the squares that a lance of `colour` on `square` attacks when `occ` is occupied."""
    return ray_down(square, NORTH, occ) if colour == t.BLACK else ray_up(square, SOUTH, occ)


@njit
def bishop_attacks(square, occ):
    """Return the squares that a bishop on `square` attacks when `occ` is occupied."""
    down = ray_down(square, NORTH_EAST, occ) | ray_down(square, NORTH_WEST, occ)
    return down | ray_up(square, SOUTH_WEST, occ) | ray_up(square, SOUTH_EAST, occ)


@njit
def rook_attacks(square, occ):
    """Return the squares that a rook on `square` attacks when `occ` is occupied."""
    down = ray_down(square, NORTH, occ) | ray_down(square, WEST, occ)
    return down | ray_up(square, SOUTH, occ) | ray_up(square, EAST, occ)


@njit
def between(first, second):
    """Return the squares strictly between two squares on a common line; none if there is no such line."""
    direction = int(DIRECTION[first, second])
    return NOTHING if direction == 8 else RAYS[first, direction] & RAYS[second, direction ^ 4]


@njit
def promotion_zone(colour, source):
    """Return the squares on which a piece of `colour` from `source` may promote."""
    return BOARD if source in ZONE[colour] else ZONE[colour]


@njit
def files_without(pawns):
    """Return all squares of the files that `pawns`, a colour's pawns, does not touch."""
    rows = pawns | pawns >> 36 | pawns >> 72  # folds rows 4 to 8 onto rows 0 to 4
    rows |= rows >> 18
    rows |= rows >> 9
    free = ~rows & FIRST_ROW
    free |= free << 9
    free |= free << 18
    free |= free << 36
    return free | free << 9


# ---- Queries of a POSITION for kernels: its pieces, and the checks and pins that do_move keeps up to date


pieces, put_pieces = field("bb")  # pieces(pos, colour): all pieces; pieces(pos, colour, kind): those of a kind
checkers, put_checkers = field("checkers")  # of a record[POSITION] or a record[UNDO]
pinned, put_pinned = field("pinned")


@njit
def occupied(pos):
    """Return the pieces of both colours."""
    return pieces(pos, 0) | pieces(pos, 1)


@njit
def empty_squares(pos):
    """Return the squares without a piece."""
    return ~occupied(pos) & BOARD


@njit
def bishops_and_horses(pos, colour):
    """Return the pieces of `colour` that slide along diagonals."""
    return pieces(pos, colour, BISHOP) | pieces(pos, colour, HORSE)


@njit
def rooks_and_dragons(pos, colour):
    """Return the pieces of `colour` that slide along ranks and files."""
    return pieces(pos, colour, ROOK) | pieces(pos, colour, DRAGON)


@njit
def in_check(state):
    """Tell whether the side to move is in check.

    Args:
        state: record[POSITION], or the record[UNDO] of a position
    """
    return bool(checkers(state))


# ---- Attacks: attackers of a square, the squares forbidden to a king, checkers and pinned pieces
#
# Some functions take the occupied squares as an argument, `occ`, so that they can be used for the board after a move.


@njit
def attacks_from(kind, colour, square, occ):
    """Return the squares that a piece of `kind` and `colour` on `square` attacks when `occ` is occupied."""
    steps = STEP_ATTACKS[colour, kind, square]
    if kind == t.LANCE:
        return lance_attacks(colour, square, occ)
    if kind in (t.BISHOP, t.HORSE):
        return steps | bishop_attacks(square, occ)
    if kind in (t.ROOK, t.DRAGON):
        return steps | rook_attacks(square, occ)
    return steps


@njit
def attack_halves(kind, colour, square, lo, hi):
    """Return `attacks_from` as two uint64, the halves of a bitboard, for `occ` given in the same way."""
    to = attacks_from(kind, colour, square, from_halves(lo, hi))
    return to.lo, to.hi


@njit
def attackers_to(pos, square, colour, occ):
    """Return the pieces of `colour` that attack `square` when `occ` is occupied."""
    them = 1 - colour  # a piece of `them` on `square` would attack the attackers of the same kind
    royal = pieces(pos, colour, t.KING) | pieces(pos, colour, t.HORSE) | pieces(pos, colour, t.DRAGON)
    found = (
        STEP_ATTACKS[them, t.PAWN, square] & pieces(pos, colour, t.PAWN)
        | STEP_ATTACKS[them, t.KNIGHT, square] & pieces(pos, colour, t.KNIGHT)
        | STEP_ATTACKS[them, t.SILVER, square] & pieces(pos, colour, t.SILVER)
        | STEP_ATTACKS[them, t.GOLD, square] & pieces(pos, colour, t.GOLD_MOVERS)
        | STEP_ATTACKS[them, t.KING, square] & royal
    )
    for sniper in snipers(pos, square, colour) & ~found:  # horses and dragons next to `square` are found already
        if not between(square, sniper) & occ:
            found |= SQUARE_BITS[sniper]
    return found


@njit
def snipers(pos, square, colour):
    """Return the sliders of `colour` that would attack `square` on an empty board."""
    behind = SOUTH if colour == t.BLACK else NORTH  # the direction from `square` to lances that attack it
    return (
        ROOK_LINES[square] & rooks_and_dragons(pos, colour)
        | BISHOP_LINES[square] & bishops_and_horses(pos, colour)
        | RAYS[square, behind] & pieces(pos, colour, t.LANCE)
    )


@njit
def slider_blockers(pos, square, colour):
    """Return the pieces of both colours that are the only piece between `square` and a slider of `colour`."""
    occ = occupied(pos)
    found = NOTHING
    for sniper in snipers(pos, square, colour):
        way = between(square, sniper) & occ
        if len(way) == 1:
            found |= way
    return found


@njit
def pinned_pieces(pos, colour):
    """Return the pieces of `colour` that are pinned to its king by a slider. There are none without a king."""
    king = int(pos.king[colour])
    return NOTHING if king == t.NO_SQUARE else slider_blockers(pos, king, 1 - colour) & pieces(pos, colour)


@njit
def is_pinned(pos, square, colour):
    """Tell whether `square` holds one of the `pinned_pieces`."""
    return square in pinned_pieces(pos, colour)


@njit
def discovered_check_candidates(pos, king, colour):
    """Return the pieces of `colour` that give a discovered check to the enemy king on `king` if they leave the line."""
    return slider_blockers(pos, king, colour) & pieces(pos, colour)


@njit
def attacked_near_king(pos, king, colour, occ):
    """Return the squares around `king`, the king of `colour`, that the enemy attacks.

    The result is complete within the king's zone. Outside it, some attacked squares may be missing.

    Args:
        occ: the occupied squares except the king's, because the king does not shield the squares behind it
    """
    them = 1 - colour
    attacked = NOTHING
    for square in NEAR_KING[colour, king] & pieces(pos, them):
        attacked |= STEP_ATTACKS[them, t.piece_kind(pos.board[square]), square]
    zone = KING_ZONE[king]
    for square in rooks_and_dragons(pos, them):
        if ROOK_LINES[square] & zone:
            attacked |= rook_attacks(square, occ)
    for square in bishops_and_horses(pos, them):
        if BISHOP_LINES[square] & zone:
            attacked |= bishop_attacks(square, occ)
    for square in pieces(pos, them, t.LANCE):
        if ROOK_LINES[square] & zone:  # a coarse test: it is also true for squares next to and behind the lance
            attacked |= lance_attacks(them, square, occ)
    return attacked


@njit
def is_drop_pawn_mate(pos, square):
    """Tell whether a pawn drop on `square`, right in front of the enemy king, gives mate, which is illegal.

    It is not checked whether the drop is possible.
    """
    us = int(pos.side)
    them = 1 - us
    king = int(pos.king[them])
    occ = occupied(pos)
    if not attackers_to(pos, square, us, occ):
        return False  # the king captures the pawn
    takers = attackers_to(pos, square, them, occ) & ~pieces(pos, them, t.KING)
    if takers:
        toward = SOUTH if us == t.BLACK else NORTH  # towards the pawn: a piece pinned along this file may capture it
        if takers & (~pinned_pieces(pos, them) | RAYS[king, toward]):
            return False
    pawn = SQUARE_BITS[square]
    attacked = attacked_near_king(pos, king, them, occ ^ pieces(pos, them, t.KING) | pawn)
    return not STEP_ATTACKS[them, t.KING, king] & ~(pieces(pos, them) | attacked | pawn)
