"""tools/measure/speed: what is timed, what is printed, and that every comparison runs."""

import math
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from shogi_engine.games.shogi.board import Board
from shogi_engine.jit import JIT_DISABLED
from tools.measure import speed
from tools.measure.speed import boards, comparisons, engines
from tools.measure.speed.__main__ import main

ENGINE = f"{Path(sys.executable).as_posix()} -P -m usi"
MATE_IN_ONE = "7nk/9/7GP/9/9/9/9/9/9 b - 1"


def test_a_rate_counts_what_is_done():
    ticks, seen = iter(range(100)), []
    timed = speed.rate(speed.each(seen.append, [1, 2, 3]), 3, 4, lambda: next(ticks))
    assert timed() == 3 * 4 / 5 and seen == [1, 2, 3] * 4
    assert speed.rate(lambda: seen.clear(), 7, 0, lambda: next(ticks))() == 7 / 2 and seen == []


def test_subjects_take_turns():
    order = []
    subjects = {name: {what: lambda each=name: order.append(each) or 1.0 for what in "xy"} for name in "ab"}
    del subjects["b"]["y"]
    assert speed.measure(subjects, 2) == {"x": {"a": [1.0, 1.0], "b": [1.0, 1.0]}, "y": {"a": [1.0, 1.0]}}
    assert "".join(order) == "aba" + "baa"


def test_a_table_has_medians_and_the_ratios_of_the_rounds():
    found = {"push": {"ours": [3000.0, 1.0, 500.0], "cshogi": [1500.0, 1.0, 100.0]}, "pack": {"ours": [5.0]},
             "mate": {"ours": [8.0, math.nan], "cshogi": [2.0, math.nan]}}  # fmt: skip
    lines = speed.table("1/s", found, ["ours", "cshogi"]).splitlines()
    assert [line.split() for line in lines] == [
        ["1/s", "ours", "cshogi", "/", "cshogi"],
        ["push", "500", "100", "2.000"],
        ["pack", "5.00", "-", "-"],
        ["mate", "8.00", "2.00", "4.000"],
        ["median", "3.000"],
    ]


def test_every_operation_of_a_board_runs():
    for batches in (boards.ours(boards.sfens()[:2]), boards.of_othello()):
        assert {"list(legal_moves)", "push + pop", "random games"} < set(batches)
        for name, (work, count) in batches.items():
            assert count > 0
            if name != "random games":
                work()


@pytest.mark.skipif(JIT_DISABLED, reason="takes long without JIT")
@pytest.mark.parametrize(
    ("what", "needs", "words", "operations"),
    [
        ("record", "shogi_engine", ["--games", "3"], ["CSA files", "KIF files", "one CSA file"]),
        ("explorer", "shogi_engine", ["--games", "3"], ["one CSA file", "moves and games"]),
        ("batch", "shogi_engine", ["--positions", "8"], ["pack", "apply", "legal masks"]),
        ("vector", "gymnasium", ["--games", "2"], ["shogi, masks", "othello, neither"]),
        ("puct", "shogi_engine", ["--trees", "2", "--simulations", "3"], ["othello", "shogi"]),
    ],
)
def test_every_comparison_runs(what, needs, words, operations, capsys):
    pytest.importorskip(needs)
    assert main([what, "--rounds", "1", "--seconds", "0", *words]) == 0
    printed = capsys.readouterr().out
    assert all(f"\n{operation}" in printed for operation in operations), printed


def test_what_there_is():
    names = {"perft", "record", "explorer", "board", "batch", "puct", "vector", "mate", "usi", "bench", "cold_start"}
    assert names == set(comparisons)
    with pytest.raises(SystemExit):
        main(["harness"])


@pytest.mark.skipif(JIT_DISABLED, reason="takes long without JIT")
@pytest.mark.skipif(sys.platform != "linux", reason="Linux has these clocks")
def test_a_search_that_ends_early_does_not_count(tmp_path, capsys):
    file = tmp_path / "positions.txt"
    file.write_text(f"{engines.POSITIONS[1]}\n{MATE_IN_ONE}\n")
    assert main(["usi", ENGINE, ENGINE, "--nodes", "4000", "--rounds", "1", "--positions", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    first, mate, *_, depth, _, _ = (line.replace(",", "").split()[-3:] for line in lines[1:])
    assert float(first[0]) > 0 and mate == ["-", "-", "-"] and float(depth[0]) >= 1


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has these clocks")
def test_cpu_time_is_that_of_all_threads_ended_ones_too():
    used = []

    def work():
        begin = time.thread_time()
        sum(number * number for number in range(300_000))
        used.append(time.thread_time() - begin)

    before = engines.cpu_seconds(os.getpid())
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert before + used[0] < engines.cpu_seconds(os.getpid())


def test_the_positions_of_games_are_two_hundred_quiet_ones():
    sfens = engines.GAMES.read_text().splitlines()
    assert len(sfens) == len(set(sfens)) == 200
    for sfen in sfens:
        there = Board(sfen)
        assert there.is_valid() and not there.is_check() and not there.is_game_over(), sfen
