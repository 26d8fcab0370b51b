"""A third evaluation of Shogi, all in one file: material, kept along the line, and how far the kings have walked.

It is here to show how an evaluation plugs in from outside the package:

    GAME.evaluations.register("kings-walk", "tests.support.games.kings_walk")
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.shogi.evaluation.naive import material_gain
from shogi_engine.games.shogi.types import KING, POSITION, move_kind
from shogi_engine.interface.game import naive_value, provides_evaluation, update_line
from shogi_engine.interface.stubs import Evaluation
from shogi_engine.jit import load_i16, record_dtype

NAME = "kings-walk"
STALE = -(1 << 40)

# For the side to move: its material less the other's, and the ranks its king has walked less the other's, or STALE.
ACCUMULATOR = record_dtype([("material", np.int64), ("walked", np.int64)])
CACHE = record_dtype([("refreshes", np.int64)])


@dataclass(frozen=True)
class Weights:
    """tempo : centipawns for having the move    rank : int16[1], centipawns for each rank a king has walked"""

    tempo: int
    rank: np.ndarray

    def fill(self, params: Any) -> None:
        """Write the tempo and the address of the other weight."""
        params.tempo, params.rank = self.tempo, self.rank.ctypes.data

    def describe(self) -> str:
        """Return the numbers."""
        return f"{self.tempo} for the move, {self.rank[0]} for a king's rank"


def load_weights(file: Path | None) -> Weights:
    """Return the weights of a text file with two numbers. Raises ValueError."""
    try:
        numbers = [13, -7] if file is None else [int(word) for word in file.read_text().split()]
    except (OSError, ValueError) as fault:
        raise ValueError(f"evaluation {NAME}: {file} cannot be read ({fault})") from None
    if len(numbers) != 2:
        raise ValueError(f"evaluation {NAME}: {file} holds {len(numbers)} numbers, not 2")
    return Weights(numbers[0], np.array(numbers[1:], dtype=np.int16))


EVALUATION = Evaluation(
    NAME,
    POSITION,
    accumulator=ACCUMULATOR,
    cache=CACHE,
    fields=(("rank", np.uint64), ("tempo", np.int32)),
    load_weights=load_weights,
)


@provides_evaluation(EVALUATION)
def refresh_accumulator(ctx, ply):
    ctx.accumulators[ply].material = naive_value(ctx)
    ctx.accumulators[ply].walked = STALE


@provides_evaluation(EVALUATION)
def update_accumulator(ctx, ply):
    before, after = ctx.accumulators[ply - 1], ctx.accumulators[ply]
    move = ctx.undo[ctx.game_ply - ctx.ply + ply - 1].move
    after.material = -before.material
    if move != 0:
        after.material -= material_gain(ctx.params, move)
    after.walked = STALE if move_kind(move) == KING or before.walked == STALE else -before.walked


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    update_line(ctx)
    now = ctx.accumulators[ctx.ply]
    if now.walked == STALE:
        ctx.evaluation_cache.refreshes += 1
        black = 16 - int(ctx.pos.king[0]) // 9 - int(ctx.pos.king[1]) // 9 - 8
        now.walked = -black if ctx.pos.side else black
    return now.material + now.walked * load_i16(ctx.evaluation.rank) + ctx.evaluation.tempo
