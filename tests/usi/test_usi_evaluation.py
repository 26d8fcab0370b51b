"""Evaluations over USI: one that is brought from outside the package plays; networks, and files that are none."""

import sys

import pytest

from shogi_engine.jit import JIT_DISABLED
from tests.support import nnbin
from tests.support.usi_driver import FAKE, REAL, Process

PLUGGED = [sys.executable, "-m", "tests.support.usi_plugged"]


def test_an_evaluation_from_outside_is_offered():
    with Process(PLUGGED) as engine:
        engine.send("usi")
        names = ("material", "king-piece", "network", "nnue", "kings-walk")
        offered = f"option name EvalType type combo default network {' '.join(f'var {name}' for name in names)}"
        assert offered in engine.until("usiok")


@pytest.mark.skipif(JIT_DISABLED, reason="takes long without JIT")
@pytest.mark.slow  # the whole search is compiled for it
def test_an_evaluation_from_outside_plays():
    with Process(PLUGGED) as engine:
        engine.send("usi")
        engine.send("setoption name EvalType value kings-walk", "isready")
        engine.until("readyok", 600)
        engine.send("position sfen 4k4/9/9/9/9/4K4/9/9/9 w - 1", "eval")
        assert engine.until("eval = ")[-1] == "eval = 34"  # 13, and 7 for each rank walked
        engine.send("position startpos", "go depth 4")
        lines = engine.until("bestmove", 60)
        assert any(line.startswith("info depth 4 ") and " pv " in line for line in lines)


def chosen(**values):
    """Return the lines that set options, the last one `isready`."""
    return [*(f"setoption name {name} value {value}" for name, value in values.items()), "isready"]


def told(engine):
    """Return what was said of evaluations up to readyok."""
    return [line for line in engine.until("readyok", 600) if "evaluation" in line]


def test_options_of_a_network_are_declared():
    with Process(FAKE) as engine:
        engine.send("usi")
        lines = engine.until("usiok")
    assert "option name EvalDir type string default eval" in lines
    assert "option name EvalFile type filename default nn.bin" in lines
    assert "option name FV_SCALE type spin default 16 min 1 max 128" in lines


def test_a_file_that_will_not_do_is_reported_once(tmp_path):
    with Process(FAKE) as engine:
        engine.send("usi", *chosen(EvalDir=tmp_path, FV_SCALE=24))
        assert not told(engine)  # of no concern to the evaluation in use
        engine.send(*chosen(EvalType="nnue"))
        file = tmp_path / "nn.bin"
        expected = f"info string evaluation nnue: {file} cannot be read; using network instead"
        assert told(engine) == [expected]
        engine.send("isready", "position startpos", "go depth 1")
        assert not told(engine)
        engine.until("bestmove")
        engine.send(*chosen(EvalFile="other.bin"))
        assert len(told(engine)) == 1
        engine.send(*chosen(EvalType="king-piece"))
        assert not told(engine)


@pytest.mark.skipif(JIT_DISABLED, reason="takes long without JIT")
def test_a_network_evaluates_and_plays(tmp_path):
    """Through the options, damaged files, FV_SCALE of the option and of eval_options.txt, and back."""
    case, sfens = nnbin.EXPECTED["networks"][1], nnbin.EXPECTED["sfens"]
    file = nnbin.write_random(tmp_path / "nn.bin", case["seed"], case["wide"])
    damaged = tmp_path / "damaged.bin"
    damaged.write_bytes(file.read_bytes()[:-100])
    (tmp_path / "scaled").mkdir()
    scaled = tmp_path / "scaled" / "nn.bin"
    scaled.hardlink_to(file)
    (tmp_path / "scaled" / "eval_options.txt").write_text("option name FV_SCALE type spin default 24 min 1 max 128\n")

    def values(engine):
        engine.send(*(line for sfen in sfens[:5] for line in (f"position sfen {sfen}", "eval")))
        return [int(engine.until("eval = ")[-1].split()[-1]) for _ in range(5)]

    with Process(REAL) as engine:
        engine.ready("position startpos", "eval")
        own = engine.seen[-2]
        assert own.startswith("eval = ")
        engine.send(*chosen(EvalType="nnue", EvalDir=tmp_path, EvalFile="damaged.bin"))
        (line,) = told(engine)
        assert line.startswith(
            f"info string evaluation nnue: {damaged} cannot be read as a network: expected HalfKP, K-P, HalfKA "
        )
        assert f"found {damaged.stat().st_size} bytes" in line and line.endswith("; using network instead")
        engine.send("position startpos", "eval")
        said = engine.until("eval = ")
        assert said[-1] == own and not any(line.startswith("its file") for line in said)
        engine.send(*chosen(EvalFile="nn.bin"))
        assert told(engine) == [f"info string evaluation nnue: {file}, HalfKP 256x2-32-32, FV_SCALE 16"]
        assert values(engine) == case["values"]["16"][:5]
        engine.send(*chosen(FV_SCALE=24))
        assert told(engine) == [f"info string evaluation nnue: {file}, HalfKP 256x2-32-32, FV_SCALE 24"]
        assert values(engine) == case["values"]["24"][:5]
        engine.send("position startpos", "go depth 6")
        assert any(line.startswith("info depth 6 ") and " pv " in line for line in engine.until("bestmove", 120))
        engine.send(*chosen(FV_SCALE=16, EvalFile=scaled))  # a whole path; 16 leaves it to the file
        assert told(engine) == [f"info string evaluation nnue: {scaled}, HalfKP 256x2-32-32, FV_SCALE 24"]
        assert values(engine) == case["values"]["24"][:5]
        engine.send("position startpos", "go nodes 3000", "eval")
        said = engine.until("eval = ")
        assert f"evaluation: nnue: {scaled}, HalfKP 256x2-32-32" in said and "its file: 64.2 MB, FV_SCALE 24" in said
        assert any(line.startswith("nodes/s of the last search: ") for line in said)
        engine.send(*chosen(EvalType="network", EvalFile="nn.bin"), "position startpos", "eval")
        assert engine.until("eval = ", 60)[-1] == own
