"""A client for USI engines in the style of python-chess: asynchronous (`UsiClient`) and synchronous (`SimpleEngine`).

    with SimpleEngine.popen_usi("shogi-usi", {"Threads": 2}) as engine:
        print(engine.play("startpos moves 7g7f", Limit(time=0.5)).move)
        with engine.analysis("startpos") as search:
            for info in search:
                print(info.depth, info.score, info.pv)
                if info.depth == 12:
                    break

Nothing here loads numba before a position is given as text other than 'startpos'. Protocol: http://shogidokoro.starfree.jp/usi.html
"""

import asyncio
import contextlib
import functools
import logging
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from types import MappingProxyType
from typing import Any, Generic, Self, overload

from shogi_engine.clients import base
from shogi_engine.clients.base import FAULTS, EngineError, run_plainly
from shogi_engine.common.text import NUMBER_MAX, clamped_number, legal_line, sanitize
from shogi_engine.language import InputError
from shogi_engine.types.limits import Limit, check_board, check_limit, check_number, listed
from shogi_engine.types.results import BoardLike, ForcedWin, Info, Move, Moves, PlayResult, Score

# ---- Lines from USI engines: options and infos. Unreadable parts are skipped without an error, and numbers are limited


BOUNDS = {"lowerbound": "lower", "upperbound": "upper"}
IMPLIED = ("USI_Hash", "USI_Ponder")  # options that every engine has, listed or not

Value = str | int | bool | None  # an option's value; None presses a button
Options = tuple[tuple[str, Value], ...]  # in the order of sending

_OPTION = re.compile(r"option\s+name\s+(?P<name>.+?)\s+type\s+(?P<type>\S+)(?P<rest>.*)")
_WITH_OPTIONS = re.compile(r"(.+?):([A-Za-z_][\w ]*=.*)")
_PART = re.compile(r"\s(default|min|max|var)(?=\s|$)")
_MOVE = re.compile(r"[1-9][a-i][1-9][a-i]\+?|[PLNSGBR]\*[1-9][a-i]", re.ASCII)
_NUMBERS = {"time": NUMBER_MAX, "nodes": NUMBER_MAX, "nps": NUMBER_MAX, "hashfull": 1000}  # with the highest values
_NUMBERS |= dict.fromkeys(("depth", "seldepth", "multipv", "currmovenumber"), 9999)


@dataclass(frozen=True)
class Option:
    """An option as listed by the engine.

    Attributes:
        type: check, spin, combo, button, string or filename
        var: the choices of a combo
    """

    name: str
    type: str
    default: str = ""
    min: int | None = None
    max: int | None = None
    var: tuple[str, ...] = ()

    def text(self, value: Value) -> str | None:
        """Return a value as it is sent, None for a button. Raises ValueError if the option cannot have it."""
        if self.type == "button":
            if value is not None:
                raise InputError("option {0} is a button and has no value", self.name)
            return None
        text = plain_text(value)
        if text is None:
            raise InputError("option {0} needs a value", self.name)
        if self.type == "check" and text not in ("true", "false"):
            raise InputError("option {0} must be true or false, not {1!r}", self.name, sanitize(text))
        if self.type == "combo" and self.var and text not in self.var:
            raise InputError("option {0} must be one of {1}, not {2!r}", self.name, ", ".join(self.var), sanitize(text))
        if self.type == "spin":
            number = clamped_number(text)
            if (self.min is not None and number < self.min) or (self.max is not None and number > self.max):
                raise InputError("option {0} must be {1} to {2}, not {3}", self.name, self.min, self.max, number)
        return text


def is_move(text: str) -> bool:
    """Tell whether a word is a move: '7g7f', '8h2b+', 'P*5e'; not 'resign', '(none)', 'rep_draw' ..."""
    return _MOVE.fullmatch(text) is not None


def first_word(line: str) -> str:
    """Return the command of a line."""
    return line.split(maxsplit=1)[0] if line else ""


def plain_text(value: Value) -> str | None:
    """Return an option's value as text; None stays None."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def parse_option(line: str) -> Option | None:
    """Return the option of a line 'option name ...', None for other lines."""
    found = _OPTION.match(line)
    if not found:
        return None
    _, *parts = _PART.split(" " + found["rest"].strip()) if found["rest"].strip() else [""]
    fields: dict[str, str] = {}
    var = []
    for key, text in zip(parts[::2], parts[1::2], strict=True):
        if key == "var":
            var.append(text.strip())
        else:
            fields[key] = text.strip()
    default = "" if fields.get("default") == "<empty>" else fields.get("default", "")
    return Option(found["name"], found["type"], default, _number(fields, "min"), _number(fields, "max"), tuple(var))


def _number(fields: Mapping[str, str], name: str) -> int | None:
    try:
        return clamped_number(fields[name])
    except (KeyError, ValueError):
        return None


def parse_options(text: str) -> Options:
    r"""Return the options of 'Name=Value,Name=Value'; a comma within a value is written '\,'."""
    options: list[tuple[str, Value]] = []
    for part in text.replace("\\,", "\0").split(","):
        part = part.replace("\0", ",").strip()
        if part:
            name, equals, value = part.partition("=")
            options.append((name.strip(), value.strip() if equals else None))
    return tuple(options)


def split_options(text: str) -> tuple[str, Options]:
    """Return the command and the options of 'COMMAND' or 'COMMAND:NAME=VALUE,...'; a path may begin with 'C:'."""
    found = _WITH_OPTIONS.fullmatch(text)
    return (found[1], parse_options(found[2])) if found else (text, ())


def listed_options(options: "Mapping[str, Value] | Iterable[tuple[str, Value]]") -> Options:
    """Return options as pairs."""
    return tuple(options.items() if isinstance(options, Mapping) else options)


def parse_info(line: str) -> Info[str]:
    """Return the contents of an info line. Moves are not checked; a pv ends before a non-move such as 'rep_draw'."""
    numbers: dict[str, Any] = {}
    score: Score | None = None
    currmove: str | None = None
    bound, string = "", ""
    pv: list[str] = []
    words = line.split()[1:]
    place = 0
    while place < len(words):
        word, after = words[place], words[place + 1] if place + 1 < len(words) else ""
        place += 1
        if word == "string":
            string = line.partition(" string")[2].strip()
            break
        if word in _NUMBERS:
            try:
                numbers[word] = clamped_number(after, 0, _NUMBERS[word])
                place += 1
            except ValueError:
                continue
        elif word == "currmove":
            currmove = after if is_move(after) else None
            place += 1
        elif word == "score":
            score, used = _score(words[place : place + 2])
            place += used
            bound = BOUNDS.get("".join(words[place : place + 1]), "") if score else ""
            place += bool(bound)
        elif word == "pv":
            while place < len(words) and is_move(words[place]):
                pv.append(words[place])
                place += 1
    if "time" in numbers:
        numbers["time"] /= 1000
    return Info(**numbers, score=score, bound=bound, currmove=currmove, pv=tuple(pv), string=string)


def _score(words: list[str]) -> tuple[Score | None, int]:
    """Return the score in the words after `score` and the number of words; None, 0 if there is none."""
    try:
        return (Score.parse(" ".join(words)), 2) if words[:1] in (["cp"], ["mate"]) else (None, 0)
    except ValueError:
        return None, 0


# ---- Searches by a USI engine: their positions and limits in USI's words, their infos and their results


START = "startpos"
RULES = "shogi_engine.games.shogi.board"  # the module by which texts are checked
Position = str | BoardLike[Move]  # a str is USI's command, with or without the word `position`


def position_command(position: Position[Any]) -> str:
    """Return USI's `position` command for a Board, 'startpos moves 7g7f', 'sfen ...' or a bare SFEN.

    Raises ValueError for a text that is no position or has an illegal move (an engine would continue with the position
    before), and TypeError for anything else, such as a Board of Othello.
    """
    if isinstance(position, str):
        text = " ".join(position.split()).removeprefix("position ")
        return f"position {START}" if text == START else _command_of(text)
    check_board(position, "sfen")
    board: Any = position
    sfen = board.root().sfen()
    moves = " ".join(move.usi() for move in board.move_stack)
    start = START if sfen == type(board)().sfen() else f"sfen {sfen}"
    return f"position {start}" + (f" moves {moves}" if moves else "")


@functools.lru_cache(maxsize=8)
def _command_of(text: str) -> str:
    """Return the command for a position in a text; engines refuse some forms that a Board reads. Raises ValueError."""
    return position_command(_board(text))


def _board(text: str) -> Any:
    from shogi_engine.games.shogi.board import Board  # loads numba

    return Board(text)


def searched_moves(position: Position[Any], moves: Moves) -> list[str]:
    """Return the words of `go` that restrict the search to some moves. Raises ValueError if one is illegal."""
    texts = list(map(str, listed(moves)))
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
        process: base.EngineProcess,
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


# ---- UsiClient: a USI engine in a separate process, for asyncio


MATE_STATUSES = ("nomate", "timeout", "notimplemented")
OptionValues = Mapping[str, Value] | Iterable[tuple[str, Value]]

_log = logging.getLogger(__name__)


class UsiClient(base.EngineClient):
    """A USI engine; see EngineClient. A crash, a timeout or another violation of the protocol raises EngineError.

    If a search of `analysis`, `begin` or `ponder` is running, a call that needs the engine ends that search first.

    Attributes:
        options: the options sent at each start; see `configure`
        unlisted: whether to send options that the engine does not list
        defaults: options that are sent first, as by `offer`
        name: the name that the engine reports
        author: the author that it reports
        listed: the options that it lists, by name
    """

    def __init__(
        self,
        command: base.Command,
        options: OptionValues = (),
        *,
        defaults: OptionValues = (),
        unlisted: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(command, **settings)
        self.options, self.unlisted = listed_options(options), unlisted
        self._defaults = listed_options(defaults)
        self.author = ""
        self.listed: Mapping[str, Option] = MappingProxyType({})
        self._configured: dict[str, Value] = {}  # all that were set since the start
        self._later: dict[str, Value] = {}  # those set by calls of `configure`
        self._owes_ready = False  # whether a readyok may still come to a call that was cancelled
        self._lines_changed = False  # whether the last analysis set MultiPV
        self._search: Search[Any] | None = None
        self._pondered = ""
        self._ponder_limit = Limit()

    # ---- lines -------------------------------------------------------------------------------------------------

    def send(self, line: str) -> float:
        """Send a line, including protocol extensions; return when (time.monotonic). Raises EngineError."""
        return self.process.send(line)

    async def _until(self, wanted: str, seconds: float | None) -> str:
        """Return the next line that begins with the word `wanted`; no bestmove may come before it."""
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            _, line = await self.process.receive(lambda: end)
            if first_word(line) == wanted:
                return line
            self._refuse_answer(line)

    @staticmethod
    def _refuse_answer(line: str) -> None:
        if first_word(line) == "bestmove":
            raise EngineError("second answer", line)

    def check_silent(self) -> None:
        """Process the waiting lines; raises EngineError for an unrequested bestmove."""
        if self._process is not None and (self._search is None or self._search.done):
            while self._process.waiting():
                self._refuse_answer(self._process.take()[1])

    # ---- the process -------------------------------------------------------------------------------------------

    async def _greet(self) -> None:
        listed: dict[str, Option] = {}
        self.send("usi")
        end = time.monotonic() + self.ready_timeout
        while (line := (await self.process.receive(lambda: end))[1]) != "usiok":
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ").strip()
            elif line.startswith("id author "):
                self.author = line.removeprefix("id author ").strip()
            elif (option := parse_option(line)) is not None:
                listed[option.name] = option
        self.listed, self._lines_changed, self._configured = MappingProxyType(listed), False, {}
        await self.offer(self._defaults)
        await self.configure(self.options)
        await self.configure(self._later)

    async def close(self) -> None:
        """End the process: tell it to quit, and kill it if it does not."""
        self._search, self._pondered, self._owes_ready = None, "", False
        if self.running:  # an engine that died is started again as it was
            self._later = {}
        await super().close()

    # ---- options and games -------------------------------------------------------------------------------------

    @base.in_turn
    async def configure(self, options: OptionValues) -> None:
        """Set options until `close`; a value is a str, int or bool, None presses a button.

        Raises ValueError for a value outside the range that the engine lists, and for an option that it does not list
        (unless `unlisted` allows it).
        """
        await self.start()
        await self._settle()
        for name, value in listed_options(options):
            self._set_option(name, value)
            self._configured[name] = value
            if not self._greeting and value is not None:
                self._later[name] = value

    @base.in_turn
    async def offer(self, options: OptionValues) -> None:
        """Set those options that the engine has, to values that it accepts."""
        await self.start()
        for name, value in listed_options(options):
            if name in self.listed or name in IMPLIED:
                with contextlib.suppress(ValueError):
                    await self.configure([(name, value)])

    def _set_option(self, name: str, value: Value) -> None:
        option = self.listed.get(name)
        if option is None and name not in IMPLIED:
            if not self.unlisted:
                raise InputError("{0} has no option {1!r}", self.name, name)
            _log.warning("%s does not list the option %r", self.name, name)
        text = plain_text(value) if option is None else option.text(value)
        self.send(f"setoption name {name}" + (f" value {text}" if text is not None else ""))

    def _set_lines(self, multipv: int | None) -> None:
        """Set the option MultiPV for one search; None sets it back after a search that has changed it."""
        if multipv is not None or self._lines_changed:
            own = self._configured.get("MultiPV", self.listed["MultiPV"].default) if "MultiPV" in self.listed else ""
            self._set_option("MultiPV", own if multipv is None else multipv)
            self._lines_changed = multipv is not None

    @base.in_turn
    async def ready(self) -> None:
        """Send isready and wait for readyok."""
        await self.start()
        await self._settle()
        self.send("isready")
        self._owes_ready = True
        await self._receive_ready()

    async def _receive_ready(self) -> None:
        if self._owes_ready:
            await self._until("readyok", self.ready_timeout)
            self._owes_ready = False

    @base.in_turn
    async def new_game(self) -> None:
        """Prepare for a game."""
        await self.ready()
        self.send("usinewgame")

    @base.in_turn
    async def game_over(self, result: str, *, stop: bool = True) -> None:
        """Send the result, 'win', 'lose' or 'draw'.

        Args:
            stop: whether to end pondering first; otherwise `gameover` has to end it
        """
        if result not in ("win", "lose", "draw"):
            raise InputError("a result must be win, lose or draw, not {0!r}", result)
        if not self.running:
            return
        if stop:
            await self._settle()
        self.check_silent()
        search, self._pondered = self._search, ""
        if search is None or search.done:
            self.send(f"gameover {result}")
        else:
            search.refuse_answer()
            search.hit(self.send(f"gameover {result}"), None)
            await search.finished()
        self._search = None

    # ---- searches ----------------------------------------------------------------------------------------------

    @staticmethod
    async def _command(position: Position[Any]) -> str:
        """Return the `position` command. The first text is checked in a thread, as that loads or compiles rules."""
        if isinstance(position, str) and RULES not in sys.modules:
            return await asyncio.to_thread(position_command, position)
        return position_command(position)

    async def _settle(self) -> None:
        """End the current search, if there is one, and drop its answer; it must be the only answer."""
        search, pondered, self._pondered = self._search, self._pondered, ""
        if search is not None and not search.done:
            try:
                if pondered:
                    search.refuse_answer()
                await search.end()
            except EngineError as fault:
                if fault.kind != "no answer":
                    self._search = None
                raise
        self._search = None  # not if this call was cancelled, or waited in vain: its answer is still to come
        await self._receive_ready()
        self.check_silent()

    @base.in_turn
    async def analysis(
        self,
        position: Position[Move],
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        root_moves: Moves = (),
    ) -> Search[Move]:
        """Begin a search and return it, to be followed while it runs. Without a limit, it runs until `stop`.

        Args:
            multipv: the number of best moves, set by the option MultiPV for this search; None for the engine's own
            root_moves: the moves to choose from; empty means all
        """
        limit, command = limit or Limit(), await self._command(position)
        side = side_to_move(command)
        go = [
            "go",
            go_words(limit),
            "infinite" if limit.is_endless(side) else "",
            *searched_moves(position, root_moves),
        ]
        if multipv is not None:
            check_number("multipv", multipv, 1, whole=True)
        await self.start()
        await self._settle()
        self._set_lines(multipv)
        self.send(command)
        began = self.send(" ".join(filter(None, go)))
        self._search = search = Search(self.process, position, self.timeout)
        if not limit.is_endless(side):
            search.hit(began, limit.allowed(side))
        return search

    @staticmethod
    def check(limit: Limit) -> None:
        """Raise ValueError if USI cannot express a limit."""
        go_words(limit)

    @base.in_turn
    async def begin(self, position: Position[Move], limit: Limit, *, root_moves: Moves = ()) -> Search[Move]:
        """Begin the search of `play`; after `ponder` of the same position, by a ponderhit.

        Raises ValueError if no limit ends the search.
        """
        command = await self._command(position)
        check_limit(limit)
        limit.must_end(side_to_move(command))
        if self._search is not None and self._pondered and self._pondered == command:
            self._search.place(position)
            return self._hit()
        return await self.analysis(position, limit, root_moves=root_moves)

    @base.in_turn
    async def play(self, position: Position[Move], limit: Limit, *, root_moves: Moves = ()) -> PlayResult[Move]:
        """Return the move for `position`; after `ponder` of the same position, by a ponderhit.

        An illegal bestmove on a Board raises EngineError; for a position in text the move is not checked. Raises
        ValueError if no limit ends the search.
        """
        return await (await self.begin(position, limit, root_moves=root_moves)).wait()

    @overload
    async def analyse(
        self, position: Position[Move], limit: Limit, *, multipv: None = None, root_moves: Moves = ()
    ) -> Info[Move]: ...

    @overload
    async def analyse(
        self, position: Position[Move], limit: Limit, *, multipv: int, root_moves: Moves = ()
    ) -> list[Info[Move]]: ...

    @base.in_turn
    async def analyse(
        self, position: Position[Move], limit: Limit, *, multipv: int | None = None, root_moves: Moves = ()
    ) -> Info[Move] | list[Info[Move]]:
        """Return what the engine reports of a position. With `multipv`, return a list of reports, best move first."""
        check_limit(limit)
        limit.must_end(side_to_move(await self._command(position)))
        search = await self.analysis(position, limit, multipv=multipv, root_moves=root_moves)
        await search.wait()
        return search.info if multipv is None else search.multipv

    @base.in_turn
    async def mate(self, position: Position[Move], limit: Limit | None = None) -> ForcedWin[Move]:
        """Look for a mate within the limit's `time`, without one until a result is proven.

        An engine without a mate search may answer with a bestmove; the result is then 'notimplemented'. If it does not
        answer in time, or its first move is illegal, EngineError is raised.
        """
        command, limit = await self._command(position), limit or Limit()
        check_limit(limit)
        await self.start()
        await self._settle()
        self.send(command)
        seconds = limit.time
        began = self.send(f"go mate {'infinite' if seconds is None else round(1000 * seconds)}")
        self._search = search = Search(self.process, position, self.timeout, answers=("bestmove", "checkmate"))
        if seconds is not None:
            search.hit(began, seconds)
        received, words = await search.answer()
        if words[0] == "bestmove":
            return ForcedWin("notimplemented")
        if len(words) > 1 and words[1] in MATE_STATUSES:
            return ForcedWin(words[1], seconds=received - began)
        if not (moves := legal_moves(words[1:], search.board)):
            raise EngineError("illegal move", sanitize(" ".join(words)))
        return ForcedWin("mate", moves, seconds=received - began, solutions=(moves,))

    # ---- pondering ---------------------------------------------------------------------------------------------

    @property
    def pondering(self) -> str:
        """The position, as a `position` command, that the engine ponders on; '' if it is not pondering."""
        return self._pondered

    @base.in_turn
    async def ponder(self, position: Position[Move], limit: Limit) -> Search[Move]:
        """Begin to search `position`, in which the expected reply has been made, on the opponent's time."""
        words, command = go_words(limit), await self._command(position)
        await self.start()
        await self._settle()
        self._set_lines(None)
        self.send(command)
        self.send(f"go ponder {words}".rstrip())
        self._search = search = Search(self.process, position, self.timeout)
        self._pondered, self._ponder_limit = command, limit
        return search

    def _hit(self, clock: Limit | None = None) -> Search[Any]:
        search, command = self._search, self._pondered
        if search is None or not command:
            raise InputError("the engine does not ponder")
        search.refuse_answer()
        self._pondered = ""
        began = self.send(f"ponderhit {clock_words(clock) if clock else ''}".rstrip())
        search.hit(began, (clock or self._ponder_limit).allowed(side_to_move(command)))
        return search

    @base.in_turn
    async def ponder_hit(self, clock: Limit | None = None) -> PlayResult[Any]:
        """Send `ponderhit`, as the expected move was played; return the answer.

        Args:
            clock: a clock to send with `ponderhit`, as some GUIs do
        """
        return await self._hit(clock).wait()

    @base.in_turn
    async def stop_pondering(self) -> None:
        """End a search on the opponent's time and drop its answer."""
        if self._pondered:
            await self._settle()


async def popen_usi(command: base.Command, options: OptionValues = (), **settings: Any) -> UsiClient:
    """Return a started engine; the arguments are those of UsiClient."""
    client = UsiClient(command, options, **settings)
    await client.start()
    return client


# ---- SimpleEngine: a USI engine for programs without asyncio


class SimpleSearch(Generic[Move]):
    """A running search: `for info in search`, `search.wait()`, `search.stop()` (from any thread)."""

    def __init__(self, search: Search[Move]) -> None:
        self.client = search

    def __repr__(self) -> str:
        return repr(self.client)

    def __iter__(self) -> Iterator[Info[Move]]:
        while (info := run_plainly(self.client.next_info())) is not None:
            yield info

    info: Info[Move] = base.attribute("info")
    multipv: list[Info[Move]] = base.attribute("multipv")
    stop = base.plain(Search.stop)

    def wait(self) -> PlayResult[Move]:
        """Wait for the bestmove and return it."""
        return run_plainly(self.client.wait())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None or not issubclass(kind, EngineError):
            run_plainly(self.client.end())


class SimpleEngine(base.PlainClient[UsiClient]):
    """A synchronous USI client: UsiClient's calls and attributes, with the same names, arguments and errors.

    Of two calls at once, in two threads, the second waits until the first is answered. Any thread may stop a search.
    """

    client_class = UsiClient

    def __init__(self, command: base.Command, options: OptionValues = (), **settings: Any) -> None:
        super().__init__(command, options=options, **settings)

    @classmethod
    def popen_usi(cls, command: base.Command, options: OptionValues = (), **settings: Any) -> Self:
        """Return a started engine."""
        engine = cls(command, options, **settings)
        engine.start()
        return engine

    @classmethod
    def described(cls, text: str, more: OptionValues = (), **settings: Any) -> Self:
        """Return the engine of 'command:Option=value,Option=value', followed by `more` options."""
        command, options = split_options(text)
        return cls(command, (*options, *listed_options(more)), **settings)

    author: str = base.attribute("author")
    listed: Mapping[str, Option] = base.attribute("listed")
    pondering: str = base.attribute("pondering")

    def analysis(
        self,
        position: Position[Move],
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        root_moves: Moves = (),
    ) -> SimpleSearch[Move]:
        """Begin a search and return it, to be followed while it runs. Without a limit, it runs until `stop`."""
        return SimpleSearch(run_plainly(self.client.analysis(position, limit, multipv=multipv, root_moves=root_moves)))

    @overload
    def analyse(
        self, position: Position[Move], limit: Limit, *, multipv: None = None, root_moves: Moves = ()
    ) -> Info[Move]: ...

    @overload
    def analyse(
        self, position: Position[Move], limit: Limit, *, multipv: int, root_moves: Moves = ()
    ) -> list[Info[Move]]: ...

    def analyse(self, position: Any, limit: Limit, *, multipv: Any = None, root_moves: Moves = ()) -> Any:
        """Return what the engine reports of a position. With `multipv`, return a list of reports, best move first."""
        return run_plainly(self.client.analyse(position, limit, multipv=multipv, root_moves=root_moves))

    def play(self, position: Position[Move], limit: Limit, *, root_moves: Moves = ()) -> PlayResult[Move]:
        """Return the move for `position`; after `ponder` of the same position, by a ponderhit."""
        return run_plainly(self.client.play(position, limit, root_moves=root_moves))

    def mate(self, position: Position[Move], limit: Limit | None = None) -> ForcedWin[Move]:
        """Look for a mate within the limit's `time`, without one until a result is proven."""
        return run_plainly(self.client.mate(position, limit))

    def begin(self, position: Position[Move], limit: Limit, *, root_moves: Moves = ()) -> SimpleSearch[Move]:
        """Begin the search of `play`; after `ponder` of the same position, by a ponderhit."""
        return SimpleSearch(run_plainly(self.client.begin(position, limit, root_moves=root_moves)))

    def ponder(self, position: Position[Move], limit: Limit) -> SimpleSearch[Move]:
        """Begin to search `position`, in which the expected reply has been made, on the opponent's time."""
        return SimpleSearch(run_plainly(self.client.ponder(position, limit)))

    configure = base.plain(UsiClient.configure)
    offer = base.plain(UsiClient.offer)
    ready = base.plain(UsiClient.ready)
    game_over = base.plain(UsiClient.game_over)
    ponder_hit = base.plain(UsiClient.ponder_hit)
    stop_pondering = base.plain(UsiClient.stop_pondering)


__all__ = [
    "EngineError", "FAULTS", "Info", "Limit", "Option", "Options", "PlayResult", "Score", "SimpleEngine",
    "UsiClient", "parse_options", "popen_usi", "position_command", "split_options",
]  # fmt: skip
