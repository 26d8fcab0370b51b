"""Name, Standing and GameNames: what the openings and castles of a game are called. Standard library only."""

from dataclasses import dataclass
from typing import Any

from shogi_engine.types.limit import SIDES


@dataclass(frozen=True)
class Name:
    """What a castle or an opening is called.

    Attributes:
        id: the identifier, ASCII, which does not change
    """

    id: str
    japanese: str
    english: str

    def text(self, language: str = "en") -> str:
        """Return the name in a language, 'en' or 'ja'."""
        return self.japanese if language == "ja" else self.english


@dataclass(frozen=True)
class Standing:
    """A castle or an opening that a side had, and the ply after which it stood, 0 for the start."""

    name: Name
    ply: int


@dataclass
class GameNames:
    """The castles and openings of a game by colour, in the order in which they stood.

    `openings` has a special name in the place of the general one that it refines: 角換わり棒銀 for 角換わり.
    """

    castles: tuple[list[Standing], list[Standing]]
    openings: tuple[list[Standing], list[Standing]]

    def values(self) -> dict[str, Any]:
        """Return the identifiers by side, and the plies, for JSON."""
        found: dict[str, Any] = {}
        for key, sides in (("openings", self.openings), ("castles", self.castles)):
            named = list(zip(SIDES, sides, strict=True))
            found[key] = {side: [each.name.id for each in standings] for side, standings in named}
            found[f"{key}_at"] = {side: {each.name.id: each.ply for each in standings} for side, standings in named}
        return found

    def header(self, language: str = "ja") -> str:
        """Return the openings of both sides as records name them, '' for none."""
        names = dict.fromkeys(each.name.text(language) for side in self.openings for each in side)
        return ("、" if language == "ja" else ", ").join(names)
