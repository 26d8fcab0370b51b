"""A game's part of training. Each game has a `RECIPE`: how games are played and what is learnt."""

import importlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from shogi_engine import games
from shogi_engine.games.weights import header_of
from shogi_engine.interface.game import VALUE_MAX, Game
from shogi_engine.interface.stubs import Evaluation, Evaluator
from shogi_engine.training.data import DataOptions, Losses, Openings, OpeningSampler

Progress = Callable[[float, str], None]  # called with the completed share, 0 to 1, and a message


class Trainer(Protocol):
    """A training run in memory; it continues from its checkpoint."""

    @property
    def losses(self) -> list[Losses]:
        """The losses of the completed epochs."""

    @property
    def game_count(self) -> int:
        """The number of games, including those held out."""

    def run(self, progress: Progress | None = None, on_epoch: Callable[[Losses], object] | None = None) -> None:
        """Train to the end.

        Args:
            on_epoch: called with each epoch's losses
        """

    def weights(self, made: dict[str, Any]) -> bytes:
        """Return the contents of a file of the current weights.

        Args:
            made: its note on how they were made
        """


@dataclass(frozen=True)
class TrainOptions:
    """How weights are trained; a game can have a subclass with other defaults and more options.

    Attributes:
        epochs: passes over the positions, or steps
        held_out: the share of games for validation
        older_share: the share of earlier generations' games that is used
    """

    epochs: int = 10
    held_out: float = 0.05
    older_share: float = 1.0
    seed: int = 1

    @cached_property
    def text(self) -> str:
        """The options as JSON."""
        return json.dumps(asdict(self), sort_keys=True)


@dataclass(frozen=True)
class TrainingRequest:
    """The input of a trainer.

    Attributes:
        labeller: the evaluation that played the games of the last folder, a name or a file
    """

    folders: Sequence[Path]
    options: Any
    checkpoint: Path
    threads: int
    labeller: str


@dataclass(frozen=True)
class Report:
    """A report.

    Attributes:
        facts: JSON values, including `problems`, a list of sentences
        curves: title -> name of a line -> its points
    """

    title: str
    facts: dict[str, Any]
    curves: dict[str, dict[str, list[tuple[float, float]]]]


def loss_curves(losses: list[Losses], names: Sequence[str] = ("training", "validation")) -> dict[str, Any]:
    """Return the curves of some losses by epoch."""
    return {"losses": {name: [(epoch + 1.0, loss[name]) for epoch, loss in enumerate(losses)] for name in names}}


def losses_report(trainer: Trainer, file: Path) -> Report:
    """Return a report of the losses `training` and `validation` alone, on a file of games.weights."""
    facts = {"made": header_of(file).get("made"), "losses": trainer.losses, "problems": []}
    return Report(file.stem, facts, loss_curves(trainer.losses))


@dataclass(frozen=True)
class TrainingRecipe:
    """A game's part of training. A game with one evaluation, whose weights are small, needs only the first two.

    Attributes:
        trainer: `trainer(request)` returns a Trainer in the state of its checkpoint; raises ValueError
        name: the base name of the weights' files
        first: the evaluation that labels generation 0, '' for the game's default
        evaluation_of: `evaluation_of(file)` returns the evaluation that a file of weights is for, '' for the default
        game_bytes: the approximate size of a game on disk, in bytes
        training_bytes: `training_bytes(options)` returns how many bytes training writes
        gate_openings: the openings of the match
        gate_decided: the value that ends a game of the match when both sides find it
        report: `report(trainer, file)` returns the Report on a file of weights
        compared: `compared(now, before, records)` returns the report's rows on how well the new and the previous
            evaluation rank positions with known values; None if there are none
    """

    data: type[DataOptions]
    trainer: Callable[[TrainingRequest], Trainer]
    training: type[TrainOptions] = TrainOptions
    name: str = "weights"
    first: str = ""
    evaluation_of: Callable[[Path], str] = lambda file: ""
    game_bytes: int = 300
    training_bytes: Callable[[Any], int] = lambda options: 0
    gate_openings: OpeningSampler = Openings()
    gate_decided: int = VALUE_MAX
    report: Callable[[Any, Path], Report] = losses_report
    compared: Callable[[Evaluator, Evaluator, Any], list[dict[str, Any]]] | None = None

    @property
    def game(self) -> Game:
        """The game."""
        return games.load(self.data.game_name)

    def named_evaluation(self, what: str) -> tuple[str, Path | None]:
        """Return (name, file) of an evaluation: `what` is a name, '' for the game's default, or a file."""
        known = self.game.evaluations or ()
        return (what, None) if not what or what in known else (self.evaluation_of(Path(what)), Path(what))

    def named_evaluator(self, what: str) -> Evaluator:
        """Return an evaluation with its weights; `what` is as in `named_evaluation`. Raises ValueError."""
        name, file = self.named_evaluation(what)
        evaluation: Evaluation = self.game.evaluation(name)
        return evaluation.load(file)


def load(name: str) -> TrainingRecipe:
    """Return the recipe of a game; another package's is the module `recipe` of the game. Raises ValueError."""
    own = name in games.NAMES
    try:
        module = (
            importlib.import_module(f"shogi_engine.training.{name}.recipe")
            if own
            else games.game_module(name, "recipe")
        )
    except ValueError as fault:
        raise ValueError(f"training: {fault}; docs/game-parts.md says how to write one") from None
    recipe: TrainingRecipe = module.RECIPE
    return recipe
