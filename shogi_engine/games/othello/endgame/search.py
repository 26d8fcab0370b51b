"""Exact search of Othello endgames: principal variation search with the transposition table, down to `last_empties`.

Values are final scores in discs for the side to move, with empty squares counted for the winner. The kernels use the
search's own context and its table; table.py defines the entries.
"""

import numpy as np

from shogi_engine.common.bits import ALL, ONE, ZERO
from shogi_engine.games.othello.bitboard import CORNERS, neighbours, odd_quadrants
from shogi_engine.games.othello.endgame import table
from shogi_engine.games.othello.endgame.last_empties import FEW_EMPTIES, NO_SCORE, solve_5, solve_few, stability_cut
from shogi_engine.games.othello.movegen import flips, mobility, reached
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.params import square_bonus
from shogi_engine.games.othello.rules import final_score
from shogi_engine.games.othello.types import MAX_MOVES, POSITION
from shogi_engine.interface.game import VALUE_NONE, provides
from shogi_engine.jit import address_of, ctz, load_u64, njit, popcount, prefetch
from shogi_engine.jit.lanes import bytes_of, largest_i32, load, popcounts, python_of, store, store_i32, traced, where
from shogi_engine.search.context import USE_TT

TABLE_EMPTIES = 6  # with at least this many empty squares the table is used
ETC_EMPTIES = 10  # with at least this many, the table is first probed for every child (enhanced transposition cutoff)
FINISH_EMPTIES = 8  # with at most this many the shared search calls `solve`
# The start of the sorted moves in ctx.scores, MAX_MOVES entries for each number of empty squares. Before it are the
# lists of the nodes above, one for each disc placed.
SORTED_START = 64 * MAX_MOVES

# Weights of the move ordering, tuned for the fewest nodes on FFO 20-34. It prefers few replies (a corner counts twice),
# few empty squares next to one's own discs, and an odd number of empty squares in the quadrant.
REPLY_SCORE, FRONTIER_SCORE, ODD_SCORE = 32, 12, 12
PLACE_SCORES = [square_bonus(square) for square in range(64)]
PLACE_BYTES = np.array([score - min(PLACE_SCORES) + 1 for score in PLACE_SCORES], dtype=np.uint64)  # 1 and above
SCORE_BASE = 2048  # all scores are above -SCORE_BASE
BATCH = 8  # moves scored at once
BITS_A_MOVE = np.uint64(8)
KEPT_WORDS = np.uint64(32)  # words in ctx.moves for a node's moves: keys of positions, then flips


# ---- the order of moves --------------------------------------------------------------------------------------------


def batch_keys(lanes):
    """Return a traced function that writes the ordering keys of up to `lanes` moves to an address as int32.

    A key is score << 12 | 63 - square << 6 | the move's number, 0 for no move.

    Args:
        places, place_bytes: the moves' squares, a byte for each, and their PLACE_BYTES, 0 for no move
        flips_address: the address of their flips, as uint64
        number: the number of the first move
        odd: the squares of odd quadrants
    """

    def keys(own, opponent, odd, places, place_bytes, flips_address, number, address) -> None:
        """Write the keys; see `batch_keys`."""
        empty = ~(own | opponent)
        square, bonus = bytes_of(places, lanes), bytes_of(place_bytes, lanes)
        disc, flipped = 1 << square, load(flips_address, lanes)
        mine, theirs = own ^ flipped ^ disc, opponent ^ flipped
        replies = reached(theirs, mine)
        score = SCORE_BASE + bonus - REPLY_SCORE * (popcounts(replies) + popcounts(replies & CORNERS))
        score -= FRONTIER_SCORE * popcounts(python_of(neighbours)(mine) & (empty ^ disc))
        score += where(odd & disc, ODD_SCORE)
        score = score << 12 | (63 - square) << 6 | number + np.arange(lanes, dtype=np.uint64)
        store_i32(address, where(bonus, score))
        if lanes < BATCH:
            store_i32(address + 4 * lanes, score ^ score)

    return traced(keys)


def store_word(address, word) -> None:
    """Write a number to an address."""
    store(address, word)


def word_at(address):
    """Return the number at an address."""
    return load(address, 0)


def largest_in_row(address):
    """Return the largest of the BATCH keys at an address."""
    return largest_i32(address, BATCH)


write_four_keys, write_eight_keys = batch_keys(BATCH // 2), batch_keys(BATCH)
write_word, read_word, largest_key = traced(store_word), traced(word_at), traced(largest_in_row)


@njit
def write_keys(ctx, own, opponent, moves, start):
    """Write the ordering keys of `moves` (uint64) to ctx.scores[start:], whole rows of BATCH; return the end.

    The flips of the first KEPT_WORDS moves are kept in ctx.moves[start:].
    """
    end = start
    odd = odd_quadrants(ALL ^ (own | opponent))
    while moves != ZERO:
        places = place_bytes = shift = ZERO
        flips_address = address_of(ctx.moves) + np.uint64(4) * start + (end - start & KEPT_WORDS - ONE) * np.uint64(8)
        while moves != ZERO and shift < np.uint64(BATCH) * BITS_A_MOVE:
            place = np.uint64(ctz(moves))
            moves &= moves - ONE
            write_word(flips_address + shift, flips(own, opponent, place))
            places |= place << shift
            place_bytes |= PLACE_BYTES[place] << shift
            shift += BITS_A_MOVE
        address = address_of(ctx.scores) + np.uint64(4) * end
        if shift <= np.uint64(BATCH // 2) * BITS_A_MOVE:
            write_four_keys(own, opponent, odd, places, place_bytes, flips_address, end - start, address)
        else:
            write_eight_keys(own, opponent, odd, places, place_bytes, flips_address, end - start, address)
        end += shift // BITS_A_MOVE
    return end


@njit
def take_largest(ctx, start, end):
    """Return the largest of the keys in ctx.scores[start:end] (uint64) and replace it by 0; 0 if there is none."""
    address = address_of(ctx.scores) + np.uint64(4) * start
    largest = ZERO
    row = start
    while row < end:
        key = largest_key(address)
        largest = key if key > largest else largest
        row += np.uint64(BATCH)
        address += np.uint64(4 * BATCH)
    if largest != ZERO:
        ctx.scores[start + (largest & np.uint64(63))] = 0
    return largest


@njit
def key_square(key):
    """Return the square (uint64) of an ordering key."""
    return np.uint64(63) - (np.uint64(key) >> np.uint64(6) & np.uint64(63))


@njit
def key_flips(ctx, own, opponent, start, end, key):
    """Return the flips of the move with the ordering key `key`, one of those in ctx.scores[start:end]."""
    if end - start > KEPT_WORDS:
        return flips(own, opponent, key_square(key))
    return read_word(address_of(ctx.moves) + np.uint64(4) * start + (key & np.uint64(63)) * np.uint64(8))


@njit
def transposition_cut(ctx, own, opponent, moves, start, beta, selectivity, empties):
    """Return (value, square) of a move that the table's bounds prove to be at least `beta`, or (NO_SCORE, 0).

    Only the first KEPT_WORDS moves are tried. Overwrites ctx.moves[start:].

    Args:
        selectivity: the greatest selectivity that a bound may have
        empties: the number of empty squares after a move
    """
    address = first = address_of(ctx.moves) + np.uint64(4) * start
    left = moves
    while left != ZERO and address < first + KEPT_WORDS * np.uint64(8):
        place = np.uint64(ctz(left))
        left &= left - ONE
        flipped = flips(own, opponent, place)
        child = table.ending_key(opponent ^ flipped, own ^ flipped ^ ONE << place)
        prefetch(table.ending_address(ctx, child, empties))
        write_word(address, child)
        address += np.uint64(8)
    end, address = address, first
    while address < end:
        data = table.probe_ending(ctx, read_word(address), empties)
        if data != ZERO and -table.upper_bound(data) >= beta and table.entry_selectivity(data) <= selectivity:
            return -table.upper_bound(data), np.uint64(ctz(moves))
        moves &= moves - ONE
        address += np.uint64(8)
    return np.int64(NO_SCORE), ZERO


# ---- the search --------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def should_stop(ctx):
    """Tell whether the search was stopped or has reached its node limit; if so, ctx.stopped is set."""
    if load_u64(ctx.stop_address) != ZERO or ctx.nodes >= ctx.node_limit:
        ctx.stopped = 1
        return True
    return False


@njit(forceinline=True)
def narrow_window(data, alpha, beta):
    """Return (value, alpha, beta): the window narrowed to the bounds in an entry's data.

    A value other than NO_SCORE means that the bounds settle the node.
    """
    lower, upper = table.lower_bound(data), table.upper_bound(data)
    if lower >= beta or lower == upper:
        return lower, alpha, beta
    if upper <= alpha:
        return upper, alpha, beta
    return np.int64(NO_SCORE), max(alpha, lower), min(beta, upper)


@njit
def solve(ctx, own, opponent, alpha, beta, empty):
    """Return the score of a position with the squares `empty` (uint64), exact within (alpha, beta).

    After a stop (ctx.stopped) the value is meaningless. Overwrites ctx.moves and ctx.scores from SORTED_START on.
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
    with_table = count >= TABLE_EMPTIES and ctx.search_flags & USE_TT != 0
    if with_table:
        key = table.ending_key(own, opponent)
        prefetch(table.ending_address(ctx, key, count))
    moves = mobility(own, opponent)
    if moves == ZERO:
        if mobility(opponent, own) == ZERO:
            return final_score(own, opponent)
        ctx.nodes += 1
        return -solve(ctx, opponent, own, -beta, -alpha, empty)
    if with_table:
        data = table.probe_ending(ctx, key, count)
    if data != ZERO:
        value, alpha, beta = narrow_window(data, alpha, beta)
        if value != NO_SCORE:
            return value
    start = end = np.uint64(SORTED_START + MAX_MOVES * count)
    if with_table and count >= ETC_EMPTIES:
        value, _ = transposition_cut(ctx, own, opponent, moves, start, beta, np.int64(0), count - 1)
        if value != NO_SCORE:
            return value

    # 2. The table's moves, then the others by their keys: the first with the full window, the rest with null windows.
    first, second = table.entry_moves(data)
    best, best_move = NO_SCORE, np.int64(0)
    low = alpha
    while True:
        if first != 0 or moves != ZERO and moves & (moves - ONE) == ZERO:
            place = np.uint64(first - 1) if first != 0 else np.uint64(ctz(moves))
            first, second = second, np.int64(0)
            moves ^= ONE << place
            flipped = flips(own, opponent, place)
        else:
            if moves != ZERO:
                end = write_keys(ctx, own, opponent, moves, start)
                moves = ZERO
            ordering_key = take_largest(ctx, start, end)
            if ordering_key == ZERO:
                break
            place = key_square(ordering_key)
            flipped = key_flips(ctx, own, opponent, start, end, ordering_key)
        theirs, mine, rest = opponent ^ flipped, own ^ flipped ^ ONE << place, empty ^ ONE << place
        ctx.nodes += 1
        if count == FEW_EMPTIES + 1:
            value = -solve_5(ctx, theirs, mine, -beta, -low, rest)
        elif best == NO_SCORE or beta - low == 1:
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

    # 3. Store the result.
    if with_table:
        table.store_result(ctx, key, count, alpha, beta, best, best_move, np.int64(0))
    return best


@njit
def solve_all(ctx, own, opponent, scores):
    """Write the exact score of each position to `scores` (int8[n]); return how many were solved before a stop.

    Args:
        own, opponent: uint64[n], the discs of the side to move and of the other side
    """
    for number in range(len(own)):
        score = solve(
            ctx,
            own[number],
            opponent[number],
            table.LOWEST - 1,
            table.HIGHEST + 1,
            ALL ^ (own[number] | opponent[number]),
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
    low = max(min(alpha // DISC, table.HIGHEST), table.LOWEST - 1)
    high = max(min(-(-beta // DISC), table.HIGHEST + 1), low + 1)
    return DISC * solve(ctx, own, opponent, low, high, empty)
