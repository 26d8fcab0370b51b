"""The opening explorer: the moves that were played in a position, how often, and with what success.

    with Explorer("games.idx", "shogi") as explorer:
        explorer.add("kifu/")
        for row in explorer.moves(board):
            print(row.move, row.games, row.score)

index      `Explorer`: a file, or memory, with the first moves of many games
counting   keys of positions, and the moves of many games counted together
images     positions that count as the same: Othello's symmetries
"""

from shogi_engine.explorer.index import Added, Explorer, ExplorerMove, PlayedGame

__all__ = ["Added", "Explorer", "ExplorerMove", "PlayedGame"]
