"""A client for engines that speak the Go Text Protocol, asynchronous (`GtpClient`) and synchronous (`SimpleGtp`).

    with SimpleGtp("shogi-engine gtp") as engine:
        print(engine.play(othello.Board(), Limit(time=1.0)).move)

Protocol: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2".
"""

from typing import Any

from shogi_engine.clients.base import Command, EngineError, MovesClient, PlainClient, in_turn, plain
from shogi_engine.common.text import sanitize
from shogi_engine.language import InputError
from shogi_engine.types.limits import SIDES, Limit
from shogi_engine.types.results import BoardLike, Move, PlayResult


class GtpClient(MovesClient):
    """A GTP engine; see EngineClient. Every violation of the protocol raises EngineError.

    If the engine refuses a command, the EngineError has the kind 'refusal'.

    Attributes:
        name: the name that the engine reports
        version: the version that it reports
        commands: the commands that it lists
        time: the time that the last command took, in seconds
    """

    def __init__(self, command: Command, **settings: Any) -> None:
        super().__init__(command, **settings)
        self.version = ""
        self.commands: frozenset[str] = frozenset()
        self.time = 0.0
        self._number = 0

    async def _greet(self) -> None:
        self._depth = None
        self.commands = frozenset((await self.command("list_commands")).split())
        self.name = await self.command("name")
        self.version = await self.command("version")

    @in_turn
    async def command(self, text: str, seconds: float | None = None) -> str:
        """Send a command and return the answer without its status.

        Earlier output, including answers to no command, is skipped.

        Args:
            seconds: timeout for the answer, None for `ready_timeout`
        """
        await self.start()
        process = self.process
        self._number += 1
        began = process.send(f"{self._number} {text}")
        end = began + (self.ready_timeout if seconds is None else seconds)
        answer: list[str] = []
        while True:
            came, line = await process.receive(lambda: end)
            if not answer and not line.startswith((f"={self._number}", f"?{self._number}")):
                continue
            if not line and answer:
                break
            self.time = came - began
            answer.append(line)
        status, rest = answer[0][0], answer[0][1 + len(str(self._number)) :]
        said = "\n".join([rest.strip(), *answer[1:]]).strip()
        if status == "?":
            raise EngineError("refusal", f"{text}: {sanitize(said)}")
        return said

    @staticmethod
    def check(limit: Limit) -> None:
        """Raise ValueError if GTP cannot express a limit."""
        if limit.nodes or limit.mate or limit.level or limit.black_inc or limit.white_inc:
            raise InputError("a GTP engine can have a main time, byoyomi, movetime or depth (set_level) only")

    @in_turn
    async def play(self, position: BoardLike[Move], limit: Limit) -> PlayResult[Move]:
        """Return the move for an Othello Board, within its clock, `time` or `depth` (by set_level)."""
        board: Any = position
        await self._follow(board, limit)
        side, clock = board.turn, limit.clock(board.turn)
        if clock is not None:
            stones = 0 if clock.time or not clock.byoyomi else 1
            await self.command(f"time_left {SIDES[side]} {round((clock.time or clock.byoyomi) / 1000)} {stones}")
        if (depth := self._new_depth(limit)) is not None:
            await self.command(f"set_level {depth}")
        told, self._told = self._told, None  # unless the move comes, what the engine has played is unknown
        text = await self.genmove(SIDES[side], limit.allowed(side))
        if text == "resign":
            return PlayResult(resigned=True, time=self.time)
        move = self._legal(board, text)
        told[1].append(str(move))  # type: ignore[index]
        self._told = told
        return PlayResult(move, time=self.time)

    async def _tell(self, board: Any, start: str, moves: list[str], new: list[str] | None, limit: Limit) -> None:
        if new is None:
            if start != type(board)().obf():
                raise InputError("a GTP engine can only play from the usual starting position")
            await self.command("boardsize 8")
            await self.command("clear_board")
            if clock := limit.clock(board.turn):
                times = f"{round(clock.time / 1000)} {round(clock.byoyomi / 1000)} {1 if clock.byoyomi else 0}"
                await self.command(f"time_settings {times}")
            elif limit.time:
                await self.command(f"time_settings 0 {max(round(limit.time), 1)} 1")
            elif self._timing != (None, False):
                await self.command("time_settings 0 1 0")  # no limit of time any more
        first = len(moves) - len(moves if new is None else new)
        for ply in range(first, len(moves)):
            await self.command(f"play {SIDES[ply % 2]} {moves[ply]}")

    @in_turn
    async def genmove(self, colour: str, allowed: float | None = None) -> str:
        """Let the engine make a move for a side and return it: a vertex, 'pass' or 'resign', in lower case.

        Args:
            allowed: the seconds that the move may take (None for no limit); `timeout` is added to them
        """
        seconds = float("inf") if self.timeout is None else (allowed or 0.0) + self.timeout
        return (await self.command(f"genmove {colour}", seconds)).lower()


class SimpleGtp(PlainClient[GtpClient]):
    """A synchronous client: GtpClient's `play` and `command`, with the same errors."""

    client_class = GtpClient
    command = plain(GtpClient.command)
