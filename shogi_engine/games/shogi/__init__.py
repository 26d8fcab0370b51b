"""Shogi: its rules for the search, its notation, and a Board for Python. `GAME` is loaded on first access."""

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "GAME":
        from shogi_engine.games.shogi.game import GAME

        return GAME
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
