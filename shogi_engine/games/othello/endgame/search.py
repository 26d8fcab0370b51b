"""Exact search of Othello endgames: principal variation search with the transposition table, down to `last_empties`.

Values are final scores in discs for the side to move, with the empty squares counted for the winner. The kernels work
on the search's own context, and on its table by the entries of table.py.
"""

import numpy as np

from shogi_engine.bits import ALL, ONE, ZERO
from shogi_engine.game import VALUE_NONE, provides
from shogi_engine.games.othello.bitboard import CORNERS, neighbours, odd_quadrants
from shogi_engine.games.othello.endgame.last_empties import NO_SCORE, solve_few, stability_cut
from shogi_engine.games.othello.endgame.table import (
    HIGHEST,
    LOWEST,
    ending_key,
    entry_moves,
    lower_bound,
    store_result,
    upper_bound,
)
from shogi_engine.games.othello.movegen import flips, mobility
from shogi_engine.games.othello.params import square_bonus
from shogi_engine.games.othello.rules import final_score
from shogi_engine.games.othello.types import DISC, POSITION
from shogi_engine.jit import ctz, load_u64, njit, popcount
from shogi_engine.search.context import TABLE
from shogi_engine.search.tt import probe

FEW_EMPTIES = 5  # at most this many empty squares are left to `solve_few`
TABLE_EMPTIES = 7  # from this many empty squares on the table is used
ETC_EMPTIES = 10  # and from this many on probed for every child first (enhanced transposition cutoff)
FINISH_EMPTIES = 8  # with at most this many the shared search calls `solve`
MOVES_START = 4096  # where the move lists begin in ctx.moves, 64 entries for each number of empty squares

# Weights of the move ordering, tuned on the nodes of FFO 20-34: fewest replies first (a corner counts twice), few empty
# squares next to one's own discs, an odd number of empty squares in the quadrant.
REPLY_SCORE, FRONTIER_SCORE, ODD_SCORE = 32, 12, 12
PLACE_SCORES = np.array([square_bonus(square) for square in range(64)], dtype=np.int32)
TABLE_MOVE, SECOND_MOVE = 1 << 28, 1 << 27


# ---- the search --------------------------------------------------------------------------------------------------


@njit
def order_score(mine, theirs, place, odd):
    """Return the ordering score of the move to `place`: few replies first. mine, theirs : after the move."""
    replies = mobility(theirs, mine)
    empty = ALL ^ (mine | theirs)
    score = np.int64(PLACE_SCORES[place]) - REPLY_SCORE * (popcount(replies) + popcount(replies & CORNERS))
    score -= FRONTIER_SCORE * popcount(neighbours(mine) & empty)
    return score + ODD_SCORE if odd >> place & ONE != ZERO else score


@njit
def write_scored_moves(ctx, own, opponent, moves, start, beta, etc, first, second):
    """Write the squares of `moves` (uint64) to ctx.moves[start:] and their scores; return (end, value, place).

    first, second : square + 1 of the table's moves, or 0.   etc : probe the table for each child.
    A value other than NO_SCORE is a cutoff by the move to `place`: it leaves no disc to the opponent, or the table has
    a bound of the child that proves at least `beta`.
    """
    odd = odd_quadrants(ALL ^ (own | opponent))
    end = start
    while moves != ZERO:
        place = np.uint64(ctz(moves))
        moves &= moves - ONE
        flipped = flips(own, opponent, place)
        theirs = opponent ^ flipped
        mine = own ^ flipped ^ ONE << place
        if theirs == ZERO:
            return end, np.int64(HIGHEST), place
        if etc:
            data = probe(ctx, ending_key(theirs, mine))
            if data != ZERO and -upper_bound(data) >= beta:
                return end, -upper_bound(data), place
        score = order_score(mine, theirs, place, odd)
        square = np.int64(place) + 1
        if square == first:
            score += TABLE_MOVE
        elif square == second:
            score += SECOND_MOVE
        ctx.moves[end] = place
        ctx.scores[end] = score
        end += ONE
    return end, np.int64(NO_SCORE), ZERO


@njit
def pick_best(ctx, at, end):
    """Bring the best of the moves at..end - 1 (uint64) to `at` and return its square (uint64)."""
    best = at
    for other in range(at + ONE, end):
        if ctx.scores[other] > ctx.scores[best]:
            best = other
    move = ctx.moves[best]
    score = ctx.scores[best]
    ctx.moves[best] = ctx.moves[at]
    ctx.scores[best] = ctx.scores[at]
    ctx.moves[at] = move
    ctx.scores[at] = score
    return np.uint64(move)


@njit(forceinline=True)
def should_stop(ctx):
    """Tell whether the search has been stopped or has reached its limit of nodes; ctx.stopped then says so too."""
    if load_u64(ctx.stop_address) != ZERO or ctx.nodes >= ctx.node_limit:
        ctx.stopped = 1
        return True
    return False


@njit(forceinline=True)
def narrow_window(data, alpha, beta):
    """Return (value, alpha, beta): the window narrowed to the bounds in an entry's data.

    A value other than NO_SCORE is the node's, which the bounds settle.
    """
    lower, upper = lower_bound(data), upper_bound(data)
    if lower >= beta or lower == upper:
        return lower, alpha, beta
    if upper <= alpha:
        return upper, alpha, beta
    return np.int64(NO_SCORE), max(alpha, lower), min(beta, upper)


@njit
def solve(ctx, own, opponent, alpha, beta, empty):
    """Return the score of a position with the squares `empty` (uint64), exact within (alpha, beta).

    After a stop (ctx.stopped) the value means nothing. ctx.moves and ctx.scores from MOVES_START on are written.
    """
    count = popcount(empty)
    if count <= FEW_EMPTIES:
        return solve_few(ctx, own, opponent, alpha, beta, empty)
    if should_stop(ctx):
        return NO_SCORE

    # 1. Cutoffs before any move: stable discs, the table.
    value = stability_cut(own, opponent, alpha, beta)
    if value != NO_SCORE:
        return value
    key = data = ZERO
    with_table = count >= TABLE_EMPTIES and ctx.search_flags & TABLE != 0
    if with_table:
        key = ending_key(own, opponent)
        data = probe(ctx, key)
    if data != ZERO:
        value, alpha, beta = narrow_window(data, alpha, beta)
        if value != NO_SCORE:
            return value
    first, second = entry_moves(data)

    # 2. The moves.
    moves = mobility(own, opponent)
    if moves == ZERO:
        if mobility(opponent, own) == ZERO:
            return final_score(own, opponent)
        ctx.nodes += 1
        return -solve(ctx, opponent, own, -beta, -alpha, empty)
    start = np.uint64(MOVES_START + 64 * count)
    etc = with_table and count >= ETC_EMPTIES
    end, value, place = write_scored_moves(ctx, own, opponent, moves, start, beta, etc, first, second)
    if value != NO_SCORE:
        return value

    # 3. The first move with the full window, the others with a null window first.
    best = NO_SCORE
    best_move = np.int64(0)
    low = alpha
    for at in range(start, end):
        place = pick_best(ctx, at, end)
        flipped = flips(own, opponent, place)
        disc = ONE << place
        theirs, mine, rest = opponent ^ flipped, own ^ flipped ^ disc, empty ^ disc
        ctx.nodes += 1
        if at == start or beta - low == 1:
            value = -solve(ctx, theirs, mine, -beta, -low, rest)
        else:
            value = -solve(ctx, theirs, mine, -low - 1, -low, rest)
            if low < value < beta and not ctx.stopped:
                value = -solve(ctx, theirs, mine, -beta, -value, rest)
        if ctx.stopped:
            return NO_SCORE
        if value > best:
            best = value
            best_move = np.int64(place) + 1
            if value >= beta:
                break
            low = max(low, value)

    # 4. Store the result.
    if with_table:
        store_result(ctx, key, count, alpha, beta, best, best_move)
    return best


@njit
def solve_all(ctx, own, opponent, scores):
    """Write the exact score of each position to `scores` (int8[n]); return how many were solved before a stop.

    own, opponent : uint64[n], the discs of the side to move and of the other side.
    """
    for number in range(len(own)):
        score = solve(
            ctx, own[number], opponent[number], LOWEST - 1, HIGHEST + 1, ALL ^ (own[number] | opponent[number])
        )
        if ctx.stopped:
            return number
        scores[number] = score
    return len(own)


@provides(POSITION)
def endgame_solve(ctx, alpha, beta):
    own, opponent = ctx.pos.own, ctx.pos.opponent
    empty = ALL ^ (own | opponent)
    if popcount(empty) > FINISH_EMPTIES:
        return VALUE_NONE
    low = max(min(alpha // DISC, HIGHEST), LOWEST - 1)
    high = max(min(-(-beta // DISC), HIGHEST + 1), low + 1)
    return DISC * solve(ctx, own, opponent, low, high, empty)
