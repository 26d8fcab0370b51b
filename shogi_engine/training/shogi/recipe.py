"""How a Shogi network is made: see training.recipe."""

from dataclasses import dataclass
from typing import Any, ClassVar
from zlib import crc32

import numpy as np

from shogi_engine.games.shogi.evaluation.weights_file import evaluation_of
from shogi_engine.interface.evaluation import Evaluator
from shogi_engine.interface.game import VALUE_MAX
from shogi_engine.training import data
from shogi_engine.training.game_kernels import CHANCES
from shogi_engine.training.recipe import Recipe
from shogi_engine.training.shogi.annotated import compared
from shogi_engine.training.shogi.openings import Openings
from shogi_engine.training.shogi.positions_kernels import STARTS, relabel
from shogi_engine.training.shogi.report import report
from shogi_engine.training.shogi.trainer import TrainOptions, new_trainer

GAME_BYTES = 360  # approximate size of a game on disk
HANDICAP_DECIDED = 2500  # what ends handicap games: most of them are beyond the usual value at once
LEAST_FACTOR = 0.1  # of values; the largest is its inverse


@dataclass(frozen=True)
class DataOptions(data.DataOptions):
    """How Shogi games are played; `decided` is in centipawns. Raises ValueError for an impossible factor.

    Attributes:
        value_factor: the network's values are multiplied by it in the searches and divided by it in the labels. A
            factor above 1 narrows the search's margins, which makes small searches stronger.
        label_nodes: the nodes of a second search of each labelled position; 0 keeps the values of the game's searches
        label_share: the share of quiet positions that are labelled by a second search; the others have no label
        handicap_share: the share of games that start from a handicap, with any lead
    """

    game_name: ClassVar[str] = "shogi"

    nodes: int = 1000
    seed: int = 1
    evaluation: str = "king-piece"
    weights: bytes | None = None
    openings: data.Openings = Openings()
    decided: int = 1200
    piece_games: int = 200
    value_factor: float = 1.0
    label_nodes: int = 0
    label_share: float = 0.25
    handicap_share: float = 0.0

    def __post_init__(self) -> None:
        if not LEAST_FACTOR <= self.value_factor <= 1 / LEAST_FACTOR:
            text = f"a value factor is from {LEAST_FACTOR} to {1 / LEAST_FACTOR:.0f}, not {self.value_factor}"
            raise ValueError(f"training: {text}")

    def evaluator(self) -> Evaluator:
        """Return the evaluation that labels the games, its values enlarged. Raises ValueError."""
        evaluator = super().evaluator()
        if self.value_factor == 1:
            return evaluator
        if not hasattr(evaluator.weights, "enlarged"):
            raise ValueError(f"training: the values of {self.evaluation} cannot be multiplied; those of a network can")
        return Evaluator(evaluator.evaluation, evaluator.weights.enlarged(self.value_factor))

    @property
    def starts(self) -> tuple[str, ...]:
        """The usual start and the handicaps."""
        return STARTS

    def draw(self, random: np.random.Generator, terms: Any, moves: np.ndarray) -> None:
        """Write a game's opening, with all margins enlarged; see training.data."""
        super().draw(random, terms, moves)
        terms.start, decided = 0, self.decided
        if random.random() < self.handicap_share:
            terms.start, terms.given, terms.balance = int(random.integers(1, len(STARTS))), 0, VALUE_MAX
            decided = max(decided, HANDICAP_DECIDED)
        terms.balance, terms.margin = round(terms.balance * self.value_factor), round(terms.margin * self.value_factor)
        terms.decided = round(decided * self.value_factor)

    def label(self, player: data.SearchState, start: Any, moves: np.ndarray, values: np.ndarray) -> None:
        """Search a share of the positions anew, and divide the values by the factor, in place; mates are kept."""
        if self.label_nodes:
            player.ctx.pos = start
            state = np.random.default_rng([self.seed, crc32(moves.tobytes())]).integers(
                1, 1 << 63, size=1, dtype=np.uint64
            )
            relabel(player.ctx, state, moves, values, self.label_nodes, round(self.label_share * CHANCES))
        usual = np.abs(values.astype(np.int32)) <= VALUE_MAX
        values[usual] = np.rint(values[usual] / self.value_factor)


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
