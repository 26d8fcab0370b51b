"""Minimax, alpha-beta, NegaScout and the shared search without its shortcuts find the same value."""

import pytest

from games import game_of
from search.searching import place, pvs_value, random_positions, textbook_values
from shogi_engine.search.context import TABLE, new_context
from shogi_engine.search.table import Table

CASES = [("tictactoe", 9, 5, 100), ("othello4", 6, 5, 100), ("othello", 4, 50, 100), ("shogi", 2, 120, 100)]


@pytest.mark.parametrize(("name", "depth", "longest", "count"), CASES)
def test_all_searches_agree(name, depth, longest, count):
    game = game_of(name)
    ctx = new_context(game)
    table = Table(1)  # the context has its address only
    for number, position in enumerate(random_positions(game, count, 2026, longest)):
        for plies in range(1, depth + 1):
            place(ctx, position)
            found = textbook_values(ctx, plies)
            values = {value for value, _ in found.values()}
            place(ctx, position)
            values.add(pvs_value(ctx, plies))
            table.clear()
            place(ctx, position, TABLE, table)
            values.add(pvs_value(ctx, plies))
            assert len(values) == 1, (number, plies, game.format_position(position), found, values)
            assert found["alpha-beta"][1] <= found["minimax"][1]
