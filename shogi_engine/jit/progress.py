"""The progress of a compilation, to be shown to a user who has to wait.

    stop = on_progress(lambda progress: print(progress.describe()))
    with compiling("shogi"):
        engine.warmup()
    stop()

A *task* is work with a name, here the game's; it may be done in several parts. While it runs, each kernel that is
lowered and each entry that is linked (see dispatcher.py) is reported. The remaining time is estimated from the times of
the last run, which are stored in the cache's folder, or from ESTIMATES, scaled by the speed of this machine so far.
Callbacks run in the compiling thread, which holds numba's lock: they should be quick and must not call a kernel. Code
loaded from the cache is not reported.
"""

import contextlib
import functools
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from shogi_engine.common.files import json_of, write_whole
from shogi_engine.jit.folders import cache_folder
from shogi_engine.language import Message

TIMES_FILE = "compile-times.json"
SURE = 0.05  # the share of the work after which the speed of this machine is considered known


@dataclass(frozen=True)
class Estimate:
    """The work of a first start.

    Attributes:
        steps: the number of steps
        each: the seconds that a step takes
        long: the seconds of longer steps, by name
    """

    steps: int
    each: float
    long: dict[str, float]

    def seconds(self, step: str) -> float:
        """Return the seconds of `step`."""
        return self.long.get(step, self.each)

    @property
    def total(self) -> float:
        """The seconds of all steps."""
        return self.each * (self.steps - len(self.long)) + sum(self.long.values())


ESTIMATES: dict[str, Estimate] = {}  # by task; each game adds its own


def _estimate(task: str) -> Estimate | None:
    """Return the estimate of a task, or else (with another evaluation) that of the game with which its name begins."""
    return ESTIMATES.get(task) or ESTIMATES.get(task.partition(" ")[0])


@dataclass(frozen=True)
class Progress:
    """The state of a task after a step.

    Attributes:
        task: the task's name, '' for kernels compiled outside of any task
        kernel: the name of the kernel just finished
        done: the number of steps so far
        total: the number of steps expected, at least `done`
        share: the finished part of the work, 0 to 1, by time
        elapsed: the seconds that the task has taken
        left: the estimated remaining time in seconds, None if unknown
        at: the time of this report, by time.monotonic()
    """

    task: str
    kernel: str
    done: int
    total: int
    share: float
    elapsed: float
    left: float | None
    at: float

    def now(self) -> tuple[float, float | None]:
        """Return (share, remaining seconds) at this moment; during a long step they differ from the report."""
        if self.left is None:
            return self.share, None
        since = max(time.monotonic() - self.at, 0.0)
        left = max(self.left - since, min(self.left, 1.0))
        elapsed = self.elapsed + since
        return max(self.share, elapsed / (elapsed + left) if left else 1.0), left

    def describe(self) -> str:
        """Return the current progress as text: '31%, kernel 57 of 190, about 12 s left'."""
        share, left = self.now()
        if left is None:
            return Message("{0} kernels", self.done)
        return Message(
            "{0:.0%}, kernel {1} of {2}, about {3:.0f} s left", min(share, 0.99), self.done, self.total, max(left, 1)
        )


_lock = threading.Lock()
_callbacks: list[Callable[[Progress], None]] = []


def on_progress(callback: Callable[[Progress], None]) -> Callable[[], None]:
    """Call `callback` with each step of any compile in this process; return a function that ends this."""
    with _lock:
        _callbacks.append(callback)

    def stop() -> None:
        with _lock, contextlib.suppress(ValueError):
            _callbacks.remove(callback)

    return stop


@dataclass(eq=False)
class Task:
    """Work that compiles: its times in the last run and in this one."""

    name: str
    seen: dict[str, float] = field(default_factory=dict)  # step -> seconds
    loaded: bool = False  # whether part of the work came from the cache
    _known: dict[str, float] | None = None  # step -> seconds of the last run; read at the first step
    _elapsed: float = 0.0
    _since: float = 0.0  # start of the current part, by time.monotonic()

    @contextlib.contextmanager
    def running(self, callback: Callable[[Progress], None] | None = None) -> Iterator[None]:
        """Attribute all that any thread compiles in the `with` block to this task; report it to `callback` too."""
        with _lock:
            if self not in _running:
                self._since = time.monotonic()
            _running.append(self)
            known = callback in _callbacks
        forget = on_progress(callback) if callback and not known else None
        try:
            yield
        finally:
            if forget:
                forget()
            with _lock:
                _running.remove(self)
                if self not in _running:
                    self._elapsed += time.monotonic() - self._since

    def step(self, kernel: str) -> Progress:
        """Record that `kernel` is finished."""
        now = time.monotonic()
        if self._known is None:
            self._known = _read_times().get(self.name, {})
        elapsed = self._elapsed + now - self._since
        self.seen[kernel] = self.seen.get(kernel, 0.0) + elapsed - sum(self.seen.values())
        done, estimate = len(self.seen), _estimate(self.name)
        if self._known:
            total = len(self._known.keys() | self.seen.keys())
            seconds = sum(self._known.values())
            behind = sum(self._known.get(name, 0.0) for name in self.seen)
        elif estimate:
            total = max(estimate.steps, done)
            seconds = estimate.total
            behind = sum(map(estimate.seconds, self.seen))
        else:
            return Progress(self.name, kernel, done, done, 0.0, elapsed, None, now)
        share = min(behind / seconds, 1.0) if seconds else 1.0
        left = elapsed * (1 - share) / share if share > SURE else seconds * (1 - share)
        return Progress(self.name, kernel, done, total, share, elapsed, left, now)

    def remember(self) -> None:
        """Save the times of the finished task; if a part came from the cache, add to the known times."""
        file = _times_file()
        if not self.seen or file is None:
            return
        steps = {step: round(seconds, 3) for step, seconds in self.seen.items()}
        times = _read_times()
        times[self.name] = times.get(self.name, {}) | steps if self.loaded else steps
        with contextlib.suppress(OSError):
            write_whole(file, json.dumps(times).encode(), durable=False)


_running: list[Task] = []  # the latest comes last; what any thread compiles belongs to it
_outside = Task("", _since=time.monotonic())  # for everything compiled outside of tasks
_steps = 0  # the number of steps of this process


@functools.cache
def shared_task(name: str) -> Task:
    """Return this process's task called `name`, shared by all who do a part of it: kernels belong to the process."""
    return Task(name)


@contextlib.contextmanager
def compiling(name: str) -> Iterator[None]:
    """Attribute everything compiled in the `with` block to a task called `name`; remember how long each step took."""
    task = Task(name)
    with task.running():
        yield
    task.remember()


def steps_done() -> int:
    """Return how many steps this process has done: a later task may share some of them."""
    return _steps


def note_step(kernel: str) -> None:
    """Tell the running task and all callbacks that `kernel` is finished."""
    global _steps
    with _lock:
        _steps += 1
        task = _running[-1] if _running else _outside
        callbacks = list(_callbacks)
        progress = task.step(kernel)
    for callback in callbacks:
        callback(progress)


def note_load() -> None:
    """Tell the running task that something came from the cache."""
    with _lock:
        if _running:
            _running[-1].loaded = True


# ---- the times of the last run -----------------------------------------------------------------------------------


def _times_file() -> Path | None:
    folder = cache_folder()
    return folder.parent / TIMES_FILE if folder else None


def _read_times() -> dict[str, dict[str, float]]:
    """Return the seconds of each step of each task; {} if the file is missing or damaged."""
    file = _times_file()
    try:
        stored = json_of(file.read_text(encoding="utf-8")) if file else {}
        return {
            str(task): {str(step): max(float(seconds), 0.0) for step, seconds in steps.items()}
            for task, steps in stored.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
