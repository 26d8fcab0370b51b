"""Programs as players: engines that speak USI, GTP or NBoard."""

from typing import Any, Generic, TypeVar

from shogi_engine.clients.base import EngineError, PlainClient
from shogi_engine.clients.gtp import SimpleGtp
from shogi_engine.clients.nboard import SimpleNBoard
from shogi_engine.clients.usi import PlayResult, SimpleEngine, position_command
from shogi_engine.play.answer import DECLARE, RESIGN, Answer
from shogi_engine.play.game import PASS, Game
from shogi_engine.play.players import Player
from shogi_engine.play.time_controls import TimeControl, limit_of
from shogi_engine.types.clock import Clock
from shogi_engine.types.limit import SIDES, Limit

Client = TypeVar("Client", bound=PlainClient[Any])


def answer_of(result: PlayResult[str]) -> Answer:
    """Return the answer of a USI engine; its time is that from the command to the bestmove."""
    move, info = RESIGN if result.resigned else DECLARE if result.declares else result.move or "", result.info
    pv = info.pv if info.pv[:1] == (move,) else (move,)
    return Answer(move, result.time, result.ponder or "", info.score, info.depth or 0, info.nodes or 0, tuple(pv))


class ProgramPlayer(Player, Generic[Client]):
    """A program in a process of its own, which receives the moves one by one."""

    def __init__(self, engine: Client, control: TimeControl) -> None:
        self.engine, self.control = engine, control
        self._told = 0  # the number of moves that it knows

    def ready(self) -> None:
        """Start it."""
        self.engine.start()

    def close(self) -> None:
        """End the process."""
        self.engine.close()


class UsiPlayer(ProgramPlayer[SimpleEngine]):
    """A USI engine as a player; `ponder` lets it think on the opponent's time."""

    def __init__(self, engine: SimpleEngine, control: TimeControl, *, ponder: bool = False) -> None:
        super().__init__(engine, control)
        self._ponder = ponder

    def _limit(self, game: Game, side: int) -> Limit:
        return limit_of(self.control, (game.clock.for_search(0), game.clock.for_search(1)), side)

    def ready(self) -> None:
        """Start it, and wait until it is ready to play."""
        self.engine.ready()

    def new_game(self, game: Game, side: int, seed: str) -> None:
        """Prepare for a game."""
        self.engine.new_game()

    def think(self, game: Game) -> Answer:
        """Return the move, by a ponderhit if the engine ponders on the position."""
        result = self.engine.play(position_command(game.board), self._limit(game, game.turn))
        return answer_of(result)

    def ponders_on(self, game: Game) -> bool | None:
        """Tell whether the engine ponders on this position."""
        return self.engine.pondering == position_command(game.board) if self.engine.pondering else None

    def ponder(self, game: Game, move: str) -> None:
        """Begin to ponder if the player ponders."""
        if self._ponder:
            board = game.board.copy()
            board.push_usi(move)
            self.engine.ponder(position_command(board), self._limit(game, 1 - game.turn))

    def game_over(self, result: str) -> None:
        """Receive the result."""
        self.engine.game_over(result)


class GtpPlayer(ProgramPlayer[SimpleGtp]):
    """A GTP engine as a player: on a clock, with time for each move, or unlimited; GTP has no other limits."""

    def __init__(self, engine: SimpleGtp, control: TimeControl) -> None:
        super().__init__(engine, control)
        if control.nodes or (control.clock and control.clock.increment):
            raise ValueError("a GTP engine can have a main time, byoyomi, movetime or depth (set_level) only")

    def new_game(self, game: Game, side: int, seed: str) -> None:
        """Begin a game and send the time control."""
        self.engine.new_game()
        self._told = 0
        control = self.control
        if clock := control.clock:
            self.engine.time_settings(clock.time / 1000, clock.byoyomi / 1000, 1 if clock.byoyomi else 0)
        elif control.movetime:
            self.engine.time_settings(0, max(control.movetime / 1000, 1), 1)
        if control.depth:
            self.engine.command(f"set_level {control.depth}")
        self._tell(game)

    def _tell(self, game: Game) -> None:
        for ply in range(self._told, game.ply):
            self.engine.play(SIDES[ply % 2], game.moves[ply])
        self._told = game.ply

    def think(self, game: Game) -> Answer:
        """Return the move."""
        self._tell(game)
        colour, allowed = SIDES[game.turn], game.clock.allowed(game.turn)
        if clock := self.control.now(game):
            stones = 0 if clock.time or not clock.byoyomi else 1
            self.engine.time_left(colour, (clock.time or clock.byoyomi) / 1000, stones)
        move = self.engine.genmove(colour, allowed)
        self._told += 1
        return Answer(move, self.engine.time)


class NBoardPlayer(ProgramPlayer[SimpleNBoard]):
    """An NBoard engine as a player, limited by depth (its level), by a clock, or both."""

    def __init__(self, engine: SimpleNBoard, control: TimeControl) -> None:
        super().__init__(engine, control)
        if control.nodes or (control.clock and control.clock.byoyomi):
            raise ValueError("an NBoard engine can have a depth, a main time with an increment, or movetime only")

    def new_game(self, game: Game, side: int, seed: str) -> None:
        """Set the level, and the game with its opening."""
        control = self.control
        if control.depth:
            self.engine.set_depth(control.depth)
        clock, header = Clock(increment=control.movetime) if control.movetime else control.clock, ""
        if clock:
            header = f"TI[{_clock(clock.time / 1000)}/{_clock(clock.increment / 1000)}]"
        moves = "".join(f"{'BW'[ply % 2]}[{_square(move)}]" for ply, move in enumerate(game.moves))
        board = f"BO[8 {'-' * 27}O*{'-' * 6}*O{'-' * 27} *]"
        self.engine.set_game(f"(;GM[Othello]PC[match]PB[black]PW[white]RE[?]{header}TY[8]{board}{moves};)")
        self._told = game.ply
        self.engine.ping()

    def think(self, game: Game) -> Answer:
        """Return the move."""
        for move in game.moves[self._told :]:
            self.engine.move(move)
        allowed = game.clock.allowed(game.turn)
        found = self.engine.go(allowed)
        move = found.move or ""
        try:
            self.engine.move(move, seconds=f"{found.time:.2f}")
        except ValueError as fault:
            raise EngineError("illegal move", str(fault)) from None
        self._told = game.ply + 1
        return Answer(move, found.time, score=found.info.score, nodes=found.info.nodes or 0)


def _square(move: str) -> str:
    return "PA" if move == PASS else move.upper()


def _clock(seconds: float) -> str:
    """Return a time in GGF's notation."""
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes)}:{rest:05.2f}"
