"""The first game after an installation: the search is compiled, the mate solver is not."""

import shutil
import time

import pytest

from shogi_engine import jit
from shogi_engine.games.shogi.mate import lines, search
from tests.support.usi_driver import NO_BOOK, REAL, Process

SOLVER_KERNEL = lines.solve.__name__
MOVES = ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e", "8d8e", "6i7h", "4a3b"]
SECONDS = 3.0  # for an answer to a tenth of a second's thought, on a machine that compiles; the solver takes 10 or more


@pytest.mark.skipif(jit.JIT_DISABLED, reason="compiles")
def test_no_move_waits_for_the_solver_to_be_compiled(tmp_path):
    modules = (lines, search)
    kernels = {name for module in modules for name, value in vars(module).items() if isinstance(value, jit.Kernel)}
    folder = tmp_path / jit.cache_folder().name
    folder.mkdir(mode=0o700)
    for file in jit.cache_folder().glob("*.kernel"):
        if file.name.rpartition("-")[0] not in kernels:
            shutil.copy(file, folder)
    with Process(REAL, SHOGI_ENGINE_CACHE_DIR=str(tmp_path)) as engine:
        engine.send("usi", NO_BOOK, "isready")
        engine.until("readyok", 300)
        assert not list(folder.glob(f"{SOLVER_KERNEL}-*.kernel"))
        engine.send("usinewgame")
        for number in range(len(MOVES)):
            engine.send(f"position startpos moves {' '.join(MOVES[:number])}", "go movetime 100")
            engine.until("bestmove", SECONDS)
        end = time.monotonic() + 120
        while not list(folder.glob(f"{SOLVER_KERNEL}-*.kernel")):
            assert time.monotonic() < end, "the solver was not compiled"
            time.sleep(0.2)
