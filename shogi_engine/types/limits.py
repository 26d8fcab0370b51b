"""Clock and Limit: what a search may use, and checks of what a program passes. Standard library only."""

import inspect
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Self

from shogi_engine.language import InputError


def check_number(name: str, value: object, least: float, *, whole: bool) -> None:
    """Raise TypeError unless `value` is a number, whole if it must be, and ValueError if it is below `least`."""
    if not isinstance(value, Integral if whole else Real):
        raise TypeError(f"{name} must be a {'whole ' if whole else ''}number, not {value!r}")
    number: Any = value
    if not number >= least:
        raise InputError("{0} must be at least {1}, not {2}", name, least, number)


def check_names(owner: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise TypeError, which lists the `known` arguments of `owner`, if one of those `given` is none of them."""
    if unknown := [name for name in given if name not in known]:
        raise TypeError(f"{owner} has no argument {unknown[0]!r}; there are {', '.join(known)}")


def keyword_names(*functions: Callable[..., object]) -> list[str]:
    """Return the names of the arguments that functions or classes take by name only, each once."""
    given = (each for function in functions for each in inspect.signature(function).parameters.values())
    return list(dict.fromkeys(each.name for each in given if each.kind is each.KEYWORD_ONLY))


def check_board(board: Any, method: str) -> None:
    """Raise TypeError unless `board` is a Board that has `method`: not a text, a class or another game's Board."""
    if isinstance(board, type) or not hasattr(board, method):
        raise TypeError(f"expected a Board with the method {method}, not {board!r}")


def listed(moves: Any) -> list[Any]:
    """Return moves, Moves or texts, as a list. Raises TypeError for a single move."""
    if isinstance(moves, str) or not isinstance(moves, Iterable):
        raise TypeError(f"expected a list of moves, not {moves!r}")
    return list(moves)


# ---- A clock's state, and the time that a search may use. Standard library only


UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "秒": 1000, "分": 60_000, "時間": 3_600_000}
MAX_HOURS = 100
# A number of four digits without a unit is refused, because the user probably meant milliseconds.
_PART = re.compile(
    r"(?P<number>\d{1,9})(?P<unit>ms|[smh秒分]|時間)|(?P<bare>\d{1,3})"
    r"|(?:(?P<hours>\d{1,3}):)?(?P<minutes>\d{1,3}):(?P<seconds>\d\d)",
    re.ASCII,
)
LEAST_MS = 2.0  # with less time, depth 1 may not be completed, and the move would be arbitrary


@dataclass(frozen=True)
class Clock:
    """The clock of one side before its move, in ms: main time, byoyomi per move, and increment per move.

    At the start of a game, it is the time control.
    """

    time: float = 0
    byoyomi: float = 0
    increment: float = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the clock 'MAIN+BYOYOMI+INC', as in '10+30', '10m+30s', '10:00', '5m+0+10s', '10分+30秒'.

        Without a unit the main time is in minutes and the others are in seconds. Raises ValueError.
        """
        parts = text.replace("＋", "+").split("+")
        values = [_milliseconds(part, "s" if number else "m") for number, part in enumerate(parts)]
        if len(values) > 3 or None in values:
            raise InputError("expected MAIN+BYOYOMI+INC as in 10+30, 10:00 or 5m+0+10s, not {0!r}", text)
        if not any(values) or max(value or 0 for value in values) > MAX_HOURS * UNITS["h"]:
            raise InputError("a clock must have more than 0 and at most {0} h, not {1!r}", MAX_HOURS, text)
        return cls(*(value or 0 for value in values))

    @classmethod
    def from_seconds(cls, time: float = 0, byoyomi: float = 0, increment: float = 0) -> Self:
        """Return the clock with these times, rounded to whole ms."""
        return cls(*(round(1000 * seconds) for seconds in (time, byoyomi, increment)))

    @property
    def allowed(self) -> float:
        """The time in ms that the move may take."""
        return self.time + self.byoyomi

    def after(self, used_ms: float) -> Self:
        """Return the clock after a move that took `used_ms`. The main time is used before the byoyomi."""
        return replace(self, time=max(self.time - used_ms, 0) + self.increment)


def _milliseconds(text: str, unit: str) -> int | None:
    """Return the ms of '30', '30s', '5m', '1h', '10:00' or '1:00:00', None for other texts; `unit` is that of '30'."""
    part = _PART.fullmatch(text)
    if part is None:
        return None
    if part["bare"]:
        return int(part["bare"]) * UNITS[unit]
    if part["number"]:
        return int(part["number"]) * UNITS[part["unit"]]
    return 1000 * (3600 * int(part["hours"] or 0) + 60 * int(part["minutes"]) + int(part["seconds"]))


@dataclass(frozen=True)
class TimeBudget:
    """The time for one move, in ms, with 0 <= least_ms <= soft_ms <= hard_ms.

    Attributes:
        least_ms: the minimum time, even for an easy move
        soft_ms: after this time no iteration begins; if it equals hard_ms, all the time is used
        hard_ms: at this time the search stops
        second_ms: the end of the current second on a clock that counts only full seconds, where the rest of a second
            is free; None for other clocks
    """

    soft_ms: float
    hard_ms: float
    least_ms: float = 0.0
    second_ms: float | None = None

    @classmethod
    def exactly(cls, ms: float) -> "TimeBudget":
        """Return the budget of a move that takes exactly `ms`, even if it is easy."""
        return cls(ms, ms)

    @property
    def is_exact(self) -> bool:
        """Whether all of the time is used, even for an easy move."""
        return self.soft_ms == self.hard_ms

    def after_pondering(self, pondered_ms: float) -> "TimeBudget":
        """Return the budget after ponderhit. The time spent pondering is subtracted, unless the budget is exact."""
        if self.is_exact:
            return self
        pondered_ms = max(0.0, pondered_ms)
        soft, least = (max(0.0, ms - pondered_ms) for ms in (self.soft_ms, self.least_ms))
        return replace(self, soft_ms=soft, least_ms=least)

    def for_only_move(self) -> "TimeBudget":
        """Return the budget of a forced move. It has the same limits, but no minimum time."""
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


# ---- Limit: when a search ends, in seconds, plies or nodes. Standard library only


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
        budget: the time for this move as computed elsewhere; it replaces `time` and the clocks
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
    budget: TimeBudget | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and name != "budget":
                counts = name in ("depth", "nodes", "mate")
                check_number(name, value, int(counts), whole=counts or name == "level")

    @classmethod
    def of(cls, *, movetime: float | None = None, **limits: Any) -> Self:
        """Return the limits given by the names of the command line, of which `movetime` is in ms."""
        check_names("a search", limits, ("movetime", "depth", "nodes", "mate", "level"))
        if movetime is not None:
            check_number("movetime", movetime, 0, whole=False)
        return cls(None if movetime is None else movetime / 1000, **limits)

    def named(self) -> dict[str, float]:
        """Return the limits that the command line has, the inverse of `of`."""
        given = {"movetime": None if self.time is None else round(1000 * self.time)}
        given |= {name: getattr(self, name) for name in ("depth", "nodes", "mate", "level")}
        return {name: value for name, value in given.items() if value is not None}

    def is_endless(self, side: int) -> bool:
        """Tell whether a search for `side`, 0 (black) or 1 (white), runs until it is stopped."""
        others = (self.time, self.depth, self.nodes, self.mate, self.level, self.budget)
        return self.clock(side) is None and all(limit is None for limit in others)

    def must_end(self, side: int) -> None:
        """Raise ValueError if no limit ends a search for `side`."""
        if self.is_endless(side):
            raise InputError("a limit is needed: time, depth, nodes, mate, level or a clock of the side to move")

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


def check_limit(limit: Any) -> None:
    """Raise TypeError unless `limit` is a Limit."""
    if not isinstance(limit, Limit):
        raise TypeError(f"expected a Limit, such as Limit(time=0.1), not {limit!r}")
