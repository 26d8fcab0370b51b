"""Forced wins found during a search: when the solver runs, and how it changes the search's result."""

import json
import time

import numpy as np
import pytest

from shogi_engine.jit import JIT_DISABLED
from shogi_engine.search.forced_win import LEAST_NODES, MOST_NODES, allowed_nodes
from shogi_engine.search.timeman import Limits
from shogi_engine.types.limits import TimeBudget
from tests.support.clock import within
from tests.support.processes import TESTS
from tests.support.text_engine import TextEngine

PROBLEMS = json.loads((TESTS / "data" / "shogi_mate.json").read_text())["positions"]
DEEP = next(row["sfen"] for row in PROBLEMS if row["mate"] == 17)
pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="takes too long without JIT")


def test_how_much_the_solver_may_look_at():
    assert allowed_nodes(Limits()) == MOST_NODES
    assert allowed_nodes(Limits(budget=TimeBudget(1000, 5000))) == 400_000
    assert allowed_nodes(Limits(budget=TimeBudget.exactly(1))) == LEAST_NODES
    assert allowed_nodes(Limits(budget=TimeBudget.exactly(1000), nodes=1000)) == 100
    for limits in (Limits(depth=5), Limits(multipv=2), Limits(mate=3), Limits(searchmoves=(1,))):
        assert allowed_nodes(limits) == 0


@pytest.fixture(scope="module")
def engine():
    with TextEngine("shogi", hash_mb=16) as engine:
        engine.warmup()
        engine.load_solver()
        yield engine


def test_a_mate_ends_the_search_and_is_its_result(engine):
    engine.set_position(DEEP)
    lines = []
    found = engine.search(movetime=20_000, on_info=lines.append)
    assert found.seconds < 10 and str(found.score) == f"mate {len(found.pv)}" and len(found.pv) >= 17
    assert found.bestmove == found.pv[0] and found.ponder == found.pv[1]
    assert (found.lines[0].score, found.lines[0].pv) == (found.score, found.pv)
    for move in found.pv[:2]:
        engine.push(move)
    shorter = engine.search(movetime=20_000)
    assert len(shorter.pv) <= len(found.pv) - 2 and str(shorter.score) == f"mate {len(shorter.pv)}"


def test_a_mate_found_before_the_search_has_begun_ends_it(engine, monkeypatch):
    search = engine.searcher.search

    def late(*arguments):
        until = time.monotonic() + 5
        while engine._root_solver._proven is None and time.monotonic() < until:
            time.sleep(0.01)
        return search(*arguments)

    engine.set_position(DEEP)
    monkeypatch.setattr(engine.searcher, "search", late)
    for _ in range(2):
        with within(10):
            assert engine.search(movetime=20_000).score.mate


def test_it_can_be_switched_off_and_looks_at_no_search_of_fixed_depth(engine):
    engine.set_position(DEEP)
    engine.solve_roots = False
    assert not engine.search(nodes=2000).score.mate
    engine.solve_roots = True
    engine.new_game()
    depth = engine.search(depth=3)
    engine.new_game()
    assert (engine.search(depth=3).nodes, depth.score) == (depth.nodes, depth.score)


def test_a_mate_is_found_on_request(engine):
    engine.set_position(DEEP)
    seen = []
    found = engine.find_mate(shortest=True, progress=lambda nodes, seconds: seen.append(nodes))
    assert (found.result, found.length, found.shortest, len(found.moves)) == ("mate", 17, True, 17)
    engine.prepare()
    engine.stop()
    assert engine.find_mate(shortest=True).result == "timeout"
    engine.set_position()
    assert engine.find_mate(nodes=100_000).result == "nomate"
    assert engine.search(depth=4).bestmove in engine.legal_moves()


@pytest.mark.parametrize("limits", [{"shortest": True}, {"nodes": 20_000}, {"max_ms": 0}], ids=str)
def test_a_mate_search_leaves_nothing_in_the_table(engine, limits):
    """It works in the table's memory. The search's entries that it did not need stay."""
    engine.set_position()
    engine.new_game()
    engine.find_mate(nodes=1)
    engine.search(nodes=20_000)
    words = engine.searcher.tt.words
    before = words.copy()
    engine.set_position(DEEP)
    engine.find_mate(**limits)
    changed = words != before
    assert not words[changed].any()
    assert np.count_nonzero(words) > np.count_nonzero(before) / 2


def test_othello_has_no_mate_solver():
    with TextEngine("othello", hash_mb=1) as other, pytest.raises(ValueError, match="othello has no mate solver"):
        other.find_mate()
