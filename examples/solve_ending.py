"""Find the exact score of an Othello ending, its best move and line.

Usage: python examples/solve_ending.py [POSITION]

POSITION is in the OBF format: 64 of X, O and - from a1 to h8, then the side to move.
"""

import sys

from shogi_engine import Engine

FFO_1 = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"

with Engine("othello") as engine:
    engine.set_position(sys.argv[1] if len(sys.argv) > 1 else FFO_1)
    print(engine.diagram())
    found = engine.search(movetime=60_000)  # the solver runs first and needs a fraction of that
    print(f"{found.bestmove}: {found.score}, {'exact' if found.lines[0].exact else 'not proven'}")
    print(" ".join(found.pv), f"({found.nodes} nodes)")
