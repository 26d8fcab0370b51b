"""`shogi-engine csa`: plays on a server by the CSA protocol: floodgate, WCSC, or one on this machine."""

import argparse
import contextlib
import math
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine import games
from shogi_engine.cli import common
from shogi_engine.cli.common import (
    EndingSignals,
    EndSignal,
    Setting,
    at_least_one,
    ending_signals,
    flag,
    natural,
    option,
    positional,
    tell,
)
from shogi_engine.cli.progress import ProgressBar, progress_bar
from shogi_engine.common.files import LineFile
from shogi_engine.common.text import printable
from shogi_engine.csa.connection import VARIABLE, read_password
from shogi_engine.language import InputError, Message, mark, translate_fault

if TYPE_CHECKING:
    from shogi_engine.csa.session import CsaSession
    from shogi_engine.play.players import Player
    from shogi_engine.types.limits import Limit

_ADDRESS = re.compile(r"(\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:\[\]]+))(:(?P<port>[0-9]{1,5}))?")
_LOGGED = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [<>=] ")
TIMEOUT = 30.0  # seconds beyond a move's time after which a USI engine has failed to answer
SETTINGS = (
    Setting("attempts=N", at_least_one, "attempts to connect before giving up", 10),
    Setting("resume=S", natural, "seconds to wait for an aborted last game to resume; default 60, or 0 with --game"),
    Setting("delay=MS", natural, "time kept in reserve for each move", 200),  # a server on this machine needs less
    Setting("comments=true|false", common.true_or_false, "send scores and lines with moves; default: only with --game"),
)


class Arguments(common.Arguments):
    """The server, the login and the player."""

    server: str = positional("HOST[:PORT]", "the server; the default port is 4081")
    name: str = option("login name", required=True, metavar="NAME")
    password_file: str = option(
        Message("a file with the password in its first line; default: the variable {0}", VARIABLE),
        default="",
        metavar="FILE",
    )
    game: str = option(
        "the game name of shogi-server, e.g. floodgate-300-10F; none for WCSC", default="", metavar="NAME"
    )
    x1: str = option(
        "use the extended mode of shogi-server, and request black (+), white (-) or either side (*)",
        nargs="?",
        const="*",
        default="",
        choices=("+", "-", "*"),
    )
    games: int = option("number of games, 0 for no limit", type=natural, default=1)
    ponder: bool = option(
        "think on the opponent's time; default: yes", action=argparse.BooleanOptionalAction, default=True
    )
    out: str = option("folder for the CSA and KIF files of the games", default="", metavar="FOLDER")
    log: str = option("append all lines sent and received to FILE, without the password", default="", metavar="FILE")
    engine: str = option(
        "a USI engine: 'COMMAND:Option=value,...'; default: this engine", default="", metavar="COMMAND"
    )
    limit: dict[str, int] = common.limit_option("nodes", "level", default=mark("the clock, at full strength"))
    book: bool = flag("use this engine's opening book")
    resign: int | None = option("this engine resigns when its score is -CP or less", type=at_least_one, metavar="CP")
    threads: int = common.THREADS
    hash: int = common.hash_option(256)
    set: dict[str, Any] = common.settings_option(settings=SETTINGS)


def server_address(text: str) -> tuple[str, int]:
    """Return host and port of 'HOST', 'HOST:PORT' or '[::1]:PORT'. Raises ValueError."""
    from shogi_engine.csa.session import PORT

    found = _ADDRESS.fullmatch(text)
    if not found or not 0 < int(found["port"] or PORT) <= common.PORT_MAX:
        raise InputError("csa: expected HOST, HOST:PORT or [ADDRESS]:PORT, not {0!r}", text)
    return found["six"] or found["host"], int(found["port"] or PORT)


class Terminal:
    """Shows a session: permanent lines on stdout, and on a terminal a line that the next one replaces."""

    def __init__(self, line: ProgressBar) -> None:
        self._line = line
        self.progress = line.say

    def note(self, text: str) -> None:
        """Print a line."""
        self._line.close()
        print(f"{time.strftime('%H:%M:%S')}  {printable(text)}", flush=True)


class ConversationLog:
    """Logs the conversation to a file, each line with the time; does nothing without a file.

    A game does not end because the disk is full: the log does, with a line on stderr.

    Raises:
        ValueError: the file is not such a log
        OSError: it cannot be written, or another process writes it
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path).expanduser()
        self._file = LineFile(self._path, self._check) if path else None

    def _check(self, number: int, line: bytes) -> None:
        if number == 1 and not _LOGGED.match(line):
            raise InputError("csa: {0} is not a log of conversations, so nothing is added to it", self._path)

    def __call__(self, direction: str, line: str) -> None:
        """Add a line."""
        file = self._file
        if file is None:
            return
        now = time.time()
        ms = int(math.modf(now)[0] * 1000)
        stamp = f"{time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(now))}.{ms:03}"
        try:
            file.write_line(f"{stamp} {direction} {line}".encode("utf-8", "replace"))
        except OSError as fault:
            self.close()
            tell(f"shogi-engine: {translate_fault(fault)}")

    def close(self) -> None:
        """Close the file; nothing is logged any more."""
        if self._file is not None:
            self._file.close()
            self._file = None


@contextlib.contextmanager
def leaving_by_signals(session: "CsaSession") -> Iterator[EndingSignals]:
    """Make signals end the session in an orderly way; the third one ends it at once."""
    count = 0

    def leave() -> None:
        nonlocal count
        count += 1
        if count > 2:
            raise EndSignal
        session.interrupt()

    with ending_signals() as signals:
        signals.first = leave
        try:
            yield signals
        finally:
            signals.first = None


def make_player(args: Arguments) -> "Player":
    """Return the player, ready for the first game. Raises ValueError, OSError."""
    from shogi_engine.play.players import EnginePlayer
    from shogi_engine.types.limits import Limit

    limit = Limit.of(**args.limit)
    games.warm_board("shogi")
    if args.engine:
        if limit.level is not None or args.book or args.resign:
            raise InputError(
                "csa: --level, --book and --resign are for this engine; give another engine's options in --engine"
            )
        return usi_player(args, limit)
    player = EnginePlayer(
        "shogi", limit, hash_mb=args.hash, threads=args.threads, ponders=args.ponder,
        book=args.book, solver=limit.level is None, resign=args.resign or 0,
    )  # fmt: skip
    with progress_bar():
        player.ready()
    return player


def usi_player(args: Arguments, limit: "Limit") -> "Player":
    """Return a USI engine as a player, ready for the first game. Raises ValueError."""
    from shogi_engine.clients.base import EngineError
    from shogi_engine.clients.usi import SimpleEngine
    from shogi_engine.play.players import UsiPlayer

    defaults = {"USI_Hash": args.hash, "Threads": args.threads, "USI_Ponder": args.ponder}
    engine = SimpleEngine.described(args.engine, defaults=defaults, timeout=TIMEOUT)
    player = UsiPlayer(engine, limit, ponders=args.ponder)
    try:
        player.ready()
    except EngineError as fault:
        raise InputError("{0}: {1}", args.engine, fault) from None
    return player


def run(args: Arguments) -> int:
    """Play; the status is 0 if all games were finished, 1 if one was aborted."""
    from shogi_engine.csa.session import CsaSession, GameSaver, Settings

    host, port = server_address(args.server)
    settings = Settings(
        host,
        args.name,
        port=port,
        game=args.game,
        x1=bool(args.x1),
        turn=args.x1 or "*",
        games=args.games,
        ponder=args.ponder,
        **{"comments": bool(args.game), "resume": 0 if args.game else 60, **args.set},
    )
    password = read_password(args.password_file)
    keeper = GameSaver(args.out)
    log = ConversationLog(args.log)
    player = make_player(args)
    with progress_bar() as line:
        display = Terminal(line)
        session = CsaSession(settings, password, player, keeper, display, log)
        try:
            with leaving_by_signals(session) as signals:
                session.run()
        finally:
            player.close()
            log.close()
            if count := session.tally.games:
                display.note(f"{count} game{'s' if count > 1 else ''}: {session.tally.describe()}")
    return signals.status or (1 if session.tally.broken else 0)
