"""Exact search of Othello endgames: principal variation search with the transposition table, down to `last_empties`.

Values are final scores in discs for the side to move, with empty squares counted for the winner. The kernels use the
search's own context and its table; table.py defines the entries.
"""

import numpy as np

from shogi_engine.common.bits import ALL, ONE, ZERO
from shogi_engine.games.othello.bitboard import CORNERS, FILE_A, neighbours, odd_quadrants, stable_discs
from shogi_engine.games.othello.movegen import flips, mobility, reached
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.params import square_bonus
from shogi_engine.games.othello.position import final_score, mixed_key
from shogi_engine.games.othello.types import MAX_MOVES, POSITION, SQUARES
from shogi_engine.interface.game import VALUE_NONE, provides
from shogi_engine.jit import address_of, clz, ctz, load_stop, load_u64, njit, popcount, prefetch, record_at
from shogi_engine.jit.lanes import bytes_of, largest_i32, load, popcounts, python_of, store, store_i32, traced, where
from shogi_engine.jit.vectors import ALIGNMENT, align_up
from shogi_engine.search.context import USE_TT
from shogi_engine.search.tt import CHECK_SHIFT, GENERATION_SHIFT, cluster_address, find_slot, probe_entry, write_entry

# ---- The last empty squares, solved exactly: kernels for one to four of them, and a search for a few more without a
# table
#
# All values are final scores in discs for the side to move, with empty squares counted for the winner. All searches are
# fail-soft. Every position entered is a node, those with a single empty square included.
#
# Sources: the split by empty squares and the parity of regions come from Edax (Richard Delorme,
# https://github.com/abulmo/edax-reversi) and Gunnar Andersson's endgame.c (https://radagast.se/othello/).


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


# ---- Endgame entries of the transposition tables: two bounds of the exact score, and two moves
#
# Positions with many empty squares share the search's table, with salted keys (search/tt.py: lockless entries, depth,
# generation, replacement). Those with up to NEAR_EMPTIES are stored in a small table of each thread, which fits the
# CPU's second-level cache and has one slot for each key: these positions are numerous, and recur soon or never.
# data: bits 0-7 best move + 1, 8-15 the one before, 16-23 selectivity, 32-39 lower bound + 64, 40-47 upper bound + 64,
# 48-55 empty squares, 56-57 set, 59-63 generation.


LOWEST, HIGHEST = -64, 64  # possible scores
NEAR_EMPTIES = 9
NEAR_BITS = 14
ENTRY_BYTES = 16
NEAR_TABLE = (("near_table", np.uint8, (ENTRY_BYTES * (1 << NEAR_BITS) + ALIGNMENT,)),)  # among the histories
SALT = np.uint64(0xB7E151628AED2A6B)
BYTE = np.uint64(255)


@njit
def ending_key(own, opponent):
    """Return the key of a position to solve; it does not depend on which colour is to move."""
    return mixed_key(own, opponent, SALT)


@njit
def lower_bound(data):
    """Return the lower bound of an entry's data."""
    return np.int64(data >> np.uint64(32) & BYTE) - 64


@njit
def upper_bound(data):
    """Return the upper bound of an entry's data."""
    return np.int64(data >> np.uint64(40) & BYTE) - 64


@njit(forceinline=True)
def entry_moves(data):
    """Return the two moves of an entry's data as square + 1, 0 for none: the best one, and the one before it."""
    return np.int64(data & BYTE), np.int64(data >> np.uint64(8) & BYTE)


@njit
def entry_square(data):
    """Return the square of an entry's best move, -1 if it has none."""
    return np.int64(data & BYTE) - 1


@njit
def entry_selectivity(data):
    """Return the selectivity of the pass that found an entry's bounds: 0 if they are proven."""
    return np.int64(data >> np.uint64(16) & BYTE)


@njit
def ending_address(ctx, key, empties):
    """Return the address of the entries for `key` (uint64), of a position with `empties` empty squares."""
    if empties > NEAR_EMPTIES:
        return cluster_address(ctx, key)
    first = align_up(np.uint64(record_at(ctx, ctx.histories).near_table.ctypes.data))
    return first + (key >> np.uint64(64 - NEAR_BITS)) * np.uint64(ENTRY_BYTES)


@njit
def probe_ending(ctx, key, empties):
    """Return the data (uint64) stored for `key`, 0 if there is none."""
    if empties > NEAR_EMPTIES:
        return probe_entry(ctx, key)[0]
    address = ending_address(ctx, key, empties)
    data = load_u64(address + np.uint64(8))
    return data if load_u64(address) ^ data == key << CHECK_SHIFT else ZERO


@njit
def store_bounds(ctx, key, empties, lower, upper, move, selectivity):
    """Store bounds of a position, combined with those stored before if they are equally certain.

    Args:
        move: square + 1 of a move that proves `lower`, or 0
        selectivity: see `entry_selectivity`; stored bounds of a less selective pass are kept
    """
    if empties > NEAR_EMPTIES:
        address, data = find_slot(ctx, key)
    else:
        address, data = ending_address(ctx, key, empties), probe_ending(ctx, key, empties)
    second = np.int64(0)
    if data != ZERO:
        before, earlier = entry_moves(data)
        known = entry_selectivity(data)
        worse = known < selectivity or known == selectivity and lower_bound(data) > lower
        if move == 0 or before != 0 and worse:  # another thread has meanwhile stored a better bound
            move, before = before, move
        second = before if before != move and before != 0 else earlier
        if known < selectivity:
            lower, upper, selectivity = lower_bound(data), upper_bound(data), known
        elif known == selectivity and lower <= upper_bound(data) and lower_bound(data) <= upper:
            lower, upper = max(lower, lower_bound(data)), min(upper, upper_bound(data))
    data = (
        np.uint64(move)
        | np.uint64(second) << np.uint64(8)
        | np.uint64(selectivity) << np.uint64(16)
        | np.uint64(lower + 64) << np.uint64(32)
        | np.uint64(upper + 64) << np.uint64(40)
        | np.uint64(empties) << np.uint64(48)
        | np.uint64(3) << np.uint64(56)
        | ctx.generation << GENERATION_SHIFT
    )
    write_entry(address, key, data, ZERO)


@njit
def store_result(ctx, key, empties, alpha, beta, best, move, selectivity):
    """Store the bounds that a search of the window (alpha, beta) proved: its value `best`, by `move` (square + 1)."""
    lower = best if best > alpha else np.int64(LOWEST)
    upper = best if best < beta else np.int64(HIGHEST)
    store_bounds(ctx, key, empties, lower, upper, move if best > alpha else np.int64(0), selectivity)


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
        child = ending_key(opponent ^ flipped, own ^ flipped ^ ONE << place)
        prefetch(ending_address(ctx, child, empties))
        write_word(address, child)
        address += np.uint64(8)
    end, address = address, first
    while address < end:
        data = probe_ending(ctx, read_word(address), empties)
        if data != ZERO and -upper_bound(data) >= beta and entry_selectivity(data) <= selectivity:
            return -upper_bound(data), np.uint64(ctz(moves))
        moves &= moves - ONE
        address += np.uint64(8)
    return np.int64(NO_SCORE), ZERO


# ---- the search --------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def should_stop(ctx):
    """Tell whether the search was stopped or has reached its node limit; if so, ctx.stopped is set."""
    if load_stop(ctx.stop_address) != ZERO or ctx.nodes >= ctx.node_limit:
        ctx.stopped = 1
        return True
    return False


@njit(forceinline=True)
def narrow_window(data, alpha, beta):
    """Return (value, alpha, beta): the window narrowed to the bounds in an entry's data.

    A value other than NO_SCORE means that the bounds settle the node.
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
        key = ending_key(own, opponent)
        prefetch(ending_address(ctx, key, count))
    moves = mobility(own, opponent)
    if moves == ZERO:
        if mobility(opponent, own) == ZERO:
            return final_score(own, opponent)
        ctx.nodes += 1
        return -solve(ctx, opponent, own, -beta, -alpha, empty)
    if with_table:
        data = probe_ending(ctx, key, count)
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
    first, second = entry_moves(data)
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
        store_result(ctx, key, count, alpha, beta, best, best_move, np.int64(0))
    return best


@njit
def solve_all(ctx, own, opponent, scores):
    """Write the exact score of each position to `scores` (int8[n]); return how many were solved before a stop.

    Args:
        own, opponent: uint64[n], the discs of the side to move and of the other side
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
