"""How a game of Shogi ends: checkmate, repetition and perpetual check, the entering king, the move limit.

`game_result`, `occurrence`, `repetition` and `declaration` are the exact rules for a whole game. The search uses
`repetition_value` and `declaration_value`.
"""

from shogi_engine.games.shogi.rules.declaration import declaration, declaration_value, has_tried
from shogi_engine.games.shogi.rules.game_result import game_result
from shogi_engine.games.shogi.rules.repetition import occurrence, repetition, repetition_value
from shogi_engine.games.shogi.rules.results import (
    DRAW,
    LOSS,
    VALUE_LIMIT,
    VALUE_PERPETUAL,
    VALUE_SUPERIOR,
    WIN,
    terminal_value,
)

__all__ = [
    "DRAW",
    "LOSS",
    "VALUE_LIMIT",
    "VALUE_PERPETUAL",
    "VALUE_SUPERIOR",
    "WIN",
    "declaration",
    "declaration_value",
    "game_result",
    "has_tried",
    "occurrence",
    "repetition",
    "repetition_value",
    "terminal_value",
]
