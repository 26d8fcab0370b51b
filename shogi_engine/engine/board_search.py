"""The methods of an Engine in the style of python-chess. They take a Board and a Limit, and return Moves.

with Engine("shogi") as engine:
    board = shogi.Board()
    board.push(engine.play(board, Limit(time=0.5)).move)
"""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Generic, Protocol, Self, TypeVar, overload

from shogi_engine import games
from shogi_engine.common.search_handle import SearchHandle
from shogi_engine.common.threads import join, received, start_thread
from shogi_engine.engine.book_and_levels import BookAndLevels
from shogi_engine.engine.results import PvInfo, SearchResult
from shogi_engine.search.forced_win import RootSolver
from shogi_engine.search.limits import Limits
from shogi_engine.search.timeman import budget_of
from shogi_engine.types.clock import TimeBudget
from shogi_engine.types.forced_win import ForcedWin
from shogi_engine.types.info import Info, Move, PlayResult
from shogi_engine.types.limit import Limit

OnInfo = Callable[[PvInfo], None]
BoardMove = TypeVar("BoardMove", covariant=True)


class BoardLike(Protocol[BoardMove]):
    """A Board of any game."""

    def record(self) -> Any:
        """Return the record of the moves made."""

    def peek(self) -> BoardMove:
        """Return the last move."""

    def is_game_over(self) -> bool:
        """Tell whether the game has ended."""


class Analysis(SearchHandle, Generic[Move]):
    """A search in another thread. Iterate over it to receive its reports. The end of a `with` block stops it."""

    def __init__(
        self,
        engine: "BoardSearches",
        search: Callable[[OnInfo], SearchResult],
        line: Callable[[Sequence[str]], Sequence[Move]],
    ) -> None:
        super().__init__()
        self._player, self._line = engine, line
        self._reports: queue.SimpleQueue[PvInfo | BaseException | None] = queue.SimpleQueue()
        self._lines: dict[int, PvInfo] = {}
        self._result: SearchResult | BaseException | None = None
        with contextlib.ExitStack() as announced:
            announced.enter_context(self.searching(engine, lambda: None))
            self._thread = start_thread(self._run, "analysis", search, announced.pop_all())

    def _run(self, search: Callable[[OnInfo], SearchResult], announced: contextlib.ExitStack) -> None:
        try:
            with announced:
                self._result = search(self._report)
        except BaseException as fault:
            self._result = fault
        finally:
            self._reports.put(None)

    def _report(self, info: PvInfo) -> None:
        if not info.bound:
            self._lines = {**self._lines, info.multipv: info}
        self._reports.put(info)

    @property
    def info(self) -> Info[Move]:
        """The latest report on the best move; empty before the first."""
        return next(iter(self.multipv), Info())

    @property
    def multipv(self) -> list[Info[Move]]:
        """The latest report on each of the best moves, best first."""
        return [info.convert(self._line) for _, info in sorted(self._lines.items())]

    def ponderhit(self, budget: Limit | TimeBudget | None, now: float | None = None) -> None:
        """Continue as a normal search, because the expected move was made. The time of the Limit begins now."""
        if isinstance(budget, Limit):
            budget = self._player.time_budget(budget)
        super().ponderhit(budget, now)

    def search_result(self) -> SearchResult:
        """Wait for the search to end and return its result. Raises any exception that the search raised."""
        join(self._thread)
        if isinstance(self._result, BaseException):
            raise self._result
        assert self._result is not None
        return self._result

    def wait(self) -> PlayResult[Move]:
        """Wait for the search to end and return its move. Raises any exception that the search raised."""
        return self.search_result().played(self._line)

    def __iter__(self) -> Iterator[Info[Move]]:
        """Yield each new report until the search ends. Raises any exception that the search raised."""
        while (info := received(self._reports)) is not None:
            yield info.convert(self._line)
        self._reports.put(None)
        self.search_result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.stop()
        join(self._thread)


class BoardSearches(BookAndLevels):
    """The methods of an Engine that take a Board. Each of them sets the engine's position to that of the Board."""

    moves: list[int]
    set_position: Callable[..., None]
    may_declare: Callable[[], bool]
    search: Callable[..., SearchResult]
    find_mate: Callable[..., ForcedWin[str]]
    prepare: Callable[[], None]
    extend: Callable[[TimeBudget | None], None]
    stop: Callable[[], None]
    _compiling: Callable[[], contextlib.AbstractContextManager[None]]
    _idle: Callable[[], contextlib.AbstractContextManager[None]]
    _only_search: Callable[[], contextlib.AbstractContextManager[None]]
    _root_solver: RootSolver
    _claimed_by: int

    def play(self, board: BoardLike[Move], limit: Limit, *, root_moves: Sequence[object] = ()) -> PlayResult[Move]:
        """Search a Board's position and return the move to make.

        Args:
            root_moves: the Moves to choose from; empty means all

        Raises:
            ValueError: the Board is of another game, a root move is illegal, or no limit ends the search
            RuntimeError: a search of this engine is running
        """
        with self._placed(board) as side:
            limit.must_end(side)
            if self.may_declare():
                return PlayResult(declares=True)
            return self.search(**self._wanted(limit, 1, root_moves)).played(self._moves)

    @overload
    def analyse(
        self, board: BoardLike[Move], limit: Limit, *, multipv: None = None, root_moves: Sequence[object] = ()
    ) -> Info[Move]: ...

    @overload
    def analyse(
        self, board: BoardLike[Move], limit: Limit, *, multipv: int, root_moves: Sequence[object] = ()
    ) -> list[Info[Move]]: ...

    def analyse(
        self, board: BoardLike[Move], limit: Limit, *, multipv: int | None = None, root_moves: Sequence[object] = ()
    ) -> Info[Move] | list[Info[Move]]:
        """Analyse a Board's position and return a report. With `multipv`, return a list of reports, best move first.

        Raises the same exceptions as `play`, and ValueError without `multipv` if there is no legal move.
        """
        with self._placed(board) as side:
            limit.must_end(side)
            found = self.search(**self._wanted(limit, 1 if multipv is None else multipv, root_moves))
        lines: list[Info[Move]] = [line.convert(self._moves) for line in found.lines]
        if multipv is not None:
            return lines
        if not lines:
            raise ValueError("there is no legal move to analyse")
        return lines[0]

    def analysis(
        self,
        board: BoardLike[Move],
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        root_moves: Sequence[object] = (),
    ) -> Analysis[Move]:
        """Start a search in a thread and return it. Without a limit, it runs until `stop`.

        Raises the same exceptions as `play`.
        """
        with contextlib.ExitStack() as claim:
            claim.enter_context(self._placed(board))
            wanted = self._wanted(limit or Limit(), 1 if multipv is None else multipv, root_moves)
            return self._started(claim, wanted, self._moves)

    def start(self, **limits: Any) -> Analysis[str]:
        """Start `search` in a thread, with its keyword arguments, and return it. Raises RuntimeError like `search`."""
        with contextlib.ExitStack() as claim:
            claim.enter_context(self._claimed())
            return self._started(claim, limits, tuple)

    def _started(
        self, stack: contextlib.ExitStack, keywords: dict[str, Any], line: Callable[[Sequence[str]], Sequence[Move]]
    ) -> Analysis[Move]:
        """Start `search` in a thread."""
        claim, self._claimed_by = stack.pop_all(), 0  # the new thread takes over the claim

        def search(on_info: OnInfo) -> SearchResult:
            with claim:
                self._claimed_by = threading.get_ident()
                return self.search(**keywords, on_info=on_info)

        return Analysis(self, search, line)

    @property
    def _moves(self) -> Callable[[Sequence[str]], list[Any]]:
        """Converts moves of the game to Moves of its Board."""
        return partial(games.moves_of, self.game.name)

    def time_budget(self, limit: Limit) -> TimeBudget | None:
        """Return the time that a Limit gives the side to move, or None if it has no time limit."""
        side = int(games.board(self.game, self.position).turn)
        return budget_of(limit, side, len(self.moves), self.game.extras.budget)

    def mate(
        self, board: BoardLike[Move], limit: Limit | None = None, *, shortest: bool = False, every: bool = False
    ) -> ForcedWin[Move]:
        """Search a Board's position like `Engine.find_mate`. Only `time` and `nodes` of the limit are used."""
        limit = limit or Limit()
        with self._placed(board):
            max_ms = None if limit.time is None else 1000 * limit.time
            found = self.find_mate(max_ms=max_ms, nodes=limit.nodes, shortest=shortest, every=every)
        return found.convert(self._moves)

    def solve(self, board: BoardLike[Move], limit: Limit | None = None) -> Info[Move] | None:
        """Solve a Board's position to the end of the game; return the exact score with the best line, or None.

        Raises the same exceptions as `play`, and ValueError if the game is over or has no solver.

        Args:
            limit: only its `time` is used; if the time runs out, the result may be inexact (see Info.exact) or None
        """
        if board.is_game_over():
            raise ValueError("the game is over")
        with self._placed(board), self._only_search(), self._compiling():
            ms = float("inf") if limit is None or limit.time is None else 1000 * limit.time
            result = self._root_solver.solve(self.position, Limits(budget=TimeBudget.exactly(ms)), self.searcher.tt)
            return PvInfo(self.game, self.position, result.infos[0]).convert(self._moves) if result else None

    @contextlib.contextmanager
    def _placed(self, board: Any) -> Iterator[int]:
        """Set the position of a Board and yield the side to move. In the block, only this thread can search, and once.

        Raises ValueError for a Board of another game, and RuntimeError if a search of this engine is running.
        """
        record = board.record()
        if record.game != self.game.name:
            raise ValueError(f"this Board is for {record.game}, but the engine plays {self.game.name}")
        with self._claimed():
            self.set_position(record.start, record.moves)
            yield int(board.turn)

    @contextlib.contextmanager
    def _claimed(self) -> Iterator[None]:
        """Let only this thread search, and only once, inside the `with` block. Raises RuntimeError like `search`."""
        with self._idle():
            self._claimed_by = threading.get_ident()
            try:
                yield
            finally:
                self._claimed_by = 0

    def _wanted(self, limit: Limit, multipv: int, root_moves: Sequence[Any]) -> dict[str, Any]:
        """Return the keyword arguments for `search`. Invalid ones raise ValueError here, not in the other thread."""
        moves = [str(move) for move in root_moves]
        for move in moves:
            self.game.parse_move(self.position, move)
        if limit.level is not None:
            self.check_level(limit.level)
        if multipv < 1:
            raise ValueError(f"multipv must be at least 1, not {multipv}")
        names = ("depth", "nodes", "mate", "level")
        limits = {name: value for name in names if (value := getattr(limit, name)) is not None}
        return {"multipv": multipv, "searchmoves": moves, "budget": self.time_budget(limit), **limits}
