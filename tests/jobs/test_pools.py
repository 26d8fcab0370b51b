"""shogi_engine/jobs.py: any worker may do a job, and the results are the same."""

import json
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from shogi_engine import records
from shogi_engine.__main__ import main
from shogi_engine.batch import Batch, random_games
from shogi_engine.common.threads import results_on_threads
from shogi_engine.jobs import Pool, do_piece, in_order, load_ray
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


# ---- suites ------------------------------------------------------------------------------------------------------


DATA = Path(ROOT) / "tests" / "data"
MATE_IN_ONE = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1"


def test_pieces_are_put_in_order():
    done = [(2, "c"), (0, "a"), (3, "d"), (1, "b")]
    assert list(in_order(done, int)) == ["a", "b", "c", "d"]
    early = in_order(iter(done), int)
    assert next(early) == "a"


def told(capsys, *words):
    """Return the status of a command and the lines of its output, the last one without the times in it."""
    status = main([*words, "--json"])
    *lines, last = capsys.readouterr().out.splitlines()
    said = json.loads(last)
    for row in [said, *said.get("results", [])]:
        row.pop("seconds")
        row.pop("nps", None)
    return status, lines, said


def test_problems_on_threads_have_the_same_answers(capsys, tmp_path):
    file = tmp_path / "problems.txt"
    file.write_text("\n".join([MATE_IN_ONE, MATE_IN_ONE.replace("G2r2b3g", "P2r2b4g").replace("17p", "16p")] * 3))
    words = ["mate", str(file), "--shortest", "--hash", "1"]
    status, lines, said = told(capsys, *words)
    assert (status, said["mates"], said["nomates"]) == (0, 3, 3)
    assert told(capsys, *words, "--threads", "2") == (status, lines, said)


@pytest.mark.slow
def test_a_suite_on_a_cluster_has_the_same_answers(capsys, tmp_path):
    ray = pytest.importorskip("ray", reason="ray is not installed")
    problems = json.loads((DATA / "shogi_mate.json").read_text())["positions"]
    file = tmp_path / "mates.json"
    file.write_text(json.dumps({"positions": [each for each in problems if each["mate"] in (0, 3, 5, 7)]}))
    words = ["mate", "--suite", str(file), "--hash", "4"]
    here = told(capsys, *words)
    assert here[0] == 0
    for workers in (1, 2):
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="error")
        try:
            assert told(capsys, *words, "--cluster", "local") == here
        finally:
            ray.shutdown()


# ---- nodes -------------------------------------------------------------------------------------------------------


@pytest.fixture
def cluster(monkeypatch):
    """Start three nodes of one core each; the first holds the others together."""
    pytest.importorskip("ray", reason="ray is not installed")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("RAY_worker_niceness", "0")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    yield cluster
    cluster.shutdown()


def with_a_node_killed(cluster, words, begun):
    """Run a command on the cluster, and kill a node as soon as `begun` is true."""
    ended, killed = threading.Event(), threading.Event()

    def kill():
        while not begun() and not ended.wait(0.1):
            pass
        if not ended.is_set():
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
            killed.set()

    killer = threading.Thread(target=kill)
    killer.start()
    status = main([*words, "--cluster", cluster.address])
    ended.set()
    killer.join()
    assert status == 0 and killed.is_set(), "the work ended before a node was killed"


def lines(file):
    """Return the lines of a file that may not exist yet."""
    return file.read_text().splitlines() if file.is_file() else []


@pytest.mark.slow
def test_a_match(cluster, tmp_path):
    there, here = tmp_path / "there.jsonl", tmp_path / "here.jsonl"
    words = ["match", "engine:futility_margin=60", "engine", "--limit", "nodes=300", "--games", "200", "--log"]
    with_a_node_killed(cluster, [*words, str(there)], lambda: len(lines(there)) > 20)
    assert main([*words, str(here)]) == 0
    found = [
        sorted((game["game"], game["score"], game["moves"]) for game in map(json.loads, lines(log)) if "game" in game)
        for log in (there, here)
    ]
    assert found[0] == found[1] and len(found[0]) == 200


@pytest.mark.slow
def test_a_generation_of_training_data(cluster, tmp_path):
    words = ["--stage", "data", "--games", "6000", "--set", "nodes=40,exact=8,seed=5"]
    there, here = ({"folder": tmp_path / name, "shards": tmp_path / name / "gen0" / "data"} for name in ("a", "b"))

    def made(where):
        return {file.name: file.read_bytes() for file in where["shards"].glob("*.npz")}

    with_a_node_killed(cluster, ["train", "othello", str(there["folder"]), *words], lambda: len(made(there)) > 2)
    assert main(["train", "othello", str(here["folder"]), *words]) == 0
    assert made(there) == made(here) and len(made(here)) == 12


@pytest.mark.slow
def test_judged_games(cluster, tmp_path):
    games, saved = tmp_path / "games.ggf", tmp_path / "saved.json"
    records.save(records.from_arrays(random_games(Batch("othello"), 500, seed=3), "othello"), games)
    there, here = tmp_path / "there.ggf", tmp_path / "here.ggf"
    words = ["analyse", str(games), "--depth", "3", "--out"]
    with_a_node_killed(cluster, [*words, str(there), "--save", str(saved)], lambda: lines(saved))
    assert main([*words, str(here)]) == 0
    assert there.read_text() == here.read_text()
