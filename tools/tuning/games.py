"""Pairs of games between two settings of this build's parameters, here or on a cluster."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from shogi_engine import games
from shogi_engine.jobs import Pool
from shogi_engine.match.arena import Arena
from shogi_engine.match.openings import OpeningPlan, Openings
from shogi_engine.search.limits import Limits

Settings = Mapping[str, int | str]
Pair = tuple[Settings, Settings, int]  # two settings and the number of their pair of games


@dataclass(frozen=True)
class PairGames:
    """Makes workers that play pairs of games at `nodes` per move; a pair depends on number, openings and settings."""

    openings: OpeningPlan
    nodes: int

    def __call__(self) -> "PairWorker":
        """Return a worker."""
        return PairWorker(self)

    def warm_up(self) -> None:
        """Compile the kernels for games."""
        PairWorker(self).do(({}, {}, 0))


class PairWorker:
    """Plays pairs of games."""

    def __init__(self, plan: PairGames) -> None:
        self._arena = Arena(games.load(plan.openings.game))
        self._openings = Openings(plan.openings)
        self._limits = Limits(nodes=plan.nodes)

    def do(self, pair: Pair) -> int:
        """Return games won minus games lost by the first settings."""
        first, second, number = pair
        arena = self._arena
        arena.configure((first, second), (self._limits, self._limits))
        opening = arena.referee.parse(self._openings[number])
        won = 0
        for colour in range(2):
            winner = arena.play(opening, colour).ending.winner
            won += 0 if winner is None else 1 if winner == colour else -1
        return won

    def close(self) -> None:
        """Do nothing: a pair of games takes seconds and is not interrupted."""


class PairPlayer:
    """Plays pairs of games in threads or on a cluster: `with PairPlayer(...) as player`. See `jobs.Pool`."""

    def __init__(self, game: str, *, nodes: int, seed: int, threads: int = 1, cluster: str = "") -> None:
        self._pool = Pool(PairGames(OpeningPlan.of(game, seed=seed), nodes), threads, cluster, name="pairs")

    def __enter__(self) -> "PairPlayer":
        self._pool.__enter__()
        return self

    def __exit__(self, *failure: object) -> None:
        self._pool.__exit__(*failure)

    def play(self, first: Settings, second: Settings, pairs: range) -> int:
        """Return games won minus games lost by `first` in those pairs."""
        return sum(won for _, won in self.results([(first, second, pair) for pair in pairs]))

    def results(self, pairs: Sequence[Pair]) -> Iterator[tuple[Pair, int]]:
        """Yield each pair, as it is finished, and the games won minus games lost by its first settings."""
        return self._pool.results(pairs)
