"""Programs as players: engines that speak USI, GTP or NBoard."""

from typing import Any, Generic, TypeVar

from shogi_engine.clients.base import EngineError, PlainClient
from shogi_engine.clients.gtp import COLOURS, SimpleGtp
from shogi_engine.clients.nboard import SimpleNBoard
from shogi_engine.clients.usi import Limit, SimpleEngine
from shogi_engine.match.players import Answer, Player, Turn
from shogi_engine.match.time_controls import TimeControl, usi_limit
from shogi_engine.types.clock import Clock

UNIT = 100  # score units per disc

Engine = TypeVar("Engine", bound=PlainClient[Any])


class UsiPlayer(Player):
    """A USI engine as a player."""

    def __init__(self, engine: SimpleEngine, control: TimeControl, *, ponder: bool = False) -> None:
        self.engine, self.control, self._ponder = engine, control, ponder

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
        result = self.engine.play(self._position(turn), self._limit(turn))
        score = result.score
        return Answer(
            result.move,
            result.milliseconds,
            result.ponder or "",
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
        """Receive the result."""
        self.engine.game_over(result)

    def close(self) -> None:
        """End the process."""
        self.engine.close()


class FollowingPlayer(Player, Generic[Engine]):
    """A program that receives the moves one by one and keeps track of them."""

    def __init__(self, engine: Engine, control: TimeControl) -> None:
        self.engine, self.control = engine, control
        self._told: list[str] = []

    def ready(self) -> None:
        """Start."""
        self.engine.start()

    def close(self) -> None:
        """End the process."""
        self.engine.close()


class GtpPlayer(FollowingPlayer[SimpleGtp]):
    """A GTP engine as a player: on a clock, with time for each move, or unlimited; GTP has no other limits."""

    def __init__(self, engine: SimpleGtp, control: TimeControl) -> None:
        super().__init__(engine, control)
        if control.nodes or (control.clock and control.clock.increment):
            raise ValueError("a GTP engine can have a main time, byoyomi, movetime or depth (set_level) only")

    def new_game(self, turn: Turn) -> None:
        """Begin a game and send the time control."""
        self.engine.new_game()
        self._told = []
        control = self.control
        if clock := control.clock:
            self.engine.time_settings(clock.time / 1000, clock.byoyomi / 1000, 1 if clock.byoyomi else 0)
        elif control.movetime:
            self.engine.time_settings(0, max(control.movetime / 1000, 1), 1)
        if control.depth:
            self.engine.command(f"set_level {control.depth}")
        self._tell(turn)

    def _tell(self, turn: Turn) -> None:
        for ply in range(len(self._told), len(turn.moves)):
            self.engine.play(COLOURS[ply % 2], turn.moves[ply])
        self._told = list(turn.moves)

    def think(self, turn: Turn) -> Answer:
        """Return the move."""
        self._tell(turn)
        colour = COLOURS[turn.side]
        if clock := turn.clocks[turn.side]:
            stones = 0 if clock.time or not clock.byoyomi else 1
            self.engine.time_left(colour, (clock.time or clock.byoyomi) / 1000, stones)
        move = self.engine.genmove(colour, turn.allowed)
        self._told.append(move)
        return Answer(move, self.engine.milliseconds)


class NBoardPlayer(FollowingPlayer[SimpleNBoard]):
    """An NBoard engine as a player, limited by depth (its level), by a clock, or both."""

    def __init__(self, engine: SimpleNBoard, control: TimeControl) -> None:
        super().__init__(engine, control)
        if control.nodes or (control.clock and control.clock.byoyomi):
            raise ValueError("an NBoard engine can have a depth, a main time with an increment, or movetime only")

    def new_game(self, turn: Turn) -> None:
        """Set the level, and the game with its opening."""
        control = self.control
        if control.depth:
            self.engine.set_depth(control.depth)
        clock, header = Clock(increment=control.movetime) if control.movetime else control.clock, ""
        if clock:
            header = f"TI[{_clock(clock.time / 1000)}/{_clock(clock.increment / 1000)}]"
        moves = "".join(f"{'BW'[ply % 2]}[{_square(move)}]" for ply, move in enumerate(turn.moves))
        board = f"BO[8 {'-' * 27}O*{'-' * 6}*O{'-' * 27} *]"
        self.engine.set_game(f"(;GM[Othello]PC[match]PB[black]PW[white]RE[?]{header}TY[8]{board}{moves};)")
        self._told = list(turn.moves)
        self.engine.ping()

    def think(self, turn: Turn) -> Answer:
        """Return the move."""
        for move in turn.moves[len(self._told) :]:
            self.engine.move(move)
        self._told = list(turn.moves)
        found = self.engine.go(turn.allowed)
        try:
            self.engine.move(found.move, seconds=f"{found.milliseconds / 1000:.2f}")
        except ValueError as fault:
            raise EngineError("illegal move", str(fault)) from None
        self._told.append(found.move)
        score = None if found.value is None else round(found.value * UNIT)
        return Answer(found.move, found.milliseconds, score=score, nodes=found.nodes)


def _square(move: str) -> str:
    return "PA" if move == "pass" else move.upper()


def _clock(seconds: float) -> str:
    """Return a time in GGF's notation."""
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes)}:{rest:05.2f}"
