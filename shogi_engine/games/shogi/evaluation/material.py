"""The evaluation by material alone: a sum kept up to date by what each move captures and promotes."""

import numpy as np

from shogi_engine.evaluation import Evaluation
from shogi_engine.game import provides_evaluation, update_line
from shogi_engine.games.shogi.evaluation.naive import count_material, material_gain
from shogi_engine.games.shogi.position import side_at
from shogi_engine.games.shogi.types import POSITION
from shogi_engine.jit import record_dtype

ACCUMULATOR = record_dtype([("material", np.int64)])  # black's less white's, in centipawns
EVALUATION = Evaluation("material", POSITION, accumulator=ACCUMULATOR)


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
    return material_gain(ctx.params, move)
