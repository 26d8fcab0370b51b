"""How strong the levels of SkillLevel are: each plays its neighbour, in pairs of games from the same opening.

    python -m tools.match.levels --games 60 --out levels.jsonl        # goes on where an interrupted run stopped
    python -m tools.match.levels --out levels.jsonl --games 0         # only the table

Both players live in this process, each with a table of its own. The full level is not limited by nature; here it looks
at --full positions. A pair of games begins with --random legal moves by chance, different ones for each pair. A game of
300 plies is a draw. Printed: for each step the score of the higher level, its Elo and the 95 % interval (from the
variance of pairs), and Elo summed up from level 0.
"""

import argparse
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from shogi_engine.engine import Engine
from shogi_engine.games.shogi import levels as skill
from shogi_engine.match.arena import EnginePlayer, Referee, play_game
from shogi_engine.match.runner import first_score, read_lines
from shogi_engine.match.terms import Terms
from shogi_engine.match_statistics import estimate, pentanomial
from usi.options import Options

TERMS = Terms(max_plies=300)


class LevelPlayer(EnginePlayer):
    """A level with an engine of its own. rng : decides what the level leaves to chance."""

    def __init__(self, level: int, full_nodes: int) -> None:
        super().__init__(Engine("shogi", hash_mb=16))
        self.level, self._full_nodes = level, full_nodes
        self._draw = Options().number("DrawValueBlack")
        self.rng = random.Random()

    def choose(self, moves: Sequence[int]) -> tuple[int, int | None]:
        """Return its move after `moves`."""
        self.follow(moves)
        engine = self.engine
        engine.configure(draw_value=(-self._draw, self._draw) if len(moves) % 2 else (self._draw, -self._draw))
        if self.level == skill.FULL:
            found = engine.search(nodes=self._full_nodes)
        else:
            found = engine.search(**skill.limits(self.level, engine.legal_moves(), self.rng))
        return engine.game.parse_move(engine.position, found.bestmove), found.value


def play(referee: Referee, upper: LevelPlayer, lower: LevelPlayer, game: int, opening: list[int]) -> float:
    """Return the score of `upper`, which is black in even games."""
    players = (upper, lower) if game % 2 == 0 else (lower, upper)
    ending, _ = play_game(referee, players, opening, TERMS)
    return first_score(ending.winner, game)


def table(results: dict[int, dict[int, float]]) -> str:
    """Return the table of all steps; results : by the upper level, its scores by game."""
    rows, total = ["| level | games | score | Elo above the level below | from level 0 |", "|---|---|---|---|---|"], 0.0
    for level, scores in sorted(results.items()):
        step = estimate(pentanomial(scores))
        total += step.elo
        interval = f"{step.elo:+.0f} ({step.low:+.0f} to {step.high:+.0f})"
        rows.append(f"| {level} | {len(scores)} | {step.score:.1%} | {interval} | {total:+.0f} |")
    return "\n".join(rows)


def main() -> int:
    """Play what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=60, help="for each step")
    parser.add_argument("--levels", type=int, nargs="*", help="the upper level of each step; all if not given")
    parser.add_argument("--out", type=Path, required=True, help="the file of results, a line a game")
    parser.add_argument("--full", type=int, default=220_000, help="positions the full level looks at")
    parser.add_argument("--random", type=int, default=12, help="plies of each opening")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    results: dict[int, dict[int, float]] = {}
    for record in read_lines(arguments.out) if arguments.out.exists() else ():
        results.setdefault(record["level"], {})[record["game"]] = record["score"]
    with arguments.out.open("a", encoding="utf-8") as out:
        for level in arguments.levels or range(1, skill.FULL + 1):
            scores = results.setdefault(level, {})
            missing = [game for game in range(arguments.games) if game not in scores]
            if not missing:
                continue
            upper, lower = LevelPlayer(level, arguments.full), LevelPlayer(level - 1, arguments.full)
            referee = Referee(upper.engine.game)
            for game in missing:
                opening = referee.random_opening(
                    random.Random(f"{arguments.seed} {level} {game // 2}"), arguments.random
                )
                upper.rng = lower.rng = random.Random(f"{arguments.seed} {level} {game}")
                scores[game] = play(referee, upper, lower, game, opening)
                out.write(json.dumps({"level": level, "game": game, "score": scores[game]}) + "\n")
                out.flush()
                if sys.stderr.isatty():
                    print(f"\rlevel {level}: {game + 1} games", end="", file=sys.stderr)
    print(table({level: scores for level, scores in results.items() if scores}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
