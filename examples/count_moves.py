"""Perft: count the positions that legal moves reach, for each first move (divide), to check the rules.

Usage: python examples/count_moves.py [DEPTH]
"""

import sys

from shogi_engine import Engine, shogi

PUBLISHED = {1: 30, 2: 900, 3: 25_470, 4: 719_731, 5: 19_861_490}

depth = int(sys.argv[1]) if len(sys.argv) > 1 else 3
with Engine("shogi") as engine:
    leaves = engine.perft(shogi.Board(), depth).nodes
    print(f"perft {depth}: {leaves} leaves; published: {PUBLISHED.get(depth, 'not known here')}")
