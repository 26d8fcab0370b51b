"""How a Shogi network is made: see training.recipe."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from zlib import crc32

import numpy as np

from shogi_engine.games.shogi.names import evaluation_of
from shogi_engine.interface.game import VALUE_MAX
from shogi_engine.interface.stubs import Evaluator
from shogi_engine.training import data
from shogi_engine.training.game_kernels import CHANCES
from shogi_engine.training.recipe import Report, TrainingRecipe, loss_curves
from shogi_engine.training.shogi.games import SCALE, Openings, PositionBlock, compared
from shogi_engine.training.shogi.kernels import STARTS, relabel
from shogi_engine.training.shogi.trainer import LIMIT, Trainer, TrainOptions, new_trainer

# ---- Checks of a new network: its losses, its neurons, and the effect of quantising


PLY_STEP, HAND_STEP, LAST_CELL = 20, 3, 8
CALIBRATION_CELLS = 10
SAMPLE = 2000  # positions for what numpy computes
DEAD_LIMIT, CLIPPED_LIMIT = 0.05, 0.01  # larger shares show that something is wrong


def by_cell(cells: np.ndarray, step: int, errors: np.ndarray) -> list[dict[str, float]]:
    """Return the number of positions and their mean loss by cells // step; the last cell holds the rest."""
    found = []
    cells = np.minimum(cells // step, LAST_CELL)
    for cell in range(LAST_CELL + 1):
        here = cells == cell
        if here.any():
            found.append({"from": cell * step, "positions": int(here.sum()), "loss": float(errors[here].mean())})
    return found


def calibration(chances: np.ndarray, block: PositionBlock) -> list[dict[str, float]]:
    """Return the results of positions by the network's winning chance for the side to move."""
    found = []
    cells = np.minimum((chances * CALIBRATION_CELLS).astype(int), CALIBRATION_CELLS - 1)
    scores = (block.outcomes + 1) / 2
    for cell in range(CALIBRATION_CELLS):
        here = cells == cell
        if here.any():
            means = {"chance": float(chances[here].mean()), "score": float(scores[here].mean())}
            found.append({**means, "positions": int(here.sum())})
    return found


def neurons(trainer: Trainer) -> dict[str, float]:
    """Return the shares of dead neurons (always 0), of saturated ones (always 1), and of parameters at their limit."""
    model, parameters = trainer.model, trainer.state.parameters
    sums = model.sums(parameters, trainer.validation.features[:SAMPLE])
    return {
        "dead": float((sums <= 0).all(axis=0).mean()),
        "saturated": float((sums >= 1).all(axis=0).mean()),
        "clipped": float((np.abs(model.trained(parameters)) >= LIMIT * 0.999).mean()),
    }


def quantisation(trainer: Trainer, values: np.ndarray) -> dict[str, float]:
    """Return the error of the integer network in centipawns.

    Args:
        values: float[n], the values by the float parameters
    """
    whole = trainer.model.values(trainer.state.parameters, trainer.validation.features[:SAMPLE])
    differences = np.abs(np.array(whole) - values[:SAMPLE])
    return {"median": float(np.median(differences)), "largest": float(np.max(differences))}


def examine(trainer: Trainer, file: Path) -> dict[str, Any]:
    """Return the report's facts as JSON values; `problems` is a list of sentences, empty if all is well."""
    block = trainer.validation
    outputs = trainer.outputs(block)
    chances = 1 / (1 + np.exp(-outputs))
    share = trainer.result_share(max(len(trainer.state.losses) - 1, 0) % trainer.options.epochs)
    errors = (chances - block.targets(share)) ** 2
    white = (block.plies & 1).astype(bool)
    facts: dict[str, Any] = {
        "made": trainer.model.made(file),
        "games": {"learnt": len(trainer.learning), "held out": len(trainer.held_out), "positions": len(errors)},
        "losses": trainer.state.losses,
        "by ply": by_cell(block.plies.astype(int), PLY_STEP, errors),
        "by pieces in hand": by_cell(trainer.model.held_pieces(block.features), HAND_STEP, errors),
        "by side": {"black": float(errors[~white].mean()), "white": float(errors[white].mean())},
        "calibration": calibration(chances, block),
        "neurons": neurons(trainer),
        "quantisation error, centipawns": quantisation(trainer, outputs * SCALE),
    }
    return {**facts, "problems": problems(facts)}


def problems(facts: dict[str, Any]) -> list[str]:
    """Return the problems found, as sentences."""
    found = []
    if facts["neurons"]["dead"] > DEAD_LIMIT:
        found.append(f"{facts['neurons']['dead']:.1%} of the neurons are dead")
    if facts["neurons"]["clipped"] > CLIPPED_LIMIT:
        found.append(f"{facts['neurons']['clipped']:.1%} of the weights are at their limit")
    if facts["quantisation error, centipawns"]["median"] >= 3:
        found.append(
            f"quantising changes values by {facts['quantisation error, centipawns']['median']:.1f} centipawns (median)"
        )
    black, white = facts["by side"]["black"], facts["by side"]["white"]
    if abs(black - white) > 0.1 * max(black, white):
        found.append(f"the losses of black and white differ: {black:.5f} and {white:.5f}")
    return found


def report(trainer: Trainer, file: Path) -> Report:
    """Return the report on a network's file and its training."""
    facts = examine(trainer, file)
    curves = {
        **loss_curves(facts["losses"], ("training", "validation", "values")),
        "calibration": {
            "score by chance": [(cell["chance"], cell["score"]) for cell in facts["calibration"]],
            "as it should be": [(0.0, 0.0), (1.0, 1.0)],
        },
    }
    return Report("A network", facts, curves)


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
    evaluation: str = "king-piece"
    openings: data.OpeningSampler = Openings()
    decided: int = 1200
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
        enlarged = getattr(evaluator.weights, "enlarged", None)
        if enlarged is None:
            raise ValueError(f"training: the values of {self.evaluation} cannot be multiplied; those of a network can")
        return Evaluator(evaluator.evaluation, enlarged(self.value_factor))

    @classmethod
    def starts(cls) -> tuple[str, ...]:
        """Return the usual start and the handicaps."""
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


RECIPE = TrainingRecipe(
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
