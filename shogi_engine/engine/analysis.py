"""Analysis: a search of an `Engine` in another thread."""

import contextlib
import queue
from collections.abc import Callable, Iterator
from typing import Any, Generic, Self

from shogi_engine.common.search_handle import SearchHandle
from shogi_engine.common.threads import join, received, start_thread
from shogi_engine.engine.results import Line, PvInfo, SearchResult
from shogi_engine.types.clock import TimeBudget
from shogi_engine.types.info import Info, Move, PlayResult
from shogi_engine.types.limit import Limit

OnInfo = Callable[[PvInfo], None]


class Analysis(SearchHandle, Generic[Move]):
    """A search in another thread. Iterate over it to receive its reports. The end of a `with` block stops it.

    So does Ctrl-C while its reports or its end are waited for.
    """

    def __init__(self, engine: Any, search: Callable[[OnInfo], SearchResult], line: Line[Move]) -> None:
        super().__init__()
        self._player, self._line = engine, line
        self._reports: queue.SimpleQueue[PvInfo | BaseException | None] = queue.SimpleQueue()
        self._lines: dict[int, PvInfo] = {}
        self._result: SearchResult | BaseException | None = None
        with contextlib.ExitStack() as announced:
            announced.enter_context(self.searching(engine, lambda: None))
            self._thread = start_thread(self._run, "analysis", search, announced.pop_all())

    def __repr__(self) -> str:
        return f"<Analysis {'done' if self._result is not None else 'running'}: {self.info}>"

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
        with self._interruptible():
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
        while True:
            with self._interruptible():
                info = received(self._reports)
            if info is None:
                break
            yield info.convert(self._line)
        self._reports.put(None)
        self.search_result()

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        """End the search if the wait for it is interrupted: no one may have it any more, and the engine is needed."""
        try:
            yield
        except KeyboardInterrupt:
            self.stop()
            join(self._thread)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.stop()
        join(self._thread)
