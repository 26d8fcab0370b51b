"""Othello's moves: where a disc may be placed and what it flips, without a branch.

Two ways to find the flips: `flips` walks the eight rays of a square by carries (the lowest and the highest square of a
ray that is not the opponent's), the quickest for one move; `flips_filled` needs no table, so that LLVM makes
`count_replies` place eight discs at once.
Source: Chess Programming Wiki, "Kogge-Stone Algorithm" and "Subtracting a Rook from a Blocking Piece"; the idea of
taking a ray's end by counting leading zeros is known from Edax (Richard Delorme, https://github.com/abulmo/edax-reversi).
"""

import numpy as np

from shogi_engine.bits import ONE, ZERO
from shogi_engine.game import provides
from shogi_engine.games.othello.bitboard import DOWN_RAYS, INNER_FILES, UP_RAYS
from shogi_engine.games.othello.types import PASS, PLACING, POSITION, placed_disc
from shogi_engine.jit import clz, ctz, njit, popcount

HIGHEST = np.uint64(1 << 63)
STEP_1, STEP_2, STEP_7, STEP_8, STEP_9 = np.uint64(1), np.uint64(2), np.uint64(7), np.uint64(8), np.uint64(9)
LANES = 8  # how many moves `count_replies` rounds up to: a row of 512 bits, or two of 256


@njit(forceinline=True)
def reach(discs, through, step):
    """Return the squares just beyond runs of `through` that begin next to `discs`, both ways along one line.

    discs, through : uint64, bitboards; `through` must not let a run wrap around the board's edge.
    step : uint64, 1, 7, 8 or 9.   Runs are six long at most, which doubling finds in three steps.
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


@njit(forceinline=True)
def mobility(own, opponent):
    """Return the squares (uint64) where the side with the discs `own` may place one; it passes if there is none."""
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


@njit(forceinline=True)
def flips(own, opponent, square):
    """Return the discs (uint64) that turn when `own`'s side places one on the empty `square`; 0 if that is no move."""
    turned = ZERO
    place = np.uint64(square)
    for line in range(4):
        ray = UP_RAYS[place, line]
        end = ray & ~opponent
        flank = end & (ZERO - end) & own
        turned |= (flank - np.uint64(flank != ZERO)) & ray
        ray = DOWN_RAYS[place, line]
        end = HIGHEST >> np.uint64(clz(ray & ~opponent | ONE))
        flank = end & own & ray
        turned |= (ZERO - (flank + flank)) & ray
    return turned


@njit(forceinline=True)
def flips_on_line(disc, own, through, step):
    """Return the discs of `through` that turn along one line when `disc` is placed; see `reach`."""
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
    return (up if up << step & own != ZERO else ZERO) | (down if down >> step & own != ZERO else ZERO)


@njit(forceinline=True)
def flips_filled(own, opponent, disc):
    """Return what `flips` does for the square of the one bit in `disc` (uint64); 0 if `disc` is 0."""
    inner = opponent & INNER_FILES
    turned = flips_on_line(disc, own, opponent, STEP_8) | flips_on_line(disc, own, inner, STEP_7)
    return turned | flips_on_line(disc, own, inner, STEP_9) | flips_on_line(disc, own, inner, STEP_1)


@provides(POSITION)
def generate_moves(ctx, start):
    own, opponent = ctx.pos.own, ctx.pos.opponent
    places = mobility(own, opponent)
    if places == ZERO and mobility(opponent, own) != ZERO:
        ctx.moves[np.uint64(start)] = PASS
        return 1
    end = np.uint64(start)
    while places != ZERO:
        ctx.moves[end] = PLACING | ctz(places)
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
    rows = np.uint64((count + LANES - 1) // LANES * LANES)
    for index in range(end, first + rows):
        ctx.moves[index] = PASS
    replies = 0
    stuck = 0
    for index in range(first, first + rows):  # vectorised: no branch, no table, no call
        disc = placed_disc(ctx.moves[index])
        turned = flips_filled(own, opponent, disc)
        answers = popcount(mobility(opponent ^ turned, own ^ turned ^ disc))
        replies += answers if disc != ZERO else 0
        stuck += 1 if disc != ZERO and answers == 0 else 0
    if stuck == 0 or not free_pass:
        return replies + stuck
    for index in range(first, end):
        disc = placed_disc(ctx.moves[index])
        turned = flips_filled(own, opponent, disc)
        if mobility(opponent ^ turned, own ^ turned ^ disc) == ZERO:
            replies += max(popcount(mobility(own ^ turned ^ disc, opponent ^ turned)), 1)
    return replies
