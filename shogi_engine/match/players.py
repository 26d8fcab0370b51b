"""The interface of a player in a match."""

from dataclasses import dataclass

from shogi_engine.clients.base import EngineError
from shogi_engine.match.time_controls import Clocks, TimeControl

RESIGN, DECLARE = "resign", "win"  # instead of a move


@dataclass(frozen=True)
class Turn:
    """A position in which a player is to move.

    Attributes:
        start: the starting position in the game's notation; '' for the usual one
        moves: the moves made since
        side: the side to move, 0 (black) or 1 (white)
        controls: the time controls of both sides
        clocks: the clocks of both sides before this move
    """

    start: str
    moves: list[str]
    side: int
    controls: tuple[TimeControl, TimeControl]
    clocks: Clocks

    @property
    def allowed(self) -> float | None:
        """The time in ms that the move may take, None for no limit."""
        clock = self.clocks[self.side]
        return clock.allowed if clock else self.controls[self.side].movetime


@dataclass
class Answer:
    """A move and its evaluation.

    Attributes:
        move: the move in the game's notation, RESIGN or DECLARE
        score: the mover's evaluation, in the game's unit, None if unknown
    """

    move: str
    milliseconds: float
    ponder: str = ""
    score: int | None = None
    depth: int = 0
    nodes: int = 0


class Player:
    """A program or an engine in this process that plays. A program's faults raise EngineError."""

    control: TimeControl

    def ready(self) -> None:
        """Start, and wait until it is ready to play. Raises EngineError, or ValueError for wrong settings."""
        raise NotImplementedError

    def new_game(self, turn: Turn) -> None:
        """Prepare for a game that begins with the opening in `turn`; `turn.side` is the player's."""
        raise NotImplementedError

    def think(self, turn: Turn) -> Answer:
        """Return the move for `turn`; the player may have pondered on it."""
        raise NotImplementedError

    def ponders_on(self, turn: Turn) -> bool | None:
        """Tell whether the player ponders on this position; None if it does not ponder at all."""
        return None

    def ponder(self, turn: Turn) -> None:
        """Begin to think, on the opponent's time, about the reply if the opponent makes the last move of `turn`.

        A player that does not ponder does nothing.
        """

    def game_over(self, result: str) -> None:
        """Receive the result, 'win', 'lose' or 'draw'."""

    def close(self) -> None:
        """Free resources, such as a process; the next game starts it again."""
        raise NotImplementedError


class FaultError(Exception):
    """A fault that loses the game.

    Args:
        side: the side that committed it, 0 (black) or 1 (white)
        kind: one of FAULTS
    """

    def __init__(self, side: int, kind: str, text: str = "") -> None:
        super().__init__(text or kind)
        self.side, self.kind = side, kind

    @classmethod
    def of(cls, side: int, fault: EngineError) -> "FaultError":
        """Return an EngineError as a fault of `side`."""
        return cls(side, fault.kind, str(fault))
