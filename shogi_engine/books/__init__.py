"""Opening books made, extended, shown and converted: `growth` knows no game, a file a game says what differs.

    growth = Growth(load("othello"), Settings(depth=8, width=3, margin=100, max_ply=10))
    growth.grow(200, searches)

The books as engines look them up are in the games' own rooms (`games.shogi.book`, `games.othello.book`).
"""
