"""A client for Othello engines that speak NBoard, asynchronous (`NBoardClient`) and synchronous (`SimpleNBoard`).

    with SimpleNBoard("shogi-engine nboard") as engine:
        print(engine.play(othello.Board(), Limit(depth=8)).move)
        print(engine.analyse(othello.Board(), Limit(depth=8))["score"])

Protocol: C. Welty, "NBoard Protocol", in the NBoard package, http://www.orbanova.com/nboard.
"""

import contextlib
import re
import time
from typing import Any, overload

from shogi_engine.clients.base import Command, EngineError, MovesClient, PlainClient, in_turn, run_plainly
from shogi_engine.common.text import clamped_number, legal_line, sanitize
from shogi_engine.language import InputError
from shogi_engine.types.limits import Clock, Limit
from shogi_engine.types.results import BoardLike, Info, Move, PlayResult, Score, limited_discs

VERSION = 2
_MOVE = re.compile(r"[a-h][1-8]|pass|pa", re.IGNORECASE)


def _score(text: str) -> Score | None:
    """Return the score of a number of discs for the side to move, None for other texts."""
    try:
        return Score.discs(limited_discs(text))
    except ValueError:
        return None


def _move(text: str) -> str:
    """Return 'f5' for 'F5', and 'pass' for 'PA'."""
    move = text.strip().lower()
    return "pass" if move == "pa" else move


def _square(move: str) -> str:
    return "PA" if move == "pass" else move.upper()


def _clock(ms: float) -> str:
    """Return a time in GGF's notation."""
    minutes, rest = divmod(ms / 1000, 60)
    return f"{int(minutes)}:{rest:05.2f}"


def parse_go(text: str, seconds: float, nodes: int | None = None) -> PlayResult[str]:
    """Return the answer in '=== F5/0.5/1.2'. Raises EngineError if it contains no move."""
    move, value, *_ = [*text.removeprefix("===").strip().split("/"), "", ""]
    if not _move(move):
        raise EngineError("illegal move", "=== without a move")
    return PlayResult(_move(move), info=Info(score=_score(value), nodes=nodes), time=seconds)


def parse_hint(line: str) -> Info[str] | None:
    """Return the content of a line 'search F5D6 0.5 0 8' (or 'book ...'), None for other lines.

    If the depth is no number, as in '73%', it is the info's `string`.
    """
    words = line.split()
    if len(words) < 3 or words[0] not in ("search", "book") or (score := _score(words[2])) is None:
        return None
    text = "".join(words[4:5])
    depth = clamped_number(text, 0) if text.isascii() and text.isdecimal() else None
    return Info(depth, score=score, pv=tuple(map(_move, _MOVE.findall(words[1]))), string="" if depth else text)


class NBoardClient(MovesClient):
    """An NBoard engine; see EngineClient. Every violation of the protocol raises EngineError."""

    def __init__(self, command: Command, **settings: Any) -> None:
        super().__init__(command, **settings)
        self._pings = 0
        self._answered = ("", 0.0)  # its last move, and the time that it took
        self._busy = False  # whether an answer may still come to a call that was cancelled

    async def _greet(self) -> None:
        self._depth, self._busy = None, False
        await self.send(f"nboard {VERSION}")
        await self.ping()

    @staticmethod
    def check(limit: Limit) -> None:
        """Raise ValueError if NBoard cannot express a limit."""
        if limit.nodes or limit.mate or limit.level or limit.byoyomi:
            raise InputError("an NBoard engine can have a depth, a main time with an increment, or movetime only")

    @in_turn
    async def play(self, position: BoardLike[Move], limit: Limit) -> PlayResult[Move]:
        """Return the move for an Othello Board, within a depth, a clock, or both."""
        board: Any = position
        await self._follow(board, limit)
        found = await self.go(limit.allowed(board.turn))
        move = self._legal(board, found.move or "")
        self._answered = str(move), found.time
        return PlayResult(move, info=Info(score=found.info.score, nodes=found.info.nodes), time=found.time)

    @overload
    async def analyse(self, position: BoardLike[Move], limit: Limit, *, multipv: None = None) -> Info[Move]: ...

    @overload
    async def analyse(self, position: BoardLike[Move], limit: Limit, *, multipv: int) -> list[Info[Move]]: ...

    @in_turn
    async def analyse(self, position: Any, limit: Limit, *, multipv: int | None = None) -> Any:
        """Return what the engine reports of a Board. With `multipv`, return a list of reports, best move first."""
        await self._follow(position, limit)
        board, seconds = position.copy(), limit.allowed(position.turn) or self.timeout or float("inf")
        lines: dict[Any, Info[Any]] = {}
        for hint in await self.hint(multipv or 1, seconds):
            info = hint.convert(lambda line: legal_line(line, board, board.parse_text))
            if info.pv:
                lines[info.pv[0]] = info
        best = sorted(lines.values(), key=lambda info: info["score"], reverse=True)
        if multipv is not None:
            return best[:multipv]
        return best[0] if best else Info()

    async def _tell(self, board: Any, start: str, moves: list[str], new: list[str] | None, limit: Limit) -> None:
        await self._settle()
        if (depth := self._new_depth(limit, again=new is None)) is not None:
            await self.send(f"set depth {depth}")
        if new is None:
            clock = Clock(increment=1000 * limit.time) if limit.time else limit.clock(board.turn)
            header = f"TI[{_clock(clock.time)}/{_clock(clock.increment)}]" if clock else ""
            first = start.endswith("O")
            made = "".join(f"{'BW'[ply % 2 ^ first]}[{_square(move)}]" for ply, move in enumerate(moves))
            cells = start.replace("X", "*")
            head = f"(;GM[Othello]PC[match]PB[black]PW[white]RE[?]{header}TY[8]"
            await self.send(f"set game {head}BO[8 {cells}]{made};)")
            await self.ping()
        for number, move in enumerate(new or ()):
            answered, seconds = self._answered
            used = f"//{seconds:.2f}" if number == 0 and move == answered else ""
            await self.send(f"move {_square(move)}{used}")

    @in_turn
    async def send(self, line: str) -> float:
        """Send a command that has no answer; return the time (time.monotonic)."""
        await self.start()
        return self.process.send(line)

    async def _line(self, end: float | None) -> tuple[float, str]:
        came, line = await self.process.receive(lambda: end)
        if line.startswith("set myname "):
            self.name = line.removeprefix("set myname ").strip()
        return came, line

    @in_turn
    async def ping(self) -> None:
        """Wait until the engine has processed everything sent; this ends its thinking."""
        self._pings += 1
        end = await self.send(f"ping {self._pings}") + self.ready_timeout
        while (await self._line(end))[1] != f"pong {self._pings}":
            pass
        self._busy = False

    async def _settle(self) -> None:
        """End the search of a call that was cancelled, if there is one."""
        if self._busy:
            await self.ping()

    async def _begin(self, command: str) -> float:
        """Send a command to search, when no other is being answered; return the time."""
        await self._settle()
        while self.running and self.process.waiting():
            if (line := self.process.take()[1]).startswith("==="):
                raise EngineError("second answer", sanitize(line))
        self._busy = True
        return await self.send(command)

    @in_turn
    async def go(self, allowed: float | None = None) -> PlayResult[str]:
        """Return the engine's move, without making it.

        Args:
            allowed: the seconds that the move may take (None for no limit); `timeout` is added to them
        """
        began = await self._begin("go")
        end = None if self.timeout is None else began + (allowed or 0.0) + self.timeout
        nodes: int | None = None
        while True:
            came, line = await self._line(end)
            if line.startswith("nodestats "):
                with contextlib.suppress(ValueError, IndexError):
                    nodes = clamped_number(line.split()[1], 0)
            elif line.startswith("==="):
                self._busy = False
                return parse_go(line, came - began, nodes)

    @in_turn
    async def hint(self, count: int, seconds: float) -> list[Info[str]]:
        """Return the hints about the `count` best moves given within `seconds`, in the order of arrival."""
        await self.ping()
        end = await self._begin(f"hint {count}") + seconds
        found: list[Info[str]] = []
        while time.monotonic() < end:
            try:
                _, line = await self._line(end)
            except EngineError as fault:
                if fault.kind == "no answer":
                    break
                raise
            hint = parse_hint(line)
            if hint is not None:
                found.append(hint)
            elif line == "status":
                break
        await self.ping()
        return found


class SimpleNBoard(PlainClient[NBoardClient]):
    """A synchronous client: NBoardClient's `play` and `analyse`, with the same errors."""

    client_class = NBoardClient

    @overload
    def analyse(self, position: BoardLike[Move], limit: Limit, *, multipv: None = None) -> Info[Move]: ...

    @overload
    def analyse(self, position: BoardLike[Move], limit: Limit, *, multipv: int) -> list[Info[Move]]: ...

    def analyse(self, position: Any, limit: Limit, *, multipv: int | None = None) -> Any:
        """Return what the engine reports of a Board. With `multipv`, return a list of reports, best move first."""
        return run_plainly(self.client.analyse(position, limit, multipv=multipv))
