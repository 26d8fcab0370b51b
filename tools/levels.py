"""How strong the levels of SkillLevel are: each plays its neighbour, in pairs of games from the same opening.

    python tools/levels.py --games 60 --out levels.jsonl        # goes on where an interrupted run stopped
    python tools/levels.py --out levels.jsonl --games 0         # only the table

Both players live in this process, each with a table of its own. The full level is not limited by nature; here it looks
at --full positions. A pair of games begins with --random legal moves by chance, different ones for each pair. A game of
300 plies is a draw. Printed: for each step the score of the higher level, its Elo and the 95 % interval (from the
variance of pairs), and Elo summed up from level 0.
"""

import argparse
import json
import math
import random
import sys
from pathlib import Path
from typing import Any

from shogi_engine.engine import Engine
from shogi_engine.games.shogi import levels as skill
from shogi_engine.games.shogi.board import Board
from usi.options import Options

PLIES = 300


class Player:
    """A level with an engine of its own."""

    def __init__(self, level: int, full_nodes: int) -> None:
        self.level, self._full_nodes = level, full_nodes
        self._engine = Engine("shogi", hash_mb=16)
        self._draw = Options().number("DrawValueBlack")

    def new_game(self) -> None:
        """Forget the game before."""
        self._engine.new_game()

    def move(self, moves: list[str], rng: random.Random) -> str:
        """Return its move in the position after `moves`."""
        self._engine.set_position(moves=moves)
        self._engine.configure(draw_value=(-self._draw, self._draw) if len(moves) % 2 else (self._draw, -self._draw))
        if self.level == skill.FULL:
            return self._engine.search(nodes=self._full_nodes).bestmove
        limits = skill.limits(self.level, self._engine.legal_moves(), rng)
        return self._engine.search(**limits).bestmove


def opening(rng: random.Random, plies: int) -> list[str]:
    """Return so many random legal moves from the start."""
    board = Board()
    for _ in range(plies):
        board.push(rng.choice(list(board.legal_moves)))
    return [move.usi() for move in board.move_stack]


def play(players: tuple[Player, Player], moves: list[str], rng: random.Random) -> float:
    """Return the score of black, players[0]: 1, 0.5 or 0."""
    board = Board()
    for text in moves:
        board.push_usi(text)
    for player in players:
        player.new_game()
    while len(board.move_stack) < PLIES:
        ending = board.outcome()
        if ending is not None:
            return 0.5 if ending.winner is None else float(ending.winner == 0)
        if board.can_declare_win():
            return float(board.turn == 0)
        board.push_usi(players[board.turn].move([move.usi() for move in board.move_stack], rng))
    return 0.5


def elo(score: float) -> float:
    """Return the Elo difference of a score, within what can be told from a few games."""
    score = min(max(score, 0.005), 0.995)
    return -400 * math.log10(1 / score - 1)


def summary(scores: list[float]) -> dict[str, Any]:
    """Return the figures of one step. scores : of the higher level, two of each pair after each other."""
    mean = sum(scores) / len(scores)
    pairs = [(a + b) / 2 for a, b in zip(scores[::2], scores[1::2], strict=False)]
    variance = sum((pair - mean) ** 2 for pair in pairs) / max(len(pairs) - 1, 1)
    # A clean sweep has no variance; as many pairs as there are could still have hidden about one draw and a half.
    half = 1.96 * math.sqrt(max(variance, 0.25 * mean * (1 - mean), 0.02) / max(len(pairs), 1))
    return {"games": len(scores), "score": mean, "elo": elo(mean), "low": elo(mean - half), "high": elo(mean + half)}


def table(results: dict[int, list[float]]) -> str:
    """Return the table of all steps."""
    rows, total = ["| level | games | score | Elo above the level below | from level 0 |", "|---|---|---|---|---|"], 0.0
    for level in sorted(results):
        row = summary(results[level])
        total += row["elo"]
        rows.append(
            f"| {level} | {row['games']} | {row['score']:.1%} | {row['elo']:+.0f} ({row['low']:+.0f} to"
            f" {row['high']:+.0f}) | {total:+.0f} |"
        )
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
    results: dict[int, list[float]] = {}
    if arguments.out.exists():
        for line in arguments.out.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            results.setdefault(record["level"], []).append(record["score"])
    with arguments.out.open("a", encoding="utf-8") as out:
        for level in arguments.levels or range(1, skill.FULL + 1):
            upper = lower = None
            for game in range(len(results.get(level, [])), arguments.games):
                upper, lower = upper or Player(level, arguments.full), lower or Player(level - 1, arguments.full)
                rng = random.Random(f"{arguments.seed} {level} {game // 2}")
                moves = opening(rng, arguments.random)
                rng = random.Random(f"{arguments.seed} {level} {game}")
                score = play((upper, lower), moves, rng) if game % 2 == 0 else 1 - play((lower, upper), moves, rng)
                results.setdefault(level, []).append(score)
                out.write(json.dumps({"level": level, "game": game, "score": score}) + "\n")
                out.flush()
                if sys.stderr.isatty():
                    print(f"\rlevel {level}: {game + 1} games", end="", file=sys.stderr)
    print(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
