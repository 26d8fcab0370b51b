"""Converts USI lines to dataclasses and back, without an engine and without state.

The protocol is http://hgm.nubati.net/usi.html with the extensions of Shogidokoro, YaneuraOu and ShogiHome. An invalid
line raises a `ProtocolError` with one line of text. If only a part of a `go` is invalid, it is reported in `Go.faults`.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from shogi_engine.common.text import NUMBER_MAX, clamped_number, nodes_per_second, sanitize
from shogi_engine.frontends.core import Output
from shogi_engine.types.limits import Clock
from shogi_engine.types.results import Info, Score

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
    pv: Sequence[Any],
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
        words += ["pv", *map(str, pv)]
    return " ".join(words)


# ---- The info lines of a search. Standard library only


Line: TypeAlias = Info[Any]  # what an Engine reports, so all items are there


class UsiOutput(Output):
    """Lines to the GUI and to the debug log."""

    def info(self, text: str) -> None:
        """Write an `info string`; `text` may contain any characters."""
        self.line(f"info string {sanitize(text)}")


class InfoWriter:
    """Prints the lines of one search, at most every `interval_ms`.

    With MultiPV, the lines of a depth are printed together, best first; those of the first depth are printed at once.
    Lines whose value is a bound are dropped then, because they cannot be ordered.

    Args:
        numbered: whether to print `multipv`
        count: the number of lines, MultiPV
        bounds: whether to print lines with bounds if there is only one line
        pv: returns the moves to print for a line
    """

    def __init__(
        self,
        output: Output,
        *,
        interval_ms: int,
        numbered: bool = False,
        count: int = 1,
        bounds: bool = True,
        pv: Callable[[Line], Sequence[Any]] = lambda line: line.pv,
    ) -> None:
        self._out, self._interval = output, interval_ms / 1000
        self._numbered, self._count = numbered, count
        self._bounds, self._pv = bounds, pv
        self._last = time.monotonic() if count == 1 else -math.inf
        self._held: list[Line] = []  # exact lines of the current depth
        self._complete: list[Line] = []  # those of the last complete depth, best first

    def __call__(self, line: Line) -> None:
        """Receive a line from the search."""
        if self._count == 1:
            if not line.bound:
                self._complete = [line]
            if (self._bounds or not line.bound) and self._due():
                self._show(line, 1)
        elif not line.bound:
            if self._held and self._held[0].depth != line.depth:
                self._held = []
            self._held.append(line)
            if len(self._held) == self._count:
                self._complete, self._held = sorted(self._held, key=lambda line: line["score"], reverse=True), []
                if self._due():
                    for number, each in enumerate(self._complete, 1):
                        self._show(each, number)

    def finish(self, lines: Sequence[Line]) -> None:
        """Print the last lines of a search, best first and each move once, with the nodes and time of the search."""
        for number, line in enumerate(self.last_lines(lines), 1):
            self._show(line, number, lines[0])

    def last_lines(self, lines: Sequence[Line]) -> list[Line]:
        """Return the final lines, given those of the result. The line of the best move stays first.

        Where bounds are not shown, a line with a bound is replaced by the last exact line of the same move.
        """
        bounds = self._bounds and self._count == 1
        exact = {line.pv[0]: line for line in [*self._complete, *self._held] if line.pv}
        chosen: dict[Any, Line] = {}
        for line in lines:
            move = line.pv[0] if line.pv else None
            chosen.setdefault(move, exact.get(move, line) if line.bound and not bounds else line)
        return list(chosen.values())

    def _due(self) -> bool:
        """Tell whether the interval has passed; if so, restart it."""
        now = time.monotonic()
        due = now - self._last >= self._interval
        if due:
            self._last = now
        return due

    def _show(self, line: Line, number: int, whole: Line | None = None) -> None:
        """Print one line with the given number, and the nodes and time of `whole`, which is `line` by default."""
        whole = whole or line
        self._out.line(
            info_line(
                depth=line["depth"],
                seldepth=line["seldepth"],
                multipv=number if self._numbered else 0,
                score=line["score"],
                bound=line.bound,
                nodes=whole["nodes"],
                seconds=whole["time"],
                hashfull=whole["hashfull"],
                pv=self._pv(line),
            )
        )
