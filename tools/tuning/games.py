"""Pairs of games between two settings of this build's parameters, spread over threads."""

import queue
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from shogi_engine.game import Game
from shogi_engine.match.arena import Arena
from shogi_engine.match.openings import OpeningPlan, Openings
from shogi_engine.search.limits import Limits

Settings = Mapping[str, int | str]


class PairPlayer:
    """Plays pairs of games at `nodes` a move; each depends on its number, the seed and the settings only."""

    def __init__(self, game: Game, *, nodes: int, seed: int, threads: int) -> None:
        self._openings = Openings(OpeningPlan.of(game.name, seed=seed))
        self._limits = Limits(nodes=nodes)
        self._arenas: queue.SimpleQueue[Arena] = queue.SimpleQueue()
        for _ in range(threads):
            self._arenas.put(Arena(game))
        self._pool = ThreadPoolExecutor(threads)

    def play(self, first: Settings, second: Settings, pairs: range) -> int:
        """Return games won less games lost by `first` in those pairs."""
        return sum(self._pool.map(lambda pair: self.play_pair(first, second, pair), pairs))

    def play_pair(self, first: Settings, second: Settings, pair: int) -> int:
        """Return games won less games lost by `first`; for any thread."""
        arena = self._arenas.get()
        try:
            arena.configure((first, second), (self._limits, self._limits))
            opening = arena.referee.parse(self._openings[pair])
            won = 0
            for colour in range(2):
                winner = arena.play(opening, colour).ending.winner
                won += 0 if winner is None else 1 if winner == colour else -1
            return won
        finally:
            self._arenas.put(arena)
