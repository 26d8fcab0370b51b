"""The loop of a game between two players, as in matches. A player that commits a fault loses."""

from dataclasses import dataclass, field
from itertools import zip_longest

from shogi_engine.clients.base import EngineError
from shogi_engine.common.text import sanitize
from shogi_engine.play.answer import DECLARE, RESIGN, Answer
from shogi_engine.play.game import PASS, Game, Refusal
from shogi_engine.play.players import Player
from shogi_engine.types.termination import Termination

# How a game ends by a fault, one of clients.base.FAULTS; by any other the winner did not have to play.
FAULT_TERMINATIONS = {
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
    ponder_hits: int = 0  # pondered moves that were played
    ponder_misses: int = 0
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
        self.side = 0  # whose player is called, and is to blame for an EngineError

    def play(self, seed: str) -> Played:
        game, fault = self.game, ""
        try:
            for self.side in range(2):
                self.players[self.side].new_game(game, self.side, seed)
            while not game.over:
                self._turn()
            assert game.outcome is not None
            winner, reason = game.outcome.winner, _reason(game)
            for self.side in range(2):
                result = "draw" if winner is None else "win" if winner == self.side else "lose"
                self.players[self.side].game_over(result)
        except EngineError as failure:
            reason, fault = str(failure), failure.kind
            self._lose(fault)
        return Played(game, reason, fault, self.usage)

    def _lose(self, fault: str) -> None:
        """End the game by a fault of a player, even one that is found after its end."""
        loser, winner = self.players[self.side], self.players[1 - self.side]
        self.game.forfeit(self.side, FAULT_TERMINATIONS.get(fault, Termination.DEFAULT))
        loser.close()
        try:
            winner.game_over("win")
        except EngineError:
            winner.close()

    def _turn(self) -> None:
        """Let the side to move move, or end the game. Raises EngineError."""
        game, self.side = self.game, self.game.turn
        if game.must_pass():
            game.move(PASS)
            return
        player, usage = self.players[self.side], self.usage[self.side]
        limit = player.limit.time
        allowed = game.allowed(limit)
        hit = player.ponders_on(game)
        usage.ponder_hits += hit is True
        usage.ponder_misses += hit is False
        answer = player.think(game)
        usage.add(answer, allowed)
        if game.flag_fell(answer.seconds, limit):
            raise EngineError("time", f"{1000 * answer.seconds:.0f} ms of {1000 * (allowed or 0):.0f}")
        if answer.move == RESIGN:
            game.resign()
        elif answer.move == DECLARE:
            try:
                game.declare()
            except Refusal:
                raise EngineError("false declaration") from None
        else:
            self._move(answer)
            if answer.ponder and not game.over:
                if not _is_legal(game, answer.ponder):
                    raise EngineError("illegal ponder move", sanitize(answer.ponder))
                player.ponder(game, answer.ponder)

    def _move(self, answer: Answer) -> None:
        """Make a move. Raises EngineError if it is illegal."""
        game = self.game
        try:
            move = _parsed(game, answer.move)
            game.move(move, seconds=answer.seconds, evaluation=answer.score, depth=answer.depth or None)
        except ValueError as fault:
            again = game.moves[-2:-1] == [answer.move]  # the previous move sent a second time, and only read now
            raise EngineError("second answer" if again else "illegal move", sanitize(str(fault))) from None


def _parsed(game: Game, move: str) -> object:
    """Return a program's move. Raises ValueError. Shogi programs write USI, of all notations that its Board reads."""
    board = game.board
    return (board.parse_usi if hasattr(board, "parse_usi") else board.parse_text)(move)


def _is_legal(game: Game, move: str) -> bool:
    try:
        _parsed(game, move)
    except ValueError:
        return False
    return True


def _reason(game: Game) -> str:
    """Return why a game has ended; of games with points, how many."""
    found = game.board.outcome()
    if hasattr(found, "score"):
        return f"{found.black}-{found.white} discs"
    return str(game.outcome.termination) if game.outcome else ""
