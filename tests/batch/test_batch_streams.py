"""Files of positions: what is written is read, in pieces, in the memory of a piece."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from shogi_engine.batch import games
from tests.support.processes import ROOT, environment

CONSTANT = """
import json, sys
import numpy as np
from shogi_engine.batch import games as streams

def megabytes():
    with open("/proc/self/status") as status:
        fields = (line.split(":") for line in status if line.startswith(("VmRSS", "VmHWM")))
        return {name: int(text.split()[0]) >> 10 for name, text in fields}

path, size = sys.argv[1], int(sys.argv[2])
block = np.zeros(1 << 18, streams.HCPE)
block["eval"] = np.arange(len(block)) & 1023
with streams.RecordWriter(path, "hcpe") as writer:
    while writer.count * streams.HCPE.itemsize < size:
        writer.write(block)
before, total = megabytes()["VmRSS"], 0
for piece in streams.read_records(path, "hcpe"):
    total += int(piece["eval"].sum(dtype=np.int64))
print(json.dumps([writer.count, total, megabytes()["VmHWM"] - before]))
"""


def records(kind, count):
    """Return `count` records of noise."""
    dtype = games.record_kind(kind)
    noise = np.random.default_rng(count).integers(0, 256, count * dtype.itemsize, dtype=np.uint8)
    return noise.view(dtype)


@pytest.mark.parametrize("kind", games.KINDS)
def test_there_and_back(tmp_path, kind):
    path, written = tmp_path / "file", records(kind, 1000)
    with games.RecordWriter(path, kind) as writer:
        writer.write(written[:300])
        writer.write(written[300:])
    assert writer.count == games.count_records(path, kind) == 1000
    assert (games.open_records(path, kind) == written).all()
    pieces = list(games.read_records(path, kind, rows=300, start=5, stop=950))
    assert [len(piece) for piece in pieces] == [300, 300, 300, 45]
    assert (np.concatenate(pieces) == written[5:950]).all()


def test_appending_and_changing(tmp_path):
    path, written = tmp_path / "file", records("psv", 10)
    for part in (written[:4], written[4:]):
        with games.RecordWriter(path, "psv", append=True) as writer:
            writer.write(part)
    assert writer.count == 10
    changed = games.open_records(path, "psv", "r+")
    changed["score"][3] = 77
    changed.flush()
    assert games.open_records(path, "psv")["score"][3] == 77


def test_an_empty_file(tmp_path):
    with games.RecordWriter(tmp_path / "file", "hcp"):
        pass
    assert len(games.open_records(tmp_path / "file", "hcp")) == 0
    assert list(games.read_records(tmp_path / "file", "hcp")) == []


def test_refusals(tmp_path):
    (tmp_path / "file").write_bytes(bytes(39))
    with pytest.raises(ValueError, match="39 bytes are not a whole number of hcpe records of 38"):
        games.open_records(tmp_path / "file", "hcpe")
    with pytest.raises(ValueError, match="no kind of file 'pgn'; there are hcp, hcpe, psv, othello"):
        games.count_records(tmp_path / "file", "pgn")
    with games.RecordWriter(tmp_path / "file", "hcpe") as writer, pytest.raises(ValueError, match="must be of"):
        writer.write(records("psv", 1))


def test_the_records_of_cshogi():
    cshogi = pytest.importorskip("cshogi")
    assert np.dtype(cshogi.HuffmanCodedPosAndEval) == games.HCPE
    assert np.dtype(cshogi.PackedSfenValue) == games.PSV
    assert np.dtype(cshogi.HuffmanCodedPos) == games.HCP


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the memory")
def test_a_gigabyte_takes_the_memory_of_a_piece(tmp_path):
    command = [sys.executable, "-c", CONSTANT, str(tmp_path / "file"), str(1 << 30)]
    done = subprocess.run(command, env=environment(None, ROOT), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    count, total, grown = json.loads(done.stdout)
    assert count * games.HCPE.itemsize >= 1 << 30 and total == count // 1024 * (1023 * 512)
    assert grown < 64


# ---- rules -------------------------------------------------------------------------------------------------------


def checked(game, positions, **variables):
    """Run the checks in a process of their own; return what they saw."""
    env = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore", **variables}
    command = [sys.executable, "-m", "tests.support.batch_checks", game, str(positions)]
    done = subprocess.run(command, env=env, capture_output=True, encoding="utf-8", timeout=1200)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("game", "positions"), [("othello", 30), ("shogi", 3)])
def test_a_few_positions_without_compiling(game, positions):
    assert checked(game, positions, NUMBA_DISABLE_JIT="1")["positions"] >= positions


@pytest.mark.slow
@pytest.mark.parametrize("game", ["othello", "shogi"])
def test_many_positions(game):
    seen = checked(game, 100_000)
    assert seen["positions"] >= 100_000 and seen["over"] > 10 and seen["boards"] > 50
