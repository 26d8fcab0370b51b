"""Converts USI lines to dataclasses and back, without an engine and without state.

The protocol is http://hgm.nubati.net/usi.html with the extensions of Shogidokoro, YaneuraOu and ShogiHome. An invalid
line raises a `ProtocolError` with one line of text. If only a part of a `go` is invalid, it is reported in `Go.faults`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from shogi_engine.common.text import NUMBER_MAX, clamped_number, nodes_per_second, sanitize
from shogi_engine.types.clock import Clock
from shogi_engine.types.score import Score

FALLBACK_MS = 1000  # for a `go` whose only limit could not be read


class ProtocolError(ValueError):
    """A line that cannot be executed. The message gives the reason on one line."""


@dataclass(frozen=True)
class SetOption:
    """`setoption name NAME value VALUE`; a button has no value."""

    name: str
    value: str


@dataclass(frozen=True)
class Position:
    """`position`: a position in the game's notation ('' for the starting position), and the moves from there."""

    root: str = ""
    moves: tuple[str, ...] = ()

    @property
    def white_to_move(self) -> bool:
        """Tell whether the side to move is white, according to the text alone."""
        fields = self.root.split()
        return (len(fields) > 1 and fields[1] == "w") != bool(len(self.moves) % 2)

    @property
    def ply(self) -> int:
        """Return the number of moves made: the SFEN's move number minus one, plus the listed moves."""
        fields = self.root.split()
        number = int(fields[3]) if len(fields) > 3 and fields[3].isdecimal() else 1
        return max(0, min(number, 10_000) - 1) + len(self.moves)


@dataclass
class Go:
    """`go` or `ponderhit` with its parameters. Times are in ms; a parameter that is not given is None.

    Attributes:
        mate: ms for a mate search, 0 for no limit (`infinite`, or no number)
        perft: the depth, 0 if it could not be parsed
        faults: messages about invalid parts of the line
    """

    btime: int | None = None
    wtime: int | None = None
    byoyomi: int | None = None
    binc: int | None = None
    winc: int | None = None
    movetime: int | None = None
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    perft: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()
    faults: list[str] = field(default_factory=list)

    def clock(self, white: bool) -> Clock:
        """Return the clock of the side to move."""
        time, increment = (self.wtime, self.winc) if white else (self.btime, self.binc)
        return Clock(time or 0, self.byoyomi or 0, increment or 0)

    def has_clock(self) -> bool:
        """Tell whether the line gives any time other than movetime."""
        return any(time is not None for time in (self.btime, self.wtime, self.byoyomi, self.binc, self.winc))

    def has_limit(self) -> bool:
        """Tell whether the line limits the search by time, depth or nodes."""
        return self.has_clock() or any(limit is not None for limit in (self.movetime, self.depth, self.nodes))

    def is_bounded(self) -> bool:
        """Tell whether the command ends by itself, without `stop`. NUMBER_MAX stands for no limit."""
        if self.infinite or self.ponder:
            return False
        if self.mate is not None:
            return 0 < self.mate < NUMBER_MAX
        limits = [limit for limit in (self.movetime, self.depth, self.nodes) if limit is not None]
        return self.has_clock() or bool(self.faults) or any(limit < NUMBER_MAX for limit in limits)


_NUMBERS = ("btime", "wtime", "byoyomi", "binc", "winc", "movetime", "depth", "nodes", "perft")
_WORDS = {*_NUMBERS, "mate", "infinite", "ponder", "searchmoves"}


def parse_go(arguments: list[str]) -> Go:
    """Parse the words after `go` or `ponderhit`. Unknown words are skipped, as the protocol requires."""
    go = Go()
    waiting = list(reversed(arguments))
    while waiting:
        word = waiting.pop()
        if word in ("infinite", "ponder"):
            setattr(go, word, True)
        elif word == "searchmoves":
            moves = []
            while waiting and waiting[-1] not in _WORDS:
                moves.append(waiting.pop())
            go.searchmoves = tuple(moves)
            if not moves:
                go.faults.append("go: expected a move after searchmoves")
        elif word == "mate":
            go.mate = 0
            if waiting and waiting[-1] == "infinite":
                waiting.pop()
            elif waiting and waiting[-1] not in _WORDS:
                limit = _number(go, word, waiting)
                go.mate = FALLBACK_MS if limit is None else max(0, limit)
        elif word in _NUMBERS:
            if word == "perft":
                go.perft = 0  # still a perft, so there must be no bestmove
            if not waiting or waiting[-1] in _WORDS - {"infinite"}:
                go.faults.append(f"go: expected a number after {word}")
            elif (number := _number(go, word, waiting)) is not None:
                # Some GUIs send a negative time. A depth or node limit below one becomes one.
                setattr(go, word, max(1 if word in ("depth", "nodes", "perft") else 0, number))
    return go


def _number(go: Go, word: str, waiting: list[str]) -> int | None:
    """Pop the last item of `waiting`, the word after `word`, and return it as a number; None and a fault if invalid."""
    text = waiting.pop()
    try:
        return clamped_number(text)
    except ValueError as fault:
        go.faults.append(f"go: {word} {fault}")
        if text == "infinite":
            waiting.append(text)
        return None


def parse_position(arguments: list[str]) -> Position:
    """Parse the words after `position`; the word `sfen` may be missing."""
    if not arguments:
        raise ProtocolError("position: startpos or sfen expected")
    words = list(arguments)
    moves: tuple[str, ...] = ()
    if "moves" in words:
        at = words.index("moves")
        words, moves = words[:at], tuple(words[at + 1 :])
    if words and words[0] == "startpos":
        if len(words) > 1:
            raise ProtocolError(f"position: 'moves' expected before {sanitize(words[1])!r}")
        return Position("", moves)
    if words and words[0] == "sfen":
        words = words[1:]
    elif not words or "/" not in words[0]:
        raise ProtocolError(f"position: startpos or sfen expected, not {sanitize(arguments[0])!r}")
    if not words:
        raise ProtocolError("position: the sfen is missing")
    if len(words) == 3:  # the move number is often omitted
        words.append("1")
    return Position(" ".join(words), moves)


def parse_setoption(arguments: list[str]) -> SetOption:
    """Return the option's name and value; both may contain spaces."""
    if not arguments or arguments[0] != "name" or len(arguments) < 2:
        raise ProtocolError("setoption: 'name' and a name expected")
    words = arguments[1:]
    at = words.index("value") if "value" in words else len(words)
    return SetOption(" ".join(words[:at]), " ".join(words[at + 1 :]))


def info_line(
    *,
    depth: int,
    seldepth: int,
    score: Score,
    nodes: int,
    seconds: float,
    hashfull: int,
    pv: Sequence[str],
    bound: str = "",
    multipv: int = 0,
) -> str:
    """Return the info line of one line of play; `multipv` 0 omits that word."""
    words = ["info", "depth", str(depth), "seldepth", str(max(seldepth, depth))]
    if multipv:
        words += ["multipv", str(multipv)]
    words += ["score", str(score)]
    if bound:
        words.append(f"{bound}bound")
    words += ["nodes", str(nodes), "nps", str(nodes_per_second(nodes, seconds))]
    words += ["hashfull", str(hashfull), "time", str(int(seconds * 1000))]
    if pv:
        words += ["pv", *pv]
    return " ".join(words)
