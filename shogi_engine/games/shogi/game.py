"""Shogi as the search plays it: `GAME` names the parts that make it up."""

import importlib
from typing import Any

from shogi_engine.game import Game
from shogi_engine.games.shogi import book, checks, game_end, levels, movegen, rules, see  # noqa: F401  (they register the rules)
from shogi_engine.games.shogi.evaluation.evaluate import ACCUMULATOR, CONTINUATION_SLOTS
from shogi_engine.games.shogi.notation import START, format_sfen, format_usi, parse_sfen, parse_usi
from shogi_engine.games.shogi.params import PARAMS, default_params
from shogi_engine.games.shogi.types import MAX_MOVES, POSITION, UNDO


def mate_solver(**options: Any) -> Any:
    """Return a `mate.solver.MateSolver`; what it is made of is loaded now."""
    return importlib.import_module("shogi_engine.games.shogi.mate.solver").MateSolver(**options)


GAME = Game(
    name="shogi",
    position=POSITION,
    undo=UNDO,
    max_moves=MAX_MOVES,
    start=START,
    parse_position=parse_sfen,
    format_position=format_sfen,
    parse_move=parse_usi,
    format_move=format_usi,
    params=PARAMS,
    default_params=default_params,
    accumulator=ACCUMULATOR,
    forced_win_solver=mate_solver,
    open_book=book.open_book,
    levels=levels.FULL,
    level=levels.plan,
    continuation_slots=CONTINUATION_SLOTS,
)
