"""The transposition table: what a search leaves in it is true, at its depth, of each position."""

import numpy as np
import pytest

from shogi_engine.interface.game import MAX_PLY, VALUE_MATE, VALUE_MATE_IN_MAX, VALUE_NONE, do_move, key
from shogi_engine.jit import new_record
from shogi_engine.search.context import USE_TT, new_context
from shogi_engine.search.tt import (
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_NONE,
    BOUND_UPPER,
    ENTRIES,
    GENERATIONS,
    MAX_STORED_DEPTH,
    TranspositionTable,
    entry_bound,
    entry_depth,
    entry_eval,
    entry_is_pv,
    entry_move,
    entry_value,
    probe_entry,
    store,
)
from shogi_engine.textbook.searches import minimax
from tests.support.games import game_of
from tests.support.move_lists import legal_moves
from tests.support.searching import place, pvs_value, random_positions

# How deep, how many moves from the start at most, how many positions, and how many plies the tree is looked through.
CASES = [("tictactoe", 5, 3, 8, 4), ("othello4", 5, 5, 8, 4), ("othello", 5, 40, 6, 3), ("shogi", 3, 50, 3, 2)]


def probe(ctx, key):
    """Return the data stored for `key`, 0 if there is none."""
    return probe_entry(ctx, key)[0]


def positions_below(ctx, position, plies):
    """Return the positions up to `plies` moves below `position`, by their key."""
    found, last, undo = {int(key(position)): position}, [position], new_record(ctx.undo.dtype)
    for _ in range(plies):
        coming = {}
        for parent in last:
            ctx.pos = parent
            for move in legal_moves(ctx):
                child = parent.copy()
                do_move(child, move, undo)
                coming.setdefault(int(key(child)), child)
        last = list(coming.values())
        found |= coming
    return found


@pytest.mark.parametrize(("name", "depth", "longest", "count", "plies"), CASES)
def test_each_entry_is_true(name, depth, longest, count, plies):
    game = game_of(name)
    ctx, judge, table = new_context(game), new_context(game), TranspositionTable(4)
    seen = dict.fromkeys((BOUND_EXACT, BOUND_LOWER, BOUND_UPPER), 0)
    for position in random_positions(game, count, 67, longest):
        table.clear()
        place(ctx, position, USE_TT, table)
        pvs_value(ctx, depth)
        for number, child in positions_below(judge, position, plies).items():
            data = probe(ctx, np.uint64(number))
            if not data:
                continue
            value, bound = int(entry_value(data, 0)), int(entry_bound(data))
            place(judge, child)
            truth = int(minimax(judge, int(entry_depth(data)), 0, np.zeros(MAX_PLY + 1, np.int64)))
            text = game.format_position(child)
            if bound == BOUND_EXACT:
                assert value == truth, text
            elif bound == BOUND_LOWER:
                assert value <= truth, text
            else:
                assert bound == BOUND_UPPER and value >= truth, text
            assert entry_move(data) == 0 or entry_move(data) in legal_moves(judge), text
            seen[bound] += 1
    assert all(seen.values()), seen


# ---- entries -------------------------------------------------------------------------------------------------------


def with_table(clusters=0):
    """Return a context and the table it uses, of that many clusters."""
    context, table = new_context(game_of("tictactoe")), TranspositionTable(1)
    place(context, game_of("tictactoe").parse_position("-" * 9), USE_TT, table)
    context.tt_clusters = clusters or table.clusters
    return context, table


KEYS = [np.uint64(number) for number in (0, 1, 0x0123456789ABCDEF, (1 << 64) - 1, 1 << 63)]


@pytest.mark.parametrize("number", KEYS, ids=hex)
def test_what_is_stored_is_found(number):
    ctx, table = with_table()
    assert probe(ctx, number) == 0
    for bound in (BOUND_UPPER, BOUND_LOWER, BOUND_EXACT):
        for value in (0, 1, -1, 30000, -30000, VALUE_MATE_IN_MAX - 1, 1 - VALUE_MATE_IN_MAX):
            for depth, move in ((0, 1), (9, 0xFFFFFFFF), (MAX_STORED_DEPTH, 77)):
                table.clear()
                ctx.tt_address = table.address
                ctx.ply = 5
                store(ctx, number, np.uint32(move), value, depth, bound, True, value // 2)
                ctx.ply = 0
                data = probe(ctx, number)
                assert (entry_move(data), entry_depth(data), entry_bound(data)) == (move, depth, bound)
                assert entry_is_pv(data) and entry_eval(np.uint64(probe_entry(ctx, number)[1])) == value // 2
                assert entry_value(data, 5) == entry_value(data, 9) == value
                assert probe(ctx, number ^ np.uint64(1)) == 0


@pytest.mark.parametrize("sign", [1, -1])
def test_a_win_counts_plies_from_where_it_is_met(sign):
    """Stored three plies below the root as won in ten plies from the root, it is won in seven from there."""
    ctx, _ = with_table()
    ctx.ply = 3
    store(ctx, KEYS[2], np.uint32(1), sign * (VALUE_MATE - 10), 4, BOUND_EXACT, False, VALUE_NONE)
    data = probe(ctx, KEYS[2])
    for ply in (0, 3, 20):
        assert entry_value(data, ply) == sign * (VALUE_MATE - 7 - ply)


def test_the_last_and_the_first_cluster_are_inside_the_memory():
    ctx, table = with_table()
    for number in (np.uint64(0), np.uint64((1 << 64) - 1)):
        store(ctx, number, np.uint32(1), 5, 1, BOUND_EXACT, False, VALUE_NONE)
    used = np.flatnonzero(table.words)
    assert used[0] < 2 and used[-1] >= len(table.words) - 8
    assert table.address % 64 == 0


def fill(ctx, depths):
    """Store an entry of each depth, under a key of its own."""
    for number, depth in enumerate(depths, 1):
        store(ctx, np.uint64(number), np.uint32(number), 0, depth, BOUND_LOWER, False, VALUE_NONE)


def kept(ctx, count):
    return [number for number in range(1, count + 1) if probe(ctx, np.uint64(number))]


def test_the_least_deep_entry_gives_way():
    ctx, _ = with_table(clusters=1)
    fill(ctx, [5, 3, 9, 7])
    assert kept(ctx, 4) == [1, 2, 3, 4] and ENTRIES == 4
    fill(ctx, [5, 3, 9, 7, 4])
    assert kept(ctx, 5) == [1, 3, 4, 5]


def test_old_entries_give_way_first():
    ctx, table = with_table(clusters=1)
    fill(ctx, [12, 11, 10, 9])
    for _ in range(2):
        table.next_generation()
    ctx.generation = table.generation
    for number in (5, 6, 7):
        store(ctx, np.uint64(number), np.uint32(number), 0, 1, BOUND_LOWER, False, VALUE_NONE)
    assert kept(ctx, 7) == [1, 5, 6, 7]  # each of depth 1, but of this search


def test_the_generation_counts_in_a_circle():
    ctx, table = with_table(clusters=1)
    seen = set()
    for _ in range(2 * GENERATIONS):
        table.next_generation()
        seen.add(table.generation)
        ctx.generation = table.generation
        store(ctx, KEYS[2], np.uint32(1), 0, 3, BOUND_LOWER, False, VALUE_NONE)
        assert int(probe(ctx, KEYS[2])) >> 59 == table.generation
    assert seen == set(range(GENERATIONS))


def test_an_entry_without_a_move_keeps_the_one_that_is_known():
    ctx, _ = with_table()
    store(ctx, KEYS[2], np.uint32(42), 10, 3, BOUND_EXACT, False, VALUE_NONE)
    store(ctx, KEYS[2], np.uint32(0), -10, 4, BOUND_UPPER, False, VALUE_NONE)
    data = probe(ctx, KEYS[2])
    assert (entry_move(data), entry_value(data, 0), entry_bound(data)) == (42, -10, BOUND_UPPER)


def test_a_static_evaluation_is_no_bound():
    """An entry may contain only the static evaluation; it then has no value that could cause a cutoff."""
    ctx, _ = with_table()
    store(ctx, KEYS[2], np.uint32(0), VALUE_NONE, 0, BOUND_NONE, False, -77)
    data, check = probe_entry(ctx, KEYS[2])
    assert (entry_value(data, 4), entry_eval(np.uint64(check)), entry_bound(data)) == (VALUE_NONE, -77, BOUND_NONE)
    assert data != 0 and not entry_is_pv(data)


def test_a_much_deeper_entry_stays_but_for_its_move():
    ctx, table = with_table()
    store(ctx, KEYS[2], np.uint32(1), 10, 9, BOUND_LOWER, False, 5)
    store(ctx, KEYS[2], np.uint32(2), 20, 5, BOUND_LOWER, False, 6)
    data, check = probe_entry(ctx, KEYS[2])
    assert (entry_move(data), entry_value(data, 0), entry_depth(data), entry_eval(np.uint64(check))) == (2, 10, 9, 5)
    table.next_generation()
    ctx.generation = table.generation
    store(ctx, KEYS[2], np.uint32(3), 30, 5, BOUND_LOWER, False, 6)
    assert entry_value(probe(ctx, KEYS[2]), 0) == 30


def test_a_torn_entry_is_a_miss():
    """Half of one entry and half of another, as two threads may leave it."""
    ctx, table = with_table(clusters=1)
    store(ctx, KEYS[2], np.uint32(1), 10, 3, BOUND_EXACT, False, VALUE_NONE)
    first = table.words[:2].copy()
    store(ctx, KEYS[2], np.uint32(2), 20, 4, BOUND_EXACT, False, VALUE_NONE)
    assert (table.words[:2] != first).all()
    for word in (0, 1):
        torn = table.words[:2].copy()
        torn[word] = first[word]
        whole, table.words[:2] = table.words[:2].copy(), torn
        assert probe(ctx, KEYS[2]) == 0
        table.words[:2] = whole
    assert probe(ctx, KEYS[2]) != 0
