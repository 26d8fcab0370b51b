"""The stage `gate`: a match between two evaluations at equal nodes, in this process, to test if the new one is better.

The evaluations' speeds are ignored. Games come in pairs: each opening is played twice, with colours swapped. A
pair depends only on the seed, its number, the evaluations and the nodes.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.common.files import write_whole
from shogi_engine.common.json_text import json_of
from shogi_engine.common.match_statistics import Estimate, estimate, pentanomial
from shogi_engine.common.threads import results_on_threads
from shogi_engine.interface.evaluation import Evaluator
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training.data import Openings, SearchState, new_terms, play_from
from shogi_engine.training.game_kernels import ABANDONED, LONGEST
from shogi_engine.training.recipe import Recipe

TABLE_MB = 8  # of each player: searches are longer than those of training games
UNBALANCED = 1 << 20  # the second game of an opening is always played

Progress = Callable[[int, int], None]  # called with the numbers of games played and in total


@dataclass(frozen=True)
class Outcome:
    """The result of a match.

    Attributes:
        scores: the first player's scores, 1, 1/2 or 0, by game number; games 2 n and 2 n + 1 are a pair
    """

    scores: dict[int, float]

    @property
    def estimate(self) -> Estimate:
        """The Elo difference and its confidence interval, from the pairs."""
        return estimate(pentanomial(self.scores))

    def __str__(self) -> str:
        wins, draws, losses = (list(self.scores.values()).count(score) for score in (1.0, 0.5, 0.0))
        return f"{wins}-{draws}-{losses}, {self.estimate}"


class Pairing:
    """A thread's two players.

    Attributes:
        decided: the value that ends a game; see game_kernels.TERMS
    """

    def __init__(
        self, recipe: Recipe, first: Evaluator, second: Evaluator, nodes: int, seed: int, openings: Openings
    ) -> None:
        game, self.decided = recipe.game, recipe.gate_decided
        self.players = tuple(SearchState(each, TranspositionTable(TABLE_MB), game) for each in (first, second))
        self.nodes, self.seed, self.openings = nodes, seed, openings
        self._moves, self._values = np.zeros(LONGEST, dtype=np.uint32), np.zeros(LONGEST, dtype=np.int16)
        self._start = game.parse_position(game.start)

    def play(self, pair: int) -> tuple[float, float]:
        """Return the first player's scores in the two games of a pair."""
        random = np.random.default_rng([self.seed, pair])
        terms = new_terms(self.nodes, self.decided)
        result = ABANDONED
        while result == ABANDONED:
            self.openings.draw(random, terms, self._moves)
            result = self._game(self.players, terms, random)
        terms.given, terms.balance = terms.opening, UNBALANCED
        second = self._game(self.players[::-1], terms, random)
        if second == ABANDONED:  # impossible: in the first game the same opening did not end the game
            raise RuntimeError(f"pair {pair}: the second game ended in the opening")
        return (1 + result) / 2, (1 - second) / 2

    def _game(self, players: tuple[SearchState, ...], terms: Any, random: np.random.Generator) -> int:
        """Return the result for players[0], which is black."""
        for player in players:
            player.new_game()
        return play_from(self._start, players, random, terms, self._moves, self._values)[0]


def play_match(
    recipe: Recipe,
    first: Evaluator,
    second: Evaluator,
    games: int,
    *,
    nodes: int = 20_000,
    seed: int = 1,
    threads: int = 1,
    openings: Openings | None = None,
    record: Path | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Play at least `games` games between two evaluations of a game.

    Args:
        games: the least number of games; an even number is played
        nodes: the nodes searched for each move
        openings: how games begin, None for the recipe's openings
        record: a file for the scores, from which a stopped match continues

    Raises:
        ValueError: `record` is from another match
    """
    openings = openings or recipe.gate_openings
    identity = f"{first.describe()} | {second.describe()} | nodes {nodes}, seed {seed}, {openings}"
    scores = _read_record(record, identity)
    pairs = -(-games // 2)
    missing = [pair for pair in range(pairs) if 2 * pair not in scores]

    def player(_: int) -> Callable[[int], tuple[float, float]]:
        return Pairing(recipe, first, second, nodes, seed, openings).play

    for pair, result in results_on_threads(player, missing, threads, "gate"):
        scores[2 * pair], scores[2 * pair + 1] = result
        if record is not None:
            write_whole(record, json.dumps({"match": identity, "scores": scores}, sort_keys=True).encode())
        if progress is not None:
            progress(len(scores), 2 * pairs)
    return Outcome({game: scores[game] for game in range(2 * pairs)})


def _read_record(record: Path | None, identity: str) -> dict[int, float]:
    """Return the scores of a stopped match. Raises ValueError if the file is from another match."""
    if record is None or not record.exists():
        return {}
    try:
        stored = json_of(record.read_text(encoding="utf-8"))
        same, scores = stored["match"] == identity, {int(game): float(s) for game, s in stored["scores"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise ValueError(f"gate: {record} cannot be read ({fault})") from None
    if not same:
        raise ValueError(f"gate: {record} is from another match: {stored['match']}")
    return scores
