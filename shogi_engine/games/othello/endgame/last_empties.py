"""The last empty squares, solved exactly: kernels for one to four of them, and a search for a few more without a table.

All values are final scores in discs for the side to move, with empty squares counted for the winner. All searches are
fail-soft. Every position entered is a node, those with a single empty square included.

Sources: the split by empty squares and the parity of regions come from Edax (Richard Delorme,
https://github.com/abulmo/edax-reversi) and Gunnar Andersson's endgame.c (https://radagast.se/othello/).
"""

import numpy as np

from shogi_engine.common.bits import ALL, ONE, ZERO
from shogi_engine.games.othello.bitboard import CORNERS, FILE_A, neighbours, odd_quadrants
from shogi_engine.games.othello.movegen import flips, mobility
from shogi_engine.games.othello.rules import final_score
from shogi_engine.games.othello.stability import stable_discs
from shogi_engine.games.othello.types import SQUARES
from shogi_engine.jit import clz, ctz, njit, popcount

NO_SCORE = -128  # below every score
FEW_EMPTIES = 5  # solved by `solve_few`
QUADRANT_BITS = np.uint64(0b100100)  # the bits of a square's number that give its quadrant
STABILITY_SCORE = 20  # stable discs are counted if the window is at a win by at least this score

S3, S8, S56 = np.uint64(3), np.uint64(8), np.uint64(56)
U7, U255 = np.uint64(7), np.uint64(255)
FILE_TO_RANK = np.uint64(0x0102040810204080)


def _line_flips(place: int, own: int) -> int:
    """Return how many discs a disc on `place` flips in an otherwise full line of eight; `own` are its side's discs."""
    count = 0
    for step in (-1, 1):
        at, run = place + step, 0
        while 0 <= at < 8 and not own >> at & 1:
            at, run = at + step, run + 1
        if 0 <= at < 8:
            count += run
    return count


def _diagonal(square: int, slope: int) -> int:
    """Return the diagonal through `square` parallel to a1-h8 (slope 1) or to h1-a8 (-1)."""
    file, rank = square % 8, square // 8
    return sum(1 << s for s in range(SQUARES) if s % 8 - file == slope * (s // 8 - rank))


LINE_FLIPS = np.array([_line_flips(place, own) for place in range(8) for own in range(256)], dtype=np.uint8)
FALLING = np.array([_diagonal(square, 1) for square in range(SQUARES)], dtype=np.uint64)
RISING = np.array([_diagonal(square, -1) for square in range(SQUARES)], dtype=np.uint64)
BESIDE = np.array([int(neighbours(ONE << np.uint64(square))) for square in range(SQUARES)], dtype=np.uint64)


@njit(forceinline=True)
def last_flips(own, place):
    """Return the number of discs that the side with `own` flips on the board's only empty square `place` (uint64)."""
    file, rank = place & U7, place >> S3
    row, column = file << S8, rank << S8
    count = np.int64(LINE_FLIPS[row | own >> (rank << S3) & U255])
    count += np.int64(LINE_FLIPS[column | (own >> file & FILE_A) * FILE_TO_RANK >> S56])
    count += np.int64(LINE_FLIPS[row | (own & FALLING[place]) * FILE_A >> S56])
    return count + np.int64(LINE_FLIPS[row | (own & RISING[place]) * FILE_A >> S56])


@njit(forceinline=True)
def solve_1(own, place):
    """Return the score with one empty square, `place` (uint64)."""
    discs = popcount(own)
    flipped = last_flips(own, place)
    if flipped > 0:
        return 2 * (discs + flipped) - 62
    flipped = last_flips(ALL ^ own ^ ONE << place, place)
    if flipped > 0:
        return 2 * (discs - flipped) - 64
    return 2 * discs - 62 if discs > 31 else 2 * discs - 64


@njit(forceinline=True)
def try_last(ctx, own, opponent, place, other):
    """Return the score of the move to `place` when `other` is the only other empty square, or NO_SCORE if illegal."""
    if BESIDE[place] & opponent == ZERO:
        return NO_SCORE
    flipped = flips(own, opponent, place)
    if flipped == ZERO:
        return NO_SCORE
    ctx.nodes += 1
    return -solve_1(opponent ^ flipped, other)


@njit
def solve_2(ctx, own, opponent, alpha, beta, first, second):
    """Return the score with two empty squares, `first` and `second` (uint64)."""
    best = try_last(ctx, own, opponent, first, second)
    if best >= beta:
        return best
    value = try_last(ctx, own, opponent, second, first)
    if value > best:
        best = value
    if best > NO_SCORE:
        return best
    best = try_last(ctx, opponent, own, first, second)
    ctx.nodes += 1
    if best >= -alpha:
        return -best
    value = try_last(ctx, opponent, own, second, first)
    if value > best:
        best = value
    return -best if best > NO_SCORE else final_score(own, opponent)


@njit
def solve_3(ctx, own, opponent, alpha, beta, first, second, third, passed):
    """Return the score with three empty squares (uint64); one that is alone in its quadrant is tried first.

    Args:
        passed: ONE if the other side has just passed, else ZERO
    """
    if (first ^ second) & QUADRANT_BITS == ZERO:
        first, third = third, first
    elif (first ^ third) & QUADRANT_BITS == ZERO:
        first, second = second, first
    best = NO_SCORE
    for _ in range(3):
        if BESIDE[first] & opponent != ZERO:
            flipped = flips(own, opponent, first)
            if flipped != ZERO:
                ctx.nodes += 1
                mine = own ^ flipped ^ ONE << first
                value = -solve_2(ctx, opponent ^ flipped, mine, -beta, -alpha, second, third)
                if value > best:
                    best = value
                    if value >= beta:
                        return value
                    alpha = max(alpha, value)
        first, second, third = second, third, first
    if best > NO_SCORE:
        return best
    if passed != ZERO:
        return final_score(own, opponent)
    ctx.nodes += 1
    return -solve_3(ctx, opponent, own, -beta, -alpha, first, second, third, ONE)


@njit
def solve_4(ctx, own, opponent, alpha, beta, empty, passed):
    """Return the score with the four `empty` squares (uint64); those in odd quadrants come first; see `solve_3`."""
    left = empty & odd_quadrants(empty)
    if left == ZERO:
        left = empty
    even = empty ^ left
    first = np.uint64(ctz(left))
    left &= left - ONE
    second = np.uint64(ctz(left))
    left = left & (left - ONE) | even
    third = np.uint64(ctz(left))
    fourth = np.uint64(ctz(left & (left - ONE)))
    best = NO_SCORE
    for _ in range(4):
        if BESIDE[first] & opponent != ZERO:
            flipped = flips(own, opponent, first)
            if flipped != ZERO:
                ctx.nodes += 1
                mine = own ^ flipped ^ ONE << first
                value = -solve_3(ctx, opponent ^ flipped, mine, -beta, -alpha, second, third, fourth, ZERO)
                if value > best:
                    best = value
                    if value >= beta:
                        return value
                    alpha = max(alpha, value)
        first, second, third, fourth = second, third, fourth, first
    if best > NO_SCORE:
        return best
    if passed != ZERO:
        return final_score(own, opponent)
    ctx.nodes += 1
    return -solve_4(ctx, opponent, own, -beta, -alpha, empty, ONE)


@njit
def stability_cut(own, opponent, alpha, beta):
    """Return the bound that stable discs give if it causes a cutoff in (alpha, beta), else NO_SCORE."""
    if alpha >= STABILITY_SCORE:
        upper = 64 - 2 * popcount(stable_discs(opponent, own))
        if upper <= alpha:
            return upper
    if beta <= -STABILITY_SCORE:
        lower = 2 * popcount(stable_discs(own, opponent)) - 64
        if lower >= beta:
            return lower
    return NO_SCORE


@njit
def solve_5(ctx, own, opponent, alpha, beta, empty):
    """Return the score with the five `empty` squares (uint64), without a table or sorting.

    Squares in odd quadrants are tried before the others, and corners first within each group.
    """
    value = stability_cut(own, opponent, alpha, beta)
    if value != NO_SCORE:
        return value
    moves = mobility(own, opponent)
    if moves == ZERO:
        if mobility(opponent, own) == ZERO:
            return final_score(own, opponent)
        ctx.nodes += 1
        return -solve_5(ctx, opponent, own, -beta, -alpha, empty)
    odd = odd_quadrants(empty)
    best = NO_SCORE
    while moves != ZERO:
        group = moves & odd & CORNERS
        if group == ZERO:
            group = moves & odd
        if group == ZERO:
            group = moves & CORNERS
        if group == ZERO:
            group = moves
        moves ^= group
        while group != ZERO:
            place = np.uint64(ctz(group))
            group &= group - ONE
            disc = ONE << place
            flipped = flips(own, opponent, place)
            ctx.nodes += 1
            value = -solve_4(ctx, opponent ^ flipped, own ^ flipped ^ disc, -beta, -alpha, empty ^ disc, ZERO)
            if value > best:
                best = value
                if value >= beta:
                    return value
                alpha = max(alpha, value)
    return best


@njit
def solve_few(ctx, own, opponent, alpha, beta, empty):
    """Return the score with up to FEW_EMPTIES `empty` squares (uint64)."""
    count = popcount(empty)
    if count == 5:
        return solve_5(ctx, own, opponent, alpha, beta, empty)
    if count == 4:
        return solve_4(ctx, own, opponent, alpha, beta, empty, ZERO)
    first = np.uint64(ctz(empty))
    second = np.uint64(ctz(empty & (empty - ONE)))
    if count == 3:
        third = np.uint64(63 - clz(empty))
        return solve_3(ctx, own, opponent, alpha, beta, first, second, third, ZERO)
    if count == 2:
        return solve_2(ctx, own, opponent, alpha, beta, first, second)
    return solve_1(own, first) if count == 1 else final_score(own, opponent)
