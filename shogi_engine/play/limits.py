"""The limits of a player in the notation of the command line. Standard library only."""

from dataclasses import replace

from shogi_engine.language import InputError
from shogi_engine.types.clock import Clock
from shogi_engine.types.limit import Limit


def parse_limit(text: str) -> tuple[Limit, Clock | None]:
    """Return the limits of each move, and the clock of the game, of e.g. 'nodes=10000' or 'clock=10:00+0+5s,depth=6'.

    Limits are nodes, depth, movetime and byoyomi (both in ms) and clock, which is MAIN[+BYOYOMI[+INCREMENT]], see
    `Clock.parse`. Separate several by commas. Raises ValueError.
    """
    values: dict[str, int] = {}
    clock: Clock | None = None
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if name == "clock":
            try:
                clock = Clock.parse(value)
            except ValueError as fault:
                raise InputError("invalid clock: {0}", fault) from None
        elif name not in ("nodes", "depth", "movetime", "byoyomi"):
            raise InputError("a limit must be nodes, depth, movetime, byoyomi or clock, not {0!r}", part.strip())
        elif not (value.isascii() and value.isdecimal() and int(value)):
            raise InputError("a limit must be a whole number, 1 or more, as in {0}=1000, not {1!r}", name, part.strip())
        else:
            values[name] = int(value)
    if "byoyomi" in values:
        clock = replace(clock or Clock(), byoyomi=values["byoyomi"])
    ms = values.get("movetime")
    return Limit(None if ms is None else ms / 1000, values.get("depth"), values.get("nodes")), clock
