"""Pieces of training data, made by threads of this process. Kernels run without the GIL."""

import queue
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from shogi_engine.threads import start_thread
from shogi_engine.training.data import DataOptions, Workbench, is_made, piece_path, write_whole

Progress = Callable[[int, int], None]  # called with the pieces that are there and how many there will be


def missing_pieces(folder: Path, options: DataOptions, pieces: int) -> list[int]:
    """Return the numbers of the pieces that are not made yet. Raises ValueError if one was made otherwise."""
    return [number for number in range(pieces) if not is_made(piece_path(folder, options.seed, number), options)]


def on_threads(options: DataOptions, numbers: Sequence[int], threads: int) -> Iterator[tuple[int, bytes]]:
    """Yield (number, file) of the pieces `numbers`, as they are finished. Raises what a thread raised."""
    waiting: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    finished: queue.SimpleQueue[tuple[int, bytes] | BaseException] = queue.SimpleQueue()
    for number in (*numbers, *[None] * threads):
        waiting.put(number)

    def work() -> None:
        try:
            bench = Workbench(options)
            while (number := waiting.get()) is not None:
                finished.put((number, bench.piece(number)))
        except BaseException as fault:  # the thread that waits has to know
            finished.put(fault)

    for index in range(min(threads, len(numbers))):
        start_thread(work, f"self-play {index}")
    for _ in numbers:
        while True:
            try:
                found = finished.get(timeout=1)  # a wait without end would not notice Ctrl-C everywhere
                break
            except queue.Empty:
                continue
        if isinstance(found, BaseException):
            raise found
        yield found


def make_data(
    folder: Path, options: DataOptions, games: int, threads: int = 1, progress: Progress | None = None
) -> None:
    """Make the pieces of at least so many games that are not in `folder` yet.

    Raises ValueError if a piece there was made with other options.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for rest in folder.glob(f".piece-{options.seed}-*.tmp"):
        rest.unlink(missing_ok=True)
    pieces = -(-games // options.piece_games)
    numbers = missing_pieces(folder, options, pieces)
    done = pieces - len(numbers)
    if progress is not None:
        progress(done, pieces)
    for number, content in on_threads(options, numbers, threads):
        write_whole(piece_path(folder, options.seed, number), content)
        done += 1
        if progress is not None:
            progress(done, pieces)
