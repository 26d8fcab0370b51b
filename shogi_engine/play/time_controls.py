"""The limits of a player's moves, in the notation of the command line and for a search."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shogi_engine.types.clock import Clock
from shogi_engine.types.limit import Limit

if TYPE_CHECKING:
    from shogi_engine.play.game import Game


@dataclass(frozen=True)
class TimeControl:
    """The limits of one player in a match. `movetime` is in ms; `clock` is the clock at the start."""

    nodes: int | None = None
    depth: int | None = None
    movetime: int | None = None
    clock: Clock | None = None

    @property
    def setting(self) -> Clock | None:
        """The clock that judges the player: `clock`, or `movetime` for each move; None for no time limit."""
        return self.clock or (Clock(byoyomi=self.movetime) if self.movetime else None)

    def now(self, game: "Game") -> Clock | None:
        """Return the clock of the side to move, None if this player has none."""
        return game.clock.for_search(game.turn) if self.clock else None


def parse_time_control(text: str) -> TimeControl:
    """Return the limits of e.g. 'nodes=10000', 'depth=6', 'movetime=200', 'byoyomi=1000' (ms) or 'clock=10:00+0+5s'.

    clock is MAIN[+BYOYOMI[+INCREMENT]], see `Clock.parse`. Separate several limits by commas. Raises ValueError.
    """
    values: dict[str, int] = {}
    clock: Clock | None = None
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if name == "clock":
            try:
                clock = Clock.parse(value)
            except ValueError as fault:
                raise ValueError(f"invalid clock: {fault}") from None
        elif name not in ("nodes", "depth", "movetime", "byoyomi"):
            raise ValueError(f"a limit must be nodes, depth, movetime, byoyomi or clock, not {part.strip()!r}")
        elif not (value.isascii() and value.isdecimal() and int(value)):
            raise ValueError(f"a limit must be a whole number, 1 or more, as in {name}=1000, not {part.strip()!r}")
        else:
            values[name] = int(value)
    byoyomi = values.pop("byoyomi", None)
    if byoyomi is not None:
        clock = replace(clock or Clock(), byoyomi=byoyomi)
    return TimeControl(**values, clock=clock)


def limit_of(control: TimeControl, clocks: tuple[Clock | None, Clock | None], side: int) -> Limit:
    """Return the limit of a search for `side`, 0 (black) or 1: both clocks, both increments or byoyomi, as in USI."""
    limit = Limit(None if control.movetime is None else control.movetime / 1000, control.depth, control.nodes)
    own = clocks[side]
    if control.clock is None or own is None:
        return limit
    black, white = (clock or Clock() for clock in clocks)
    increments = black.increment or white.increment
    return replace(
        limit,
        black_clock=black.time / 1000,
        white_clock=white.time / 1000,
        black_inc=black.increment / 1000 if increments else None,
        white_inc=white.increment / 1000 if increments else None,
        byoyomi=own.byoyomi / 1000 if own.byoyomi or not own.increment else None,
    )
