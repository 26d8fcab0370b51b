"""Forced wins beside the search: what Engine does with the solver that a game may bring along (Game.forced_win_solver).

A solver proves wins of its own kind, in Shogi mates by checks, far deeper than the search sees. It is asked for one
position (`find`), or looks at the root in a thread of its own while the search runs (`RootMateSearch`).
"""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, Protocol

from shogi_engine.game import VALUE_MATE, Game
from shogi_engine.search.limits import Info, Limits, Result

BESIDE_MB = 16  # the table of the solver that runs beside the search
SHARE = 0.1  # of a search's time, or nodes, that the solver may use beside it
NODES_A_MS = 4000  # what a solver looks at in a millisecond
LEAST_NODES = 10_000
MOST_NODES = 10_000_000  # also beside a search without a limit, which may share its core
COMPILE_SECONDS = 600.0  # a compiler that takes longer has been stopped or starved
COMPILE = """
import sys
sys.path[:] = {path!r}
from shogi_engine import games
games.load({game!r}).forced_win_solver(hash_mb=1).warmup()
"""


class ForcedWinSolver(Protocol):
    """What a game's solver of forced wins can do; see `games.shogi.mates.MateSolver`."""

    def arm(self) -> None:
        """Announce a search: a stop before now is forgotten."""

    def stop(self) -> None:
        """End the running or announced search, from any thread."""

    def warmup(self) -> None:
        """Compile, or load from the cache, all that a search needs."""

    def is_saved(self) -> bool:
        """Tell whether `warmup` has only to load."""

    def new_problem(self) -> None:
        """Forget what earlier searches learned."""

    def solve(self, position: Any, **limits: Any) -> Any:
        """Return what was proven of `position` within `limits`."""


class RootMateSearch:
    """Looks for a forced win of the root while a search runs, and ends the search when it has one.

    The solver is compiled or loaded by `load`, in a thread: until then searches go without it.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._solver: ForcedWinSolver | None = None
        self._loader: threading.Thread | None = None
        self._won = False  # the last root was won: what the solver's table knows is of use again
        self.line: tuple[int, ...] = ()

    def load(self, wait: bool = False) -> None:
        """Begin to make the solver ready, if the game has one; with `wait`, return when it is."""
        if self._game.forced_win_solver is None:
            return
        if self._loader is None:
            self._loader = threading.Thread(target=self._load, args=(wait,), name="solver-loader", daemon=True)
            self._loader.start()
        if wait:
            self._loader.join()

    def _load(self, here: bool) -> None:
        assert self._game.forced_win_solver is not None
        solver = self._game.forced_win_solver(hash_mb=BESIDE_MB)
        if not here and not solver.is_saved():
            compile_aside(self._game)
        solver.warmup()
        self._solver = solver

    def new_game(self) -> None:
        """Forget what was learned."""
        self._won = False

    def start(self, position: Any, limits: Limits, on_win: Callable[[], None]) -> Callable[[], None]:
        """Look at `position` from a thread until a win is found, `limits` allow no more, or the function returned,
        which has to be called, ends it. On a win `line` holds it and `on_win` is called.
        """
        self.line = ()
        nodes = allowed_nodes(limits)
        solver = self._solver
        if solver is None or nodes == 0:
            return lambda: None
        solver.arm()
        keep, self._won = self._won, False

        def look() -> None:
            try:
                found = solver.solve(position, nodes=nodes, keep=keep)
            except ValueError:  # nobody to be mated
                return
            if found.moves:
                self.line, self._won = found.moves, True
                on_win()

        thread = threading.Thread(target=look, name="solver", daemon=True)
        thread.start()

        def end() -> None:
            solver.stop()
            thread.join()

        return end

    def applied(self, result: Result) -> Result:
        """Return `result`, with the win that was found if the search knows none as short."""
        line = self.line
        value = VALUE_MATE - len(line)
        if not line or result.score >= value:
            return result
        info = Info(len(line), len(line), 1, value, "", result.nodes, result.seconds, 0, line)
        ponder = line[1] if len(line) > 1 else 0
        return Result(line[0], ponder, value, result.depth, result.nodes, result.seconds, line, (info,))


def compile_aside(game: Game) -> None:
    """Let another process compile the game's solver for the cache, and wait for it.

    In this one numba's lock, held as long as it compiles, would stop whoever meets a kernel for the first time, with
    the clock running. Where no process can be started, or none finishes, the caller has to compile.
    """
    code = COMPILE.format(path=sys.path, game=game.name)
    quiet: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if sys.platform == "win32":
        quiet["creationflags"] = subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        process = subprocess.Popen([sys.executable, "-c", code], **quiet)
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
    if limits.soft_ms is not None:
        allowed.append(max(int(limits.soft_ms * NODES_A_MS * SHARE), LEAST_NODES))
    if len(allowed) == 1 and limits.depth is not None:
        return 0
    return min(allowed)
