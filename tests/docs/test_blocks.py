"""Every block of Python in the README and in docs/ runs as it stands, each for itself, but with small numbers."""

import re
import sys

import numpy as np
import pytest

from shogi_engine import records
from shogi_engine.batch import Batch, RecordWriter, labelled_positions, random_games, to_records
from tests.support import nnbin
from tests.support.processes import ROOT

PAGES = [ROOT / "README.md", ROOT / "README.ja.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = {
    f"{page.relative_to(ROOT)}:{number}": block
    for page in PAGES
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.M), 1)
}
# Blocks that are parts of one program, or whose results a test checks: the page, a part of the block, the test.
OWN_TESTS = (
    ("docs/add-a-game.md", "", "test_readme"),
    ("docs/evaluation.md", "", "test_examples"),
    ("docs/batch-files.md", '"work/gen0/data"', "../batch/test_labelled"),
    ("docs/batch-files.md", '"games.hcpe3"', "../batch/test_hcpe3"),
    ("docs/batches.md", 'records.games("games.csa")', "test_coming_from"),
)
SMALLER = {  # what would take long, and other engines, which this one stands for
    "time=1)": "time=0.01)",
    "time=0.1)": "time=0.01)",
    "byoyomi=0.5)": "byoyomi=0.01)",
    "depth=8)": "depth=3)",
    "depth or 0) >= 12": "depth or 0) >= 3",
    "nodes=20_000": "nodes=200",
    "nodes=200_000, threads=2": "nodes=100",
    "100, nodes=1000": "1, nodes=2",
    "nodes=10, rows=64": "nodes=2, rows=64",
    'load("game.kif")[0])\n': 'load("game.kif")[0], nodes=100)\n',
    '"shogi-usi"': repr(f"{sys.executable} -m usi"),
    '"fairy-stockfish"': repr(f"{sys.executable} -m usi"),
    '"shogi-engine nboard"': repr(f"{sys.executable} -m shogi_engine nboard"),
}
MOVES = ("7g7f", "3c3d", "8h2b+", "3a2b", "B*4e", "B*8e")


def smaller(block):
    for long, short in SMALLER.items():
        block = block.replace(long, short)
    return block


def has_own_test(name):
    return any(name.startswith(f"{page}:") and part in BLOCKS[name] for page, part, _ in OWN_TESTS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the files that the blocks read."""
    folder = tmp_path_factory.mktemp("blocks")
    record = records.GameRecord.from_moves("shogi", MOVES, ending="resignation")
    records.save(record, folder / "game.kif")
    records.save([record, record], folder / "games.csa")
    nnbin.write_random(folder / "nn.bin", 1, shape=nnbin.ARCHITECTURES["kp_256x2-32-32"])
    batch = Batch("shogi")
    games = random_games(batch, 1, longest=8)
    known = labelled_positions(batch, games._replace(values=np.zeros_like(games.values)))
    with RecordWriter(folder / "games.hcpe", "hcpe") as writer:
        writer.write(to_records(batch, known, "hcpe"))
    return folder


@pytest.mark.parametrize("name", [name for name in BLOCKS if not has_own_test(name)])
def test_the_block_runs(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    exec(compile(smaller(BLOCKS[name]), name, "exec"), {"__name__": name})


def test_the_other_blocks_have_their_own_tests():
    for page, _, test in OWN_TESTS:
        assert page.rpartition("/")[2] in (ROOT / f"tests/docs/{test}.py").read_text(encoding="utf-8")


def test_no_number_is_made_smaller_in_vain():
    text = "".join(BLOCKS.values())
    assert [long for long in SMALLER if long not in text] == []
