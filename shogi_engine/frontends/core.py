"""What the front ends share: one thread reads, one works, a third loads the engine; one lock guards the output.

The reader obeys at once what can not wait and hands the rest to the worker as tasks, which it does in order. A
protocol's `stop` stops tasks, those that still wait as well. Nothing is imported that needs numba: the engine is loaded
by its own thread after the first line has been obeyed, so that a front end answers at once while kernels still compile.

How a conversation ends, by `quit` or by the end of input:

* Somebody is at the other end (`stdio.Input.live`: a terminal, or a program that waited for an answer): everything is
  stopped, what can still be answered within LAST_WORDS is, in order, and the process ends.
* The input was a script, all of it there at once: everything that has an answer is answered, in order, and the end
  waits for it, for kernels that have to be compiled first as well. Work with a bound of its own (a depth, nodes, a
  time, a perft) is done to its end; a search that only `stop` would end is stopped and answers at once. What only
  changes the state (options, a new game) is no work that the end waits for beyond LAST_WORDS.
"""

import os
import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from shogi_engine.common.threads import start_thread
from shogi_engine.frontends.stdio import Output, asks_to_quit, read_line

if TYPE_CHECKING:
    from shogi_engine.engine import Engine
    from shogi_engine.jit import Progress

LAST_WORDS = 0.5  # seconds that what was asked for has for an answer at the end of what is no script
HEARTBEAT = 4.0  # seconds; GUIs give up after 5 or more without a line

Planned = TypeVar("Planned")


class CompileProgress:
    """How far compiling is: what the compiler's thread has reported last, for the heartbeat."""

    def __init__(self) -> None:
        self._last: Progress | None = None

    def __call__(self, progress: "Progress | None") -> None:
        """Take what is reported; None when all is done."""
        self._last = progress

    @property
    def text(self) -> str:
        """How far it is at this moment; '' if unknown."""
        last = self._last
        return last.describe() if last and last.left is not None else ""


compile_progress = CompileProgress()  # the process's: there is one compiler


def load_engine(game: str, evaluation: str = "", compiled: bool = True) -> "Engine":
    """Return an engine for `game` and one of its evaluations, its search compiled or loaded if `compiled`."""
    from shogi_engine.engine import Engine

    try:
        engine = Engine(game, evaluation=evaluation, on_progress=compile_progress)
        if compiled:
            engine.warmup()
    finally:
        compile_progress(None)
    return engine


class Task:
    """A line on its way through the worker.

    received_at : time.monotonic() when it was read   bounded : it ends by itself   awaited : the end of a script waits
    for it   running : the engine searches for it   stopped : its result is no longer needed
    """

    def __init__(
        self, work: Callable[[], None], received_at: float, *, bounded: bool = True, awaited: bool = True
    ) -> None:
        self.work, self.received_at = work, received_at
        self.bounded, self.awaited = bounded, awaited
        self.running = self.stopped = False

    def on_stop(self) -> None:
        """Called after the task was stopped, in the thread that stops it."""


class Heartbeat:
    """While it is entered, calls `beat(seconds)` every few seconds, from a thread of its own."""

    def __init__(self, beat: Callable[[float], None]) -> None:
        self._beat = beat
        self._over = threading.Event()

    def __enter__(self) -> None:
        threading.Thread(target=self._run, name="heartbeat", daemon=True).start()

    def __exit__(self, *failure: object) -> None:
        self._over.set()

    def _run(self) -> None:
        began = time.monotonic()
        while not self._over.wait(HEARTBEAT):
            self._beat(time.monotonic() - began)


class FrontEnd:
    """One conversation. `load` returns a warm engine; `leave(status)` ends the process. Subclasses know a protocol.

    task : the one at work   lock : guards the tasks and whether the engine searches   free_at : when the engine was
    loaded, or had answered last (time.monotonic)
    """

    refusals: type[Exception] = ValueError  # what a line that can not be obeyed raises; all else is a fault of ours

    def __init__(self, output: Output, load: Callable[[], "Engine"], leave: Callable[[int], object] = os._exit) -> None:
        self.out, self._load, self._leave = output, load, leave
        self.lock = threading.Lock()
        self.task = Task(lambda: None, 0.0)
        self.free_at = 0.0
        self._tasks: list[Task] = []  # not yet answered, in order
        self._queue: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self._engine: Any = None
        self._loaded = threading.Event()
        self._loading = False

    # ---- the protocol's own

    def obey(self, text: str, received_at: float) -> None:
        """Obey one line that is not empty, in the reader's thread."""
        raise NotImplementedError

    def fail(self, fault: Exception) -> None:
        """Say that the task at work could not be done, or what was asked for at all."""
        raise NotImplementedError

    def fail_to_load(self, failure: BaseException) -> None:
        """Say that there is no engine; the process ends."""
        self.fail(RuntimeError(f"the engine can not start: {failure!r}"))

    def say_compiling(self, seconds: float) -> None:
        """Say that the engine is alive, while something compiles."""

    def farewell(self) -> None:
        """Answer `quit`."""

    def asks_to_quit(self, text: str) -> bool:
        """Tell whether a line is `quit`."""
        return asks_to_quit(text)

    @contextmanager
    def heartbeat(self) -> Iterator[None]:
        """While it is entered, which the worker does to wait or to compile, say every few seconds that we are alive."""
        try:
            with Heartbeat(self.say_compiling):
                yield
        finally:
            compile_progress(None)

    def progress(self) -> str:
        """Return how far compiling is, for `say_compiling`; '' if that is not known."""
        return compile_progress.text

    # ---- the reader's side

    def run(self, lines: Iterable[bytes]) -> None:
        """Obey `lines` until `quit` or their end. What has no attribute `live` is a script."""
        start_thread(self._work, "worker")
        asked = False
        for raw in lines:
            received_at = time.monotonic()
            text = read_line(raw)
            self.out.note(">", text)
            asked = self.asks_to_quit(text)
            if asked:
                break
            if text:
                self.obey(text, received_at)
                self.start_loading()
        self._end(script=not getattr(lines, "live", False))
        if asked:
            self.farewell()
        self._leave(0)

    def _end(self, script: bool) -> None:
        """Let what was asked for be answered, as the module says."""
        for task in self.pending():
            if not (script and task.bounded):
                self.stop(task)
        patient = script and any(task.awaited for task in self.pending())
        answered = threading.Event()
        self.put(Task(answered.set, time.monotonic()))
        answered.wait(None if patient else LAST_WORDS)

    def put(self, task: Task) -> None:
        """Let the worker do `task` after all that it was given before."""
        with self.lock:
            self._tasks.append(task)
        self._queue.put(task)

    def pending(self) -> list[Task]:
        """Return the tasks that are not answered yet, in order."""
        with self.lock:
            return list(self._tasks)

    def stop(self, task: Task) -> None:
        """End the search of a task, or keep it from beginning."""
        with self.lock:
            task.stopped = True
            if task.running:
                self._engine.stop()
        task.on_stop()

    def stop_all(self) -> None:
        """Stop all that was asked for before now."""
        for task in self.pending():
            self.stop(task)

    # ---- loading

    @property
    def loaded(self) -> bool:
        """Tell whether the engine is there."""
        return self._loaded.is_set()

    def start_loading(self) -> None:
        """Load the engine, in a thread, if that has not begun."""
        if not self._loading:
            self._loading = True
            start_thread(self._load_engine, "loader")

    def _load_engine(self) -> None:
        self.out.keep_crashes()
        try:
            self._engine = self._load()
        except BaseException as failure:
            self.log_failure()
            self.fail_to_load(failure)
            self._leave(1)
            return
        self.free_at = time.monotonic()
        self._loaded.set()

    @property
    def engine(self) -> "Engine":
        """The engine, as soon as it is there."""
        if not self.loaded:
            self.start_loading()
            with self.heartbeat():
                self._loaded.wait()
        engine: Engine = self._engine
        return engine

    # ---- the worker's side

    def _work(self) -> None:
        while True:
            self.task = task = self._queue.get()
            try:
                task.work()
            except self.refusals as fault:
                self.fail(fault)
            except Exception as failure:
                self.log_failure()
                self.fail(failure)
            finally:
                self.finish(task)

    def finish(self, task: Task) -> None:
        """Count a task as answered."""
        with self.lock:
            if task in self._tasks:
                self._tasks.remove(task)

    def log_failure(self) -> None:
        """Write the exception that is handled to the crash log and to the debug log."""
        traceback.print_exc()
        if self.out.has_log:
            self.out.note("!", traceback.format_exc())

    @contextmanager
    def searching(self, task: Task, plan: Callable[[], Planned]) -> Iterator[Planned]:
        """Announce a search for `task`: from here on a stop reaches it, even before it has begun.

        Yields what `plan()` says of it, called when no stop and no change of the clock can be lost any more.
        """
        engine = self.engine
        with self.lock:
            planned = plan()
            engine.prepare()
            task.running = True
        try:
            yield planned
        finally:
            with self.lock:
                task.running = False
