"""Analysis of games and positions, with the same standards for Shogi and Othello.

    from shogi_engine import analysis, records
    game = analysis.analyse(records.load("game.kif")[0], nodes=200_000)
    for move in game.blunders:
        print(move.ply, move.move, f"{move.loss:.0%}", move.best, move.pv)

`judgement` evaluates moves, `analyst` searches, and the other modules show and store the results.
"""

from shogi_engine.analysis.analyst import Analyst, Hint, SavedAnalysis, analyse, cores, hints, limits_for
from shogi_engine.analysis.judgement import (
    BLUNDER,
    INACCURACY,
    MISTAKE,
    GameAnalysis,
    MoveAnalysis,
    PositionResult,
    judge,
)
from shogi_engine.analysis.report import (
    PlayerSummary,
    annotate,
    annotated,
    game_table,
    hint_table,
    page,
    player_of,
    player_table,
    players,
    score_table,
    scored,
    sparkline,
)

__all__ = [
    "Analyst", "BLUNDER", "PositionResult", "GameAnalysis", "Hint", "INACCURACY", "MISTAKE", "MoveAnalysis",
    "PlayerSummary", "SavedAnalysis", "analyse", "annotate", "annotated", "cores", "game_table", "hint_table",
    "hints", "judge", "limits_for", "page", "player_of", "player_table", "players", "score_table", "scored",
    "sparkline",
]  # fmt: skip
