"""Limit: when a search ends, in seconds, plies or nodes. Standard library only."""

from dataclasses import dataclass, fields

from shogi_engine.types.clock import Clock

SIDES = ("black", "white")


@dataclass(frozen=True)
class Limit:
    """The limits of a search: it ends at the first one that it reaches. Without limits it runs until it is stopped.

    Attributes:
        time: seconds for this move
        depth: the depth in plies
        nodes: the number of positions
        mate: stop when a win within this many plies is found
        level: search as a player of this level
        black_clock, white_clock: seconds on the clocks; the engine divides its own time among its moves
        black_inc, white_inc: seconds added after each move
        byoyomi: extra seconds for each move
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
        for field in fields(self):
            value = getattr(self, field.name)
            least = 1 if field.name in ("depth", "nodes", "mate") else 0
            if value is not None and not value >= least:
                raise ValueError(f"{field.name} must be at least {least}, not {value}")

    def is_endless(self, side: int) -> bool:
        """Tell whether a search for `side`, 0 (black) or 1 (white), runs until it is stopped."""
        others = (self.time, self.depth, self.nodes, self.mate, self.level)
        return self.clock(side) is None and all(limit is None for limit in others)

    def clock(self, side: int) -> Clock | None:
        """Return the clock of a side, 0 (black) or 1 (white); None if it has none."""
        left, increment = (getattr(self, f"{SIDES[side]}_{name}") for name in ("clock", "inc"))
        if left is None and self.byoyomi is None:
            return None
        return Clock.from_seconds(left or 0, self.byoyomi or 0, increment or 0)
