"""The loop of a game between two players, as in matches. A player that commits a fault loses."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from shogi_engine.clients.base import EngineError
from shogi_engine.common.text import sanitize
from shogi_engine.play.game import PASS, Game, Refusal
from shogi_engine.play.players import DECLARE, RESIGN, Answer, Player
from shogi_engine.types.termination import Termination

# How a game ends by a fault, one of clients.base.FAULTS; by any other the winner did not have to play.
TERMINATIONS = {
    "time": Termination.TIME_FORFEIT,
    "illegal move": Termination.ILLEGAL_MOVE,
    "false declaration": Termination.ILLEGAL_MOVE,
}


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
    visits: list[int] = field(default_factory=list)

    def add(self, answer: Answer, allowed: float | None) -> None:
        """Count a move that may have taken `allowed` seconds."""
        used = 1000 * answer.seconds
        self.moves += 1
        self.milliseconds += used
        self.longest = max(self.longest, used)
        self.nodes += answer.nodes
        self.depths += answer.depth
        if answer.visits:
            self.visits = [one + other for one, other in zip_longest(self.visits, answer.visits, fillvalue=0)]
        if allowed is not None and answer.seconds > allowed:
            self.late += 1
            self.latest = max(self.latest, used - 1000 * allowed)


@dataclass
class Played:
    """A finished game.

    Attributes:
        reason: why it ended, in words
        fault: the loser's fault, one of clients.base.FAULTS, '' if none
    """

    game: Game
    reason: str
    fault: str
    usage: tuple[Usage, Usage]

    @property
    def winner(self) -> int | None:
        """0 (black), 1 (white), or None for a draw."""
        return self.game.outcome.winner if self.game.outcome else None


class FaultError(Exception):
    """A fault that loses the game.

    Args:
        side: the side that committed it, 0 (black) or 1 (white)
        kind: one of clients.base.FAULTS
    """

    def __init__(self, side: int, kind: str, text: str = "") -> None:
        super().__init__(text or kind)
        self.side, self.kind = side, kind


def play(game: Game, players: tuple[Player, Player], seed: str | None = None) -> Played:
    """Play a game that has just begun to its end; `players` are black and white.

    A fault ends the game and closes the player that committed it.

    Args:
        seed: what random choices depend on, None for the opening
    """
    return _Loop(game, players).play(" ".join(game.moves) if seed is None else seed)


class _Loop:
    def __init__(self, game: Game, players: tuple[Player, Player]) -> None:
        self.game, self.players = game, players
        self.usage = Usage(), Usage()

    def play(self, seed: str) -> Played:
        game, fault = self.game, ""
        try:
            for side in range(2):
                with self._blamed(side) as player:
                    player.new_game(game, side, seed)
            while not game.over:
                self._turn()
            assert game.outcome is not None
            winner, reason = game.outcome.winner, _reason(game)
            for side in range(2):
                with self._blamed(side) as player:
                    player.game_over("draw" if winner is None else "win" if winner == side else "lose")
        except FaultError as failure:
            reason, fault = str(failure), failure.kind
            self._lose(failure)
        return Played(game, reason, fault, self.usage)

    @contextlib.contextmanager
    def _blamed(self, side: int) -> Iterator[Player]:
        """Yield the player of `side`; its errors become faults of that side."""
        try:
            yield self.players[side]
        except EngineError as fault:
            raise FaultError(side, fault.kind, str(fault)) from None

    def _lose(self, failure: FaultError) -> None:
        """End the game by a fault, even one that was found after its end."""
        self.game.forfeit(failure.side, TERMINATIONS.get(failure.kind, Termination.DEFAULT))
        self.players[failure.side].close()
        winner = self.players[1 - failure.side]
        try:
            winner.game_over("win")
        except EngineError:
            winner.close()

    def _turn(self) -> None:
        """Let the side to move move, or end the game. Raises FaultError."""
        game, side = self.game, self.game.turn
        if game.must_pass():
            game.move(PASS)
            return
        answer, allowed = self._think(side), game.clock.allowed(side)
        self.usage[side].add(answer, allowed)
        if game.flag_fell(answer.seconds):
            raise FaultError(side, "time", f"time: {1000 * answer.seconds:.0f} ms of {1000 * (allowed or 0):.0f}")
        if answer.move == RESIGN:
            game.resign()
        elif answer.move == DECLARE:
            try:
                game.declare()
            except Refusal:
                raise FaultError(side, "false declaration") from None
        else:
            self._move(side, answer)
            if answer.ponder and not game.over:
                self._ponder(side, answer.ponder)

    def _think(self, side: int) -> Answer:
        usage = self.usage[side]
        with self._blamed(side) as player:
            hit = player.ponders_on(self.game)
            usage.hits += hit is True
            usage.misses += hit is False
            return player.think(self.game)

    def _move(self, side: int, answer: Answer) -> None:
        """Make the move of `side`. Raises FaultError if it is illegal."""
        game = self.game
        try:
            move = _parsed(game, answer.move)
            game.move(move, seconds=answer.seconds, evaluation=answer.score, depth=answer.depth or None)
        except ValueError as fault:
            again = game.moves[-2:-1] == [answer.move]  # the previous move sent a second time, and only read now
            kind = "second answer" if again else "illegal move"
            raise FaultError(side, kind, f"{kind}: {sanitize(str(fault))}") from None

    def _ponder(self, side: int, move: str) -> None:
        """Let `side` think on the opponent's time about `move`. Raises FaultError if it is illegal."""
        with self._blamed(side) as player:
            try:
                _parsed(self.game, move)
            except ValueError:
                raise EngineError("illegal ponder move", sanitize(move)) from None
            player.ponder(self.game, move)


def _parsed(game: Game, move: str) -> object:
    """Return a program's move. Raises ValueError. Shogi programs write USI, of all notations that its Board reads."""
    board = game.board
    return (board.parse_usi if hasattr(board, "parse_usi") else board.parse_text)(move)


def _reason(game: Game) -> str:
    """Return why a game has ended; of games with points, how many."""
    found = game.board.outcome()
    if hasattr(found, "score"):
        return f"{found.black}-{found.white} discs"
    return "" if game.outcome is None else str(game.outcome.termination)
