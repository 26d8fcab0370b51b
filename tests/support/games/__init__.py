"""Two small games that hold the interface between the search and a game."""

import importlib

from shogi_engine.games import load

TEST_ONLY = ("tictactoe", "othello4")


def game_of(name):
    """Return a game by name, the test-only ones included."""
    return importlib.import_module(f"tests.support.games.{name}").GAME if name in TEST_ONLY else load(name)
