"""Let two levels play a game of Othello against each other.

Usage: python examples/two_levels.py [LEVEL_OF_BLACK] [LEVEL_OF_WHITE]
"""

import sys

import shogi_engine.games.othello.board as othello
from shogi_engine import Engine

levels = [int(text) for text in sys.argv[1:3]] if len(sys.argv) > 2 else [1, 3]

with Engine("othello") as engine:
    board = othello.Board()
    while board.outcome() is None:
        found = engine.search(level=levels[board.turn])
        engine.push(found.bestmove)
        board.push_text(found.bestmove)
    print(board)
    print(board.outcome())
