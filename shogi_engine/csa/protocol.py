"""The client's side of the CSA protocol: lines in, events out, and the lines to send. It does no input or output.

Unknown lines, and lines that come at the wrong time, become Notices and change nothing.
"""

import enum
import re
from dataclasses import dataclass

from shogi_engine.common.text import sanitize, whole_number
from shogi_engine.games.shogi.records.formats.csa import CsaReader
from shogi_engine.language import InputError
from shogi_engine.types.limits import Clock
from shogi_engine.types.outcomes import Outcome, Termination

# ---- Game_Summary: the conditions of a game that a server offers, read line by line


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
class GameSummary:
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

    def take(self, line: str) -> GameSummary | None:
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

    def _finish(self) -> GameSummary:
        if self._fault:
            raise SummaryError(self._fault)
        values = self._values
        turn, kind = values.get("Your_Turn", ""), values.get("Format", FORMAT)
        if turn not in ("+", "-"):
            raise SummaryError(f"Your_Turn is + or -, not {sanitize(turn)!r}")
        if not kind.startswith("Shogi "):
            raise SummaryError(f"the format {sanitize(kind)!r} is not a format of Shogi")
        try:
            if self._position.builder is None and values.get("To_Move") in ("+", "-"):  # not said with the position
                self._position.take(values["To_Move"])
            self._position.finish()
            record = self._position.record
            times = self._control(0), self._control(1)
            most = whole_number(values.get("Max_Moves", "0") or "0", 0, NUMBER_MAX)
        except ValueError as fault:
            raise SummaryError(str(fault)) from None
        if record.ending:
            raise SummaryError("the game is already over")
        return GameSummary(
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


RESULTS = ("WIN", "LOSE", "DRAW", "CENSORED", "CHUDAN")
_RESULTS = {"WIN": "win", "LOSE": "lose", "DRAW": "draw", "CENSORED": "draw"}  # CHUDAN, an aborted game, has none
_REASONS = {  # as the server names them
    "RESIGN": Termination.RESIGNATION,
    "TIME_UP": Termination.TIME_FORFEIT,
    "ILLEGAL_MOVE": Termination.ILLEGAL_MOVE,
    "ILLEGAL_ACTION": Termination.ILLEGAL_MOVE,
    "OUTE_SENNICHITE": Termination.PERPETUAL_CHECK,
    "JISHOGI": Termination.DECLARATION,  # or an impasse, if it is a draw
    "SENNICHITE": Termination.REPETITION,
    "MAX_MOVES": Termination.MAX_MOVES,
}
NAME_MAX = 32  # characters of a login name, and of the first part of a game name of shogi-server
_NAME = re.compile(rf"[\w@.-]{{1,{NAME_MAX}}}", re.ASCII)
_GAME = re.compile(rf"[\w@.-]{{1,{NAME_MAX}}}-[0-9]+-[0-9]+F?(-[BbWw])?", re.ASCII)
_MOVE = re.compile(r"(?P<move>[+-][0-9]{4}[A-Z]{2})(?P<rest>,.*)?", re.ASCII)
_SPECIAL = re.compile(r"%(?P<word>[A-Z_+-]+)(?P<rest>,.*)?", re.ASCII)
_TIME = re.compile(r",T(?P<seconds>[0-9]{1,9}(\.[0-9]{0,9})?)", re.ASCII)
_END = re.compile(r"#(?P<word>[A-Z_+-]+)", re.ASCII)
_OTHER_ERROR = re.compile(r"unknown command|you are in \w+ status\. (AGREE|REJECT) is valid")  # not about the game


def result_of(word: str) -> str:
    """Return the engine's result, 'win', 'lose' or 'draw', for the server's word; '' for an aborted game."""
    return _RESULTS.get(word, "")


def outcome_of(reason: str, result: str, side: int) -> Outcome:
    """Return the outcome for the server's `reason` and the engine's `result`, as from `result_of`, as `side`."""
    if not result:
        return Outcome(None, Termination.INTERRUPTED)
    if result == "draw":
        termination = _REASONS.get(reason, Termination.AGREEMENT)
        return Outcome(None, Termination.IMPASSE if termination is Termination.DECLARATION else termination)
    return Outcome(side if result == "win" else 1 - side, _REASONS.get(reason, Termination.UNKNOWN))


class ConnectionState(enum.Enum):
    """The state of a conversation."""

    NEW = "not logged in"
    LOGIN = "waiting for the answer to LOGIN"
    WAITING = "waiting for a game"
    SUMMARY = "reading the conditions of a game"
    OFFERED = "a game is offered"
    AGREED = "waiting for START"
    PLAYING = "playing"
    LOGOUT = "waiting for the answer to LOGOUT"
    REFUSED = "not admitted"


@dataclass(frozen=True)
class LoggedIn:
    """The login was accepted."""


@dataclass(frozen=True)
class Refused:
    """The login was refused."""

    reason: str


@dataclass(frozen=True)
class Offered:
    """A game can begin."""

    summary: GameSummary


@dataclass(frozen=True)
class Unreadable:
    """A game was offered whose conditions cannot be read."""

    game_id: str
    reason: str


@dataclass(frozen=True)
class Rejected:
    """The offered game was rejected."""

    text: str


@dataclass(frozen=True)
class Started:
    """The game begins."""


@dataclass(frozen=True)
class Moved:
    """A move of either side was accepted.

    Attributes:
        move: '+7776FU'
        time: the text after T, '' if there is none
    """

    move: str
    time: str


@dataclass(frozen=True)
class Declared:
    """A side has sent %TORYO, %KACHI ...

    Attributes:
        time: as in Moved
    """

    word: str
    time: str


@dataclass(frozen=True)
class GameEnded:
    """The game is over.

    Attributes:
        reason: 'RESIGN', 'TIME_UP' ..., '' if none was given
        result: one of RESULTS, or ''
    """

    reason: str
    result: str


@dataclass(frozen=True)
class LoggedOut:
    """LOGOUT was answered."""


@dataclass(frozen=True)
class GameRefused:
    """The server refuses the requested game, in shogi-server's standard mode the one in the login."""

    reason: str


@dataclass(frozen=True)
class Notice:
    """A line that changes nothing."""

    text: str


Event = (
    LoggedIn | Refused | Offered | Unreadable | Rejected | Started | Moved | Declared | GameEnded | LoggedOut
    | GameRefused | Notice
)  # fmt: skip


def check_name(name: str) -> str:
    """Return a login's name. Raises ValueError if a server would refuse it."""
    if not _NAME.fullmatch(name):
        raise InputError("a name has 1 to {0} letters, digits and _ - . @, not {1!r}", NAME_MAX, sanitize(name))
    return name


def check_game(name: str) -> str:
    """Return a game name of shogi-server. Raises ValueError if it is invalid."""
    if not _GAME.fullmatch(name):
        raise InputError("a game is NAME-SECONDS-BYOYOMI or NAME-SECONDS-INCREMENTF, not {0!r}", sanitize(name))
    return name


class Protocol:
    """One conversation. Methods that send something return the line to send.

    Args:
        x1: the extended mode
    """

    def __init__(self, *, x1: bool = False) -> None:
        self.x1 = x1
        self.state = ConnectionState.NEW
        self.summary: GameSummary | None = None
        self.reason = ""  # why the game ends, once known
        self._reader = SummaryReader()

    # ---- lines to the server

    def login(self, name: str, password: str) -> str:
        """Begin the conversation."""
        self._go(ConnectionState.LOGIN, ConnectionState.NEW)
        return f"LOGIN {name} {password}{' x1' if self.x1 else ''}"

    def ask_for_game(self, game: str, turn: str) -> str:
        """Request a game, in the extended mode.

        Args:
            turn: '+', '-' or '*' for either
        """
        self._go(ConnectionState.WAITING, ConnectionState.WAITING)
        return f"%%GAME {game} {turn}"

    def agree(self) -> str:
        """Accept the offered game."""
        self._go(ConnectionState.AGREED, ConnectionState.OFFERED)
        return f"AGREE {self._game_id}".rstrip()

    def reject(self) -> str:
        """Refuse the offered game."""
        self._go(ConnectionState.WAITING, ConnectionState.OFFERED)
        return f"REJECT {self._game_id}".rstrip()

    def move(self, move: str, comment: str = "") -> str:
        """Make a move; the comment is for shogi-server."""
        self._go(ConnectionState.PLAYING, ConnectionState.PLAYING)
        return f"{move},'{comment}" if comment else move

    def resign(self) -> str:
        """Resign."""
        self._go(ConnectionState.PLAYING, ConnectionState.PLAYING)
        return "%TORYO"

    def declare(self) -> str:
        """Declare a win by entering king."""
        self._go(ConnectionState.PLAYING, ConnectionState.PLAYING)
        return "%KACHI"

    def logout(self) -> str:
        """Log out."""
        self._go(ConnectionState.LOGOUT, ConnectionState.WAITING)
        return "LOGOUT"

    @property
    def one_game_per_login(self) -> bool:
        """Whether the last game offered ends the login, as in shogi-server's standard mode."""
        return not self.x1 and from_shogi_server(self._game_id)

    @property
    def _game_id(self) -> str:
        return self.summary.game_id if self.summary else self._reader.game_id

    def _go(self, to: ConnectionState, *allowed: ConnectionState) -> None:
        if self.state not in allowed:
            raise RuntimeError(f"{to.name} cannot follow {self.state.name}")
        self.state = to

    # ---- lines from the server

    def receive(self, line: str) -> list[Event]:
        """Process one line without its line end; return the events."""
        line = line.rstrip()
        if self.state is ConnectionState.SUMMARY and line != BEGIN:
            return self._take_summary(line)
        if not line:
            return []  # an answer to keep-alive
        if line.startswith("##"):
            return self._take_extended(line)
        if line == BEGIN:
            return self._begin_summary()
        if line.startswith("LOGIN:"):
            return self._take_login(line)
        if line.startswith("LOGOUT:"):
            self.state = ConnectionState.LOGOUT
            return [LoggedOut()]
        if self.state is ConnectionState.PLAYING:
            return self._take_game(line)
        if self.state in (ConnectionState.OFFERED, ConnectionState.AGREED):
            return self._take_answer(line)
        return [Notice(line)]

    def closed(self) -> list[Event]:
        """Process the end of the connection; return the end of the game if the server had begun to report it."""
        ended = self.state is ConnectionState.PLAYING and self.reason
        self.state = ConnectionState.NEW
        return [GameEnded(self.reason, "")] if ended else []

    def _take_login(self, line: str) -> list[Event]:
        if self.state is not ConnectionState.LOGIN:
            return [Notice(line)]
        if line.endswith(" OK"):
            self.state = ConnectionState.WAITING
            return [LoggedIn()]
        self.state = ConnectionState.REFUSED
        return [Refused(line.removeprefix("LOGIN:").strip() or "incorrect")]

    def _take_extended(self, line: str) -> list[Event]:
        error = line.removeprefix("##[ERROR]").strip()
        if line.startswith("##[ERROR]") and self.state is ConnectionState.WAITING and not _OTHER_ERROR.match(error):
            return [GameRefused(error)]
        return [Notice(line)]

    def _begin_summary(self) -> list[Event]:
        if self.state in (ConnectionState.NEW, ConnectionState.LOGIN, ConnectionState.REFUSED, ConnectionState.LOGOUT):
            return [Notice(BEGIN)]
        playing = self.state is ConnectionState.PLAYING
        ended: list[Event] = [GameEnded(self.reason, "")] if playing else []  # its result is unknown
        self.state, self.summary, self._reader = ConnectionState.SUMMARY, None, SummaryReader()
        return ended

    def _take_summary(self, line: str) -> list[Event]:
        try:
            summary = self._reader.take(line)
        except SummaryError as fault:
            self.state = ConnectionState.OFFERED
            return [Unreadable(self._reader.game_id, str(fault))]
        if summary is None:
            return []
        self.summary, self.state, self.reason = summary, ConnectionState.OFFERED, ""
        return [Offered(summary)]

    def _take_answer(self, line: str) -> list[Event]:
        """Take a line between the offer and the start of a game."""
        word, _, rest = line.partition(":")
        if word == "REJECT":
            self.state = ConnectionState.WAITING
            return [Rejected(rest.strip())]
        if word == "START" and rest.strip() in ("", self._game_id) and self.state is ConnectionState.AGREED:
            self.state = ConnectionState.PLAYING
            return [Started()]
        return [Notice(line)]

    def _take_game(self, line: str) -> list[Event]:
        """Take a line of the game."""
        found = _MOVE.fullmatch(line)
        if found:
            return [Moved(found["move"], _time(found["rest"]))]
        found = _SPECIAL.fullmatch(line)
        if found:
            return [Declared(found["word"], _time(found["rest"]))]
        found = _END.fullmatch(line.strip())
        if not found:
            return [Notice(line)]
        if found["word"] not in RESULTS:
            self.reason = found["word"]
            return []
        reason, self.reason, self.state = self.reason, "", ConnectionState.WAITING
        return [GameEnded(reason, found["word"])]


def _time(rest: str | None) -> str:
    """Return the number after T in what follows a move, '' if there is none."""
    found = _TIME.search(rest or "")
    return found["seconds"] if found else ""
