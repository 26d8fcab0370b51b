"""The plan of a match: its openings, its players, and who plays whom, each determined by the number of the game.

The openings are the lines of a file in a seeded order. When these are used up, or without a file, random moves are
added that leave the game balanced according to a small search. Otherwise, engines limited by nodes would repeat their
games.
"""

import itertools
import random
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from shlex import join
from typing import Any

from shogi_engine import games
from shogi_engine.clients.gtp import SimpleGtp
from shogi_engine.clients.nboard import SimpleNBoard
from shogi_engine.clients.usi import Options, SimpleEngine, parse_options, split_options
from shogi_engine.common.registry import Registry
from shogi_engine.common.text import read_text
from shogi_engine.engine import Engine
from shogi_engine.engine.parameters import parse_settings
from shogi_engine.language import InputError
from shogi_engine.play.clock import GameClock
from shogi_engine.play.game import number
from shogi_engine.play.players import LEVEL, EnginePlayer, Player, ProgramPlayer, UsiPlayer
from shogi_engine.textbook.player import Textbook, TextbookPlayer, parse_player
from shogi_engine.types.limits import Clock, Limit

# ---- The engines of a match: how the command line describes them, and the players made from them


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


SHIPPED = Path(__file__).parent / "shogi_openings.txt"
TRIES = 50
BALANCE = 300  # the largest advantage after random moves, in the game's unit
BALANCE_NODES = 3000
RANDOM_PLIES = 8  # random moves in each opening, for a game without a file of openings


def read(path: Path) -> list[str]:
    """Return a file's openings: 'startpos moves ...' per line, '#' begins a comment. Raises OSError, ValueError."""
    text = read_text(path)
    lines = [line.split("#")[0].strip().removeprefix("position ") for line in text.splitlines()]
    openings = [line for line in lines if line]
    if not openings:
        raise InputError("there is no opening in {0}", path)
    for opening in openings:
        if not opening.startswith("startpos"):
            raise InputError("an opening must begin with startpos, not {0!r}", opening[:40])
    return openings


@dataclass(frozen=True)
class OpeningPlan:
    """The sources of a match's openings.

    Attributes:
        lines: the openings of a file
        plies: the number of random moves added to each; with 0, two are added once all lines are used
        balanced: whether the random moves must leave the game balanced; if not, none are added with 0 `plies`
    """

    game: str
    lines: tuple[str, ...]
    seed: int
    plies: int
    balanced: bool = True

    @classmethod
    def of(cls, game: str, path: Path | None = None, *, seed: int = 1, plies: int = 0) -> "OpeningPlan":
        """Return the plan for a file, by default the one shipped for the game if any. Raises OSError, ValueError."""
        games.check(game)
        path = path or (SHIPPED if game == "shogi" else None)
        lines = read(path) if path else ["startpos"]
        random.Random(seed).shuffle(lines)
        return cls(game, tuple(lines), seed, plies or (0 if path else RANDOM_PLIES))


class OpeningFile:
    """The openings of a plan by number, for any thread."""

    def __init__(self, plan: OpeningPlan) -> None:
        self.plan = plan
        self._lock = threading.Lock()
        self._engine: Engine | None = None

    def __getitem__(self, number: int) -> str:
        """Return the moves of the opening of pair `number`. Raises ValueError if none is found."""
        plan = self.plan
        line = plan.lines[number % len(plan.lines)].removeprefix("startpos").removeprefix(" moves").strip()
        plies = plan.plies or (2 if plan.balanced and number >= len(plan.lines) else 0)
        if not plies:
            return line
        with self._lock:
            return self._lengthened(line, plies, random.Random(f"{plan.seed} {number}"))

    def _lengthened(self, line: str, plies: int, rng: random.Random) -> str:
        engine = self._engine = self._engine or Engine(self.plan.game, hash_mb=1)
        base = line.split()
        for _ in range(TRIES):
            board = engine.board(moves=base)
            while len(board.move_stack) < len(base) + plies and (legal := list(board.legal_moves)):
                board.push(rng.choice(legal))
            if not board.legal_moves:
                continue
            opening = " ".join(map(str, board.move_stack))
            if not self.plan.balanced:
                return opening
            engine.new_game()
            if abs(number(engine.analyse(board, Limit(nodes=BALANCE_NODES))["score"])) <= BALANCE:
                return opening
        raise InputError(
            "no balanced position was found {0} random moves after {1!r}, in {2} attempts",
            plies,
            line or "the start",
            TRIES,
        )


# ---- The schedule of a match or tournament: the players of each game, by its number


KINDS = ("round-robin", "gauntlet", "ladder")


@dataclass(frozen=True)
class Meeting:
    """A game to play: the players' numbers (the first is black in even games of the pairing) and the opening."""

    first: int
    second: int
    swapped: bool
    opening: int

    @property
    def sides(self) -> tuple[int, int]:
        """The players' numbers, black first."""
        return (self.second, self.first) if self.swapped else (self.first, self.second)


@dataclass(frozen=True)
class Schedule:
    """The games of a match or tournament; each pair of players plays `games` games.

    In a gauntlet only the first player meets the others, on a ladder each player meets its neighbours. Each opening
    is played twice with colours swapped. Games come in rounds: one pair of games for every pairing. All pairings play
    the same openings.
    """

    players: int = 2
    games: int = 1
    kind: str = "round-robin"

    def __post_init__(self) -> None:
        if self.players < 2:
            raise ValueError("a match needs two players")
        if self.kind not in KINDS:
            raise ValueError(f"a tournament must be one of {', '.join(KINDS)}, not {self.kind!r}")

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """The pairs of players, by number, that meet."""
        every = itertools.combinations(range(self.players), 2)
        if self.kind == "gauntlet":
            return [pair for pair in every if pair[0] == 0]
        return [(one, other) for one, other in every if self.kind == "round-robin" or other == one + 1]

    def numbers(self) -> list[int]:
        """Return the numbers of all games, in order."""
        whole = 2 * len(self.pairings) * -(-self.games // 2)
        return [number for number in range(whole) if self.place(number) < self.games]

    def place(self, number: int) -> int:
        """Return the index of game `number` among the games of its two players, from 0."""
        return number // (2 * len(self.pairings)) * 2 + number % 2

    def meeting(self, number: int) -> Meeting:
        """Return the players and the opening of game `number`."""
        first, second = self.pairings[number // 2 % len(self.pairings)]
        return Meeting(first, second, number % 2 == 1, self.place(number) // 2)
