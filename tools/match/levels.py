"""Measure the strength of a game's levels: each plays its neighbour, in pairs of games from the same opening.

    python -m tools.match.levels --games 60 --out levels.jsonl        # continues an interrupted run
    python -m tools.match.levels --out levels.jsonl --games 0         # only the table
    python -m tools.match.levels --game othello --games 40 --out othello.jsonl

Both players run in this process, each with its own table. A level without a limit searches --full positions here. Each
pair of games begins with --random legal moves, drawn at random for the pair. A game of 300 plies is a draw. Printed,
for each step: the score of the higher level, its Elo and the 95 % interval (from the variance of pairs), the cumulative
Elo from level 0, and the higher level's time per move.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shogi_engine import games as known_games
from shogi_engine.common.match_statistics import estimate, pentanomial
from shogi_engine.engine import Engine
from shogi_engine.match.arena import EnginePlayer, Referee, play_game
from shogi_engine.match.runner import first_score, read_lines
from shogi_engine.match.terms import Terms

TERMS = Terms(max_plies=300)


class LevelPlayer(EnginePlayer):
    """A level with its own engine.

    Attributes:
        seconds, moves: CPU time and number of moves since last set to 0
    """

    def __init__(self, game: str, level: int, full_nodes: int) -> None:
        super().__init__(Engine(game, hash_mb=16))
        self.limits: dict[str, Any] = {"level": level}
        if self.engine.check_level(level).is_full_strength():
            self.limits = {"nodes": full_nodes}
        self.seconds, self.moves = 0.0, 0

    def choose(self, moves: Sequence[int]) -> tuple[int, int | None]:
        """Return its move after `moves`."""
        self.follow(moves)
        engine, begin = self.engine, time.process_time()
        found = engine.search(**self.limits)
        self.seconds += time.process_time() - begin
        self.moves += 1
        return engine.game.parse_move(engine.position, found.bestmove), found.value


def play(referee: Referee, upper: LevelPlayer, lower: LevelPlayer, game: int, opening: list[int]) -> float:
    """Return the score of `upper`, which plays black in even games."""
    players = (upper, lower) if game % 2 == 0 else (lower, upper)
    ending, _ = play_game(referee, players, opening, TERMS)
    return first_score(ending.winner, game)


def table(results: dict[int, dict[int, dict[str, Any]]]) -> str:
    """Return the table of all steps.

    Args:
        results: by upper level, its records by game
    """
    rows = [
        "| level | games | score | Elo above the level below | from level 0 | ms a move |",
        "|---|---|---|---|---|---|",
    ]
    total = 0.0
    for level, games in sorted(results.items()):
        step = estimate(pentanomial({game: record["score"] for game, record in games.items()}))
        total += step.elo
        interval = f"{step.elo:+.0f} ({step.low:+.0f} to {step.high:+.0f})"
        timed = [record for record in games.values() if record.get("moves")]
        each = sum(1000 * record["seconds"] for record in timed) / max(1, sum(record["moves"] for record in timed))
        rows.append(f"| {level} | {len(games)} | {step.score:.1%} | {interval} | {total:+.0f} | {each:.1f} |")
    return "\n".join(rows)


def main() -> int:
    """Play the missing games and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=known_games.NAMES, default="shogi")
    parser.add_argument("--games", type=int, default=60, help="for each step")
    parser.add_argument("--levels", type=int, nargs="*", help="the upper level of each step; all if not given")
    parser.add_argument("--out", type=Path, required=True, help="the file of results, a line a game")
    parser.add_argument("--full", type=int, default=220_000, help="positions that a level without a limit looks at")
    parser.add_argument("--random", type=int, default=12, help="plies of each opening")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    results: dict[int, dict[int, dict[str, Any]]] = {}
    for record in read_lines(arguments.out) if arguments.out.exists() else ():
        results.setdefault(record["level"], {})[record["game"]] = record
    with arguments.out.open("a", encoding="utf-8") as out:
        for level in arguments.levels or range(1, known_games.load(arguments.game).levels):
            done = results.setdefault(level, {})
            missing = [game for game in range(arguments.games) if game not in done]
            if not missing:
                continue
            upper, lower = (LevelPlayer(arguments.game, number, arguments.full) for number in (level, level - 1))
            referee = Referee(upper.engine.game)
            for game in missing:
                opening = referee.random_opening(
                    random.Random(f"{arguments.seed} {level} {game // 2}"), arguments.random
                )
                upper.engine.rng = lower.engine.rng = random.Random(f"{arguments.seed} {level} {game}")
                upper.seconds, upper.moves = 0.0, 0
                score = play(referee, upper, lower, game, opening)
                record = {"level": level, "game": game, "score": score, "seconds": upper.seconds, "moves": upper.moves}
                done[game] = record
                out.write(json.dumps(record) + "\n")
                out.flush()
                if sys.stderr.isatty():
                    print(f"\rlevel {level}: {game + 1} games", end="", file=sys.stderr)
    print(table({level: games for level, games in results.items() if games}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
