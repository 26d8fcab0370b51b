"""The search as called from Python: iterative deepening, aspiration windows, MultiPV, threads, limits and reports."""

import contextlib
import copy
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.common.stop import FOREVER, Deadline, StopToken, end_of
from shogi_engine.common.threads import start_thread
from shogi_engine.interface import game as rules
from shogi_engine.interface.game import VALUE_MATE, VALUE_MATE_IN_MAX, Game
from shogi_engine.jit import new_record
from shogi_engine.search.context import ALL_FLAGS, copy_position, new_context, set_root, write_root_moves
from shogi_engine.search.deepening import (
    COMPLETE,
    MAX_DEPTH,
    NOTHING,
    advance,
    begin,
    choose_lines,
    extend_line,
    run_dtype,
)
from shogi_engine.search.history import Histories, SharedHistories
from shogi_engine.search.parameters import follow_evaluation, params_for
from shogi_engine.search.timeman import Info, Limits, Result, TimeManager
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.types.limits import LEAST_MS, TimeBudget, check_number

# ---- The time limits of a running search, and the thread that enforces them


class Timer:
    """Stops a search at its hard limit, from a separate thread, because kernels cannot read a clock."""

    def __init__(self, began: float, limits: Limits, stop: Callable[[], None]) -> None:
        self.lock = threading.Lock()
        self.deadline = Deadline(stop)
        self.since = began
        self.soft = FOREVER
        self.least = began
        self.full = FOREVER  # the budget's hard limit; `cap` may set the deadline below it
        self.factor: float | None = None
        self.second: float | None = None  # when the clock's current second ends
        self.last = FOREVER  # the end of the second that the search may use up
        self.set(began, limits.budget)

    def set(self, since: float, budget: TimeBudget | None) -> None:
        """Set the limits to a budget that counts from `since` (time.perf_counter), None for no time limit."""
        budget = TimeBudget.exactly(math.inf) if budget is None else budget.at_least(LEAST_MS)
        with self.lock:
            self.since = since
            self.second = None if budget.second_ms is None else since + budget.second_ms / 1000
            self.last = FOREVER
            self.least = since + budget.least_ms / 1000
            self.soft = end_of(budget.soft_ms, since)
            self.full = end_of(budget.hard_ms, since)
            self._apply_cap()

    def cap(self, factor: float | None) -> None:
        """End the search at `factor` times the soft limit, even within an iteration. None restores the hard limit."""
        with self.lock:
            self.factor = factor
            self._apply_cap()

    def _apply_cap(self) -> None:
        end = self.full
        if self.factor is not None and self.soft < self.full < FOREVER:
            end = max(self.since + self.factor * (self.soft - self.since), self.least)
            end = min(self._full_second(end), self.full)
        self.deadline.set(min(end, self.last))

    def _full_second(self, end: float) -> float:
        """Return the end of the second that contains `end`, on a clock that counts full seconds."""
        return end if self.second is None else self.second + math.ceil(end - self.second)

    def may_continue(self, factor: float = 1.0) -> bool:
        """Tell whether another iteration may begin with the soft limit multiplied by `factor`, up to the hard limit.

        If both limits are equal, all the time is to be used, and `factor` is ignored.
        """
        with self.lock:
            end = self.soft
            if self.soft < self.full < FOREVER:
                end = min(max(self.since + factor * (self.soft - self.since), self.least), self.full)
        return time.perf_counter() < end

    def finish_second(self) -> bool:
        """End the search at the end of the current second; return whether any time is left in it."""
        with self.lock:
            now = time.perf_counter()
            if self.second is not None and self.last == FOREVER:
                self.last = min(self._full_second(now), self.full)
                self._apply_cap()
            return self.second is not None and now < self.last

    def close(self) -> None:
        """End the thread."""
        self.deadline.close()


# ---- The choice among the results of several search threads


def elected(lines: Sequence[Info], unit: int) -> Info:
    """Return the line of the thread whose move gets the most votes, the first of equals.

    Each thread votes for its best move, with more weight the deeper it has searched and the better its value is. A
    proven win is chosen without a vote, the shortest if there are several. As in Stockfish
    (https://github.com/official-stockfish/Stockfish, thread.cpp).

    Args:
        lines: the best line of each thread
        unit: a small margin, in the game's unit, that the thread with the worst value has as well
    """
    best = max(lines, key=lambda line: line.score)
    if best.score >= VALUE_MATE_IN_MAX:
        return best
    least = min(line.score for line in lines)
    weights = [(line.score - least + unit) * line.depth for line in lines]
    votes: Counter[int] = Counter()
    for line, weight in zip(lines, weights, strict=True):
        votes[line.pv[0]] += weight
    return max(zip(lines, weights, strict=True), key=lambda each: (votes[each[0].pv[0]], each[1]))[0]


MAX_THREADS = 256
NO_LIMIT = np.iinfo(np.int64).max
BOUND_NAMES = {-1: "upper", 0: "", 1: "lower"}
BOUNDS_AFTER = 8  # bounds at smaller depths change too fast to be read; they are not reported


class Searcher:
    """A transposition table, with a context and histories for each thread.

    search() runs in the caller's thread; stop() and extend() may be called from any other. One search at a time.
    """

    def __init__(
        self,
        game: Game,
        *,
        evaluation: str = "",
        hash_mb: int = 64,
        threads: int = 1,
        stop_token: StopToken | None = None,
    ) -> None:
        self.game = game
        self.evaluator = game.evaluation(evaluation).load()
        self._weights_file: Path | None = None
        self.search_flags = ALL_FLAGS & game.search_flags
        # Copied into every thread's context when a search begins.
        self.params = params_for(game, self.evaluator.evaluation)
        self.tt = TranspositionTable(hash_mb)
        self._stop = stop_token or StopToken()
        self._warm: Any = None  # the evaluator that the kernels are compiled for
        self._contexts: list[Any] = []
        self._shared = SharedHistories(game)
        self._histories: list[Histories] = []  # one for each context
        self._timer: Timer | None = None
        self._extension: tuple[float, TimeBudget | None] | None = None
        self._lock = threading.Lock()
        self._rules = new_context(game, evaluator=self.evaluator)
        self._rules_lock = threading.Lock()
        self._set_threads(threads)

    def _set_threads(self, threads: int) -> None:
        check_number("threads", threads, 1, whole=True)
        if threads > MAX_THREADS:
            raise ValueError(f"a search must have 1 to {MAX_THREADS} threads, not {threads}")
        del self._contexts[threads:], self._histories[threads:]
        while len(self._contexts) < threads:
            self._histories.append(Histories(self.game, self._shared))
            self._contexts.append(self._new_context(self._histories[-1]))

    def _new_context(self, histories: Histories) -> Any:
        ctx = new_context(self.game, histories, self.evaluator)
        ctx.stop_address = self._stop.address
        return ctx

    def resize(self, hash_mb: int | None = None, threads: int | None = None) -> None:
        """Change the size of the transposition table (which clears it) or the number of threads."""
        if hash_mb is not None and hash_mb != self.tt.megabytes:
            self.tt = TranspositionTable(hash_mb)
        if threads is not None:
            self._set_threads(threads)

    def set_evaluation(self, name: str = "", file: str | Path | None = None) -> None:
        """Set the evaluation.

        A different evaluation clears the tables. Parameters that were set by hand are kept; the others become the
        evaluation's defaults. The next search compiles its kernels.

        Args:
            name: one of the game's evaluations, '' for the default
            file: its weights, None for the package's

        Raises:
            ValueError: there is no such evaluation, or the file cannot be used; nothing is changed
        """
        evaluation, file = self.game.evaluation(name), None if file is None else Path(file)
        if evaluation is self.evaluator.evaluation and file == self._weights_file:
            return
        defaults = params_for(self.game, self.evaluator.evaluation), params_for(self.game, evaluation)
        self.evaluator = evaluation.load(file)
        follow_evaluation(self.params, *defaults)
        self._weights_file = file
        self._contexts = [self._new_context(histories) for histories in self._histories]
        self._rules = new_context(self.game, evaluator=self.evaluator)
        self.new_game()

    def new_game(self) -> None:
        """Forget what earlier searches learned."""
        self.tt.clear()
        self._shared.clear()
        for histories in self._histories:
            histories.clear()

    def prepare(self) -> None:
        """Announce a search: from now on `stop` and `extend` apply to it; see StopToken.prepare."""
        self._extension = None
        self._stop.prepare()

    def ensure_prepared(self) -> None:
        """Announce a search unless one has been announced."""
        if not self._stop.prepared:
            self.prepare()

    def stop(self) -> None:
        """Make the running or announced search return at once. Does nothing if there is none."""
        self._stop.stop()

    def extend(self, budget: TimeBudget | None) -> None:
        """Give the running or announced search a new time budget, which counts from now."""
        with self._lock:
            self._extension = time.perf_counter(), budget
            if self._timer:
                self._timer.set(*self._extension)

    @property
    def tt_key_salt(self) -> int:
        """The number that the current or last search XORs with its keys in the table."""
        return int(np.asarray(self._contexts[0])["tt_key_salt"])

    def warmup(self) -> None:
        """Compile all kernels that a search needs, or load them from the cache.

        This uses separate memory, so the tables and an announced stop are unchanged. Once is enough for an evaluation.
        """
        if self._warm is self.evaluator:
            return
        twin = copy.copy(self)
        twin._stop, twin._lock, twin.tt = StopToken(), threading.Lock(), TranspositionTable(1)
        twin._contexts, twin._histories, twin._shared = [], [], SharedHistories(self.game)
        twin._set_threads(1)
        twin.search(self.game.parse_position(self.game.start), (), Limits(depth=1))
        self._warm = self.evaluator

    @contextlib.contextmanager
    def rules_at(self, position: Any, moves: Sequence[int] = ()) -> Iterator[Any]:
        """Yield a context whose root is the position after `moves` from `position`, for rules and the evaluation.

        Its dtype is that of the search, so that no kernel is compiled twice. It may be used during a search.
        """
        with self._rules_lock:
            ctx = self._rules
            ctx.params, ctx.evaluation = self.params, self.evaluator.params
            set_root(ctx, position, moves)
            yield ctx

    def root_moves(self, position: Any, moves: Sequence[int] = ()) -> list[int]:
        """Return the legal moves after `moves` (encoded, legal) from `position`."""
        with self.rules_at(position, moves) as ctx:
            count = int(write_root_moves(ctx))
            return np.asarray(ctx)["root_moves"][:count].tolist()

    def extended(self, position: Any, line: Sequence[int], length: int) -> tuple[int, ...]:
        """Return the legal `line` from `position`, extended by the table's best moves to at most `length` moves."""
        moves = np.zeros(max(len(line), length), dtype=np.uint32)
        moves[: len(line)] = line
        with self.rules_at(position) as ctx:
            self.tt.attach(ctx)
            ctx.tt_key_salt = self.tt_key_salt
            end = int(extend_line(ctx, moves, len(line), length, np.zeros(len(moves), dtype=np.uint64)))
        return tuple(moves[:end].tolist())

    def search(
        self,
        position: Any,
        moves: Sequence[int] = (),
        limits: Limits | None = None,
        on_info: Callable[[Info], None] | None = None,
    ) -> Result:
        """Search the position after `moves` from `position` and return the best move.

        Exceptions in its threads are raised here.

        Args:
            position: record[game.position]
            moves: encoded legal moves of the game so far
            on_info: called in this thread with each report
        """
        limits = limits or Limits()
        began = time.perf_counter()
        if not self._stop.begin():
            self._extension = None
        self.tt.next_generation()
        for number, ctx in enumerate(self._contexts):
            set_root(ctx, position, moves)
            self._prepare(ctx, number, limits)
        run = _Run(self, limits, began, on_info)
        if self._contexts[0].root_count == 0:
            return Result(0, 0, int(rules.terminal_value(self._contexts[0])), 0, 0, 0.0, (), ())
        with self._lock:
            self._timer = Timer(began, limits, self.stop)
            if self._extension:  # `extend` was called before the search began
                self._timer.set(*self._extension)
        try:
            return run.go(self._timer)
        finally:
            with self._lock:
                self._timer.close()
                self._timer = self._extension = None

    def _prepare(self, ctx: Any, number: int, limits: Limits) -> None:
        """Set the parameters, limits and root moves of a context whose root is set."""
        fields = np.asarray(ctx)
        fields["search_flags"] = self.search_flags
        fields["params"] = self.params
        fields["evaluation"] = self.evaluator.params
        if limits.multi_probcut_margin is not None:
            fields["params"]["multi_probcut_margin"] = limits.multi_probcut_margin
        self.tt.attach(ctx)
        fields["thread"] = number
        fields["node_limit"] = NO_LIMIT
        if limits.nodes is not None:
            fields["node_limit"] = max(limits.nodes // len(self._contexts), 1)
        roots = list(dict.fromkeys(limits.searchmoves))
        fields["root_count"] = len(roots)  # 0: all that the search looks at
        fields["root_moves"][: len(roots)] = roots


class _Run:
    """One call of Searcher.search: what its threads share and report."""

    def __init__(
        self, searcher: Searcher, limits: Limits, began: float, on_info: Callable[[Info], None] | None
    ) -> None:
        self.searcher = searcher
        self.contexts = searcher._contexts
        self.limits = limits
        self.began = began
        self.on_info = on_info
        self.helped: dict[int, Info] = {}  # the line of each helper's last finished iteration
        self.failure: BaseException | None = None
        self.position = copy_position(searcher.game, self.contexts[0].pos)  # contexts change theirs while searching
        self.noise = max(int(searcher.params.score_noise), 1)
        plies_left = searcher.game.plies_left
        self.longest = min(plies_left(self.position), MAX_DEPTH) if plies_left else MAX_DEPTH
        # Of each thread; half of the helpers are one ply ahead, and they search one line.
        self.runs = [self._begin(ctx, 1 + number % 2, number == 0) for number, ctx in enumerate(self.contexts)]
        self.multipv = int(self.runs[0].multipv)

    def _begin(self, ctx: Any, depth: int, is_main: bool) -> Any:
        """Return the state of a thread's search after `begin`."""
        run = new_record(run_dtype(self.searcher.game))
        run.depth, run.max_depth, run.longest = depth, self.limits.depth or MAX_DEPTH, self.longest
        run.lines, run.mate = self.limits.multipv if is_main else 1, self.limits.mate or 0
        run.repeats = is_main and self.limits.multi_probcut_margin is None
        begin(ctx, run)
        return run

    def go(self, timer: Timer) -> Result:
        """Run the main thread and the helpers, and return the result."""
        helpers = [
            start_thread(self._help, f"search-{number}", number) for number in range(1, len(self.contexts))
        ]  # Lazy SMP: they share their results through the transposition table and the histories
        try:
            self._deepen(self.contexts[0], self.runs[0], timer)
        finally:
            if helpers:
                self.searcher.stop()
                for thread in helpers:
                    thread.join()
        if self.failure is not None:
            raise self.failure
        return self._result(self.contexts[0])

    def _help(self, number: int) -> None:
        """Run iterative deepening in a helper thread."""
        ctx, run = self.contexts[number], self.runs[number]
        try:
            while not run.over and not ctx.stopped:
                if advance(ctx, run) == COMPLETE:
                    self.helped[number] = self._info(run.complete[0], 1)
        except BaseException as failure:
            self.failure = failure
            self.searcher.stop()

    def _deepen(self, ctx: Any, run: Any, timer: Timer) -> None:
        """Run iterative deepening in the main thread."""
        time_manager = TimeManager(self.noise, only=int(ctx.root_count) == 1)
        timer.cap(time_manager.cap)
        fields = np.asarray(ctx)
        while not run.over:
            line = int(run.line)
            found = int(advance(ctx, run))
            if found != NOTHING:
                self._report(ctx, run, line, found == COMPLETE)
            if ctx.stopped:
                return
            if found != COMPLETE:
                continue
            share = int(fields["root_nodes"][0]) / int(fields["nodes"]) if self.multipv == 1 else TimeManager.USUAL
            best = run.complete[0]
            time_manager.note(int(best.pv[0]), int(best.score), share)
            timer.cap(time_manager.cap)
            if not run.over and not timer.may_continue(time_manager.factor) and not timer.finish_second():
                return

    def _report(self, ctx: Any, run: Any, line: int, complete: bool) -> None:
        """Report a single line whenever it is new; several lines together, when they have been sorted."""
        if not self.on_info:
            return
        if self.multipv > 1:
            for number in range(self.multipv if complete else 0):
                self.on_info(self._info(run.complete[number], number + 1))
            return
        found = run.complete[line] if complete else run.running[line]
        if ctx.stopped or not found.bound or found.depth > BOUNDS_AFTER:
            self.on_info(self._info(found, 1))

    def _info(self, line: Any, number: int) -> Info:
        """Return what is known of a line (deepening.LINE) now."""
        return Info(
            depth=int(line.depth),
            seldepth=int(line.seldepth),
            multipv=number,
            score=int(line.score),
            bound=BOUND_NAMES[int(line.bound)],
            nodes=self._nodes(),
            seconds=time.perf_counter() - self.began,
            hashfull=self.searcher.tt.permille_used() if self.on_info else 0,
            pv=tuple(line.pv[: line.pv_end].tolist()),
            # A search that prunes nothing and reaches the end of every game proves its score.
            exact=bool(line.proven and self.longest <= line.depth < MAX_DEPTH),
        )

    def _nodes(self) -> int:
        """Return the nodes searched by all threads so far."""
        return sum(int(np.asarray(each)["nodes"]) for each in self.contexts)

    def _extend_pv(self, info: Info) -> tuple[int, ...]:
        """Return the principal variation, extended by table moves up to its depth or to the mate.

        It can be short because a table entry ended it or the value was outside the window. Front ends need at least a
        ponder move.
        """
        length = max(info.depth, 2)
        if abs(info.score) >= VALUE_MATE_IN_MAX:
            length = VALUE_MATE - abs(info.score)
        return self.searcher.extended(self.position, info.pv, length)

    def _result(self, ctx: Any) -> Result:
        """Return the result. If no move was searched, it is the first legal move."""
        nodes = self._nodes()
        seconds = time.perf_counter() - self.began
        run = self.runs[0]
        infos = [self._info(run.complete[number], number + 1) for number in range(int(choose_lines(run)))]
        unlimited = self.multipv == 1 and self.limits.depth is None and self.limits.mate is None
        if self.helped and infos and unlimited and not infos[0].exact:
            infos = [elected([infos[0], *self.helped.values()], self.noise)]
        used = self.searcher.tt.permille_used()
        if not infos:
            move = int(ctx.root_moves[0])
            return Result(move, 0, 0, 0, nodes, seconds, (move,), ())
        infos = [
            replace(info, multipv=number, pv=self._extend_pv(info), hashfull=used, nodes=nodes, seconds=seconds)
            for number, info in enumerate(infos, 1)
        ]
        best = infos[0]
        ponder = best.pv[1] if len(best.pv) > 1 else 0
        return Result(best.pv[0], ponder, best.score, best.depth, nodes, seconds, best.pv, tuple(infos), best.exact)
