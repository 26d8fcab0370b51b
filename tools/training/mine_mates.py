"""Find mate problems in games, and write them with the lengths of their shortest mates.

    python -m tools.training.mine_mates games.txt --least 5 --output mates.json
    python -m tools.training.mine_mates --games 20 --nodes 5000 --output mates.json

A file has one game on each line, in the form of USI's `position` command (`startpos moves 7g7f ...`). Without a file
the engine plays itself, with some random moves. Every position of a game is searched for a mate by the side to move.
`shogi-engine mate --suite` reads the output. A problem is kept if its shortest mate is proven, has at least --least
plies and, with --single, begins with only one move. If a mate spans several positions, only the first is kept.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from shogi_engine.engine import Engine
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.mate.solver import MateSolver, line_texts

RANDOM_MOVES = 12
RANDOM_SHARE = 0.15  # of the later moves, so that players make mistakes and are mated
LONGEST_GAME = 300


def read_games(path: str) -> Iterator[str]:
    """Yield the games of a file."""
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield line.strip().removeprefix("position ")


def played_games(count: int, nodes: int, seed: int) -> Iterator[str]:
    """Yield games of the engine against itself."""
    rng = random.Random(seed)
    with Engine("shogi", hash_mb=16) as engine:
        for _ in range(count):
            engine.new_game()
            engine.set_position()
            while (moves := engine.legal_moves()) and len(engine.moves) < LONGEST_GAME:
                blind = len(engine.moves) < RANDOM_MOVES or rng.random() < RANDOM_SHARE
                engine.push(rng.choice(moves) if blind else engine.search(nodes=nodes).bestmove)
            yield f"startpos moves {' '.join(engine.move_texts)}"


def problems(solver: MateSolver, game: str, nodes: int, least: int, single: bool) -> Iterator[dict]:
    """Yield the problems of one game, each as a row of the output."""
    board = Board.from_usi_position(game)
    played = [move.usi() for move in board.move_stack]
    board = board.root()
    follows = 0  # plies since the last position with a mate; the rest of that mate is not a new problem
    for move in [*played, ""]:
        follows += 1
        if board.legal_moves and board.king_squares[1 - board.turn] is not None:
            found = solver.solve(board._pos, nodes=nodes, shortest=True, every=single)
            if found.result == "mate":
                new, follows = follows > 2, 0
                if new and found.shortest and found.length >= least and not (single and len(found.solutions) > 1):
                    moves = line_texts(board._pos, found.moves)
                    yield {"sfen": board.sfen(), "mate": found.length, "pv": " ".join(moves)}
        if move:
            board.push_usi(move)


def main() -> int:
    """Mine and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="games; none: the engine plays itself")
    parser.add_argument("--games", type=int, default=10, help="games to play")
    parser.add_argument("--nodes", type=int, default=5000, help="nodes per move of the games")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mate-nodes", type=int, default=2_000_000, help="nodes per position of the mate search")
    parser.add_argument("--least", type=int, default=5, metavar="PLIES")
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--output", default="mates.json")
    args = parser.parse_args()
    games = (game for file in args.files for game in read_games(file))
    solver = MateSolver(128)
    rows: dict[str, dict] = {}
    for number, game in enumerate(games if args.files else played_games(args.games, args.nodes, args.seed), 1):
        for row in problems(solver, game, args.mate_nodes, args.least, args.single):
            rows.setdefault(row["sfen"].rsplit(" ", 1)[0], row)
        print(f"{number} games, {len(rows)} problems", file=sys.stderr, flush=True)
    found = sorted(rows.values(), key=lambda row: row["mate"])
    Path(args.output).write_text(json.dumps({"positions": found}, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found)} problems of {args.least} plies and more in {args.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
