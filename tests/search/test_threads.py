"""One thread thinks the same in every run; several find the same mates; no failure hangs; any table will do."""

import json
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

from shogi_engine.interface.game import VALUE_MATE
from shogi_engine.jit import JIT_DISABLED, cache_folder
from shogi_engine.search import root as root_module
from shogi_engine.search.context import EXACT
from shogi_engine.search.root import Searcher, elected
from shogi_engine.search.timeman import Info, Limits
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.types.limits import TimeBudget
from tests.search.test_root import MATES, played
from tests.support.games import game_of
from tests.support.processes import environment
from tests.support.searching import answer, final_position, random_positions
from tests.support.sizes import sized

NAMES = ("tictactoe", "othello4", "othello", "shogi")
LONGEST = {"tictactoe": 4, "othello4": 6, "othello": 40, "shogi": 80}
every_game = pytest.mark.parametrize("name", NAMES)


def helpers():
    """Return the helper threads that run."""
    return [thread for thread in threading.enumerate() if re.fullmatch(r"search-\d+", thread.name)]


THINK = """
import json, sys
import tests.conftest  # without numba too, tests call any kernel
from tests.support.games import game_of
from tests.support.searching import answer, random_positions
from shogi_engine.search.timeman import Info, Limits
from shogi_engine.search.root import Searcher
name, longest, nodes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
searcher = Searcher(game_of(name), hash_mb=2)
found = []
for position in random_positions(searcher.game, 4, 31, longest):
    for limits in (Limits(nodes=nodes), Limits(depth=4, multipv=3)):
        found.append(answer(searcher.search(position, (), limits)))
print(json.dumps(found))
"""


# ---- the same in every run ---------------------------------------------------------------------------------------


@every_game
def test_one_thread_thinks_the_same_in_every_process(name):
    game, folder = game_of(name), cache_folder()
    Searcher(game, hash_mb=1).search(game.parse_position(game.start), (), Limits(depth=1))  # skips what needs numba
    nodes = 400 if JIT_DISABLED else sized(10000, 30000)
    command = [sys.executable, "-W", "ignore", "-c", THINK, name, str(LONGEST[name]), str(nodes)]
    env = environment(folder and folder.parent)
    runs = [subprocess.run(command, env=env, capture_output=True, text=True, timeout=600) for _ in range(2)]
    for run in runs:
        assert run.returncode == 0, run.stderr
    first, second = (json.loads(run.stdout) for run in runs)
    assert first == second
    assert len({tuple(found[5]) for found in first}) > 1  # it was not one thing told eight times


@pytest.mark.parametrize("name", ["othello", "shogi"])
def test_several_threads_are_no_reason_for_one_to_think_otherwise(name):
    """A searcher that had two threads and has one again thinks as one that never had more."""
    game = game_of(name)
    position = game.parse_position(game.start)
    expected = answer(Searcher(game, hash_mb=1).search(position, (), Limits(nodes=20000)))
    searcher = Searcher(game, hash_mb=1, threads=2)
    searcher.search(position, (), Limits(nodes=20000))
    searcher.resize(threads=1)
    searcher.new_game()
    assert answer(searcher.search(position, (), Limits(nodes=20000))) == expected


# ---- several threads ---------------------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("threads", [2, 5])
def test_threads_share_a_node_limit_and_play_legal_moves(name, threads):
    searcher = Searcher(game_of(name), hash_mb=1, threads=threads)
    for number, position in enumerate(random_positions(searcher.game, 10, 37, LONGEST[name])):
        limit = 500 * (number + 1)
        result = searcher.search(position, (), Limits(nodes=limit))
        assert result.nodes <= limit + 64 * threads
        final_position(searcher.game, position, result.pv)
        assert result.bestmove == result.pv[0]
    assert not helpers()


def test_both_threads_search():
    searcher = Searcher(game_of("shogi"), hash_mb=8, threads=2)
    searcher.search(searcher.game.parse_position(searcher.game.start), (), Limits(nodes=200000))
    nodes = [int(ctx.nodes) for ctx in searcher._contexts]
    assert min(nodes) > 10000


@pytest.mark.parametrize("row", [row for row in MATES if row["mate"] == 3], ids=lambda row: row["pv"].split()[0])
def test_threads_find_the_same_mates_time_after_time(row):
    position, _ = played("shogi", "", row["sfen"])
    searcher, judge = Searcher(game_of("shogi"), hash_mb=4, threads=2), Searcher(game_of("shogi"), hash_mb=1)
    judge.search_flags = EXACT
    for _ in range(10):
        searcher.new_game()
        result = searcher.search(position, (), Limits(depth=20, mate=3))
        assert result.score == VALUE_MATE - 3
        after = final_position(searcher.game, position, [result.bestmove])
        assert judge.search(after, (), Limits(depth=3)).score == -VALUE_MATE + 2


def line(move, score, depth):
    return Info(depth, depth, 1, score, "", 0, 0.0, 0, (move,))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([(1, 0, 10), (2, 50, 10), (2, 40, 9)], 1),  # two threads for the other move
        ([(1, 60, 10), (2, 50, 10), (2, 40, 2)], 0),  # not enough for the other move
        ([(1, 10, 12), (1, 30, 12), (2, 10, 12)], 1),  # of one move the better line
        ([(1, 5, 9), (2, 5, 9)], 0),  # the first of equals
        ([(1, 900, 30), (1, 900, 30), (2, VALUE_MATE - 9, 3), (3, VALUE_MATE - 7, 2)], 3),  # the shortest mate
        ([(1, -VALUE_MATE + 4, 20), (2, -300, 8)], 1),  # no proven loss
    ],
)
def test_threads_vote_by_depth_and_value(lines, expected):
    lines = [line(*each) for each in lines]
    assert elected(lines, 30) is lines[expected]


def test_the_move_of_a_helper_may_be_played(monkeypatch):
    """What a search returns is the line of one of its threads, with the nodes of all."""
    heard = []

    def listens(lines, unit):
        heard.append(lines)
        return lines[-1]

    monkeypatch.setattr(root_module, "elected", listens)
    searcher = Searcher(game_of("shogi"), hash_mb=1, threads=3)
    for position in random_positions(searcher.game, 5, 3, 60):
        result = searcher.search(position, (), Limits(nodes=30000))
        assert [result.bestmove] == [line.pv[0] for line in heard[-1][-1:]]
        assert result.infos[0].nodes == result.nodes >= heard[-1][-1].nodes
        searcher.search(position, (), Limits(depth=3))
    assert len(heard) == 5 and any(len(lines) == 3 for lines in heard)  # none at a fixed depth


def test_threads_share_the_large_histories_only():
    searcher = Searcher(game_of("shogi"), hash_mb=1, threads=16)
    tables = [histories.tables for histories in searcher._histories]
    assert len({int(each.shared) for each in tables}) == 1 and len({each.main.ctypes.data for each in tables}) == 16
    of_each = tables[0].dtype.itemsize + searcher._contexts[0].dtype.itemsize
    assert 16 * of_each + searcher._shared.tables.dtype.itemsize < 120 << 20


class BrokenError(Exception):
    pass


@pytest.mark.parametrize("broken", [0, 1, 2])
@pytest.mark.parametrize("after", [1, 20])
def test_a_threads_failure_ends_the_search_with_that_error(monkeypatch, broken, after):
    """Whichever thread fails, at once or later, the caller hears of it, and no thread is left behind."""
    searcher = Searcher(game_of("othello"), hash_mb=1, threads=3)
    position = searcher.game.parse_position(searcher.game.start)
    searcher.warmup()
    calls, advance = [], root_module.advance

    def fails(ctx, run):
        if ctx is searcher._contexts[broken]:
            calls.append(1)
            if len(calls) >= after:
                raise BrokenError(f"thread {broken}")
        return advance(ctx, run)

    monkeypatch.setattr(root_module, "advance", fails)
    with pytest.raises(BrokenError, match=f"thread {broken}"):
        searcher.search(position, (), Limits(budget=TimeBudget.exactly(60000)))
    assert not helpers()
    monkeypatch.undo()
    assert searcher.search(position, (), Limits(depth=3)).depth == 3  # it can be used again


def test_a_failure_of_the_listener_ends_the_search_with_that_error():
    searcher = Searcher(game_of("othello"), hash_mb=1, threads=2)
    position = searcher.game.parse_position(searcher.game.start)

    def fails(info):
        raise BrokenError("no wish to hear")

    with pytest.raises(BrokenError, match="no wish"):
        searcher.search(position, (), Limits(), fails)
    assert searcher.search(position, (), Limits(depth=3)).depth == 3


def test_no_thread_and_too_many_are_refused():
    for threads in (0, -1, 257):
        with pytest.raises(ValueError, match="threads"):
            Searcher(game_of("tictactoe"), hash_mb=1, threads=threads)


# ---- the table ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("megabytes", [1, sized(64, 1024)])
@pytest.mark.parametrize("name", ["othello", "shogi"])
def test_small_and_large_tables(name, megabytes):
    searcher = Searcher(game_of(name), hash_mb=megabytes, threads=2)
    position = searcher.game.parse_position(searcher.game.start)
    assert len(searcher.tt.words) * 8 == megabytes << 20
    result = searcher.search(position, (), Limits(nodes=sized(100000, 300000)))
    final_position(searcher.game, position, result.pv)
    used = np.flatnonzero(searcher.tt.words[1::2])
    assert len(used) > 1000 and used[0] < len(searcher.tt.words) // 100 < len(searcher.tt.words) // 3 < used[-1]
    assert megabytes > 1 or searcher.tt.permille_used() > 0
    searcher.new_game()
    assert not searcher.tt.words[:: 1 << 10].any() and searcher.tt.permille_used() == 0


def test_a_table_without_room_is_refused():
    for megabytes in (0, -1):
        with pytest.raises(ValueError, match="hash_mb must be at least 1, not"):
            TranspositionTable(megabytes)


def scribble(words, entries, stop, done):
    """Write random words over random entries of the table, whole and half ones, until told to stop."""
    rng = np.random.default_rng(41)
    while not stop.is_set():
        places = rng.integers(0, len(words), 256)
        words[places] = rng.integers(0, 1 << 63, 256, dtype=np.uint64) << np.uint64(1)
        entries_from = rng.integers(0, len(words) // 2, 256) * 2
        words[entries_from + 1] = words[entries[rng.integers(0, len(entries), 256)]]  # data of other entries
        done.append(512)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["othello", "shogi"])
def test_torn_entries_do_no_harm(name, threads):
    searcher = Searcher(game_of(name), hash_mb=1, threads=threads)
    words = searcher.tt.words
    stop, done = threading.Event(), []
    scribbler = threading.Thread(target=scribble, args=(words, np.arange(1, len(words), 2), stop, done))
    scribbler.start()
    try:
        for position in random_positions(searcher.game, 20, 43, LONGEST[name]):
            before = len(done)
            result = searcher.search(position, (), Limits(nodes=20000, multipv=2))
            assert abs(result.score) <= VALUE_MATE
            for info in result.infos:
                final_position(searcher.game, position, info.pv)
            assert result.bestmove in searcher.root_moves(position)
            while len(done) == before:  # at least one scribble a search
                stop.wait(0.001)
    finally:
        stop.set()
        scribbler.join()
    assert sum(done) > 5000
