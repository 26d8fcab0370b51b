"""Files of training data, made by threads of this process or by workers of a Ray cluster, with equal contents."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from shogi_engine.common.files import write_whole
from shogi_engine.common.locks import locked
from shogi_engine.jobs import Pool
from shogi_engine.training.data import DataOptions, Workbench, is_made, shard_path

Progress = Callable[[int, int], None]  # called with the numbers of finished shards and in total


def missing_shards(folder: Path, options: DataOptions, shards: int) -> list[int]:
    """Return the numbers of the missing shards. Raises ValueError if one was made with other options."""
    return [number for number in range(shards) if not is_made(shard_path(folder, options.seed, number), options)]


class ShardWorker:
    """Makes shards; an item is the number of a shard."""

    def __init__(self, options: DataOptions) -> None:
        self._workbench = Workbench(options)

    def do(self, number: int) -> bytes:
        """Return the contents of a shard's file."""
        return self._workbench.shard(number)

    def close(self) -> None:
        """Do nothing: a shard takes seconds and is not interrupted."""


@dataclass(frozen=True)
class ShardMaker:
    """Makes ShardWorkers."""

    options: DataOptions

    def __call__(self) -> ShardWorker:
        """Return a worker."""
        return ShardWorker(self.options)

    def warm_up(self) -> None:
        """Compile the kernels by making a shard of one short game."""
        Workbench(replace(self.options, nodes=1, piece_games=1)).shard(0)


def make_data(
    folder: Path,
    options: DataOptions,
    games: int,
    threads: int = 1,
    cluster: str = "",
    progress: Progress | None = None,
) -> None:
    """Make the missing shards in `folder`, for at least that many games in total.

    Args:
        games: the least number of games in all shards together
        threads: the number of threads of this process, or of workers if the cluster is 'local'
        cluster: see `jobs.Pool`; '' for none

    Raises:
        ValueError: an existing shard was made with other options
        OSError: a shard cannot be written, or another process makes shards of this seed here
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / f"piece-{options.seed}"):
        _make_missing(folder, options, games, threads, cluster, progress)


def _make_missing(
    folder: Path, options: DataOptions, games: int, threads: int, cluster: str, progress: Progress | None
) -> None:
    for rest in folder.glob(f".piece-{options.seed}-*.tmp"):
        rest.unlink(missing_ok=True)
    shards = -(-games // options.piece_games)
    numbers = missing_shards(folder, options, shards)
    done = shards - len(numbers)
    if progress is not None:
        progress(done, shards)
    if not numbers:
        return
    with Pool(ShardMaker(options), threads, cluster, name="self-play") as pool:
        for number, content in pool.results(numbers):
            write_whole(shard_path(folder, options.seed, number), content)
            done += 1
            if progress is not None:
                progress(done, shards)
