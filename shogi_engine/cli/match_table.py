"""The progress of a match: a table on a terminal."""

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from shogi_engine.cli.progress import live
from shogi_engine.language import translate as _

if TYPE_CHECKING:
    from shogi_engine.match import Match


@contextlib.contextmanager
def shown_match(match: "Match", names: Sequence[str]) -> Iterator[None]:
    """Show a table while the block plays, if stderr is a terminal."""
    with live(MatchView(match, names).table) if sys.stderr.isatty() else contextlib.nullcontext():
        yield


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
