"""Speeds, measured in turn in one run with what they are compared with: `python -m tools.measure.speed WHAT`.

A WHAT is a `comparison`. It names subjects, such as this package and cshogi, and operations that all of them do; they
are timed in turns, and printed as a table with the ratios of the first to the others.
"""

import argparse
import importlib.util
import math
import os
import resource
import shlex
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

# ---- Checkouts of this repository to be compared: each runs with its own sources and kernel cache. Unix only


ROOT = Path(__file__).resolve().parents[3]


class Checkout:
    """A folder with the package's sources.

    Args:
        cache: the folder of its kernels, None for the default
    """

    def __init__(self, folder: Path, cache: Path | None = None) -> None:
        self.folder = folder.resolve()
        if not (self.folder / "shogi_engine").is_dir():
            raise ValueError(f"there is no shogi_engine in {self.folder}")
        self.cache = cache

    def __str__(self) -> str:
        return str(self.folder)

    def command(self, *words: str) -> list[str]:
        """Return the command that runs this Python on `words` with this checkout's sources and cache."""
        variables = [f"PYTHONPATH={self.folder}"]
        if self.cache is not None:
            variables.append(f"SHOGI_ENGINE_CACHE_DIR={self.cache}")
        return ["env", *variables, sys.executable, "-P", *words]

    def run(self, *words: str) -> str:
        """Run Python on `words` and return its output. Raises ValueError with its error message."""
        done = subprocess.run(self.command(*words), capture_output=True, text=True, cwd=os.path.sep)
        if done.returncode:
            raise ValueError(f"{self}: {shlex.join(words)}: {done.stderr.strip()[-500:]}")
        return done.stdout


def child_seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds, user and system, of the processes that `work` starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


Measurement = Callable[[], float]  # one figure: operations per second, or what the table's title says; nan for none
Subjects = dict[str, dict[str, Measurement]]  # by subject and operation; the first subject has all operations
Figures = dict[str, dict[str, list[float]]]  # by operation and subject: a figure for each round
Tables = Callable[[argparse.Namespace], Iterator[tuple[str, Subjects]]]  # what a comparison measures, by tables' titles
comparisons: dict[str, tuple[Tables, Callable[[argparse.ArgumentParser], None]]] = {}  # and its own arguments


def comparison(
    add_arguments: Callable[[argparse.ArgumentParser], None] = lambda parser: None,
) -> Callable[[Tables], Tables]:
    """Let the function be a WHAT of its name; its docstring is the help."""

    def add(subjects: Tables) -> Tables:
        comparisons[subjects.__name__] = subjects, add_arguments
        return subjects

    return add


def rate(
    work: Callable[[], object], count: int = 1, seconds: float = 0.05, clock: Callable[[], float] = time.process_time
) -> Measurement:
    """Return the measurement of the operations per second of `work`, which does `count` of them at once.

    Args:
        seconds: the work is repeated for this long; it is done at least once
        clock: by default the CPU time of this process
    """

    def measured() -> float:
        done, began = 0, clock()
        while not done or clock() - began < seconds:
            work()
            done += count
        return done / max(clock() - began, 1e-9)

    return measured


def each(function: Callable[[Any], object], items: Iterable[Any]) -> Callable[[], None]:
    """Return the work of calling `function` for each of `items`."""
    listed = list(items)

    def work() -> None:
        for item in listed:
            function(item)

    return work


def is_there(module: str) -> bool:
    """Tell whether a module is installed."""
    return importlib.util.find_spec(module) is not None


def measure(subjects: Subjects, rounds: int) -> Figures:
    """Return all figures. The order alternates, so that a drifting machine speed affects all subjects equally."""
    found: Figures = {operation: {} for operation in next(iter(subjects.values()))}
    for number in range(rounds):
        for operation, row in found.items():
            names = [name for name, operations in subjects.items() if operation in operations]
            for name in names if number % 2 == 0 else names[::-1]:
                row.setdefault(name, []).append(subjects[name][operation]())
    return found


def median(figures: Iterable[float]) -> float:
    """Return the median of those that are numbers; nan if there is none."""
    return statistics.median([figure for figure in figures if not math.isnan(figure)] or [math.nan])


def ratio(row: dict[str, list[float]], first: str, other: str) -> float:
    """Return the median of the rounds' ratios first / other."""
    return median(one / two if two else math.nan for one, two in zip(row[first], row.get(other, []), strict=False))


def shown(figure: float, form: str) -> str:
    """Return a figure as text, '-' for none."""
    return "-" if math.isnan(figure) else form.format(figure)


def table(title: str, found: Figures, names: list[str]) -> str:
    """Return the medians of the rounds as a table, and under several operations the median ratios of all of them."""
    heads = names + [f"/ {name}" for name in names[1:]]
    rows = [[title, *heads]]
    ratios = {operation: [ratio(row, names[0], other) for other in names[1:]] for operation, row in found.items()}
    for operation, row in found.items():
        medians = [median(row.get(name, [])) for name in names]
        cells = [shown(figure, "{:,.0f}" if abs(figure) >= 100 else "{:,.2f}") for figure in medians]
        rows.append([operation, *cells, *(shown(figure, "{:.3f}") for figure in ratios[operation])])
    if len(found) > 1 and len(names) > 1:
        columns = zip(*ratios.values(), strict=True)
        rows.append(["median", *[""] * len(names), *(shown(median(column), "{:.3f}") for column in columns)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        f"{row[0]:{widths[0]}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    )
