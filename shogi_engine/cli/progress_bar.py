"""A progress bar for long work, with the remaining time."""

import contextlib
import sys
from collections.abc import Callable, Iterator

from shogi_engine.language import translate as _

PER_SECOND = 4


@contextlib.contextmanager
def progress_bar(what: str, whole: int, done: int = 0) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each step. The bar is on stderr; if that is not a terminal, there is none.

    Args:
        done: how many of the `whole` steps are already done
    """
    if not sys.stderr.isatty() or done >= whole:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn(_("left")),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        refresh_per_second=PER_SECOND,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with progress:
        task = progress.add_task(_(what), total=whole, completed=done)
        yield lambda: progress.advance(task)
