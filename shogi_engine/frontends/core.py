"""The command loop of all front ends, with a reader thread, a worker thread, and a thread that loads the engine.

The reader executes urgent commands at once and puts the others into the worker's queue as tasks, which are done in
order. Nothing that needs numba is imported here. The engine is loaded after the first line, so a front end answers at
once while kernels are being compiled.

What a line does to earlier ones, among them a protocol's `stop`, and `quit` or the end of input:
* Interactive input (`stdio.Input.live`: a terminal, or a program that waited for an answer): each line is executed as
  it comes. `stop` stops all tasks, including waiting ones. The end does so too; commands that can be answered within
  LAST_WORDS are answered in order, and the process ends.
* A script, whose input is complete from the beginning: each line is executed when the earlier ones have been answered,
  as if they were sent one at a time, even if kernels must be compiled first. Work that ends by itself (a depth, nodes,
  a time, a perft) is completed; lines after a search without a limit are executed while it runs, and `stop` or the end
  stops it. The end waits at most LAST_WORDS for commands that only change the state (options, a new game).
"""

import queue
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from shogi_engine.common.search_handle import SearchHandle
from shogi_engine.common.threads import end_process, start_thread
from shogi_engine.frontends.stdio import Output, asks_to_quit, read_line

if TYPE_CHECKING:
    from shogi_engine.engine import Engine
    from shogi_engine.jit import Progress

LAST_WORDS = 0.5  # grace period in seconds for pending answers at the end of interactive input
HEARTBEAT = 4.0  # seconds between lines; GUIs give up after 5 or more seconds without one


class CompileProgress:
    """The progress of compiling: the last report of the compiler's thread, for the heartbeat."""

    def __init__(self) -> None:
        self._last: Progress | None = None

    def __call__(self, progress: "Progress | None") -> None:
        """Store a report; None when all is done."""
        self._last = progress

    def text(self, seconds: float) -> str:
        """Return what takes long, and for how many `seconds` it has; 'loading' unless something was compiled."""
        last = self._last
        if last is None:
            return f"loading ... {seconds:.0f} s"
        known = "this takes long only before the first game" if last.left is None else last.describe()
        return f"compiling ... {seconds:.0f} s ({known})"


compile_progress = CompileProgress()  # one per process, like the compiler


def load_engine(game: str, evaluation: str = "", compiled: bool = True) -> "Engine":
    """Return an engine for `game` with one of its evaluations; if `compiled`, its search is compiled or loaded."""
    from shogi_engine.engine import Engine

    try:
        engine = Engine(game, evaluation=evaluation, on_progress=compile_progress)
        if compiled:
            engine.warmup()
    finally:
        compile_progress(None)
    return engine


class Task(SearchHandle):
    """A command for the worker, which may search. `requested` is the time when it was read.

    Attributes:
        bounded: whether it ends by itself
        awaited: whether it is answered, so that a script waits for it
    """

    def __init__(
        self,
        work: Callable[[], None],
        requested: float,
        *,
        bounded: bool = True,
        awaited: bool = True,
        pondering: bool = False,
    ) -> None:
        super().__init__(pondering=pondering, requested=requested)
        self.work, self.bounded, self.awaited = work, bounded, awaited


class Heartbeat:
    """Calls `beat(seconds)` every few seconds inside the `with` block, from its own thread."""

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
    """A session. `load` returns a compiled engine; `leave(status)` ends the process. Subclasses add a protocol.

    Attributes:
        task: the current one
        lock: guards the list of tasks
        free_at: when the engine was loaded or last answered (time.monotonic)
    """

    refusals: type[Exception] = ValueError  # raised for invalid lines; other exceptions are bugs

    def __init__(
        self, output: Output, load: Callable[[], "Engine"], leave: Callable[[int], object] = end_process
    ) -> None:
        self.out, self._load, self._leave = output, load, leave
        self.lock = threading.Lock()
        self.task = Task(lambda: None, 0.0)
        self.free_at = 0.0
        self._tasks: list[Task] = []  # unanswered, in order
        self._queue: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self._obeying = (
            threading.Condition()
        )  # guards what follows; held while a line is executed, never while a task is
        self._held: deque[tuple[str, float]] = deque()  # lines of a script, and when they were read
        self._awaited: deque[Task] = deque()  # the tasks that a script waits for, not yet done
        self._script = False  # whether the line being executed is one of a script
        self._engine: Any = None
        self._loaded = threading.Event()
        self._loading = False

    # ---- the protocol's own

    def obey(self, text: str, received_at: float) -> None:
        """Execute or queue one line that is not empty, in the reader's thread; a script's in any thread."""
        raise NotImplementedError

    def fail(self, fault: Exception) -> None:
        """Report that the current task, or the line just read, failed."""
        raise NotImplementedError

    def fail_to_load(self, failure: BaseException) -> None:
        """Report that the engine could not be loaded; the process then ends."""
        self.fail(RuntimeError(f"the engine cannot start: {failure!r}"))

    def say_alive(self, text: str) -> None:
        """Report what takes long, so that a GUI does not give up."""

    def farewell(self) -> None:
        """Answer `quit`."""

    def asks_to_quit(self, text: str) -> bool:
        """Tell whether a line is `quit`."""
        return asks_to_quit(text)

    @contextmanager
    def heartbeat(self) -> Iterator[None]:
        """Report every few seconds that the engine is alive, while the worker waits or compiles in the `with` block."""
        try:
            with Heartbeat(lambda seconds: self.say_alive(compile_progress.text(seconds))):
                yield
        finally:
            compile_progress(None)

    # ---- the reader's side

    def run(self, lines: Iterable[bytes]) -> None:
        """Execute `lines` until `quit` or their end. Lines without an attribute `live` are a script."""
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
                with self._obeying:
                    self._held.append((text, received_at))
                    self._obey_held(script=not getattr(lines, "live", False))
                self.start_loading()
        self._end(script=not getattr(lines, "live", False))
        if asked:
            self.farewell()
        self._leave(0)

    def _end(self, script: bool) -> None:
        """Wait for the remaining answers, as the module's docstring says."""
        with self._obeying:
            if script:
                self._obeying.wait_for(lambda: not self._held)
            self._obey_held(script)
            self.stop_all()
        patient = script and any(task.awaited for task in self.pending())
        answered = threading.Event()
        self.put(Task(answered.set, time.monotonic()))
        answered.wait(None if patient else LAST_WORDS)

    def _obey_held(self, script: bool) -> None:
        """Execute the lines held back: all of them, or those of a script up to the first that has to wait."""
        self._script = script
        while self._held and not (script and self._ends_by_itself()):
            text, received_at = self._held.popleft()
            self._attempt(self.obey, text, time.monotonic() if script else received_at)

    def _ends_by_itself(self) -> bool:
        """Tell whether the first of the awaited tasks, if there is one, will end or begin without another line."""
        first = self._awaited[0] if self._awaited else None
        return first is not None and (first.bounded or first.stopped or not self.loaded)

    def _go_on(self, done: Task | None = None) -> None:
        """Execute the lines of a script that waited for the task `done`, or for the engine."""
        with self._obeying:
            if done and done.awaited:
                self._awaited.popleft()
            self._obey_held(script=True)
            self._obeying.notify()

    def put(self, task: Task) -> None:
        """Queue `task` for the worker."""
        if task.awaited:
            self._awaited.append(task)
        with self.lock:
            self._tasks.append(task)
        self._queue.put(task)

    def pending(self) -> list[Task]:
        """Return the unanswered tasks, in order."""
        with self.lock:
            return list(self._tasks)

    def stop_all(self) -> None:
        """Stop all tasks queued so far; in a script, those that do not end by themselves."""
        for task in self.pending():
            if not (self._script and task.bounded):
                task.stop()

    # ---- loading

    @property
    def loaded(self) -> bool:
        """Tell whether the engine is loaded."""
        return self._loaded.is_set()

    def start_loading(self) -> None:
        """Start loading the engine in a thread, unless that was done."""
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
        self._go_on()

    @property
    def engine(self) -> "Engine":
        """The engine; waits until it is loaded."""
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
                self._attempt(task.work)
            finally:
                self.finish(task)
            self._go_on(task)

    def _attempt(self, work: Callable[..., None], *arguments: object) -> None:
        """Call `work(*arguments)`, and report what it raises."""
        try:
            work(*arguments)
        except self.refusals as fault:
            self.fail(fault)
        except Exception as failure:
            self.log_failure()
            self.fail(failure)

    def finish(self, task: Task) -> None:
        """Count a task as answered."""
        with self.lock:
            if task in self._tasks:
                self._tasks.remove(task)

    def log_failure(self) -> None:
        """Write the exception being handled to the crash log and the debug log."""
        traceback.print_exc()
        if self.out.has_log:
            self.out.note("!", traceback.format_exc())
