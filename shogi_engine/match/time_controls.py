"""The limits of an engine's moves: in the notation of the command line, and as sent to a USI engine."""

from argparse import ArgumentTypeError
from dataclasses import dataclass, replace

from shogi_engine.clients.usi import Limit
from shogi_engine.play.clock import clock_setting


@dataclass(frozen=True)
class TimeControl:
    """The limits of one player in a match, see `parse_time_control`. Times in ms."""

    nodes: int | None = None
    depth: int | None = None
    movetime: int | None = None
    byoyomi: int | None = None
    main: int | None = None
    increment: int = 0

    @property
    def clocked(self) -> bool:
        """Whether there is a clock: a main time, byoyomi or both."""
        return self.main is not None or self.byoyomi is not None

    def allowed(self, clock: int) -> float | None:
        """Return how many ms a move may take with `clock` ms of main time left, None for no limit."""
        if self.clocked:
            return clock + (self.byoyomi or 0)
        return self.movetime


def parse_time_control(text: str) -> TimeControl:
    """Return the limits of e.g. 'nodes=10000', 'movetime=200', 'byoyomi=1000', 'clock=60000+0+1000', 'depth=6'.

    clock is MAIN[+BYOYOMI[+INCREMENT]] in ms, or with units as in '10m+30s', '10:00+0+5s'. Separate several limits by
    commas. Raises ValueError.
    """
    values: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = part.strip().partition("=")
        if name not in ("nodes", "depth", "movetime", "byoyomi", "clock"):
            raise ValueError(f"a limit is nodes, depth, movetime, byoyomi or clock, not {part.strip()!r}")
        if name == "clock" and any(letter in number for letter in "smh:"):
            numbers = _clock_ms(number)
        else:
            numbers = _whole_numbers(name, number)
        if len(numbers) > (3 if name == "clock" else 1):
            raise ValueError(f"a clock is MAIN+BYOYOMI+INCREMENT and other limits one number, not {part.strip()!r}")
        if name == "clock":
            values |= dict(zip(("main", "byoyomi", "increment"), numbers, strict=False))
        else:
            values[name] = numbers[0]
    if min(values.values()) < 0 or any(values.get(name) == 0 for name in ("nodes", "depth", "movetime")):
        raise ValueError(f"a limit that is too small: {text!r}")
    control = TimeControl(**values)
    if control.clocked and not (control.main or control.byoyomi or control.increment):
        raise ValueError(f"a clock without any time: {text!r}")
    return control


def _whole_numbers(name: str, text: str) -> list[int]:
    """Return the numbers of '1000' or '60000+0+1000'. Raises ValueError."""
    try:
        return [int(each) for each in text.split("+")]
    except ValueError:
        raise ValueError(f"a limit is a whole number, as in {name}=1000, not '{name}={text}'") from None


def _clock_ms(text: str) -> list[int]:
    """Return the ms of a clock written with units. Raises ValueError."""
    try:
        setting = clock_setting(text)
    except ArgumentTypeError as fault:
        raise ValueError(f"a clock is wrong: {fault}") from None
    return [1000 * seconds for seconds in (setting.main, setting.byoyomi, setting.increment)]


def usi_limit(controls: tuple[TimeControl, TimeControl], clocks: list[int], side: int) -> Limit:
    """Return the arguments of `go` for `side` (0 black, 1 white): both clocks (ms left), both increments or byoyomi."""
    own = controls[side]
    limit = Limit(own.nodes, own.depth, own.movetime)
    if not own.clocked:
        return limit
    increments = any(each.increment for each in controls)
    return replace(
        limit,
        btime=clocks[0],
        wtime=clocks[1],
        binc=controls[0].increment if increments else None,
        winc=controls[1].increment if increments else None,
        byoyomi=(own.byoyomi or 0) if own.byoyomi or not own.increment else None,
    )
