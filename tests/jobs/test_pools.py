"""shogi_engine/jobs.py: any worker may do a job, and the results are the same."""

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from shogi_engine.common.threads import results_on_threads
from shogi_engine.jobs import Pool, do_piece, load_ray
from shogi_engine.match import EngineGames, OpeningPlan, Schedule, Terms, parse_engine
from shogi_engine.types.limits import Limit
from tests.support.processes import ROOT
from tools.tuning import spsa


@dataclass(frozen=True)
class Squares:
    """Makes workers that square."""

    seconds: float = 0.0

    def __call__(self):
        return Squarer(self.seconds)


class Squarer:
    def __init__(self, seconds):
        self.seconds, self.closed = seconds, False

    def do(self, item):
        time.sleep(self.seconds)
        return item * item

    def close(self):
        self.closed = True


@dataclass(frozen=True)
class Deadly:
    """Makes another maker's workers, which are killed when they first do a piece of `deadly`."""

    maker: Any
    folder: str
    deadly: tuple[int, ...]

    def __call__(self):
        return DeadlyWorker(self, self.maker())


class DeadlyWorker:
    def __init__(self, plan, worker):
        self.plan, self.worker = plan, worker

    def do(self, item):
        found = self.worker.do(item)
        if item in self.plan.deadly and not (mark := Path(self.plan.folder, f"killed-{item}")).exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    def close(self):
        self.worker.close()


@pytest.mark.parametrize("workers", [1, 3])
def test_threads_do_all_pieces(workers):
    with Pool(Squares(), workers) as pool:
        assert dict(pool.results(range(20))) == {item: item * item for item in range(20)}
        made = list(pool._idle)
        assert 1 <= len(made) <= workers
        assert dict(pool.results([3])) == {3: 9}
        assert set(pool._idle) == set(made)  # one of them was used again
        assert not any(worker.closed for worker in made)
    assert all(worker.closed for worker in made)


def test_none_is_an_item_like_others():
    assert list(results_on_threads(lambda _: repr, [None, 0, None], 1, "items")) == [
        (None, "None"),
        (0, "0"),
        (None, "None"),
    ]


def test_nobody_is_waited_for_once_nobody_wants_more(monkeypatch):
    done = []
    monkeypatch.setattr(Squarer, "do", lambda self, item: done.append(item) or time.sleep(0.01))
    with Pool(Squares(), 2) as pool:
        next(pool.results(range(1000)))
    assert len(done) < 1000


def test_what_a_piece_raises_is_raised():
    with pytest.raises(TypeError), Pool(Squares(), 2) as pool:
        list(pool.results([1, "x", 3]))


def test_a_process_keeps_its_worker():
    assert do_piece(Squares(), 4) == (4, 16)
    assert do_piece(Squares(), 5) == (5, 25)


def test_a_cluster_without_ray_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"pip install ray"):
        load_ray()
    with pytest.raises(ValueError, match="ray"), Pool(Squares(), 1, "local"):
        pass


# ---- Ray ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def workers_find_this(monkeypatch):
    """Let worker processes import this file."""
    pytest.importorskip("ray", reason="ray is not installed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def killed(maker, items, deadly, folder):
    """Return what two workers of a cluster make of the pieces, killed at those of `deadly`."""
    folder.mkdir()
    with Pool(Deadly(maker, str(folder), tuple(deadly)), 2, "local") as pool:
        found = dict(pool.results(items))
    assert len(list(folder.glob("killed-*"))) == len(deadly)
    return found


@pytest.mark.slow
def test_workers_killed_ten_times_change_nothing(tmp_path, workers_find_this):
    assert killed(Squares(), range(50), range(0, 50, 5), tmp_path / "marks") == {n: n * n for n in range(50)}


def kept(results):
    """Return what of the games does not depend on the clock."""
    names = ("score", "reason", "plies", "moves")
    return {game: [record[name] for name in names] for game, record in results.items()}


@pytest.mark.slow
def test_games_are_the_same_on_a_cluster(tmp_path, workers_find_this):
    limit = Limit(nodes=200)
    engines = tuple(parse_engine(text, limit) for text in ("engine:futility_margin=60", "engine"))
    plan = EngineGames("shogi", engines, Schedule(2, 24), OpeningPlan.of("shogi"), Terms(60))
    with Pool(plan, 1) as here, Pool(plan, 1, "local") as there:
        found = [kept(dict(pool.results(range(24)))) for pool in (here, there)]
    found.append(kept(killed(plan, range(24), range(2, 22, 2), tmp_path / "marks")))
    assert found[0] == found[1] == found[2]
    assert len({game[3] for game in found[0].values()}) > 20


@pytest.mark.slow
def test_tuning_is_the_same_on_a_cluster(tmp_path):
    pytest.importorskip("ray", reason="ray is not installed")
    words = ["--parameters", "futility_margin,nmp_base", "--iterations", "4", "--pairs", "2", "--nodes", "100"]
    for name, more in (
        ("here", []),
        ("one", ["--cluster", "local"]),
        ("two", ["--cluster", "local", "--threads", "2"]),
    ):
        assert spsa.main([str(tmp_path / name), *words, *more]) == 0
    here, one, two = (spsa.SpsaState.load(tmp_path / name) for name in ("here", "one", "two"))
    assert here == one == two
