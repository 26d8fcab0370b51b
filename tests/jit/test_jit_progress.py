"""Progress of a compile: steps, shares and the time left, from the last time or from an estimate."""

import json

import pytest

from shogi_engine import jit
from shogi_engine.games.othello import GAME as OTHELLO
from shogi_engine.games.shogi import GAME as SHOGI
from shogi_engine.jit import progress
from shogi_engine.jit.workshop import LEAN
from tests.support.processes import REPORT, ROOT, environment, run

KERNELS = """
from shogi_engine.jit import njit

@njit
def double(x):
    return 2 * x

@njit
def triple(x):
    return 3 * x

@njit
def both(x):
    return double(x) + triple(x)
"""
WATCH = (
    REPORT
    + """
from kernels import both, double
from shogi_engine import jit
seen = []
stop = jit.on_progress(seen.append)
with jit.compiling("numbers"):
    both(1)
stop()
stop()
double(1.5)
steps = [(step.kernel, step.done, step.total, round(step.share, 6)) for step in seen]
report(steps=steps, tasks=sorted({step.task for step in seen}), left=[step.left for step in seen])
"""
)


@pytest.fixture
def clock(monkeypatch, tmp_path):
    """Return a list whose only element is the time, with the file of times in an empty folder."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress, "cache_folder", lambda: tmp_path / "kernels-1")
    return now


def steps(clock, task, *named):
    """Return what is reported of a task whose steps take that many seconds."""
    seen = []
    stop = jit.on_progress(seen.append)
    try:
        with jit.compiling(task):
            for name, seconds in named:
                clock[0] += seconds
                progress.note_step(name)
    finally:
        stop()
    return seen


@pytest.mark.skipif(not LEAN, reason="as numba compiles, there is a step for each kernel only")
def test_kernels_are_reported_as_they_are_compiled(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNELS)
    env = environment(tmp_path / "cache", ROOT, tmp_path)
    cold = run(WATCH, env)
    assert [step[0] for step in cold["steps"]] == ["double", "triple", "both", "link both"]
    assert [step[1:3] for step in cold["steps"]] == [[n, n] for n in range(1, 5)]
    assert cold["tasks"] == ["numbers"] and cold["left"] == [None] * 4
    assert run(WATCH, env)["steps"] == []  # all of it came from the cache
    for file in (tmp_path / "cache").glob("kernels-*/*"):
        file.unlink()
    again = run(WATCH, env)
    assert [step[1:3] for step in again["steps"]] == [[n, 4] for n in range(1, 5)]
    assert [step[3] for step in again["steps"]] == sorted(step[3] for step in again["steps"])
    assert (again["steps"][-1][3], again["left"][-1]) == (1, 0)


def test_numbas_way_is_reported_too(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNELS)
    env = environment(tmp_path / "cache", ROOT, tmp_path, SHOGI_ENGINE_PLAIN_COMPILE="1")
    assert [step[0] for step in run(WATCH, env)["steps"]] == ["double", "triple", "both"]


def test_the_time_left_is_scaled_by_what_was_seen(clock):
    steps(clock, "game", ("a", 1), ("b", 2), ("link", 7))
    slow = steps(clock, "game", ("a", 2), ("b", 4), ("link", 14))  # a machine half as fast
    assert [step.share for step in slow] == [0.1, 0.3, 1.0]
    assert [step.left for step in slow] == pytest.approx([18, 14, 0])
    assert [step.elapsed for step in slow] == [2, 6, 20]


def test_a_first_time_is_estimated(clock, monkeypatch):
    monkeypatch.setitem(progress.ESTIMATES, "game", progress.Estimate(100, 0.5, {}))
    seen = steps(clock, "game", *((f"kernel {n}", 1) for n in range(102)))
    assert (seen[0].total, seen[0].left) == (100, pytest.approx(49.5))  # too early to tell this machine's speed
    assert seen[49].left == pytest.approx(50)
    assert (seen[-1].total, seen[-1].share, seen[-1].left) == (102, 1, 0)


def test_another_evaluation_is_estimated_as_the_game_is(clock, monkeypatch):
    monkeypatch.setitem(progress.ESTIMATES, "game", progress.Estimate(100, 0.5, {}))
    monkeypatch.setitem(progress.ESTIMATES, "game mates", progress.Estimate(10, 0.5, {}))
    assert [step.total for step in steps(clock, "game material", ("a", 1))] == [100]
    assert [step.total for step in steps(clock, "game mates", ("a", 1))] == [10]
    assert {"shogi", "shogi mates", "othello", "othello endings"} <= progress.ESTIMATES.keys()


def test_long_steps_count_for_more(clock, monkeypatch):
    monkeypatch.setitem(progress.ESTIMATES, "game", progress.Estimate(6, 1.0, {"link": 15.0}))
    seen = steps(clock, "game", *((f"kernel {n}", 2) for n in range(5)), ("link", 30))
    assert [step.share for step in seen] == [0.05, 0.1, 0.15, 0.2, 0.25, 1]
    assert seen[4].left == pytest.approx(30)
    assert progress.ESTIMATES[SHOGI.name].total > progress.ESTIMATES[OTHELLO.name].total > 5


def test_a_long_step_is_seen_to_go_on(clock, monkeypatch):
    monkeypatch.setitem(progress.ESTIMATES, "game", progress.Estimate(2, 10.0, {}))
    (seen,) = steps(clock, "game", ("a", 10))
    assert (seen.now(), seen.describe()) == ((0.5, 10.0), "50%, kernel 1 of 2, about 10 s left")
    clock[0] += 5
    assert (seen.now(), seen.describe()) == ((0.75, 5.0), "75%, kernel 1 of 2, about 5 s left")
    clock[0] += 500
    assert seen.now()[0] < 1 and seen.describe() == "99%, kernel 1 of 2, about 1 s left"


def test_a_task_in_several_stretches(clock, tmp_path):
    task, seen = jit.Task("game"), []
    with task.running(seen.append):
        clock[0] += 2
        progress.note_step("a")
    clock[0] += 1000  # somebody thinks
    assert not (tmp_path / progress.TIMES_FILE).exists()
    with task.running(seen.append), task.running(seen.append):  # told once
        clock[0] += 3
        progress.note_step("b")
    task.remember()
    assert [(step.done, step.elapsed) for step in seen] == [(1, 2), (2, 5)]
    assert json.loads((tmp_path / progress.TIMES_FILE).read_text()) == {"game": {"a": 2, "b": 3}}
    assert not progress._callbacks and not progress._running
    assert jit.shared_task("game of this test") is jit.shared_task("game of this test")


def test_without_an_estimate_nothing_is_foretold(clock):
    seen = steps(clock, "unknown", ("a", 1))
    assert (seen[0].total, seen[0].share, seen[0].left) == (1, 0, None)
    assert (seen[0].now(), seen[0].describe()) == ((0, None), "1 kernels")


def test_steps_outside_of_a_task_are_reported(clock):
    seen = []
    stop = jit.on_progress(seen.append)
    progress.note_step("alone")
    stop()
    progress.note_step("unseen")
    assert [(step.task, step.kernel) for step in seen] == [("", "alone")]


def test_a_part_from_the_cache_leaves_what_is_known_of_it(clock, tmp_path):
    steps(clock, "game", ("a", 1), ("b", 2))
    with jit.compiling("game"):
        progress.note_load()
        clock[0] += 3
        progress.note_step("c")
    assert json.loads((tmp_path / progress.TIMES_FILE).read_text()) == {"game": {"a": 1, "b": 2, "c": 3}}
    steps(clock, "game", ("b", 1))
    assert json.loads((tmp_path / progress.TIMES_FILE).read_text()) == {"game": {"b": 1}}


def test_a_task_that_fails_is_not_remembered(clock, tmp_path):
    with pytest.raises(KeyError), jit.compiling("game"):
        progress.note_step("a")
        raise KeyError
    assert not (tmp_path / progress.TIMES_FILE).exists()
    assert not progress._running


@pytest.mark.parametrize("content", ["", "{", "[]", '{"game": 1}', '{"game": {"a": "x"}}', '{"game": {"a": null}}'])
def test_a_damaged_file_counts_as_none(clock, tmp_path, content):
    (tmp_path / progress.TIMES_FILE).write_text(content)
    assert steps(clock, "unknown", ("a", 1))[0].left is None
    assert steps(clock, "unknown", ("a", 1))[0].left == 0


def test_no_folder_is_no_failure(clock, monkeypatch):
    monkeypatch.setattr(progress, "cache_folder", lambda: None)
    assert len(steps(clock, "game", ("a", 1))) == 1
