"""The castles, which `castles.txt` describes."""

from dataclasses import dataclass

from shogi_engine.games.shogi.openings.patterns import Pattern, View, lines_of, patterns_of
from shogi_engine.types.opening import Name


@dataclass(frozen=True)
class Castle:
    """A castle: its name, and the shapes that it may have."""

    name: Name
    patterns: tuple[Pattern, ...]

    @classmethod
    def parse(cls, line: str) -> "Castle":
        """Return the castle of a line of the table."""
        name, japanese, english, pattern = (part.strip() for part in line.split("|", 3))
        return cls(Name(name, japanese, english), patterns_of(pattern))


CASTLES = tuple(map(Castle.parse, lines_of("castles.txt")))


def _by_king(colour: int) -> dict[int, list[tuple[Castle, Pattern]]]:
    """Return the castles and their shapes by the square of the king of `colour`, in the order of the table."""
    found: dict[int, list[tuple[Castle, Pattern]]] = {}
    for castle in CASTLES:
        for pattern in castle.patterns:
            for square in pattern.king[colour]:
                found.setdefault(square, []).append((castle, pattern))
    return found


_BY_KING = (_by_king(0), _by_king(1))


def castle_at(seen: View, colour: int, king: int) -> tuple[Castle, Pattern] | None:
    """Return the castle of `colour`, whose king is on `king` (-1 for none), and the shape that fits; or None."""
    for castle, pattern in _BY_KING[colour].get(king, ()):
        if pattern.fits(seen, colour):
            return castle, pattern
    return None
