"""A client for Othello engines that speak NBoard, asynchronous (`NBoardClient`) and synchronous (`SimpleNBoard`).

    with SimpleNBoard.popen_nboard("shogi-engine nboard") as engine:
        engine.set_depth(8)
        engine.set_game("(;GM[Othello]PC[]PB[]PW[]RE[?]TI[1:00]TY[8]BO[8 ... *]B[F5];)")
        print(engine.go().move)

Protocol: C. Welty, "NBoard Protocol", in the NBoard package, http://www.orbanova.com/nboard.
"""

import contextlib
import time
from dataclasses import dataclass
from typing import Any, Self

from shogi_engine.clients.base import Command, EngineClient, EngineError, PlainClient, plain
from shogi_engine.common.text import clamped_number
from shogi_engine.types.score import limited_discs

VERSION = 2


@dataclass(frozen=True)
class Go:
    """An answer to `go`.

    Attributes:
        move: 'f5' or 'pass'
        value: in discs for the mover, None if unknown
        nodes: the number of nodes, if the engine gave it
    """

    move: str
    value: float | None
    milliseconds: float
    nodes: int = 0


@dataclass(frozen=True)
class Hint:
    """A line of an analysis.

    Attributes:
        moves: the moves as the engine wrote them, 'F5D6'
        value: in discs for the side to move
        depth: the depth as the engine wrote it
    """

    moves: str
    value: float
    depth: str


def _value(text: str) -> float | None:
    try:
        return limited_discs(text)
    except ValueError:
        return None


def parse_go(text: str, milliseconds: float, nodes: int = 0) -> Go:
    """Return the answer in '=== F5/0.5/1.2'. Raises EngineError if it contains no move."""
    move, value, *_ = [*text.removeprefix("===").strip().split("/"), "", ""]
    name = move.strip().lower()
    if not name:
        raise EngineError("illegal move", "=== without a move")
    return Go("pass" if name in ("pa", "pass") else name, _value(value), milliseconds, nodes)


def parse_hint(line: str) -> Hint | None:
    """Return the content of a line 'search F5D6 0.5 0 8' (or 'book ...'), None for other lines."""
    words = line.split()
    if len(words) < 3 or words[0] not in ("search", "book") or (value := _value(words[2])) is None:
        return None
    return Hint(words[1], value, words[4] if len(words) > 4 else "")


class NBoardClient(EngineClient):
    """An NBoard engine; see EngineClient. Every violation of the protocol raises EngineError."""

    def __init__(self, command: Command, **settings: Any) -> None:
        super().__init__(command, **settings)
        self._pings = 0

    async def _greet(self) -> None:
        await self.send(f"nboard {VERSION}")
        await self.ping()

    async def send(self, line: str) -> float:
        """Send a command that has no answer; return the time (time.monotonic)."""
        await self.start()
        return self.process.send(line)

    async def _line(self, end: float | None) -> tuple[float, str]:
        came, line = await self.process.receive(lambda: end)
        if line.startswith("set myname "):
            self.name = line.removeprefix("set myname ").strip()
        return came, line

    async def ping(self) -> None:
        """Wait until the engine has processed everything sent; this ends its thinking."""
        self._pings += 1
        end = await self.send(f"ping {self._pings}") + self.ready_timeout
        while (await self._line(end))[1] != f"pong {self._pings}":
            pass

    async def set_depth(self, depth: int) -> None:
        """Set the level."""
        await self.send(f"set depth {depth}")

    async def set_game(self, ggf: str) -> None:
        """Set the game, its clock and its moves, as one line of GGF."""
        await self.send(f"set game {ggf}")

    async def move(self, move: str, value: str = "", seconds: str = "") -> None:
        """Make a move of either side."""
        name = "PA" if move == "pass" else move.upper()
        await self.send(f"move {name}/{value}/{seconds}".rstrip("/"))

    async def go(self, allowed: float | None = None) -> Go:
        """Return the engine's move, without making it.

        Args:
            allowed: the ms that the move may take (None for no limit); the timeout is longer by `timeout`
        """
        began = await self.send("go")
        end = None if self.timeout is None else began + (allowed or 0.0) / 1000 + self.timeout
        nodes = 0
        while True:
            came, line = await self._line(end)
            if line.startswith("nodestats "):
                with contextlib.suppress(ValueError, IndexError):
                    nodes = clamped_number(line.split()[1], 0)
            elif line.startswith("==="):
                return parse_go(line, (came - began) * 1000, nodes)

    async def hint(self, count: int, seconds: float) -> list[Hint]:
        """Return the hints about the `count` best moves given within `seconds`, in the order of arrival."""
        await self.ping()
        end = await self.send(f"hint {count}") + seconds
        found: list[Hint] = []
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
    """A synchronous client: NBoardClient's calls, with the same names and errors."""

    def __init__(self, command: Command, **settings: Any) -> None:
        super().__init__(NBoardClient(command, **settings))

    @classmethod
    def popen_nboard(cls, command: Command, **settings: Any) -> Self:
        """Return a started engine."""
        return cls._started(command, **settings)

    send = plain(NBoardClient.send)
    ping = plain(NBoardClient.ping)
    set_depth = plain(NBoardClient.set_depth)
    set_game = plain(NBoardClient.set_game)
    move = plain(NBoardClient.move)
    go = plain(NBoardClient.go)
    hint = plain(NBoardClient.hint)
