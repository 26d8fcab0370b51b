"""An evaluation that is brought from outside the package is offered over USI, and plays."""

import sys
from pathlib import Path

import pytest
from usi_driver import Process

from shogi_engine.jit import JIT_DISABLED

PLUGGED = [sys.executable, str(Path(__file__).with_name("usi_plugged.py"))]


@pytest.mark.skipif(JIT_DISABLED, reason="takes long without JIT")
def test_an_evaluation_from_outside_plays():
    with Process(PLUGGED) as engine:
        engine.send("usi")
        names = ("material", "king-piece", "network", "kings-walk")
        offered = f"option name EvalType type combo default king-piece {' '.join(f'var {name}' for name in names)}"
        assert offered in engine.until("usiok")
        engine.send("setoption name EvalType value kings-walk", "isready")
        engine.until("readyok", 600)
        engine.send("position sfen 4k4/9/9/9/9/4K4/9/9/9 w - 1", "eval")
        assert engine.until("eval = ")[-1] == "eval = 34"  # 13, and 7 for each rank walked
        engine.send("position startpos", "go depth 4")
        lines = engine.until("bestmove", 60)
        assert any(line.startswith("info depth 4 ") and " pv " in line for line in lines)
