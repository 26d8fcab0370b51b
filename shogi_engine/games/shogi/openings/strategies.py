"""The openings and strategies, which `strategies.txt` describes."""

from collections.abc import Collection
from dataclasses import dataclass

from shogi_engine.games.shogi.openings.patterns import Pattern, lines_of, patterns_of
from shogi_engine.types.opening import Name


@dataclass(frozen=True)
class Opening:
    """An opening of a side: its name, the shapes that show it, and when they do.

    Attributes:
        until: the last ply at which it is named
        after: the openings of the side, one of which it must have already; empty for no condition
        foe: those of its opponent
        without: those that neither it nor, for `static` openings, its opponent may have
        refines: the opening whose place the name takes, ''
        both: whether it is the opponent's opening too
        second: whether it is an opening only of the side that moves second
        start: the handicap with which the game began, '' for any start
    """

    name: Name
    patterns: tuple[Pattern, ...]
    until: int
    after: frozenset[str]
    foe: frozenset[str]
    without: frozenset[str]
    static: bool
    refines: str
    both: bool
    second: bool
    start: str

    @classmethod
    def parse(cls, line: str) -> "Opening":
        """Return the opening of a line of the table."""
        name, japanese, english, pattern, until, when = (part.strip() for part in line.split("|"))
        said: dict[str, set[str]] = {}
        for word in when.split():
            key, _, value = word.partition(":")
            said.setdefault(key, set()).update(FURIBISHA if value == "furibisha" else [value])
        refines = "".join(said.get("refines", ()))
        static = "static" in said
        return cls(
            Name(name, japanese, english),
            patterns_of(pattern),
            int(until),
            after=frozenset(said.get("after", [refines] if refines else [])),
            foe=frozenset(said.get("foe", ())),
            without=frozenset(said.get("not", set()) | (FURIBISHA if static else set())),
            static=static,
            refines=refines,
            both="both" in said,
            second="second" in said,
            start="".join(said.get("from", ())),
        )

    def open_to(self, own: Collection[str], foe: Collection[str], start: str, second: bool) -> bool:
        """Tell whether a side with the openings `own` may have this one too, against those of `foe`.

        Args:
            start: the handicap with which the game began
            second: whether the side moves second
        """
        return (
            self.name.id not in own
            and (second or not self.second)
            and (not self.start or self.start == start)
            and (not self.after or not self.after.isdisjoint(own))
            and (not self.foe or not self.foe.isdisjoint(foe))
            and self.without.isdisjoint(own)
            and not (self.static and not FURIBISHA.isdisjoint(foe))
        )


def _only_static() -> frozenset[str]:
    """Return the openings that a side does not have if the opponent's rook ranges after all."""
    found: set[str] = set()
    for opening in OPENINGS:
        if (opening.static and not opening.both) or not found.isdisjoint(opening.after):
            found.add(opening.name.id)
    return frozenset(found)


FURIBISHA = frozenset({"nakabisha", "shikenbisha", "sangenbisha", "mukaibisha"})
OPENINGS = tuple(map(Opening.parse, lines_of("strategies.txt")))
ONLY_STATIC = _only_static()
NEVER_RANGING = frozenset(each.name.id for each in OPENINGS if each.without >= FURIBISHA and not each.static)
LAST_PLY = max(opening.until for opening in OPENINGS)
