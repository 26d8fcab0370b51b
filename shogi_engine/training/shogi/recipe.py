"""How a Shogi network is made: see training.recipe."""

from dataclasses import dataclass
from typing import ClassVar

from shogi_engine.games.shogi.evaluation.weights_file import evaluation_of
from shogi_engine.training import data
from shogi_engine.training.recipe import Recipe
from shogi_engine.training.shogi.noted import compared
from shogi_engine.training.shogi.openings import Openings
from shogi_engine.training.shogi.report import report
from shogi_engine.training.shogi.trainer import TrainOptions, new_trainer

GAME_BYTES = 360  # approximate size of a game on disk


@dataclass(frozen=True)
class DataOptions(data.DataOptions):
    """How Shogi games are played; `decided` is in centipawns."""

    game_name: ClassVar[str] = "shogi"

    nodes: int = 1000
    seed: int = 1
    evaluation: str = "king-piece"
    weights: bytes | None = None
    openings: data.Openings = Openings()
    decided: int = 2000
    piece_games: int = 200


def training_bytes(options: TrainOptions) -> int:
    """Return the size on disk of checkpoint and network, in bytes."""
    return options.model.parameter_count * (3 * 4 + 2)


RECIPE = Recipe(
    game_name="shogi",
    name="network",
    data=DataOptions,
    training=TrainOptions,
    first="king-piece",
    evaluation_of=evaluation_of,
    game_bytes=GAME_BYTES,
    training_bytes=training_bytes,
    gate_openings=Openings(random_share=0.3, random_plies=(4, 10), sensible_plies=(8, 20), balance=300),
    gate_decided=2500,
    trainer=new_trainer,
    report=report,
    compared=compared,
)
