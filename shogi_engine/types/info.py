"""Info and PlayResult: what searches report, from `Engine` and from other engines. Standard library only."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, overload

from shogi_engine.types.score import Score

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


_DEFAULTS: dict[str, Any] = {each.name: each.default for each in fields(Info)}


@dataclass(frozen=True)
class PlayResult(Generic[Move]):
    """The move to make.

    Attributes:
        move: None if there is none, or the engine resigns or declares a win instead
        ponder: the expected reply, or None
        info: the latest report on the best move
        resigned: whether the engine resigns
        declares: whether it declares a win
        time: the time that the answer took, in seconds
    """

    move: Move | None = None
    ponder: Move | None = None
    info: Info[Move] = field(default_factory=Info)
    resigned: bool = False
    declares: bool = False
    time: float = field(default=0.0, compare=False)
