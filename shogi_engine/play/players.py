"""Players: who chooses the moves of a game. Here an engine in this process, in `programs` other programs.

Kernels run without the GIL: use one EnginePlayer per thread.
"""

import random
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shogi_engine.engine import Engine, parameters
from shogi_engine.play.answer import Answer
from shogi_engine.play.game import Game
from shogi_engine.play.strength import choose, level_limits
from shogi_engine.play.time_controls import TimeControl
from shogi_engine.search.parameters import params_for
from shogi_engine.search.timeman import TimeOptions, fixed
from shogi_engine.types.clock import TimeBudget

LEVEL, SEARCH_FLAGS = "level", "search_flags"  # settings besides the game's parameters
NOT_PARAMETERS = (LEVEL, parameters.EVALUATION, parameters.WEIGHTS)

Settings = Mapping[str, int | str]


class Player:
    """Who plays a side of a game. The faults of a program raise EngineError."""

    control = TimeControl()

    def ready(self) -> None:
        """Start, and wait until it is ready to play. Raises EngineError, or ValueError for wrong settings."""

    def new_game(self, game: Game, side: int, seed: str) -> None:
        """Prepare for a game that has just begun, perhaps with an opening.

        Args:
            seed: random choices depend only on this and on the side
        """

    def think(self, game: Game) -> Answer:
        """Return the move for the side to move; the player may have pondered on the position."""
        raise NotImplementedError

    def ponders_on(self, game: Game) -> bool | None:
        """Tell whether the player ponders on this position; None if it does not ponder at all."""
        return None

    def ponder(self, game: Game, move: str) -> None:
        """Begin to think, on the opponent's time, about the reply to the legal `move`, if the player ponders."""

    def game_over(self, result: str) -> None:
        """Receive the result, 'win', 'lose' or 'draw'."""

    def close(self) -> None:
        """Free resources, such as a process; the next game starts it again."""


def configure(engine: Engine, settings: Settings) -> None:
    """Use the evaluation's default parameters except for `settings`.

    Settings are parameters, the evaluation, its weights, and SEARCH_FLAGS (bits of search/context.py). Raises
    ValueError for an unknown setting or an invalid file.
    """
    searcher = engine.searcher
    weights = Path(str(settings[parameters.WEIGHTS])) if parameters.WEIGHTS in settings else None
    engine.set_evaluation(str(settings.get(parameters.EVALUATION, "")), weights)
    searcher.params = params_for(engine.game, searcher.evaluator.evaluation)
    searcher.evaluator = searcher.evaluator.evaluation.load(weights)  # with its original parameters
    for name, value in settings.items():
        if name == SEARCH_FLAGS:
            searcher.search_flags = int(value)
        elif name not in NOT_PARAMETERS:
            parameters.assign(searcher, name, value)


class EnginePlayer(Player):
    """Plays by an Engine in this process. It begins each game with an empty table.

    If the limits are nodes, depth or a level, a game depends only on its opening, the settings and the limits.

    Attributes:
        settings: see `configure`; also LEVEL, which sets its own nodes and depth unless it is full strength
    """

    def __init__(
        self, game: str, control: TimeControl, settings: Iterable[tuple[str, int | str]] = (), hash_mb: int = 8
    ) -> None:
        self.control, self.settings = control, dict(settings)
        self._game, self._hash_mb = game, hash_mb
        self._engine: Engine | None = None

    def ready(self) -> None:
        """Compile the search or load it from the cache. Raises ValueError for wrong settings."""
        if self._engine is None:
            engine = Engine(self._game, hash_mb=self._hash_mb)
            self._configure(engine)
            engine.warmup()
            self._engine = engine

    def _configure(self, engine: Engine) -> None:
        configure(engine, self.settings)
        if LEVEL in self.settings:
            engine.check_level(int(self.settings[LEVEL]))

    def configure(self, settings: Settings) -> None:
        """Play with other settings. Raises ValueError."""
        self.settings = dict(settings)
        if self._engine is not None:
            self._configure(self._engine)

    @property
    def engine(self) -> Engine:
        """The engine, ready to play."""
        self.ready()
        assert self._engine is not None
        return self._engine

    def new_game(self, game: Game, side: int, seed: str) -> None:
        """Clear the table."""
        self.engine.new_game()
        self.engine.rng = random.Random(f"{side} {seed}")

    def think(self, game: Game) -> Answer:
        """Search, or claim a win."""
        engine = self.engine
        engine.set_position(game.record.start, game.moves)
        began = time.perf_counter()
        answer = choose(engine, lambda: engine.search(**self._limits(game)), book=False)
        return replace(answer, seconds=time.perf_counter() - began)

    def _limits(self, game: Game) -> dict[str, Any]:
        """Return the limits of a search as keywords of Engine.search."""
        limits: Mapping[str, Any] = {"nodes": self.control.nodes, "depth": self.control.depth}
        if LEVEL in self.settings:
            limits = level_limits(self.engine, int(self.settings[LEVEL])) or limits
        return {**limits, "budget": self._budget(game)}

    def _budget(self, game: Game) -> TimeBudget | None:
        clock, movetime = self.control.now(game), self.control.movetime
        budget = self.engine.clock_budget(clock, game.ply) if clock else None
        if movetime:
            exact = fixed(movetime, TimeOptions())
            budget = budget.at_most(exact.hard_ms) if budget else exact
        return budget

    def close(self) -> None:
        """Free the engine."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None
