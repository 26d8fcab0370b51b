"""Threads for searches, which recurse deeper than the default stack of some systems. Standard library only."""

import contextlib
import itertools
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

# ---- Search: work for an engine, which any thread may stop. Standard library only


Found = TypeVar("Found")


class Stoppable(Protocol):
    """A search that runs."""

    def stop(self) -> object:
        """End it; it still has a result."""


class Searcher(Stoppable, Protocol):
    """An engine, or a stand-in."""

    def prepare(self) -> object:
        """Announce a search, so that `stop` and `extend` apply to it before it has begun."""

    def extend(self, budget: Any) -> object:
        """Give the search a new time budget, which starts now."""


class Search(Generic[Found]):
    """Work for an engine, from its request to its end. Any thread may stop it at any time.

    Args:
        work: `work(engine, search)` returns the result, soon after `stop`
        done: called with this search when the work has ended, in its thread

    Attributes:
        lock: guards the attributes
        stopped: whether its result is no longer needed
        pondering: whether the expected move has not been made yet
        requested: the time of the request (time.monotonic); after `ponderhit`, the time of the expected move
        decided: an event that is set when it is stopped or no longer ponders
        fault: what the work has raised, None until then
    """

    def __init__(
        self,
        work: Callable[[Any, Any], Found] | None = None,
        *,
        done: Callable[[Any], object] = lambda search: None,
        pondering: bool = False,
        requested: float | None = None,
    ) -> None:
        self._work, self._done = work, done
        self._found: Found | None = None
        self.fault: BaseException | None = None
        self._ended = threading.Event()
        self.lock = threading.Lock()
        self.stopped, self.pondering = False, pondering
        self.requested = time.monotonic() if requested is None else requested
        self.decided = threading.Event()
        self._hit: Any = None  # the budget that `ponderhit` gave, if no plan knows it
        self._running: Stoppable | None = None
        self._engine: Searcher | None = None
        if not pondering:
            self.decided.set()

    def stop(self) -> None:
        """Stop the search, from any thread. It still has a result. Does nothing after the end of the search."""
        with self.lock:
            self.stopped = True
            self.decided.set()
            if self._running is not None:
                self._running.stop()

    def ponderhit(self, budget: Any, now: float | None = None) -> None:
        """Continue as a normal search, because the expected move was made.

        Args:
            budget: the TimeBudget of the reply, None for no limit
            now: when the move was made (time.monotonic)
        """
        now = time.monotonic() if now is None else now
        with self.lock:
            pondered_ms = 1000 * (now - self.requested)
            self.pondering, self.requested = False, now
            self._hit = None if budget is None else budget.after_pondering(pondered_ms)
            if self._engine is not None and self._hit is not None:
                self._engine.extend(self._hit)
            self.decided.set()

    def ponders(self) -> bool:
        """Tell whether it ponders, for a plan of its time: what a `ponderhit` says later changes the plan."""
        with self.lock:
            self._hit = None
            return self.pondering

    def follow(self, running: Stoppable | None) -> bool:
        """Make `stop` end `running` (None: nothing) from now on; return whether the search is still needed."""
        with self.lock:
            self._running = running
            return not self.stopped

    @contextlib.contextmanager
    def searching(self, engine: Searcher) -> Iterator[bool]:
        """Announce the search to an engine, and let `stop` and `ponderhit` reach it inside the `with` block.

        The block gets whether it was stopped before. If a `ponderhit` has come since `ponders`, its budget applies.

        Args:
            engine: the engine that will search
        """
        with self.lock:
            engine.prepare()
            before = self._running, self._engine
            self._running = self._engine = engine
            if self._hit is not None:
                engine.extend(self._hit.less(1000 * (time.monotonic() - self.requested)))
            stopped = self.stopped
        try:
            yield stopped
        finally:
            with self.lock:
                self._running, self._engine = before

    # ---- the work

    def run(self, engine: Any, again: Callable[[], bool] = lambda: False) -> None:
        """Do the work with an engine, in this thread, and keep its result or fault.

        Args:
            again: tells, after the work, whether it will be done again; otherwise it has ended, and `done` is called
        """
        try:
            self._found = self._work(engine, self) if self._work else None
        except BaseException as fault:
            self.fault = fault
        if not again():
            self._ended.set()
            self._done(self)

    def start(self, engine: Any, name: str) -> Self:
        """Do the work in a new thread, whose name is given."""
        start_thread(self.run, name, engine)
        return self

    @property
    def ended(self) -> bool:
        """Whether the work has ended."""
        return self._ended.is_set()

    def join(self) -> None:
        """Wait for the end of the work. An endless wait would miss Ctrl-C on some systems."""
        while not self._ended.wait(1):
            continue

    def result(self) -> Found:
        """Wait for the end of the work, and return its result or raise its fault."""
        self.join()
        if self.fault is not None:
            raise self.fault
        return self._found  # type: ignore[return-value]  # None only if the work returns it


Item = TypeVar("Item")
Result = TypeVar("Result")

STACK_BYTES = 64 << 20  # the search recurses deeply; macOS and Windows give threads small stacks

_starting = threading.Lock()


def start_thread(work: Callable[..., object], name: str, *arguments: object) -> threading.Thread:
    """Start and return a thread that runs `work(*arguments)` with a large stack; it does not keep the process alive."""
    thread = threading.Thread(target=work, args=arguments, name=name, daemon=True)
    with _starting:  # the stack size is a setting of the process, not of a thread
        before = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    return thread


def begun(work: Callable[[], Result], patience: float | None = None) -> "Future[Result]":
    """Do work that may hang, and wait up to `patience` seconds for its end; return its future.

    It is done in a thread of its own; without a limit, or where the system has no more threads, in this one.
    """
    from concurrent.futures import Future, wait

    ended = Future[Result]()

    def do() -> None:
        try:
            ended.set_result(work())
        except Exception as fault:
            ended.set_exception(fault)

    try:
        if patience is None:
            do()
        else:
            threading.Thread(target=do, daemon=True).start()
            wait([ended], patience)
    except RuntimeError:
        do()
    return ended


def end_process(status: int) -> NoReturn:
    """End the process at once, whatever its threads do; nothing is flushed.

    `os._exit` is not enough on Windows: it runs the libraries' own ends after it has killed the threads, and waits for
    ever if one of them held a lock, as a thread that loads LLVM or numpy may.
    """
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.WinDLL("kernel32")
        kernel.TerminateProcess(ctypes.c_void_p(-1), status)  # -1 is this process
    os._exit(status)


def lower_priority(steps: int) -> None:
    """Lower the priority of the calling thread. It has an effect only on Linux, where each thread has a nice value.

    Args:
        steps: added to the nice value; the maximum is 19
    """
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + steps)


def results_on_threads(
    worker: Callable[[int], Callable[[Item], Result]],
    items: Sequence[Item],
    threads: int,
    name: str,
    stop: Callable[[], None] | None = None,
    timeout: float = math.inf,
) -> Generator[tuple[Item, Result], None, None]:
    """Yield (item, result) as threads finish them, in any order. Raises what a thread raised.

    Args:
        worker: `worker(index)` returns the function that one thread calls for each of its items; called in that
            thread
        stop: interrupts the threads' work; called repeatedly, once no more results are needed, until all threads have
            ended. Without it they finish their current items.
        timeout: timeout in seconds for the end of the threads; then they are abandoned
    """
    waiting, taking = iter(items), threading.Lock()
    finished: queue.SimpleQueue[tuple[Item, Result] | BaseException] = queue.SimpleQueue()
    count = min(threads, len(items))
    ended = False

    def take() -> list[Item]:
        """Return the next item, alone in a list, or an empty list."""
        with taking:
            return list(itertools.islice(waiting, 0 if ended else 1))

    def work(index: int) -> None:
        try:
            result_of = worker(index)
            while taken := take():
                finished.put((taken[0], result_of(taken[0])))
        except BaseException as fault:  # raised again by the waiting thread
            finished.put(fault)

    started = [start_thread(work, f"{name} {index}", index) for index in range(count)]
    try:
        for _ in items:
            yield received(finished)
        for thread in started:
            thread.join()
    finally:
        ended = True
        end = time.monotonic() + timeout
        while stop and any(thread.is_alive() for thread in started) and time.monotonic() < end:
            stop()  # repeatedly: a thread may just be between two items
            for thread in started:
                thread.join(0.1)


def received(items: "queue.SimpleQueue[Item | BaseException]") -> Item:
    """Wait for the next item of a queue and return it; raises it if it is an exception."""
    while True:
        try:
            found = items.get(timeout=1)  # see `Search.join`
            break
        except queue.Empty:
            continue
    if isinstance(found, BaseException):
        raise found
    return found
