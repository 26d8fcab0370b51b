"""Any engine that speaks the Go Text Protocol as an object, asynchronous (`GtpClient`) and plain (`SimpleGtp`).

    with SimpleGtp.popen_gtp("shogi-engine gtp") as engine:
        engine.new_game()
        engine.play("black", "F5")
        print(engine.genmove("white"))

Protocol: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2".
"""

import os
from collections.abc import Sequence
from typing import Any, Self

from shogi_engine.engine_client import EngineError, EngineProcess, Log, run_plainly
from shogi_engine.text import sanitize

PATIENCE = 60.0
COLOURS = ("black", "white")


class GtpClient:
    """One engine, its process started by `start` or the first command, and again after `close`.

    Whatever breaks the protocol raises EngineError; a command that the engine refuses, one of kind 'refusal'.

    patience : seconds over a move's time until its answer is missing    ready_patience : for other commands
    name, version : as the engine tells them    commands : those it lists
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        cwd: str | os.PathLike[str] | None = None,
        patience: float | None = PATIENCE,
        ready_patience: float = 600.0,
        log: Log | None = None,
    ) -> None:
        self.engine_command, self.patience, self.ready_patience = command, patience, ready_patience
        self.name = command if isinstance(command, str) else " ".join(command)
        self.version = ""
        self.commands: frozenset[str] = frozenset()
        self.milliseconds = 0.0  # that the last command took
        self._cwd, self._log = cwd, log
        self._process: EngineProcess | None = None
        self._number = 0

    @property
    def running(self) -> bool:
        """Whether there is a process."""
        return self._process is not None

    async def start(self) -> None:
        """Start the process, if there is none, and ask who it is."""
        if self._process is not None:
            return
        self._process = await EngineProcess.start(self.engine_command, cwd=self._cwd, log=self._log)
        try:
            self.commands = frozenset((await self.command("list_commands")).split())
            self.name = await self.command("name")
            self.version = await self.command("version")
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            await process.close("quit")

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def command(self, text: str, seconds: float | None = None) -> str:
        """Send a command and return what is answered, without the status.

        seconds : until the answer is missing; None: ready_patience. What was written before, answers to nothing asked
        among it, is skipped.
        """
        await self.start()
        assert self._process is not None
        process = self._process
        self._number += 1
        began = process.send(f"{self._number} {text}")
        end = began + (self.ready_patience if seconds is None else seconds)
        answer: list[str] = []
        while True:
            came, line = await process.receive(lambda: end)
            if not answer and not line.startswith((f"={self._number}", f"?{self._number}")):
                continue
            if not line and answer:
                break
            self.milliseconds = (came - began) * 1000
            answer.append(line)
        status, rest = answer[0][0], answer[0][1 + len(str(self._number)) :]
        said = "\n".join([rest.strip(), *answer[1:]]).strip()
        if status == "?":
            raise EngineError("refusal", f"{text}: {sanitize(said)}")
        return said

    async def new_game(self, size: int = 8) -> None:
        """Begin a game: boardsize and clear_board."""
        await self.command(f"boardsize {size}")
        await self.command("clear_board")

    async def play(self, colour: str, move: str) -> None:
        """Make a move of either side."""
        await self.command(f"play {colour} {move}")

    async def time_settings(self, main: float, byoyomi: float = 0.0, stones: int = 0) -> None:
        """Tell the time control, seconds; the protocol has whole ones."""
        await self.command(f"time_settings {round(main)} {round(byoyomi)} {stones}")

    async def time_left(self, colour: str, seconds: float, stones: int = 0) -> None:
        """Tell a side's clock."""
        await self.command(f"time_left {colour} {round(seconds)} {stones}")

    async def genmove(self, colour: str, allowed: float | None = None) -> str:
        """Return the engine's move for a side, which it has made then: a vertex, 'pass' or 'resign', in lower case.

        allowed : ms it may take, which `patience` counts from.
        """
        seconds = float("inf") if self.patience is None else (allowed or 0.0) / 1000 + self.patience
        return (await self.command(f"genmove {colour}", seconds)).lower()


class SimpleGtp:
    """A GTP engine whose calls wait: what GtpClient has, under the same names and with the same errors."""

    def __init__(self, command: str | Sequence[str], **settings: Any) -> None:
        self.client = GtpClient(command, **settings)

    @classmethod
    def popen_gtp(cls, command: str | Sequence[str], **settings: Any) -> Self:
        """Return an engine that has been started."""
        engine = cls(command, **settings)
        engine.start()
        return engine

    @property
    def name(self) -> str:
        """The engine's name; the command until it has told one."""
        return self.client.name

    @property
    def commands(self) -> frozenset[str]:
        """The commands that the engine lists."""
        return self.client.commands

    @property
    def running(self) -> bool:
        """Whether there is a process."""
        return self.client.running

    @property
    def milliseconds(self) -> float:
        """How long the last command took."""
        return self.client.milliseconds

    def start(self) -> None:
        """Start the process, if there is none, and ask who it is."""
        run_plainly(self.client.start())

    def close(self) -> None:
        """End the process."""
        run_plainly(self.client.close())

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def command(self, text: str, seconds: float | None = None) -> str:
        """Send a command and return what is answered; see GtpClient.command."""
        return run_plainly(self.client.command(text, seconds))

    def new_game(self, size: int = 8) -> None:
        """Begin a game."""
        run_plainly(self.client.new_game(size))

    def play(self, colour: str, move: str) -> None:
        """Make a move of either side."""
        run_plainly(self.client.play(colour, move))

    def time_settings(self, main: float, byoyomi: float = 0.0, stones: int = 0) -> None:
        """Tell the time control, seconds."""
        run_plainly(self.client.time_settings(main, byoyomi, stones))

    def time_left(self, colour: str, seconds: float, stones: int = 0) -> None:
        """Tell a side's clock."""
        run_plainly(self.client.time_left(colour, seconds, stones))

    def genmove(self, colour: str, allowed: float | None = None) -> str:
        """Return the engine's move for a side; see GtpClient.genmove."""
        return run_plainly(self.client.genmove(colour, allowed))
