"""Threads that search: the search recurses deeper than some systems' default stack. Standard library only."""

import itertools
import math
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

STACK_BYTES = 64 << 20  # the search recurses; macOS and Windows give threads little

_starting = threading.Lock()


def start_thread(work: Callable[..., object], name: str, *arguments: object) -> threading.Thread:
    """Return a thread at `work(*arguments)`, with a stack for a search; it does not keep the process alive."""
    thread = threading.Thread(target=work, args=arguments, name=name, daemon=True)
    with _starting:  # the size is the process's, not the thread's
        before = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    return thread


def results_on_threads(
    worker: Callable[[int], Callable[[Item], Result]],
    items: Sequence[Item],
    threads: int,
    name: str,
    stop: Callable[[], None] | None = None,
    patience: float = math.inf,
) -> Iterator[tuple[Item, Result]]:
    """Yield (item, result) as threads finish them, in any order. Raises what a thread raised.

    worker(index) -> the function that one thread calls for each of its items; called in that thread.
    stop : called until no thread is left when no more is needed, to cut their work short; without it they are left to
    finish what they are at.   patience : seconds after which they are left all the same.
    """
    waiting, taking = iter(items), threading.Lock()
    finished: queue.SimpleQueue[tuple[Item, Result] | BaseException] = queue.SimpleQueue()
    count = min(threads, len(items))
    ended = False

    def take() -> list[Item]:
        """Return the next item, alone in a list, or none."""
        with taking:
            return list(itertools.islice(waiting, 0 if ended else 1))

    def work(index: int) -> None:
        try:
            result_of = worker(index)
            while taken := take():
                finished.put((taken[0], result_of(taken[0])))
        except BaseException as fault:  # raised again by the thread that waits
            finished.put(fault)

    started = [start_thread(work, f"{name} {index}", index) for index in range(count)]
    try:
        for _ in items:
            yield _next(finished)
        for thread in started:  # which have nothing left to do
            thread.join()
    finally:
        ended = True
        end = time.monotonic() + patience
        while stop and any(thread.is_alive() for thread in started) and time.monotonic() < end:
            stop()  # again and again: a thread may just be between two items
            for thread in started:
                thread.join(0.1)


def _next(finished: "queue.SimpleQueue[tuple[Item, Result] | BaseException]") -> tuple[Item, Result]:
    """Return what is finished next; raises what a thread raised."""
    while True:
        try:
            found = finished.get(timeout=1)  # a wait without end would not notice Ctrl-C everywhere
            break
        except queue.Empty:
            continue
    if isinstance(found, BaseException):
        raise found
    return found
