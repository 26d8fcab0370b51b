"""Limit: when a search ends, in seconds, plies or nodes. Standard library only."""

from dataclasses import dataclass
from typing import Any

from shogi_engine.language import InputError
from shogi_engine.types.arguments import check_number
from shogi_engine.types.clock import Clock

SIDES = ("black", "white")


@dataclass(frozen=True)
class Limit:
    """The limits of a search. It ends when it reaches the first of them; without limits it runs until it is stopped.

    Attributes:
        time: the time for this move, in seconds
        depth: the depth in plies
        nodes: the number of positions
        mate: stop when a win within this number of plies is found
        level: search like a player of this level
        black_clock, white_clock: the remaining time of each side in seconds, which the engine divides among its moves
        black_inc, white_inc: the time added after each move, in seconds
        byoyomi: the additional time for each move, in seconds
    """

    time: float | None = None
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    level: int | None = None
    black_clock: float | None = None
    white_clock: float | None = None
    black_inc: float | None = None
    white_inc: float | None = None
    byoyomi: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None:
                counts = name in ("depth", "nodes", "mate")
                check_number(name, value, int(counts), whole=counts or name == "level")

    def is_endless(self, side: int) -> bool:
        """Tell whether a search for `side`, 0 (black) or 1 (white), runs until it is stopped."""
        others = (self.time, self.depth, self.nodes, self.mate, self.level)
        return self.clock(side) is None and all(limit is None for limit in others)

    def must_end(self, side: int) -> None:
        """Raise ValueError if no limit ends a search for `side`."""
        if self.is_endless(side):
            raise no_limit()

    def clock(self, side: int) -> Clock | None:
        """Return the clock of a side, 0 (black) or 1 (white); None if it has none."""
        left, increment = (getattr(self, f"{SIDES[side]}_{name}") for name in ("clock", "inc"))
        if left is None and self.byoyomi is None:
            return None
        return Clock.from_seconds(left or 0, self.byoyomi or 0, increment or 0)

    def allowed(self, side: int) -> float | None:
        """Return the seconds that a move of `side` may take, None for no limit of time."""
        clock = self.clock(side)
        return self.time if clock is None else clock.allowed / 1000


def no_limit() -> InputError:
    """Return the error of a search that nothing would end."""
    return InputError("a limit is needed: time, depth, nodes, mate, level or a clock of the side to move")


def check_limit(limit: Any) -> None:
    """Raise TypeError unless `limit` is a Limit."""
    if not isinstance(limit, Limit):
        raise TypeError(f"expected a Limit, such as Limit(time=0.1), not {limit!r}")
