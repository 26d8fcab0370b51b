"""Problems of mates in threads and on a cluster: the same answers as in one go."""

import json
from pathlib import Path

import pytest

from shogi_engine.__main__ import main
from shogi_engine.jobs import in_order
from tests.support.processes import ROOT

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
