"""Any USI engine as a player: a separate process, with the time as the server counts it."""

import contextlib
from dataclasses import replace
from time import monotonic

from shogi_engine.clients.base.errors import EngineError
from shogi_engine.clients.usi import Limit, PlayResult, SimpleEngine
from shogi_engine.csa.players import UNTIMED_MS, CsaPlayer, Job, ServerTurn
from shogi_engine.play.answer import RESIGN, Answer
from shogi_engine.play.game import Game
from shogi_engine.play.programs import answer_of

TIMEOUT = 30.0  # seconds beyond a move's time after which the engine has failed to answer


class CsaUsiPlayer(CsaPlayer):
    """Plays by a USI engine.

    Args:
        command: 'COMMAND:Option=value,Option=value'
        nodes: the maximum number of nodes per move, in addition to the clock
        delay_ms: a move's delay on its way to the server
        options: further options, which are set if the engine has them
    """

    def __init__(
        self, command: str, *, options: dict[str, str] | None = None, delay_ms: int = 200, nodes: int | None = None
    ) -> None:
        super().__init__()
        self._engine = SimpleEngine.described(command, {}, timeout=TIMEOUT)
        self._options = options or {}
        self._delay_ms, self._nodes = delay_ms, nodes
        self.name = command.partition(":")[0]

    # ---- the process

    def load(self) -> None:
        """Start the engine and wait until it is ready. Raises ValueError."""
        try:
            self._start()
            self._engine.ready()
        except EngineError as fault:
            raise ValueError(f"{self.name}: {fault}") from None

    def _start(self) -> None:
        self._engine.start()
        self.name = self._engine.name
        self._set(self._options)

    def _set(self, options: dict[str, str]) -> None:
        """Set those options that the engine has, to values that it accepts."""
        for name, value in options.items():
            listed = self._engine.listed.get(name)
            if listed is not None or name in ("USI_Hash", "USI_Ponder"):
                with contextlib.suppress(ValueError):
                    self._engine.configure({name: value})

    def restart(self) -> None:
        """Restart the process. Raises ValueError."""
        self.halt()
        with self._working:
            self._engine.close()
        self.load()

    def close(self) -> None:
        """End the process."""
        super().close()
        self._engine.close()

    # ---- games

    def _begin(self, game: Game) -> None:
        try:
            if not self._engine.running:
                self._start()
            self._set({"MaxMovesToDraw": str(game.terms.max_plies), "EnteringKingRule": game.rule or ""})
            self._engine.new_game()
        except EngineError as fault:
            raise ValueError(f"{self.name}: {fault}") from None

    def _over(self, result: str) -> None:
        try:
            self._engine.game_over(result)
        except EngineError:  # the game is over; the next one restarts the engine
            self._engine.close()

    def _answer(self, job: Job) -> Answer:
        try:
            result = self._pondered(job) if job.pondering else self._thought(job)
        except EngineError as fault:
            self._engine.close()
            raise ValueError(f"{self.name}: {fault}") from None
        if result is None:
            return Answer("")
        answer, thought = answer_of(result), result.info.time
        return replace(answer, move=answer.move or RESIGN, seconds=answer.seconds if thought is None else thought)

    def _thought(self, job: Job) -> PlayResult[str] | None:
        """Return the result of a search by the clock, None if it is no longer needed."""
        search = self._engine.analysis(_position(job.turn), self._limit(job.turn))
        if not job.follow(search):
            search.stop()
        try:
            return search.wait()
        finally:
            job.follow(None)

    def _pondered(self, job: Job) -> PlayResult[str] | None:
        """Return the result of a search that begins by pondering, None if the expected move was not played."""
        search = self._engine.ponder(_position(job.turn), self._limit(job.turn))
        job.decided.wait()
        if not job.follow(search):
            self._engine.stop_pondering()
            return None
        try:
            return self._engine.ponder_hit()
        finally:
            job.follow(None)

    def _limit(self, turn: ServerTurn) -> Limit:
        """Return the limit for `go`: the main time without the increment, as in USI, less the network delay.

        The overhead of each move, or the part of the delay that the clock cannot pay, also reduces the increment.
        """
        if not turn.time.timed:
            return Limit(time=UNTIMED_MS / 1000, nodes=self._nodes)
        increments = [int(clock.increment) for clock in turn.clocks]
        clocks = [int(clock.time) - increment for clock, increment in zip(turn.clocks, increments, strict=True)]
        byoyomi = int(turn.clocks[turn.side].byoyomi)
        overhead = int(turn.overhead_ms)
        late = max(self._delay_ms, overhead) + int((monotonic() - turn.since) * 1000)
        if byoyomi:  # USI has no increments together with a byoyomi
            clocks[turn.side] += increments[turn.side]
            increments = [0, 0]
        from_byoyomi = late if byoyomi > 2 * late else 0
        from_clock = min(late - from_byoyomi, clocks[turn.side])
        clocks[turn.side] -= from_clock
        increments[turn.side] = max(increments[turn.side] - max(late - from_byoyomi - from_clock, overhead), 0)
        limit = Limit(black_clock=clocks[0] / 1000, white_clock=clocks[1] / 1000, nodes=self._nodes)
        if any(increments):
            return replace(limit, black_inc=increments[0] / 1000, white_inc=increments[1] / 1000)
        return replace(limit, byoyomi=(byoyomi - from_byoyomi) / 1000)


def _position(turn: ServerTurn) -> str:
    """Return USI's position command for a turn."""
    return f"sfen {turn.start}" + (f" moves {' '.join(turn.moves)}" if turn.moves else "")
