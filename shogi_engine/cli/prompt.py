"""Reads lines at a terminal, with editing, completion, the history of earlier games, and a time limit.

It imports prompt_toolkit, which only a terminal needs.
"""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from shogi_engine.play.clock import TimeUp

WITH_FILE = ("save", "load")
REFRESH_SECONDS = 0.5  # of the clocks below the line


class WordCompleter(Completer):
    """Completes the first word of a line, and file names after `save` and `load`.

    Args:
        words: `words()` returns the possible inputs
    """

    def __init__(self, words: Callable[[], Iterable[str]]) -> None:
        self._words = words
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield the completions of the line."""
        text = document.text_before_cursor.lstrip()
        command, blank, rest = text.partition(" ")
        if blank and command in WITH_FILE:
            yield from self._paths.get_completions(Document(rest), complete_event)
        elif not blank:
            for word in self._words():
                if word.lower().startswith(text.lower()):
                    yield Completion(word, start_position=-len(text))


class LinePrompt:
    """Reads lines.

    Args:
        words: `words()` returns the possible inputs
        left: `left()` returns the seconds until the clock ends the line with TimeUp, None for never
        clocks: `clocks()` returns the line below the input, '' for none
        history: a file, or None for no history
    """

    def __init__(
        self,
        words: Callable[[], Iterable[str]],
        left: Callable[[], float | None],
        clocks: Callable[[], str],
        history: Path | None,
    ) -> None:
        self._left, self._clocks = left, clocks
        self._session: PromptSession[str] = PromptSession(
            history=_history(history), completer=WordCompleter(words), complete_while_typing=False
        )

    def __call__(self, prompt: str) -> str:
        """Return a line. Raises EOFError for Ctrl-D, KeyboardInterrupt for Ctrl-C, TimeUp."""
        timed = self._left() is not None
        return self._session.prompt(
            prompt,
            bottom_toolbar=self._clocks if timed else None,
            refresh_interval=REFRESH_SECONDS if timed else 0,
            pre_run=self._watch,
        )

    def _watch(self) -> None:
        """End the line when the time is up."""
        left = self._left()
        if left is None:
            return
        app = get_app()

        async def end() -> None:
            await asyncio.sleep(max(left, 0.0))
            app.exit(exception=TimeUp())

        app.create_background_task(end())


def _history(path: Path | None) -> History:
    """Return the history in a file; if it cannot be written, a history in memory."""
    if path is not None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()  # FileHistory appends to it
        except OSError:
            return InMemoryHistory()
        return FileHistory(str(path))
    return InMemoryHistory()
