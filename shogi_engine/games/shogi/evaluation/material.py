"""The evaluation by material alone: a sum that is updated by each capture and promotion.

Root moves are ordered by the king-piece weights, which thus decide between moves of equal value.
"""

from pathlib import Path

import numpy as np

from shogi_engine.games.shogi.evaluation.king_piece import WEIGHTS, Weights, order_by_king_piece
from shogi_engine.games.shogi.evaluation.naive import count_material, material_gain
from shogi_engine.games.shogi.position import side_at
from shogi_engine.games.shogi.types import POSITION
from shogi_engine.interface.game import provides_evaluation, update_line
from shogi_engine.interface.stubs import Evaluation
from shogi_engine.jit import record_dtype

# Values change in steps of whole pieces. So a narrow first window often fails, and quiet moves, which do not change the
# value, teach the histories nothing. Found by test matches: docs/notebook/tuning-log.md.
SEARCH_PARAMETERS = {"aspiration_window": 30, "eval_history": 0}

ACCUMULATOR = record_dtype([("material", np.int64)])  # black's less white's, in centipawns


def load_order(file: Path | None) -> Weights:
    """Return the weights that order root moves. Raises ValueError for a `file`: material has no weights of its own."""
    if file is not None:
        raise ValueError(f"evaluation material has no weights, so {file} cannot be used")
    return WEIGHTS.shipped


EVALUATION = Evaluation(
    "material",
    POSITION,
    accumulator=ACCUMULATOR,
    fields=(("table", np.uint64),),  # the address of king_piece.Weights.table
    load_weights=load_order,
    search_parameters=SEARCH_PARAMETERS,
)


@provides_evaluation(EVALUATION)
def refresh_accumulator(ctx, ply):
    ctx.accumulators[ply].material = count_material(ctx)


@provides_evaluation(EVALUATION)
def update_accumulator(ctx, ply):
    gain = material_gain(ctx.params, ctx.undo[ctx.game_ply - ctx.ply + ply - 1].move)
    mover = side_at(ctx, ply - 1)
    ctx.accumulators[ply].material = ctx.accumulators[ply - 1].material + (-gain if mover else gain)


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    update_line(ctx)
    material = ctx.accumulators[ctx.ply].material
    return -material if ctx.pos.side else material


@provides_evaluation(EVALUATION)
def root_order_score(ctx, move):
    return order_by_king_piece(ctx, move)
