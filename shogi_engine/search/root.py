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
from shogi_engine.interface.game import MAX_PLY, VALUE_MATE, VALUE_MATE_IN_MAX, Game
from shogi_engine.jit import new_record
from shogi_engine.search.alphabeta import open_window, search_root
from shogi_engine.search.context import (
    ALL_FLAGS,
    USE_MULTI_PROBCUT,
    USE_PRUNING,
    USE_REDUCTIONS,
    copy_position,
    keys,
    new_context,
    prepare_root,
    set_root,
    sort_root_moves,
    write_root_moves,
)
from shogi_engine.search.history import Histories, SharedHistories
from shogi_engine.search.parameters import follow_evaluation, params_for
from shogi_engine.search.timeman import Info, Limits, Result, TimeManager, by_score
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


MAX_DEPTH = 100
MAX_THREADS = 256
SALT_FACTOR = 0x9E3779B97F4A7C15 >> 16  # searches with different margins do not share table entries
NO_LIMIT = np.iinfo(np.int64).max
BOUND_NAMES = {-1: "upper", 0: "", 1: "lower"}
BOUNDS_AFTER = 8  # bounds at smaller depths change too fast to be read; they are not reported


def is_selective(ctx: Any) -> bool:
    """Tell whether ProbCut is in use."""
    fields = np.asarray(ctx)
    return int(fields["search_flags"]) & USE_MULTI_PROBCUT != 0 and int(fields["params"]["multi_probcut_margin"]) > 0


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
        pos, undo = copy_position(self.game, position), new_record(self.game.undo)
        moves, seen = list(line), set()
        for move in moves:
            seen.add(int(keys(pos)[0]))
            rules.do_move(pos, np.uint32(move), undo)
        while len(moves) < length:
            repetition, hash_key = map(int, keys(pos))
            move = self.tt.move(hash_key ^ self.tt_key_salt)
            if repetition in seen or not move or move not in self.root_moves(pos):
                break
            seen.add(repetition)
            moves.append(move)
            rules.do_move(pos, np.uint32(move), undo)
        return tuple(moves)

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
        if self._contexts[0].root_count == 0:
            return Result(0, 0, int(rules.terminal_value(self._contexts[0])), 0, 0, 0.0, (), ())
        run = _Run(self, limits, began, on_info)
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
        fields["tt_key_salt"] = int(fields["params"]["multi_probcut_margin"]) * SALT_FACTOR if is_selective(ctx) else 0
        self.tt.attach(ctx)
        fields["thread"] = number
        fields["node_limit"] = NO_LIMIT
        if limits.nodes is not None:
            fields["node_limit"] = max(limits.nodes // len(self._contexts), 1)
        roots = list(dict.fromkeys(limits.searchmoves))
        fields["root_count"] = len(roots)  # 0: all that the search looks at
        fields["root_moves"][: len(roots)] = roots
        prepare_root(ctx)


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
        self.multipv = min(limits.multipv, int(self.contexts[0].root_count))
        self.lines: dict[int, Info] = {}  # the lines of the current iteration
        self.complete: list[Info] = []  # the lines of the last finished iteration: exact values, best first
        self.helped: dict[int, Info] = {}  # the line of each helper's last finished iteration
        self.failure: BaseException | None = None
        self.position = copy_position(searcher.game, self.contexts[0].pos)  # contexts change theirs while searching
        self.noise = max(int(searcher.params.score_noise), 1)
        plies_left = searcher.game.plies_left
        self.longest = min(plies_left(self.contexts[0].pos), MAX_DEPTH) if plies_left else MAX_DEPTH

    def go(self, timer: Timer) -> Result:
        """Run the main thread and the helpers, and return the result."""
        main, *others = self.contexts
        helpers = [start_thread(self._help, f"search-{number}", ctx, number) for number, ctx in enumerate(others, 1)]
        try:
            self._deepen(main, timer)
        finally:
            if helpers:
                self.searcher.stop()
                for thread in helpers:
                    thread.join()
        if self.failure is not None:
            raise self.failure
        return self._result(main)

    def _help(self, ctx: Any, number: int) -> None:
        """Run iterative deepening in a helper thread (Lazy SMP). Half of the helpers are one ply ahead.

        The threads share their results through the transposition table and the histories.
        """
        try:
            first = 1 + number % 2
            for depth in range(first, self._max_depth() + 1):
                if ctx.stopped:
                    break
                self._iterate(ctx, depth, 0)
                if not ctx.stopped:
                    self.helped[number] = self._line(ctx, depth, 0, int(ctx.root_scores[0]), "")
        except BaseException as failure:
            self.failure = failure
            self.searcher.stop()

    def _max_depth(self) -> int:
        return min(self.limits.depth or MAX_DEPTH, self.longest)

    def _depths(self, ctx: Any) -> Iterator[int]:
        """Yield the main thread's depths. A depth that reaches the end of the game is repeated without ProbCut."""
        yield from range(1, self._max_depth() + 1)
        to_the_end = self._max_depth() == self.longest < MAX_DEPTH
        if to_the_end and self.limits.multi_probcut_margin is None and is_selective(ctx):
            ctx.search_flags &= ~USE_MULTI_PROBCUT
            ctx.tt_key_salt = 0
            yield self._max_depth()

    def _deepen(self, ctx: Any, timer: Timer) -> None:
        """Run iterative deepening in the main thread."""
        time_manager = TimeManager(self.noise, only=int(ctx.root_count) == 1)
        timer.cap(time_manager.cap)
        fields = np.asarray(ctx)
        for depth in self._depths(ctx):
            for line in range(self.multipv):
                pv = self.complete[line].pv if self.complete else ()
                fields["pv"][0, : len(pv)], fields["pv_end"][0] = pv, len(pv)  # those of other lines were there
                self._iterate(ctx, depth, line, report=True)
                if ctx.stopped:
                    return
            self._complete_depth(ctx)
            score = self.complete[0].score
            share = int(fields["root_nodes"][0]) / int(fields["nodes"]) if self.multipv == 1 else TimeManager.USUAL
            time_manager.note(self.complete[0].pv[0], score, share)
            timer.cap(time_manager.cap)
            if self._settled(score, depth):
                return
            if not timer.may_continue(time_manager.factor) and not timer.finish_second():
                return

    def _complete_depth(self, ctx: Any) -> None:
        """Sort the lines of the completed depth; report them if there are several."""
        lines = by_score(self.lines.values())
        self.complete = [replace(info, multipv=number) for number, info in enumerate(lines, 1)]
        self.lines = {}
        if self.multipv > 1:
            sort_root_moves(ctx, self.multipv)
            if self.on_info:
                for info in self.complete:
                    self.on_info(info)

    def _settled(self, score: int, depth: int) -> bool:
        """Tell whether to stop deepening: the requested mate was found, or a mate that no deeper search can shorten."""
        plies = VALUE_MATE - abs(score)
        if abs(score) < VALUE_MATE_IN_MAX:
            return False
        if self.limits.mate is not None and score > 0:
            return plies <= self.limits.mate
        return plies <= depth - 2 and plies < MAX_PLY and self.limits.multipv == 1

    def _iterate(self, ctx: Any, depth: int, line: int, report: bool = False) -> None:
        """Search one depth with an aspiration window, widened until the score lies inside."""
        open_window(ctx, line, depth)
        while True:
            alpha, beta, window_depth = (int(ctx.window[name]) for name in ("alpha", "beta", "depth"))
            value = int(search_root(ctx, alpha, beta, window_depth, line))
            if ctx.stopped:  # the best move found so far may have a value already
                value = int(ctx.root_scores[line])
                if value > alpha and report:
                    self._note(ctx, depth, line, value, BOUND_NAMES[value >= beta])
                return
            failed = int(ctx.window.failed)
            if report:
                self._note(ctx, depth, line, value, BOUND_NAMES[failed], show=not failed or depth > BOUNDS_AFTER)
            if not failed:
                return

    def _note(self, ctx: Any, depth: int, line: int, score: int, bound: str, show: bool = True) -> None:
        """Record the principal variation of the root. Report it if `show` is set and there is only one line.

        Several lines are reported together, when they have been sorted.
        """
        self.lines[line] = self._line(ctx, depth, line, score, bound)
        if self.on_info and show and self.multipv == 1:
            self.on_info(self.lines[line])

    def _line(self, ctx: Any, depth: int, line: int, score: int, bound: str) -> Info:
        """Return what a thread knows of a line that it has searched."""
        fields = np.asarray(ctx)
        pv = tuple(fields["pv"][0, : int(fields["pv_end"][0])].tolist())
        first = int(fields["root_moves"][line])
        if not pv or pv[0] != first:
            pv = (first,)
        return Info(
            depth=depth,
            seldepth=max(int(fields["seldepth"]), depth),
            multipv=line + 1,
            score=score,
            bound=bound,
            nodes=self._nodes(),
            seconds=time.perf_counter() - self.began,
            hashfull=self.searcher.tt.permille_used() if self.on_info else 0,
            pv=pv,
            exact=not bound and not ctx.stopped and self._is_exact(ctx, depth),
        )

    def _is_exact(self, ctx: Any, depth: int) -> bool:
        """Tell whether a search of `depth` plies proves its score: it reaches the game's end and prunes nothing."""
        if self.searcher.game.plies_left is None or not self.longest <= depth < MAX_DEPTH:
            return False
        return not is_selective(ctx) and int(ctx.search_flags) & (USE_PRUNING | USE_REDUCTIONS) == 0

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

    def _last_lines(self) -> list[Info]:
        """Return the lines that the search ends with, best first.

        A single line is that of the running iteration if it has found one: even if its value is a bound, it says more
        than the value of the iteration before. Only a lost one is not believed, because the other moves have not been
        searched. Several lines are those of the last completed iteration, because values of different depths cannot be
        compared; before there is one, those of the first.
        """
        best = self.lines.get(0)
        lost = best is not None and best.score <= -VALUE_MATE_IN_MAX and not best.bound
        if best is None or (self.complete and (self.multipv > 1 or lost)):
            return self.complete
        return [best, *by_score(info for line, info in self.lines.items() if line > 0)]

    def _result(self, ctx: Any) -> Result:
        """Return the result. If no move was searched, it is the first legal move."""
        nodes = self._nodes()
        seconds = time.perf_counter() - self.began
        infos = self._last_lines()
        unlimited = self.multipv == 1 and self.limits.depth is None and self.limits.mate is None
        if self.helped and infos and unlimited and not infos[0].exact:
            infos = [elected([infos[0], *self.helped.values()], self.noise)]
        used = self.searcher.tt.permille_used()
        if not infos:
            move = int(ctx.root_moves[0])
            return Result(move, 0, 0, 0, nodes, seconds, (move,), ())
        infos = [
            replace(info, multipv=number, pv=self._extend_pv(info), hashfull=used, nodes=nodes, seconds=seconds)
            for number, info in enumerate(infos[: self.limits.multipv], 1)
        ]
        best = infos[0]
        ponder = best.pv[1] if len(best.pv) > 1 else 0
        return Result(best.pv[0], ponder, best.score, best.depth, nodes, seconds, best.pv, tuple(infos), best.exact)
