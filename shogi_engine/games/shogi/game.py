"""Shogi for the search: `GAME` lists its parts."""

import importlib
from typing import Any

from shogi_engine.games.shogi import book, movegen, names, ordering, position, rules, texts  # noqa: F401  (they register)
from shogi_engine.games.shogi.evaluation import naive  # noqa: F401
from shogi_engine.games.shogi.names import EVALUATIONS
from shogi_engine.games.shogi.ordering import CONTINUATION_SLOTS
from shogi_engine.games.shogi.params import PARAMS, default_params
from shogi_engine.games.shogi.sfen import START, format_sfen, format_usi, parse_sfen, parse_usi
from shogi_engine.games.shogi.types import MAX_MOVES, POSITION, UNDO
from shogi_engine.interface.extras import Extras
from shogi_engine.interface.game import Game
from shogi_engine.jit import record_dtype

STATE = record_dtype([*movegen.STATE_FIELDS, *position.STATE_FIELDS])


def make_solver(**options: Any) -> Any:
    """Return a `mate.solver.MateSolver`; its module is imported on first use."""
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
    evaluations=EVALUATIONS,
    state=STATE,
    continuation_slots=CONTINUATION_SLOTS,
    extras=Extras(mate_solver=make_solver, levels=names.FULL + 1, level=names.plan, open_book=book.open_book),
)
