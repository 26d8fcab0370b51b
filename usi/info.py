"""The info lines of a search. Standard library only."""

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from shogi_engine.common.text import sanitize
from shogi_engine.frontends.stdio import Output
from usi.protocol import info_line

if TYPE_CHECKING:
    from shogi_engine.engine.results import PvInfo


class UsiOutput(Output):
    """Lines to the GUI and to the debug log."""

    def info(self, text: str) -> None:
        """Write an `info string`; `text` may contain any characters."""
        self.line(f"info string {sanitize(text)}")


class InfoWriter:
    """Prints the lines of one search, at most every `interval_ms`.

    With MultiPV, the lines of a depth are printed together, best first; those of the first depth are printed at once.
    Lines whose value is a bound are dropped then, because they cannot be ordered.

    Args:
        numbered: whether to print `multipv`
        count: the number of lines, MultiPV
        bounds: whether to print lines with bounds if there is only one line
        pv: returns the moves to print for a line
    """

    def __init__(
        self,
        output: Output,
        *,
        interval_ms: int,
        numbered: bool = False,
        count: int = 1,
        bounds: bool = True,
        pv: Callable[["PvInfo"], Sequence[str]] = lambda line: line.pv,
    ) -> None:
        self._out, self._interval = output, interval_ms / 1000
        self._numbered, self._count = numbered, count
        self._bounds, self._pv = bounds, pv
        self._last = time.monotonic() if count == 1 else -math.inf
        self._held: list[PvInfo] = []  # exact lines of the current depth
        self._complete: list[PvInfo] = []  # those of the last complete depth, best first

    def __call__(self, line: "PvInfo") -> None:
        """Receive a line from the search."""
        if self._count == 1:
            if not line.bound:
                self._complete = [line]
            if (self._bounds or not line.bound) and self._due():
                self._show(line, 1)
        elif not line.bound:
            if self._held and self._held[0].depth != line.depth:
                self._held = []
            self._held.append(line)
            if len(self._held) == self._count:
                self._complete, self._held = by_value(self._held), []
                if self._due():
                    self._show_all(self._complete)

    def finish(self, lines: Sequence["PvInfo"]) -> None:
        """Print the last lines of a search, best first and each move once, with the nodes and time of the search."""
        for number, line in enumerate(self.last_lines(lines), 1):
            self._show(line, number, lines[0])

    def last_lines(self, lines: Sequence["PvInfo"]) -> list["PvInfo"]:
        """Return the final lines, given those of the result. The line of the best move stays first.

        Where bounds are not shown, a line with a bound is replaced by the last exact line of the same move.
        """
        bounds = self._bounds and self._count == 1
        exact = {line.pv[0]: line for line in [*self._complete, *self._held] if line.pv}
        chosen: dict[str, PvInfo] = {}
        for line in lines:
            move = line.pv[0] if line.pv else ""
            chosen.setdefault(move, exact.get(move, line) if line.bound and not bounds else line)
        return list(chosen.values())

    def _due(self) -> bool:
        """Tell whether the interval has passed; if so, restart it."""
        now = time.monotonic()
        due = now - self._last >= self._interval
        if due:
            self._last = now
        return due

    def _show_all(self, lines: Sequence["PvInfo"]) -> None:
        for number, line in enumerate(lines, 1):
            self._show(line, number)

    def _show(self, line: "PvInfo", number: int, whole: "PvInfo | None" = None) -> None:
        """Print one line with the given number, and the nodes and time of `whole`, which is `line` by default."""
        whole = whole or line
        self._out.line(
            info_line(
                depth=line.depth,
                seldepth=line.seldepth,
                multipv=number if self._numbered else 0,
                score=line.score,
                bound=line.bound,
                nodes=whole.nodes,
                seconds=whole.time,
                hashfull=whole.hashfull,
                pv=self._pv(line),
            )
        )


def by_value(lines: Sequence["PvInfo"]) -> list["PvInfo"]:
    """Return lines sorted from best to worst. The sort is stable."""
    return sorted(lines, key=lambda line: -line.value)
