"""`Engine` searches positions of one game; its results and its python-chess-like calls on Boards are here too."""

from shogi_engine.engine.engine import Engine

__all__ = ["Engine"]
