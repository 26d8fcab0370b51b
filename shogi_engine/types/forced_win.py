"""ForcedWin: the result of a search for a mate. Standard library only."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic

from shogi_engine.types.info import Move, Other


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
