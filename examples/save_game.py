"""Let the engine play the first moves of a game and save them as KIF, the format of most Shogi programs.

Usage: python examples/save_game.py [FILE] [MOVES] [NODES]
"""

import sys

from shogi_engine import Engine, Limit, records, shogi

file = sys.argv[1] if len(sys.argv) > 1 else "game.kif"
count = int(sys.argv[2]) if len(sys.argv) > 2 else 20
nodes = int(sys.argv[3]) if len(sys.argv) > 3 else 20_000

board = shogi.Board()
with Engine("shogi") as engine:
    for _ in range(count):
        if board.outcome() is not None or (move := engine.play(board, Limit(nodes=nodes)).move) is None:
            break  # None: it resigns, or declares a win
        board.push(move)

record = board.record("interrupted")
record.names = ["shogi_engine", "shogi_engine"]
records.save(record, file)
print(f"{len(record.moves)} moves in {file}: {' '.join(record.moves)}")
