"""What an engine may use for a move, as the command line writes it and as USI's `go` says it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """The limits of one player, see `parse_limit`. Times in ms."""

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
        """Return how many ms a move may take with `clock` ms of main time left, None if as many as it likes."""
        if self.clocked:
            return clock + (self.byoyomi or 0)
        return self.movetime


def parse_limit(text: str) -> Limit:
    """Return the limit of e.g. 'nodes=10000', 'movetime=200', 'byoyomi=1000', 'clock=60000+0+1000', 'depth=6'.

    clock is MAIN[+BYOYOMI[+INCREMENT]]; several limits are joined by commas. Raises ValueError.
    """
    values: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = part.strip().partition("=")
        if name == "clock":
            numbers = [int(each) for each in number.split("+")]
            if len(numbers) > 3:
                raise ValueError(f"a clock is MAIN+BYOYOMI+INCREMENT, not {number!r}")
            values |= dict(zip(("main", "byoyomi", "increment"), numbers, strict=False))
        elif name in ("nodes", "depth", "movetime", "byoyomi"):
            values[name] = int(number)
        else:
            raise ValueError(f"a limit is nodes, depth, movetime, byoyomi or clock, not {part.strip()!r}")
    if min(values.values()) < 0 or any(values.get(name) == 0 for name in ("nodes", "depth", "movetime")):
        raise ValueError(f"a limit that is too small: {text!r}")
    limit = Limit(**values)
    if limit.clocked and not (limit.main or limit.byoyomi or limit.increment):
        raise ValueError(f"a clock without any time: {text!r}")
    return limit


def clock_words(limits: tuple[Limit, Limit], clocks: list[int], side: int) -> str:
    """Return what `go` says of the time: both clocks (ms left), and the increments or the byoyomi of `side`."""
    limit = limits[side]
    if not limit.clocked:
        return ""
    words = f"btime {clocks[0]} wtime {clocks[1]}"
    if any(each.increment for each in limits):
        words += f" binc {limits[0].increment} winc {limits[1].increment}"
    if limit.byoyomi or not limit.increment:
        words += f" byoyomi {limit.byoyomi or 0}"
    return words


def go_words(limits: tuple[Limit, Limit], clocks: list[int], side: int) -> str:
    """Return the words after `go` for `side` (0 black, 1 white)."""
    words = [clock_words(limits, clocks, side)]
    for name in ("movetime", "nodes", "depth"):
        if (value := getattr(limits[side], name)) is not None:
            words.append(f"{name} {value}")
    return " ".join(filter(None, words))
