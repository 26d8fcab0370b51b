"""The common base of the Othello front ends, NBoard and GTP: levels, clocks and searches."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shogi_engine import __version__
from shogi_engine.common.text import sanitize, whole_number
from shogi_engine.frontends.core import Command, FrontEnd, Output
from shogi_engine.games.othello.names import DISC, MAX_LEVEL, budget
from shogi_engine.play.clock import GameClock
from shogi_engine.search.timeman import TimeOptions, fixed
from shogi_engine.types.limits import SIDES, Clock, Limit, TimeBudget
from shogi_engine.types.results import Info, PlayResult

if TYPE_CHECKING:
    from shogi_engine.engine import Engine
    from shogi_engine.interface.extras import OpeningBook


DEFAULT_LEVEL = 10
TIMES = TimeOptions()


def load_engine() -> "Engine":
    """Return an Othello engine with its kernels compiled or loaded."""
    from shogi_engine.engine import Engine
    from shogi_engine.games.othello import records  # noqa: F401  (loaded here, not at the first command)

    engine = Engine("othello")
    engine.warmup()
    return engine


def time_for_move(clock: Clock, ply: int) -> TimeBudget:
    """Return the time for a move; the main time of `clock` already includes the increment."""
    if clock.time <= 0 < clock.byoyomi:
        return fixed(clock.byoyomi, TIMES)
    return budget(replace(clock, increment=min(clock.increment, clock.time)), ply, TIMES)


@dataclass(frozen=True)
class BookUse:
    """The book to play from.

    Attributes:
        book: None for the shipped one
        randomness: how much worse than the best a book move may be, in discs
    """

    book: "OpeningBook | None" = None
    randomness: float = 0.0


class OthelloFrontEnd(FrontEnd):
    """A session of an Othello protocol.

    Args:
        book: the book to play from, None for no book
    """

    def __init__(self, output: Output, load: Any = load_engine, *, book: BookUse | None = None, **named: Any) -> None:
        super().__init__(output, lambda: self._with_book(load()), **named)
        self._book = book
        self._board: Any = None  # until the engine is loaded

    def _with_book(self, engine: "Engine") -> "Engine":
        """Return the engine with the book open, so that nothing of it is loaded in thinking time."""
        if self._book is not None:
            engine.book.open(self._book.book)
        return engine

    @property
    def board(self) -> Any:
        """The position; waits until the engine is loaded."""
        if self._board is None:
            self._board = self.engine.board()
        return self._board

    @board.setter
    def board(self, board: Any) -> None:
        self._board = board

    def legal(self) -> list[str]:
        """Return the legal moves."""
        return list(map(str, self.board.legal_moves))

    def book_answer(self) -> PlayResult[Any] | None:
        """Return a book move that is worse than the best by at most the randomness, None out of book."""
        if self._book is None:
            return None
        return self.engine.book.play(self.board, margin=round(self._book.randomness * DISC))

    def limit(self, level: int | None, clock: Clock | None) -> Limit:
        """Return the limit of a move, from the level and the clock, or from the default level if neither was set."""
        if clock is None:
            return Limit(level=DEFAULT_LEVEL if level is None else level)
        return Limit(level=level, budget=time_for_move(clock, self.board.game_ply()))


# ---- `shogi-engine gtp`: the Go Text Protocol as Othello programs use it, with clocks and GoGui's rules commands
#
# Source: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2", and GoGui's documentation.
# Othello programs do not send forced passes; the pass is made when the next move is of the other colour.


COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1, "x": 0, "o": 1}
MAX_SECONDS = 10**7


class Times:
    """The clock as set by commands, in seconds; None where nothing was set."""

    def __init__(self) -> None:
        self.main: float | None = None  # None: no clock
        self.byoyomi = 0.0
        self.stones = 0  # moves in each byoyomi; 0 without one
        self.periods = False  # Japanese byoyomi: time for each move, after the main time
        self.left: list[tuple[float, int] | None] = [None, None]  # from the last time_left: seconds, stones
        self.used = [0.0, 0.0]  # seconds since that command, or since the start

    def start(self) -> None:
        """Start a game."""
        self.left, self.used = [None, None], [0.0, 0.0]

    def clock(self, side: int) -> Clock | None:
        """Return the clock of `side` before its move, None without one.

        With one stone per period, some controllers mean an increment and others a time for each move; the limit obeys
        both.
        """
        sent = self.left[side]
        if self.main is None and sent is None:
            return None
        seconds, stones = sent or (self.main or 0.0, 0)
        each = self.byoyomi / self.stones if self.stones else 0.0
        left = max(seconds - self.used[side], 0.0)
        if stones > 0:  # in byoyomi: `stones` moves remain in this period
            return Clock.from_seconds(byoyomi=left / stones)
        if self.periods or (left <= 0 and not sent):
            return Clock.from_seconds(left, byoyomi=each)
        return Clock.from_seconds(left, increment=each)


class Gtp(OthelloFrontEnd):
    """A GTP session."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._level: int | None = None
        self._times = Times()
        self._id = ""  # of the current command
        self._seconds = 0.0  # total thinking time
        self._passes_after_end = 0  # they change nothing, but can be undone
        self._omitted: set[int] = set()  # plies after passes that were not sent, which are undone with the next move
        self._quit_id = ""
        self._commands: dict[str, Callable[[list[str]], str]] = {
            "protocol_version": lambda words: "2",
            "name": lambda words: "shogi_engine",
            "version": lambda words: __version__,
            "known_command": lambda words: str(self._one(words) in self._commands).lower(),
            "list_commands": lambda words: "\n".join(self._commands),
            "quit": lambda words: "",
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "komi": self._komi,
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": self._reg_genmove,
            "undo": self._undo,
            "showboard": lambda words: "\n" + self.board.diagram(),
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "kgs-time_settings": self._kgs_time_settings,
            "cputime": lambda words: f"{time.process_time():.2f}",
            "set_level": self._set_level,
            "set_game": self._set_game,
            "list_games": lambda words: "Othello",
            "final_score": lambda words: self._final_score(),
            "gogui-interrupt": lambda words: "",
            "gogui-rules_game_id": lambda words: "Othello",
            "gogui-rules_board": lambda words: self._rows(),
            "gogui-rules_board_size": lambda words: "8",
            "gogui-rules_legal_moves": lambda words: " ".join(map(self._upper, self.legal())),
            "gogui-rules_side_to_move": lambda words: SIDES[self._to_move()],
            "gogui-rules_final_result": lambda words: self._final_score() if self.board.is_game_over() else "",
        }

    # ---- the reader's side

    def asks_to_quit(self, text: str) -> bool:
        """Tell whether a line is `quit`, with or without a number before it."""
        self._quit_id, command, _ = split_command(text)
        return command == "quit"

    def obey(self, text: str, received_at: float) -> None:
        """Queue a command; `# interrupt` stops the running search."""
        if text.startswith("# interrupt"):
            self.stop_all()
            return
        number, command, words = split_command(text)
        if command:
            self.put(Command(lambda: self._answer(number, command, words), received_at))

    def farewell(self) -> None:
        """Answer `quit`."""
        self.out.line(f"={self._quit_id}\n")

    def fail(self, fault: Exception) -> None:
        """Answer the current command with an error."""
        self.out.line(f"?{self._id} {sanitize(str(fault) or repr(fault))}\n")

    # ---- the worker's side

    def _answer(self, number: str, command: str, words: list[str]) -> None:
        self._id = number
        if command not in self._commands:
            raise ValueError("unknown command")
        text = self._commands[command](words)
        self.out.line(f"={number}{' ' if text else ''}{text}\n")

    @staticmethod
    def _one(words: list[str]) -> str:
        """Return the first argument; raises ValueError if there is none."""
        if not words:
            raise ValueError("an argument is missing")
        return words[0]

    def _side(self, words: list[str]) -> int:
        """Return the colour that the first argument names."""
        side = COLOURS.get(self._one(words).lower())
        if side is None:
            raise ValueError(f"expected a colour, b or w, not {sanitize(words[0])!r}")
        return side

    @staticmethod
    def _upper(move: str) -> str:
        """Return a move in the form used in answers."""
        return "PASS" if move == "pass" else move.upper()

    def _to_move(self) -> int:
        return int(self.board.turn)

    def _boardsize(self, words: list[str]) -> str:
        if self._one(words) != "8":
            raise ValueError("unacceptable size")
        return ""

    def _clear_board(self, words: list[str]) -> str:
        self.board = self.engine.board()
        self._passes_after_end, self._omitted = 0, set()
        self._times.start()
        return ""

    def _komi(self, words: list[str]) -> str:
        try:
            float(self._one(words))
        except ValueError:
            raise ValueError(f"expected a number, not {sanitize(' '.join(words))!r}") from None
        return ""

    def _turn_to(self, side: int) -> None:
        """Make the forced pass if it is the other side's move; raises ValueError if that side need not pass."""
        if side == self._to_move():
            return
        if not self.board.must_pass():
            raise ValueError(f"it is {SIDES[1 - side]}'s turn")
        self.board.push_text("pass")
        self._omitted.add(self.board.ply())

    def _back_to(self, ply: int) -> None:
        """Take back all moves after the first `ply`."""
        while self.board.ply() > ply:
            self.board.pop()
        self._omitted = {each for each in self._omitted if each <= ply}

    def _play(self, words: list[str]) -> str:
        side = self._side(words)
        if len(words) < 2:
            raise ValueError("expected a colour and a move")
        passes = words[1].lower() in ("pass", "pa")
        board = self.board
        if passes and board.is_game_over():
            self._passes_after_end += 1
            return ""
        count = board.ply()
        if passes and side != self._to_move() and count and board.peek().square is None:
            return ""  # a pass that was already made, see `_turn_to`
        self._turn_to(side)
        try:
            board.push_text("pass" if passes else words[1])
        except ValueError as fault:
            self._back_to(count)
            raise ValueError(f"illegal move: {fault}") from None
        return ""

    def _choose(self, side: int) -> str:
        """Return the move for `side` at the position, 'PASS' if it has none."""
        board = self.board
        if not board.is_game_over():
            self._turn_to(side)
        if board.is_game_over() or board.must_pass():
            return "PASS"
        if (known := self.book_answer()) is not None:
            return self._upper(str(known.move))
        clock = self._times.clock(side)
        began = time.monotonic()
        found = self.engine.play(board, self.limit(self._level, clock), search=self.task)
        self._seconds = time.monotonic() - began
        return self._upper(str(found.move))

    def _genmove(self, words: list[str]) -> str:
        side = self._side(words)
        self._seconds = 0.0
        move = self._choose(side)
        self._times.used[side] += self._seconds
        if not self.board.is_game_over():
            self.board.push_text(move.lower())
        else:
            self._passes_after_end += 1
        return move

    def _reg_genmove(self, words: list[str]) -> str:
        ply = self.board.ply()
        try:
            return self._choose(self._side(words))
        finally:
            self._back_to(ply)

    def _undo(self, words: list[str]) -> str:
        if self._passes_after_end:
            self._passes_after_end -= 1
            return ""
        ply = self.board.ply() - 1
        if ply < 0:
            raise ValueError("cannot undo")
        self._back_to(ply - (ply in self._omitted))
        return ""

    # ---- the clock

    def _time_settings(self, words: list[str]) -> str:
        if len(words) != 3:
            raise ValueError("expected main time, byoyomi time and stones")
        main, byoyomi, stones = (whole_number(word, 0, MAX_SECONDS) for word in words)
        self._times = Times()
        if stones == 0 and byoyomi > 0:  # no limit, by the protocol
            return ""
        self._times.main, self._times.byoyomi, self._times.stones = float(main), float(byoyomi), stones
        return ""

    def _kgs_time_settings(self, words: list[str]) -> str:
        kind, numbers = self._one(words), words[1:]
        wanted = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3}.get(kind)
        if wanted is None or len(numbers) != wanted:
            raise ValueError("expected none, absolute T, byoyomi MAIN TIME PERIODS or canadian MAIN TIME STONES")
        values = [whole_number(word, 0, MAX_SECONDS) for word in numbers]
        self._times = times = Times()
        if kind != "none":
            times.main = float(values[0])
        if wanted == 3:
            times.byoyomi = float(values[1])
            times.periods = kind == "byoyomi"
            times.stones = 1 if times.periods else values[2]
        return ""

    def _time_left(self, words: list[str]) -> str:
        side = self._side(words)
        if len(words) != 3:
            raise ValueError("expected a colour, seconds and stones")
        self._times.left[side] = (
            float(whole_number(words[1], -MAX_SECONDS, MAX_SECONDS)),
            whole_number(words[2], 0, 10**6),
        )
        self._times.used[side] = 0.0
        return ""

    # ---- level, rules

    def _set_level(self, words: list[str]) -> str:
        self._level = whole_number(self._one(words), 0, MAX_LEVEL)
        return ""

    def _set_game(self, words: list[str]) -> str:
        if self._one(words).lower() != "othello":
            raise ValueError("unsupported game")
        return self._clear_board(words)

    def _rows(self) -> str:
        """Return eight rows of X, O and '.'."""
        cells = self.board.obf().replace("-", ".")
        return "\n" + "\n".join(" ".join(cells[row : row + 8]) for row in range(0, 64, 8))

    def _final_score(self) -> str:
        if not self.board.is_game_over():
            raise ValueError("the game is not over")
        score = self.board.score()
        return "0" if score == 0 else f"{'B' if score > 0 else 'W'}+{abs(score)}"


def split_command(text: str) -> tuple[str, str, list[str]]:
    """Return a line's id ('' if it has none), command and arguments; a comment begins at '#'."""
    words = text.partition("#")[0].split()
    number = words.pop(0) if words and words[0].isascii() and words[0].isdecimal() and len(words[0]) < 12 else ""
    return number, words[0] if words else "", words[1:]


# ---- `shogi-engine nboard`: the NBoard protocol, version 2 (version 1's bare moves are understood too)
#
# Source: C. Welty, "NBoard Protocol", in the NBoard package, http://www.orbanova.com/nboard.
# The clock is in the game's header (TI, or TB and TW) and in the times of the moves; times without a colon are in
# seconds. Evaluations, including those of `analyze`, are in discs for the side to move.


NAME = f"shogi_engine {__version__}"
MAX_HINTS = 64
_BARE_MOVE = re.compile(r"([a-h][1-8]|pa|pass)(/.*)?", re.IGNORECASE | re.ASCII)


def parse_seconds(text: str) -> float:
    """Return the seconds of 'ss', 'mm:ss' or 'hh:mm:ss' (anything after a comma is ignored); raises ValueError."""
    time_text = text.partition(",")[0].strip()
    if not time_text:
        return 0.0
    if not re.fullmatch(r"(\d{1,6}:){0,2}\d{1,6}(\.\d{1,6})?", time_text, re.ASCII):
        raise ValueError(f"{sanitize(text)!r} is not a time, mm:ss")
    seconds = 0.0
    for part in time_text.split(":"):
        seconds = 60 * seconds + float(part)
    return seconds


def parse_clock(text: str) -> Clock:
    """Return the clock of a GGF header, 'main/increment/extension'; without a main time the increment is byoyomi."""
    main, increment, *_ = [*map(parse_seconds, text.split("/")), 0.0]
    return Clock.from_seconds(main, increment=increment) if main > 0 else Clock.from_seconds(byoyomi=increment)


def square(move: Any) -> str:
    """Return a move in NBoard's notation."""
    return "PA" if move.square is None else str(move).upper()


def discs(info: Info[Any]) -> float:
    """Return the value of a report, 0 if it has none."""
    return 0.0 if info.score is None else info.score.value


class NBoard(OthelloFrontEnd):
    """An NBoard session. The game is a record, whose position is the Board's."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._level: int | None = None
        self._clock = GameClock()  # the GUI's
        self._thought = (-1, 0.0)  # the last `go`: the number of moves before it, and its seconds
        self._readers: dict[str, Callable[[str], None]] = {
            "nboard": lambda rest: self._queue_task(lambda: self._greet(rest)),
            "set": self._read_set,
            "move": lambda rest: self._change(lambda: self._move(rest)),
            "hint": lambda rest: self._change(lambda: self._hint(rest)),
            "go": lambda rest: self._change(self._go),
            "ping": self._ping,
            "learn": lambda rest: self._change(lambda: self.out.line("learned")),
            "analyze": lambda rest: self._change(self._analyze),
        }
        self._hinting = False

    def fail(self, fault: Exception) -> None:
        """Report an error in the status line."""
        self.out.line(f"status error: {sanitize(str(fault) or repr(fault))}")

    def say_alive(self, text: str) -> None:
        """Report in the status line what takes long."""
        self.out.line(f"status {text}")

    # ---- the reader's side

    def obey(self, text: str, received_at: float) -> None:
        """Execute a line at once if the protocol requires it (ping), else queue it."""
        word, _, rest = text.partition(" ")
        if word in self._readers:
            self._readers[word](rest.strip())
        elif _BARE_MOVE.fullmatch(word) and not rest:
            self._change(lambda: self._move(word))
        else:
            self.out.line(f"status error: unknown command {sanitize(text)!r}")

    def _change(self, job: Callable[[], None]) -> None:
        """Stop any analysis and queue a job."""
        if self._hinting:
            self.stop_all()
        self._queue_task(job)

    def _queue_task(self, job: Callable[[], None]) -> None:
        self.put(Command(job, time.monotonic()))

    def _ping(self, rest: str) -> None:
        self.stop_all()
        answer = f"pong {sanitize(rest)}".rstrip()
        if self.loaded:
            self._queue_task(lambda: self.out.line(answer))
        else:
            self.out.line(answer)  # no search is running, and queued commands wait for the engine

    def _read_set(self, rest: str) -> None:
        what, _, value = rest.partition(" ")
        jobs = {"depth": self._set_depth, "game": self._set_game, "contempt": self._set_contempt}
        job = jobs.get(what)
        if job is None:
            self.out.line(f"status error: set {sanitize(what)!r}: expected depth, game or contempt")
        else:
            self._change(lambda: job(value.strip()))

    # ---- the worker's side

    def _greet(self, version: str) -> None:
        whole_number(version, 1, 1000)
        self.out.line(f"set myname {NAME}")

    def _set_depth(self, text: str) -> None:
        self._level = min(whole_number(text, 0, 1000), MAX_LEVEL)
        self.out.line(f"set myname {NAME} level {self._level}")

    def _set_contempt(self, text: str) -> None:
        whole_number(text, -1000, 1000)  # about draws in a book of games, which this engine does not have

    def _set_game(self, text: str) -> None:
        from shogi_engine.games.othello.records import parse_ggf

        game = parse_ggf(text)
        given = map(game.headers.get, ("time", "black_time", "white_time"))
        clocks = [parse_clock(value) if value else None for value in given]
        self.board = self.engine.board(game.start, game.moves)
        self._clock = GameClock((clocks[1] or clocks[0], clocks[2] or clocks[0]))
        self._thought = (-1, 0.0)
        side = int(self.board.root().turn)
        for node in game.main_line[1:]:
            self._charge(side, node.move, node.seconds or 0.0)
            side ^= 1

    def _charge(self, side: int, move: str, seconds: float) -> None:
        """Charge the time of a move; a pass takes none."""
        if move != "pass":
            self._clock.charge(side, seconds)

    def _move(self, text: str) -> None:
        """Play a move 'F5/eval/time'; the engine's own time is measured, as some GUIs do not send it."""
        name, *rest = text.split("/")
        move = "pass" if name.strip().lower() in ("pa", "pass") else name.strip().lower()
        seconds = None
        if len(rest) > 1 and rest[1].strip():
            seconds = parse_seconds(rest[1])
        board, count = self.board, self.board.ply()
        side = int(board.turn)
        board.push_text(move)
        if seconds is None:
            seconds = self._thought[1] if self._thought[0] == count else 0.0
        self._charge(side, move, seconds)

    def _go(self) -> None:
        began = time.monotonic()
        board = self.board
        if board.is_game_over():
            raise ValueError("go: the game is over")
        if board.must_pass():
            self.out.line("=== PA")
            return
        if (known := self.book_answer()) is not None:
            self.out.line(f"=== {square(known.move)}/{discs(known.info):.2f}/0.00")
            return
        self.out.line(f"status {NAME} is thinking")
        limit = self.limit(self._level, self._clock.for_search(int(board.turn)))
        found = self.engine.play(board, limit, search=self.task)
        seconds = time.monotonic() - began
        if self.task.stopped:  # by a ping: the position is about to change
            self.out.line("status")
            return
        self._thought = (board.ply(), seconds)
        self.out.line(f"nodestats {found.info.nodes} {found.time:.3f}")
        self.out.line(f"=== {square(found.move)}/{discs(found.info):.2f}/{seconds:.2f}")
        self.out.line(f"status {NAME} is waiting")

    def _hint(self, text: str) -> None:
        count = whole_number(text or "1", 1, 10**6)
        engine, board, limit = self.engine, self.board, self.limit(self._level, None)
        if board.is_game_over():
            raise ValueError("hint: the game is over")
        solved = limit.level is not None and engine.check_level(limit.level, board).exact
        self._hinting = True
        try:
            self.out.line(f"status {NAME} is analyzing")
            count = min(count, MAX_HINTS)
            lines = engine.analyse(board, limit, multipv=count, on_info=self._show, search=self.task)
            if not self.task.stopped:
                for line in lines:
                    self._show(line, "100%" if solved else str(line.depth))
                self.out.line(f"nodestats {lines[0].nodes} {lines[0].time:.3f}")
            self.out.line("status")
        finally:
            self._hinting = False

    def _show(self, line: Info[Any], depth: str = "") -> None:
        """Print one line of an analysis, unless its value is only a bound."""
        if not line.bound and not self.task.stopped:
            pv = "".join(map(square, line.pv))
            self.out.line(f"search {pv} {discs(line):.2f} 0 {depth or line.depth}")

    def _analyze(self) -> None:
        """Print a value for every position of the game, from its end to its start."""
        board = self.board.copy()
        self._hinting = True
        try:
            self.out.line(f"status {NAME} is analyzing")
            for count in range(board.ply(), -1, -1):
                found = self.engine.play(board, self.limit(self._level, None), search=self.task)
                if self.task.stopped:
                    break
                self.out.line(f"analysis {count} {discs(found.info):.2f}")
                if count:
                    board.pop()
            self.out.line("status")
        finally:
            self._hinting = False
