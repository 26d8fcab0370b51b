"""Three nodes on this machine, one of which is killed during the work: the figures are those of one process."""

import json
import threading

import pytest

from shogi_engine import records
from shogi_engine.__main__ import main
from shogi_engine.batch import Batch, random_games
from tests.support.processes import ROOT

pytestmark = pytest.mark.slow


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


def test_a_generation_of_training_data(cluster, tmp_path):
    words = ["--stage", "data", "--games", "6000", "--set", "nodes=40,exact=8,seed=5"]
    there, here = ({"folder": tmp_path / name, "shards": tmp_path / name / "gen0" / "data"} for name in ("a", "b"))

    def made(where):
        return {file.name: file.read_bytes() for file in where["shards"].glob("*.npz")}

    with_a_node_killed(cluster, ["train", "othello", str(there["folder"]), *words], lambda: len(made(there)) > 2)
    assert main(["train", "othello", str(here["folder"]), *words]) == 0
    assert made(there) == made(here) and len(made(here)) == 12


def test_judged_games(cluster, tmp_path):
    games, saved = tmp_path / "games.ggf", tmp_path / "saved.json"
    records.save(records.from_arrays(random_games(Batch("othello"), 500, seed=3), "othello"), games)
    there, here = tmp_path / "there.ggf", tmp_path / "here.ggf"
    words = ["analyse", str(games), "--depth", "3", "--out"]
    with_a_node_killed(cluster, [*words, str(there), "--save", str(saved)], lambda: lines(saved))
    assert main([*words, str(here)]) == 0
    assert there.read_text() == here.read_text()
