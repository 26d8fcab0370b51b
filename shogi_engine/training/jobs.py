"""Files of training data, made by threads of this process or by workers of a Ray cluster, with equal contents."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from shogi_engine.common.files import write_whole
from shogi_engine.common.locks import locked
from shogi_engine.jobs import Pool
from shogi_engine.training.data import DataOptions, Workbench, is_made, piece_path

Progress = Callable[[int, int], None]  # called with the numbers of finished pieces and in total


def missing_pieces(folder: Path, options: DataOptions, pieces: int) -> list[int]:
    """Return the numbers of the missing pieces. Raises ValueError if one was made with other options."""
    return [number for number in range(pieces) if not is_made(piece_path(folder, options.seed, number), options)]


class PieceWorker:
    """Makes pieces; an item is the number of a piece."""

    def __init__(self, options: DataOptions) -> None:
        self._workbench = Workbench(options)

    def do(self, number: int) -> bytes:
        """Return the contents of a piece's file."""
        return self._workbench.piece(number)

    def close(self) -> None:
        """Do nothing: a piece takes seconds and is not interrupted."""


@dataclass(frozen=True)
class PieceMaker:
    """Makes PieceWorkers."""

    options: DataOptions

    def __call__(self) -> PieceWorker:
        """Return a worker."""
        return PieceWorker(self.options)

    def warm_up(self) -> None:
        """Compile the kernels by making a piece of one short game."""
        Workbench(replace(self.options, nodes=1, piece_games=1)).piece(0)


def make_data(
    folder: Path,
    options: DataOptions,
    games: int,
    threads: int = 1,
    cluster: str = "",
    progress: Progress | None = None,
) -> None:
    """Make the missing pieces in `folder`, for at least that many games in total.

    Args:
        games: the least number of games in all pieces together
        threads: the number of threads of this process, or of workers if the cluster is 'local'
        cluster: see `jobs.Pool`; '' for none

    Raises:
        ValueError: an existing piece was made with other options
        OSError: a piece cannot be written, or another process makes pieces of this seed here
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / f"piece-{options.seed}"):
        _make_missing(folder, options, games, threads, cluster, progress)


def _make_missing(
    folder: Path, options: DataOptions, games: int, threads: int, cluster: str, progress: Progress | None
) -> None:
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
