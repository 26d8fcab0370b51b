"""A game between two players, judged by the package's Board; a player that commits a fault loses."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from shogi_engine.clients.base import EngineError
from shogi_engine.common.text import sanitize
from shogi_engine.match.players import DECLARE, RESIGN, Answer, FaultError, Player, Turn
from shogi_engine.match.rules import Rules
from shogi_engine.match.terms import Adjudicator, Terms
from shogi_engine.types.termination import Termination

PASS = "pass"


@dataclass
class Usage:
    """The resources that one side used in a game; times are in ms."""

    moves: int = 0
    milliseconds: float = 0.0
    longest: float = 0.0
    late: int = 0  # moves over the limit, but within the margin
    latest: float = 0.0  # the largest excess over the limit
    nodes: int = 0
    depths: int = 0
    hits: int = 0  # pondered moves that were played
    misses: int = 0

    def add(self, answer: Answer, allowed: float | None) -> None:
        """Count a move that may have taken `allowed` ms."""
        self.moves += 1
        self.milliseconds += answer.milliseconds
        self.longest = max(self.longest, answer.milliseconds)
        self.nodes += answer.nodes
        self.depths += answer.depth
        if allowed is not None and answer.milliseconds > allowed:
            self.late += 1
            self.latest = max(self.latest, answer.milliseconds - allowed)


@dataclass
class PlayedGame:
    """A finished game.

    Attributes:
        winner: 0 (black), 1, or None for a draw
        fault: the loser's fault, '' if none
        moves: the moves, including the opening
        times: the ms taken by each move; None for the opening's moves
        scores: the mover's evaluation of each move; None if it gave none
    """

    winner: int | None
    reason: str
    fault: str
    start: str
    moves: list[str]
    usage: tuple[Usage, Usage]
    times: list[float | None] = field(default_factory=list)
    scores: list[int | None] = field(default_factory=list)
    points: float | None = None


class EngineGame:
    """A game of two players, black first, from the opening that `rules` have already played."""

    def __init__(self, players: tuple[Player, Player], rules: Rules, terms: Terms) -> None:
        self.players, self.rules, self.terms = players, rules, terms
        self._controls = players[0].control, players[1].control
        self._clocks = [control.clock for control in self._controls]
        self._usage = Usage(), Usage()
        self._adjudicator = Adjudicator(terms)
        self._times: list[float | None] = [None] * len(rules.moves)
        self._scores: list[int | None] = [None] * len(rules.moves)

    def _turn(self, side: int, *more: str) -> Turn:
        clocks = self._clocks[0], self._clocks[1]
        return Turn(self.rules.start, [*self.rules.moves, *more], side, self._controls, clocks)

    @contextlib.contextmanager
    def _blamed(self, side: int) -> Iterator[Player]:
        """Yield the player of `side`; its errors become faults of that side."""
        try:
            yield self.players[side]
        except EngineError as fault:
            raise FaultError.of(side, fault) from None

    def play(self) -> PlayedGame:
        """Play to the end; a fault ends the game and the process that committed it."""
        fault = ""
        try:
            for side in range(2):
                with self._blamed(side) as player:
                    player.new_game(self._turn(side))
            winner, reason = self._play_on()
            for side in range(2):
                with self._blamed(side) as player:
                    player.game_over("draw" if winner is None else "win" if winner == side else "lose")
        except FaultError as failure:
            winner, reason, fault = 1 - failure.side, str(failure), failure.kind
            self.players[failure.side].close()
            try:
                self.players[winner].game_over("win")
            except EngineError:
                self.players[winner].close()
        rules = self.rules
        return PlayedGame(
            winner, reason, fault, rules.start, rules.moves, self._usage, self._times, self._scores, rules.score()
        )

    def _play_on(self) -> tuple[int | None, str]:
        """Play to the end; return the winner and the reason. Raises FaultError."""
        rules = self.rules
        while True:
            outcome = rules.outcome()
            if outcome is not None:
                return outcome
            if len(rules.moves) >= self.terms.max_plies:
                return None, Termination.MAX_MOVES
            if rules.only_pass():
                self._make(PASS, None, None)
                continue
            side = rules.side
            answer = self._think(side)
            if answer.move == RESIGN:
                return 1 - side, Termination.RESIGNATION
            if answer.move == DECLARE:
                if not rules.can_declare():
                    raise FaultError(side, "false declaration")
                return side, Termination.DECLARATION
            self._push(side, answer)
            self._adjudicator.add(side, answer.score)
            if self._adjudicator.winner() == side:  # the loser is to move, so a record can say that it resigns
                return side, Termination.ADJUDICATION
            if self._adjudicator.drawn(len(rules.moves)):
                return None, Termination.ADJUDICATION
            if answer.ponder and rules.outcome() is None:
                self._ponder(side, answer.ponder)

    def _make(self, move: str, milliseconds: float | None, score: int | None) -> None:
        self.rules.push(move)
        self._times.append(milliseconds)
        self._scores.append(score)

    def _push(self, side: int, answer: Answer) -> None:
        """Make the move of `side`. Raises FaultError if it is illegal."""
        try:
            self._make(answer.move, round(answer.milliseconds, 1), answer.score)
        except ValueError as fault:
            again = self.rules.moves[-2:-1] == [answer.move]  # the previous move sent a second time, and only read now
            kind = "second answer" if again else "illegal move"
            raise FaultError(side, kind, f"{kind}: {sanitize(str(fault))}") from None

    def _think(self, side: int) -> Answer:
        """Return the move of `side`. Raises FaultError if it takes too long."""
        usage, clock, turn = self._usage[side], self._clocks[side], self._turn(side)
        with self._blamed(side) as player:
            hit = player.ponders_on(turn)
            usage.hits += hit is True
            usage.misses += hit is False
            answer = player.think(turn)
        allowed = turn.allowed
        usage.add(answer, allowed)
        if allowed is not None and answer.milliseconds > allowed + self.terms.margin:
            raise FaultError(side, "time", f"time: {answer.milliseconds:.0f} ms of {allowed:.0f}")
        if clock:
            self._clocks[side] = clock.after(int(answer.milliseconds))
        return answer

    def _ponder(self, side: int, move: str) -> None:
        """Let `side` think on the opponent's time about `move`, which must be legal."""
        with self._blamed(side) as player:
            if not self.rules.is_legal(move):
                raise EngineError("illegal ponder move", sanitize(move))
            player.ponder(self._turn(side, move))
