"""Play a match between two settings of the Othello engine: `python tools/othello_elo.py A B --games 200`.

A setting is words name=value, joined by commas: parameters of the game (weights=0 is the evaluation by hand-made
features), features (bits of search.context), weights_file=FILE, and limits of Engine.search (depth, nodes, movetime,
level, selectivity). Every opening of random moves is played twice, with colours exchanged; the error bar is that of
the pairs. Result: games won by A, the Elo difference and its 95 % interval, mean discs, CPU time a move.
"""

import argparse
import math
import random
import sys
import time
from pathlib import Path
from typing import Any

from shogi_engine.engine import Engine
from shogi_engine.games.othello.board import Board
from shogi_engine.games.othello.evaluation import weights


class Player:
    """An engine with a setting."""

    def __init__(self, text: str) -> None:
        self.engine = Engine("othello", hash_mb=16)
        self.limits: dict[str, Any] = {}
        self.seconds, self.moves, self.depths = 0.0, 0, 0
        for word in text.split(","):
            name, _, value = word.partition("=")
            if name == "weights_file":
                self.kept = weights.by_phase(weights.read(Path(value))[0])
                self.engine.configure(weights=self.kept.ctypes.data)
            elif name == "search_flags":
                self.engine.searcher.search_flags = int(value)
            elif name in self.engine.searcher.params.dtype.names:
                self.engine.configure(**{name: int(value)})
            else:
                self.limits[name] = int(value)
        self.engine.warmup()

    def move(self, moves: list[str]) -> str:
        self.engine.set_position(moves=moves)
        began = time.process_time()
        found = self.engine.search(**self.limits)
        self.seconds += time.process_time() - began
        self.moves += 1
        self.depths += found.depth
        return found.bestmove


def opening(rng: random.Random, plies: int) -> list[str]:
    """Return random moves that do not end the game."""
    while True:
        board, moves = Board(), []
        while len(moves) < plies and board.outcome() is None:
            move = rng.choice([str(each) for each in board.legal_moves])
            moves.append(move)
            board.push_text(move)
        if board.outcome() is None:
            return moves


def play(players: list[Player], moves: list[str]) -> int:
    """Play a game, players[0] with black, and return black's score in discs."""
    board = Board()
    for move in moves:
        board.push_text(move)
    for player in players:
        player.engine.new_game()
    moves = list(moves)
    while (ending := board.outcome()) is None:
        legal = [str(each) for each in board.legal_moves]
        move = legal[0] if len(legal) == 1 else players[board.turn].move(moves)
        moves.append(move)
        board.push_text(move)
    return ending.score


def elo(share: float) -> float:
    """Return the Elo difference that a share of the points stands for."""
    share = min(max(share, 1e-3), 1 - 1e-3)
    return -400 * math.log10(1 / share - 1)


def main() -> int:
    """Play the match and print its result."""
    parser = argparse.ArgumentParser(description="Play a match between two settings of the Othello engine.")
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--plies", type=int, default=10, help="random moves at the beginning")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    a, b = Player(args.a), Player(args.b)
    pairs, discs = [], 0
    for _ in range(args.games // 2):
        moves = opening(rng, args.plies)
        first, second = play([a, b], moves), -play([b, a], moves)
        discs += first + second
        pairs.append(sum(0.5 + 0.5 * ((score > 0) - (score < 0)) for score in (first, second)) / 2)
    mean = sum(pairs) / len(pairs)
    spread = math.sqrt(sum((pair - mean) ** 2 for pair in pairs) / max(len(pairs) - 1, 1) / len(pairs))
    low, high = elo(mean - 1.96 * spread), elo(mean + 1.96 * spread)
    print(
        f"A won {100 * mean:.1f} % of {2 * len(pairs)} games: Elo {elo(mean):+.0f} ({low:+.0f} to {high:+.0f}), ",
        end="",
    )
    print(f"{discs / 2 / len(pairs):+.1f} discs a game; ", end="")
    print("; ".join(f"{1000 * p.seconds / p.moves:.1f} ms, depth {p.depths / p.moves:.1f}" for p in (a, b)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
