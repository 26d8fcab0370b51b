"""Levels and Multi-ProbCut: what they ask of the search, what they may not miss, and that higher levels win."""

import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shogi_engine.games.othello import GAME, params
from shogi_engine.games.othello.board import Board
from shogi_engine.games.othello.names import SOLVED_PLY, budget
from shogi_engine.games.othello.notation import parse_obf
from shogi_engine.games.othello.params import MULTI_PROBCUT_MARGIN
from shogi_engine.interface.extras import LevelPlan
from shogi_engine.search.alphabeta import search
from shogi_engine.search.context import PV, new_context
from shogi_engine.search.timeman import TimeOptions, cap
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.types.limits import Clock
from tests.support.games.tictactoe import GAME as TIC_TAC_TOE
from tests.support.othello_cases import random_game
from tests.support.searching import place
from tests.support.text_engine import TextEngine

MIDDLE = "--OOO-----XOXX----XXOX-----XXO---OOXXXXX--OX-XX---XXO----------- X"

# Of 3000 random games all positions with at most 5 discs of the other side that it loses within five plies.
WIPE_OUTS = (
    "---X-------X------OOOX-----XXX-----XXX-------------------------- X",
    "------------O--O---OO-O---OOOO-O--OOOXOO-OOOOX-O-OO--X--OO------ O",
    "--------XXX-------X-------XOX-----XXO-----XXXO------------------ X",
    "-------------X------X-----XXX-----XOX----OOOX------------------- X",
    "------O------O--OOOOOOO-OOOOXO--OOOXO-----XOOO---X-------------- O",
    "-----------X-----OOOOX-----XXX-----XXX----XXXX------------------ X",
)


def test_levels_grow():
    assert len(params.TABLE) == params.LEVELS == 31
    for lower, higher in zip(params.TABLE, params.TABLE[1:], strict=False):
        assert lower.depth <= higher.depth and lower.exact <= higher.exact <= higher.selective
    assert params.TABLE[21].exact >= 24 and params.TABLE[21].selective >= 30
    assert params.TABLE[18].exact >= 20 and params.TABLE[30].exact >= 30


def test_limits_of_a_level():
    start, late = parse_obf(GAME.start), parse_obf("X" * 30 + "O" * 24 + "-" * 10 + " X")
    assert params.plan(9, start) == LevelPlan(
        13, 309_587, MULTI_PROBCUT_MARGIN
    )  # 50 000 positions, five times 1.44 as many
    assert params.plan(3, start) == LevelPlan(3, multi_probcut_margin=0)
    assert params.plan(0, late) == LevelPlan(1, multi_probcut_margin=0, moves=params.BEGINNER_MOVES)
    assert (
        params.plan(5, late) == LevelPlan(11, multi_probcut_margin=0, selectivity=0) and params.plies_left(late) == 11
    )
    long = parse_obf("X" * 20 + "O" * 19 + "-" * 25 + " X")  # its level solves one square less
    assert params.plan(17, long) == LevelPlan(26, multi_probcut_margin=params.CAREFUL, selectivity=1)
    assert params.plan(4, late) == LevelPlan(4, multi_probcut_margin=0)
    for wrong in (-1, 31):
        with pytest.raises(ValueError, match="level must be 0 to 30"):
            params.plan(wrong, start)
    with TextEngine(TIC_TAC_TOE, hash_mb=1) as engine, pytest.raises(ValueError, match="level must be 0 to 10"):
        engine.search(level=11)


def test_a_level_in_the_engine():
    with TextEngine("othello", hash_mb=4) as engine:
        engine.set_position(MIDDLE)
        engine.rng.seed(1)
        seen = {engine.search(level=0).bestmove for _ in range(20)}
        assert len(seen) > 2  # what a beginner sees is chance
        assert len({engine.search(level=1).bestmove for _ in range(20)}) == 1
        engine.set_position("X" * 62 + "O- O")  # where it has to pass
        assert engine.search(level=0).bestmove == engine.search(level=1).bestmove
        engine.set_position(MIDDLE)
        assert engine.search(level=6).depth == 8
        assert engine.search(level=6, depth=2).depth == 2
        assert engine.search(level=6, depth=15).depth == 8  # the lower one
        engine.set_position("X" * 34 + "O" * 24 + "-" * 6 + " X")
        found = engine.search(level=4)
        assert found.depth <= 7 and found.value % 100 == 0


def test_a_side_without_discs_takes_no_minutes():
    """Nothing is pruned there: 27 plies would take a billion positions and two minutes."""
    with TextEngine("othello", hash_mb=16) as engine:
        engine.set_position("--------------------O---XOOOO---OXOOO----XXOO---X-OOO---XXX----- X")
        plan = params.plan(15, engine.position)
        found = engine.search(level=15)
        assert 15 < found.depth < plan.depth and 0.7 * plan.nodes < found.nodes < 1.5 * plan.nodes
        engine.set_position(MIDDLE)
        assert engine.search(level=15).depth == plan.depth


def value_of(ctx, position, depth, multi_probcut_margin, table):
    """Return the value of a search and its nodes."""
    table.clear()
    place(ctx, position, GAME.search_flags, table)
    ctx.params.multi_probcut_margin = multi_probcut_margin
    return int(search(ctx, -6401, 6401, depth, PV, 0)), int(ctx.nodes)


def test_probcut_saves_nodes_and_changes_little():
    """With margins that nothing clears the value is that of the full width; with the usual ones it is near it."""
    ctx, table = new_context(GAME), TranspositionTable(4)
    wide = narrow = 0
    differences = []
    for number in range(12):
        pos = [pos.copy() for pos, _ in random_game(random.Random(f"probcut {number}"))][12 + 2 * number]
        full, nodes = value_of(ctx, pos, 8, 0, table)
        assert value_of(ctx, pos, 8, 100_000, table)[0] == full
        cut, fewer = value_of(ctx, pos, 8, MULTI_PROBCUT_MARGIN, table)
        differences.append(abs(cut - full))
        wide, narrow = wide + nodes, narrow + fewer
    assert narrow < 0.7 * wide
    assert np.median(differences) <= 100


def test_selective_searches_share_no_entries():
    """An exact search after a selective one finds what it finds with an empty table."""
    with TextEngine("othello", hash_mb=4) as engine, TextEngine("othello", hash_mb=4) as fresh:
        for each in (engine, fresh):
            each.set_position(MIDDLE)
        engine.search(depth=9, multi_probcut_margin=50)
        found, wanted = engine.search(depth=7, multi_probcut_margin=0), fresh.search(depth=7, multi_probcut_margin=0)
        assert found.value == wanted.value
        assert found.nodes > wanted.nodes / 2, "deeper entries of the selective search would have answered at once"


def test_wipe_outs_are_seen():
    """Where the other side can be wiped out within five plies, the selective search knows too."""
    ctx, table = new_context(GAME), TranspositionTable(4)
    for text in WIPE_OUTS:
        for depth in (5, 6, 7):
            assert value_of(ctx, parse_obf(text), depth, 0, table)[0] == 6400, "the full width says so"
            assert value_of(ctx, parse_obf(text), depth, MULTI_PROBCUT_MARGIN, table)[0] == 6400
    with TextEngine("othello", hash_mb=4) as engine:
        engine.set_position(WIPE_OUTS[0])
        assert engine.search(level=8).value == 6400


def score_of_match(high, low, games):
    """Return the share of the points that level `high` takes from level `low`, each opening played twice."""
    rng, points = random.Random(f"{high} {low}"), 0.0
    with TextEngine("othello", hash_mb=4) as first, TextEngine("othello", hash_mb=4) as second:
        for _ in range(games // 2):
            opening = [str(move) for _, move in zip(range(8), random_opening(rng), strict=False)]
            for players in ((first, second), (second, first)):
                board, moves = Board(), list(opening)
                for move in moves:
                    board.push_text(move)
                while (ending := board.outcome()) is None:
                    engine = players[board.turn]
                    engine.set_position(moves=moves)
                    moves.append(engine.search(level=high if engine is first else low).bestmove)
                    board.push_text(moves[-1])
                score = ending.score if players[0] is first else -ending.score
                points += 0.5 + 0.5 * ((score > 0) - (score < 0))
    return points / games


def random_opening(rng):
    """Yield the moves of a random game."""
    board = Board()
    while board.outcome() is None:
        move = rng.choice(list(board.legal_moves))
        board.push(move)
        yield move


def test_higher_levels_win():
    assert score_of_match(4, 1, 12) > 0.7


@pytest.mark.slow
def test_levels_three_apart():
    for low in (0, 3, 6, 9):
        assert score_of_match(low + 3, low, 20) > 0.6, low


# ---- clocks ------------------------------------------------------------------------------------------------------


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
