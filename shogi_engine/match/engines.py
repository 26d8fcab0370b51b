"""The engines of a match: how the command line describes them, and the players made from them."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from shlex import join
from typing import Any

from shogi_engine import games
from shogi_engine.clients.gtp import SimpleGtp
from shogi_engine.clients.nboard import SimpleNBoard
from shogi_engine.clients.usi import Options, SimpleEngine, parse_options, split_options
from shogi_engine.common.registry import Registry
from shogi_engine.engine.parameters import parse_settings
from shogi_engine.language import InputError
from shogi_engine.play.clock import GameClock
from shogi_engine.play.players import LEVEL, EnginePlayer, Player
from shogi_engine.play.programs import ProgramPlayer, UsiPlayer
from shogi_engine.textbook.player import Textbook, TextbookPlayer, parse_player
from shogi_engine.types.clock import Clock
from shogi_engine.types.limit import Limit

GAMES = {"usi": "shogi", "gtp": "othello", "nboard": "othello"}  # by protocol
NO_BOOK: Options = (("USI_OwnBook", "false"),)  # the match supplies openings; an engine's own option overrides it
OWN = {"shogi": ("usi", ("-m", "usi")), "othello": ("nboard", ("-m", "shogi_engine", "nboard"))}
IN_PROCESS = "engine"  # this engine without a protocol: 'engine:level=3', or 'level:3'
TEXTBOOK = "textbook"  # a textbook search: 'textbook:alphabeta:4'
# Players by other parts of this package, or by other packages: `player(text, game, limit)` of a module returns one.
PLAYERS = Registry(
    "player", "player", {"policy": "shogi_engine.batch.policy"}, default="policy", group="shogi_engine.players"
)
HASH_MB = 8  # table size of an engine in this process


@dataclass(frozen=True)
class EngineSpec:
    """An engine of a match.

    Attributes:
        protocol: one of GAMES, IN_PROCESS, TEXTBOOK or PLAYERS
        label: its name in tables; '' for its command
        options: the options of a USI program
        settings, hash_mb: the settings and table size (MB) of an engine in this process, see EnginePlayer
        limit, clock: the limits of its moves, and its clock at the start of a game, None for none
        game: the game that it plays
        textbook: what a textbook player does
    """

    protocol: str
    command: str
    options: Options = ()
    settings: tuple[tuple[str, int | str], ...] = ()
    limit: Limit = field(default_factory=Limit)
    clock: Clock | None = None
    ponder: bool = False
    label: str = ""
    game: str = "shogi"
    hash_mb: int = HASH_MB
    textbook: Textbook | None = None

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self.label or self.command

    def player(self, timeout: float = 60.0) -> Player:
        """Return a player, not started yet. Raises ValueError if the engine cannot do what is requested."""
        if self.protocol == "usi":
            ponder: Options = (("USI_Ponder", "true"),) if self.ponder else ()
            engine = SimpleEngine(self.command, (*self.options, *ponder), defaults=NO_BOOK, timeout=timeout)
            return UsiPlayer(engine, self.limit, ponders=self.ponder)
        if self.ponder:
            raise InputError("only engines over USI ponder: {0}", self.command)
        if self.protocol == IN_PROCESS:
            return EnginePlayer(self.game, self.limit, self.settings, hash_mb=self.hash_mb)
        if self.options:
            raise InputError("{0} engines have no options: {1}", self.protocol, self.command)
        if self.protocol in PLAYERS:
            player: Player = PLAYERS.load(self.protocol)(self.command.partition(":")[2], self.game, self.limit)
            return player
        if self.textbook is not None:
            return TextbookPlayer(self.game, self.textbook)
        client = SimpleGtp if self.protocol == "gtp" else SimpleNBoard
        program = client(self.command, timeout=timeout)
        program.check(GameClock(self.clock).limited(self.limit, 0))
        return ProgramPlayer(program, self.limit)


def is_in_process(text: str) -> bool:
    """Tell whether the text describes an engine in this process, which plays any game."""
    return text.partition(":")[0] in (IN_PROCESS, LEVEL, TEXTBOOK, *PLAYERS)


def parse_engine(
    text: str,
    limit: Limit | None = None,
    clock: Clock | None = None,
    *,
    ponder: bool = False,
    label: str = "",
    game: str = "shogi",
    hash_mb: int = HASH_MB,
) -> EngineSpec:
    """Return the engine of a command, which may begin with 'usi:' (default), 'gtp:' or 'nboard:'. Raises ValueError.

    The options of a USI engine follow its command: 'COMMAND:NAME=VALUE,...'. 'shogi' and 'othello' are this package's
    own engines as programs. 'engine', 'engine:NAME=VALUE,...' and 'level:N' are this engine in this process,
    'textbook:KIND:DEPTH' is a textbook player, 'policy:FILE' a network (`batch.policy`); they play `game`.
    """
    games.check(game)
    name, colon, rest = text.partition(":")
    protocol, command = "usi", text.strip()
    options: Options = ()
    given: Any = {"limit": limit or Limit(), "clock": clock, "ponder": ponder, "label": label}
    if name == TEXTBOOK:
        return EngineSpec(TEXTBOOK, text, game=game, textbook=parse_player(rest), **given)
    if name in PLAYERS:
        return EngineSpec(name, text, game=game, **given)
    if is_in_process(text):
        settings = parse_settings(f"{LEVEL}={rest}" if name == LEVEL else rest)
        return EngineSpec(IN_PROCESS, text, settings=tuple(settings.items()), game=game, hash_mb=hash_mb, **given)
    if name in OWN:
        protocol, words = OWN[name]
        command, options = join([Path(sys.executable).as_posix(), *words]), parse_options(rest)
        given["label"] = label or text
    elif colon and name in GAMES:
        protocol, command = name, rest.strip()
    if protocol == "usi" and name not in OWN:
        command, options = split_options(command)
    if not command:
        raise InputError("an engine without a command: {0!r}", text)
    return EngineSpec(protocol, command, options, game=GAMES[protocol], **given)
