"""Let two levels play a game of Othello against each other.

Usage: python examples/two_levels.py [LEVEL_OF_BLACK] [LEVEL_OF_WHITE]
"""

import sys

from shogi_engine import Engine, Limit, othello

levels = [int(text) for text in sys.argv[1:3]] if len(sys.argv) > 2 else [1, 3]

with Engine("othello") as engine:
    board = othello.Board()
    while board.outcome() is None:
        found = engine.play(board, Limit(level=levels[board.turn]))
        assert found.move is not None  # in Othello no one resigns
        board.push(found.move)
    print(board)
    print(board.outcome())
