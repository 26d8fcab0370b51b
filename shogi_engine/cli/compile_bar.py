"""A bar that shows the progress of compiling in a terminal."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from shogi_engine.language import translate as _

if TYPE_CHECKING:
    from shogi_engine.jit import Progress

WIDTH = 30
PER_SECOND = 5


class CompileBar:
    """Receives jit.on_progress's reports and shows a line on stderr, if that is a terminal."""

    def __init__(self) -> None:
        self._last: Progress | None = None
        self._live: Any = None
        self._closed = not sys.stderr.isatty()

    def __call__(self, progress: "Progress") -> None:
        """Show `progress`."""
        self._last = progress
        if self._live is None and not self._closed:
            # Imported only now, so that a start without compiling does not wait for it.
            from rich.console import Console
            from rich.live import Live

            self._live = Live(
                console=Console(stderr=True),
                get_renderable=self._line,
                refresh_per_second=PER_SECOND,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start(refresh=True)

    def _line(self) -> Any:
        """Return the current line."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        assert self._last is not None
        line = Table.grid(padding=(0, 1))
        share, left = self._last.now()
        bar = ProgressBar(total=1.0 if left is not None else None, completed=share, width=WIDTH)
        line.add_row(_("compiling"), bar, _(self._last.describe()))
        return line

    def close(self) -> None:
        """Remove the line permanently."""
        self._closed = True
        if self._live is not None:
            self._live.stop()
            self._live = None

    def then(self, progress: Callable[[int, int], None] | None) -> Callable[[int, int], None] | None:
        """Wrap `progress` so that the bar is removed first, as compiling is over by then."""
        if progress is None:
            return None

        def show(done: int, whole: int) -> None:
            self.close()
            progress(done, whole)

        return show


@contextlib.contextmanager
def compile_bar() -> Iterator[CompileBar]:
    """Show a bar for what is compiled inside the `with` block, if stderr is a terminal."""
    bar = CompileBar()
    if not sys.stderr.isatty():
        yield bar
        return
    from shogi_engine.jit import on_progress

    forget = on_progress(bar)
    try:
        yield bar
    finally:
        forget()
        bar.close()
