"""Solve a tsume problem: the shortest mate, or the proof that there is none.

Usage: python examples/solve_tsume.py [SFEN]
"""

import sys

from shogi_engine.games.shogi.board import Board

board = Board(sys.argv[1] if len(sys.argv) > 1 else "7nk/9/7GP/9/9/9/9/9/9 b - 1")
found = board.find_mate(shortest=True, max_ms=10_000)
print(board.diagram())
if found:
    print(f"mate in {found.length}: {' '.join(move.usi() for move in found.moves)}")
else:
    print("there is no mate by checks" if found.result == "nomate" else "nothing was proven in ten seconds")
