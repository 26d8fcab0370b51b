"""`Engine`: a game, a search and a position; what it finds, and what it does with Boards."""

from shogi_engine.engine.engine import Engine

__all__ = ["Engine"]
