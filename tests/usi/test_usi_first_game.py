"""The first game after an installation: whatever has to be compiled is compiled before readyok."""

import shutil
import sys

import pytest

from shogi_engine import jit
from shogi_engine.games.shogi.board import ENTRIES
from shogi_engine.games.shogi.mate import search
from shogi_engine.jit.policy import MODULE_VARIABLE, compiled_module
from shogi_engine.jit.sources import CACHE_VARIABLE
from tests.support.processes import needs_workshop
from tests.support.usi_driver import NO_BOOK, REAL, Process

SOLVER_KERNEL = search.solve.__name__
COMPILED = {SOLVER_KERNEL, *(kernel.__name__ for kernel in ENTRIES._kernels)}
MOVES = ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e", "8d8e", "6i7h", "4a3b"]


@pytest.mark.slow  # it compiles half a minute; below is what the day sees of it
@pytest.mark.skipif(jit.JIT_DISABLED, reason="compiles")
@needs_workshop
def test_nothing_is_compiled_after_readyok(tmp_path):
    folder = tmp_path / jit.cache_folder().name
    folder.mkdir(mode=0o700)
    for file in jit.cache_folder().glob("*.kernel"):
        if file.name.rpartition("-")[0] not in COMPILED:
            shutil.copy(file, folder)
    with Process(REAL, **{CACHE_VARIABLE: str(tmp_path), MODULE_VARIABLE: "0"}) as engine:
        engine.send("usi", NO_BOOK, "isready")
        engine.until("readyok", 900)
        compiled = set(folder.iterdir())
        assert [file for file in compiled if file.name.startswith(SOLVER_KERNEL)]
        engine.send("usinewgame")
        for number in range(len(MOVES)):
            engine.send(f"position startpos moves {' '.join(MOVES[:number])}", "go movetime 100")
            engine.until("bestmove")
        assert set(folder.iterdir()) == compiled


WATCHED = """
import gc
from shogi_engine.frontends.core import Output
from shogi_engine.jit import Entries, Kernel
from usi.loop import main

def prepared():
    found = set()
    for each in gc.get_objects():
        if isinstance(each, Kernel):
            keys = [*getattr(each, "_known", ()), *(each._dispatcher.overloads if each._dispatcher else ())]
            found |= {(each.__qualname__, str(key)) for key in keys}
        elif isinstance(each, Entries):
            waiting = {name for name, entry in vars(each).items() if getattr(entry, "__name__", "") == "<lambda>"}
            found |= {(kernel.__name__, "entry") for kernel in each._kernels if kernel.__name__ not in waiting}
    return found

def line(self, text, write=Output.line):
    if text == "readyok":
        write(self, " ".join([f"info string {len(ready)}", *sorted(name for name, _ in prepared() - ready)]))
        ready.update(prepared())
    write(self, text)

ready, Output.line = set(), line
main()
"""


@pytest.mark.skipif(jit.JIT_DISABLED or not compiled_module().state, reason="there is nothing to compile")
def test_no_kernel_is_called_for_the_first_time_after_readyok():
    with Process([sys.executable, "-c", WATCHED]) as engine:
        engine.ready()
        engine.send("usinewgame")
        for number in range(len(MOVES)):
            engine.send(f"position startpos moves {' '.join(MOVES[:number])}", "go nodes 3000")
            engine.until("bestmove")
        engine.send("isready")
        count, *late = engine.until("readyok")[-2].removeprefix("info string ").split()
    assert int(count) > 10 and late == []
