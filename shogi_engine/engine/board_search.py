"""An Engine's methods in the style of python-chess: they take a Board and a Limit, and return Moves.

with Engine("shogi") as engine:
    board = shogi.Board()
    board.push(engine.play(board, Limit(time=0.5)).move)
"""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self, overload

from shogi_engine import games
from shogi_engine.common.threads import start_thread
from shogi_engine.engine.results import PvInfo, SearchResult
from shogi_engine.interface.game import Game
from shogi_engine.search.forced_win import ForcedWin, RootSolver
from shogi_engine.search.limits import Limits
from shogi_engine.search.root import Searcher
from shogi_engine.search.timeman import budget_of
from shogi_engine.types.clock import TimeBudget
from shogi_engine.types.limit import Limit

OnInfo = Callable[[PvInfo], None]


@dataclass(frozen=True)
class PlayResult:
    """The move to make.

    Attributes:
        move: a Move of the Board's game; None if there is no legal move or if `declares` is true
        ponder: the expected reply, or None
        info: the search's report on the move, or None
        declares: whether the engine declares a win instead of moving
    """

    move: Any = None
    ponder: Any = None
    info: PvInfo | None = None
    declares: bool = False


class Analysis:
    """A search running in its own thread. Iterate over its reports; leaving a `with` block ends it.

    Attributes:
        info: the latest report on the best move, None before the first
        multipv: the latest report on each of the best moves, best first
    """

    def __init__(self, game: str, work: Callable[[OnInfo], SearchResult], stop: Callable[[], None]) -> None:
        self._game, self._work, self._stop = game, work, stop
        self._reports: queue.SimpleQueue[PvInfo | None] = queue.SimpleQueue()
        self._lines: dict[int, PvInfo] = {}
        self._result: SearchResult | None = None
        self._fault: BaseException | None = None
        self._thread = start_thread(self._run, "analysis")

    def _run(self) -> None:
        try:
            self._result = self._work(self._report)
        except BaseException as fault:
            self._fault = fault
        finally:
            self._reports.put(None)

    def _report(self, info: PvInfo) -> None:
        if not info.bound:
            self._lines = {**self._lines, info.multipv: info}
        self._reports.put(info)

    @property
    def info(self) -> PvInfo | None:
        """The latest report on the best move, None before the first."""
        return self._lines.get(1)

    @property
    def multipv(self) -> list[PvInfo]:
        """The latest report on each of the best moves, best first."""
        return [self._lines[number] for number in sorted(self._lines)]

    def stop(self) -> None:
        """Stop the search at once, from any thread; `result` still returns the best move found so far."""
        if self._thread.is_alive():
            self._stop()

    def result(self) -> PlayResult:
        """Wait for the search to end and return its move. Raises any exception that the search raised."""
        self._thread.join()
        if self._fault is not None:
            raise self._fault
        assert self._result is not None
        return play_result(self._game, self._result)

    def __iter__(self) -> Iterator[PvInfo]:
        """Yield each new report until the search ends. Raises any exception that the search raised."""
        while (info := self._reports.get()) is not None:
            yield info
        self._reports.put(None)
        self.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.stop()
        self._thread.join()


def play_result(game: str, found: SearchResult) -> PlayResult:
    """Convert a search result: its moves become Move objects of `game`."""
    if not found.bestmove:
        return PlayResult()
    move, *rest = games.moves_of(game, found.pv)
    return PlayResult(move, rest[0] if rest else None, found.lines[0])


class BoardSearches:
    """An Engine's methods that take a Board. Each of them sets the engine's position to that of the Board."""

    game: Game
    moves: list[int]
    searcher: Searcher
    set_position: Callable[..., None]
    may_declare: Callable[[], bool]
    check_level: Callable[[int], object]
    search: Callable[..., SearchResult]
    find_mate: Callable[..., ForcedWin[str]]
    prepare: Callable[[], None]
    stop: Callable[[], None]
    _compiling: Callable[[], contextlib.AbstractContextManager[None]]
    _idle: Callable[[], contextlib.AbstractContextManager[None]]
    _only_search: Callable[[], contextlib.AbstractContextManager[None]]
    _root_solver: RootSolver
    _claimed_by: int

    @property
    def position(self) -> Any:
        """The position, record[game.position]."""
        raise NotImplementedError

    def play(self, board: Any, limit: Limit, *, root_moves: Sequence[Any] = ()) -> PlayResult:
        """Search a Board's position and return the move to make.

        Args:
            root_moves: the Moves to choose from; empty means all

        Raises:
            ValueError: the Board is of another game, a root move is illegal, or the limits never end a search
            RuntimeError: a search of this engine is running
        """
        with self._placed(board) as side:
            _must_end(limit, side)
            if self.may_declare():
                return PlayResult(declares=True)
            return play_result(self.game.name, self.search(**self._wanted(limit, side, 1, root_moves)))

    @overload
    def analyse(self, board: Any, limit: Limit, *, multipv: None = None, root_moves: Sequence[Any] = ()) -> PvInfo: ...

    @overload
    def analyse(self, board: Any, limit: Limit, *, multipv: int, root_moves: Sequence[Any] = ()) -> list[PvInfo]: ...

    def analyse(
        self, board: Any, limit: Limit, *, multipv: int | None = None, root_moves: Sequence[Any] = ()
    ) -> PvInfo | list[PvInfo]:
        """Analyse a Board's position; with `multipv`, return a list of reports on that many moves, best first.

        Raises as `play` does. Without `multipv`, also raises ValueError if there is no legal move.
        """
        with self._placed(board) as side:
            _must_end(limit, side)
            lines = self.search(**self._wanted(limit, side, multipv or 1, root_moves)).lines
        if multipv is not None:
            return lines
        if not lines:
            raise ValueError("there is no legal move to analyse")
        return lines[0]

    def analysis(
        self, board: Any, limit: Limit | None = None, *, multipv: int = 1, root_moves: Sequence[Any] = ()
    ) -> Analysis:
        """Start a search in a thread and return it. Without a limit it runs until `stop`. Raises as `play` does."""
        with contextlib.ExitStack() as stack:
            side = stack.enter_context(self._placed(board))
            keywords = self._wanted(limit or Limit(), side, multipv, root_moves)
            self.prepare()
            claim, self._claimed_by = stack.pop_all(), 0  # from now on the thread holds the claim

        def work(on_info: OnInfo) -> SearchResult:
            with claim:
                self._claimed_by = threading.get_ident()
                return self.search(**keywords, on_info=on_info)

        return Analysis(self.game.name, work, self.stop)

    def mate(
        self, board: Any, limit: Limit | None = None, *, shortest: bool = False, every: bool = False
    ) -> ForcedWin[Any]:
        """Search a Board's position as `Engine.find_mate` does. Of the limit, only `time` and `nodes` count."""
        limit = limit or Limit()
        with self._placed(board):
            max_ms = None if limit.time is None else 1000 * limit.time
            found = self.find_mate(max_ms=max_ms, nodes=limit.nodes, shortest=shortest, every=every)
        return found.convert(lambda line: games.moves_of(self.game.name, line))

    def solve(self, board: Any, limit: Limit | None = None) -> PvInfo | None:
        """Solve a Board's position to the end of the game; return the exact score with the best line, or None.

        Raises as `play` does, and ValueError if the game is over or has no solver.

        Args:
            limit: of it only `time` counts; if the time runs out, the result may be inexact (see PvInfo.exact) or None
        """
        if board.is_game_over():
            raise ValueError("the game is over")
        with self._placed(board), self._only_search(), self._compiling():
            ms = float("inf") if limit is None or limit.time is None else 1000 * limit.time
            result = self._root_solver.solve(self.position, Limits(budget=TimeBudget.exactly(ms)), self.searcher.tt)
            return PvInfo(self.game, self.position, result.infos[0]) if result else None

    @contextlib.contextmanager
    def _placed(self, board: Any) -> Iterator[int]:
        """Set the position of a Board and yield the side to move. Inside, only this thread may search, and only once.

        Raises ValueError for another game's Board, RuntimeError if a search of this engine is running.
        """
        record = board.record()
        if record.game != self.game.name:
            raise ValueError(f"the Board is of {record.game}, but the engine plays {self.game.name}")
        with self._idle():
            self._claimed_by = threading.get_ident()
            try:
                self.set_position(record.start, record.moves)
                yield int(board.turn)
            finally:
                self._claimed_by = 0

    def _wanted(self, limit: Limit, side: int, multipv: int, root_moves: Sequence[Any]) -> dict[str, Any]:
        """Return the keyword arguments for `search`. Raises ValueError here, not in a thread, if they are invalid."""
        moves = [str(move) for move in root_moves]
        for move in moves:
            self.game.parse_move(self.position, move)
        if limit.level is not None:
            self.check_level(limit.level)
        if multipv < 1:
            raise ValueError(f"multipv must be at least 1, not {multipv}")
        names = ("depth", "nodes", "mate", "level")
        limits = {name: value for name in names if (value := getattr(limit, name)) is not None}
        budget = budget_of(limit, side, len(self.moves), self.game.budget)
        return {"multipv": multipv, "searchmoves": moves, "budget": budget, **limits}


def _must_end(limit: Limit, side: int) -> None:
    """Raise ValueError for a limit that never ends."""
    if limit.is_endless(side):
        raise ValueError("a limit is needed: time, depth, nodes, mate, level or a clock of the side to move")
