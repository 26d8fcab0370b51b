"""Minimax, alpha-beta, NegaScout and the shared search without its shortcuts find the same value."""

import numpy as np
import pytest

from shogi_engine.interface.game import MAX_PLY
from shogi_engine.perft import perft
from shogi_engine.search.context import USE_TT, new_context
from shogi_engine.search.root import Searcher
from shogi_engine.search.timeman import Limits
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.textbook.searches import minimax
from tests.support.games import game_of
from tests.support.processes import ARE_PLAIN
from tests.support.searching import place, pvs_value, random_positions, textbook_visits
from tests.support.sizes import sized

# How deep, how many moves from the start at most, and how many positions.
CASES = [
    ("tictactoe", 6, 5, sized(60, 200)),
    ("othello4", 6, 8, sized(60, 200)),
    ("othello", 4, 50, sized(80, 200)),
    ("shogi", 2, 120, sized(60, 150)),
]
if ARE_PLAIN:
    CASES = [(name, depth, longest, count // 20) for name, depth, longest, count in CASES]
DEEPER = [("tictactoe", 10, 3, 60), ("othello4", 13, 8, 60), ("othello", 6, 55, 50), ("shogi", 4, 60, 6)]
QUICK = [(name, min(depth, 4), longest, min(count, sized(20, 40))) for name, depth, longest, count in CASES]


@pytest.mark.parametrize(
    ("name", "depth", "longest", "count"), [*CASES, *(pytest.param(*each, marks=pytest.mark.slow) for each in DEEPER)]
)
def test_all_searches_agree(name, depth, longest, count):
    """Compare all searches on random positions, at each depth up to `depth`."""
    game = game_of(name)
    ctx = new_context(game)
    table = TranspositionTable(1)  # the context has its address only
    fewer, researched = 0, 0
    for number, position in enumerate(random_positions(game, count, 2026, longest)):
        for plies in range(1, depth + 1):
            place(ctx, position)
            found = textbook_visits(ctx, plies)
            values = {value for value, _ in found.values()}
            place(ctx, position)
            values.add(pvs_value(ctx, plies))
            table.clear()
            place(ctx, position, USE_TT, table)
            values.add(pvs_value(ctx, plies))
            assert len(values) == 1, (number, plies, game.format_position(position), found, values)
            assert ctx.pos.tobytes() == position.tobytes() and ctx.ply == ctx.game_ply == 0
            assert not ctx.repetition_filter.any()

            mini, alpha, scout = (found[search][1] for search in ("minimax", "alpha-beta", "negascout"))
            assert mini[0] == alpha[0] == 1  # the root, once
            assert (alpha <= mini).all()
            assert (alpha[:2] == mini[:2]).all()  # at the root there is no beta to reach
            assert (scout[mini == 0] == 0).all()
            fewer += int(alpha.sum()) < int(mini.sum())
            researched += int(scout[1]) > int(mini[1])
    assert fewer and researched  # else the searches were not put to the test


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("name", "depth", "longest", "count"), QUICK)
def test_the_searcher_agrees_with_minimax(name, depth, longest, count, threads):
    """Iterative deepening, aspiration windows, several threads and a table change nothing about the value."""
    game = game_of(name)
    ctx = new_context(game)
    searcher = Searcher(game, hash_mb=1, threads=threads)
    for number, position in enumerate(random_positions(game, count, 7, longest)):
        place(ctx, position)
        value = int(minimax(ctx, depth, 0, np.zeros(MAX_PLY + 1, np.int64)))
        for flags in (0, USE_TT):
            searcher.search_flags = flags
            searcher.new_game()
            result = searcher.search(position, (), Limits(depth=depth))
            assert result.score == value, (number, game.format_position(position), flags)
            assert result.bestmove == result.pv[0]
            assert result.bestmove in searcher.root_moves(position)


@pytest.mark.parametrize(("name", "depth", "longest", "count"), QUICK)
def test_a_table_of_one_cluster_makes_no_error(name, depth, longest, count):
    """All positions fall into it: what is stored for another one must not be taken for this one's."""
    game = game_of(name)
    ctx, table = new_context(game), TranspositionTable(1)
    for number, position in enumerate(random_positions(game, count, 61, longest)):
        place(ctx, position)
        value = int(minimax(ctx, depth, 0, np.zeros(MAX_PLY + 1, np.int64)))
        table.clear()
        place(ctx, position, USE_TT, table)
        ctx.tt_clusters = 1
        assert pvs_value(ctx, depth) == value, (number, game.format_position(position))
        assert table.words[:8].any() and not table.words[8:].any()


@pytest.mark.parametrize("name", ["tictactoe", "othello4", "othello", "shogi"])
def test_minimax_visits_the_positions_that_perft_counts(name):
    """As long as there is no pass and no end before: plies are then depth, and nothing is counted twice."""
    game = game_of(name)
    ctx, position = new_context(game), game.parse_position(game.start)
    depth = 2 if name == "shogi" else 4  # at the third ply a bishop may decline to promote
    place(ctx, position)
    visits = textbook_visits(ctx, depth)["minimax"][1]
    leaves = [perft(game, position, plies, free_pass=True).nodes for plies in range(1, depth + 1)]
    assert visits[: depth + 1].tolist() == [1, *leaves]
    assert not visits[depth + 1 :].any()
