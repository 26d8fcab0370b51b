"""How games end, by one set of names for all games and formats. Standard library only.

A format has its own words (`投了`, `%TORYO`); it maps them to these names.
"""

from dataclasses import dataclass

LOST, WON, DRAWN = -1, 1, 0  # for the side to move


@dataclass(frozen=True)
class Ending:
    """A name, and the result for the side to move at the end: LOST, WON, DRAWN, or None if it is open."""

    name: str
    result: int | None


ENDINGS = (
    Ending("resignation", LOST),
    Ending("mate", LOST),
    Ending("time", LOST),
    Ending("illegal move", LOST),  # by the side to move; it is not among the moves
    Ending("opponent's illegal move", WON),
    Ending("declaration", WON),
    Ending("repetition", DRAWN),
    Ending("impasse", DRAWN),
    Ending("draw", DRAWN),
    Ending("max moves", DRAWN),
    Ending("won by default", WON),
    Ending("lost by default", LOST),
    Ending("interrupted", None),
    Ending("sealed move", None),
    Ending("last move", None),
    Ending("no mate", None),
    Ending("take back", None),
    Ending("error", None),
)
BY_NAME = {ending.name: ending for ending in ENDINGS}


def check_ending(name: str) -> str:
    """Return `name` if it is an ending's, or '' for none. Raises ValueError with the names there are."""
    if name and name not in BY_NAME:
        raise ValueError(f"there is no ending {name!r}; there are {', '.join(BY_NAME)}")
    return name
