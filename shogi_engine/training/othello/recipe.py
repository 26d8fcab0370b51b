"""How Othello's weights are made: see training.recipe."""

from pathlib import Path

from shogi_engine.games.othello.evaluation.network import FORMAT
from shogi_engine.games.weights import format_of
from shogi_engine.interface.game import VALUE_MAX
from shogi_engine.training.othello.kernels import PARAMETERS
from shogi_engine.training.othello.positions import KNOT_SHAPE, DataOptions, Openings
from shogi_engine.training.othello.report import report
from shogi_engine.training.othello.trainer import NETWORK, PATTERNS, TrainOptions, new_trainer
from shogi_engine.training.recipe import TrainingRecipe

GAME_BYTES = 155  # approximate size of a game on disk
WEIGHT_BYTES = 3 * 4 + 2  # for a weight: in the checkpoint, and in the file


def evaluation_of(file: Path) -> str:
    """Return the evaluation that a file of weights is for."""
    return NETWORK if format_of(file) == FORMAT else PATTERNS


def training_bytes(options: TrainOptions) -> int:
    """Return the size on disk of checkpoint and weights, in bytes."""
    return (PARAMETERS if options.architecture == NETWORK else KNOT_SHAPE[0] * KNOT_SHAPE[1]) * WEIGHT_BYTES


RECIPE = TrainingRecipe(
    game_name="othello",
    name="weights",
    data=DataOptions,
    training=TrainOptions,
    first="features",
    evaluation_of=evaluation_of,
    game_bytes=GAME_BYTES,
    training_bytes=training_bytes,
    gate_openings=Openings(plies=(8, 14), late_share=0.0, explore=0.0),
    gate_decided=VALUE_MAX,
    trainer=new_trainer,
    report=report,
)
