"""Perft on a cluster: a job counts below one or two moves of a position, or makes one count of a suite."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine import games
from shogi_engine.common.stop import StopToken
from shogi_engine.interface.game import Game, do_move, move_cost
from shogi_engine.jobs import Pool
from shogi_engine.perft import Perft, legal_moves, perft, perft_context

SPLIT_DEPTH = 4  # below this depth, a position is one job

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Piece:
    """A job: count the leaves `depth` plies below a position in the game's notation.

    Attributes:
        number: its index
    """

    number: int
    position: str
    depth: int
    free_pass: bool = False


@dataclass(frozen=True)
class PerftMaker:
    """Makes workers that count.

    Attributes:
        game: the name of the game
        bulk: see `perft`
    """

    game: str
    bulk: bool = True

    def __call__(self) -> "PerftWorker":
        """Return a worker."""
        return PerftWorker(self)

    def warm_up(self) -> None:
        """Compile the kernels that count."""
        game = games.load(self.game)
        perft(game, game.parse_position(game.start), 2, bulk=self.bulk)


class PerftWorker:
    """Counts in one thread."""

    def __init__(self, plan: PerftMaker) -> None:
        self._game, self._bulk, self._stop = games.load(plan.game), plan.bulk, StopToken()

    def do(self, piece: Piece) -> Perft:
        """Return the leaves of a job."""
        position = self._game.parse_position(piece.position)
        options: dict[str, Any] = {"bulk": self._bulk, "stop_token": self._stop}
        return perft(self._game, position, piece.depth, free_pass=piece.free_pass, **options)

    def close(self) -> None:
        """Stop the count."""
        self._stop.stop()


def count_all(
    game: Game, pieces: Sequence[Piece], workers: int, cluster: str, bulk: bool = True, progress: Progress | None = None
) -> list[Perft]:
    """Return the counts of jobs numbered from 0.

    Args:
        workers, cluster: see `jobs.Pool`
    """
    found: dict[int, Perft] = {}
    with Pool(PerftMaker(game.name, bulk), workers, cluster, name="perft") as pool:
        for piece, result in pool.results(pieces):
            found[piece.number] = result
            if progress:
                progress(len(found), len(pieces))
    return [found[piece.number] for piece in pieces]


def below(game: Game, text: str, depth: int, free_pass: bool) -> Iterator[tuple[str, str, int]]:
    """Yield each legal move of a position, the position after it (both as text), and the remaining depth."""
    position, ctx = game.parse_position(text), perft_context(game)
    ctx.pos = position
    for move in legal_moves(ctx):
        ctx.pos = position
        cost = int(move_cost(ctx.pos, np.uint32(move))) if free_pass else 1
        do_move(ctx.pos, np.uint32(move), ctx.undo[0])
        yield game.format_move(position, move), game.format_position(ctx.pos), depth - cost


def perft_on_cluster(
    game: Game,
    position: Any,
    depth: int,
    *,
    bulk: bool = True,
    free_pass: bool = False,
    workers: int = 1,
    cluster: str = "local",
    progress: Progress | None = None,
) -> Perft:
    """Return the result of `perft`, counted on a cluster; the seconds include connecting to it.

    Raises ValueError as `perft` and `jobs.Pool` do.
    """
    began = time.perf_counter()
    if depth < SPLIT_DEPTH:
        return perft(game, position, depth, bulk=bulk, free_pass=free_pass, progress=progress)
    divide: dict[str, int] = {}
    owners: list[str] = []
    pieces: list[Piece] = []
    for move, text, left in below(game, game.format_position(position), depth, free_pass):
        divide[move] = 0
        parts = [*below(game, text, left, free_pass)] if left > SPLIT_DEPTH else []
        for _, part, rest in parts or [("", text, left)]:  # a position without a legal move is counted too
            owners.append(move)
            pieces.append(Piece(len(pieces), part, rest, free_pass))
    if not pieces:
        return perft(game, position, depth)
    for move, found in zip(owners, count_all(game, pieces, workers, cluster, bulk, progress), strict=True):
        divide[move] += found.nodes
    return Perft(sum(divide.values()), time.perf_counter() - began, divide)
