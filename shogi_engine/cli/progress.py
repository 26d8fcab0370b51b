"""The progress of a command: one line with a bar on stderr, if that is a terminal."""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NoReturn

from shogi_engine import games
from shogi_engine.cli.common import flush_quietly
from shogi_engine.common.threads import end_process, start_thread
from shogi_engine.language import translate as _
from shogi_engine.types.limits import Limit

if TYPE_CHECKING:
    from shogi_engine.interface.game import Game


WIDTH = 30
PER_SECOND = 4
State = tuple[str, float | None, str]  # what is being done, the completed share or None if unknown, and a text


def live(renderable: Callable[[], Any]) -> Any:
    """Return a rich.live.Live that draws `renderable()` on stderr and disappears at the end."""
    from rich.console import Console
    from rich.live import Live

    return Live(
        console=Console(stderr=True),
        get_renderable=renderable,
        refresh_per_second=PER_SECOND,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


class ProgressBar:
    """The line. It appears when there is something to show; `close` removes it until then.

    Args:
        what: what is counted
        whole, done: the number of steps, and how many of them are done already
    """

    def __init__(self, what: str = "", whole: int = 0, done: int = 0) -> None:
        self._what, self._whole, self._done = _(what), whole, done
        self._first, self._began = done, time.monotonic()
        self._kernels = 0
        self._live: Any = None
        self._state: Callable[[], State] | None = None
        self.is_shown = sys.stderr.isatty()

    def compiling(self, number: int) -> None:
        """Show how many kernels are compiled, until something else is shown."""
        self._kernels = number
        if self._state is None:
            self._show(None)

    def count(self, done: int, whole: int) -> None:
        """Show that `done` of `whole` steps are done."""
        self._done, self._whole = done, whole
        self._show(self._counted)

    def advance(self) -> None:
        """Show that one more step is done."""
        self.count(self._done + 1, self._whole)

    def say(self, text: str) -> None:
        """Show a text; '' removes the line."""
        if text:
            self._show(lambda: (text, None, ""))
        else:
            self.close()

    def search(self, nodes: int, seconds: float) -> None:
        """Show a search's nodes."""
        text = _("{nodes} nodes, {seconds:.0f} s").format(nodes=nodes, seconds=seconds)
        self._show(lambda: (self._what, None, text))

    def share(self, share: float, text: str) -> None:
        """Show the completed share, from 0 to 1, and a text."""
        self._show(lambda: (self._what, share, text))

    def close(self) -> None:
        """Remove the line."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _show(self, state: Callable[[], State] | None) -> None:
        self._state = state
        if self._live is None and self.is_shown:
            # rich is imported only now, so that a start without compiling does not wait for it.
            self._live = live(self._line)
            self._live.start(refresh=True)

    def _counted(self) -> State:
        text = f"{self._done}/{self._whole}"
        if self._first < self._done < self._whole:
            left = (time.monotonic() - self._began) / (self._done - self._first) * (self._whole - self._done)
            text += "  " + _("left") + f" {timedelta(seconds=round(left))}"
        return self._what, self._done / max(self._whole, 1), text

    def _compiled(self) -> State:
        return _("compiling kernel {number}").format(number=self._kernels), None, ""

    def _line(self) -> Any:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        what, share, text = (self._state or self._compiled)()
        line = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=None if share is None else 1.0, completed=share or 0, width=WIDTH)
        line.add_row(Text(what), bar, Text(text))
        return line


@contextlib.contextmanager
def progress_bar(what: str = "", whole: int = 0, done: int = 0) -> Iterator[ProgressBar]:
    """Show the progress of compiling, and of what the block reports, if stderr is a terminal."""
    line = ProgressBar(what, whole, done)
    if not line.is_shown:
        yield line
        return
    from shogi_engine.jit.policy import watchers

    watchers.append(line.compiling)
    try:
        yield line
    finally:
        watchers.remove(line.compiling)
        line.is_shown = False
        line.close()


# ---- Prepares a search in a thread while a human reads and types, for `play`
#
# A separate process would not be faster: it would compile the rules again, which are most of the search.


LAST_WAIT = 0.2  # seconds allowed for the thread to end by itself


class Preparation:
    """Compiles or loads the search of `game` in a thread, then the kernels needed later in a game."""

    def __init__(self, game: "Game") -> None:
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = start_thread(self._work, "preparation", game)

    def _work(self, game: "Game") -> None:
        from shogi_engine.engine import Engine

        try:
            with Engine(game, hash_mb=1) as engine:  # kernels belong to the process, positions to the engine
                engine.play(engine.board(), Limit(nodes=1))
                self._ready.set()
                engine.warmup()
                games.warm_board(game.name)
        except BaseException as failure:
            self._failure = failure
        finally:
            self._ready.set()

    def wait(self) -> None:
        """Wait until the engine can search; raises the thread's exception if it failed."""
        if not self._ready.is_set():
            with progress_bar():
                self._ready.wait()
        if self._failure is not None:
            raise self._failure

    def is_busy(self) -> bool:
        """Tell whether the thread is still at work."""
        self._thread.join(LAST_WAIT)
        return self._thread.is_alive()


def leave(status: int) -> NoReturn:
    """End the process at once: a normal exit would destroy LLVM objects that a thread still uses."""
    flush_quietly()
    end_process(status)
