"""This engine as a player in the process of the match: a level, or settings of its parameters, without a protocol.

Kernels run without the GIL: use one player per thread.
"""

import random
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from shogi_engine.engine import Engine, parameters
from shogi_engine.match.players import DECLARE, Answer, Player, Turn
from shogi_engine.match.time_controls import TimeControl
from shogi_engine.play.strength import level_limits
from shogi_engine.search.parameters import params_for
from shogi_engine.search.timeman import TimeOptions, fixed
from shogi_engine.types.clock import TimeBudget

LEVEL, SEARCH_FLAGS = "level", "search_flags"  # settings besides the game's parameters

Settings = Mapping[str, int | str]
NOT_PARAMETERS = (LEVEL, parameters.EVALUATION, parameters.WEIGHTS)


def configure(engine: Engine, settings: Settings) -> None:
    """Use the evaluation's default parameters except for `settings`.

    They are parameters, the evaluation, its weights, and SEARCH_FLAGS, bits of search/context.py. Raises ValueError
    for anything unknown, or for a file that is refused.
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

    A game then depends only on its opening, the settings and the limits, if these are nodes, depth or a level.

    Attributes:
        settings: see `configure`; and LEVEL, which has its own nodes and depth unless it is full strength
    """

    def __init__(
        self, game: str, control: TimeControl, settings: Iterable[tuple[str, int | str]] = (), hash_mb: int = 8
    ) -> None:
        self.control, self.settings = control, dict(settings)
        self._game, self._hash_mb = game, hash_mb
        self._engine: Engine | None = None

    def ready(self) -> None:
        """Compile, or load, what a search needs. Raises ValueError for wrong settings."""
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

    def new_game(self, turn: Turn) -> None:
        """Forget the previous game; the choices of a weak level are drawn anew for each opening and side."""
        self.engine.new_game()
        self.engine.rng = random.Random(f"{turn.side} {turn.start} {' '.join(turn.moves)}")

    def think(self, turn: Turn) -> Answer:
        """Search, or claim a win."""
        engine = self.engine
        engine.set_position(turn.start, turn.moves)
        began = time.perf_counter()
        if engine.may_declare():
            return Answer(DECLARE, 0.0)
        found = engine.search(**self._limits(turn))
        milliseconds = (time.perf_counter() - began) * 1000
        return Answer(found.bestmove, milliseconds, score=found.value, depth=found.depth, nodes=found.nodes)

    def _limits(self, turn: Turn) -> dict[str, Any]:
        """Return the limits of a search as keywords of Engine.search."""
        limits: Mapping[str, Any] = {"nodes": self.control.nodes, "depth": self.control.depth}
        if LEVEL in self.settings:
            limits = level_limits(self.engine, int(self.settings[LEVEL])) or limits
        return {**limits, "budget": self._budget(turn)}

    def _budget(self, turn: Turn) -> TimeBudget | None:
        clock, movetime = turn.clocks[turn.side], self.control.movetime
        budget = self.engine.clock_budget(clock, len(turn.moves)) if clock else None
        if movetime:
            exact = fixed(movetime, TimeOptions())
            budget = budget.at_most(exact.hard_ms) if budget else exact
        return budget

    def close(self) -> None:
        """Free the engine."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None
