"""How a game of Othello shares its clock."""

from hypothesis import given, strategies as st

from shogi_engine.games.othello.names import SOLVED_PLY, budget
from shogi_engine.search.timeman import TimeOptions, cap
from shogi_engine.types.limits import Clock

OPTIONS = TimeOptions()


@given(st.integers(0, 3_600_000), st.integers(0, 10_000), st.integers(0, 60_000), st.integers(0, 60))
def test_a_budget_is_never_over_the_clock(time, byoyomi, increment, ply):
    clock = Clock(time, byoyomi, increment)
    found = budget(clock, ply, OPTIONS)
    assert 0 <= found.soft_ms <= found.hard_ms <= cap(clock)


def test_the_time_is_for_the_moves_that_need_it():
    """Most of the clock is used before the rest of the game is solved, none of it in one go, and no flag falls."""
    for spend in ("soft_ms", "hard_ms"):
        left, spent = 300_000.0, []
        for ply in range(0, 60, 2):
            spent.append(getattr(budget(Clock(time=int(left)), ply, OPTIONS), spend))
            left -= spent[-1] + OPTIONS.network_delay
            assert left > 0 and spent[-1] < 120_000
        before = sum(spent[: SOLVED_PLY // 2])
        assert before > 0.55 * 300_000 and before > 1.5 * sum(spent[SOLVED_PLY // 2 :])
