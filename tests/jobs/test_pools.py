"""shogi_engine/jobs.py: pieces are done by whoever is there, and the results are the same."""

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from shogi_engine.jobs import Pool, do_piece, load_ray


@dataclass(frozen=True)
class Squares:
    """Makes workers that square; killed, if a folder is given, the first times they do a piece of `deadly`."""

    folder: str = ""
    deadly: tuple[int, ...] = ()
    seconds: float = 0.0

    def __call__(self):
        return Squarer(self)

    def warm_up(self):
        if self.folder:
            name = Path(self.folder, f"warm-{os.getpid()}")
            name.write_text(str(time.monotonic()))
            time.sleep(0.05)
            name.with_name(f"{name.name}-end").write_text(str(time.monotonic()))


class Squarer:
    def __init__(self, plan):
        self.plan, self.closed = plan, False

    def do(self, item):
        plan = self.plan
        time.sleep(plan.seconds)
        if item in plan.deadly and not (mark := Path(plan.folder, f"killed-{item}")).exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return item * item

    def close(self):
        self.closed = True


@pytest.mark.parametrize("workers", [1, 3])
def test_threads_do_all_pieces(workers):
    with Pool(Squares(), workers) as pool:
        assert dict(pool.results(range(20))) == {item: item * item for item in range(20)}
        idle = pool._idle
        assert 1 <= len(idle) <= workers
        assert dict(pool.results([3])) == {3: 9}
        assert pool._idle[-1] in idle  # it was used again
        made = list(pool._idle)
    assert all(worker.closed for worker in made)


def test_nobody_is_waited_for_once_nobody_wants_more():
    began = time.monotonic()
    with Pool(Squares(seconds=0.05), 2) as pool:
        results = pool.results(range(1000))
        next(results)
        results.close()
    assert time.monotonic() - began < 5


def test_what_a_piece_raises_is_raised():
    with pytest.raises(TypeError), Pool(Squares(), 2) as pool:
        list(pool.results([1, None, 3]))


def test_a_process_keeps_its_worker():
    assert do_piece(Squares(), 4) == (4, 16)
    assert do_piece(Squares(), 5) == (5, 25)


def test_a_cluster_without_ray_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"pip install 'shogi-engine\[ray\]'"):
        load_ray()
    with pytest.raises(ValueError, match="ray"), Pool(Squares(), 1, "local"):
        pass


@pytest.mark.slow
def test_workers_killed_ten_times_change_nothing(tmp_path):
    pytest.importorskip("ray", reason="ray is not installed")
    plan = Squares(str(tmp_path), tuple(range(0, 50, 5)))
    with Pool(plan, 2, "local") as pool:
        assert dict(pool.results(range(50))) == {item: item * item for item in range(50)}
    assert len(list(tmp_path.glob("killed-*"))) == 10
    times = sorted(
        (float(begin.read_text()), float(end.read_text()))
        for begin in tmp_path.glob("warm-*[0-9]")
        if (end := begin.with_name(f"{begin.name}-end")).exists()
    )
    assert len(times) >= 10 and all(one[1] <= other[0] for one, other in zip(times, times[1:], strict=False))
