"""How far a compile is, for front ends that let a person wait.

    stop = on_progress(lambda progress: print(f"{progress.done}/{progress.total}, {progress.left:.0f} s left"))
    with compiling("shogi"):
        engine.warmup()
    stop()

A *task* is a stretch of work known by a name, here the game's. While it runs, each kernel that is lowered and each
entry that is linked (see dispatcher.py) is reported: what took how long is known from the last time, which is kept
beside the cache, or is guessed from ESTIMATES. Callbacks run in the thread that compiles, while it holds numba's lock:
they should be quick and must not call a kernel. Nothing is reported for what comes from the cache.
"""

import contextlib
import json
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from shogi_engine.jit.folders import cache_folder

TIMES_FILE = "compile-times.json"
SURE = 0.05  # the share of the work after which the speed of this machine counts, and not the last one's

# Steps and seconds of a first start of each task, on the machine that README.md's figures are from.
ESTIMATES = {"shogi": (190, 25.0), "othello": (130, 14.0)}


@dataclass(frozen=True)
class Progress:
    """How far a task is.

    task : its name, '' for kernels that are compiled outside of any    kernel : the one just done
    done, total : steps so far, and expected in all (at least `done`)
    share : the part of the work that is done, 0 to 1, by time    elapsed : seconds since the task began
    left : seconds to go, estimated; None if nothing is known
    """

    task: str
    kernel: str
    done: int
    total: int
    share: float
    elapsed: float
    left: float | None


@dataclass
class _Task:
    """A task that runs: what it took the last time, and what it has taken so far."""

    name: str
    known: dict[str, float]  # step -> seconds, of the last time
    estimate: tuple[int, float] | None
    began: float = field(default_factory=lambda: time.monotonic())
    last: float = field(default_factory=lambda: time.monotonic())
    seen: dict[str, float] = field(default_factory=dict)
    loaded: bool = False  # something came from the cache: this is not all of the work

    def step(self, kernel: str) -> Progress:
        """Note that `kernel` is done."""
        now = time.monotonic()
        self.seen[kernel] = self.seen.get(kernel, 0.0) + now - self.last
        self.last = now
        elapsed, done = now - self.began, len(self.seen)
        if self.known:
            total = len(self.known.keys() | self.seen.keys())
            seconds = sum(self.known.values())
            behind = sum(self.known.get(name, 0.0) for name in self.seen)
            share = min(behind / seconds, 1.0) if seconds else 1.0
        elif self.estimate:
            total, seconds = max(self.estimate[0], done), self.estimate[1]
            share = done / total
        else:
            return Progress(self.name, kernel, done, done, 0.0, elapsed, None)
        left = elapsed * (1 - share) / share if share > SURE else seconds * (1 - share)
        return Progress(self.name, kernel, done, total, share, elapsed, left)


_lock = threading.Lock()
_callbacks: list[Callable[[Progress], None]] = []
_tasks: list[_Task] = []  # that run, the latest last: it is told of what any thread compiles


def on_progress(callback: Callable[[Progress], None]) -> Callable[[], None]:
    """Call `callback` with each step of any compile in this process; return a function that ends that."""
    with _lock:
        _callbacks.append(callback)

    def stop() -> None:
        with _lock, contextlib.suppress(ValueError):
            _callbacks.remove(callback)

    return stop


@contextlib.contextmanager
def compiling(name: str) -> Iterator[None]:
    """Take what is compiled meanwhile for the task called `name`, and remember how long each step took."""
    task = _Task(name, _read_times().get(name, {}), ESTIMATES.get(name))
    with _lock:
        _tasks.append(task)
    try:
        yield
        _remember(task)
    finally:
        with _lock:
            _tasks.remove(task)


def note_step(kernel: str) -> None:
    """Tell the running task and all callbacks that `kernel` is done."""
    with _lock:
        task = _tasks[-1] if _tasks else _Task("", {}, None)
        callbacks = list(_callbacks)
        progress = task.step(kernel)
    for callback in callbacks:
        callback(progress)


def note_load() -> None:
    """Tell the running task that something came from the cache."""
    with _lock:
        if _tasks:
            _tasks[-1].loaded = True


# ---- what it took the last time ----------------------------------------------------------------------------------


def _times_file() -> Path | None:
    folder = cache_folder()
    return folder.parent / TIMES_FILE if folder else None


def _read_times() -> dict[str, dict[str, float]]:
    """Return the seconds of each step of each task; {} of a file that is not there or damaged."""
    file = _times_file()
    try:
        stored = json.loads(file.read_text(encoding="utf-8")) if file else {}
        return {
            str(task): {str(step): max(float(seconds), 0.0) for step, seconds in steps.items()}
            for task, steps in stored.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _remember(task: _Task) -> None:
    """Keep what `task` took; if a part came from the cache, beside what is known of the rest."""
    file = _times_file()
    if not task.seen or file is None:
        return
    steps = {step: round(seconds, 3) for step, seconds in task.seen.items()}
    times = _read_times()
    times[task.name] = times.get(task.name, {}) | steps if task.loaded else steps
    aside = file.with_name(f"{file.name}.{uuid.uuid4().hex[:8]}.tmp")
    with contextlib.suppress(OSError):
        try:
            aside.write_text(json.dumps(times), encoding="utf-8")
            os.replace(aside, file)
        finally:
            aside.unlink(missing_ok=True)
