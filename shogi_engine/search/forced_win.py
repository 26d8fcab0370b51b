"""Forced wins: their result type, the solvers that games bring along (Game.solver), and their work at a search's root.

A solver proves results that a search would take long to find. Othello's finds the exact score near the end of the game;
Engine asks it before it searches. Shogi's proves mates by checks, far deeper than the search sees; it works in a thread
beside the search, or is asked for one position. Either way `Solver.attempt` is asked, and a search's Result comes back.
"""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from shogi_engine.common.stop import StopToken
from shogi_engine.interface.game import BEFORE_SEARCH, BESIDE_SEARCH, Game
from shogi_engine.search.limits import Info, Limits, Result
from shogi_engine.search.tt import TranspositionTable

BESIDE_MB = 16  # the table of the solver that runs beside the search
SHARE = 0.1  # of a search's time, or nodes, that the solver may use beside it
NODES_PER_MS = 4000  # what a solver looks at in a millisecond
LEAST_NODES = 10_000
MOST_NODES = 10_000_000  # also beside a search without a limit, which may share its core
COMPILE_SECONDS = 600.0  # a compiler that takes longer has been stopped or starved
COMPILE = """
import sys
sys.path[:] = {path!r}
from shogi_engine import games
games.load({game!r}).solver(hash_mb=1).warmup()
"""

Move = TypeVar("Move")
Other = TypeVar("Other")


@dataclass(frozen=True, repr=False)
class ForcedWin(Generic[Move]):
    """What a search for a forced win found; true if there is one.

    result : 'mate'; 'nomate', proven; 'timeout', nothing proven within the limits
    moves : of both sides, up to the win, against the longest defence as far as it is known
    shortest : no shorter win exists (None if that was not asked)    nodes : positions looked at    seconds : float
    solutions : the lines of all first moves that win if asked for, else of the first one
    Moves are encoded if they come from a solver, text from Engine, and Move objects from a Board.
    """

    result: str
    moves: tuple[Move, ...] = ()
    shortest: bool | None = None
    nodes: int = 0
    seconds: float = 0.0
    solutions: tuple[tuple[Move, ...], ...] = ()

    @property
    def length(self) -> int:
        """The plies to the win; 0 without one."""
        return len(self.moves)

    def __bool__(self) -> bool:
        return self.result == "mate"

    def __repr__(self) -> str:
        found = {"nomate": "no mate", "timeout": "nothing proven"}.get(self.result)
        line = found or f"mate in {self.length}: {' '.join(map(str, self.moves))}"
        return f"<{type(self).__name__} {line} ({self.nodes} nodes, {self.seconds:.2f} s)>"

    def convert(self, line: Callable[[tuple[Move, ...]], Sequence[Other]]) -> "ForcedWin[Other]":
        """Return the same with other moves; `line` converts a line from the position that was searched."""
        return ForcedWin(
            self.result,
            tuple(line(self.moves)),
            self.shortest,
            self.nodes,
            self.seconds,
            tuple(tuple(line(moves)) for moves in self.solutions),
        )


class Solver(Protocol):
    """What every game's solver can do (Game.solver)."""

    def prepare(self) -> None:
        """Announce a search; see StopToken.prepare."""

    def stop(self) -> None:
        """End the running or announced search, from any thread."""

    def warmup(self) -> None:
        """Compile, or load from the cache, all that a search needs."""


class EndgameSolver(Solver, Protocol):
    """What solvers that run before a search can do besides."""

    def attempt(
        self,
        position: Any,
        limits: Limits,
        table: TranspositionTable,
        *,
        doubt: int = 0,
        on_info: Callable[[Info], None] | None = None,
    ) -> Result | None:
        """Return what is found of `position` in the part of a search's `limits` that is the solver's, None if nothing.

        table : the search's own, for use.   doubt : that is allowed in any case; see `LevelPlan`.
        on_info : called with what is found on the way, not with what is returned.
        """


class ForcedWinSolver(Solver, Protocol):
    """What solvers of forced wins, which run beside a search, can do; see `games.shogi.mate.solver.MateSolver`."""

    def attempt(self, position: Any, limits: Limits, table: TranspositionTable) -> Result | None:
        """Return a win that is proven in the part of a search's `limits` that is the solver's, None if there is none.

        table : the search's own.
        """

    def is_saved(self) -> bool:
        """Tell whether `warmup` has only to load."""

    def new_game(self) -> None:
        """Forget what earlier searches learned."""

    def solve(self, position: Any, **limits: Any) -> ForcedWin[int]:
        """Return what was proven of `position` within `limits`: those of Engine.find_mate."""


class RootSolver:
    """Lets a game's solver work on the root of a search, before or beside it; does nothing for a game without one.

    A solver that works beside is compiled or loaded by `load`, in a thread: until then searches go without it.
    """

    def __init__(self, game: Game, threads: int, stop_token: StopToken) -> None:
        self._game = game
        self._stop = stop_token
        self._before: EndgameSolver | None = None
        self._is_warm = False
        self._beside: ForcedWinSolver | None = None
        self._loader: threading.Thread | None = None
        self._proven: Result | None = None
        self.set_threads(threads)

    def set_threads(self, threads: int) -> None:
        """Change the number of threads of the solver that works before a search."""
        if self._game.solver and self._game.solver_runs == BEFORE_SEARCH:
            self._before = self._game.solver(threads=threads, stop_token=StopToken(self._stop))
            self._is_warm = False

    def warmup(self) -> None:
        """Compile, or load from the cache, the solver that works before a search."""
        if self._before:
            self._before.warmup()
            self._is_warm = True

    def load(self, wait: bool = False) -> None:
        """Begin to make the solver that works beside a search ready; with `wait`, return when it is."""
        if self._game.solver is None or self._game.solver_runs != BESIDE_SEARCH:
            return
        if self._loader is None:
            self._loader = threading.Thread(target=self._load, args=(wait,), name="solver-loader", daemon=True)
            self._loader.start()
        if wait:
            self._loader.join()

    def _load(self, here: bool) -> None:
        assert self._game.solver is not None
        solver: ForcedWinSolver = self._game.solver(hash_mb=BESIDE_MB)
        if not here and not solver.is_saved():
            compile_aside(self._game)
        solver.warmup()
        self._beside = solver

    def new_game(self) -> None:
        """Forget what was learned."""
        if self._beside:
            self._beside.new_game()

    def before(
        self,
        position: Any,
        limits: Limits,
        table: TranspositionTable,
        doubt: int | None,
        on_info: Callable[[Info], None] | None,
    ) -> tuple[Result | None, Limits]:
        """Let the solver try, if the search is one for the best move; return what is left of its time.

        That is, in some time, or, with a `doubt`, to the end of the game whatever the time.   table : the search's.
        on_info : called with all that is found.
        """
        free = limits.depth is None and limits.nodes is None and limits.mate is None
        timed = limits.budget is not None and free
        if self._before is None or limits.searchmoves or limits.multipv > 1 or not (timed or doubt is not None):
            return None, limits
        began = time.perf_counter()
        result = self._before.attempt(position, limits, table, doubt=doubt or 0, on_info=on_info)
        if result and on_info:
            on_info(result.infos[0])
        used = (time.perf_counter() - began) * 1000
        return result, replace(limits, budget=limits.budget and limits.budget.less(used))

    def solve(self, position: Any, limits: Limits, table: TranspositionTable) -> Result | None:
        """Return what the solver that works before a search finds within `limits`, None if nothing.

        Raises ValueError if the game has none.
        """
        if self._before is None:
            raise ValueError(f"{self._game.name} has no solver of endgames")
        if not self._is_warm:
            self.warmup()
        return self._before.attempt(position, limits, table)

    @contextlib.contextmanager
    def beside(
        self, position: Any, limits: Limits, table: TranspositionTable, on_win: Callable[[], None]
    ) -> Iterator[None]:
        """Look at `position` in a thread until a win is found, `limits` allow no more, or the block is left.

        On a win `on_win` is called, and `best` knows it.
        """
        self._proven = None
        solver = self._beside
        if solver is None or allowed_nodes(limits) == 0:
            yield
            return
        solver.prepare()

        def look() -> None:
            self._proven = solver.attempt(position, limits, table)
            if self._proven:
                on_win()

        thread = threading.Thread(target=look, name="solver", daemon=True)
        thread.start()
        try:
            yield
        finally:
            solver.stop()
            thread.join()

    def best(self, result: Result) -> Result:
        """Return `result`, or the win proven beside its search if the search knows no win as short."""
        proven = self._proven
        if proven is None or result.score >= proven.score:
            return result
        infos = tuple(replace(info, nodes=result.nodes, seconds=result.seconds) for info in proven.infos)
        return replace(proven, depth=result.depth, nodes=result.nodes, seconds=result.seconds, infos=infos)


def compile_aside(game: Game) -> None:
    """Let another process compile the game's solver for the cache, and wait for it.

    In this one numba's lock, held as long as it compiles, would block every thread that meets a kernel for the first
    time, with the clock running. Where no process can be started, or none finishes, the caller has to compile.
    """
    code = COMPILE.format(path=sys.path, game=game.name)
    quiet: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if sys.platform == "win32":
        quiet["creationflags"] = subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        process = subprocess.Popen([sys.executable, "-P", "-c", code], **quiet)
        if hasattr(os, "setpriority"):
            os.setpriority(os.PRIO_PROCESS, process.pid, 10)
        process.wait(COMPILE_SECONDS)


def allowed_nodes(limits: Limits) -> int:
    """Return how many positions a solver may look at beside a search; 0 beside one that is not for the best move."""
    if limits.searchmoves or limits.multipv > 1 or limits.mate is not None:
        return 0
    allowed = [MOST_NODES]
    if limits.nodes is not None:
        allowed.append(int(limits.nodes * SHARE))
    if limits.budget is not None:
        allowed.append(max(int(limits.budget.soft_ms * NODES_PER_MS * SHARE), LEAST_NODES))
    if len(allowed) == 1 and limits.depth is not None:
        return 0
    return min(allowed)
