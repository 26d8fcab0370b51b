"""Searches by a USI engine: their positions and limits in USI's words, their infos and their results."""

import asyncio
import functools
import time
from collections.abc import Iterable
from itertools import takewhile
from typing import Any, Generic, Self

from shogi_engine.clients.base.errors import EngineError
from shogi_engine.clients.base.process import EngineProcess
from shogi_engine.clients.usi.lines import first_word, is_move, parse_info
from shogi_engine.common.lines import legal_line
from shogi_engine.language import InputError
from shogi_engine.types.arguments import check_board, move_texts
from shogi_engine.types.info import BoardLike, Info, Move, Moves, PlayResult
from shogi_engine.types.limit import Limit, check_limit

START = "startpos"
RULES = "shogi_engine.games.shogi.board"  # the module by which texts are checked
Position = str | BoardLike[Move]  # a str is USI's command, with or without the word `position`


def position_command(position: Position[Any]) -> str:
    """Return USI's `position` command for a Board, 'startpos moves 7g7f', 'sfen ...' or a bare SFEN.

    Raises ValueError for a text that is no position or has an illegal move (an engine would continue with the position
    before), and TypeError for anything else, such as a Board of Othello.
    """
    if isinstance(position, str):
        text = " ".join(position.split()).removeprefix("position").strip()
        if text != START:
            _check(text)
        return f"position {text if text.startswith((START, 'sfen')) else f'sfen {text}'}"
    check_board(position, "sfen")
    board: Any = position
    sfen = board.root().sfen()
    moves = " ".join(move.usi() for move in board.move_stack)
    start = START if sfen == type(board)().sfen() else f"sfen {sfen}"
    return f"position {start}" + (f" moves {moves}" if moves else "")


@functools.lru_cache(maxsize=8)
def _check(text: str) -> None:
    """Raise ValueError unless a text is a position; one that was checked is remembered."""
    _board(text)


def _board(text: str) -> Any:
    from shogi_engine.games.shogi.board import Board  # loads numba

    return Board(text)


def searched_moves(position: Position[Any], moves: Moves) -> list[str]:
    """Return the words of `go` that restrict the search to some moves. Raises ValueError if one is illegal."""
    texts = move_texts(moves)
    board: Any = _board(position) if texts and isinstance(position, str) else position
    return ["searchmoves", *(str(board.parse_usi(text)) for text in texts)] if texts else []


def board_of(position: Any) -> Any:
    """Return a board of its own for a position, None for a position in text."""
    return None if isinstance(position, str) else position.copy()


def legal_moves(moves: Iterable[str], board: Any) -> tuple[Any, ...]:
    """Return the Moves of a line up to the first illegal one; without a board, the texts up to the first non-move."""
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
    check_limit(limit)
    if limit.mate is not None or limit.level is not None:
        raise InputError("a USI engine cannot be limited by `mate` or `level`")
    words = [clock_words(limit), "" if limit.time is None else f"movetime {_ms(limit.time)}"]
    words += [f"{name} {value}" for name in ("nodes", "depth") if (value := getattr(limit, name))]
    return " ".join(filter(None, words))


def _ms(seconds: float) -> int:
    """Return whole milliseconds, rounded down so that no engine is promised more than it has."""
    return int(round(1000 * seconds, 3))


class Search(Generic[Move]):
    """A running search: `async for info in search`, `await search.wait()`, `await search.stop()`.

    It ends when its limit is reached; leaving `async with` ends it in any case.

    Attributes:
        board: the position, to check moves against; None for a position in text
    """

    def __init__(
        self,
        process: EngineProcess,
        position: Position[Move],
        timeout: float | None,
        answers: tuple[str, ...] = ("bestmove",),
    ) -> None:
        """Follow a search that has just been requested; it has no limit of time until `hit`."""
        self._process, self._timeout, self._answers = process, timeout, answers
        self._reading = asyncio.Lock()  # several tasks may follow it
        self.board = board_of(position)
        self._answer: tuple[float, list[str]] | None = None  # the time of arrival, and the words
        self._lines: dict[int, Info[Move]] = {}
        self._began = time.monotonic()
        self._end: float | None = None

    @property
    def info(self) -> Info[Move]:
        """What the engine has reported on the best move; the latest of each item."""
        return self._lines.get(1, Info())

    @property
    def multipv(self) -> list[Info[Move]]:
        """What it has reported on each of the best moves, best first."""
        return [info for _, info in sorted(self._lines.items()) if info.pv]

    @property
    def done(self) -> bool:
        """Whether the bestmove has been read."""
        return self._answer is not None

    def __repr__(self) -> str:
        return f"<Search {'done' if self.done else 'running'}: {self.info}>"

    def place(self, position: Position[Move]) -> None:
        """Check the moves on `position` from now on, which is the one searched, as a Board or as text."""
        self.board = board_of(position)
        self._lines = {number: self._legal(info) for number, info in self._lines.items()}

    def _legal(self, info: Info[Any]) -> Info[Move]:
        return info.convert(lambda moves: legal_moves(map(str, moves), self.board))

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

    async def next_info(self) -> Info[Move] | None:
        """Return the next info; None once the bestmove has come. Raises EngineError."""
        async with self._reading:
            while self._answer is None:
                received, line = await self._process.receive(lambda: self._end)
                if first_word(line) == "info":
                    return self._report(line)
                if first_word(line) in self._answers:
                    self._answer = received, line.split()
        return None

    def _report(self, line: str) -> Info[Move]:
        info = self._legal(parse_info(line))
        number = info.multipv or 1
        self._lines[number] = self._lines.get(number, Info()).updated(info)
        return info

    async def wait(self) -> PlayResult[Move]:
        """Wait for the bestmove and return it. Raises EngineError, also if the move is illegal on a Board."""
        received, (_, *words) = await self.answer()
        text, seconds = "".join(words[:1]), received - self._began
        if text in ("resign", "win"):
            return PlayResult(info=self.info, resigned=text == "resign", declares=text == "win", time=seconds)
        move: Any = text or None
        if self.board is not None:
            try:
                move = self.board.parse_usi(text)
            except ValueError as fault:
                raise EngineError("illegal move", str(fault)) from None
        line = legal_moves((text, *words[2:3]), self.board) if words[1:2] == ["ponder"] else ()
        return PlayResult(move, line[1] if len(line) > 1 else None, self.info, time=seconds)

    async def answer(self) -> tuple[float, list[str]]:
        """Wait for the engine's answer; return when it came (time.monotonic), and its words. Raises EngineError."""
        await self.finished()
        assert self._answer is not None
        return self._answer

    async def finished(self) -> None:
        """Wait for the bestmove. Raises EngineError."""
        while await self.next_info() is not None:
            pass

    async def end(self) -> None:
        """Stop, and wait for the bestmove."""
        await self.stop()
        await self.finished()

    def refuse_answer(self) -> None:
        """Raise EngineError if the engine has already answered although the pondered move was not played yet."""
        while self._process.waiting():
            _, line = self._process.take()
            if first_word(line) == "bestmove":
                raise EngineError("second answer", line)
            if first_word(line) == "info":
                self._report(line)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Info[Move]:
        info = await self.next_info()
        if info is None:
            raise StopAsyncIteration
        return info

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: Any, *_: Any) -> None:
        if kind is None or not issubclass(kind, EngineError):
            await self.end()
