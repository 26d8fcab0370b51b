"""Exact search of Othello endings: principal variation search with the transposition table, down to `last_empties`.

Values are final scores in discs for the side to move, the empty squares for the winner. The kernels work on the
search's own context and on its table's memory (search/table.py: `cluster_address`, the lockless entries and their
depth and generation); an entry here holds two bounds and two moves, and its key is salted, so that both kinds live in
one table. data: bits 0-7 best move + 1, 8-15 the one before, 32-39 lower bound + 64, 40-47 upper bound + 64,
48-55 empty squares, 56-57 set, 58-63 generation.
"""

import numpy as np

from shogi_engine.bits import ALL, ONE, ZERO
from shogi_engine.game import VALUE_NONE, provides
from shogi_engine.games.othello.bitboard import CORNERS, neighbours
from shogi_engine.games.othello.endgame.last_empties import NO_SCORE, odd_regions, solve_few, stability_cut
from shogi_engine.games.othello.movegen import flips, mobility
from shogi_engine.games.othello.params import square_bonus
from shogi_engine.games.othello.position import MIX_FACTOR, OPPONENT_FACTOR, OWN_FACTOR
from shogi_engine.games.othello.rules import final_score
from shogi_engine.games.othello.types import DISC, POSITION
from shogi_engine.jit import ctz, load_u64, njit, popcount, store_u64
from shogi_engine.search.context import TABLE
from shogi_engine.search.tt import ENTRIES, GENERATIONS, cluster_address, entry_depth, probe

FEW = 5  # up to so many empty squares `solve_few` searches
TABLE_FROM = 7  # from so many empty squares on the table is used
LOOK_AHEAD = 10  # and from so many on it is asked about every child first
FINISH_EMPTIES = 8  # from so many on the shared search leaves the rest to `solve`
MOVES = 4096  # where the lists of moves begin in ctx.moves, 64 places for each number of empty squares
LOWEST, HIGHEST = -64, 64

SALT = np.uint64(0xB7E151628AED2A6B)
HALF = np.uint64(32)
BYTE = np.uint64(255)

# What orders the moves, tuned on the nodes of FFO 20-34: fewest answers first (a corner counts twice), few empty
# squares next to one's own discs, an odd number of empty squares in the quadrant.
ANSWER_SCORE, FRONTIER_SCORE, ODD_SCORE = 32, 12, 12
PLACE_SCORES = np.array([square_bonus(square) for square in range(64)], dtype=np.int32)
TABLE_MOVE, SECOND_MOVE, WIPE_OUT = 1 << 28, 1 << 27, 1 << 29


# ---- the table ---------------------------------------------------------------------------------------------------


@njit
def ending_key(own, opponent):
    """Return the key of a position to be solved; which colour is to move makes no difference."""
    mixed = own * OWN_FACTOR
    other = opponent * OPPONENT_FACTOR
    mixed = ((mixed ^ mixed >> HALF) + (other ^ other >> HALF) ^ SALT) * MIX_FACTOR
    return mixed ^ mixed >> HALF


@njit
def lower_bound(data):
    """Return the lower bound of an entry's data."""
    return np.int64(data >> np.uint64(32) & BYTE) - 64


@njit
def upper_bound(data):
    """Return the upper bound of an entry's data."""
    return np.int64(data >> np.uint64(40) & BYTE) - 64


@njit
def entry_square(data):
    """Return the square of an entry's best move, -1 if it has none."""
    return np.int64(data & BYTE) - 1


@njit
def store_bounds(ctx, key, empties, lower, upper, move):
    """Store what is proven of a position; bounds known before stay. move : square + 1, proves `lower`; or 0."""
    base = cluster_address(ctx, key)
    victim = base
    lowest_worth = np.int64(1 << 30)
    address = base
    second = np.int64(0)
    for _ in range(ENTRIES):
        data = load_u64(address + np.uint64(8))
        if load_u64(address) ^ data == key and data != ZERO:
            victim = address
            before, proven = np.int64(data & BYTE), lower_bound(data)
            if move == 0 or before != 0 and proven > lower:  # by another thread, meanwhile: its move proves more
                move, before = before, move
            second = before if before != move and before != 0 else np.int64(data >> np.uint64(8) & BYTE)
            lower, upper = max(lower, proven), min(upper, upper_bound(data))
            break
        age = int(ctx.generation - (data >> np.uint64(58)) & np.uint64(GENERATIONS - 1))
        worth = entry_depth(data) - 8 * age if data != ZERO else np.int64(-(1 << 20))
        if worth < lowest_worth:
            lowest_worth = worth
            victim = address
        address += np.uint64(16)
    data = (
        np.uint64(move)
        | np.uint64(second) << np.uint64(8)
        | np.uint64(lower + 64) << np.uint64(32)
        | np.uint64(upper + 64) << np.uint64(40)
        | np.uint64(empties) << np.uint64(48)
        | np.uint64(3) << np.uint64(56)
        | ctx.generation << np.uint64(58)
    )
    store_u64(victim, key ^ data)
    store_u64(victim + np.uint64(8), data)


@njit
def remember(ctx, key, empties, alpha, beta, best, move):
    """Store what a search with the window (alpha, beta) proved: its value `best` and the move (square + 1) to it."""
    lower = best if best > alpha else np.int64(LOWEST)
    upper = best if best < beta else np.int64(HIGHEST)
    store_bounds(ctx, key, empties, lower, upper, move if best > alpha else np.int64(0))


# ---- the search --------------------------------------------------------------------------------------------------


@njit
def order_score(mine, theirs, place, odd):
    """Return how promising it is to have placed on `place`: few answers first. mine, theirs : after the move."""
    answers = mobility(theirs, mine)
    empty = ALL ^ (mine | theirs)
    score = np.int64(PLACE_SCORES[place]) - ANSWER_SCORE * (popcount(answers) + popcount(answers & CORNERS))
    score -= FRONTIER_SCORE * popcount(neighbours(mine) & empty)
    return score + ODD_SCORE if odd >> place & ONE != ZERO else score


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


@njit
def solve(ctx, own, opponent, alpha, beta, empty):
    """Return the score of a position with the squares `empty` (uint64), exact within (alpha, beta).

    After a stop (ctx.stopped) the value means nothing. ctx.moves and ctx.scores from MOVES on are written.
    """
    count = popcount(empty)
    if count <= FEW:
        return solve_few(ctx, own, opponent, alpha, beta, empty)
    if load_u64(ctx.stop_address) != ZERO or ctx.nodes >= ctx.node_limit:
        ctx.stopped = 1
        return NO_SCORE

    # 1. What can be said without a move: stable discs, the table.
    value = stability_cut(own, opponent, alpha, beta)
    if value != NO_SCORE:
        return value
    key = ZERO
    first, second = np.int64(0), np.int64(0)
    data = ZERO
    with_table = count >= TABLE_FROM and ctx.search_flags & TABLE != 0
    if with_table:
        key = ending_key(own, opponent)
        data = probe(ctx, key)
    if data != ZERO:
        lower, upper = lower_bound(data), upper_bound(data)
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        alpha, beta = max(alpha, lower), min(beta, upper)
        first, second = np.int64(data & BYTE), np.int64(data >> np.uint64(8) & BYTE)

    # 2. The moves.
    moves = mobility(own, opponent)
    if moves == ZERO:
        if mobility(opponent, own) == ZERO:
            return final_score(own, opponent)
        ctx.nodes += 1
        return -solve(ctx, opponent, own, -beta, -alpha, empty)
    start = np.uint64(MOVES + 64 * count)
    end = start
    odd = odd_regions(empty)
    while moves != ZERO:
        place = np.uint64(ctz(moves))
        moves &= moves - ONE
        turned = flips(own, opponent, place)
        theirs = opponent ^ turned
        mine = own ^ turned ^ ONE << place
        if theirs == ZERO:
            return np.int64(HIGHEST)
        # Enhanced transposition cutoff: a child that the table knows to be bad enough for the opponent.
        if with_table and count >= LOOK_AHEAD:
            known = probe(ctx, ending_key(theirs, mine))
            if known != ZERO and -upper_bound(known) >= beta:
                return -upper_bound(known)
        score = order_score(mine, theirs, place, odd)
        square = np.int64(place) + 1
        if square == first:
            score += TABLE_MOVE
        elif square == second:
            score += SECOND_MOVE
        ctx.moves[end] = place
        ctx.scores[end] = score
        end += ONE

    # 3. The first with the whole window, of the others only whether they are better.
    best = NO_SCORE
    best_move = np.int64(0)
    low = alpha
    for at in range(start, end):
        place = pick_best(ctx, at, end)
        turned = flips(own, opponent, place)
        disc = ONE << place
        theirs, mine, rest = opponent ^ turned, own ^ turned ^ disc, empty ^ disc
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

    # 4. Remember it.
    if with_table:
        remember(ctx, key, count, alpha, beta, best, best_move)
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
