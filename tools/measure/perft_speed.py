"""Perft of this package against cshogi driven from Python, in turn in one run (needs `pip install cshogi`).

    python -m tools.measure.perft_speed --rounds 3

cshogi counts the last ply as `len(board.legal_moves)`. Figures are leaves per second of CPU time, one thread; cshogi
searches one ply less, as it is slower.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import cshogi

from shogi_engine.games import load
from shogi_engine.perft import perft

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
MIDGAME = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"


def cshogi_perft(board: cshogi.Board, depth: int) -> int:
    """Return the leaves `depth` plies below `board`."""
    if depth == 1:
        return len(board.legal_moves)
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += cshogi_perft(board, depth - 1)
        board.pop()
    return nodes


def speed(count: Callable[[], int]) -> float:
    """Return leaves per second of CPU time."""
    began = time.process_time()
    nodes = count()
    return nodes / (time.process_time() - began)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    game = load("shogi")
    for name, sfen, depth in (("start", START, 5), ("midgame", MIDGAME, 4)):
        position, board = game.parse_position(sfen), cshogi.Board(sfen)
        perft(game, position, 3)
        perft(game, position, 3, bulk=False)
        rows = []
        for _ in range(rounds):
            ours = speed(lambda: perft(game, position, depth).nodes)  # noqa: B023
            theirs = speed(lambda: cshogi_perft(board, depth - 1))  # noqa: B023
            single = speed(lambda: perft(game, position, depth - 1, bulk=False).nodes)  # noqa: B023
            rows.append((ours, theirs, ours / theirs, single))
        bulk, other, ratio, single = (statistics.median(column) for column in zip(*rows, strict=True))
        print(
            f"{name} d{depth}: {bulk / 1e6:.0f} M/s, cshogi {other / 1e6:.0f} M/s, ratio {ratio:.2f}; "
            f"every move made {single / 1e6:.0f} M/s"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
