"""How a conversation ends: a script is answered to its end, a person or a GUI that quits is served at once."""

import os
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from shogi_engine.frontends import core
from shogi_engine.frontends.core import CRASH_LOG_MAX, Input, Output, Source, crash_log_path
from shogi_engine.games.shogi.board import Board
from tests.support import forks
from tests.support.usi_driver import FAKE, Process
from usi import loop

LONG = "go depth 80"  # 0.8 s, more than what is stopped has for its last words


def run_script(text, **environment):
    """Return the lines that the engine answers to `text`, all of it sent at once with its end."""
    done = forks.run(FAKE, text, env=os.environ | environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def without_info(lines):
    return [line.split()[0] for line in lines if not line.startswith("info")]


@pytest.mark.parametrize("end", ["quit\n", ""])
@pytest.mark.parametrize("load", ["0", "1.5"])
def test_a_script_is_answered_to_its_end_in_order(end, load):
    script = f"isready\nposition startpos\n{LONG}\ngo mate 700\ngo perft 1\nmoves\n{end}"
    lines = run_script(script, FAKE_LOAD=load)
    words = without_info(lines)
    assert words[:3] == ["readyok", "bestmove", "checkmate"] and words[-2] == "perft"
    assert len(lines[-1].split()) == 30  # moves
    assert any(line.startswith("info depth 80 ") for line in lines)


@pytest.mark.parametrize("go", ["go infinite", "go ponder", "go", "go mate infinite", "go mate"])
def test_a_search_without_a_bound_is_stopped_by_the_end_and_answers(go):
    lines = run_script(f"position startpos\ngo depth 80\n{go}\nquit\n")
    assert len([word for word in without_info(lines) if word in ("bestmove", "checkmate")]) == 2
    assert any(line.startswith("info depth 80 ") for line in lines)


@pytest.mark.parametrize("limit", ["DepthLimit value 80", "NodesLimit value 8000"])
def test_a_search_that_only_the_options_end_is_bounded(limit):
    """Whether the worker has come to the option or not when the end of the input is read."""
    for load in ("0", "1"):
        lines = run_script(f"setoption name {limit}\nposition startpos\ngo\nquit\n", FAKE_LOAD=load)
        assert any(line.startswith("info depth 80 ") for line in lines) and lines[-1].startswith("bestmove")
    unset = f"setoption name {limit.split()[0]} value 0"
    lines = run_script(f"setoption name {limit}\n{unset}\nposition startpos\ngo\nquit\n")
    assert lines[-1].startswith("bestmove")
    lines = run_script(f"setoption name {limit}\nposition startpos\ngo infinite\nquit\n")
    assert lines[-1].startswith("bestmove")


@pytest.mark.parametrize(
    ("option", "evaluation"), [("EvalType value material", "material"), ("Threads value 1", "network")]
)
def test_nothing_is_compiled_before_it_is_known_by_what_to_evaluate(option, evaluation, monkeypatch):
    loaded, asked, written = threading.Event(), [], []
    fake = SimpleNamespace(
        resize=lambda **named: None, load_solver=lambda: None, board=Board, warmup=lambda: asked.append("compiled"),
        set_evaluation=lambda name, file: asked.append(name),
    )  # fmt: skip
    monkeypatch.setattr("shogi_engine.engine.Engine", lambda game: (loaded.set(), fake)[1])

    def script():
        yield b"usi"
        assert loaded.wait(60)
        time.sleep(0.2)
        assert not asked
        yield f"setoption name {option}".encode()
        yield b"isready"

    output = loop.UsiOutput(written.append, lambda: None)
    loop.Loop(output, leave=lambda status: None).run(script())
    assert asked == [evaluation, "compiled"] and b"readyok\n" in written


@pytest.mark.parametrize("end", ["quit\n", ""])
@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("isready", "readyok"),
        ("position startpos\nd", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
        ("moves", "9g9f 8g8f 7g7f "),
        ("eval", "eval = "),
        ("go perft 1", "perft 1: 30 nodes"),
        ("position startpos moves 9z9z", "info string position: "),
        ("go infinite", "bestmove "),
        ("go mate", "checkmate timeout"),
        ("usi\ngo ponder\nstop\nisready", "readyok"),
    ],
)
def test_every_query_alone_is_answered_before_the_end(query, answer, end):
    """However long the engine takes to come, as when its kernels are compiled first."""
    lines = run_script(f"{query}\n{end}", FAKE_LOAD="1")
    assert lines[-1].startswith(answer)


def test_what_has_no_answer_is_nothing_to_wait_for():
    lines = run_script("usi\nsetoption name MultiPV value 2\nusinewgame\nquit\n", FAKE_LOAD="600")
    assert lines[-1] == "usiok"


@pytest.mark.parametrize("end", ["quit", "end of input"])
@pytest.mark.parametrize("load", ["0", "600"])
def test_a_gui_that_quits_is_served_at_once_whatever_it_has_asked_for(load, end):
    words = "60" if load == "0" else "0.5"  # a busy machine may need longer for what is stopped than a GUI waits
    with Process(FAKE, FAKE_LOAD=load, FAKE_LAST_WORDS=words) as engine:
        engine.send("usi")
        engine.until("usiok")
        engine.send("isready", "position startpos", "go depth 100000", "go movetime 60000", "go perft 1")
        engine.silent(0.3)
        if end == "quit":
            engine.send("quit")
        else:
            engine.process.stdin.close()
        assert engine.ended() == (0, b"")  # less than FAKE_LOAD
        if load == "0":
            assert without_info(engine.silent(1)).count("bestmove") == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_is_never_a_script():
    import pty

    ours, theirs = pty.openpty()
    os.write(ours, b"position startpos\ngo depth 100000\nquit\n")
    process = forks.start(FAKE, stdin=theirs, stdout=forks.PIPE)
    os.close(theirs)
    try:
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        os.close(ours)
    assert b"bestmove" in out


@pytest.fixture
def pipe():
    """A pipe's end to write to, an Input at the other, and the Output that it watches."""
    reading, writing = os.pipe()
    output = Output(lambda data: None, lambda: None)
    yield writing, Input(Source(reading), output), output
    os.close(reading)


def test_input_that_is_there_with_its_end_is_a_script(pipe):
    writing, lines, output = pipe
    os.write(writing, b"one\ntwo\nthe end")
    os.close(writing)
    for line, text in zip(lines, (b"one", b"two", b"the end"), strict=True):
        output.line("an answer")
        assert line == text and not lines.live


@pytest.mark.parametrize("pause", [0, 0.3])
def test_input_that_comes_after_an_answer_is_live(pipe, pause):
    writing, lines, output = pipe
    os.write(writing, b"one\n")
    stream = iter(lines)
    assert next(stream) == b"one" and not lines.live
    output.line("an answer")
    threading.Timer(pause, lambda: (os.write(writing, b"two\n"), os.close(writing))).start()
    if not pause:
        time.sleep(0.1)  # it is there before it is looked for, and still came after the answer
    assert next(stream) == b"two" and lines.live and list(stream) == []


@pytest.mark.parametrize(("pause", "live"), [(0.02, False), (0.5, True)])
def test_input_may_pause_if_it_was_not_answered_but_not_long(pipe, pause, live):
    writing, lines, output = pipe
    os.write(writing, b"one\ntw")
    stream = iter(lines)
    assert next(stream) == b"one"
    threading.Timer(pause, lambda: (os.write(writing, b"o\n"), os.close(writing))).start()
    assert next(stream) == b"two" and lines.live == live


def test_much_input_is_a_script_too(pipe):
    writing, lines, output = pipe
    text = b"".join(b"line %d\n" % number for number in range(100_000))

    def write():
        with os.fdopen(writing, "wb") as file:
            file.write(text)

    threading.Thread(target=write).start()
    count = 0
    for _ in lines:
        output.line("an answer")
        count += 1
    assert count == 100_000 and not lines.live


# ---- time --------------------------------------------------------------------------------------------------------


def test_movetime_counts_from_when_the_engine_is_there_and_free():
    lines = run_script("position startpos\ngo movetime 400\ngo movetime 400\n", FAKE_LOAD="1")
    last = [lines[number - 1].split() for number, line in enumerate(lines) if line.startswith("bestmove")]
    assert len(last) == 2
    for words in last:
        assert int(words[words.index("time") + 1]) > 250


# ---- faults ------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="the folder is set by a variable of Linux")
def test_a_crash_is_kept_in_a_log_of_bounded_size(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    log = crash_log_path()
    log.parent.mkdir(parents=True)
    log.write_text("x" * (CRASH_LOG_MAX + 1))
    with Process(FAKE, FAKE_FAULT="crash") as engine:
        engine.ready().send("position startpos", "go depth 1")
        status, errors = engine.ended()
    assert status < 0 and errors == b""
    assert "Segmentation fault" in log.read_text() and log.stat().st_size < CRASH_LOG_MAX
    assert log.with_suffix(".old").exists()
    with Process(FAKE, FAKE_FAULT="search") as engine:
        engine.ready().send("position startpos", "go depth 1")
        engine.until("bestmove")
    assert "ArithmeticError" in log.read_text()


class Live:
    """Lines that someone sends who reacts to the answers."""

    live = True

    def __init__(self, lines):
        self._lines = lines

    def __iter__(self):
        return iter(self._lines)


def converse(lines, engine):
    """Return what a Loop with `engine` answers to `lines`."""
    written = []
    output = loop.UsiOutput(written.append, lambda: None)
    loop.Loop(output, load=lambda: engine, leave=lambda status: None).run(lines)
    return b"".join(written).decode().splitlines()


def test_a_table_larger_than_the_machine_is_refused_with_a_line(monkeypatch):
    sizes = []
    engine = SimpleNamespace(resize=lambda **named: sizes.append(named), load_solver=lambda: None, board=Board)
    monkeypatch.setattr(loop, "machine_megabytes", lambda: 1000)
    lines = converse([b"setoption name USI_Hash value 65536", b"isready"], engine)
    assert lines == ["info string USI_Hash 65536 is too large: this machine has 1000 MB; the table is unchanged",
                     "readyok"]  # fmt: skip
    assert {"hash_mb": 65536} not in sizes


@pytest.mark.parametrize("line", ["setoption name USI_Hash value 99999999999999999999999999",
                                  "setoption name MultiPV value -99999999999999999999999999",
                                  "setoption name NodesLimit value 99999999999999999999999999",
                                  "go nodes 99999999999999999999999999 depth 1",
                                  "go movetime 99999999999999999999999999 depth 1",
                                  "go mate 99999999999999999999999999", "ponderhit btime 99999999999999999999999999",
                                  "position startpos moves 99999999999999999999999999"])  # fmt: skip
def test_numbers_too_large_are_taken_as_the_largest(line):
    lines = run_script(f"setoption name USI_Hash value 8\nposition startpos\n{line}\nstop\nisready\ngo depth 1\n")
    assert not [each for each in lines if "internal error" in each] and "readyok" in lines
    assert lines[-1].startswith("bestmove")


def test_a_count_that_is_stopped_says_so_in_one_line():
    begun, stopped = threading.Event(), threading.Event()

    def perft(board, depth, search):
        with search.searching(engine):
            begun.set()
            stopped.wait(60)
        raise RuntimeError("stopped after 1 of 30 moves")

    engine = SimpleNamespace(
        resize=lambda **named: None, board=Board, prepare=lambda: None, stop=stopped.set, perft=perft,
    )  # fmt: skip

    def script():
        yield b"go perft 9"
        begun.wait(60)
        yield b"stop"

    assert converse(Live(script()), engine) == ["info string perft 9: stopped after 1 of 30 moves"]


def test_loading_for_mates_says_that_it_is_alive(monkeypatch):
    monkeypatch.setattr(core, "HEARTBEAT", 0.01)
    said = threading.Event()
    monkeypatch.setattr(loop.Loop, "say_alive", lambda self, text: (self.out.info(text), said.set()))
    engine = SimpleNamespace(
        resize=lambda **named: None, board=Board, prepare=lambda: None,
        warmup_mate=lambda: (said.clear(), said.wait(60)),
        mate=lambda board, limit, **named: SimpleNamespace(result="nomate", moves=()),
    )  # fmt: skip
    lines = converse([b"go mate 1000"], engine)
    assert lines[-1] == "checkmate nomate" and "info string loading ... 0 s" in lines
