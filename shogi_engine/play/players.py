"""Players: who chooses the moves of a game. Here an engine in this process, in `programs` other programs.

Kernels run without the GIL: use one EnginePlayer per thread.
"""

import random
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shogi_engine import games
from shogi_engine.common.search_handle import SearchHandle
from shogi_engine.engine import Engine, parameters
from shogi_engine.engine.analysis import Analysis
from shogi_engine.games.shogi.names import entering_king_rule
from shogi_engine.play.answer import RESIGN, Answer
from shogi_engine.play.game import Game
from shogi_engine.play.strength import answer_of, choose, level_limits
from shogi_engine.play.terms import number
from shogi_engine.search.parameters import params_for
from shogi_engine.search.timeman import TimeOptions, fixed
from shogi_engine.types.clock import Clock, TimeBudget
from shogi_engine.types.limit import Limit, check_limit

LEVEL, SEARCH_FLAGS = "level", "search_flags"  # settings besides the game's parameters
NOT_PARAMETERS = (LEVEL, parameters.EVALUATION, parameters.WEIGHTS)

Settings = Mapping[str, int | str]


class Player:
    """Who plays a side of a game. The faults of a program raise EngineError.

    Attributes:
        limit: the limits of each of its moves, besides the game's clock
    """

    limit = Limit()

    def ready(self) -> None:
        """Start, and wait until it is ready to play. Raises EngineError, or ValueError for wrong settings."""

    def new_game(self, game: Game, side: int, seed: str) -> None:
        """Prepare for a game that has just begun, perhaps with an opening.

        Args:
            seed: random choices depend only on this and on the side
        """

    def think(self, game: Game, search: SearchHandle | None = None) -> Answer:
        """Return the move for the side to move; the player may have pondered on the position.

        Args:
            search: by which other threads may stop it; it then answers soon
        """
        raise NotImplementedError

    def ponders_on(self, game: Game) -> bool | None:
        """Tell whether the player ponders on this position; None if it does not ponder at all."""
        return None

    def ponder(self, game: Game, move: str) -> None:
        """Begin to think, on the opponent's time, about the reply to the legal `move`, if the player ponders."""

    def stop_pondering(self) -> None:
        """End its thinking on the opponent's time."""

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

    Args:
        limit: besides the clock; a level is limited further by nodes and depth
        settings: see `configure`; also LEVEL, which sets its own nodes and depth unless it is full strength
        ponders: whether to ponder
        book: whether to play from the opening book
        solver: whether to look for forced wins in another thread
        resign: resign at minus this many centipawns, or hundredths of a disc, or less; 0 for never
    """

    def __init__(
        self,
        game: str,
        limit: Limit | None = None,
        settings: Iterable[tuple[str, int | str]] = (),
        *,
        hash_mb: int = 8,
        threads: int = 1,
        ponders: bool = False,
        book: bool = False,
        solver: bool = False,
        resign: int = 0,
    ) -> None:
        games.check(game)
        check_limit(limit := limit or Limit())
        self.limit, self.settings = limit, dict(settings)
        self._game, self._hash_mb, self._threads = game, hash_mb, threads
        self._ponders, self._book, self._solver, self._resign = ponders, book, solver, resign
        self._engine: Engine | None = None
        self._pondered: tuple[list[str], Analysis[str]] | None = None  # the moves expected, and their search

    def ready(self) -> None:
        """Compile the search or load it from the cache. Raises ValueError for wrong settings."""
        if self._engine is None:
            engine = Engine(self._game, hash_mb=self._hash_mb, threads=self._threads)
            self._configure(engine)
            engine.warmup()
            if self._solver:
                engine.load_solver()
            if self._book:
                engine.book.open()
            self._engine = engine

    def _configure(self, engine: Engine) -> None:
        configure(engine, self.settings)
        level = self.settings.get(LEVEL, self.limit.level)
        if level is not None:
            engine.check_level(int(level))

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
        """Clear the table; if the game states its rule for declaring a win, play by it."""
        self.stop_pondering()
        engine = self.engine
        engine.new_game()
        engine.rng = random.Random(f"{side} {seed}")
        if game.rule is not None:
            engine.configure(entering_king_rule=entering_king_rule(game.rule), max_moves=game.terms.max_plies)

    # ---- moves

    def think(self, game: Game, search: SearchHandle | None = None) -> Answer:
        """Search, or claim a win, play from the book or resign."""
        engine, search = self.engine, search or SearchHandle()
        began = time.perf_counter()
        if self.ponders_on(game):
            answer = self._hit(game, search)
        else:
            self.stop_pondering()
            engine.set_position(game.record.start, game.moves)

            def found() -> Any:
                with search.searching(engine, lambda: {"depth": 1} if search.stopped else self._limits(game)) as limits:
                    return engine.search(**limits)

            answer = choose(engine, found, self.limit.level, book=self._book, flipped=True, any_ply=True)
        seconds = time.perf_counter() - began
        lost = answer.score is not None and not answer.from_book and number(answer.score) <= -self._resign
        return replace(answer, move=RESIGN if self._resign and lost else answer.move, seconds=seconds)

    def _hit(self, game: Game, search: SearchHandle) -> Answer:
        """Return the answer of the search that began on the opponent's time; its clock begins now."""
        assert self._pondered is not None
        running, self._pondered = self._pondered[1], None
        running.ponderhit(self._budget(game))
        try:
            if not search.follow(running):
                running.stop()
            return answer_of(running.search_result())
        finally:
            search.follow(None)

    def _limits(self, game: Game) -> dict[str, Any]:
        """Return the limits of a search that begins now, as keywords of Engine.search."""
        return {**self._own_limits(), "budget": self._budget(game)}

    def _own_limits(self) -> dict[str, Any]:
        """Return the limits besides time."""
        own = {name: value for name in ("nodes", "depth", "level") if (value := getattr(self.limit, name)) is not None}
        return level_limits(self.engine, int(self.settings[LEVEL])) or own if LEVEL in self.settings else own

    def _budget(self, game: Game) -> TimeBudget | None:
        engine = self.engine

        def share(clock: Clock, options: TimeOptions) -> TimeBudget:
            options = replace(options, ponder=self._ponders)
            budget = engine.clock_budget(clock, game.ply, options, game.terms.max_plies)
            return budget.for_only_move() if len(engine.legal_moves()) == 1 else budget

        budget = game.clock.budget(game.turn, share)
        if self.limit.time is not None:
            exact = fixed(1000 * self.limit.time, TimeOptions())
            budget = budget.at_most(exact.hard_ms) if budget else exact
        return budget

    # ---- on the opponent's time

    def ponders_on(self, game: Game) -> bool | None:
        """Tell whether the engine ponders on this position."""
        return None if self._pondered is None else self._pondered[0] == game.moves

    def ponder(self, game: Game, move: str) -> None:
        """Begin to search without a limit of time, unless the answer needs no search."""
        if not self._ponders:
            return
        engine, moves = self.engine, [*game.moves, move]
        engine.set_position(game.record.start, moves)
        if engine.legal_moves() and not engine.may_declare():
            self._pondered = moves, engine.start(**self._own_limits())

    def stop_pondering(self) -> None:
        """End a search on the opponent's time."""
        if self._pondered is not None:
            with self._pondered[1]:
                self._pondered = None

    def game_over(self, result: str) -> None:
        """Stop pondering."""
        self.stop_pondering()

    def close(self) -> None:
        """Free the engine."""
        self.stop_pondering()
        if self._engine is not None:
            self._engine.close()
            self._engine = None
