"""A script is answered as if its commands were sent one at a time, in every front end."""

import os
import re
import threading
import time
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from shogi_engine import othello
from shogi_engine.frontends import core
from shogi_engine.frontends.core import Command, Output
from shogi_engine.frontends.othello import Gtp, NBoard
from shogi_engine.types.results import ForcedWin, Info, PlayResult, Score
from tests.support.usi_fake import FakeEngine
from usi.loop import Loop
from usi.protocol import UsiOutput

EXAMPLES = int(os.environ.get("SOAK_EXAMPLES", "40"))  # scripts for each front end
MOVES = ["f5", "d6", "c3"]  # a game


class Searches:
    """Searches that have the requested depth, depth 1 if they were stopped; without a limit they wait for that."""

    def prepare(self):
        self._stopped = threading.Event()
        self.begun = False

    def stop(self):
        self._stopped.set()

    def _wait(self, search, limited):
        """Search; tell whether it was stopped."""
        with search.searching(self) as stopped:
            self.begun = True
            return stopped or self._stopped.wait(0.002 if limited else 60)

    def play(self, board, limit, *, search, on_info=lambda line: None, **named):
        limited = any((limit.depth, limit.level, limit.nodes, limit.budget))
        reached = 1 if self._wait(search, limited) else limit.depth or limit.level or 5
        move = list(board.legal_moves)[0]
        score = Score(1) if hasattr(board, "sfen") else Score.discs(1)
        line = Info(reached, reached, 1, score, time=0.0, nodes=1, hashfull=0, pv=(move,))
        on_info(line)
        return PlayResult(move, None, line, (line,))

    def analyse(self, *arguments, **named):
        return list(self.play(*arguments, **named).multipv)


class Shogi(Searches, FakeEngine):
    """An engine for the USI loop."""

    def mate(self, board, limit, *, progress, search):
        return ForcedWin("timeout" if self._wait(search, limit.time) else "nomate", nodes=1)


class OthelloBoard(othello.Board):
    """A Board whose first move is the first of those that the scripts make."""

    @property
    def legal_moves(self):
        return sorted(super().legal_moves, key=lambda move: (str(move) not in MOVES, str(move)))


class Othello(Searches):
    """An engine for NBoard and GTP."""

    def board(self, position="", moves=()):
        board = OthelloBoard(position or None)
        for move in moves:
            board.push_text(move)
        return board

    def check_level(self, level, board=None):
        return SimpleNamespace(exact=False)


class Patient:
    """Lines that someone sends one at a time: each when the one before is answered, or a search waits for `stop`."""

    live = True

    def __init__(self, lines, engine):
        self.lines, self.engine, self.front_end = lines, engine, None

    def __iter__(self):
        for line in self.lines:
            yield line
            self._wait()

    def _wait(self):
        answered = threading.Event()
        endless = next((task for task in self.front_end.pending() if not task.bounded and not task.stopped), None)
        if endless is None:
            self.front_end.put(Command(answered.set, time.monotonic()))
            assert answered.wait(60)
            return
        while not (endless.stopped or (self.front_end.task is endless and self.engine.begun)):
            time.sleep(0.0005)


def answers(kind, game, lines, *, patient):
    """Return what a front end answers, but for what depends on time."""
    written, engine = [], game()
    engine.prepare()
    output = (UsiOutput if kind is Loop else Output)(written.append, lambda: None)
    front_end = kind(output, load=lambda: engine, leave=lambda status: None)
    raw = [line.encode() for line in lines]
    if patient:
        raw = Patient(raw, engine)
        raw.front_end = front_end
        front_end.start_loading()
        front_end._loaded.wait(60)
    front_end.run(raw)
    text = b"".join(written).decode()
    text = re.sub(r" (nps|time|hashfull) \d+|/\d+\.\d\d$|nodestats .*|\d+\.\d+ s, \d+ nodes/s", "", text, flags=re.M)
    return re.sub(r"^(info depth .*\n)\1", r"\1", text, flags=re.M).split("\n")  # said again after PvInterval


USI = [
    "usi", "isready", "position startpos", "position startpos moves 7g7f", "position startpos moves 7g7e",
    "go depth 3", "go nodes 500", "go mate 5000", "go byoyomi 50000", "go btime 60000 wtime 60000", "stop",
    "gameover win", "moves", "side", "go perft 1", "setoption name MultiPV value x", "setoption", "ponderhit",
    "usinewgame", "xyzzy", "d", "flip",
]  # fmt: skip
ENDLESS = ["go infinite", "go ponder btime 60000 wtime 60000", "go mate infinite"]  # not `go ponder depth 3`: it ends
NBOARD = [
    "nboard 2", "set depth 3", "set depth x", "move F5", "move D6", "move A1", "go", "hint 2", "analyze", "learn",
    "ping 1", "ping 2", "fly", "C3", "set what 3",
]  # fmt: skip
GTP = [
    "1 name", "2 fly", "play b f5", "play w d6", "play b a1", "genmove b", "genmove w", "reg_genmove b", "undo",
    "# interrupt", "showboard", "set_level 3", "set_level x", "time_settings 60 0 0",
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "game", "commands"), [(Loop, Shogi, USI), (NBoard, Othello, NBOARD), (Gtp, Othello, GTP)]
)
@given(st.data())
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_script_is_answered_as_its_commands_one_at_a_time(kind, game, commands, data):
    script = data.draw(st.lists(st.sampled_from(commands), max_size=12))
    if kind is Loop and data.draw(st.booleans()):
        script += [
            data.draw(st.sampled_from(ENDLESS)),
            *data.draw(st.permutations(["isready", "side", "xyzzy"])),
            "stop",
            "usi",
        ]
    assert answers(kind, game, script, patient=False) == answers(kind, game, script, patient=True)


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["go depth 8", "position startpos moves 7g7f", "go infinite", "stop"], [8, 1]),
        (["go mate 5000", "go depth 3", "go infinite", "stop"], ["checkmate nomate", 3, 1]),
        (["go depth 8", "go infinite", "gameover draw", "go depth 4"], [8, 1, 4]),
        (["go depth 8", "isready", "usi", "go infinite", "isready", "stop"], [8, "readyok", "usiok", "readyok", 1]),
        (["go byoyomi 9000000000000000", "stop"], [5]),
        (["go depth 9999999999999999999", "stop"], [1]),
    ],
)
def test_stop_in_a_script_ends_only_what_would_not_end(lines, wanted):
    said = answers(Loop, Shogi, lines, patient=False)
    words = [int(line.split()[2]) if line.startswith("info depth") else line for line in said]
    assert [word for word in words if word in wanted or isinstance(word, int)] == wanted


def test_ping_in_a_script_comes_after_the_answers():
    said = answers(NBoard, Othello, ["set depth 3", "go", "ping 1", "hint 1", "move F5", "go", "ping 2"], patient=False)
    assert [line.split("/")[0] for line in said if line.startswith(("===", "pong", "search"))] == [
        "=== F5", "pong 1", "search F5 1.00 0 3", "search F5 1.00 0 3", "=== D6", "pong 2",
    ]  # fmt: skip


def test_a_clock_of_a_script_starts_when_its_turn_has_come():
    engine, budgets = Shogi(), []
    play = engine.play

    def slow(board, limit, **named):
        budgets.append(limit.budget)
        time.sleep(0.3)
        return play(board, limit, **named)

    engine.play = slow
    output = UsiOutput(lambda data: None, lambda: None)
    lines = [b"go depth 3", b"go btime 0 wtime 0 byoyomi 5000"]
    Loop(output, load=lambda: engine, leave=lambda status: None).run(lines)
    assert budgets[0] is None and budgets[1].hard_ms > 4500


# ---- ends of scripts ---------------------------------------------------------------------------------------------


def converse(front_end, lines, seconds):
    """Return what a front end says to a script if its engine, which refuses every move, takes `seconds` to come."""
    written = []

    def push_text(move):
        raise ValueError("no move is legal")

    def load():
        time.sleep(seconds)
        board = SimpleNamespace(diagram=lambda: "a board", push_text=push_text, ply=lambda: 0, turn=0)
        return SimpleNamespace(board=lambda: board)

    output = Output(written.append, lambda: None)
    front_end(output, load=load, leave=lambda status: None).run(line.encode() for line in lines)
    return b"".join(written).decode().split("\n")


@pytest.mark.parametrize("end", [["quit"], []])
def test_the_end_waits_for_what_was_asked(monkeypatch, end):
    monkeypatch.setattr(core, "LAST_WORDS", 0.05)
    said = converse(NBoard, ["set depth 3", "move F5", "ping 1", *end], 0.3)
    assert said[-2] == "pong 1" and said[-3].startswith("status error: no move")  # in order
    said = converse(Gtp, ["1 showboard", "2 fly", "# interrupt", *end], 0.3)
    assert said[:5] == ["=1 ", "a board", "", "?2 unknown command", ""]
    assert said[5:] == (["=", "", ""] if end else [""])


@pytest.mark.parametrize("end", [["quit"], []])
def test_a_mate_that_is_found_before_the_end_is_told(end):
    class Solver(Shogi):
        def mate(self, board, limit, *, progress, search):
            with search.searching(self) as stopped:
                return ForcedWin("timeout" if stopped or self._stopped.wait(0.1) else "nomate", nodes=1)

    assert answers(Loop, Solver, ["go mate infinite", *end], patient=False)[-2] == "checkmate nomate"
    assert answers(Loop, Solver, ["go mate infinite", "stop", *end], patient=False)[-2] == "checkmate timeout"
