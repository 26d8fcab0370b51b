"""Othello for the search: `GAME` lists its parts."""

import importlib
from typing import Any

from shogi_engine.games.othello import (  # noqa: F401  (they register)
    book,
    names,  # noqa: F401  (they register)
    ordering,
    params,  # noqa: F401  (they register)
    position,  # noqa: F401  (they register)
    texts,  # noqa: F401  (they register)
)
from shogi_engine.games.othello.endgame import search  # noqa: F401
from shogi_engine.games.othello.endgame.search import NEAR_TABLE
from shogi_engine.games.othello.evaluation import naive  # noqa: F401
from shogi_engine.games.othello.names import DISC, EVALUATIONS
from shogi_engine.games.othello.notation import START, format_move, format_obf, parse_move, parse_obf
from shogi_engine.games.othello.params import PARAMS, default_params
from shogi_engine.games.othello.types import MAX_MOVES, POSITION, UNDO
from shogi_engine.interface.extras import Extras
from shogi_engine.interface.game import Game
from shogi_engine.search.context import USE_DEEPER_ENTRIES, USE_MULTI_PROBCUT, USE_SOLVERS, USE_TT
from shogi_engine.types.results import Score


def score(value: int) -> Score:
    """Convert a value to a Score in discs."""
    return Score.discs(value / DISC)


def make_solver(**options: Any) -> Any:
    """Return an exact solver; its module is imported on first use."""
    return importlib.import_module("shogi_engine.games.othello.endgame.solver").Solver(GAME, hash_mb=1, **options)


GAME = Game(
    name="othello",
    position=POSITION,
    undo=UNDO,
    max_moves=MAX_MOVES,
    start=START,
    parse_position=parse_obf,
    format_position=format_obf,
    parse_move=parse_move,
    format_move=format_move,
    params=PARAMS,
    default_params=default_params,
    evaluations=EVALUATIONS,
    thread_tables=NEAR_TABLE,
    plies_left=params.plies_left,
    search_flags=USE_TT | USE_DEEPER_ENTRIES | USE_SOLVERS | USE_MULTI_PROBCUT,
    extras=Extras(
        score=score,
        endgame_solver=make_solver,
        levels=params.LEVELS,
        level=params.plan,
        open_book=book.open_book,
        budget=names.budget,
    ),
)
