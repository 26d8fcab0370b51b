"""What training asks of a game: one file a game, `RECIPE` in its room, says how games are played and what is learnt."""

import importlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from shogi_engine import games
from shogi_engine.interface.evaluation import Evaluation, Evaluator
from shogi_engine.interface.game import Game
from shogi_engine.training.data import DataOptions, Openings

Progress = Callable[[float, str], None]  # called with the share that is done, 0 to 1, and what to say
Losses = dict[str, float]  # of an epoch, by name

NAMES = ("shogi", "othello")


class Trainer(Protocol):
    """A run of training, in memory; it goes on where its checkpoint is."""

    @property
    def losses(self) -> list[Losses]:
        """The losses of the epochs that are over."""

    @property
    def game_count(self) -> int:
        """How many games there are to learn from, those held out included."""

    def run(self, progress: Progress | None = None, told: Callable[[Losses], object] | None = None) -> None:
        """Train to the end. told : called with each epoch's losses."""

    def weights(self, made: dict[str, Any]) -> bytes:
        """Return what a file of weights as they are now holds. made : what it says of how they were made."""


@dataclass(frozen=True)
class TrainOptions:
    """How weights are trained; each game has its own, with its defaults.

    held_out : of the games, a share to validate with.   older_share : of the games of earlier generations.
    """

    epochs: int
    held_out: float
    older_share: float
    seed: int

    @cached_property
    def text(self) -> str:
        """The options as JSON."""
        return json.dumps(asdict(self), sort_keys=True)


@dataclass(frozen=True)
class Lesson:
    """What a trainer is made of. labeller : who played the last folder's games, an evaluation's name or a file."""

    folders: Sequence[Path]
    options: Any
    checkpoint: Path
    threads: int
    labeller: str


@dataclass(frozen=True)
class Report:
    """What to look at. facts : JSON's values, `problems` among them, sentences.

    curves : by title, lines by name, each a list of points.
    """

    title: str
    facts: dict[str, Any]
    curves: dict[str, dict[str, list[tuple[float, float]]]]


@dataclass(frozen=True)
class Recipe:
    """A game's part of training.

    name : of the files of weights.
    first : the evaluation that labels generation 0.   evaluation_of : the evaluation that a file of weights is for.
    game_bytes : of a game on disk, about.   training_bytes : of what training leaves on disk.
    gate_openings, gate_decided : how the gate's games begin, and the value that ends them when both sides see it.
    report : of a trainer and its file of weights.
    compared : rows of how well an evaluation and the one before rank positions with values noted; None: there are none.
    """

    game_name: str
    name: str
    data: type[DataOptions]
    training: type[TrainOptions]
    first: str
    evaluation_of: Callable[[Path], str]
    game_bytes: int
    training_bytes: Callable[[Any], int]
    gate_openings: Openings
    gate_decided: int
    trainer: Callable[[Lesson], Trainer]
    report: Callable[[Any, Path], Report]
    compared: Callable[[Evaluator, Evaluator, Any], list[dict[str, Any]]] | None = None

    @property
    def game(self) -> Game:
        """The game."""
        return games.load(self.game_name)

    def named_evaluation(self, what: str) -> tuple[str, Path | None]:
        """Return (name, file) of an evaluation: `what` is a name, or a file."""
        known = self.game.evaluations
        return (what, None) if known is not None and what in known else (self.evaluation_of(Path(what)), Path(what))

    def named_evaluator(self, what: str) -> Evaluator:
        """Return an evaluation with its weights; `what` is as in `named_evaluation`. Raises ValueError."""
        name, file = self.named_evaluation(what)
        evaluation: Evaluation = self.game.evaluation(name)
        return evaluation.load(file)


def load(name: str) -> Recipe:
    """Return the recipe of a game. Raises ValueError, with the names there are, if it has none."""
    if name not in NAMES:
        raise ValueError(f"training: there is no way to train {name!r}; there is one for {', '.join(NAMES)}")
    recipe: Recipe = importlib.import_module(f"shogi_engine.training.{name}.recipe").RECIPE
    return recipe
