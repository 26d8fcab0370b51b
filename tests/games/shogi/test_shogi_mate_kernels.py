"""The mate search's kernels: checks and evasions compared with legal moves, hands, the table, all also without JIT."""

import itertools
import json
import random
import subprocess
import sys

import numpy as np
import pytest

from shogi_engine.games.shogi.mate.solver import MateSolver
from shogi_engine.games.shogi.mate.table import (
    CLUSTER_BYTES,
    INFINITE,
    LENGTH_MAX,
    MATE_SEARCH,
    NO_PLY,
    PACKED_GUARDS,
    hand_intersection,
    hand_union,
    hand_without,
    is_current,
    kinds_held,
    packed_hand,
    probe,
    store,
)
from shogi_engine.games.shogi.movegen import count_evasions
from shogi_engine.games.shogi.names import flip_sfen
from shogi_engine.games.shogi.sfen import parse_sfen
from shogi_engine.games.shogi.types import NO_SQUARE, hand_covers
from shogi_engine.jit import JIT_DISABLED, new_record
from tests.games.shogi.test_shogi_mates import HARD, after, in_check, middle_games
from tests.support.processes import ROOT, environment
from tests.support.shogi_moves import legal_moves

UNCOVERINGS = (
    "4k4/9/4B4/9/4R4/9/9/9/4K4 b - 1",
    "4k4/9/4K4/9/4R4/9/9/9/9 b - 1",
    "4k4/9/4N4/9/4L4/9/9/9/4K4 b - 1",
    "4k4/9/2N6/1S7/B8/9/9/9/4K4 b RGSNLP 1",
    "9/9/4l4/9/4n4/9/9/9/4K4 w rbgsnlp 1",
)


def positions(count):
    return [*middle_games(30 if JIT_DISABLED else 200, 5)[:count], *map(parse_sfen, UNCOVERINGS)]


def test_checks_are_the_legal_moves_that_give_check():
    solver = MateSolver(1)
    seen = 0
    for position in positions(30 if JIT_DISABLED else 200):
        if position.king[1 - int(position.side)] == NO_SQUARE:
            continue
        expected = {int(move) for move in legal_moves(position) if in_check(after(position, move))}
        checks = solver.checks(position)
        assert len(checks) == len(set(checks)) and set(checks) == expected
        seen += len(checks)
    assert seen > 50


def test_ways_out_of_check():
    """None if and only if there is no legal move; else a way for each square of drops and for each other move."""
    mates = 0
    for position in positions(10 if JIT_DISABLED else 200):
        for move in legal_moves(position)[:: 7 if JIT_DISABLED else 1]:
            pos = after(position, move)
            if in_check(pos):
                assert count_evasions(pos) == evasions(pos)
                mates += not evasions(pos)
    assert JIT_DISABLED or mates > 3


def evasions(pos):
    """Return the number of ways out of check, from the legal moves."""
    moves = legal_moves(pos)
    drops = {int(each) & 127 for each in moves if (int(each) >> 7 & 127) > 80}
    return len(drops) + len({int(each) & ~(1 << 14) for each in moves if (int(each) >> 7 & 127) < 81})


@pytest.mark.parametrize(
    "board", ["4r4/9/4p4/9/4K4/9/9/9/9", "4r4/9/9/9/9/9/9/4P4/3K5", "4K4/9/9/4b4/9/9/9/9/4P4", "K8/9/9/9/9/9/9/9/r8"]
)
def test_ways_out_of_check_with_each_kind_and_two_in_hand(board):
    """Which squares a piece can be dropped on depends on its kind alone: knights, lances and pawns have fewest."""
    for hand in ["-", *"RBGSNLP", *map("".join, itertools.combinations("RGNLP", 2))]:
        for text in (f"{board} b {hand} 1", flip_sfen(f"{board} b {hand} 1")):
            pos = parse_sfen(text)
            if in_check(pos):
                assert count_evasions(pos) == evasions(pos), text


def test_hands():
    rng = random.Random(1)
    most = (0, 18, 4, 4, 4, 4, 2, 2)
    for _ in range(300):
        one, two = ([rng.randint(0, count) for count in most] for _ in range(2))
        packed = [packed_hand(np.uint64(sum(n << 8 * k for k, n in enumerate(hand)))) for hand in (one, two)]
        counts = lambda hand: [0] + [int(hand) >> 6 * k & 31 for k in range(7)]  # noqa: E731
        assert [counts(hand) for hand in packed] == [one, two]
        assert bool(hand_covers(*packed, PACKED_GUARDS)) == all(a >= b for a, b in zip(one, two, strict=True))
        assert counts(hand_union(*packed)) == [max(pair) for pair in zip(one, two, strict=True)]
        assert counts(hand_intersection(*packed)) == [min(pair) for pair in zip(one, two, strict=True)]
        assert counts(kinds_held(packed[0])) == [31 * (count > 0) for count in one]
        kind = rng.randint(1, 7)
        assert counts(hand_without(packed[0], kind))[kind] == max(one[kind] - 1, 0)


def table(clusters=1):
    memory = np.zeros(clusters * CLUSTER_BYTES // 8, dtype=np.uint64)
    ctx = new_record(MATE_SEARCH)
    ctx.tt_address, ctx.tt_clusters, ctx.generation = memory.ctypes.data, clusters, 1
    return ctx, memory


def test_proofs_hold_for_richer_hands_and_disproofs_for_poorer_ones():
    ctx, _memory = table()
    none, path = np.uint64(0), np.uint64(1 << 20)
    key, other = np.uint64(77), np.uint64(78)
    pawn, gold = 1, 1 << 24
    store(ctx, key, gold, 0, INFINITE, 7, np.uint64(5), 1)
    assert probe(ctx, key, gold + pawn, LENGTH_MAX, path) and (ctx.found.proof, ctx.found.move) == (0, 5)
    assert not probe(ctx, key, pawn, LENGTH_MAX, path) and not probe(ctx, other, gold, LENGTH_MAX, path)
    assert probe(ctx, key, gold, 7, path) and not probe(ctx, key, gold, 5, path)
    store(ctx, key, pawn, INFINITE, 0, LENGTH_MAX, none, 1)
    for hand in (0, pawn):
        assert probe(ctx, key, hand, LENGTH_MAX, path) and ctx.found.disproof == 0 and ctx.found.ply == NO_PLY
    store(ctx, other, pawn, INFINITE, 0, 9, none, 1)
    assert probe(ctx, other, 0, 9, path) and not probe(ctx, other, 0, 11, path)


def test_a_disproof_by_repetition_holds_on_its_path_only():
    ctx, _memory = table()
    key, path = np.uint64(77), np.uint64(5 << 12)
    store(ctx, key, 3, 64, 1, LENGTH_MAX, path | np.uint64(4), 1)
    assert probe(ctx, key, 3, LENGTH_MAX, path) and (ctx.found.disproof, ctx.found.ply) == (0, 3)
    assert probe(ctx, key, 3, LENGTH_MAX, np.uint64(6 << 12)) and (ctx.found.proof, ctx.found.disproof) == (64, 1)
    assert not probe(ctx, key, 2, LENGTH_MAX, path)


def test_the_least_work_gives_way_and_a_new_generation_is_empty():
    ctx, _memory = table()
    for number in range(8):
        store(ctx, np.uint64(100 + number), 0, 5, 5, 0, np.uint64(0), 4 << number)
    store(ctx, np.uint64(200), 0, 5, 5, 0, np.uint64(0), 1 << 20)
    left = [probe(ctx, np.uint64(key), 0, 0, np.uint64(0)) for key in (*range(100, 108), 200)]
    assert left == [False] + [True] * 8
    ctx.generation = 2
    assert not probe(ctx, np.uint64(200), 0, 0, np.uint64(0))


def test_the_search_replaces_the_entries_of_a_mate_search_first():
    """In the memory of the search's table they look like entries of depth 0."""
    words = np.zeros(1 << 14, dtype=np.uint64)
    solver = MateSolver(memory=words)
    solver.solve(parse_sfen(HARD), nodes=20_000)
    data = words[1::2]
    assert np.count_nonzero(data) > 1000
    assert not (data >> np.uint64(48) & np.uint64(255)).any()


def test_entries_of_the_search_rarely_look_like_those_of_a_mate_search():
    """All that one search leaves may be of one generation, bound and depth."""
    checks = np.random.default_rng(5).integers(0, 1 << 63, 4096).astype(np.uint64) << np.uint64(1)
    ctx, _memory = table()
    for generation in (1, 77, 255):
        ctx.generation = generation
        data = np.uint64(generation << 56 | 12 << 48 | 5)
        assert sum(bool(is_current(ctx, check, data)) for check in checks) < 4096 / 64


def printed(tmp_path, *arguments, **variables):
    env = environment(tmp_path, ROOT, ROOT / "tests", **variables)
    command = [sys.executable, "-m", "tests.support.mate_values", *arguments]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=900)
    assert (done.returncode, done.stderr) == (0, "")  # without the compiler too
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(JIT_DISABLED, reason="with JIT off nothing is compiled")
def test_the_same_without_jit_and_with_every_index_checked(tmp_path):
    compiled = printed(tmp_path)
    assert [row[0] for row in compiled[:-1]] == ["mate", "mate", "nomate", "mate", "nomate", "timeout"]
    assert compiled == printed(tmp_path, NUMBA_DISABLE_JIT="1")
    assert compiled == printed(tmp_path, NUMBA_BOUNDSCHECK="1")


@pytest.mark.slow
@pytest.mark.skipif(JIT_DISABLED, reason="with JIT off nothing is compiled")
def test_no_variable_of_a_kernel_is_a_float(tmp_path):
    kernels = printed(tmp_path, "kernels")
    assert kernels["floats"] == []
    names = [f"shogi_engine.games.shogi.{module}" for module in ("mate.", "checks.", "evasions.")]
    asked = tuple(names)
    assert [name for name in kernels["never"] if name.startswith(asked)] == []
    assert [name for name in kernels["versions"] if name.startswith(asked)] == []
