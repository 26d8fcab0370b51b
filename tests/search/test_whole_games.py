"""Tic-tac-toe is a draw and 4x4 Othello ends 3-11, whichever search is used and however it is compiled."""

import json
import subprocess
import sys

import pytest

from shogi_engine.jit import JIT_DISABLED, cache_folder
from tests.support.games.othello4 import DISC
from tests.support.processes import environment, needs_workshop
from tests.support.whole_games import JOBS, QUICK_WITHOUT_JIT, SLOW_WITHOUT_JIT, run

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="compares with JIT and without")
VALUES = {"tictactoe": 0, "othello4": -10 * DISC}  # 3 discs to 11, and the two empty squares to the winner


@pytest.fixture(scope="module")
def here():
    """What this process finds."""
    return {job: run(job) for job in JOBS}


def elsewhere(cache, *jobs, **variables):
    """Run the jobs in a process of its own; return what it reports."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.support.whole_games", *jobs]
    result = subprocess.run(command, env=environment(cache, **variables), capture_output=True, text=True, timeout=900)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("job", [job for job in JOBS if "late" not in job])
def test_values(here, job):
    assert here[job][0] == VALUES[job.split()[0]]


def test_the_line_of_4x4_othello_ends_3_11(here):
    board, _ = here["othello4 nothing"][3].split()
    assert (board.count("X"), board.count("O")) == (3, 11)


def test_the_better_search_visits_less(here):
    for name in VALUES:
        nodes = {job.removeprefix(f"{name} "): found[1] for job, found in here.items() if job.startswith(name)}
        assert nodes["exact"] <= nodes["table"] < nodes["alpha-beta"] < nodes["minimax"]
        assert nodes["table"] < nodes["nothing"] < nodes["minimax"]  # iterative deepening pays by the table
        assert nodes["negascout"] < nodes["alpha-beta"]


def test_minimax_visits_every_game_of_tic_tac_toe(here):
    """Of the 255168 games 1440, 5328, 47952, 72576 end with moves 5 to 8, 127872 with the last (Wikipedia)."""
    nodes, last = 0, 1
    for ply, ended in enumerate((0, 0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872)):
        nodes, last = nodes + last, (last - ended) * (9 - ply)
    assert here["tictactoe minimax"][1] == nodes


@needs_workshop
def test_a_second_process_finds_the_same_from_the_cache(here, tmp_path):
    folder = cache_folder()
    cache = folder.parent if folder else tmp_path
    if not folder:
        elsewhere(cache)
    report = elsewhere(cache)
    assert report["found"] == here
    assert report["misses"] == 0 and report["hits"] > 0


def test_without_jit_the_same_is_found(here, tmp_path):
    found = elsewhere(tmp_path, *QUICK_WITHOUT_JIT, NUMBA_DISABLE_JIT="1")["found"]
    assert found == {job: here[job] for job in QUICK_WITHOUT_JIT}


@pytest.mark.slow
def test_without_jit_the_same_is_found_by_slower_searches(here, tmp_path):
    found = elsewhere(tmp_path, *SLOW_WITHOUT_JIT, NUMBA_DISABLE_JIT="1")["found"]
    assert found == {job: here[job] for job in SLOW_WITHOUT_JIT}
