"""List the mates that were missed in games, according to cshogi's DfPn (needs `pip install cshogi`).

    python -m tools.measure.missed_mates games.txt --colour black

A file has one game on each line, in the form of USI's `position` command (`startpos moves 7g7f ...`). DfPn searches
every position of --colour (default both) for a mate, with --nodes per position. A mate of at most --most plies counts
as missed if there is no mate after the move played and the reply.
"""

import argparse
import sys
from pathlib import Path

import cshogi

from shogi_engine.games.shogi.mate.solver import MateSolver, line_texts
from shogi_engine.games.shogi.notation.sfen import parse_sfen


def missed(judge: cshogi.DfPn, solver: MateSolver, game: str, colours: set[int], most: int) -> list[str]:
    """Return a line for each mate of a game that was not played."""
    board = cshogi.Board()
    start, _, moves = game.partition("moves")
    start = start.strip()
    if start != "startpos":
        board.set_sfen(start.removeprefix("sfen ").strip())
    found = []
    waiting: dict[int, tuple[str, str]] = {}  # by side: the position that had a mate, and the move played there
    for ply, text in enumerate([*moves.split(), ""]):
        if board.turn in colours:
            mates = bool(judge.search(board))
            before = waiting.pop(board.turn, None)
            if before and not mates:
                position = parse_sfen(before[0])
                shortest = solver.solve(position, nodes=20_000_000, shortest=True)
                if shortest.length <= most:
                    line = " ".join(line_texts(position, shortest.moves))
                    found.append(f"ply {ply - 1}: {before[1]} played, mate in {shortest.length}: {line}  {before[0]}")
            if mates:
                waiting[board.turn] = board.sfen(), text
        if text:
            board.push_usi(text)
            if board.is_game_over():
                waiting.clear()
    return found


def main() -> int:
    """Read the games and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--colour", choices=("black", "white", "both"), default="both")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--most", type=int, default=15, metavar="PLIES")
    args = parser.parse_args()
    colours = {"black": {0}, "white": {1}, "both": {0, 1}}[args.colour]
    judge, solver = cshogi.DfPn(depth=127, nodes=args.nodes, draw_ply=100_000), MateSolver(128)
    games = [line.strip() for file in args.files for line in Path(file).read_text().splitlines() if line.strip()]
    total = 0
    for number, game in enumerate(games, 1):
        for line in missed(judge, solver, game.removeprefix("position "), colours, args.most):
            print(f"game {number}, {line}", flush=True)
            total += 1
    print(f"{total} mates of {args.most} plies or fewer were missed in {len(games)} games")
    return 0


if __name__ == "__main__":
    sys.exit(main())
