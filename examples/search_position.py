"""Search a Shogi position and print the three best moves.

Usage: python examples/search_position.py [NODES] [SFEN]
"""

import sys

from shogi_engine import Engine, Limit, shogi

nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
sfen = sys.argv[2] if len(sys.argv) > 2 else "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"

with Engine("shogi") as engine:
    board = shogi.Board(sfen)
    print(board.diagram())
    for line in engine.analyse(board, Limit(nodes=nodes), multipv=3):
        print(f"{line.multipv}. {line.score:>9}  depth {line.depth:<2}  {' '.join(map(str, line.pv))}")
