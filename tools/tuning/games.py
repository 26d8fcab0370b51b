"""Pairs of games between two settings of this build's parameters, here or on a cluster."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shogi_engine.jobs import Pool
from shogi_engine.match import OpeningPlan, Openings, Terms
from shogi_engine.play.game import Game
from shogi_engine.play.loop import play
from shogi_engine.play.players import EnginePlayer, Settings
from shogi_engine.types.limit import Limit

TERMS = Terms(max_plies=320, resign=(3000, 2))
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
        self._game, limit = plan.openings.game, Limit(nodes=plan.nodes)
        self._players = EnginePlayer(self._game, limit), EnginePlayer(self._game, limit)
        self._openings = Openings(plan.openings)

    def do(self, pair: Pair) -> int:
        """Return games won minus games lost by the first settings."""
        *settings, number = pair
        one, other = self._players
        for player, own in zip(self._players, settings, strict=True):
            player.configure(own)
        won = 0
        for colour, sides in enumerate(((one, other), (other, one))):
            game = Game.begin(self._game, "", self._openings[number].split(), terms=TERMS)
            winner = play(game, sides).winner
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
