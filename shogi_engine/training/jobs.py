"""Pieces of training data, made by threads of this process or by the workers of a Ray cluster; they are the same."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from shogi_engine.jobs import Pool
from shogi_engine.training.data import DataOptions, Workbench, is_made, piece_path, write_whole

Progress = Callable[[int, int], None]  # called with the pieces that are there and how many there will be


def missing_pieces(folder: Path, options: DataOptions, pieces: int) -> list[int]:
    """Return the numbers of the pieces that are not made yet. Raises ValueError if one was made otherwise."""
    return [number for number in range(pieces) if not is_made(piece_path(folder, options.seed, number), options)]


class PieceWorker:
    """Makes pieces; their numbers are the items."""

    def __init__(self, options: DataOptions) -> None:
        self._workbench = Workbench(options)

    def do(self, number: int) -> bytes:
        """Return the file of a piece."""
        return self._workbench.piece(number)

    def close(self) -> None:
        """Nothing is open; a piece takes seconds and is not cut short."""


@dataclass(frozen=True)
class PieceMaker:
    """Makes PieceWorkers."""

    options: DataOptions

    def __call__(self) -> PieceWorker:
        """Return a worker."""
        return PieceWorker(self.options)

    def warm_up(self) -> None:
        """Compile what games need, by a piece of one short game."""
        Workbench(replace(self.options, nodes=1, piece_games=1)).piece(0)


def make_data(
    folder: Path,
    options: DataOptions,
    games: int,
    threads: int = 1,
    cluster: str = "",
    progress: Progress | None = None,
) -> None:
    """Make those pieces, of at least that many games together, that are not in `folder` yet.

    threads : of this process, or workers if the cluster is 'local'.   cluster : see `jobs.Pool`; '': no cluster.
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
    if not numbers:
        return
    with Pool(PieceMaker(options), threads, cluster, name="self-play") as pool:
        for number, content in pool.results(numbers):
            write_whole(piece_path(folder, options.seed, number), content)
            done += 1
            if progress is not None:
                progress(done, pieces)
