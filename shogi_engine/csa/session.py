"""A session on a server: connect, log in, play a number of games, and reconnect when the connection is lost.

One thread runs it; lines from the server and the player's answers come through one queue. A connection lost during a
game aborts the game: its record is written, and the session logs in again. If the server then offers that game again,
with the moves made, it continues; if not, it stays aborted and the next game is played.
"""

import contextlib
import math
import os
import queue
import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol as Interface

from shogi_engine.clients.base import EngineError
from shogi_engine.common.files import free_name, write_whole
from shogi_engine.common.text import sanitize
from shogi_engine.common.threads import Search
from shogi_engine.csa import protocol
from shogi_engine.csa.connection import Closed, Connection, ConnectionLost, Password, Received
from shogi_engine.csa.game import BrokenGame, GameContext, PlayerThread, ServerGame
from shogi_engine.csa.protocol import ConnectionState
from shogi_engine.language import InputError
from shogi_engine.play.players import Player
from shogi_engine.records.files import dumps
from shogi_engine.records.tree import GameRecord
from shogi_engine.types.limits import SIDES

# ---- Records of games on a server as files: CSA and KIF, written when a game ends or is aborted


FORMATS = ("csa", "kif")
NAME_MAX = 200  # characters of a file name without its extension


class GameSaver:
    """Writes records into a folder, under their game's name; does nothing without a folder."""

    def __init__(self, folder: str | Path = "") -> None:
        self._folder = Path(folder).expanduser() if folder else None
        self._names: dict[str, str] = {}  # of the files written here, by the stems they were to have
        self._own: set[Path] = set()
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def stem(self, game_id: str) -> str:
        """Return an unused file name, without extension, for a new game."""
        name = re.sub(r"[^\w+.@-]+", "_", game_id, flags=re.ASCII).strip("._") or time.strftime("%Y%m%d-%H%M%S")
        name = name[:NAME_MAX]
        folder = self._folder
        return name if folder is None else free_name(name, lambda stem: any(map(os.path.lexists, _paths(folder, stem))))

    def save(self, record: GameRecord, stem: str) -> Path | None:
        """Write a game's record, replacing an earlier one of this object only; return the first file's path.

        If another process has taken the name since `stem` returned it, the record gets the next free one.

        Raises OSError.
        """
        if self._folder is None:
            return None
        contents = [dumps(record, each) for each in FORMATS]
        while True:
            name = self._names.get(stem) or self.stem(stem)
            paths = _paths(self._folder, name)
            try:
                for path, content in zip(paths, contents, strict=True):
                    write_whole(path, content, new=path not in self._own)
                    self._names[stem] = name
                    self._own.add(path)
                return paths[0]
            except FileExistsError:
                self._names.pop(stem, None)


def _paths(folder: Path, stem: str) -> list[Path]:
    return [folder / f"{stem}.{each}" for each in FORMATS]


# ---- A session's settings and timeouts, and the results of its games. Standard library only


PORT = 4081


@dataclass(frozen=True)
class Timeouts:
    """Timeouts and delays in seconds.

    Attributes:
        connect: until there is a connection
        login: until LOGIN is answered
        start: from AGREE to START
        silence: without a line, beyond the time of the side to move
        logout: until LOGOUT is answered
        keep_alive: without a line in either direction, until an empty one is sent; the protocol requires 30 at
            least
        first_delay, longest_delay: before reconnecting; the delay doubles with each failure
    """

    connect: float = 15.0
    login: float = 15.0
    start: float = 180.0
    silence: float = 120.0
    logout: float = 5.0
    keep_alive: float = 40.0
    first_delay: float = 1.0
    longest_delay: float = 60.0


@dataclass(frozen=True)
class Settings:
    """The settings of a session. Raises ValueError for values that no server would accept.

    Attributes:
        game: shogi-server's game name, '' for servers that know none
        x1: use the extended mode, which needs a game name
        turn: in the extended mode, '+', '-' or '*' for either
        games: the number of games, 0 for no limit
        comments: send scores and lines with moves
        ponder: think on the opponent's time
        delay: the ms that a move takes on its way to the server
        attempts: the maximum number of consecutive attempts to connect or log in
        resume: seconds to wait for the server to offer an aborted last game again
    """

    host: str
    name: str
    port: int = PORT
    game: str = ""
    x1: bool = False
    turn: str = "*"
    games: int = 1
    comments: bool = False
    ponder: bool = True
    delay: int = 20
    attempts: int = 10
    resume: float = 60.0
    timeouts: Timeouts = field(default_factory=Timeouts)

    def __post_init__(self) -> None:
        protocol.check_name(self.name)
        if self.game:
            protocol.check_game(self.game)
        elif self.x1:
            raise InputError("the extended mode x1 needs a game name")
        if self.x1 and self.game[-1:] in ("B", "b", "W", "w"):
            raise InputError("in the extended mode x1 a side is requested by --x1, not in the game's name")
        if not self.x1 and self.turn != "*":
            raise InputError("without the extended mode x1 a side is requested by -B or -W after the game's name")

    @property
    def password_game(self) -> str:
        """The game name that goes in front of the password in shogi-server's standard mode, '' otherwise."""
        return "" if self.x1 else self.game


@dataclass
class Tally:
    """The results of games.

    Attributes:
        broken: the number of games without a result
    """

    wins: int = 0
    losses: int = 0
    draws: int = 0
    broken: int = 0

    def count(self, result: str) -> None:
        """Count a game that ended in 'win', 'lose', 'draw' or ''."""
        name = {"win": "wins", "lose": "losses", "draw": "draws"}.get(result, "broken")
        setattr(self, name, getattr(self, name) + 1)

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.losses + self.draws + self.broken

    def describe(self) -> str:
        """Return the results in words."""
        text = f"{self.wins} won, {self.losses} lost, {self.draws} drawn"
        return f"{text}, {self.broken} aborted" if self.broken else text


NAP = 0.1  # seconds; delays are slept in steps of this
TICK = 1.0  # seconds between looks at the clock
STEADY = 60.0  # seconds after which a connection counts as successful
JITTER = 0.25  # random share of a delay, so that clients do not all reconnect at once after a server's restart
UNREADABLE_MAX = 3  # consecutive offers that cannot be read
ENDED_BY = {
    "RESIGN": "resignation", "TIME_UP": "time", "ILLEGAL_MOVE": "an illegal move",
    "ILLEGAL_ACTION": "an illegal action", "SENNICHITE": "repetition",
    "OUTE_SENNICHITE": "perpetual check", "JISHOGI": "declaration", "MAX_MOVES": "the move limit",
    "CHUDAN": "the server",
}  # fmt: skip
WORDS = {"win": "won", "lose": "lost", "draw": "drawn", "": "aborted"}


class SessionError(ValueError):
    """A session cannot continue; the text says why, on one line."""


class Display(Interface):
    """Shows a session's progress."""

    def note(self, text: str) -> None:
        """Show a line that stays."""

    def progress(self, text: str) -> None:
        """Show a line that the next one replaces; '' removes it."""


class CsaSession:
    """One login name on one server.

    Args:
        log: called with '<', '>' or '=' and each line; it never sees the password
    """

    def __init__(
        self,
        settings: Settings,
        password: str,
        player: Player,
        keeper: GameSaver,
        display: Display,
        log: Callable[[str, str], None] = lambda direction, line: None,
    ) -> None:
        self.tally = Tally()
        self._settings, self._timeouts = settings, settings.timeouts
        self._password = Password(password, settings.password_game)
        self._player, self._keeper, self._display = PlayerThread(player), keeper, display
        self._sink = log
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()  # signal handlers may put into it
        self._connection: Connection | None = None
        self._protocol = protocol.Protocol(x1=settings.x1)
        self._game: ServerGame | None = None
        self._earlier: ServerGame | None = None  # the game that `_game` continues
        self._broken: ServerGame | None = None  # a game that may be offered again
        self._deadlines: dict[str, float] = {}
        self._begun = self._failures = self._unreadable = 0
        self._ever = self._leaving = self._done = False
        self._returning = False  # logged out only to log in again
        self._played = False  # a game has ended on this connection
        self._connected = 0.0  # when the connection was made
        self._interrupts = self._heeded = 0
        self._handlers: dict[type, Callable[[Any, float], None]] = {
            protocol.LoggedIn: self._logged_in, protocol.Refused: self._refused, protocol.Offered: self._offered,
            protocol.Unreadable: self._not_readable, protocol.Rejected: self._rejected,
            protocol.Started: self._started, protocol.Moved: self._moved, protocol.Declared: self._declared,
            protocol.GameEnded: self._ended, protocol.LoggedOut: self._logged_out,
            protocol.GameRefused: self._game_refused, protocol.Notice: self._noticed,
        }  # fmt: skip

    # ---- the loop

    def run(self) -> Tally:
        """Play. Raises SessionError if the session cannot continue."""
        try:
            while not self._done:
                try:
                    self._step()
                except ConnectionLost as fault:
                    self._lost(f"the connection was lost: {fault}")
        except SessionError as fault:  # it may quote the server, which may repeat the password
            raise SessionError(self._password.hide(str(fault))) from None
        finally:
            if self._game is not None:
                self._break_off("this side left")
            self._drop_broken()
            if self._connection is not None:
                self._connection.close()
            self._player.close()
            self._display.progress("")
        return self.tally

    def _step(self) -> None:
        """Connect, or process the next item of the queue."""
        if self._connection is None:
            if self._has_reason_to_connect():
                self._connect()
            else:
                self._done = True
            return
        now = time.monotonic()
        with contextlib.suppress(queue.Empty):
            self._take(self._inbox.get(timeout=max(min(self._next_deadline() - now, TICK), 0.001)))
        if self._interrupts > self._heeded:
            self._heed_interrupt()
        self._look_at_clock(time.monotonic())

    def _take(self, item: Any) -> None:
        if isinstance(item, Received) and item.connection is self._connection:
            for event in self._protocol.receive(item.line):
                self._handlers[type(event)](event, item.at)
        elif isinstance(item, Closed) and item.connection is self._connection:
            self._lost(item.reason)
        elif isinstance(item, Search) and self._game is not None:
            self._game.answered(item)

    def _send(self, line: str) -> None:
        assert self._connection is not None
        self._connection.send(line)

    def _log(self, direction: str, line: str) -> None:
        self._sink(direction, self._password.hide(line))

    def _note(self, text: str) -> None:
        text = self._password.hide(text)
        self._log("=", text)
        self._display.note(text)

    # ---- time

    def _next_deadline(self) -> float:
        assert self._connection is not None
        return min([*self._deadlines.values(), self._connection.last + self._timeouts.keep_alive])

    def _set_deadline(self, name: str, seconds: float) -> None:
        self._deadlines[name] = time.monotonic() + seconds

    def _look_at_clock(self, now: float) -> None:
        """Do whatever is due."""
        connection = self._connection
        if connection is None:
            return
        for name in [name for name, at in self._deadlines.items() if at <= now]:
            del self._deadlines[name]
            if name == "resume":
                self._note("the aborted game was not offered again")
                self._leave()
            elif name == "logout":
                self._logged_out(protocol.LoggedOut(), now)
            else:
                self._lost(f"the server did not answer {name.upper()} within {getattr(self._timeouts, name):g} s")
                return
        game = self._game
        if game is not None and self._protocol.state is ConnectionState.PLAYING:
            silent = now - connection.heard
            if silent > self._timeouts.silence and -game.time_left() > self._timeouts.silence:
                self._lost(f"no line from the server for {silent:.0f} s")
                return
            self._show(game, now)
        if now - connection.last >= self._timeouts.keep_alive and self._protocol.state is not ConnectionState.LOGIN:
            connection.send("")

    def _show(self, game: ServerGame, now: float) -> None:
        left = game.time_left()
        whose = "we think" if game.our_turn else f"{game.opponent} thinks"
        score = "" if game.score is None else f", score {game.score / 100:+.2f}"
        clock = "" if math.isinf(left) else f", {max(left, 0):.0f} s left"
        self._display.progress(f"move {game.ply + 1}: {whose}{clock}{score}")

    # ---- connections

    def _more(self) -> bool:
        """Tell whether to start another game."""
        return not self._leaving and (not self._settings.games or self._begun < self._settings.games)

    def _may_resume(self) -> bool:
        return self._broken is not None and self._settings.resume > 0 and not self._leaving

    def _has_reason_to_connect(self) -> bool:
        return self._more() or self._may_resume()

    def _connect(self) -> None:
        """Try once to connect and log in, after a delay if it failed before. Raises SessionError after the last try."""
        settings = self._settings
        if self._failures:
            delay = min(self._timeouts.first_delay * 2 ** (self._failures - 1), self._timeouts.longest_delay)
            again = time.monotonic() + delay * (1 + JITTER * random.random())
            self._display.progress(f"connecting again in {delay:.0f} s")
            while (left := again - time.monotonic()) > 0:
                if self._interrupts:
                    self._done = True
                    return
                time.sleep(min(left, NAP))
        self._display.progress(f"connecting to {settings.host}:{settings.port}")
        try:
            self._connection = Connection(
                settings.host, settings.port, self._inbox.put, timeout=self._timeouts.connect, log=self._log
            )
        except OSError as fault:
            self._failed(f"no connection to {settings.host}:{settings.port}: {fault.strerror or fault}")
            return
        self._protocol = protocol.Protocol(x1=settings.x1)
        self._played = self._returning = False
        self._connected = time.monotonic()
        self._deadlines = {}
        self._set_deadline("login", self._timeouts.login)
        self._send(self._protocol.login(settings.name, self._password.for_login()))

    def _failed(self, reason: str) -> None:
        """Count a failed attempt. Raises SessionError if it was the last."""
        self._failures += 1
        if self._failures >= self._settings.attempts:
            raise SessionError(f"{reason} ({self._failures} consecutive attempts)")
        self._note(reason)

    def _lost(self, reason: str) -> None:
        """The connection has ended, or is given up."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        if self._played or time.monotonic() - self._connected > STEADY:
            self._failures = 0
        for event in self._protocol.closed():
            self._handlers[type(event)](event, time.monotonic())
        self._deadlines = {}
        if self._game is not None and self._break_off(reason):
            self._failures += 1
        elif not self._has_reason_to_connect():
            self._done = True
        elif not self._played and not self._returning:
            self._failed(reason)

    # ---- events: login

    def _logged_in(self, event: protocol.LoggedIn, now: float) -> None:
        self._deadlines.pop("login", None)
        again, self._ever = self._ever, True
        if not again:
            self._note(f"logged in as {self._settings.name} on {self._settings.host}:{self._settings.port}")
        self._wait_for_game()

    def _wait_for_game(self) -> None:
        """Request a game, or wait for one."""
        if not self._more():
            if not self._may_resume():
                self._leave()
                return
            self._set_deadline("resume", self._settings.resume)
        if self._settings.x1 and self._more():
            self._send(self._protocol.ask_for_game(self._settings.game, self._settings.turn))
        self._display.progress(f"waiting for {self._settings.game or 'a game'}")

    def _next_game(self) -> None:
        """Wait for the next game; on shogi-server in standard mode, which plays one game a login, log in again.

        There the winner's connection stays open until the server hears something, but no game follows.
        """
        once = bool(self._settings.password_game) or self._protocol.one_game_per_login
        if once and self._more():
            self._returning = True
            self._leave()
        else:
            self._wait_for_game()

    def _refused(self, event: protocol.Refused, now: float) -> None:
        reason = f"the server refused the login of {self._settings.name}: {sanitize(event.reason)}"
        if not self._ever:
            raise SessionError(f"{reason} (wrong name or password, or the name is already logged in)")
        # The server may not have noticed yet that the previous connection was lost.
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._deadlines = {}
        self._failed(reason)

    def _leave(self) -> None:
        """Log out."""
        if self._protocol.state is ConnectionState.WAITING and self._connection is not None:
            self._deadlines = {}
            self._set_deadline("logout", self._timeouts.logout)
            self._send(self._protocol.logout())
        else:
            self._done = True

    def _logged_out(self, event: protocol.LoggedOut, now: float) -> None:
        if self._returning and self._more():
            self._lost("logged out")
        else:
            self._done = True

    def _game_refused(self, event: protocol.GameRefused, now: float) -> None:
        raise SessionError(f"the server refused the game {self._settings.game}: {sanitize(event.reason)}")

    def _noticed(self, event: protocol.Notice, now: float) -> None:
        if event.text.startswith("##[ERROR]"):
            self._note(f"the server says: {sanitize(event.text)}")

    # ---- events: the offer

    def _offered(self, event: protocol.Offered, now: float) -> None:
        self._deadlines.pop("resume", None)
        self._unreadable = 0
        context = GameContext(
            self._protocol, self._send, self._player, self._inbox.put, self._settings.delay,
            comments=self._settings.comments, ponder=self._settings.ponder, note=self._note,
        )  # fmt: skip
        game, broken = ServerGame(event.summary, context), self._broken
        if broken is not None and game.continues(broken):
            game = ServerGame(event.summary, context, stem=broken.stem, earlier=broken)
            self._earlier, self._broken = broken, None
        elif not self._more():
            self._send(self._protocol.reject())
            self._leave()
            return
        else:
            self._drop_broken()
            game.stem = self._keeper.stem(event.summary.game_id)
        self._game = game
        try:
            self._player.begin(game.game, game.side)
        except (EngineError, ValueError, OSError) as fault:
            self._note(f"the engine failed: {fault}")
            self._restart(game)
        self._send(self._protocol.agree())
        self._set_deadline("start", self._timeouts.start)

    def _restart(self, game: ServerGame) -> None:
        """Start the player again for a game. Raises SessionError."""
        try:
            self._player.restart()
            self._player.begin(game.game, game.side)
        except (EngineError, ValueError, OSError) as fault:
            raise SessionError(f"the engine does not start: {fault}") from None

    def _not_readable(self, event: protocol.Unreadable, now: float) -> None:
        self._note(f"the game {sanitize(event.game_id)} is refused: {sanitize(event.reason)}")
        self._unreadable += 1
        self._send(self._protocol.reject())
        if self._unreadable >= UNREADABLE_MAX:
            raise SessionError(f"{self._unreadable} consecutive offers of games could not be read: {event.reason}")

    def _rejected(self, event: protocol.Rejected, now: float) -> None:
        self._deadlines.pop("start", None)
        if self._game is not None:
            self._note(f"the game did not begin: {sanitize(event.text)}")
            self._game = None
            self._broken, self._earlier = self._earlier, None
        self._next_game()

    # ---- events: the game

    def _started(self, event: protocol.Started, now: float) -> None:
        self._deadlines.pop("start", None)
        game = self._game
        assert game is not None
        colour = SIDES[game.side]
        if self._earlier is None:
            self._begun += 1
            conditions = game.summary.describe()
            self._note(f"game {self._begun}: {colour} against {sanitize(game.opponent)}, {conditions}")
        else:
            self._note(f"game {self._begun} continues after {game.ply} moves")
        self._earlier = None
        game.start(now)

    def _moved(self, event: protocol.Moved, now: float) -> None:
        if self._game is not None:
            try:
                self._game.moved(event, now)
            except BrokenGame as fault:
                self._lost(str(fault))

    def _declared(self, event: protocol.Declared, now: float) -> None:
        if self._game is not None:
            self._game.declared(event)

    def _ended(self, event: protocol.GameEnded, now: float) -> None:
        game, self._game = self._game, None
        if game is None:
            return
        game.ended(event)
        self._played = True
        self._conclude(game)
        if self._connection is not None and self._protocol.state is ConnectionState.WAITING:
            self._next_game()

    def _break_off(self, reason: str) -> bool:
        """End the record of the running game without a result; tell whether it had begun."""
        game, earlier, self._game, self._earlier = self._game, self._earlier, None, None
        assert game is not None
        if not game.started and earlier is None:
            return False
        game.break_off(reason)
        self._conclude(game)
        return True

    def _conclude(self, game: ServerGame) -> None:
        """Write the record and report the result."""
        try:
            path = self._keeper.save(game.record, game.stem)
        except (OSError, ValueError) as fault:
            self._note(f"the record could not be written: {fault}")
            path = None
        by = ENDED_BY.get(game.reason, sanitize(game.reason).lower())
        text = f"game {self._begun}: {WORDS[game.result]} by {by} after {game.ply} moves"
        if game.result:
            self.tally.count(game.result)
        else:
            text = f"game {self._begun}: aborted after {game.ply} moves: {by}"
            self._broken = game
        self._note(f"{text}; {path}" if path else text)

    def _drop_broken(self) -> None:
        """Give up resuming the aborted game."""
        if self._broken is not None:
            self.tally.count("")
            self._broken = None

    # ---- leaving early

    def interrupt(self) -> None:
        """Leave: the first time after the running game, the second time at once. Signal handlers may call it."""
        self._interrupts += 1
        self._inbox.put(None)

    @property
    def left_at_once(self) -> bool:
        """Tell whether a game was left before its end."""
        return self._interrupts > 1

    def _heed_interrupt(self) -> None:
        first, self._heeded = not self._heeded, self._interrupts
        self._leaving = True
        if self._game is None or self._protocol.state is not ConnectionState.PLAYING:
            self._leave()
        elif first and not self.left_at_once:
            self._note("this game will be finished; interrupt again to abort it, which most servers count as a loss")
        else:
            self._done = True
