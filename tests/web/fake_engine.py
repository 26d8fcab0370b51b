"""Replacements for engines in tests of the browser's server: they answer at once, or think until they are stopped."""

import functools
import threading
import time
from types import SimpleNamespace

from shogi_engine.analysis.judgement import PositionResult
from shogi_engine.interface.extras import LevelPlan
from shogi_engine.types.limits import TimeBudget
from shogi_engine.types.results import ForcedWin, Info, PlayResult, Score
from shogi_engine.web.hub import Hub
from shogi_engine.web.pool import EnginePool
from shogi_engine.web.session import Session
from shogi_engine.web.store import GameStore

LONG = 5.0  # seconds; searches of at least so long are live analysis here: they continue until they are stopped


class FakeEngine:
    """Plays the legal move that `choose` picks of the sorted list, the last one by default.

    searches : how many run now, of all engines
    """

    running = 0
    _counting = threading.Lock()

    def __init__(self, game, choose=-1):
        self.game = SimpleNamespace(name=game)
        self.levels = {"shogi": 20, "othello": 22}[game]
        self.book = SimpleNamespace(play=lambda board: None)
        self._choose = choose
        self._stopped = threading.Event()

    def prepare(self):
        self._stopped.clear()

    def stop(self):
        self._stopped.set()

    def may_declare(self, board):
        return False

    def check_level(self, level, board=None):
        if not 0 <= level <= 20:
            raise ValueError(f"the level must be 0 to 20, not {level}")
        return LevelPlan() if level == 20 else LevelPlan(nodes=600)

    def clock_budget(self, clock, board):
        return TimeBudget.exactly(clock.allowed)

    def play(self, board, limit):
        move = sorted(board.legal_moves, key=str)[self._choose]
        return PlayResult(move, info=Info(depth=1, score=Score(0), nodes=1, pv=(move,)))

    def analyse(self, board, limit, *, multipv=None, on_info=None):
        moves = sorted(board.legal_moves, key=str)
        lines = [self._line(move, number, len(moves)) for number, move in enumerate(moves[: multipv or 1], 1)]
        if limit.time is not None and limit.time >= LONG:
            self._think(lines, on_info)
        return lines[0] if multipv is None else lines

    def _line(self, move, number, count):
        unit = "cp" if self.game.name == "shogi" else "discs"
        return Info(
            depth=7, seldepth=9, multipv=number, score=Score.parse(f"{unit} {count}"), time=0.5, nodes=4321, pv=(move,)
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

    def mate(self, board, limit=None, **wanted):
        """Find a mate in one."""
        for move in list(board.legal_moves):
            board.push(move)
            mated = board.is_checkmate()
            board.pop()
            if mated:
                return ForcedWin("mate", (move,))
        return ForcedWin("nomate")


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
