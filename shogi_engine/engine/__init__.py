"""`Engine`, which searches positions of one game, its results, and its python-chess-like methods for Boards."""

from shogi_engine.engine.engine import Engine

__all__ = ["Engine"]
