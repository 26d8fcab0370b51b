"""A match between two settings of the Othello engine.

    python -m tools.match.othello_elo movetime=10 movetime=10,evaluation=features --games 200

A setting is name=value pairs joined by commas: parameters of the game, evaluation=NAME (features: handmade ones),
weights_file=FILE of pattern weights, search_flags (bits of search/context.py), and limits of Engine.search (depth,
nodes, movetime, level, selectivity). Every opening of random moves is played twice, with colours swapped; the error
bar is from the pairs. Printed: games won by the first, the Elo difference and its 95 % interval, discs per game, CPU
time per move.
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shogi_engine.common.match_statistics import estimate, pentanomial
from shogi_engine.engine import Engine
from shogi_engine.games.othello.types import DISC
from shogi_engine.match.arena import EnginePlayer, Referee, play_game
from shogi_engine.match.runner import first_score
from shogi_engine.match.terms import Terms

TERMS = Terms(max_plies=128)  # longer than any game


class SettingPlayer(EnginePlayer):
    """An engine with a setting.

    Attributes:
        seconds: of CPU time, in all its searches
    """

    def __init__(self, text: str) -> None:
        super().__init__(Engine("othello", hash_mb=16))
        self.limits: dict[str, Any] = {}
        self.seconds, self.searches, self.depths = 0.0, 0, 0
        for word in text.split(","):
            name, _, value = word.partition("=")
            if name == "weights_file":
                self.engine.set_evaluation("patterns", Path(value))
            elif name == "evaluation":
                self.engine.set_evaluation(value)
            elif name == "search_flags":
                self.engine.searcher.search_flags = int(value)
            elif name in self.engine.searcher.params.dtype.names:
                self.engine.set_parameter(name, value)
            else:
                self.limits[name] = int(value)
        self.engine.warmup()

    def choose(self, moves: Sequence[int]) -> tuple[int, int | None]:
        """Return its move after `moves`: the only legal one, or by a search."""
        self.follow(moves)
        engine = self.engine
        legal = engine.legal_moves()
        if len(legal) == 1:
            return engine.game.parse_move(engine.position, legal[0]), None
        began = time.process_time()
        found = engine.search(**self.limits)
        self.seconds += time.process_time() - began
        self.searches += 1
        self.depths += found.depth
        return engine.game.parse_move(engine.position, found.bestmove), found.value


def main() -> int:
    """Play the match and print its result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--plies", type=int, default=10, help="random moves at the beginning")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    players = SettingPlayer(arguments.first), SettingPlayer(arguments.second)
    referee = Referee(players[0].engine.game)
    scores: dict[int, float] = {}
    discs = 0.0
    opening: list[int] = []
    for game in range(arguments.games // 2 * 2):
        first = game % 2
        if first == 0:
            opening = referee.random_opening(rng, arguments.plies)
        ending, _ = play_game(referee, (players[first], players[1 - first]), opening, TERMS)
        scores[game] = first_score(ending.winner, game)
        discs += (-ending.value if first else ending.value) / DISC
    result = estimate(pentanomial(scores))
    used = "; ".join(f"{1000 * p.seconds / p.searches:.1f} ms, depth {p.depths / p.searches:.1f}" for p in players)
    print(
        f"the first won {result.score:.1%} of {len(scores)} games: {result}, "
        f"{discs / max(len(scores), 1):+.1f} discs a game; {used}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
