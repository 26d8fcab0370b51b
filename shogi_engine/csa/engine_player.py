"""This engine as a player, in this process, limited by the clock, by nodes or by a level."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shogi_engine.csa.players import UNTIMED_MS, CsaPlayer, Job, ServerTurn
from shogi_engine.games.shogi.names import entering_king_rule
from shogi_engine.play.answer import RESIGN, Answer
from shogi_engine.play.game import Game
from shogi_engine.play.strength import choose
from shogi_engine.play.terms import number
from shogi_engine.search.timeman import TimeOptions, fixed, in_full_seconds, plan
from shogi_engine.types.clock import TimeBudget

if TYPE_CHECKING:
    from shogi_engine.engine import Engine
    from shogi_engine.engine.results import SearchResult

SECOND = 1000  # ms


@dataclass(frozen=True)
class Strength:
    """The engine's limits besides the clock.

    Attributes:
        level: None for full strength
        resign: resign at minus this many centipawns or less; 0 for never
    """

    level: int | None = None
    nodes: int | None = None
    resign: int = 0
    book: bool = False


class CsaEnginePlayer(CsaPlayer):
    """Plays by `engine`.

    Args:
        delay_ms: a move's delay on its way to the server
        ponder: whether to ponder
    """

    def __init__(
        self, engine: "Engine", strength: Strength | None = None, *, delay_ms: int = 20, ponder: bool = False
    ) -> None:
        super().__init__()
        self.name = "shogi_engine"
        self._engine = engine
        self._strength = strength or Strength()
        self._ponders, self._delay_ms = ponder, delay_ms
        self._max_moves = 0
        if self._strength.level is not None:
            engine.check_level(self._strength.level)

    def load(self) -> None:
        """Compile the search or load it from the cache."""
        self._engine.warmup()
        if self._strength.level is None:
            self._engine.load_solver()
        if self._strength.book:
            self._engine.book.open()

    def _begin(self, game: Game) -> None:
        self._max_moves = game.terms.max_plies
        self._engine.new_game()
        self._engine.configure(entering_king_rule=entering_king_rule(game.rule or ""), max_moves=self._max_moves)

    def _answer(self, job: Job) -> Answer:
        engine, turn = self._engine, job.turn
        engine.set_position(turn.start, turn.moves)
        moves = engine.legal_moves()
        if not moves:
            return Answer(RESIGN)

        def search() -> "SearchResult":
            with job.searching(engine, lambda: self._limits(job, len(moves) == 1)) as limits:
                if job.stopped:
                    raise RuntimeError("the move is no longer needed")
                return engine.search(**limits)

        book, level = self._strength.book and not job.pondering, self._strength.level
        answer = choose(engine, search, level, book=book, flipped=True, any_ply=True)
        resign = self._strength.resign
        if resign and not answer.from_book and answer.score is not None and number(answer.score) <= -resign:
            return Answer(RESIGN, answer.seconds, score=answer.score)
        return answer

    def _limits(self, job: Job, only: bool) -> dict[str, Any]:
        """Return the limits of a search that begins now."""
        limits: dict[str, Any] = {}
        if self._strength.level is not None:
            limits["level"] = self._strength.level
        if self._strength.nodes is not None:
            limits["nodes"] = self._strength.nodes
        if not job.pondering:
            budget = self._budget(job.turn)
            if only:
                budget = budget.for_only_move()
            limits["budget"] = budget.less((time.monotonic() - job.turn.since) * 1000)
        return limits

    def _budget(self, turn: ServerTurn) -> TimeBudget:
        delay = max(self._delay_ms, int(turn.overhead_ms))
        options = TimeOptions(
            network_delay=delay,
            network_delay2=max(TimeOptions.network_delay2, 5 * delay),
            minimum_thinking_time=max(turn.time.least - delay, 0),
            ponder=self._ponders,
        )
        if not turn.time.timed:
            return fixed(UNTIMED_MS, options)
        ply = len(turn.moves)
        budget = plan(turn.clock(), ply, options, self._max_moves)
        if turn.time.unit >= SECOND:
            budget = in_full_seconds(budget, turn.clock(), options)
        return budget

    def close(self) -> None:
        """End the thread and the engine."""
        super().close()
        self._engine.close()
