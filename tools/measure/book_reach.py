"""Measure how many moves an opening book makes against an opponent that does not always play the best move.

    python -m tools.measure.book_reach othello --loss 100 200 400
    python -m tools.measure.book_reach othello --loss 200 --book mine.txt

The opponent chooses each move at random from those that a shallow search finds at most --loss worse than the best
(Shogi: centipawns; Othello: hundredths of a disc). The book's player moves until the book has no move; it moves first
in every other game. Printed: the mean and the median of its number of moves.
"""

import argparse
import random
import statistics
import sys

from shogi_engine.engine import Engine
from shogi_engine.games import NAMES
from shogi_engine.play.game import number
from shogi_engine.types.limits import Limit


def answers(engine: Engine, loss: int, depth: int, answering: int, rng: random.Random) -> int:
    """Return the number of moves that the book makes in a game against an opponent with that loss.

    Args:
        answering: the book's player moves at plies of this parity
        rng: chooses the moves of both players
    """
    engine.new_game()
    engine.rng, board = rng, engine.board()
    made = 0
    while board.legal_moves:
        if len(board.move_stack) % 2 == answering:
            found = engine.book.play(board)
            if found is None:
                break
            move = found.move
            made += 1
        else:
            lines = engine.analyse(board, Limit(depth=depth), multipv=engine.game.max_moves)
            least = number(lines[0]["score"]) - loss
            move = rng.choice([line.pv[0] for line in lines if number(line["score"]) >= least])
        board.push(move)
    return made


def main(argv: list[str] | None = None) -> int:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=NAMES)
    parser.add_argument("--book", default=None, metavar="FILE", help="default: the one that comes with the engine")
    parser.add_argument("--loss", type=int, nargs="+", default=[100])
    parser.add_argument("--depth", type=int, default=6, help="depth of the opponent's searches")
    parser.add_argument("--games", type=int, default=200, help="for each loss")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    with Engine(args.game, hash_mb=4) as engine:
        engine.book.open(args.book)
        for loss in args.loss:
            rngs = [random.Random(f"{args.seed} {number}") for number in range(args.games)]
            made = [answers(engine, loss, args.depth, number % 2, rng) for number, rng in enumerate(rngs)]
            print(f"loss {loss}: {statistics.mean(made):.2f} moves, median {statistics.median(made):g}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
