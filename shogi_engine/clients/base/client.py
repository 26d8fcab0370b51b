"""The base of every protocol's client: a process that is started when needed, initialised, and ended."""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, Self, TypeVar

from shogi_engine.clients.base.errors import EngineError
from shogi_engine.clients.base.plain import attribute, plain, run_plainly
from shogi_engine.clients.base.process import EngineProcess, Log
from shogi_engine.clients.base.turns import Turn, in_turn
from shogi_engine.types.arguments import check_board, check_names, keyword_names
from shogi_engine.types.info import BoardLike, Move, PlayResult
from shogi_engine.types.limit import Limit, check_limit

TIMEOUT = 60.0
READY_TIMEOUT = 600.0
Command = str | Sequence[str]


class EngineClient(ABC):
    """An engine. Its process is started by `start` or the first call that needs it, again after `close` or its death.

    Of two calls at once, in two tasks, the second waits until the first is answered; only `close` does not wait.

    Attributes:
        timeout: the timeout for a move in seconds, beyond the time that it may take; None to wait forever
        ready_timeout: the timeout for other answers, in seconds
        log: called with '>' (sent) or '<' (received) and the line, for every line
        name: the name that the engine reports; its command until then
    """

    def __init__(
        self,
        command: Command,
        *,
        cwd: str | os.PathLike[str] | None = None,
        timeout: float | None = TIMEOUT,
        ready_timeout: float = READY_TIMEOUT,
        log: Log | None = None,
        **unknown: object,
    ) -> None:
        if unknown:
            check_names(type(self).__name__, unknown, keyword_names(type(self), EngineClient))
        self.engine_command, self.timeout, self.ready_timeout = command, timeout, ready_timeout
        self.name = command if isinstance(command, str) else " ".join(command)
        self._cwd, self._line_log = cwd, log
        self._process: EngineProcess | None = None
        self._greeting = False
        self.turn = Turn()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}, {'running' if self.running else 'not running'}>"

    @abstractmethod
    async def _greet(self) -> None:
        """Initialise a newly started process; receive its name, for example."""

    @staticmethod
    @abstractmethod
    def check(limit: Limit) -> None:
        """Raise ValueError if the protocol cannot express a limit."""

    @abstractmethod
    async def new_game(self) -> None:
        """Prepare for a game."""

    @abstractmethod
    async def play(self, position: BoardLike[Move], limit: Limit) -> PlayResult[Move]:
        """Return the move for a Board. Raises EngineError if it is illegal, ValueError for a limit as in `check`."""

    @property
    def running(self) -> bool:
        """Whether there is a process that has not ended."""
        return self._process is not None and self._process.alive

    @property
    def pid(self) -> int | None:
        """The process ID, None without a process."""
        return None if self._process is None else self._process.pid

    @property
    def process(self) -> EngineProcess:
        """The process. Raises EngineError if there is none."""
        if self._process is None:
            raise EngineError("crash", "it has not been started")
        return self._process

    @in_turn
    async def start(self) -> None:
        """Start and initialise the process if none is running. Raises EngineError, ValueError."""
        if self.running or self._greeting:
            return
        await self.close()
        self._process = await EngineProcess.start(self.engine_command, cwd=self._cwd, log=self._line_log)
        self._greeting = True
        try:
            await self._greet()
        except BaseException:
            await self.close()
            raise
        finally:
            self._greeting = False

    async def close(self) -> None:
        """End the process: tell it to quit, and kill it if it does not."""
        process, self._process = self._process, None
        if process is not None:
            await process.close("quit")

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class MovesClient(EngineClient):
    """A client whose engine keeps an Othello game, and is told its moves one by one."""

    def __init__(self, command: Command, **settings: Any) -> None:
        super().__init__(command, **settings)
        self._told: tuple[str, list[str]] | None = None  # the game that the engine has: its start and moves

    @in_turn
    async def new_game(self) -> None:
        """Prepare for a game."""
        await self.start()
        self._told = None

    async def close(self) -> None:
        """End the process: tell it to quit, and kill it if it does not."""
        self._told = None
        await super().close()

    @abstractmethod
    async def _tell(self, board: Any, start: str, moves: list[str], new: list[str] | None, limit: Limit) -> None:
        """Tell the engine the `new` moves of a game, or all of it if `new` is None."""

    async def _follow(self, board: Any, limit: Limit) -> None:
        """Let the engine have a Board's game."""
        check_board(board, "obf")
        check_limit(limit)
        self.check(limit)
        await self.start()
        start, moves = board.root().obf(), [str(move) for move in board.move_stack]
        known = None if self._told is None or self._told[0] != start else self._told[1]
        follows = known is not None and moves[: len(known)] == known
        self._told = None  # unless all of it is told
        await self._tell(board, start, moves, moves[len(known or ()) :] if follows else None, limit)
        self._told = start, moves

    def _legal(self, board: Any, move: str) -> Any:
        """Return an engine's move as the Board's. Raises EngineError; what game the engine has is unknown then."""
        try:
            return board.parse_text(move)
        except ValueError as fault:
            self._told = None
            raise EngineError("illegal move", str(fault)) from None


Client = TypeVar("Client", bound=EngineClient)


class PlainClient(Generic[Client]):
    """The synchronous version of a client: the same attributes, and calls that wait, with the same errors."""

    client_class: type[Client]

    def __init__(self, command: Command, **settings: Any) -> None:
        self.client: Client = self.client_class(command, **settings)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}, {'running' if self.running else 'not running'}>"

    name: str = attribute("name")
    running: bool = attribute("running")
    pid: int | None = attribute("pid")

    start = plain(EngineClient.start)
    close = plain(EngineClient.close)
    new_game = plain(EngineClient.new_game)

    def check(self, limit: Limit) -> None:
        """Raise ValueError if the protocol cannot express a limit."""
        self.client.check(limit)

    def play(self, position: BoardLike[Move], limit: Limit) -> PlayResult[Move]:
        """Return the move for a Board."""
        return run_plainly(self.client.play(position, limit))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
