"""The engines of a match: how the command line describes them, and the players made from them."""

import sys
from dataclasses import dataclass
from pathlib import Path
from shlex import join

from shogi_engine.clients.gtp import SimpleGtp
from shogi_engine.clients.nboard import SimpleNBoard
from shogi_engine.clients.usi import Options, SimpleEngine, parse_options
from shogi_engine.match.othello_players import GtpPlayer, NBoardPlayer
from shogi_engine.match.players import Player, UsiPlayer
from shogi_engine.match.time_controls import TimeControl

GAMES = {"usi": "shogi", "gtp": "othello", "nboard": "othello"}  # by protocol
NO_BOOK: Options = (("USI_OwnBook", "false"),)  # the match supplies openings; an engine's own option overrides it
OWN = {"shogi": ("usi", ("-m", "usi")), "othello": ("nboard", ("-m", "shogi_engine", "nboard"))}


@dataclass(frozen=True)
class EngineSpec:
    """An engine of a match.

    Attributes:
        protocol: one of GAMES
        label: its name in tables; '' for its command
    """

    protocol: str
    command: str
    options: Options = ()
    control: TimeControl = TimeControl()
    ponder: bool = False
    label: str = ""

    @property
    def game(self) -> str:
        """The game it plays."""
        return GAMES[self.protocol]

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self.label or self.command

    def player(self, patience: float, ready_patience: float) -> Player:
        """Return a player with its own process, which is not started yet. Raises ValueError."""
        if self.protocol == "usi":
            ponder: Options = (("USI_Ponder", "true"),) if self.ponder else ()
            engine = SimpleEngine(
                self.command,
                (*self.options, *ponder),
                defaults=NO_BOOK,
                patience=patience,
                ready_patience=ready_patience,
            )
            return UsiPlayer(engine, self.control, ponder=self.ponder)
        if self.options or self.ponder:
            raise ValueError(f"an engine over {self.protocol} has no options and does not ponder: {self.command}")
        if self.protocol == "gtp":
            return GtpPlayer(SimpleGtp(self.command, patience=patience, ready_patience=ready_patience), self.control)
        return NBoardPlayer(SimpleNBoard(self.command, patience=patience, ready_patience=ready_patience), self.control)


def parse_engine(text: str, options: str, control: TimeControl, *, ponder: bool = False, label: str = "") -> EngineSpec:
    """Return the engine of a command, with 'usi:', 'gtp:' or 'nboard:' before it, or else USI. Raises ValueError.

    'shogi' and 'othello' alone, or with options after a colon ('shogi:SkillLevel=5'), are this package's own engines.
    """
    name, colon, rest = text.partition(":")
    if name in OWN:
        protocol, words = OWN[name]
        command = join([Path(sys.executable).as_posix(), *words])
        return EngineSpec(
            protocol, command, (*parse_options(rest), *parse_options(options)), control, ponder, label or text
        )
    protocol, command = (name, rest.strip()) if colon and name in GAMES else ("usi", text.strip())
    if not command:
        raise ValueError(f"an engine without a command: {text!r}")
    return EngineSpec(protocol, command, parse_options(options), control, ponder, label)
