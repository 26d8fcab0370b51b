"""Othello's names and numbers for front ends that need them before numba is loaded. Standard library only."""

from shogi_engine.common.registry import Registry
from shogi_engine.types.score import DISC as DISC

MAX_LEVEL = 30
QUICK_LEVEL = 21  # higher levels may take minutes for a move

START = "---------------------------OX------XO--------------------------- X"  # the starting position

EVALUATIONS = Registry(
    "evaluation",
    "EVALUATION",
    {
        "features": "shogi_engine.games.othello.evaluation.features",
        "patterns": "shogi_engine.games.othello.evaluation.patterns",
        "network": "shogi_engine.games.othello.evaluation.network",
    },
    default="network",
    group="shogi_engine.evaluations.othello",
)
