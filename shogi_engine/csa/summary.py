"""Game_Summary: the conditions of a game that a server offers, read line by line."""

import re
from dataclasses import dataclass

from shogi_engine.common.text import sanitize, whole_number
from shogi_engine.games.shogi.records.formats.csa import CsaReader
from shogi_engine.types.clock import Clock

BEGIN, END = "BEGIN Game_Summary", "END Game_Summary"
LINES_MAX = 20_000  # of one summary; a game that continues from a position has a line for each move
NUMBER_MAX = 10**9
FORMAT = "Shogi 1.0"
JISHOGI = "Jishogi 1.1"  # the declaration by 27 points, the only one that the protocol knows
_OLD_JISHOGI = "Jishogi_Declaration:"  # the same in the position, as protocol 1.0 has it
_UNIT = re.compile(r"([0-9]{1,6})(msec|sec|min)")
_UNIT_MS = {"msec": 1, "sec": 1000, "min": 60_000}
_STOP_WATCH = re.compile(r"-([0-9]+)-0[0-9]+F?\+")  # in shogi-server's game names
_SHOGI_SERVER = re.compile(r".+\+.+-[0-9]+-[0-9]+F?\+[^+]+\+[^+]+\+[0-9]{14}")  # event, game, black, white, time
_BLOCKS = {"Time": (0, 1), "Time+": (0,), "Time-": (1,)}
_TIMES = ("Total_Time", "Byoyomi", "Increment", "Least_Time_Per_Move")


def from_shogi_server(game_id: str) -> bool:
    """Tell whether a game's name is of the form that shogi-server gives."""
    return bool(_SHOGI_SERVER.fullmatch(game_id))


class SummaryError(ValueError):
    """A summary from which no game can begin; its text says why, on one line."""


@dataclass(frozen=True)
class ServerTime:
    """One side's time, in ms.

    Attributes:
        clock: at the start, without the increment, which CSA adds before each move
        unit: the unit of the server's clock; fractions are dropped, or rounded up if `roundup`
        least: the minimum time charged for a move
    """

    clock: Clock = Clock()
    unit: int = 1000
    least: int = 0
    roundup: bool = False

    @property
    def timed(self) -> bool:
        """Tell whether there is a time limit."""
        return self.clock != Clock()

    def describe(self) -> str:
        """Return the time control in a few words."""
        if not self.timed:
            return "no time limit"
        words = [f"{self.clock.time / 1000:g} s"]
        if self.clock.byoyomi:
            words.append(f"byoyomi {self.clock.byoyomi / 1000:g} s")
        if self.clock.increment:
            words.append(f"{self.clock.increment / 1000:g} s increment")
        return " + ".join(words)


@dataclass(frozen=True)
class Summary:
    """A game that is offered.

    Attributes:
        names: of black and white
        side: this engine's side, 0 for black
        start: SFEN of the position that the moves lead from
        moves: made already, as (USI, seconds)
        times: black's and white's
        max_moves: the number of moves after which the game ends, 0 for no limit
        declaration: the rule for declaring a win, '' for none
    """

    game_id: str
    names: tuple[str, str]
    side: int
    start: str
    moves: tuple[tuple[str, float | None], ...] = ()
    times: tuple[ServerTime, ServerTime] = (ServerTime(), ServerTime())
    max_moves: int = 0
    declaration: str = ""

    def describe(self) -> str:
        """Return the time control, both if they differ."""
        black, white = (time.describe() for time in self.times)
        return black if black == white else f"black {black}, white {white}"


class SummaryReader:
    """Reads the lines after BEGIN Game_Summary. Errors are raised at its end, so that no line is left over."""

    def __init__(self) -> None:
        self.game_id = ""
        self._values: dict[str, str] = {}
        self._times: tuple[dict[str, str], dict[str, str]] = ({}, {})
        self._position = CsaReader()
        self._block = ""
        self._lines = 0
        self._fault = ""

    def take(self, line: str) -> Summary | None:
        """Read one line; return the summary when it is complete. Raises SummaryError at its end if it is invalid."""
        self._lines += 1
        if line == END:
            return self._finish()
        if self._lines > LINES_MAX:
            raise SummaryError(f"the summary has more than {LINES_MAX} lines")
        if line.startswith("BEGIN "):
            self._block = line.removeprefix("BEGIN ").strip()
        elif line.startswith("END "):
            self._block = ""
        elif self._block == "Position":
            self._take_position(line)
        elif line:
            key, _, value = line.partition(":")
            if self._block in _BLOCKS:
                for side in _BLOCKS[self._block]:
                    self._times[side][key] = value.strip()
            elif not self._block:
                self._values[key] = value.strip()
                if key == "Game_ID":
                    self.game_id = value.strip()
        return None

    def _take_position(self, line: str) -> None:
        if line.startswith(_OLD_JISHOGI):
            self._values.setdefault("Declaration", f"Jishogi {line.removeprefix(_OLD_JISHOGI).strip()}")
            return
        try:
            self._position.take(line)
        except ValueError as fault:
            self._fault = self._fault or f"the position, {sanitize(line)!r}: {fault}"

    def _finish(self) -> Summary:
        if self._fault:
            raise SummaryError(self._fault)
        values = self._values
        turn, kind = values.get("Your_Turn", ""), values.get("Format", FORMAT)
        if turn not in ("+", "-"):
            raise SummaryError(f"Your_Turn is + or -, not {sanitize(turn)!r}")
        if not kind.startswith("Shogi "):
            raise SummaryError(f"the format {sanitize(kind)!r} is not a format of Shogi")
        try:
            self._position.finish()
            record = self._position.record
            times = self._control(0), self._control(1)
            most = whole_number(values.get("Max_Moves", "0") or "0", 0, NUMBER_MAX)
        except ValueError as fault:
            raise SummaryError(str(fault)) from None
        if record.ending:
            raise SummaryError("the game is already over")
        return Summary(
            game_id=self.game_id,
            names=(values.get("Name+", ""), values.get("Name-", "")),
            side="+-".index(turn),
            start=record.start,
            moves=tuple(zip(record.moves, record.seconds, strict=True)),
            times=times,
            max_moves=most,
            declaration=values.get("Declaration", ""),
        )

    def _control(self, side: int) -> ServerTime:
        """Return one side's time. Raises ValueError."""
        values = self._times[side]
        unit = _UNIT.fullmatch(values.get("Time_Unit", "1sec"))
        if not unit or not int(unit[1]):
            raise ValueError(f"Time_Unit {sanitize(values['Time_Unit'])!r} is not a unit of time")
        ms = scale = int(unit[1]) * _UNIT_MS[unit[2]]
        total, byoyomi, increment, least = (whole_number(values.get(key, "0"), 0, NUMBER_MAX) for key in _TIMES)
        named = _STOP_WATCH.search(self.game_id)
        stop_watch = unit[2] == "min" and named is not None and int(named[1]) == total
        if stop_watch:  # shogi-server says minutes but means seconds; its byoyomi is the last part of the total time
            scale = 1000
            total = max(total - byoyomi, 0)
        clock = Clock(total * scale, byoyomi * scale, increment * scale)
        return ServerTime(clock, ms, least * scale, roundup=values.get("Time_Roundup", "NO") == "YES")
