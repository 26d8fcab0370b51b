"""Replacements for engines in tests of the browser's server: they answer at once, or think until they are stopped."""

import functools
import importlib
import threading
import time
from types import SimpleNamespace

from shogi_engine.analysis.judgement import PositionResult
from shogi_engine.interface.extras import LevelPlan
from shogi_engine.types.limits import TimeBudget
from shogi_engine.types.results import Score
from shogi_engine.web.hub import Hub
from shogi_engine.web.pool import EnginePool
from shogi_engine.web.session import Session
from shogi_engine.web.store import GameStore

LONG_MS = 5000  # searches of at least so long are live analysis here: they continue until they are stopped


class FakeEngine:
    """Plays the legal move that `choose` picks of the sorted list, the last one by default.

    searches : how many run now, of all engines
    """

    running = 0
    _counting = threading.Lock()

    def __init__(self, game, choose=-1):
        self.game = SimpleNamespace(name=game)
        self.levels = {"shogi": 20, "othello": 22}[game]
        self.book = SimpleNamespace(choice=lambda **lookup: None)
        self._choose = choose
        self._stopped = threading.Event()
        self.board = None

    def prepare(self):
        self._stopped.clear()

    def stop(self):
        self._stopped.set()

    def set_position(self, start, moves=()):
        self.board = importlib.import_module(f"shogi_engine.games.{self.game.name}.board").Board(start)
        for move in moves:
            self.board.push_text(move)

    def legal_moves(self):
        return [str(move) for move in self.board.legal_moves]

    def push(self, move):
        self.board.push_text(move)

    def pop(self):
        self.board.pop()

    def may_declare(self):
        return False

    def check_level(self, level):
        if not 0 <= level <= 20:
            raise ValueError(f"the level must be 0 to 20, not {level}")
        return LevelPlan() if level == 20 else LevelPlan(nodes=600)

    def clock_budget(self, clock, ply):
        return TimeBudget.exactly(clock.allowed)

    def search(self, *, multipv=1, on_info=None, movetime=None, **limits):
        moves = sorted(self.legal_moves())
        lines = [self._line(move, number, len(moves)) for number, move in enumerate(moves[:multipv], 1)]
        if movetime is not None and movetime >= LONG_MS:
            self._think(lines, on_info)
        known = {"seconds": 0.0, "ponder": "", "score": Score(0), "depth": 1, "nodes": 1, "pv": moves[:1]}
        return SimpleNamespace(bestmove=moves[self._choose], lines=lines, **known)

    def _line(self, move, number, count):
        unit = "cp" if self.game.name == "shogi" else "discs"
        return SimpleNamespace(
            multipv=number,
            depth=7,
            seldepth=9,
            nodes=4321,
            time=0.5,
            bound="",
            exact=False,
            pv=[move],
            score=Score.parse(f"{unit} {count}"),
        )

    def _think(self, lines, on_info):
        with self._counting:
            FakeEngine.running += 1
        try:
            while not self._stopped.wait(0.02):
                for line in lines:
                    on_info(line)
        finally:
            with self._counting:
                FakeEngine.running -= 1

    def find_mate(self, **limits):
        """Find a mate in one."""
        for move in self.legal_moves():
            self.board.push_text(move)
            mated = self.board.is_checkmate()
            self.board.pop()
            if mated:
                return SimpleNamespace(result="mate", moves=(move,), length=1)
        return Nothing()


class Nothing:
    """No mate."""

    result, moves, length = "nomate", (), 0

    def __bool__(self):
        return False


class FakeExaminer:
    """Finds that the third move was bad."""

    def __init__(self, game, limits):
        self._unit = "cp" if game == "shogi" else "discs"

    def stop(self):
        pass

    def examine(self, record, ply):
        score = 900 if ply == 3 else 0
        best = sorted(map(str, record.board(ply).legal_moves))[:1]
        return PositionResult(best[0] if best else "", Score.parse(f"{self._unit} {score}"), tuple(best), 5)


def fake_hub(folder=None, shared=True, **options):
    """Return a hub with engines that are fakes; folder : where games are kept, shared : all see them"""

    make = functools.partial(Session, examiner=FakeExaminer)
    return Hub(EnginePool(2, FakeEngine), make=make, store=GameStore(folder, shared), **options)


def wait_for(condition, seconds=10.0):
    """Wait until condition() is true and return that; fails after that many seconds."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.01)
    return found
