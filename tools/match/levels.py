"""Measure the strength of a game's levels: each plays its neighbour, in pairs of games from the same opening.

    python -m tools.match.levels --games 60 --out levels.jsonl        # continues an interrupted run
    python -m tools.match.levels --out levels.jsonl --games 0         # only the table
    python -m tools.match.levels --game othello --games 40 --out othello.jsonl
    python -m tools.match.levels --levels 9 10 --engine "fairy-stockfish" --limit nodes=100 --out levels.jsonl

Both players run in this process, each with its own table. A level without a limit searches --full positions here. Each
pair of games begins with --random legal moves, drawn at random for the pair. A game of 300 plies is a draw. Printed,
for each step: the score of the higher level, its Elo and the 95 % interval (from the variance of pairs), the cumulative
Elo from level 0, and the higher level's time per move.

With --engine, the levels play a USI engine instead of each other. All players of the file are then put on one scale:
Bradley and Terry's model, fitted to all games, with level 0 at 0. The 95 % intervals are relative to the mean player.
"""

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine import games as known_games
from shogi_engine.clients.usi import Limit, SimpleEngine, parse_options
from shogi_engine.common.match_statistics import estimate, expected_score, pentanomial
from shogi_engine.engine import Engine
from shogi_engine.match.arena import EnginePlayer, InProcessPlayer, Referee, play_game
from shogi_engine.match.players import RESIGN
from shogi_engine.match.report import fitted
from shogi_engine.match.runner import first_score, read_lines
from shogi_engine.match.terms import Terms
from shogi_engine.match.time_controls import parse_time_control

TERMS = Terms(max_plies=300)
NO_BOOK = {"USI_OwnBook": "false", "BookFile": "no_book"}


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


class ResignError(Exception):
    """A USI engine resigns."""


class OutsidePlayer:
    """A USI engine under a fixed limit, as a player within this process."""

    def __init__(self, referee: Referee, command: str, options: str, limit: str) -> None:
        control = parse_time_control(limit)
        self._engine = SimpleEngine(command, parse_options(options), defaults=tuple(NO_BOOK.items()))
        self._limit = Limit(control.nodes, control.depth, control.movetime)
        self._referee = referee

    def new_game(self) -> None:
        """Forget the previous game."""
        self._engine.ready()
        self._engine.new_game()

    def choose(self, moves: Sequence[int]) -> tuple[int, int | None]:
        """Return its move after `moves`. Raises ResignError."""
        played = self._referee.format(moves)
        move = self._engine.play(f"startpos moves {played}", self._limit).move
        if move == RESIGN:
            raise ResignError
        return self._referee.parse(f"{played} {move}")[-1], None


def play(referee: Referee, upper: InProcessPlayer, lower: InProcessPlayer, game: int, opening: list[int]) -> float:
    """Return the score of `upper`, which plays black in even games. `lower` may be an engine that resigns."""
    players = (upper, lower) if game % 2 == 0 else (lower, upper)
    try:
        ending, _ = play_game(referee, players, opening, TERMS)
    except ResignError:
        return 1.0
    return first_score(ending.winner, game)


def scale(records: Sequence[dict[str, Any]]) -> str:
    """Return the table of all players on one scale, weakest first."""
    pairs = [(f"level {each['level']}", each.get("against") or f"level {each['level'] - 1}") for each in records]
    names = sorted({name for pair in pairs for name in pair}, key=lambda name: (name != "level 0", name))
    won = np.zeros((len(names), len(names)))
    for (upper, lower), record in zip(pairs, records, strict=True):
        one, other = names.index(upper), names.index(lower)
        won[one, other] += record["score"]
        won[other, one] += 1 - record["score"]
    elo = np.array(fitted(won.tolist()))
    chance = np.vectorize(expected_score)(elo[:, None] - elo)
    weight = (won + won.T) * chance * (1 - chance) * (math.log(10) / 400) ** 2
    errors = 1.96 * np.sqrt(np.diag(np.linalg.pinv(np.diag(weight.sum(1)) - weight)))
    rows = ["| player | games | Elo | 95 % |", "|---|---|---|---|"]
    for index in np.argsort(elo):
        games = int((won[index] + won[:, index]).sum())
        rows.append(f"| {names[index]} | {games} | {elo[index] - elo[0]:.0f} | +-{errors[index]:.0f} |")
    return "\n".join(rows)


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
    parser.add_argument("--engine", metavar="COMMAND", help="a USI engine that the levels play instead of each other")
    parser.add_argument("--name", help="of the engine with its limit, in the table; default COMMAND LIMIT")
    parser.add_argument("--options", default="", help="of the engine: Name=Value,Name=Value")
    parser.add_argument("--limit", default="nodes=1000", help="of the engine: nodes=N, depth=N or movetime=MS")
    arguments = parser.parse_args()
    against = (arguments.name or f"{arguments.engine} {arguments.limit}") if arguments.engine else None
    records = list(read_lines(arguments.out)) if arguments.out.exists() else []
    with arguments.out.open("a", encoding="utf-8") as out:
        for level in arguments.levels or range(1, known_games.load(arguments.game).levels):
            done = {each["game"] for each in records if (each["level"], each.get("against")) == (level, against)}
            missing = [game for game in range(arguments.games) if game not in done]
            if not missing:
                continue
            upper = LevelPlayer(arguments.game, level, arguments.full)
            referee = Referee(upper.engine.game)
            lower = (
                OutsidePlayer(referee, arguments.engine, arguments.options, arguments.limit)
                if arguments.engine
                else LevelPlayer(arguments.game, level - 1, arguments.full)
            )
            for game in missing:
                opening = referee.random_opening(
                    random.Random(f"{arguments.seed} {level} {game // 2}"), arguments.random
                )
                for player in (upper, lower):
                    if isinstance(player, LevelPlayer):
                        player.engine.rng = random.Random(f"{arguments.seed} {level} {game}")
                upper.seconds, upper.moves = 0.0, 0
                score = play(referee, upper, lower, game, opening)
                record = {"level": level, "game": game, "score": score, "seconds": upper.seconds, "moves": upper.moves}
                records.append(record | ({"against": against} if against else {}))
                out.write(json.dumps(records[-1]) + "\n")
                out.flush()
                if sys.stderr.isatty():
                    print(f"\rlevel {level}: {game + 1} games", end="", file=sys.stderr)
    steps: dict[int, dict[int, dict[str, Any]]] = {}
    for record in records:
        if not record.get("against"):
            steps.setdefault(record["level"], {})[record["game"]] = record
    print(table(steps))
    if any(record.get("against") for record in records):
        print(f"\n{scale(records)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
