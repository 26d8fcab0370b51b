"""The limits of a player's moves, in the notation of the command line and as sent to a USI engine."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shogi_engine.clients.usi import Limit
from shogi_engine.types.clock import Clock

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


def usi_limit(control: TimeControl, clocks: tuple[Clock | None, Clock | None], side: int) -> Limit:
    """Return the arguments of `go` for `side` (0 black, 1 white): both clocks (ms left), both increments or byoyomi."""
    limit = Limit(control.nodes, control.depth, control.movetime)
    own = clocks[side]
    if control.clock is None or own is None:
        return limit
    black, white = (clock or Clock() for clock in clocks)
    increments = black.increment or white.increment
    return replace(
        limit,
        btime=int(black.time),
        wtime=int(white.time),
        binc=int(black.increment) if increments else None,
        winc=int(white.increment) if increments else None,
        byoyomi=int(own.byoyomi) if own.byoyomi or not own.increment else None,
    )
