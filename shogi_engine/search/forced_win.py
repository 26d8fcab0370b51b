"""Forced wins: the solvers of the games (Extras), and their use at the root of a search.

A solver proves results that a search finds only slowly. Othello's solver computes the exact score near the end of the
game; Engine calls it before a search. Shogi's solver proves mates by checks far deeper than the search; it runs in
another thread during a search, or alone. Both have a method `attempt`, which returns a Result like a search.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Protocol

from shogi_engine.common.stop import StopToken
from shogi_engine.interface.game import Game
from shogi_engine.search.timeman import Info, Limits, Result
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.types.results import ForcedWin

DURING_MB = 16  # the table of the solver that runs during a search
SHARE = 0.1  # the share of a search's time or nodes that this solver may use
NODES_PER_MS = 4000  # positions that a solver visits in a millisecond
LEAST_NODES = 10_000
MOST_NODES = 10_000_000  # the limit during an unlimited search, because both may share a core


class Solver(Protocol):
    """The interface of every game's solvers (Extras)."""

    def prepare(self) -> None:
        """Announce a search; see StopToken.prepare."""

    def stop(self) -> None:
        """Stop the running or announced search, from any thread."""

    def warmup(self) -> None:
        """Compile everything a search needs, or load it from the cache."""


class EndgameSolver(Solver, Protocol):
    """The interface of solvers that run before a search."""

    def attempt(
        self,
        position: Any,
        limits: Limits,
        table: TranspositionTable,
        *,
        selectivity: int = 0,
        on_info: Callable[[Info], None] | None = None,
    ) -> Result | None:
        """Return the result that the solver proves for `position` within its share of a search's `limits`, or None.

        Args:
            table: the search's table, which the solver may use
            selectivity: how selective a result is good enough even if time remains; see `LevelPlan`
            on_info: called with intermediate results, but not with the result returned
        """


class ForcedWinSolver(Solver, Protocol):
    """The interface of solvers that run during a search; see `games.shogi.mate.solver.MateSolver`."""

    def attempt(self, position: Any, limits: Limits, table: TranspositionTable) -> Result | None:
        """Return a win that the solver proves within its share of a search's `limits`, or None.

        Args:
            table: the search's table
        """

    def new_game(self) -> None:
        """Forget what earlier searches learned."""

    def solve(self, position: Any, **limits: Any) -> ForcedWin[int]:
        """Search `position` for a forced win within `limits`, which are those of Engine.find_mate."""

    def clear(self) -> None:
        """Remove the results of `solve` from the solver's memory, which may have another user."""


class RootSolver:
    """Runs a game's solver on the root of a search, before or during it. Does nothing if the game has no solver.

    `load` prepares a solver that runs during searches. Before, searches run without.
    """

    def __init__(self, game: Game, threads: int, stop_token: StopToken) -> None:
        self._game = game
        self._stop = stop_token
        self._before: EndgameSolver | None = None
        self._is_warm = False
        self._during: ForcedWinSolver | None = None
        self._proven: Result | None = None
        self.set_threads(threads)

    def set_threads(self, threads: int) -> None:
        """Change the number of threads of the solver that runs before a search."""
        if self._game.extras.endgame_solver:
            self._before = self._game.extras.endgame_solver(threads=threads, stop_token=StopToken(self._stop))
            self._is_warm = False

    def warmup(self) -> None:
        """Compile the solver that runs before a search, or load it from the cache."""
        if self._before and not self._is_warm:
            self._before.warmup()
            self._is_warm = True

    def load(self) -> None:
        """Prepare the solver that runs during searches, and compile its kernels or load them from the cache."""
        if self._during is None and self._game.extras.mate_solver is not None:
            solver: ForcedWinSolver = self._game.extras.mate_solver(hash_mb=DURING_MB)
            solver.warmup()
            self._during = solver

    def new_game(self) -> None:
        """Forget what was learned."""
        if self._during:
            self._during.new_game()

    def before(
        self, position: Any, limits: Limits, table: TranspositionTable, on_info: Callable[[Info], None] | None
    ) -> tuple[Result | None, Limits]:
        """If the best move is requested, run the solver first; return its result and the remaining limits.

        The solver's time is limited, unless the limits have a `selectivity`.

        Args:
            table: the search's table
            on_info: called with all results
        """
        free = limits.depth is None and limits.nodes is None and limits.mate is None
        wanted = (limits.budget is not None and free) or limits.selectivity is not None
        if self._before is None or limits.searchmoves or limits.multipv > 1 or not wanted:
            return None, limits
        began = time.perf_counter()
        result = self._before.attempt(position, limits, table, selectivity=limits.selectivity or 0, on_info=on_info)
        if result and on_info:
            on_info(result.infos[0])
        used = (time.perf_counter() - began) * 1000
        return result, replace(limits, budget=limits.budget and limits.budget.less(used))

    def solve(self, position: Any, limits: Limits, table: TranspositionTable) -> Result | None:
        """Return the result of the solver that runs before a search within `limits`, or None.

        Raises ValueError if the game has none.
        """
        if self._before is None:
            raise ValueError(f"{self._game.name} has no endgame solver")
        self.warmup()
        return self._before.attempt(position, limits, table)

    @contextlib.contextmanager
    def during(
        self, position: Any, limits: Limits, table: TranspositionTable, on_win: Callable[[], None]
    ) -> Iterator[None]:
        """Run the solver in a thread until it finds a win, `limits` are reached, or the `with` block ends.

        If it finds a win, it calls `on_win`, and `best` returns the win.
        """
        self._proven = None
        solver = self._during
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
        """Return `result`, or the win that the solver proved during the search if that is better."""
        proven = self._proven
        if proven is None or result.score >= proven.score:
            return result
        infos = tuple(replace(info, nodes=result.nodes, seconds=result.seconds) for info in proven.infos)
        return replace(proven, depth=result.depth, nodes=result.nodes, seconds=result.seconds, infos=infos)


def allowed_nodes(limits: Limits) -> int:
    """Return how many positions a solver may visit during a search; 0 if the search is not for the best move."""
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
