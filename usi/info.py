"""The info lines of a search: which are shown, when, and in which order. Standard library only."""

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

    With several best moves, the lines of a depth are held until all are there, and printed together, best first; those
    of the first depth are printed at once. Lines that are only bounds are then dropped, because they cannot be ordered.

    Args:
        numbered: whether lines have `multipv`
        count: the number of best moves searched
        bounds: whether to show lines with bounds, in a search for one best move
        pv: returns the moves of a line to show
    """

    def __init__(
        self,
        output: Output,
        *,
        interval_ms: int,
        numbered: bool = False,
        count: int = 1,
        bounds: bool = True,
        pv: Callable[["PvInfo"], list[str]] = lambda line: line.pv,
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
        """Print the last lines of a search, best first: each move once, with exact values where known."""
        self._show_all(self.last_lines(lines))

    def last_lines(self, lines: Sequence["PvInfo"]) -> list["PvInfo"]:
        """Choose the final lines from those of the result; the first remains that of the best move.

        Instead of a bound, the last exact line of the same move is shown.
        """
        exact = {line.pv[0]: line for line in [*self._complete, *self._held] if line.pv}
        chosen: dict[str, PvInfo] = {}
        for line in lines:
            move = line.pv[0] if line.pv else ""
            chosen.setdefault(move, exact.get(move, line) if line.bound else line)
        return list(chosen.values())

    def _due(self) -> bool:
        """Tell whether lines may be shown again, and restart the interval if so."""
        now = time.monotonic()
        due = now - self._last >= self._interval
        if due:
            self._last = now
        return due

    def _show_all(self, lines: Sequence["PvInfo"]) -> None:
        for number, line in enumerate(lines, 1):
            self._show(line, number)

    def _show(self, line: "PvInfo", number: int) -> None:
        """Print one line with the given number."""
        self._out.line(
            info_line(
                depth=line.depth,
                seldepth=line.seldepth,
                multipv=number if self._numbered else 0,
                score=line.score,
                bound=line.bound,
                nodes=line.nodes,
                seconds=line.seconds,
                hashfull=line.hashfull,
                pv=self._pv(line),
            )
        )


def by_value(lines: Sequence["PvInfo"]) -> list["PvInfo"]:
    """Sort lines, best first; equal ones keep their order."""
    return sorted(lines, key=lambda line: -line.value)
