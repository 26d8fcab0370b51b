"""Engine: searches positions of one game, given as Boards.

    board = shogi.Board()
    with Engine("shogi") as engine:
        print(engine.play(board, Limit(time=1.0)).move)

All front ends and commands use it. A process can have several engines, each with a separate table.
"""

import contextlib
import queue
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, Self, cast, overload

from shogi_engine import games
from shogi_engine.common.stop import StopToken
from shogi_engine.common.text import nodes_per_second
from shogi_engine.common.threads import Search, received
from shogi_engine.engine import parameters
from shogi_engine.interface.extras import (
    FULL_STRENGTH_MS,
    BookMove,
    LevelPlan,
    OpeningBook,
    choose,
    drawn_limits,
    lowest,
)
from shogi_engine.interface.game import VALUE_MATE, VALUE_MATE_IN_MAX, VALUE_NONE, Game, declaration_value
from shogi_engine.language import InputError
from shogi_engine.perft import Perft, PerftStopped, perft
from shogi_engine.search.context import static_value
from shogi_engine.search.forced_win import ForcedWinSolver, RootSolver
from shogi_engine.search.root import Searcher
from shogi_engine.search.timeman import Info as Found, Limits, Result, TimeOptions, budget_of, plan
from shogi_engine.types.limits import Clock, Limit, TimeBudget, check_board, check_limit, check_number, listed
from shogi_engine.types.results import BoardLike, ForcedWin, Info, Move, Moves, PlayResult, Score

MOVES_MAX = 30_000  # the largest move number of an SFEN; no game of any kind is longer
OnInfo = Callable[[Info[Any]], object]


def score_of(game: Game, value: int) -> Score:
    """Convert a value of the search to a Score: a mate in a number of plies, or a score in the players' unit."""
    if value >= VALUE_MATE_IN_MAX:
        return Score.mate_in(VALUE_MATE - value)
    if value <= -VALUE_MATE_IN_MAX:
        return Score.mated_in(VALUE_MATE + value)
    return game.extras.score(value)


# ---- Analysis: a search of an `Engine` in another thread


class Analysis(Search[PlayResult[Move]], Generic[Move]):
    """A search in another thread. Iterate over it to receive its reports. The end of a `with` block stops it.

    So does Ctrl-C while its reports or its end are waited for.
    """

    def __init__(
        self, engine: Any, board: Any, search: Callable[[OnInfo], PlayResult[Move]], announced: contextlib.ExitStack
    ) -> None:
        """Start it; `announced` is closed when it has ended, or cannot start."""
        self._player, self._board = engine, board
        self._reports: queue.SimpleQueue[Info[Move] | BaseException | None] = queue.SimpleQueue()
        self._lines: dict[int, Info[Move]] = {}

        def work(engine: Any, analysis: Self) -> PlayResult[Move]:
            with announced:
                return search(self._report)

        super().__init__(work, done=lambda analysis: self._reports.put(None))
        announced.enter_context(self.searching(engine))
        try:
            self.start(engine, "analysis")
        except BaseException:  # there is no thread, and the engine is free again
            announced.close()
            raise

    def __repr__(self) -> str:
        return f"<Analysis {'done' if self.ended else 'running'}: {self.info}>"

    def _report(self, info: Info[Move]) -> None:
        if not info.bound:
            self._lines = {**self._lines, info.multipv or 1: info}
        self._reports.put(info)

    @property
    def info(self) -> Info[Move]:
        """The latest report on the best move; empty before the first."""
        return next(iter(self.multipv), Info())

    @property
    def multipv(self) -> list[Info[Move]]:
        """The latest report on each of the best moves, best first."""
        return [info for _, info in sorted(self._lines.items())]

    def ponderhit(self, budget: Limit | TimeBudget | None, now: float | None = None) -> None:
        """Continue as a normal search, because the expected move was made. The time of the Limit begins now."""
        if isinstance(budget, Limit):
            budget = self._player.time_budget(self._board, budget)
        super().ponderhit(budget, now)

    def wait(self) -> PlayResult[Move]:
        """Wait for the search to end and return its move. Raises any exception that the search raised."""
        with self._interruptible():
            self.join()
        return self.result()

    def __iter__(self) -> Iterator[Info[Move]]:
        """Yield each new report until the search ends. Raises any exception that the search raised."""
        while True:
            with self._interruptible():
                info = received(self._reports)
            if info is None:
                break
            yield info
        self._reports.put(None)
        self.wait()

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        """End the search if the wait for it is interrupted: no one may have it any more, and the engine is needed."""
        try:
            yield
        except KeyboardInterrupt:
            self._abandon()
            raise

    def _abandon(self) -> None:
        """Stop the search, and wait until the engine is free."""
        self.stop()
        self.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._abandon()


# ---- The opening book of an engine


class EngineBook:
    """The book of an `Engine`: the game's own until another is opened."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._book: OpeningBook | None = None

    def open(self, name: str | OpeningBook | None = None) -> None:
        """Use an opening book from now on.

        Raises book.BookError, a ValueError, if the book cannot be read; the engine then has no book.

        Args:
            name: the name or path of a book, or an open book; None for the game's own book, '' for no book
        """
        self._book, open_book = None, self._engine.game.extras.open_book
        if not (name is None or isinstance(name, str)):
            self._book = name
        elif open_book is not None:
            self._book = open_book("")
            self._book = open_book(name)
        if self._book is not None:
            self.moves(self._engine.board())  # now, not in thinking time, its kernels are compiled

    @property
    def notes(self) -> Sequence[str]:
        """What was passed over in the book's file."""
        return () if self._book is None else self._book.notes

    def moves(self, board: Any, *, flipped: bool = True, any_ply: bool = True) -> list[BookMove]:
        """Return the book's legal moves for a Board's position, best first; see book.OpeningBook.known."""
        if self._book is None:
            self.open()
        if self._book is None:
            return []
        known = self._book.known(board.position(), flipped=flipped, any_ply=any_ply)
        legal = set(map(str, board.legal_moves)) if known else ()
        return [each for each in known if each.move in legal]

    def choice(
        self, board: Any, *, best: int = 16, margin: int | None = None, flipped: bool = True, any_ply: bool = True
    ) -> BookMove | None:
        """Choose one of the book's moves for a Board's position at random; return None if it has none.

        Args:
            best: the number of moves to choose from
            margin: how far their values may be below the first move's, in the game's unit; None for the book's own
            flipped, any_ply: see book.OpeningBook.known
        """
        known = self.moves(board, flipped=flipped, any_ply=any_ply)
        if self._book is None:
            return None
        if margin is None:
            margin = self._book.margin
        return choose(known, self._engine.rng, best=best, margin=margin)

    def play(self, board: Any, **lookup: Any) -> PlayResult[Any] | None:
        """Return the answer of `choice`, None out of book."""
        found = self.choice(board, **lookup)
        if found is None:
            return None
        move = board.parse_text(found.move)
        pv, after = (move,), board.copy()
        after.push(move)
        with contextlib.suppress(ValueError):
            pv += (after.parse_text(found.ponder),) if found.ponder else ()
        score = None if found.value is None else self._engine.game.extras.score(found.value)
        ponder = pv[1] if len(pv) > 1 else None
        return PlayResult(move, ponder, Info(depth=found.depth, score=score, pv=pv), from_book=True)


class Engine:
    """A player of one game.

    Args:
        game: 'shogi', 'othello', another name that `games.load` knows, or a Game
        evaluation: one of Game.evaluations, '' for the default
        hash_mb: the size of the transposition table in MB
        threads: the number of search threads
    """

    def __init__(
        self, game: str | Game = "shogi", *, evaluation: str = "", hash_mb: int = 64, threads: int = 1
    ) -> None:
        self.game = game if isinstance(game, Game) else games.load(game)
        self._stop = StopToken()  # the parent of the search's and the solvers' tokens
        self.searcher = Searcher(
            self.game, evaluation=evaluation, hash_mb=hash_mb, threads=threads, stop_token=StopToken(self._stop)
        )
        self._lock = threading.Lock()  # held while it searches
        self._root_solver = RootSolver(self.game, threads, self._stop)
        self._mate_solver: ForcedWinSolver | None = None
        self._mate_solver_memory: Any = None
        self.book, self.rng = EngineBook(self), random.Random()
        self.solve_roots = True  # look for forced wins during searches, once `load_solver` has been called

    def __repr__(self) -> str:
        return f"Engine({self.game.name!r}, evaluation={self.searcher.evaluator.evaluation.name!r})"

    # ---- positions --------------------------------------------------------------------------------------------

    def board(self, position: str = "", moves: Sequence[str] = ()) -> Any:
        """Return a Board of the game with `position` ('' for the starting position) after `moves`.

        Raises ValueError saying what is invalid.
        """
        if len(moves := listed(moves)) > MOVES_MAX:
            raise InputError("there are {0} moves, more than {1}", len(moves), MOVES_MAX)
        board = games.board_class(self.game)(position or None)
        for number, move in enumerate(moves, 1):
            try:
                board.push_own(move)
            except ValueError as fault:
                raise InputError("move {0}: {1}", number, fault) from None
        return board

    def may_declare(self, board: Any) -> bool:
        """Tell whether the side to move of a Board can declare a win instead of moving."""
        with self.searcher.rules_at(board.state) as ctx:
            value = int(declaration_value(ctx))
        return VALUE_MATE_IN_MAX <= value != VALUE_NONE  # a smaller value is a draw

    def evaluate(self, board: Any) -> int:
        """Return the static evaluation of a Board's position for the side to move, without a search."""
        shown = self.searcher.evaluator.evaluation.shown or static_value
        with self.searcher.rules_at(board.state) as ctx:
            return int(shown(ctx))

    # ---- searches ---------------------------------------------------------------------------------------------

    def play(
        self,
        board: BoardLike[Move],
        limit: Limit,
        *,
        multipv: int = 1,
        root_moves: Moves = (),
        on_info: Callable[[Info[Move]], object] | None = None,
        search: Search[Any] | None = None,
    ) -> PlayResult[Move]:
        """Search a Board's position and return the move to make.

        Args:
            multipv: the number of best moves to report
            root_moves: the Moves to choose from; empty means all
            on_info: called with each report, in this thread
            search: by which other threads can stop it; then no limit need end it

        Raises:
            TypeError: the Board is no Board, or the limit no Limit
            ValueError: the Board is of another game, a root move is illegal, or no limit ends the search
            RuntimeError: a search of this engine is running
        """
        with self._free(board, limit, search):
            if self.may_declare(board):
                return PlayResult(declares=True)
            limits = self._limits(board, limit, multipv, root_moves)
            return self._found(board, limits, on_info, search)

    @overload
    def analyse(
        self,
        board: BoardLike[Move],
        limit: Limit,
        *,
        multipv: None = None,
        root_moves: Moves = (),
        on_info: Callable[[Info[Move]], object] | None = None,
        search: Search[Any] | None = None,
    ) -> Info[Move]: ...

    @overload
    def analyse(
        self,
        board: BoardLike[Move],
        limit: Limit,
        *,
        multipv: int,
        root_moves: Moves = (),
        on_info: Callable[[Info[Move]], object] | None = None,
        search: Search[Any] | None = None,
    ) -> list[Info[Move]]: ...

    def analyse(
        self,
        board: BoardLike[Move],
        limit: Limit,
        *,
        multipv: int | None = None,
        root_moves: Moves = (),
        on_info: Callable[[Info[Move]], object] | None = None,
        search: Search[Any] | None = None,
    ) -> Info[Move] | list[Info[Move]]:
        """Analyse a Board's position and return a report. With `multipv`, return a list of reports, best move first.

        Arguments and exceptions are those of `play`; without `multipv`, also ValueError if there is no legal move.
        """
        with self._free(board, limit, search):
            lines = self._found(board, self._limits(board, limit, multipv, root_moves), on_info, search).multipv
        if multipv is not None:
            return list(lines)
        if not lines:
            raise InputError("there is no legal move to analyse")
        return lines[0]

    def analysis(
        self, board: BoardLike[Move], limit: Limit | None = None, *, multipv: int | None = None, root_moves: Moves = ()
    ) -> Analysis[Move]:
        """Start a search in a thread and return it. Without a limit, it runs until `stop`.

        Raises the same exceptions as `play`.
        """
        with contextlib.ExitStack() as claim:
            claim.enter_context(self._free(board, limit := limit or Limit(), endless=True))
            limits, board = self._limits(board, limit, multipv, root_moves), cast(Any, board).copy()
            cast(Any, board).search_form()  # a null move is refused here, not in the thread
            return Analysis(self, board, lambda report: self._found(board, limits, report), claim.pop_all())

    def mate(
        self,
        board: BoardLike[Move],
        limit: Limit | None = None,
        *,
        shortest: bool = False,
        every: bool = False,
        progress: Callable[[int, float], None] | None = None,
        search: Search[Any] | None = None,
    ) -> ForcedWin[Move]:
        """Search for a forced mate by checks until it is proven or disproven, a limit is reached, or `stop` is called.

        The solver uses the memory of the transposition table and overwrites a part of it. The first call may
        compile kernels.

        Args:
            limit: only `time` and `nodes`, the maximum number of moves made, are used
            shortest: after the first mate, search for shorter mates
            every: also return the other first moves that lead to mate
            progress: called at intervals, in another thread, with the nodes and seconds so far
            search: by which other threads can stop it

        Raises the same exceptions as `play`, and ValueError if the game has no mate solver or there is no king to mate.
        """
        limit = limit or Limit()
        with self._free(board, limit, endless=True), _announced(self, search) as stopped:
            if stopped:
                return ForcedWin("timeout")
            solver = self.warmup_mate()
            self._stop.begin()
            try:
                found = solver.solve(
                    cast(Any, board).state,
                    max_ms=None if limit.time is None else 1000 * limit.time,
                    nodes=limit.nodes,
                    shortest=shortest,
                    every=every,
                    progress=progress,
                )
            finally:
                solver.clear()  # the search would take the results for entries of its own, of any age and depth
        return found.convert(cast(Any, board).line_of)

    def solve(self, board: BoardLike[Move], limit: Limit | None = None) -> Info[Move] | None:
        """Solve a Board's position to the end of the game; return the exact score with the best line, or None.

        Raises the same exceptions as `play`, and ValueError if the game is over or has no solver.

        Args:
            limit: only its `time` is used; if the time runs out, the result may be inexact (see Info.exact) or None
        """
        with self._free(board, limit or Limit(), endless=True):
            self._stop.begin()
            if cast(Any, board).is_game_over():
                raise InputError("the game is over")
            ms = float("inf") if limit is None or limit.time is None else 1000 * limit.time
            limits = Limits(budget=TimeBudget.exactly(ms))
            result = self._root_solver.solve(cast(Any, board).state, limits, self.searcher.tt)
            return self._info(cast(Any, board).copy(), result.infos[0]) if result else None

    def perft(self, board: Any, depth: int, *, search: Search[Any] | None = None, **options: Any) -> Perft:
        """Count the leaf nodes at `depth`; `options` are those of `perft.perft`. Raises PerftStopped after `stop`."""
        check_number("depth", depth, 0, whole=True)
        with self._free(board, Limit(), endless=True), _announced(self, search) as stopped:
            if stopped:
                raise PerftStopped(0, len(board.legal_moves))
            self._stop.begin()
            return perft(self.game, board.state, depth, stop_token=self._stop, **options)

    @contextlib.contextmanager
    def _free(
        self, board: Any, limit: Limit, search: Search[Any] | None = None, *, endless: bool = False
    ) -> Iterator[None]:
        """Check a Board and a Limit, and prevent other searches from starting inside the `with` block.

        Raises the exceptions of `play`.

        Args:
            endless: whether no limit need end the search, as if there were a `search`
        """
        check_board(board, "search_form")
        check_limit(limit)
        if self.game.name != board._GAME:
            raise InputError("this Board is for {0}, but the engine plays {1}", board._GAME, self.game.name)
        if search is None and not endless:
            limit.must_end(int(board.turn))
        with self._idle():
            yield

    @contextlib.contextmanager
    def _idle(self) -> Iterator[None]:
        """Prevent all searches from starting inside the `with` block. Raises RuntimeError if one is running."""
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("this engine is already searching")
        try:
            yield
        finally:
            self._lock.release()

    # ---- limits -----------------------------------------------------------------------------------------------

    def _limits(self, board: Any, limit: Limit, multipv: int | None, root_moves: Moves) -> Limits:
        """Return the limits of a search of a Board's position. Raises TypeError or ValueError for invalid ones."""
        multipv = 1 if multipv is None else multipv
        check_number("multipv", multipv, 1, whole=True)
        limits = Limits(
            limit.depth,
            limit.nodes,
            limit.mate,
            self.time_budget(board, limit),
            searchmoves=tuple(map(board.code_of, listed(root_moves))),
            multipv=multipv,
        )
        return limits if limit.level is None else self._at_level(board, limits, limit.level)

    def _at_level(self, board: Any, limits: Limits, level: int) -> Limits:
        """Return the limits of a search by a player of a level, within those given."""
        plan = self.check_level(level, board)
        if plan.is_full_strength():
            return limits if limits.end_search() else replace(limits, budget=TimeBudget.exactly(FULL_STRENGTH_MS))
        moves = limits.searchmoves or (self.searcher.root_moves(board.state) if plan.moves else ())
        drawn = drawn_limits(plan, moves, self.rng)
        return replace(
            limits,
            depth=lowest(limits.depth, drawn.get("depth")),
            nodes=lowest(limits.nodes, drawn.get("nodes")),
            selectivity=plan.selectivity if limits.depth is None and limits.nodes is None else None,
            multi_probcut_margin=drawn.get("multi_probcut_margin"),
            searchmoves=tuple(drawn.get("searchmoves", limits.searchmoves)),
        )

    def time_budget(self, board: Any, limit: Limit) -> TimeBudget | None:
        """Return the time that a Limit gives the side to move of a Board, or None if it has no time limit."""
        if limit.budget is not None:
            return limit.budget
        side = int(board.turn)
        ply = board.game_ply() if limit.clock(side) else 0
        return budget_of(limit, side, ply, self.game.extras.budget)

    def check_level(self, level: int, board: Any = None) -> LevelPlan:
        """Return how a player of `level`, 0 to `game.extras.levels` - 1, searches a Board's position.

        Raises ValueError if there is no such level.

        Args:
            board: None for the start of a game
        """
        return self.game.extras.level(level, (self.board() if board is None else board).state)

    def clock_budget(
        self, clock: Clock, board: Any, options: TimeOptions | None = None, max_ply: int = 0
    ) -> TimeBudget:
        """Return the time that a player with `clock` may take for a move in a Board's position; see `timeman.plan`."""
        ply, options, share = board.game_ply(), options or TimeOptions(), self.game.extras.budget
        return share(clock, ply, options) if share else plan(clock, ply, options, max_ply)

    # ---- the search -------------------------------------------------------------------------------------------

    def _found(
        self, board: Any, limits: Limits, on_info: OnInfo | None = None, search: Search[Any] | None = None
    ) -> PlayResult[Any]:
        """Search a Board's position, which no one else does meanwhile."""
        board = board.copy()  # reports are converted when they are read; the Board may have changed by then

        def tell(found: Found) -> None:
            assert on_info is not None
            on_info(self._info(board, found))

        with _announced(self, search) as stopped:
            if stopped:  # its result counts all the same, and should not be any move
                limits = Limits(depth=1, searchmoves=limits.searchmoves, multipv=limits.multipv)
            found = self._search(board, limits, tell if on_info else None)
        if not found.bestmove:
            return PlayResult(info=Info(score=score_of(self.game, found.score)), time=found.seconds)
        infos = found.infos
        if not infos:  # stopped before the first move was searched
            infos = (Found(0, 0, 1, found.score, "", found.nodes, found.seconds, 0, (found.bestmove,)),)
        lines = tuple(self._info(board, each) for each in infos)
        move, ponder, *_ = *lines[0].pv[:2], None
        return PlayResult(move, ponder, lines[0], lines, time=found.seconds)

    def _search(self, board: Any, limits: Limits, report: Callable[[Found], None] | None) -> Result:
        self._stop.begin()
        self._load_kernels(timed=limits.budget is not None)
        table, (root, moves) = self.searcher.tt, board.search_form()
        result, limits = self._root_solver.before(board.state, limits, table, report)
        if result is not None:
            return result
        if not self.solve_roots:
            return self.searcher.search(root, moves, limits, report)
        self.searcher.ensure_prepared()  # a win may be found before the search begins, and then ends it too
        with self._root_solver.during(board.state, limits, table, self.searcher.stop):
            result = self.searcher.search(root, moves, limits, report)
        return self._root_solver.best(result)

    def _info(self, board: Any, found: Found) -> Info[Any]:
        """Return a report of the search as one on a Board, which must not change any more."""
        return Info.with_line(
            lambda: board.line_of(found.pv),
            depth=found.depth,
            seldepth=found.seldepth,
            multipv=found.multipv,
            score=score_of(self.game, found.score),
            bound=found.bound,
            exact=found.exact,
            time=found.seconds,
            nodes=found.nodes,
            nps=nodes_per_second(found.nodes, found.seconds),
            hashfull=found.hashfull,
        )

    def _load_kernels(self, *, timed: bool) -> None:
        """Compile the kernels that a search needs, or load them, before its clock starts."""
        self.searcher.warmup()
        if timed:
            self._root_solver.warmup()

    def warmup_mate(self) -> ForcedWinSolver:
        """Compile or load the kernels that `mate` needs, and return its solver, which works in the table's memory.

        Raises ValueError if the game has no mate solver.
        """
        if self.game.extras.mate_solver is None:
            raise InputError("{0} has no mate solver", self.game.name)
        memory = self.searcher.tt.words
        if self._mate_solver is None or self._mate_solver_memory is not memory:
            solver: ForcedWinSolver = self.game.extras.mate_solver(memory=memory, stop_token=StopToken(self._stop))
            solver.warmup()
            self._mate_solver, self._mate_solver_memory = solver, memory
        return self._mate_solver

    def continued_pv(self, board: Any, line: Sequence[Any], length: int) -> tuple[Any, ...]:
        """Return a line of a Board's position, extended by the table's best moves to at most `length` moves.

        A reported line is short if a table entry ended it. Call this in `on_info`, or after the search.
        """
        after = board.copy()
        for move in line:
            after.push(move)
        codes = after.search_form()[1][len(board.move_stack) :]
        return tuple(board.line_of(self.searcher.extended(board.state, codes, length)))

    def load_solver(self) -> None:
        """Load the solver that looks for forced wins during searches."""
        self._root_solver.load()

    def prepare(self) -> None:
        """Announce a search. From now on, `stop` and `extend` apply to it, even if they are called before it begins."""
        self._stop.prepare()
        self.searcher.prepare()

    def stop(self) -> None:
        """Stop the running or announced search, from any thread. The search returns its best move so far."""
        self._stop.stop()

    def extend(self, budget: TimeBudget | None) -> None:
        """Give the running or announced search a new time budget, which begins now."""
        self.searcher.extend(budget)

    # ---- settings ---------------------------------------------------------------------------------------------

    def new_game(self) -> None:
        """Clear the table and the histories. Raises RuntimeError if a search of this engine is running."""
        with self._idle():
            self.searcher.new_game()
            self._root_solver.new_game()

    def resize(self, *, hash_mb: int | None = None, threads: int | None = None) -> None:
        """Change the table's size or the number of threads. Raises RuntimeError while this engine is searching."""
        with self._idle():
            self.searcher.resize(hash_mb, threads)
            if threads is not None:
                self._root_solver.set_threads(threads)
            self._mate_solver = self._mate_solver_memory = None  # otherwise the old table would stay in memory

    def set_evaluation(self, name: str = "", file: str | Path | None = None) -> None:
        """Set the evaluation, '' for the default, with the weights in `file`, None for its own.

        See `Searcher.set_evaluation`. Raises RuntimeError if a search of this engine is running.
        """
        with self._idle():
            self.searcher.set_evaluation(name, file)

    def configure(self, **values: Any) -> None:
        """Set parameters of the game and the evaluation (see `parameters.defaults`), or `evaluation`, from now on.

        Raises ValueError for an unknown parameter or an invalid value.
        """
        for name, value in values.items():
            if name == parameters.EVALUATION:
                self.set_evaluation(str(value))
            else:
                parameters.assign(self.searcher, name, value)

    def warmup(self) -> None:
        """Compile all kernels that a search and a Board need, or load them from the cache, and allocate memory."""
        self._load_kernels(timed=True)
        board = self.board()
        self.play(board, Limit(nodes=3000))
        self.searcher.root_moves(board.state)  # of which levels choose some
        for move in list(board.legal_moves)[:1]:
            board.parse_text(str(move))
            board.push(move)
            board.pop()
        self.new_game()

    def close(self) -> None:
        """Stop a running search. Memory is freed with the object."""
        self.stop()

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def _announced(engine: Engine, search: Search[Any] | None) -> contextlib.AbstractContextManager[bool]:
    """Let `search`, if there is one, reach the engine inside the `with` block, which gets whether it was stopped."""
    return search.searching(engine) if search else contextlib.nullcontext(False)
