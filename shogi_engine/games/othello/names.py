"""The names of Othello's evaluations, for people and tools. Standard library only."""

from shogi_engine.common.registry import Registry

START = "---------------------------OX------XO--------------------------- X"  # the starting position

EVALUATIONS = Registry(
    "evaluation",
    "EVALUATION",
    {
        "features": "shogi_engine.games.othello.evaluation.features",
        "patterns": "shogi_engine.games.othello.evaluation.patterns",
    },
    default="patterns",
    group="shogi_engine.evaluations.othello",
)
