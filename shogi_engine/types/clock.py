"""A clock's state, and the time that a search may use. Standard library only."""

from dataclasses import dataclass, replace

LEAST_MS = 2.0  # with less, not even the first depth is finished, and the move would be arbitrary


@dataclass(frozen=True)
class Clock:
    """One side's clock before its move, in ms: main time, byoyomi for each move, increment after each move."""

    time: int = 0
    byoyomi: int = 0
    increment: int = 0


@dataclass(frozen=True)
class TimeBudget:
    """The time for one move, in ms: 0 <= least_ms <= soft_ms <= hard_ms <= what the clock allows.

    Attributes:
        least_ms: even an easy move takes this long. If soft_ms equals hard_ms, all the time is used, whatever is
            found.
        second_ms: when the current second ends, on a clock that counts whole seconds only. The rest of that second
            costs nothing. None for other clocks.
    """

    soft_ms: float
    hard_ms: float
    least_ms: float = 0.0
    second_ms: float | None = None

    @classmethod
    def exactly(cls, ms: float) -> "TimeBudget":
        """Return the budget of a move that takes exactly `ms`, whatever is found."""
        return cls(ms, ms)

    @property
    def is_exact(self) -> bool:
        """Whether all of the time is used, whatever is found."""
        return self.soft_ms == self.hard_ms

    def after_pondering(self, pondered_ms: float) -> "TimeBudget":
        """Return the budget from ponderhit on. Pondering counts as time used, except in an exact budget."""
        if self.is_exact:
            return self
        pondered_ms = max(0.0, pondered_ms)
        soft, least = (max(0.0, ms - pondered_ms) for ms in (self.soft_ms, self.least_ms))
        return replace(self, soft_ms=soft, least_ms=least)

    def for_only_move(self) -> "TimeBudget":
        """Return the budget of a forced move: the limits stay, but the time need not be used up."""
        return replace(self, soft_ms=max(min(self.soft_ms, self.hard_ms / 4), self.least_ms))

    def at_most(self, ms: float) -> "TimeBudget":
        """Return the budget, reduced to `ms` at most."""
        return replace(self, **{name: min(getattr(self, name), ms) for name in ("soft_ms", "hard_ms", "least_ms")})

    def less(self, elapsed_ms: float) -> "TimeBudget":
        """Return the budget that remains after `elapsed_ms`."""
        soft, hard, least = (max(0.0, ms - elapsed_ms) for ms in (self.soft_ms, self.hard_ms, self.least_ms))
        return TimeBudget(soft, hard, least, None if self.second_ms is None else self.second_ms - elapsed_ms)

    def at_least(self, ms: float) -> "TimeBudget":
        """Return the budget with a hard limit of `ms` or more."""
        hard = max(self.hard_ms, ms)
        return replace(self, soft_ms=hard if self.is_exact else self.soft_ms, hard_ms=hard)
