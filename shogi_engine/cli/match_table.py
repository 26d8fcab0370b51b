"""The progress of a match: a table on a terminal, plain lines elsewhere."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from shogi_engine.language import translate as _

if TYPE_CHECKING:
    from shogi_engine.match import Match

PER_SECOND = 2


@contextlib.contextmanager
def shown_match(match: "Match", names: Sequence[str], every: int) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each game.

    Args:
        every: the number of games between lines on stderr; 0 for none
    """
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.live import Live

        view = MatchView(match, names)
        console = Console(stderr=True)
        with Live(get_renderable=view.table, console=console, refresh_per_second=PER_SECOND, transient=True):
            yield lambda: _line_due(match, names, every)
    else:
        yield lambda: _line_due(match, names, every)


def _line_due(match: "Match", names: Sequence[str], every: int) -> None:
    done = len(match.log.records)
    if every and done % every == 0:
        print(_progress(match, names), file=sys.stderr, flush=True)


def _progress(match: "Match", names: Sequence[str]) -> str:
    """Return the state of the match in one line."""
    from shogi_engine.match import report

    if len(names) == 2:
        return report.line(report.summarise(match.log.records, match.sprt))
    rows = report.standings(match.log.records, names)
    ratings = ", ".join(f"{row['name']} {row['elo']:+.0f}" for row in rows)
    return _("{count} games: {ratings}").format(count=len(match.log.records), ratings=ratings)


class MatchView:
    """The table, drawn from a copy of the log, because another thread may change the log meanwhile."""

    def __init__(self, match: "Match", names: Sequence[str]) -> None:
        self._match, self._names = match, names
        self._began, self._before = time.monotonic(), len(match.log.records)

    def table(self) -> Any:
        """Return the current table, a rich table."""
        from rich.table import Table

        from shogi_engine.match import report

        records = dict(self._match.log.records)
        table = Table(title=self._title(len(records)), caption=self._caption(records))
        for column in report.COLUMNS:
            table.add_column(_(column), justify="left" if not column else "right")
        for row in report.standings(records, self._names):
            table.add_row(*report.cells(row))
        return table

    def _title(self, done: int) -> str:
        whole = len(self._match.numbers)
        played = done - self._before
        elapsed = time.monotonic() - self._began
        title = _("{done} of {whole} games").format(done=done, whole=whole)
        minutes = elapsed / max(played, 1) * (whole - done) / 60
        return title + (_(", {minutes:.1f} min left").format(minutes=minutes) if played > 0 else "")

    def _caption(self, records: dict[int, Any]) -> str:
        from shogi_engine.match import report

        if len(self._names) != 2:
            return ""
        return report.line(report.summarise(records, self._match.sprt))
