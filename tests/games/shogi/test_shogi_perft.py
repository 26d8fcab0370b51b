"""Perft: every published count of legal move trees."""

import pytest

from shogi_engine.games.shogi.game import GAME
from shogi_engine.games.shogi.sfen import parse_sfen
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.perft import perft
from tests.support.shogi_cases import perft_positions, rule_cases
from tests.support.twins.naive_shogi import State

DEFAULT_NODES = 300 if JIT_DISABLED else 1_000_000_000  # larger counts are marked slow
ONE_BY_ONE_NODES = 300 if JIT_DISABLED else 5_000_000
NAIVE_NODES = 2_000


def counts():
    """Return each position's deepest count that is fast, with all below it, and the larger ones one by one."""
    found = {}
    for position in perft_positions():
        for depth, nodes in position["nodes"].items():
            found[position["sfen"], int(depth)] = nodes
    for sfen, nodes_by_depth in rule_cases()["perft"]:
        for depth, nodes in enumerate(nodes_by_depth, 1):
            assert found.setdefault((sfen, depth), nodes) == nodes
    assert len(found) > 200
    return [
        pytest.param(
            sfen, depth, nodes, id=f"{sfen}-d{depth}", marks=[pytest.mark.slow] if nodes > DEFAULT_NODES else []
        )
        for (sfen, depth), nodes in found.items()
    ]


def check(sfen, depth, nodes, bulk):
    result = perft(GAME, parse_sfen(sfen), depth, bulk=bulk)
    if result.nodes != nodes:
        divide = "\n".join(f"{usi}: {count}" for usi, count in sorted(result.divide.items()))
        pytest.fail(f"{sfen}\ndepth {depth}: {result.nodes} leaves, {nodes} published\n{divide}")


@pytest.mark.parametrize(("sfen", "depth", "nodes"), counts())
def test_published_count(sfen, depth, nodes):
    check(sfen, depth, nodes, bulk=True)


@pytest.mark.parametrize(("sfen", "depth", "nodes"), [case for case in counts() if case.values[2] <= ONE_BY_ONE_NODES])
def test_one_by_one(sfen, depth, nodes):
    check(sfen, depth, nodes, bulk=False)


@pytest.mark.parametrize(("sfen", "depth", "nodes"), [case for case in counts() if case.values[2] <= NAIVE_NODES])
def test_naive_twin(sfen, depth, nodes):
    assert (State.from_sfen(sfen).perft(depth) if nodes else 0) == nodes
