"""A client for engines that speak the Go Text Protocol, asynchronous (`GtpClient`) and synchronous (`SimpleGtp`).

    with SimpleGtp("shogi-engine gtp") as engine:
        engine.new_game()
        engine.play("black", "F5")
        print(engine.genmove("white"))

Protocol: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2".
"""

from typing import Any

from shogi_engine.clients.base import Command, EngineClient, EngineError, PlainClient, attribute, plain
from shogi_engine.common.text import sanitize


class GtpClient(EngineClient):
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
        self.commands = frozenset((await self.command("list_commands")).split())
        self.name = await self.command("name")
        self.version = await self.command("version")

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

    async def new_game(self, size: int = 8) -> None:
        """Begin a game: boardsize and clear_board."""
        await self.command(f"boardsize {size}")
        await self.command("clear_board")

    async def play(self, colour: str, move: str) -> None:
        """Make a move of either side."""
        await self.command(f"play {colour} {move}")

    async def time_settings(self, main: float, byoyomi: float = 0.0, stones: int = 0) -> None:
        """Send the time control in seconds; the protocol allows only whole seconds."""
        await self.command(f"time_settings {round(main)} {round(byoyomi)} {stones}")

    async def time_left(self, colour: str, seconds: float, stones: int = 0) -> None:
        """Send a side's clock."""
        await self.command(f"time_left {colour} {round(seconds)} {stones}")

    async def genmove(self, colour: str, allowed: float | None = None) -> str:
        """Let the engine make a move for a side and return it: a vertex, 'pass' or 'resign', in lower case.

        Args:
            allowed: the seconds that the move may take (None for no limit); `timeout` is added to them
        """
        seconds = float("inf") if self.timeout is None else (allowed or 0.0) + self.timeout
        return (await self.command(f"genmove {colour}", seconds)).lower()


class SimpleGtp(PlainClient[GtpClient]):
    """A synchronous client: GtpClient's calls and attributes, with the same names and errors."""

    client_class = GtpClient

    commands: frozenset[str] = attribute("commands")
    time: float = attribute("time")

    command = plain(GtpClient.command)
    new_game = plain(GtpClient.new_game)
    play = plain(GtpClient.play)
    time_settings = plain(GtpClient.time_settings)
    time_left = plain(GtpClient.time_left)
    genmove = plain(GtpClient.genmove)
