"""Othello's moves: where a disc may be placed and what it flips, without branches.

There are two ways to find each. `mobility` and `flips` process one line of the board in each vector lane, which is
fastest for a single position and move. `mobility_filled` and `flips_filled` need no table, so that each lane can
process a position or disc of its own.
Source: Chess Programming Wiki, "Kogge-Stone Algorithm" and "Subtracting a Rook from a Blocking Piece"; the idea of a
vector of rays is known from Edax (Richard Delorme, Toshihiko Okuhara, https://github.com/abulmo/edax-reversi).
"""

import functools
import operator

import numpy as np

from shogi_engine.common.bits import ALL, ONE, ZERO
from shogi_engine.games.othello.bitboard import DOWN_RAYS, INNER_FILES, UP_RAYS
from shogi_engine.games.othello.types import DISC_MOVE, PASS, POSITION, placed_disc
from shogi_engine.interface.game import provides
from shogi_engine.jit import ctz, njit, popcount
from shogi_engine.jit.lanes import Table, cpu_has, join, leading_bits, traced, where

STEP_1, STEP_2, STEP_7, STEP_8, STEP_9 = np.uint64(1), np.uint64(2), np.uint64(7), np.uint64(8), np.uint64(9)
STEPS = np.array([1, 7, 8, 9], dtype=np.uint64)  # of the lines, in the order of UP_RAYS and DOWN_RAYS
THROUGH = np.array([INNER_FILES, INNER_FILES, ALL, INNER_FILES], dtype=np.uint64)  # squares that their runs may cross
RAYS = Table(np.hstack((UP_RAYS, DOWN_RAYS)).reshape(-1, 4))  # of a square, the upward rays, then the downward ones
LINES = [Table(RAYS.rows[:, line : line + 1]) for line in range(4)]  # the same of each line
WASM = "wasm"  # whose vectors can only shift all lanes alike, and whose numbers are as wide as a lane
VECTOR_LANES = 8  # `count_replies` rounds moves up to a multiple of this: a row of 512 bits, or two of 256


# ---- on numbers or vectors of them ---------------------------------------------------------------------------------


def reach(discs, through, step):
    """Return the squares just beyond runs of `through` that begin next to `discs`, both ways along one line.

    Runs are at most six squares long, so doubling finds them in three steps.

    Args:
        discs, through: uint64, bitboards; `through` must not let a run wrap around the board's edge
        step: 1, 7, 8 or 9, or STEPS
    """
    double = step + step
    up = through & discs << step
    down = through & discs >> step
    up |= through & up << step
    down |= through & down >> step
    up_pairs = through & through << step
    down_pairs = up_pairs >> step
    up |= up_pairs & up << double
    down |= down_pairs & down >> double
    up |= up_pairs & up << double
    down |= down_pairs & down >> double
    return up << step | down >> step


def reached(own, opponent):
    """Return the same as `mobility`."""
    inner = opponent & INNER_FILES
    beyond = reach(own, opponent, STEP_8) | reach(own, inner, STEP_7)
    beyond |= reach(own, inner, STEP_9)
    beyond |= inner + (inner & own << STEP_1)  # along a rank to the right: a carry runs through to the first gap
    left = inner & own >> STEP_1
    left |= inner & left >> STEP_1
    pairs = inner & inner >> STEP_1
    left |= pairs & left >> STEP_2
    left |= pairs & left >> STEP_2
    beyond |= left >> STEP_1
    return beyond & ~(own | opponent)


def reached_on_lines(own, opponent):
    """Return the same as `mobility`, with one line per lane."""
    if cpu_has(own, WASM):
        return reached(own, opponent)
    return join(reach(own, opponent & THROUGH, STEPS)) & ~(own | opponent)


def flips_on_line(disc, own, through, step):
    """Return the discs of `through` that `disc` flips along one line; see `reach`."""
    double = step + step
    up = through & disc << step
    down = through & disc >> step
    up |= through & up << step
    down |= through & down >> step
    up_pairs = through & through << step
    down_pairs = up_pairs >> step
    up |= up_pairs & up << double
    down |= down_pairs & down >> double
    up |= up_pairs & up << double
    down |= down_pairs & down >> double
    return where(up << step & own, up) | where(down >> step & own, down)


def flips_by_filling(own, opponent, disc):
    """Return the same as `flips` for the square of the one bit in `disc` (uint64); 0 if `disc` is 0."""
    inner = opponent & INNER_FILES
    flipped = flips_on_line(disc, own, opponent, STEP_8) | flips_on_line(disc, own, inner, STEP_7)
    return flipped | flips_on_line(disc, own, inner, STEP_9) | flips_on_line(disc, own, inner, STEP_1)


def run_by_leading_bits(own, opponent, place, down):
    """Return the discs flipped along each of the downward rays `down` from `place`, by counting leading bits."""
    nearest = leading_bits(down & ~opponent | 1)  # without an opponent's disc; a1, which cannot flank, if none
    flank = nearest & own & down
    return 0 - (flank + flank) & down


def run_by_filling(own, opponent, place, down):
    """Return the same as `run_by_leading_bits`, for CPUs that are slow to count leading bits in vectors."""
    free = down & ~opponent
    free |= free >> STEPS
    free |= free >> 2 * STEPS
    free |= free >> 4 * STEPS
    run = down & ~free
    flank = (run | ONE << place) >> STEPS & down & own
    return where(flank, run)


def flips_along(rays, run, own, opponent, place):
    """Return the discs flipped along the lines of a table, the downward ones by `run`."""
    up, down = rays[place + place], rays[place + place + ONE]
    flank = ((opponent | ~up) + 1) & up & own  # a carry runs to the nearest square that is not the opponent's
    return join((flank - where(flank, 1)) & up | run(own, opponent, place, down))


def flips_line_by_line(own, opponent, place):
    """Return the same as `flips`."""
    found = (flips_along(rays, run_by_leading_bits, own, opponent, place) for rays in LINES)
    return functools.reduce(operator.or_, found)


def flips_along_rays(own, opponent, place):
    """Return the same as `flips`, in the way that is fastest on the CPU: with one line through the square per lane."""
    if cpu_has(place, WASM):
        return flips_line_by_line(own, opponent, place)
    run = run_by_leading_bits if cpu_has(place, "avx512cd") else run_by_filling
    return flips_along(RAYS, run, own, opponent, place)


traced_mobility, traced_mobility_by_filling = traced(reached_on_lines), traced(reached)
traced_flips, traced_flips_by_filling = traced(flips_along_rays), traced(flips_by_filling)


# ---- kernels -------------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def mobility(own, opponent):
    """Return the squares (uint64) of the disc moves of the side with the discs `own`; it passes if there are none."""
    return traced_mobility(own, opponent)


@njit(forceinline=True)
def mobility_filled(own, opponent):
    """Return the same as `mobility`."""
    return traced_mobility_by_filling(own, opponent)


@njit(forceinline=True)
def flips(own, opponent, square):
    """Return the discs (uint64) that a disc of `own`'s side on the empty `square` flips; 0 if the move is illegal."""
    return traced_flips(own, opponent, np.uint64(square))


@njit(forceinline=True)
def flips_filled(own, opponent, disc):
    """Return the same as `flips` for the square of the one bit in `disc` (uint64); 0 if `disc` is 0."""
    return traced_flips_by_filling(own, opponent, disc)


@provides(POSITION)
def generate_moves(ctx, start):
    own, opponent = ctx.pos.own, ctx.pos.opponent
    places = mobility(own, opponent)
    if places == ZERO and mobility(opponent, own) != ZERO:
        ctx.moves[np.uint64(start)] = PASS
        return 1
    end = np.uint64(start)
    while places != ZERO:
        ctx.moves[end] = DISC_MOVE | ctz(places)
        end += ONE
        places &= places - ONE
    return np.int64(end) - start


@provides(POSITION)
def count_moves(ctx, start):
    own, opponent = ctx.pos.own, ctx.pos.opponent
    places = mobility(own, opponent)
    if places != ZERO:
        return popcount(places)
    return 1 if mobility(opponent, own) != ZERO else 0


@provides(POSITION)
def count_replies(ctx, start, free_pass):
    own, opponent = ctx.pos.own, ctx.pos.opponent
    count = generate_moves(ctx, start)
    if count == 0 or ctx.moves[start] == PASS:
        return -1
    first = np.uint64(start)
    end = np.uint64(start + count)
    rows = np.uint64((count + VECTOR_LANES - 1) // VECTOR_LANES * VECTOR_LANES)
    for index in range(end, first + rows):
        ctx.moves[index] = PASS
    replies = 0
    stuck = 0
    for index in range(first, first + rows):  # vectorised: no branch, no table, no call
        disc = placed_disc(ctx.moves[index])
        flipped = flips_filled(own, opponent, disc)
        answers = popcount(mobility_filled(opponent ^ flipped, own ^ flipped ^ disc))
        replies += answers if disc != ZERO else 0
        stuck += 1 if disc != ZERO and answers == 0 else 0
    if stuck == 0 or not free_pass:
        return replies + stuck
    for index in range(first, end):
        disc = placed_disc(ctx.moves[index])
        flipped = flips_filled(own, opponent, disc)
        if mobility_filled(opponent ^ flipped, own ^ flipped ^ disc) == ZERO:
            replies += max(popcount(mobility_filled(own ^ flipped ^ disc, opponent ^ flipped)), 1)
    return replies
