"""The names by which people and tools choose among Othello's evaluations. Standard library only."""

from shogi_engine.common.registry import Registry

START = "---------------------------OX------XO--------------------------- X"  # the position games begin from

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
