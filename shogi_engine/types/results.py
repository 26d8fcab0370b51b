"""What searches find: Score, Info, PlayResult and ForcedWin. Standard library only.

A Score is the value of a position for the side to move:

>>> sorted([Score(30), Score.mate_in(3), Score.mated_in(4), Score(-5)])
[Score('mate -4'), Score('cp -5'), Score('cp 30'), Score('mate 3')]
>>> -Score.discs(2.5), round(Score(600).chance(), 2)
(Score('discs -2.5'), 0.73)
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import total_ordering
from numbers import Real
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, Self, TypeAlias, overload

from shogi_engine.common.text import clamped_number
from shogi_engine.language import InputError

CP, DISCS, MATE = "cp", "discs", "mate"
MATE_SCORE = 30_000  # represents a mate where all scores must be numbers
CP_MAX = 99_999  # what other programs send is limited to this; in records, more centipawns mean a mate
PLIES_MAX = 9_999  # and their mates to this length
DISCS_MAX = 64
DISC = 100  # of the units, hundredths of a disc, in which Othello's searches, weights and arrays have values

# The probability of winning is 1 / (1 + exp(-value / scale)). The scale of 600 centipawns was fitted to games by
# Ponanza and is used by Shogi GUIs; 5 discs is about the error of a search of ten plies. The formula is also used for
# proven scores, because it tells how difficult the position is to play.
SCALES = {CP: 600.0, DISCS: 5.0}


def limited_discs(text: str) -> float:
    """Return the number of discs in `text`, limited to +-DISCS_MAX. Raises ValueError if it is not a number."""
    value = float(text)
    if math.isnan(value):
        raise InputError("{0!r} is not a score", text)
    return max(-DISCS_MAX, min(value, DISCS_MAX))


@total_ordering
@dataclass(frozen=True, slots=True, repr=False, init=False)
class Score:
    """The value of a position for the side to move. Scores can be negated, compared and sorted; a mate is highest.

    >>> Score("cp 3") == Score(3), Score("mate -4") == Score.mated_in(4)
    (True, True)

    Attributes:
        value: centipawns or discs; MATE_SCORE for a mate, -MATE_SCORE if the side to move is mated
        unit: CP, DISCS or MATE
        plies: the plies until mate, None if unknown or not a mate

    Args:
        value: a number; or a text for `parse`, and nothing else

    Raises:
        ValueError: if `plies` is negative; `mated_in` is the score of the side that is mated
        TypeError: if `value` is neither a number nor a text
    """

    value: float
    unit: str = CP
    plies: int | None = None

    def __init__(self, value: float | str, unit: str = CP, plies: int | None = None) -> None:
        if isinstance(value, str):
            parsed = Score.parse(value)
            value, unit, plies = parsed.value, parsed.unit, parsed.plies
        elif not isinstance(value, Real):
            raise TypeError(f"a score must be a number or a text such as 'cp 12', not {value!r}")
        if plies is not None and plies < 0:
            raise InputError("a mate takes 0 plies or more, not {0}; use mated_in for the side that is mated", plies)
        for name, item in (("value", value), ("unit", unit), ("plies", plies)):
            object.__setattr__(self, name, item)

    @classmethod
    def discs(cls, value: float) -> Self:
        """Return a score in discs."""
        return cls(int(value) if value == int(value) else value, DISCS)

    @classmethod
    def mate_in(cls, plies: int | None) -> Self:
        """Return the score of a side that gives mate in `plies`, None if the number is unknown."""
        return cls(MATE_SCORE, MATE, plies)

    @classmethod
    def mated_in(cls, plies: int | None) -> Self:
        """Return the score of a side that is mated in `plies`, None if the number is unknown."""
        return cls(-MATE_SCORE, MATE, plies)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a score in USI notation, as `str` returns it: 'cp 12', 'mate -4', 'mate +'. Raises ValueError.

        Values are limited to CP_MAX, PLIES_MAX and DISCS_MAX.
        """
        unit, _, number = text.partition(" ")
        if unit == CP:
            return cls(clamped_number(number, -CP_MAX, CP_MAX))
        if unit == MATE:
            plies = None if number in ("+", "-") else abs(clamped_number(number, -PLIES_MAX, PLIES_MAX))
            return cls.mated_in(plies) if number.startswith("-") else cls.mate_in(plies)
        if unit == DISCS:
            return cls.discs(limited_discs(number))
        raise InputError("{0!r} is not a score", text)

    @property
    def mate(self) -> bool:
        """Whether this is a mate, for either side."""
        return self.unit == MATE

    def chance(self) -> float:
        """Return the probability of winning, 0 to 1."""
        if self.mate:
            return float(self.value > 0)
        return 1.0 / (1.0 + math.exp(-self.value / SCALES[self.unit]))

    @classmethod
    def of_chance(cls, chance: float) -> Self:
        """Return the value in centipawns with this probability of winning, more than 0 and less than 1."""
        return cls(round(SCALES[CP] * math.log(chance / (1.0 - chance))))

    def values(self) -> dict[str, float | None]:
        """Return {'cp': 12}, {'discs': 2.5} or {'mate': -4}, for JSON."""
        if not self.mate:
            return {self.unit: self.value}
        return {MATE: None if self.plies is None else self.plies if self.value > 0 else -self.plies}

    def __neg__(self) -> Self:
        return type(self)(-self.value or 0, self.unit, self.plies)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        if self.unit != other.unit and not (self.mate or other.mate):
            return NotImplemented
        return self._rank() < other._rank()

    def _rank(self) -> tuple[int, float]:
        """Return the sort key. A shorter mate is better; a mate of unknown length counts as the longest."""
        if not self.mate:
            return 0, self.value
        plies = math.inf if self.plies is None else self.plies
        return (1, -plies) if self.value > 0 else (-1, plies)

    def __str__(self) -> str:
        if not self.mate:
            return f"{self.unit} {self.value:g}" if self.unit == DISCS else f"{self.unit} {self.value}"
        sign = "-" if self.value < 0 else "+" if self.plies is None else ""
        return f"mate {sign}{'' if self.plies is None else self.plies}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __repr__(self) -> str:
        return f"Score({str(self)!r})"


# ---- Info and PlayResult: what searches report, from `Engine` and from other engines. Standard library only


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Move = TypeVar("Move", default=str)
else:
    from typing import TypeVar

    Move = TypeVar("Move")
Other = TypeVar("Other")
BoardMove = TypeVar("BoardMove", covariant=True)
Moves: TypeAlias = Sequence[object]  # of a Board, or as text
Number: TypeAlias = Literal["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "currmovenumber"]


class BoardLike(Protocol[BoardMove]):
    """A Board of this package, or anything with the same methods."""

    def peek(self) -> BoardMove:
        """Return the last move."""


@dataclass(frozen=True, repr=False)
class Info(Mapping[str, Any], Generic[Move]):
    """A report of a search; `info.score` and `info["score"]` are the same.

    What the engine did not report has its default, and `info["score"]` raises KeyError. Moves are Moves of the Board
    that was searched; for a position given as text they are text.

    Attributes:
        depth: the depth in plies
        seldepth: the greatest depth reached, in plies
        multipv: the rank of the line, 1 for the best
        score: the value for the side to move
        bound: 'lower' or 'upper' if the score is a bound
        exact: whether the score is proven
        time: since the search began, in seconds
        nodes: the positions searched
        nps: nodes per second
        hashfull: how much of the table is used, in permille
        pv: the line of moves, all legal
        currmove: the move that is being searched
        currmovenumber: its number
        string: a text
    """

    depth: int | None = None
    seldepth: int | None = None
    multipv: int | None = None
    score: Score | None = None
    bound: str = ""
    exact: bool = False
    time: float | None = None
    nodes: int | None = None
    nps: int | None = None
    hashfull: int | None = None
    pv: tuple[Move, ...] = ()
    currmove: Move | None = None
    currmovenumber: int | None = None
    string: str = ""

    @overload
    def __getitem__(self, name: Literal["score"]) -> Score: ...

    @overload
    def __getitem__(self, name: Literal["pv"]) -> tuple[Move, ...]: ...

    @overload
    def __getitem__(self, name: Literal["time"]) -> float: ...

    @overload
    def __getitem__(self, name: Number) -> int: ...

    @overload
    def __getitem__(self, name: str) -> Any: ...

    def __getitem__(self, name: str) -> Any:
        value = getattr(self, name) if name in _DEFAULTS else None
        if name not in _DEFAULTS or value is _DEFAULTS[name]:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return (name for name, default in _DEFAULTS.items() if getattr(self, name) is not default)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Info({', '.join(f'{name}={value!r}' for name, value in self.items())})"

    def updated(self, later: "Info[Move]") -> "Info[Move]":
        """Return this report with everything that `later` reports."""
        items = {name: value for name, value in self.items() if name != "bound" or later.score is None}
        return Info(**items | dict(later))

    def convert(self, line: Callable[[Sequence[Move]], Sequence[Other]]) -> "Info[Other]":
        """Return the same report with other moves; `line` converts a line from the searched position."""
        moves: dict[str, Any] = {"pv": tuple(line(self.pv)) if self.pv else ()}
        if self.currmove is not None:
            moves["currmove"] = next(iter(line((self.currmove,))), None)
        return Info(**dict(self) | moves)

    @classmethod
    def with_line(cls, line: Callable[[], tuple[Move, ...]], **items: Any) -> "Info[Move]":
        """Return a report whose `pv` is what `line` returns, when it is first read: most lines are never shown."""
        info = cls(**items)
        del vars(info)["pv"]
        vars(info)["_line"] = line
        return info

    def __getattr__(self, name: str) -> Any:
        """Compute `pv`."""
        if name != "pv" or "_line" not in vars(self):
            raise AttributeError(name)
        found = vars(self)["pv"] = vars(self)["_line"]()
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _DEFAULTS}


_DEFAULTS: dict[str, Any] = {each.name: each.default for each in fields(Info)}
delattr(Info, "pv")  # so that `__getattr__` computes it


@dataclass(frozen=True)
class PlayResult(Generic[Move]):
    """The move to make.

    Attributes:
        move: None if there is none, or the engine resigns or declares a win instead
        ponder: the expected reply, or None
        info: the latest report on the best move
        multipv: the last report on each of the best moves requested, best first
        visits: the positions searched by ply, for players that count them
        from_book: whether the move is one of an opening book
        resigned: whether the engine resigns
        declares: whether it declares a win
        time: the time that the answer took, as measured outside a program, in seconds
    """

    move: Move | None = None
    ponder: Move | None = None
    info: Info[Move] = field(default_factory=Info)
    multipv: tuple[Info[Move], ...] = field(default=(), compare=False, repr=False)
    visits: tuple[int, ...] = ()
    from_book: bool = False
    resigned: bool = False
    declares: bool = False
    time: float = field(default=0.0, compare=False)


# ---- ForcedWin: the result of a search for a mate. Standard library only


@dataclass(frozen=True, repr=False)
class ForcedWin(Generic[Move]):
    """The result of a search for a forced win; true if there is one.

    Moves are encoded when they come from a solver, text from a position given as text, and Moves from a Board.

    Attributes:
        result: 'mate'; 'nomate' if there is provably none; 'timeout' if nothing was proven within the limits;
            'notimplemented' if another engine has no mate search
        moves: the moves of both sides up to the win, against the longest known defence
        shortest: whether no shorter win exists; None if that was not requested
        nodes: the number of positions visited
        seconds: the time taken
        solutions: the lines of all winning first moves if requested, else only the first line
    """

    result: str
    moves: tuple[Move, ...] = ()
    shortest: bool | None = None
    nodes: int = 0
    seconds: float = 0.0
    solutions: tuple[tuple[Move, ...], ...] = ()

    @property
    def length(self) -> int:
        """The plies to the win; 0 without one."""
        return len(self.moves)

    def __bool__(self) -> bool:
        return self.result == "mate"

    def __repr__(self) -> str:
        found = {"nomate": "no mate", "timeout": "nothing proven", "notimplemented": "no mate search"}.get(self.result)
        line = found or f"mate in {self.length}: {' '.join(map(str, self.moves))}"
        return f"<{type(self).__name__} {line} ({self.nodes} nodes, {self.seconds:.2f} s)>"

    def convert(self, line: Callable[[tuple[Move, ...]], Sequence[Other]]) -> "ForcedWin[Other]":
        """Return the same result with other moves; `line` converts a line from the searched position."""
        moves, solutions = tuple(line(self.moves)), tuple(tuple(line(moves)) for moves in self.solutions)
        return ForcedWin(self.result, moves, self.shortest, self.nodes, self.seconds, solutions)
