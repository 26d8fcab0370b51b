"""Searches by a USI engine: their limits, their infos and their results."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, Protocol, Self

from shogi_engine.clients.base.errors import EngineError
from shogi_engine.clients.base.process import EngineProcess
from shogi_engine.clients.usi.lines import Info, first_word, is_move, parse_info
from shogi_engine.common.lines import legal_line
from shogi_engine.types.limit import Limit
from shogi_engine.types.score import Score


class BoardLike(Protocol):
    """A Board of this package, or anything with the same methods."""

    @property
    def move_stack(self) -> Iterable[Any]:
        """The moves made, each with a method `usi`."""

    def root(self) -> Any:
        """Return the board without the moves made."""

    def sfen(self) -> str:
        """Return the position; on a new board, that of the game's start."""

    def parse_usi(self, text: str) -> Any:
        """Return the legal move; raises ValueError."""

    def copy(self) -> Any:
        """Return a copy, with `push` and `pop`."""


Position = str | BoardLike  # a str is USI's command, with or without the word `position`


def position_command(position: Position) -> str:
    """Return USI's `position` command for a Board, 'startpos moves 7g7f', 'sfen ...' or a bare SFEN."""
    if isinstance(position, str):
        text = position.removeprefix("position").strip()
        return f"position {text if text.startswith(('startpos', 'sfen')) else f'sfen {text}'}"
    sfen = position.root().sfen()
    moves = " ".join(move.usi() for move in position.move_stack)
    start = "startpos" if sfen == type(position)().sfen() else f"sfen {sfen}"
    return f"position {start}" + (f" moves {moves}" if moves else "")


def board_of(position: Position) -> Any:
    """Return a board of its own for a position, None for a position in text."""
    return None if isinstance(position, str) else position.copy()


def legal_moves(moves: Iterable[str], board: Any) -> tuple[str, ...]:
    """Return the moves of a line up to the first one that is illegal on `board`, or without a board no move at all."""
    if board is None:
        return tuple(takewhile(is_move, moves))
    return legal_line(moves, board, board.parse_usi)


def side_to_move(command: str) -> int:
    """Return 0 (black) or 1 (white) for a `position` command."""
    start, _, moves = command.partition(" moves ")
    words = start.split()
    return (len(moves.split()) + (words[1:2] == ["sfen"] and words[3:4] == ["w"])) % 2


CLOCK_WORDS = {
    "black_clock": "btime", "white_clock": "wtime", "black_inc": "binc", "white_inc": "winc", "byoyomi": "byoyomi"
}  # fmt: skip


def clock_words(limit: Limit) -> str:
    """Return the clock's part of the `go` command, in ms; '' without a clock."""
    values = [(word, getattr(limit, name)) for name, word in CLOCK_WORDS.items()]
    return " ".join(f"{word} {_ms(value)}" for word, value in values if value is not None)


def go_words(limit: Limit) -> str:
    """Return the arguments of `go`, '' for a search without limits. Raises ValueError for limits that USI lacks."""
    if limit.mate is not None or limit.level is not None:
        raise ValueError("a USI engine cannot be limited by `mate` or `level`")
    words = [clock_words(limit), "" if limit.time is None else f"movetime {_ms(limit.time)}"]
    words += [f"{name} {value}" for name in ("nodes", "depth") if (value := getattr(limit, name))]
    return " ".join(filter(None, words))


def _ms(seconds: float) -> int:
    """Return whole milliseconds, rounded down so that no engine is promised more than it has."""
    return int(round(1000 * seconds, 3))


@dataclass
class PlayResult:
    """A bestmove and the infos before it.

    Attributes:
        move: the move in USI notation, 'resign' or 'win' (a declaration); '' if the engine gave none
        ponder: the expected reply, None if the engine gave none or an illegal one
        milliseconds: the time from `go` or `ponderhit` to the bestmove
        infos: all infos, in order
    """

    move: str = ""
    ponder: str | None = None
    milliseconds: float = 0.0
    infos: list[Info] = field(default_factory=list)

    def last(self, name: str) -> Any:
        """Return the field `name` of the last info of the best move that has one, else None."""
        values = (getattr(info, name) for info in reversed(self.infos) if info.multipv in (None, 1))
        return next((value for value in values if value not in (None, (), "")), None)

    @property
    def score(self) -> Score | None:
        """The last score of the best move."""
        score: Score | None = self.last("score")
        return score

    @property
    def lines(self) -> list[Info]:
        """The last info with a line of moves for each of the requested best moves, best first."""
        return latest_lines(self.infos)


@dataclass(frozen=True)
class MateResult:
    """The answer to `go mate`.

    Attributes:
        status: 'mate', 'nomate', 'timeout' or 'notimplemented'
        moves: the moves of the mate
    """

    status: str
    moves: tuple[str, ...] = ()
    milliseconds: float = 0.0


def latest_lines(infos: Iterable[Info]) -> list[Info]:
    """Return the last info with a line of moves for each multipv, by its number."""
    found = {info.multipv or 1: info for info in infos if info.pv}
    return [found[number] for number in sorted(found)]


class Search:
    """A running search: `async for info in search`, `await search.result()`, `await search.stop()`.

    It ends when its limit is reached; leaving `async with` ends it in any case.

    Attributes:
        infos: all infos so far
        board: the position, to check moves against; None for a position in text
    """

    def __init__(self, process: EngineProcess, position: Position, timeout: float | None) -> None:
        """Follow a search that has just been requested; it has no limit of time until `hit`."""
        self._process, self._timeout = process, timeout
        self.board = board_of(position)
        self._answer: PlayResult | None = None
        self.infos: list[Info] = []
        self._began = time.monotonic()
        self._end: float | None = None

    @property
    def done(self) -> bool:
        """Whether the bestmove has been read."""
        return self._answer is not None

    def hit(self, began: float, allowed: float | None) -> None:
        """Count from `began`, when the search or the pondered move was requested; `allowed` seconds may pass."""
        self._began = began
        self._end = None if self._timeout is None else began + (allowed or 0.0) + self._timeout

    async def stop(self) -> None:
        """Tell the engine to end the search; read its result afterwards."""
        if not self.done:
            self._process.send("stop")
            self._end = None if self._timeout is None else time.monotonic() + self._timeout
            self._process.wake()

    async def next_info(self) -> Info | None:
        """Return the next info; None once the bestmove has come. Raises EngineError."""
        while self._answer is None:
            received, line = await self._process.receive(lambda: self._end)
            if first_word(line) == "info":
                self.infos.append(self._info(line))
                return self.infos[-1]
            if first_word(line) == "bestmove":
                words = line.split()
                move = words[1] if len(words) > 1 else ""
                line_after = legal_moves((move, *words[3:4]), self.board) if words[2:3] == ["ponder"] else ()
                ponder = line_after[1] if len(line_after) > 1 else None
                self._answer = PlayResult(move, ponder, (received - self._began) * 1000, self.infos)
        return None

    def _info(self, line: str) -> Info:
        info = parse_info(line)
        return replace(info, pv=legal_moves(info.pv, self.board)) if info.pv else info

    async def result(self) -> PlayResult:
        """Wait for the bestmove and return it with all infos. Raises EngineError."""
        while await self.next_info() is not None:
            pass
        assert self._answer is not None
        return self._answer

    async def end(self) -> None:
        """Stop, and wait for the bestmove."""
        await self.stop()
        await self.result()

    def lines(self) -> list[Info]:
        """Return the last info of each of the best moves so far, best first."""
        return latest_lines(self.infos)

    def refuse_answer(self) -> None:
        """Raise EngineError if the engine has already answered although the pondered move was not played yet."""
        while self._process.waiting():
            _, line = self._process.take()
            if first_word(line) == "bestmove":
                raise EngineError("second answer", line)
            if first_word(line) == "info":
                self.infos.append(self._info(line))

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Info:
        info = await self.next_info()
        if info is None:
            raise StopAsyncIteration
        return info

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: Any, *_: Any) -> None:
        if kind is None or not issubclass(kind, EngineError):
            await self.end()
