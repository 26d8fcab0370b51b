"""Threads for searches, which recurse deeper than the default stack of some systems. Standard library only."""

import contextlib
import itertools
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from typing import NoReturn, TypeVar

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


def join(thread: threading.Thread) -> None:
    """Wait for the end of a thread. An endless wait would miss Ctrl-C on some systems."""
    while thread.is_alive():
        thread.join(1)


def received(items: "queue.SimpleQueue[Item | BaseException]") -> Item:
    """Wait for the next item of a queue and return it; raises it if it is an exception."""
    while True:
        try:
            found = items.get(timeout=1)  # see `join`
            break
        except queue.Empty:
            continue
    if isinstance(found, BaseException):
        raise found
    return found
