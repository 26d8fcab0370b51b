"""One game between two USI engines, judged by the package's Board; an engine that commits a fault loses by it."""

import random
from dataclasses import dataclass

from shogi_engine.games.shogi.board import Board
from tools.match.limits import Limit, clock_words, go_words
from tools.match.terms import Adjudicator, Terms
from tools.match.usi_client import Answer, EngineError, UsiEngine


@dataclass
class Usage:
    """What one side used in a game. Times in ms."""

    moves: int = 0
    milliseconds: float = 0.0
    longest: float = 0.0
    late: int = 0  # moves over the limit, within the margin
    latest: float = 0.0  # the most over the limit
    nodes: int = 0
    depths: int = 0
    hits: int = 0  # ponder moves that were played
    misses: int = 0


@dataclass
class Player:
    """A side of a match. ponder : thinks on the opponent's time."""

    engine: UsiEngine
    limit: Limit
    ponder: bool = False


@dataclass
class PlayedGame:
    """A finished game. winner : 0 (black), 1, or None for a draw.   fault : what its loser did wrong, '' if nothing."""

    winner: int | None
    reason: str
    fault: str
    moves: list[str]
    usage: tuple[Usage, Usage]


class UsiGame:
    """A game from `opening` (moves) on.

    gui : None: pondering ends with `ponderhit` or `stop`, and with `stop` before the game's end. Else a generator that
    decides what may as well come: `stop` and `go` after a hit, a clock after `ponderhit`, `gameover` while it ponders.
    """

    def __init__(
        self, players: tuple[Player, Player], opening: str, terms: Terms, gui: random.Random | None = None
    ) -> None:
        self.players, self.terms, self.gui = players, terms, gui
        self.limits = players[0].limit, players[1].limit
        self.engines = players[0].engine, players[1].engine
        self.board = Board()
        self.moves = opening.split()
        for move in self.moves:
            self.board.push_usi(move)
        self.clocks = [limit.main or 0 for limit in self.limits]
        self.usage = Usage(), Usage()
        self.adjudicator = Adjudicator(terms)

    @property
    def position(self) -> str:
        """USI's command for the position."""
        return "position startpos" + (f" moves {' '.join(self.moves)}" if self.moves else "")

    def play(self) -> PlayedGame:
        """Play to the end; a fault ends the game, and the process that committed it."""
        fault = ""
        try:
            for engine in self.engines:
                engine.new_game()
            winner, reason = self._play_on()
            for side, engine in enumerate(self.engines):
                engine.game_over(self._result(side, winner), stop=self.gui is None)
                if self.gui is not None:
                    engine.wait_ready()
                    engine.check_silent()
        except EngineError as failure:
            side = self.engines.index(failure.engine)
            winner, reason, fault = 1 - side, str(failure), failure.kind
            failure.engine.close()
            other = self.engines[1 - side]
            try:
                other.game_over("win")
            except EngineError:
                other.close()
        return PlayedGame(winner, reason, fault, self.moves, self.usage)

    @staticmethod
    def _result(side: int, winner: int | None) -> str:
        return "draw" if winner is None else "win" if winner == side else "lose"

    def _play_on(self) -> tuple[int | None, str]:
        """Play to the end; return the winner and the reason. Raises EngineError."""
        while True:
            outcome = self.board.outcome()
            if outcome is not None:
                return outcome.winner, outcome.termination.name.lower().replace("_", " ")
            if len(self.moves) >= self.terms.max_plies:
                return None, "max plies"
            side = self.board.turn
            answer = self._think(side)
            if answer.move == "resign":
                return 1 - side, "resign"
            if answer.move == "win":
                if not self.board.can_declare_win():
                    raise EngineError(self.engines[side], "false declaration")
                return side, "declaration"
            self._push(side, answer.move)
            self.adjudicator.add(side, answer.last("score"))
            winner = self.adjudicator.winner()
            if winner is not None:
                return winner, "agreed"
            if self.players[side].ponder and answer.ponder and self.board.outcome() is None:
                self._ponder(side, answer.ponder)

    def _push(self, side: int, move: str) -> None:
        """Make the move of `side`. Raises EngineError if it is illegal."""
        try:
            self.board.push_usi(move)
        except ValueError as fault:
            again = self.moves[-2:-1] == [move]  # said twice, and so late that it seems to answer the next question
            kind = "second answer" if again else "illegal move"
            raise EngineError(self.engines[side], kind, str(fault)) from None
        self.moves.append(move)

    def _think(self, side: int) -> Answer:
        """Return the move of `side`. Raises EngineError if it takes too long."""
        limit = self.limits[side]
        allowed = limit.allowed(self.clocks[side])
        answer = self._ask(side, allowed)
        self._measure(self.usage[side], answer, allowed)
        if allowed is not None and answer.milliseconds > allowed + self.terms.margin:
            raise EngineError(self.engines[side], "time", f"{answer.milliseconds:.0f} ms of {allowed:.0f}")
        if limit.clocked:
            self.clocks[side] = max(0, self.clocks[side] - int(answer.milliseconds)) + limit.increment
        return answer

    def _ask(self, side: int, allowed: float | None) -> Answer:
        """Return the answer of `side`, which may have pondered."""
        engine, usage = self.engines[side], self.usage[side]
        hit = engine.pondering == self.position
        usage.hits += hit
        usage.misses += bool(engine.pondering) and not hit
        if hit and (self.gui is None or self.gui.random() < 0.9):
            with_clock = self.gui is not None and self.gui.random() < 0.5
            return engine.ponder_hit(allowed, clock_words(self.limits, self.clocks, side) if with_clock else "")
        return engine.search(self.position, go_words(self.limits, self.clocks, side), allowed)

    @staticmethod
    def _measure(usage: Usage, answer: Answer, allowed: float | None) -> None:
        usage.moves += 1
        usage.milliseconds += answer.milliseconds
        usage.longest = max(usage.longest, answer.milliseconds)
        usage.nodes += answer.last("nodes") or 0
        usage.depths += answer.last("depth") or 0
        if allowed is not None and answer.milliseconds > allowed:
            usage.late += 1
            usage.latest = max(usage.latest, answer.milliseconds - allowed)

    def _ponder(self, side: int, move: str) -> None:
        """Let `side` think on the opponent's time about `move`, which has to be legal."""
        if move not in {legal.usi() for legal in self.board.legal_moves}:
            raise EngineError(self.engines[side], "illegal ponder move", move)
        self.engines[side].ponder(f"{self.position} {move}", go_words(self.limits, self.clocks, side))
