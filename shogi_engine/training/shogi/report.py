"""What a person should look at before trusting a network: its losses, its neurons, and what quantising changed."""

from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.shogi.evaluation.network_features import FEATURES, held_pieces
from shogi_engine.games.shogi.evaluation.network_weights import Network, load
from shogi_engine.training.recipe import Report
from shogi_engine.training.shogi.games import Block
from shogi_engine.training.shogi.trainer import LIMIT, Trainer
from shogi_engine.training.shogi.trainer_kernels import BIAS, OUTPUT, OUTPUT_BIAS

PLY_STEP, HAND_STEP, LAST_CELL = 20, 3, 8
CALIBRATION_CELLS = 10
SAMPLE = 2000  # positions for what is computed by numpy
DEAD_LIMIT, CLIPPED_LIMIT = 0.05, 0.01  # shares above which something is wrong


def by_cell(cells: np.ndarray, step: int, errors: np.ndarray) -> list[dict[str, float]]:
    """Return the number of positions and their mean loss by cells // step, the last cell holding all beyond."""
    found = []
    cells = np.minimum(cells // step, LAST_CELL)
    for cell in range(LAST_CELL + 1):
        here = cells == cell
        if here.any():
            found.append({"from": cell * step, "positions": int(here.sum()), "loss": float(errors[here].mean())})
    return found


def calibration(chances: np.ndarray, block: Block) -> list[dict[str, float]]:
    """Return what came of positions by the chance that the network gave the side to move."""
    found = []
    cells = np.minimum((chances * CALIBRATION_CELLS).astype(int), CALIBRATION_CELLS - 1)
    scores = (block.outcomes + 1) / 2
    for cell in range(CALIBRATION_CELLS):
        here = cells == cell
        if here.any():
            means = {"chance": float(chances[here].mean()), "score": float(scores[here].mean())}
            found.append({**means, "positions": int(here.sum())})
    return found


def hidden(parameters: np.ndarray, width: int, features: np.ndarray) -> np.ndarray:
    """Return the sums of the side to move before clipping, float32[n, width]."""
    rows = parameters[: BIAS * width].reshape(-1, width)
    bias = parameters[BIAS * width : OUTPUT * width]
    return np.stack([bias + rows[active].sum(axis=0) for active in features[:, 0]])


def neurons(parameters: np.ndarray, width: int, block: Block) -> dict[str, float]:
    """Return shares of the neurons that never, or always, are at an end, and of the parameters at their limit."""
    sums = hidden(parameters, width, block.features[:SAMPLE])
    weights = np.concatenate([parameters[: FEATURES * width], parameters[BIAS * width : OUTPUT_BIAS * width]])
    return {
        "dead": float((sums <= 0).all(axis=0).mean()),
        "saturated": float((sums >= 1).all(axis=0).mean()),
        "clipped": float((np.abs(weights) >= LIMIT * 0.999).mean()),
    }


def quantisation(network: Network, block: Block, values: np.ndarray) -> dict[str, float]:
    """Return by how many centipawns the quantised network differs; values : float[n], by the parameters."""
    differences = []
    for active, value in zip(block.features[:SAMPLE], values[:SAMPLE], strict=True):
        own, other = (side[side < FEATURES] for side in active)
        differences.append(abs(network.output((own, other)) - float(value)))
    return {"median": float(np.median(differences)), "largest": float(np.max(differences))}


def examine(trainer: Trainer, network: Network) -> dict[str, Any]:
    """Return the report's facts, JSON's values; `problems` are sentences, none if all is well."""
    block, width = trainer.validation, trainer.options.width
    outputs = trainer.outputs(block)
    chances = 1 / (1 + np.exp(-outputs))
    share = trainer.result_share(max(len(trainer.state.losses) - 1, 0))
    errors = (chances - block.targets(share)) ** 2
    white = (block.plies & 1).astype(bool)
    facts: dict[str, Any] = {
        "made": network.made,
        "games": {"learnt": len(trainer.learning), "held out": len(trainer.held_out), "positions": len(errors)},
        "losses": trainer.state.losses,
        "by ply": by_cell(block.plies.astype(int), PLY_STEP, errors),
        "by pieces in hand": by_cell(held_pieces(block.features[:, 0]), HAND_STEP, errors),
        "by side": {"black": float(errors[~white].mean()), "white": float(errors[white].mean())},
        "calibration": calibration(chances, block),
        "neurons": neurons(trainer.state.parameters, width, block),
        "quantisation error, centipawns": quantisation(network, block, outputs * network.scale),
    }
    return {**facts, "problems": problems(facts)}


def problems(facts: dict[str, Any]) -> list[str]:
    """Return what looks wrong, in sentences."""
    found = []
    if facts["neurons"]["dead"] > DEAD_LIMIT:
        found.append(f"{facts['neurons']['dead']:.1%} of the neurons are dead")
    if facts["neurons"]["clipped"] > CLIPPED_LIMIT:
        found.append(f"{facts['neurons']['clipped']:.1%} of the weights are at their limit")
    if facts["quantisation error, centipawns"]["median"] >= 3:
        found.append(f"quantising changes values by {facts['quantisation error']['median']:.1f} centipawns (median)")
    black, white = facts["by side"]["black"], facts["by side"]["white"]
    if abs(black - white) > 0.1 * max(black, white):
        found.append(f"the losses of black and white differ: {black:.5f} and {white:.5f}")
    return found


def report(trainer: Trainer, file: Path) -> Report:
    """Return the report on a network, in its file, and the training it is of."""
    facts = examine(trainer, load(file))
    curves = {
        "losses": {
            name: [(epoch + 1.0, loss[name]) for epoch, loss in enumerate(facts["losses"])]
            for name in ("training", "validation", "values")
        },
        "calibration": {
            "score by chance": [(cell["chance"], cell["score"]) for cell in facts["calibration"]],
            "as it should be": [(0.0, 0.0), (1.0, 1.0)],
        },
    }
    return Report("A network", facts, curves)
