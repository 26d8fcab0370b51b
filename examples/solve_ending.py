"""Find the exact score of an Othello ending, its best move and line.

Usage: python examples/solve_ending.py [POSITION]

POSITION is in the OBF format: 64 of X, O and - from a1 to h8, then the side to move.
"""

import sys

from shogi_engine import Engine, othello

FFO_1 = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"

with Engine("othello") as engine:
    board = othello.Board(sys.argv[1] if len(sys.argv) > 1 else FFO_1)
    print(board)
    found = engine.solve(board)
    assert found is not None  # nothing has stopped it
    print(f"{found.pv[0]}: {found.score}, {'exact' if found.exact else 'not proven'}")
    print(" ".join(map(str, found.pv)), f"({found.nodes} nodes)")
