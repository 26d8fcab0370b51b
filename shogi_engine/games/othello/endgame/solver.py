"""Solver: the exact score of an Othello position, or only its winner, and the best move.

solver = Solver(GAME, threads=2)
solved = solver.solve(parse_obf("--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"))
print(solved.score, format_move(None, solved.move))

Two searches share the work: `deep_search.solve_deep`, and `search.solve` from thirteen empty squares on.
Why not only the shared alpha-beta search? Without pruning and reductions, and with `endgame_solve` for the last eight
squares, it finds the same scores, but needs seven times the nodes and eight times the time: 160 M nodes and 9.9 s
against 23 M and 1.2 s on FFO 26-30 (20 empty squares, both with the evaluation by eight features). It does not first
probe the table for all children, does not count stable discs, and orders moves by history, although the number of
replies is the better criterion. It still helps here: a presearch finds a likely score, and shallow searches order the
moves. A better evaluation therefore makes a better solver. Selective passes over the whole tree follow, each more
certain than the last (as in Edax, https://github.com/abulmo/edax-reversi, and Egaroucid,
https://github.com/Nyanyan/Egaroucid). They fill the table with good moves for the exact pass and give it a mostly
correct score: 565 M nodes instead of 792 M on FFO 40-49.
"""

import functools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.common.stop import FOREVER, Deadline, StopToken, end_of
from shogi_engine.common.threads import start_thread
from shogi_engine.games.othello.endgame import search
from shogi_engine.games.othello.endgame.deep_search import BEING_SEARCHED_SLOTS, DEEP, MARGINS, solve_deep
from shogi_engine.games.othello.evaluation.network import EVALUATION, PatternsAlone
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.notation import START, legal_moves, parse_obf
from shogi_engine.games.othello.params import empty_squares
from shogi_engine.games.othello.position import final_score
from shogi_engine.games.othello.types import DISC_MOVE, SQUARES, UNDO
from shogi_engine.interface.game import VALUE_INFINITE, Game, do_move, key, refresh_line
from shogi_engine.interface.stubs import Evaluator
from shogi_engine.jit import new_record
from shogi_engine.search.alphabeta import search_root
from shogi_engine.search.context import (
    ALL_FLAGS,
    USE_DEEPER_ENTRIES,
    USE_SOLVERS,
    USE_TT,
    new_context,
    set_root,
    write_root_moves,
)
from shogi_engine.search.history import Histories, SharedHistories
from shogi_engine.search.root import MAX_THREADS, NO_LIMIT
from shogi_engine.search.timeman import Info, Limits, Result
from shogi_engine.search.tt import TranspositionTable, entry_move
from shogi_engine.types.limits import TimeBudget

# ---- The passes of the solver over a position: the time they may take, and what they have found


NO_PASS = len(MARGINS)  # in place of the selectivity of the last pass if no pass was completed
# With this many empty squares, nine of ten first passes take less time than this. The factor is for one more square.
FIRST_PASS_EMPTIES, FIRST_PASS_MS, FIRST_PASS_GROWTH = 20, 35, 1.65
SOLVED_EMPTIES = 13  # with fewer empty squares a search finds the score as quickly
MOST_OF_TIME = 0.6  # the share of a player's time in which the first pass must end


@dataclass(frozen=True)
class PassLimits:
    """The time limits of a search, as values of time.perf_counter, and how exact it is.

    Attributes:
        first: the first pass must end by then
        soft: no further pass begins after it
        hard: the search ends
        selectivity: the selectivity of the last pass, 0 for an exact score
    """

    first: float = FOREVER
    soft: float = FOREVER
    hard: float = FOREVER
    selectivity: int = 0


@dataclass(frozen=True)
class ExactBounds:
    """The passes' results so far: proven bounds, the likely score, and the last pass's selectivity and move."""

    lower: int
    upper: int
    guess: int
    selectivity: int = NO_PASS
    move: int = 0


def pass_limits(budget: TimeBudget | None, empties: int, began: float, selectivity: int) -> PassLimits | None:
    """Return the limits of a player's passes, or None if the position is left to a search.

    Args:
        budget: None for no time limit: every position is solved, except those that a search solves as quickly
        empties: the number of empty squares
        began: when the time began, a value of time.perf_counter
        selectivity: the selectivity that is good enough, even if time remains
    """
    if budget is None:
        return PassLimits(selectivity=selectivity) if empties >= SOLVED_EMPTIES else None
    first_ms = MOST_OF_TIME * budget.soft_ms
    if FIRST_PASS_MS * FIRST_PASS_GROWTH ** (empties - FIRST_PASS_EMPTIES) > first_ms:
        return None
    return PassLimits(
        end_of(first_ms, began), end_of(budget.soft_ms, began), end_of(budget.hard_ms, began), selectivity
    )


PRESEARCH_MARGIN = 6  # the presearch is this many plies shallower than the number of empty squares
PRESEARCH_MAX_DEPTH = 14
SELECTIVE_PASSES = (3, 2, 1)  # selectivities before the exact pass, 0; see deep_search.MARGINS
SELECTIVE_EMPTIES = 18  # with fewer empty squares there are no selective passes
WINDOW = 3  # half the width of the first window around the guess; scores are even, bounds odd
PROGRESS_SECONDS = 0.2

# A position for compiling, with seven empty squares, enough for a presearch: FFO 20, a test position of the French
# federation, with one disc removed.
WARM = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOO-- X"


@dataclass(frozen=True)
class Solved:
    """A result in discs for the side to move, with empty squares for the winner; lower <= score <= upper is proven.

    Attributes:
        score: the exact score (with `wld` 1, 0 or -1); the most likely score if it is not `exact`
        exact: whether the score is proven
        move: the best move known, encoded; 0 if the game is over
        pv: the best line, if it was requested and is exact
        selectivity: the selectivity of the last completed pass: 0 for the exact one, NO_PASS if there was none
    """

    score: int
    move: int
    lower: int
    upper: int
    exact: bool
    nodes: int
    seconds: float
    pv: tuple[int, ...] = ()
    selectivity: int = NO_PASS


@functools.cache
def _ordering() -> Evaluator:
    """Return the evaluation that orders moves: the default one without its network, so that both share kernels."""
    return Evaluator(EVALUATION, PatternsAlone())


class Solver:
    """Solves one position at a time; `stop` may be called from any thread."""

    def __init__(self, game: Game, *, hash_mb: int = 64, threads: int = 1, stop_token: StopToken | None = None) -> None:
        """Create a solver of `game`, Othello, with its own table; `attempt` uses its argument `table` instead."""
        if not 1 <= threads <= MAX_THREADS:
            raise ValueError(f"a solver must have 1 to {MAX_THREADS} threads, not {threads}")
        self._game = game
        self._megabytes = hash_mb
        self._table: TranspositionTable | None = None
        self._stop = stop_token or StopToken()
        self._window_stop = StopToken(self._stop)  # ends the threads that search one window
        self._being_searched = np.zeros(BEING_SEARCHED_SLOTS, dtype=np.uint64)
        shared = SharedHistories(game)
        self._histories = [Histories(game, shared) for _ in range(threads)]
        self._contexts = [self._new_context(histories) for histories in self._histories]

    def _new_context(self, histories: Histories) -> Any:
        ctx = new_context(self._game, histories, _ordering())
        ctx.stop_address = self._window_stop.address
        return ctx

    @property
    def table(self) -> TranspositionTable:
        """The table in use, allocated when first needed."""
        if self._table is None:
            self._table = TranspositionTable(self._megabytes)
        return self._table

    def clear(self) -> None:
        """Clear the table. Only measurements need this, since proven bounds remain true."""
        self.table.clear()

    def warmup(self) -> None:
        """Compile all kernels of the solver, or load them from the cache."""
        self.solve(parse_obf(WARM), pv=True)
        # These read the table, in which such a small ending has no entries.
        search.lower_bound(ZERO), search.upper_bound(ZERO), search.entry_selectivity(ZERO)
        self.clear()

    def prepare(self) -> None:
        """Announce a `solve`; see StopToken.prepare."""
        self._stop.prepare()

    def stop(self) -> None:
        """Stop the running or announced `solve` at once; it returns the bounds proven so far."""
        self._stop.stop()

    def solve(
        self,
        position: Any,
        *,
        wld: bool = False,
        pv: bool = False,
        limit_ms: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Solved:
        """Solve `position` (record[POSITION], unchanged); with `wld` find only who wins.

        Args:
            pv: find the best line too
            limit_ms: stop after this many milliseconds
            progress: called as `progress(done, all)` in this thread a few times per second; counts the root moves
                settled in this round
        """
        return self._solve(position, PassLimits(hard=end_of(limit_ms, time.perf_counter())), wld, pv, progress)

    def _solve(
        self,
        position: Any,
        within: PassLimits,
        wld: bool = False,
        pv: bool = False,
        progress: Callable[[int, int], None] | None = None,
        on_pass: Callable[[ExactBounds], None] | None = None,
    ) -> Solved:
        """Solve `position` as far as `within` allows; see `solve` and `_narrow`."""
        began = time.perf_counter()
        self._stop.begin()
        self.table.next_generation()
        for ctx, histories in zip(self._contexts, self._histories, strict=True):
            self._set(ctx, position)
            ctx.nodes = ctx.seldepth = 0
            histories.clear()
        main = self._contexts[0]
        with Deadline(self.stop, min(within.first, within.hard)) as deadline:
            found = self._narrow(main, position, wld, progress, within, deadline, on_pass)
            lower, upper = found.lower, found.upper
            exact = lower == upper or wld and (lower > 0 or upper < 0)
            target = lower if exact and lower > search.LOWEST else None
            line = self._line(position, lower) if pv and lower == upper else []
            move = line[0] if line else found.move if not exact else self._best_move(position, target)
            move = move or self._best_move(position, None)
        score = lower if lower == upper else min(max(found.guess, lower), upper)
        if wld:
            score = (score > 0) - (score < 0)
        seconds = time.perf_counter() - began
        return Solved(score, move, lower, upper, exact, self._nodes(), seconds, tuple(line), found.selectivity)

    def _nodes(self) -> int:
        """Return the number of nodes of the running search, or of the last one."""
        return sum(int(ctx.nodes) for ctx in self._contexts)

    def attempt(
        self,
        position: Any,
        limits: Limits,
        table: TranspositionTable,
        *,
        selectivity: int = 0,
        on_info: Callable[[Info], None] | None = None,
    ) -> Result | None:
        """Return the result of the most certain pass on `position` that limits.budget allows, None if there is none.

        Passes that are unlikely to finish in time are not tried. Without a limit every position is solved, except
        those that a search solves as quickly. The result has only the best move, not a line.

        Args:
            table: the table of the search that plays
            selectivity: the selectivity that is good enough, even if time remains
            on_info: called with the result of each more selective pass
        """
        began, budget = time.perf_counter(), limits.budget
        empties = empty_squares(position)
        within = pass_limits(budget, empties, began, selectivity)
        if within is None:
            return None
        self._table = table

        def info(score: int, seconds: float, line: tuple[int, ...], exact: bool) -> Info:
            used = table.permille_used()
            return Info(empties, empties, 1, DISC * score, "", self._nodes(), seconds, used, line, exact)

        def on_pass(found: ExactBounds) -> None:
            if on_info and found.selectivity > selectivity and found.move:
                on_info(info(found.guess, time.perf_counter() - began, (found.move,), False))

        solved = self._solve(position, within, pv=budget is not None, on_pass=on_pass)
        if solved.selectivity == NO_PASS or not solved.move:
            return None
        line = solved.pv or (solved.move,)
        last = info(solved.score, solved.seconds, line, solved.exact)
        ponder = line[1] if len(line) > 1 else 0
        return Result(solved.move, ponder, last.score, empties, last.nodes, last.seconds, line, (last,), solved.exact)

    def scores(self, own: np.ndarray, opponent: np.ndarray) -> np.ndarray:
        """Return int8[n], the exact scores of many positions, solved one after another in the caller's thread.

        It is meant for positions with up to 16 empty squares. Pass the positions of a game in succession, the last one
        first, so that they reuse each other's table entries. The call releases the GIL; other threads may use Solvers
        of their own. Raises InterruptedError after `stop`.

        Args:
            own: uint64[n], the discs of the side to move
            opponent: uint64[n], the discs of the other side
        """
        self._stop.begin()
        self.table.next_generation()
        found = np.zeros(len(own), dtype=np.int8)
        ctx = self._contexts[0]
        self._set(ctx, parse_obf(START))
        if int(search.solve_all(ctx, own, opponent, found)) < len(own):
            raise InterruptedError("stopped before all positions were solved")
        return found

    def _set(self, ctx: Any, position: Any) -> None:
        """Make `position` the root of the search in `ctx`."""
        set_root(ctx, position)
        self.table.attach(ctx)
        ctx.node_limit = NO_LIMIT
        ctx.stopped = 0
        refresh_line(ctx)

    # ---- the score ------------------------------------------------------------------------------------------------

    def _narrow(
        self,
        ctx: Any,
        position: Any,
        wld: bool,
        progress: Callable[[int, int], None] | None,
        within: PassLimits,
        deadline: Deadline,
        on_pass: Callable[[ExactBounds], None] | None,
    ) -> ExactBounds:
        """Search in passes of rising confidence, the last of them exact if `within` allows; return the result.

        Args:
            deadline: ends the search when the first pass must be done; it is moved after that pass
            on_pass: called with the result after each pass
        """
        moves = legal_moves(position)
        if not moves:
            score = int(final_score(position.own, position.opponent))
            return ExactBounds(score, score, score, 0)
        bounds = self._proven(position)
        found = ExactBounds(*bounds, self._presearch(ctx, position) if bounds[0] < bounds[1] else bounds[0])
        passes = [0]
        if empty_squares(position) >= SELECTIVE_EMPTIES:
            passes = [selectivity for selectivity in (*SELECTIVE_PASSES, 0) if selectivity >= within.selectivity]
        for selectivity in passes:
            if time.perf_counter() >= within.soft and found.selectivity < NO_PASS:
                break
            lower, upper, guess = self._pass(
                position, bounds, found.guess, wld, selectivity, None if selectivity else progress
            )
            if selectivity == 0:
                found = replace(found, lower=lower, upper=upper, guess=guess)
            if self._stop.stopped:
                return found
            found = replace(found, guess=guess, selectivity=selectivity, move=self._best_move(position, None))
            deadline.set(within.hard)
            if on_pass:
                on_pass(found)
        if progress:
            progress(len(moves), len(moves))
        return found

    def _pass(
        self,
        position: Any,
        bounds: tuple[int, int],
        guess: int,
        wld: bool,
        selectivity: int,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[int, int, int]:
        """Search a series of windows, starting at `guess`, until the score is as certain as `selectivity` requires.

        Returns (lower bound, upper bound, best guess); the guess is an even number.

        Args:
            bounds: the bounds proven so far
        """
        lower, upper = bounds
        centre, width = (0, 1) if wld else (guess, WINDOW)
        while lower < upper and not self._stop.stopped and not (wld and (lower > 0 or upper < 0)):
            alpha, beta = max(centre - width, lower - 1), min(centre + width, upper + 1)
            value = self._search(position, alpha, beta, selectivity, progress)
            if self._stop.stopped:
                break
            if value > alpha:
                lower = value
            if value < beta:
                upper = value
            guess = 2 * round(value / 2)  # Multi-ProbCut's values may be odd
            centre, width = value, 2 * width + 1
        return lower, upper, guess

    def _presearch(self, ctx: Any, position: Any) -> int:
        """Search almost to the end, to fill the table with good moves; return the expected score, an even number."""
        depth = min(empty_squares(position) - PRESEARCH_MARGIN, PRESEARCH_MAX_DEPTH)
        if depth < 1:
            return 0
        values = [0]  # the value of each depth

        def work() -> None:
            ctx.search_flags = ALL_FLAGS & self._game.search_flags & ~USE_SOLVERS
            write_root_moves(ctx)
            for plies in range(1, depth + 1):  # with the usual search's kernel, so that no other is compiled
                value = int(search_root(ctx, -VALUE_INFINITE, VALUE_INFINITE, plies, 0))
                if ctx.stopped:
                    break
                values.append(value)

        self._run([work], None)
        return max(search.LOWEST, min(search.HIGHEST, 2 * round(values[-1] / (2 * DISC))))

    def _search(
        self,
        position: Any,
        alpha: int,
        beta: int,
        selectivity: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Search one window with all threads until the first is done. Return the value.

        Args:
            selectivity: 0 for an exact search; see `solve_deep`
        """
        contexts = self._contexts if empty_squares(position) > DEEP else self._contexts[:1]
        self._being_searched[:] = 0
        slots = np.uint64(self._being_searched.ctypes.data)
        values: list[int] = []

        def work(ctx: Any) -> None:
            value = int(solve_deep(ctx, slots, np.int64(alpha), np.int64(beta), np.int64(selectivity)))
            if not ctx.stopped:
                values.append(value)

        for ctx in contexts:
            self._set(ctx, position)
            ctx.search_flags = USE_TT | USE_DEEPER_ENTRIES
        tell = (lambda: progress(*self._settled(position, alpha, beta))) if progress else None
        self._run([partial(work, ctx) for ctx in contexts], tell)
        return values[0] if values else 0

    def _run(self, jobs: list[Callable[[], None]], tell: Callable[[], None] | None) -> None:
        """Run each of `jobs` in a thread until one is done, which stops the others; call `tell` from time to time.

        Kernels do not run in the caller's thread, where Ctrl-C would have to wait for them.
        """
        failures: list[BaseException] = []
        done = threading.Event()

        def run(job: Callable[[], None]) -> None:
            try:
                job()
            except BaseException as failure:
                failures.append(failure)
            finally:
                self._window_stop.stop()
                done.set()

        threads: list[threading.Thread] = []
        try:
            for job in jobs:
                threads.append(start_thread(run, "solve", job))
            while not done.wait(PROGRESS_SECONDS if tell else None):
                if tell:
                    tell()
        finally:
            self._window_stop.stop()
            for thread in threads:
                thread.join()
            self._window_stop.clear()
        if failures:
            raise failures[0]

    # ---- reading the table -------------------------------------------------------------------------------------

    def _data(self, hash_key: int, empties: int) -> np.uint64:
        """Return the data stored for a key, 0 if there is none.

        Args:
            empties: the number of empty squares of the position; a large one for the search's table
        """
        return np.uint64(search.probe_ending(self._contexts[0], np.uint64(hash_key), empties))

    def _known(self, position: Any) -> np.uint64:
        """Return the tables' data of `position`, 0 if there is none."""
        return self._data(search.ending_key(position.own, position.opponent), empty_squares(position))

    def _proven(self, position: Any) -> tuple[int, int]:
        """Return the bounds of the score of `position` that its table entry proves."""
        data = self._known(position)
        if not data or search.entry_selectivity(data):
            return search.LOWEST, search.HIGHEST
        return int(search.lower_bound(data)), int(search.upper_bound(data))

    def _settled(self, position: Any, alpha: int, beta: int) -> tuple[int, int]:
        """Return how many moves of `position` the table settles for the window, and the number of all moves."""
        moves = legal_moves(position)
        bounds = [self._proven(after(position, move)) for move in moves]
        settled = sum(1 for lower, upper in bounds if -lower <= alpha or -upper >= beta)
        return min(settled, len(moves) - 1), len(moves)

    def _best_move(self, position: Any, target: int | None) -> int:
        """Return a move proven to reach the score `target`; for None the table's move, else the first legal one.

        Returns 0 if there is no move, or if the search for one was stopped.
        """
        moves = legal_moves(position)
        square = int(search.entry_square(self._known(position)))
        known = DISC_MOVE | square if square >= 0 else int(entry_move(self._data(key(position), SQUARES)))
        if target is None or len(moves) < 2:
            return known if known in moves else moves[0] if moves else 0
        if known in moves and self._proven(position)[0] >= target:
            return known
        for move in moves:
            if -self._search(after(position, move), -target - 1, -target + 1) >= target and not self._stop.stopped:
                return move
        return 0

    def _line(self, position: Any, score: int) -> list[int]:
        """Return a line of best moves from `position`, whose exact score is `score`."""
        line = []
        pos = position.copy()
        while move := self._best_move(pos, score):
            line.append(move)
            pos, score = after(pos, move), -score
        return line


def after(position: Any, move: int) -> Any:
    """Return the position after the legal `move`."""
    child = position.copy()
    do_move(child, np.uint32(move), new_record(UNDO))
    return child
