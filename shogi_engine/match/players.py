"""The sides of a game between engines, for any protocol."""

import random
from dataclasses import dataclass
from typing import Protocol

from shogi_engine.clients.base import EngineError
from shogi_engine.clients.usi import Limit, PlayResult, SimpleEngine
from shogi_engine.match.time_controls import Clocks, TimeControl, usi_limit

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
        """How many ms the move may take, None for no limit."""
        clock = self.clocks[self.side]
        return clock.allowed if clock else self.controls[self.side].movetime


@dataclass
class Answer:
    """A move and its evaluation.

    Attributes:
        move: the move in the game's notation, RESIGN or DECLARE
        score: the mover's evaluation, in the game's unit
    """

    move: str
    milliseconds: float
    ponder: str = ""
    score: int | None = None
    depth: int = 0
    nodes: int = 0


class Player(Protocol):
    """An engine that plays. All its errors raise EngineError."""

    control: TimeControl

    @property
    def name(self) -> str:
        """The name it reports."""

    def ready(self) -> None:
        """Start, and wait until it is ready to play."""

    def new_game(self, turn: Turn) -> None:
        """Prepare for a game that begins with the opening in `turn`; `turn.side` is the player's."""

    def think(self, turn: Turn) -> Answer:
        """Return the move for `turn`; the player may have pondered on it."""

    def ponders_on(self, turn: Turn) -> bool | None:
        """Tell whether the player ponders on this position; None if it does not ponder at all."""

    def ponder(self, turn: Turn) -> None:
        """Begin to think, on the opponent's time, about the reply if the opponent makes the last move of `turn`."""

    def game_over(self, result: str) -> None:
        """Receive the result, 'win', 'lose' or 'draw'."""

    def close(self) -> None:
        """End the process; the next game starts another one."""


class UsiPlayer:
    """A USI engine as a player.

    Attributes:
        gui: if None, pondering ends with `ponderhit` or `stop`, and with `stop` before the game ends. Otherwise a
            random generator, which chooses among other things that GUIs may send: `stop` and `go` after a hit, a clock
            after `ponderhit`, or `gameover` while the engine ponders.
    """

    def __init__(self, engine: SimpleEngine, control: TimeControl, *, ponder: bool = False) -> None:
        self.engine, self.control, self._ponder = engine, control, ponder
        self.gui: random.Random | None = None

    @property
    def name(self) -> str:
        """The engine's name."""
        return self.engine.name

    @staticmethod
    def _position(turn: Turn) -> str:
        start = f"sfen {turn.start}" if turn.start else "startpos"
        return f"position {start}" + (f" moves {' '.join(turn.moves)}" if turn.moves else "")

    @staticmethod
    def _limit(turn: Turn) -> Limit:
        return usi_limit(turn.controls[turn.side], turn.clocks, turn.side)

    def ready(self) -> None:
        """Start, and wait until it is ready to play."""
        self.engine.ready()

    def new_game(self, turn: Turn) -> None:
        """Prepare for a game."""
        self.engine.new_game()

    def think(self, turn: Turn) -> Answer:
        """Return the move, by a ponderhit if the engine ponders on the position."""
        position, engine, gui = self._position(turn), self.engine, self.gui
        if engine.pondering == position and gui is not None:
            if gui.random() < 0.9:
                return self._answer(engine.ponder_hit(self._limit(turn) if gui.random() < 0.5 else None))
            engine.stop_pondering()
        return self._answer(engine.play(position, self._limit(turn)))

    @staticmethod
    def _answer(result: PlayResult) -> Answer:
        score = result.score
        return Answer(
            result.move,
            result.milliseconds,
            result.ponder,
            None if score is None else int(score.value),
            result.last("depth") or 0,
            result.last("nodes") or 0,
        )

    def ponders_on(self, turn: Turn) -> bool | None:
        """Tell whether the engine ponders on this position."""
        return self.engine.pondering == self._position(turn) if self.engine.pondering else None

    def ponder(self, turn: Turn) -> None:
        """Begin to ponder if the player ponders."""
        if self._ponder:
            self.engine.ponder(self._position(turn), self._limit(turn))

    def game_over(self, result: str) -> None:
        """Take the result."""
        self.engine.game_over(result, stop=self.gui is None)
        if self.gui is not None:
            self.engine.ready()
            self.engine.check_silent()

    def close(self) -> None:
        """End the process."""
        self.engine.close()


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
