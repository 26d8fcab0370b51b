"""How Othello's weights are made (see training.recipe), and how new ones are checked."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.common.files import write_whole
from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.endgame.solver import Solver
from shogi_engine.games.othello.evaluation.network import FORMAT
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.notation import START, parse_obf
from shogi_engine.games.weights import format_of
from shogi_engine.interface.stubs import Evaluator
from shogi_engine.training.data import DAMAGED, refuse_foreign
from shogi_engine.training.othello.kernels import PARAMETERS, SAMPLE, write_values
from shogi_engine.training.othello.positions import (
    KNOT_SHAPE,
    OPENINGS,
    DataOptions,
    empties_of,
    player_of,
    search_values,
)
from shogi_engine.training.othello.trainer import NETWORK, PATTERNS, NetworkTrainer, Trainer, TrainOptions, new_trainer
from shogi_engine.training.recipe import Report, TrainingRecipe, load, loss_curves

# ---- Checks of new weights: errors by phase and on exact endings, compared with the previous weights

AnyTrainer = Trainer | NetworkTrainer
EMPTIES_STEP = 4
ENDINGS = (10, 12, 14, 16, 18, 20, 22, 24)  # empty squares
SEARCHED = 10  # plies
SOLVER_MB = 64
WORSE, UNSEEN_GAP = 1.02, 1.3  # larger ratios of errors show that something is wrong


def errors_of(evaluator: Evaluator, samples: np.ndarray) -> np.ndarray:
    """Return the error of static values in discs for each sample, float[n]."""
    values = np.zeros(len(samples), dtype=np.int32)
    write_values(player_of(evaluator).ctx, samples.view(np.recarray), values)
    found: np.ndarray = np.abs(values - samples["value"]) / DISC
    return found


def by_empties(trainer: AnyTrainer, after: np.ndarray, before: np.ndarray) -> list[dict[str, float]]:
    """Return the mean errors by empty squares, in steps of EMPTIES_STEP, of the new and the previous weights."""
    empties, found = empties_of(trainer.held_out), []
    for first in range(0, 64, EMPTIES_STEP):
        here = (empties >= first) & (empties < first + EMPTIES_STEP)
        if here.any():
            means = {"error": float(after[here].mean()), "error before": float(before[here].mean())}
            rms = float(np.sqrt(np.mean(after[here].astype(float) ** 2)))
            found.append({"empty squares from": first, "positions": int(here.sum()), **means, "rms": rms})
    return found


def solved_endings(trainer: AnyTrainer, file: Path) -> dict[int, np.ndarray]:
    """Return held-out samples by empty squares, with exact values; cached in `file`."""
    known: dict[str, np.ndarray] = {}
    refuse_foreign(file)
    try:
        with np.load(file, allow_pickle=False) as stored:
            known = dict(stored)
    except DAMAGED:
        pass
    if str(known.get("identity")) != trainer.identity:
        known = {"identity": np.array(trainer.identity)}
    empties, samples = empties_of(trainer.held_out), trainer.held_out
    random = np.random.default_rng([trainer.options.seed, 4])
    solver = Solver(GAME, hash_mb=SOLVER_MB)
    for count in ENDINGS:
        here = np.flatnonzero(empties == count)
        chosen = samples[random.permutation(here)[: trainer.options.endings]].copy()
        if str(count) in known:
            continue
        for sample in chosen:
            position = parse_obf(START)
            position.own, position.opponent = sample["own"], sample["opponent"]
            sample["value"] = DISC * solver.solve(position).score
        known[str(count)] = chosen
        content = io.BytesIO()
        np.savez(content, **known)  # type: ignore[arg-type]
        write_whole(file, content.getvalue())
    return {count: known[str(count)].astype(SAMPLE) for count in ENDINGS}


def searched(evaluator: Evaluator, samples: np.ndarray) -> float:
    """Return the mean error of searches SEARCHED plies deep against exact values, in discs."""
    values = search_values(player_of(evaluator), samples, SEARCHED, SEARCHED)[:, 0]
    return float(np.mean(np.abs(values - samples["value"]))) / DISC


def on_endings(trainer: AnyTrainer, now: Evaluator, before: Evaluator, file: Path) -> list[dict[str, float]]:
    """Return the mean errors on solved endings, static and searched, of the new and the previous evaluation."""
    found = []
    for count, samples in solved_endings(trainer, file).items():
        if len(samples) == 0:
            continue
        row: dict[str, float] = {"empty squares": count, "positions": len(samples)}
        for name, evaluator in (("", now), (" before", before)):
            row[f"error{name}"] = float(np.mean(errors_of(evaluator, samples)))
            if count > SEARCHED:
                row[f"searched {SEARCHED} plies{name}"] = searched(evaluator, samples)
        found.append(row)
    return found


def report(trainer: AnyTrainer, file: Path) -> Report:
    """Return the report on a file of weights and its training."""
    recipe = load("othello")
    evaluator, labeller = (recipe.named_evaluator(what) for what in (str(file), trainer.labeller))
    weights: Any = evaluator.weights
    made, spread = weights.made, weights.spread
    after, before = (errors_of(each, trainer.held_out) for each in (evaluator, labeller))
    held_out = np.unique(trainer.held_out["game"])
    sizes = {"games": trainer.game_count, "held out": len(held_out), "positions": len(after)}
    facts: dict[str, Any] = {
        "made": {name: value for name, value in made.items() if name != "spread"},
        "games": sizes,
        "losses": trainer.losses,
        "error by empty squares": by_empties(trainer, after, before),
        "error on endings": on_endings(trainer, evaluator, labeller, file.with_suffix(".endings.npz")),
        "spreads by depth": [
            {"group": group, **{str(depth): spread for depth, spread in enumerate(row)}}
            for group, row in enumerate(spread.tolist())
        ],
        "spreads measured": made.get("spread", []),
        "weights": trainer.facts(),
    }
    curves = {
        **loss_curves(trainer.losses),
        "error by empty squares": {
            name: [(row["empty squares from"], row[name]) for row in facts["error by empty squares"]]
            for name in ("error", "error before")
        },
    }
    return Report(f"Othello, {evaluator.evaluation.name}", {**facts, "problems": problems(facts)}, curves)


def problems(facts: dict[str, Any]) -> list[str]:
    """Return the problems found, as sentences."""
    found = []
    for row in facts["error by empty squares"]:
        if row["error"] > WORSE * row["error before"]:
            found.append(
                f"from {row['empty squares from']} empty squares the error rose from {row['error before']:.3f} to "
                f"{row['error']:.3f} discs"
            )
    last = facts["losses"][-1] if facts["losses"] else {"training": 0.0, "validation": 0.0}
    if last["validation"] > UNSEEN_GAP * last["training"]:
        found.append(
            f"the error on held-out games is {last['validation']:.3f} discs, on training games "
            f"{last['training']:.3f}: too few games"
        )
    if facts["weights"]["at their limit"] > 0:
        found.append(f"{facts['weights']['at their limit']:.2%} of the weights are at their limit")
    return found


# ---- The recipe

GAME_BYTES = 155  # approximate size of a game on disk
WEIGHT_BYTES = 3 * 4 + 2  # for a weight: in the checkpoint, and in the file


def evaluation_of(file: Path) -> str:
    """Return the evaluation that a file of weights is for."""
    return NETWORK if format_of(file) == FORMAT else PATTERNS


def training_bytes(options: TrainOptions) -> int:
    """Return the size on disk of checkpoint and weights, in bytes."""
    return (PARAMETERS if options.architecture == NETWORK else KNOT_SHAPE[0] * KNOT_SHAPE[1]) * WEIGHT_BYTES


RECIPE = TrainingRecipe(
    data=DataOptions,
    training=TrainOptions,
    first="features",
    evaluation_of=evaluation_of,
    game_bytes=GAME_BYTES,
    training_bytes=training_bytes,
    gate_openings=replace(OPENINGS, plies=(8, 14), late_share=0.0, explore=0.0),
    trainer=new_trainer,
    report=report,
)
