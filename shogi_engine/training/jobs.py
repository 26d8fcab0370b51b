"""Pieces of training data, made by threads of this process or by the workers of a Ray cluster; they are the same.

Kernels run without the GIL. Ray (https://www.ray.io) is an optional extra, and imported only where it is asked for.
"""

import functools
import importlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from shogi_engine.threads import results_on_threads
from shogi_engine.training.data import DataOptions, Workbench, is_made, piece_path, write_whole

Progress = Callable[[int, int], None]  # called with the pieces that are there and how many there will be


def missing_pieces(folder: Path, options: DataOptions, pieces: int) -> list[int]:
    """Return the numbers of the pieces that are not made yet. Raises ValueError if one was made otherwise."""
    return [number for number in range(pieces) if not is_made(piece_path(folder, options.seed, number), options)]


def on_threads(options: DataOptions, numbers: Sequence[int], threads: int) -> Iterator[tuple[int, bytes]]:
    """Yield (number, file) of the pieces `numbers`, as they are finished. Raises what a thread raised."""
    return results_on_threads(lambda _: Workbench(options).piece, numbers, threads, "self-play")


@functools.lru_cache(maxsize=1)
def _workbench(options: DataOptions) -> Workbench:
    return Workbench(options)


def make_piece(options: DataOptions, number: int) -> tuple[int, bytes]:
    """Return (number, file) of a piece: what a worker process does. Not for two threads."""
    return number, _workbench(options).piece(number)


def load_ray() -> Any:
    """Return the module ray; raises ValueError if it is not installed."""
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ValueError("--cluster needs ray, which is not installed: pip install 'shogi-engine[ray]'") from None


def on_ray(options: DataOptions, numbers: Sequence[int], cluster: str, workers: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield (number, file) of the pieces `numbers`, as they are finished by workers of a Ray cluster.

    cluster : its address, 'auto' for the one that this machine belongs to, 'local' for one of `workers` here.
    Raises ValueError if there is no Ray.
    """
    ray = load_ray()
    own = not ray.is_initialized()
    if own:
        ray.init(**({"num_cpus": workers or None} if cluster == "local" else {"address": cluster}))
    try:
        task, shared = ray.remote(max_retries=3)(make_piece), ray.put(options)
        waiting = [task.remote(shared, number) for number in numbers]
        while waiting:
            finished, waiting = ray.wait(waiting)
            yield from ray.get(finished)
    finally:
        if own:
            ray.shutdown()


def make_data(
    folder: Path,
    options: DataOptions,
    games: int,
    threads: int = 1,
    cluster: str = "",
    progress: Progress | None = None,
) -> None:
    """Make those pieces, of at least that many games together, that are not in `folder` yet.

    threads : of this process, or workers if the cluster is 'local'.   cluster : see `on_ray`; '': no cluster.
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
    made = on_ray(options, numbers, cluster, threads) if cluster else on_threads(options, numbers, threads)
    for number, content in made:
        write_whole(piece_path(folder, options.seed, number), content)
        done += 1
        if progress is not None:
            progress(done, pieces)
