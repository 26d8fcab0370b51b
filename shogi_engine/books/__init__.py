"""Makes, extends, shows and converts opening books: `growth` works for any game, one file per game adds the rest.

    growth = Growth(load("othello"), Settings(depth=8, width=3, margin=100, max_ply=10))
    growth.grow(200, searches)

Engines look up books in the games' own packages (`games.shogi.book`, `games.othello.book`).
"""
