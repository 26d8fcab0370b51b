"""`shogi-engine gtp`: the Go Text Protocol as Othello programs use it, with clocks and GoGui's rules commands.

Source: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2", and GoGui's documentation.
Othello programs do not send forced passes; the pass is made when the next move is of the other colour.
"""

import time
from collections.abc import Callable
from typing import Any

from shogi_engine import __version__
from shogi_engine.common.text import sanitize, whole_number
from shogi_engine.frontends.core import Task
from shogi_engine.frontends.othello import OthelloFrontEnd
from shogi_engine.games.othello.names import MAX_LEVEL
from shogi_engine.types.clock import Clock
from shogi_engine.types.limit import SIDES

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
            "reg_genmove": lambda words: self._choose(self._side(words)),
            "undo": self._undo,
            "showboard": lambda words: "\n" + self.engine.diagram(),
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
            "gogui-rules_board": lambda words: self._board(),
            "gogui-rules_board_size": lambda words: "8",
            "gogui-rules_legal_moves": lambda words: " ".join(map(self._upper, self.engine.legal_moves())),
            "gogui-rules_side_to_move": lambda words: SIDES[self._to_move()],
            "gogui-rules_final_result": lambda words: self._final_result(),
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
            self.put(Task(lambda: self._answer(number, command, words), received_at))

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
        return int(self.engine.position.side)

    def _boardsize(self, words: list[str]) -> str:
        if self._one(words) != "8":
            raise ValueError("unacceptable size")
        return ""

    def _clear_board(self, words: list[str]) -> str:
        self.engine.set_position()
        self._passes_after_end = 0
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
        if self.engine.legal_moves() != ["pass"]:
            raise ValueError(f"it is {SIDES[1 - side]}'s turn")
        self.engine.push("pass")

    def _play(self, words: list[str]) -> str:
        side = self._side(words)
        if len(words) < 2:
            raise ValueError("expected a colour and a move")
        passes = words[1].lower() in ("pass", "pa")
        if passes and not self.engine.legal_moves():
            self._passes_after_end += 1
            return ""
        count = len(self.engine.moves)
        if passes and side != self._to_move() and self.engine.move_texts[-1:] == ["pass"]:
            return ""  # a pass that was already made, see `_turn_to`
        self._turn_to(side)
        try:
            self.engine.push("pass" if passes else words[1])
        except ValueError as fault:
            while len(self.engine.moves) > count:
                self.engine.pop()
            raise ValueError(f"illegal move: {fault}") from None
        return ""

    def _choose(self, side: int) -> str:
        """Return the move for `side` at the position, 'PASS' if it has none."""
        engine = self.engine
        if engine.legal_moves():
            self._turn_to(side)
        if engine.legal_moves() in ([], ["pass"]):
            return "PASS"
        if (known := self.book_answer()) is not None:
            return self._upper(known.move)
        clock = self._times.clock(side)
        began = time.monotonic()
        found = self.think(self.task, **self.limits(self._level, clock))
        self._seconds = time.monotonic() - began
        return self._upper(found.bestmove)

    def _genmove(self, words: list[str]) -> str:
        side = self._side(words)
        self._seconds = 0.0
        move = self._choose(side)
        self._times.used[side] += self._seconds
        if self.engine.legal_moves():
            self.engine.push(move.lower())
        else:
            self._passes_after_end += 1
        return move

    def _undo(self, words: list[str]) -> str:
        if self._passes_after_end:
            self._passes_after_end -= 1
            return ""
        try:
            self.engine.pop()
        except ValueError:
            raise ValueError("cannot undo") from None
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

    def _board(self) -> str:
        """Return eight rows of X, O and '.'."""
        cells = self.engine.position_text.replace("-", ".")
        return "\n" + "\n".join(" ".join(cells[row : row + 8]) for row in range(0, 64, 8))

    def _score(self) -> int:
        """Return black's lead in discs; empty squares count for the leading side."""
        from shogi_engine.games.othello.board import Board

        return Board(self.engine.position_text).score()

    def _final_score(self) -> str:
        if self.engine.legal_moves():
            raise ValueError("the game is not over")
        score = self._score()
        return "0" if score == 0 else f"{'B' if score > 0 else 'W'}+{abs(score)}"

    def _final_result(self) -> str:
        return "" if self.engine.legal_moves() else self._final_score()


def split_command(text: str) -> tuple[str, str, list[str]]:
    """Return a line's id ('' if it has none), command and arguments; a comment begins at '#'."""
    words = text.partition("#")[0].split()
    number = words.pop(0) if words and words[0].isascii() and words[0].isdecimal() and len(words[0]) < 12 else ""
    return number, words[0] if words else "", words[1:]
